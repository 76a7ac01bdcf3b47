/* SPDX-License-Identifier: MIT */
/* sluice run and sluice trace: run something on the emulated GPU; show what it did, or record it. The two share their
 * options and differ in where the trace goes. */
#include <string.h>

#include "cli/command.h"
#include "cli/run_source.h"

#define X(name) extern const sl_run_source sl_source_##name;
#include "cli/run_sources.def"
#undef X

#define X(name) &sl_source_##name,
static const sl_run_source *const sources[] = {
#include "cli/run_sources.def"
    NULL,
};
#undef X

enum { MOST_NAMES = 256 };

const char *const sl_isa_choices[] = {"best", "portable", "v2", "v3", NULL};
static const char *const size_choices[] = {"small", "default", "large", NULL}; /* as sl_size_names */
static const char *const device_choices[] = {"emu", "gpu", NULL};              /* as sl_device_kinds */
static const char *const check_choices[] = {"gpu", "address", "uninit", NULL}; /* as sl_run_check */

static int unknown_source(const sl_invocation *inv)
{
    const char *word = inv->args.operand[0], *names[MOST_NAMES] = {0};
    size_t count = 0;
    for (const sl_run_source *const *source = sources; *source; source++)
        for (const char *const *name = (*source)->names ? (*source)->names() : NULL; name && *name; name++)
            if (count < MOST_NAMES)
                names[count++] = *name;
    char hint[128];
    if (strchr(word, '/'))
        return sl_cli_usage(
            inv, "'%s' is neither a workload nor a file of PTX or LLVM IR; a program goes after '--': sluice %s -- %s",
            word, inv->command->name, word);
    return sl_cli_usage(inv, "there is no workload '%s'%s", word,
                        sl_did_you_mean(word, names, count, "", hint, sizeof hint));
}

static int run_any(const sl_invocation *inv)
{
    const sl_run_options *options = inv->values;
    if (options->lanes != 32 && options->lanes != 64)
        return sl_cli_usage(inv, "--lanes: a warp has 32 or 64 lanes, not %llu", (unsigned long long)options->lanes);
    if (options->plan && (!inv->args.program || options->trace))
        return sl_cli_usage(inv, "--plan is for 'sluice run -- PROGRAM'; for workloads and PTX files there is 'sluice "
                                 "measure'");
    sl_trace_filter filter = {
        .kernel_regex = options->kernel_regex,
        .first_launch = options->launch.first,
        .last_launch = options->launch.last,
        .ranged = options->launch.given,
        .blocks = options->blocks,
    };
    for (const sl_run_source *const *source = sources; *source; source++)
        if ((*source)->accepts(&inv->args))
            return (*source)->run(inv, options, &filter);
    return unknown_source(inv);
}

static int trace_any(const sl_invocation *inv)
{
    const sl_run_options *options = inv->values;
    if (!options->trace)
        return sl_cli_usage(inv, "-o FILE is missing: where to record to");
    if (options->on)
        return sl_cli_usage(inv, "--on gpu: only the emulator can be recorded");
    return run_any(inv);
}

#define AT(field) offsetof(sl_run_options, field)
// clang-format off
static const sl_option run_options[] = {
    {"kernel", 'k', SL_OPTION_STRING, "REGEX", "Look only at launches of kernels whose name matches", AT(kernel_regex), 0, 0, NULL},
    {"launch", 0, SL_OPTION_RANGE, "A-B", "Look only at launches A to B, counted from 0 over the whole run", AT(launch), 0, 0, NULL},
    {"blocks", 0, SL_OPTION_NUMBER, "N", "Look only at the first N blocks of each launch", AT(blocks), 1, 0, NULL},
    {"lanes", 0, SL_OPTION_NUMBER, "N", "Threads per warp, 32 or 64 (default: 32)", AT(lanes), 32, 64, NULL},
    {"max-instructions", 0, SL_OPTION_NUMBER, "N", "End a launch with an error after N warp instructions", AT(max_instructions), 1, 0, NULL},
    {"check", 0, SL_OPTION_CHOICE, "WHAT", "How much is an error: what a GPU does not let pass, also reads just outside of an allocation, also reads of memory never written", AT(check), 0, 0, check_choices},
    {"isa", 0, SL_OPTION_CHOICE, "NAME", "Instruction set the emulator uses", AT(isa), 0, 0, sl_isa_choices},
    {"entry", 0, SL_OPTION_STRING, "NAME", "PTX file, LLVM IR: the kernel to launch (default: the only one)", AT(entry), 0, 0, NULL},
    {"grid", 0, SL_OPTION_DIMS, "X,Y,Z", "PTX file, LLVM IR: blocks of the grid", AT(grid), 1, INT32_MAX, NULL},
    {"block", 0, SL_OPTION_DIMS, "X,Y,Z", "PTX file, LLVM IR: threads of a block", AT(block), 1, 1024, NULL},
    {"shared", 0, SL_OPTION_BYTES, "BYTES", "PTX file, LLVM IR: dynamic shared memory", AT(shared_bytes), 0, 0, NULL},
    {"arg", 0, SL_OPTION_LIST, "VALUE", "PTX file, LLVM IR: a kernel argument; give one for each parameter, in order", AT(arg), 0, 0, NULL},
    {"dump", 0, SL_OPTION_LIST, "ARG[:FILE]", "PTX file, LLVM IR: after the launch print the buffer that argument ARG (from 0) stands for, or write its bytes to FILE", AT(dump), 0, 0, NULL},
    {"workload", 0, SL_OPTION_STRING, "NAME", "LLVM IR: launch its kernels as the host of this workload does; NAME=VALUE may follow the file", AT(workload), 0, 0, NULL},
    {"llvm", 0, SL_OPTION_STRING, "VERSION", "LLVM IR: the version of LLVM to use, 14 to 19, or the file of its library (default: the newest that is installed)", AT(llvm), 0, 0, NULL},
    {"optimise", 0, SL_OPTION_FLAG, NULL, "LLVM IR: run -O2 on it first", AT(optimise), 0, 0, NULL},
    {"size", 0, SL_OPTION_CHOICE, "SIZE", "Workload: its size (default: default)", AT(size), 0, 0, size_choices},
    {"plan", 0, SL_OPTION_STRING, "FILE", "Program: run it as it is and with the loads of a plan bypassing, time each kernel and compare what is copied to the host; with --on gpu on the real GPU", AT(plan), 0, 0, NULL},
    {"no-check", 0, SL_OPTION_FLAG, NULL, "Workload: do not check its result against the CPU", AT(no_check), 0, 0, NULL},
    {"on", 0, SL_OPTION_CHOICE, "DEVICE", "Workload, PTX file, LLVM IR, program with a plan: where to run, the emulator or a real GPU; on a GPU the report has times instead of counts", AT(on), 0, 0, device_choices},
    {"seed", 0, SL_OPTION_NUMBER, "N", "Seed of generated inputs (default: 1)", AT(seed), 0, 0, NULL},
    {0},
};
static const sl_option trace_options[] = {
    {"output", 'o', SL_OPTION_STRING, "FILE", "The trace to write", AT(trace), 0, 0, NULL},
    {"level", 0, SL_OPTION_NUMBER, "N", "Compression level of zstd (default: 3)", AT(zstd_level), 1, 19, NULL},
    {0},
};
// clang-format on

