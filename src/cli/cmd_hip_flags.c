/* SPDX-License-Identifier: MIT */
/* sluice hip-flags: what nvcc needs to build a HIP program for Sluice. */
#include <limits.h>
#include <string.h>

#include "cli/command.h"
#include "exec/start.h"
#include "machine/machine.h"

typedef struct hip_flags_options {
    sl_common common;
    const char *gpu; /* NULL: not given */
    bool link;
} hip_flags_options;

/* PTX of every GPU since this one can be run by the device that programs see. */
#define ARCHITECTURE "compute_80"

static int run(const sl_invocation *inv)
{
    const hip_flags_options *o = inv->values;
    char folder[PATH_MAX];
    sl_machine machine = {.lanes = 32};
    sl_error error;
    sl_status status = sl_library_folder("hip/include", folder, sizeof folder, &error);
    if (!status && strpbrk(folder, " \t\n"))
        status =
            sl_fail(&error, SL_UNSUPPORTED,
                    "%s: a shell splits this path at its spaces; install Sluice in a folder without spaces", folder);
    if (!status && o->gpu)
        status = sl_machine_load(o->gpu, &machine, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    printf("%s-arch=" ARCHITECTURE
           " -lineinfo -cudart shared -forward-unknown-to-host-compiler -D__HIP_PLATFORM_NVIDIA__ "
           "-D__HIPCC__ -DSLUICE_HIP_LANES=%u -I%s\n",
           o->link ? "" : "-x cu ", machine.lanes, folder);
    return SL_EXIT_OK;
}

static const sl_option options[] = {
    {"gpu", 'g', SL_OPTION_STRING, "GPU",
     "GPU model, a name from 'sluice machines' or a YAML file, whose wavefronts the program is built for (default: "
     "32 lanes)",
     offsetof(hip_flags_options, gpu), 0, 0, NULL},
    {"link", 0, SL_OPTION_FLAG, NULL, "Omit -x cu, for command lines with object files",
     offsetof(hip_flags_options, link), 0, 0, NULL},
    {0},
};

static const sl_example examples[] = {
    {"nvcc $(sluice hip-flags) saxpy.hip -o saxpy", "Build a HIP program"},
    {"sluice run -- ./saxpy", "Run it"},
    {"make CC=\"nvcc $(sluice hip-flags --link)\"",
     "For a makefile that compiles and links separately, with sources ending in .cu"},
    {"nvcc $(sluice hip-flags --gpu mi300x) scan.hip -o scan", "Build for wavefronts of 64 lanes"},
    {"sluice run --gpu mi300x -- ./scan", "Run that one"},
    {0},
};

const sl_command sl_cmd_hip_flags = {
    .name = "hip-flags",
    .summary = "print the options of nvcc that build a HIP program",
    .usage = "[options]",
    .description =
        "Print the options with which nvcc builds HIP programs for Sluice: headers that give CUDA's functions "
        "HIP's names, and PTX in the program. Programs that hipcc has built cannot be run.\n\nWarps have 32 lanes, or, "
        "with --gpu, as many as wavefronts of that GPU model: warpSize is that constant, and shuffles, votes and "
        "ballots are of all lanes. Such a program runs with the same --gpu, or with --lanes 64.",
    .options = options,
    .values_bytes = sizeof(hip_flags_options),
    .examples = examples,
    .run = run,
};
