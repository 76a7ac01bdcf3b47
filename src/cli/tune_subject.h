/* SPDX-License-Identifier: MIT */
/* What tune and measure work on: a built-in workload, a PTX file with a launch, or LLVM IR with a launch or with a
 * workload whose host launches it. */
#ifndef SL_CLI_TUNE_SUBJECT_H
#define SL_CLI_TUNE_SUBJECT_H

#include "bypass/load.h"
#include "cli/llvm_file.h"
#include "cli/run_source.h"
#include "device/device.h"
#include "workloads/workload.h"

typedef struct sl_subject {
    const sl_run_options *options;
    const sl_workload *workload; /* NULL: a file with a launch */
    sl_workload rehosted;        /* what `workload` points to, with the code of LLVM IR */
    sl_workload_options wishes;
    const char *name; /* the operand */
    const char *ptx;  /* its code, or what LLVM IR became: lines are then numbers of loads */
    size_t ptx_length;
    char *owned;     /* NULL: the code is the workload's */
    sl_llvm_file ir; /* zero: it is no LLVM IR */
    sl_load_graph ir_loads;
    sl_arena arena;
    char input[512]; /* all that decides about its data, in a line */
} sl_subject;

/* Says what is wrong with the command line by sl_cli_usage or sl_cli_fail; returns the exit code. On failure there is
 * nothing to close. */
int sl_subject_open(sl_subject *subject, const sl_invocation *inv, const sl_run_options *options);
void sl_subject_close(sl_subject *subject);
/* Runs the host on a device, whose hooks see the launches. `check`: a workload compares its result with the CPU. */
sl_status sl_subject_run(const sl_subject *subject, sl_device *device, bool check, sl_error *error);

/* "ptx", "llvm-ir": as plans call it. */
const char *sl_subject_form(const sl_subject *subject);
/* By which plans know its code. `module` is what its PTX was parsed to. */
sl_status sl_subject_hash(const sl_subject *subject, const sl_ptx_module *module, uint64_t *hash, sl_error *error);
/* The loads of a kernel, with groups. `sm` as sl_ptx_loads takes it. */
sl_status sl_subject_loads(const sl_subject *subject, const sl_ptx_module *module, const sl_ptx_func *kernel,
                           uint32_t sm, sl_arena *arena, sl_load_graph *graph, sl_error *error);
/* The load of that graph that an instruction of a recorded kernel belongs to; UINT32_MAX: none. */
uint32_t sl_subject_load_of(const sl_subject *subject, const sl_load_graph *graph, const sl_inst *inst);

/* The options of a subject, for the table of a command whose struct begins with an sl_run_options. */
#define SL_SUBJECT_OPTIONS                                                                                             \
    {"entry",                                                                                                          \
     0,                                                                                                                \
     SL_OPTION_STRING,                                                                                                 \
     "KERNEL",                                                                                                         \
     "PTX file: the kernel to launch (default: the only one)",                                                         \
     offsetof(sl_run_options, entry),                                                                                  \
     0,                                                                                                                \
     0,                                                                                                                \
     NULL},                                                                                                            \
        {"grid",    0,   SL_OPTION_DIMS, "X,Y,Z", "PTX file: blocks of the grid", offsetof(sl_run_options, grid), 1,   \
         INT32_MAX, NULL},                                                                                             \
        {"block", 0,   SL_OPTION_DIMS, "X,Y,Z", "PTX file: threads of a block", offsetof(sl_run_options, block), 1,    \
         1024,    NULL},                                                                                               \
        {"shared",                                                                                                     \
         0,                                                                                                            \
         SL_OPTION_BYTES,                                                                                              \
         "BYTES",                                                                                                      \
         "PTX file: dynamic shared memory",                                                                            \
         offsetof(sl_run_options, shared_bytes),                                                                       \
         0,                                                                                                            \
         0,                                                                                                            \
         NULL},                                                                                                        \
        {"arg",                                                                                                        \
         0,                                                                                                            \
         SL_OPTION_LIST,                                                                                               \
         "VALUE",                                                                                                      \
         "PTX file: a kernel argument, written as for 'sluice run'; give one for each parameter, in order",            \
         offsetof(sl_run_options, arg),                                                                                \
         0,                                                                                                            \
         0,                                                                                                            \
         NULL},                                                                                                        \
        {"size", 0, SL_OPTION_CHOICE, "SIZE", "Workload: its size (default: default)", offsetof(sl_run_options, size), \
         0,      0, sl_subject_sizes},                                                                                 \
    {                                                                                                                  \
        "seed", 0, SL_OPTION_NUMBER, "N", "Seed of generated inputs (default: 1)", offsetof(sl_run_options, seed), 0,  \
            0, NULL                                                                                                    \
    }

extern const char *const sl_subject_sizes[];

#endif