static const sl_run_options defaults = {.zstd_level = 3, .lanes = 32, .size = 1, .seed = 1};

static const sl_example run_examples[] = {
    {"sluice run matmul", "Runs a built-in workload and shows what each launch executed and touched"},
    {"sluice run --size small spmv rows=500", "Runs another one at its small size with a parameter changed"},
    {"sluice run k.ptx --grid 4 --block 256 --arg 'f32[1K]:random' --arg u32:1024 --dump 0",
     "Launches the kernel of a PTX file and prints the buffer it was given"},
    {"sluice run kernels.ll --workload spmv_jds", "Runs LLVM IR, also for AMD GPUs, with the host of a workload"},
    {"sluice run -- ./app 1024", "Runs a CUDA program, built with nvcc -cudart shared, without a GPU"},
    {"sluice run --json report.json -- ./app", "Writes the report as JSON too"},
    {"sluice run --check=uninit --max-instructions 10M -- ./app",
     "Looks for reads of memory never written and for endless loops"},
    {0},
};
static const sl_example trace_examples[] = {
    {"sluice trace -o app.slt -- ./app 1024", "Records every launch of a CUDA program"},
    {"sluice trace -o mm.slt --blocks 64 matmul", "Records the first 64 blocks of each launch of a workload"},
    {"sluice trace -o k.slt --kernel '^spmv' --launch 0-9 -- ./app",
     "Records the launches of some kernels among the first ten"},
    {0},
};

#define WHAT_RUNS                                                                                                      \
    "What runs is a CUDA program given after '--', a built-in workload (see 'sluice workloads'), or a PTX file or "    \
    "LLVM IR (.ll, .bc; for NVIDIA or AMD GPUs) with a launch. A CUDA program must be linked with -cudart shared and " \
    "carry PTX; its standard output and its exit code "                                                                \
    "are its own, and the report goes to standard error.\n\n"                                                          \
    "A kernel argument is written TYPE:VALUE (u32:1024, f32:0.5), TYPE[COUNT]:FILL for a buffer whose address the "    \
    "kernel gets, or hex:DIGITS for the bytes of any other parameter. TYPE is u8 to u64, s8 to s64, f32 or f64; "      \
    "COUNT "                                                                                                           \
    "takes K, M and G (powers of 1024); FILL is zero, iota (0, 1, 2, ...), random or random:BOUND, file:PATH, none "   \
    "(never written) or a number."

const sl_command sl_cmd_run = {
    .name = "run",
    .summary = "run a GPU program here, without a GPU, and show what each launch did",
    .usage = "[options] (-- PROGRAM [ARG...] | WORKLOAD [NAME=VALUE...] | FILE.ptx | FILE.ll)",
    .description =
        "Runs a GPU program on the CPU and shows, for each kernel launch, what it executed and touched.\n\n" WHAT_RUNS,
    .options = run_options,
    .common = SL_COMMON_REPORT | SL_COMMON_PAGE | SL_COMMON_JOBS,
    .values_bytes = sizeof(sl_run_options),
    .defaults = &defaults,
    .least_operands = 1,
    .most_operands = 64,
    .operand = "something to run ('-- ./app', a workload, a PTX file or LLVM IR)",
    .takes_program = true,
    .examples = run_examples,
    .run = run_any,
};

const sl_command sl_cmd_trace = {
    .name = "trace",
    .summary = "record what the warps of a GPU program did",
    .usage = "-o FILE [options] (-- PROGRAM [ARG...] | WORKLOAD [NAME=VALUE...] | FILE)",
    .description =
        "Runs a GPU program as 'sluice run' does and records what each warp executed and touched, for every later "
        "analysis.\n\n" WHAT_RUNS,
    .options = trace_options,
    .more_options = run_options,
    .common = (SL_COMMON_REPORT & ~SL_COMMON_OUTPUT) | SL_COMMON_JOBS,
    .values_bytes = sizeof(sl_run_options),
    .defaults = &defaults,
    .least_operands = 1,
    .most_operands = 64,
    .operand = "something to run ('-- ./app', a workload, a PTX file or LLVM IR)",
    .takes_program = true,
    .examples = trace_examples,
    .run = trace_any,
};
