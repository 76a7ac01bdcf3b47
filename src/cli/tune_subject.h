/* What tune and measure work on: a built-in workload, or a PTX file with a launch. */
#ifndef SL_CLI_TUNE_SUBJECT_H
#define SL_CLI_TUNE_SUBJECT_H

#include "cli/run_source.h"
#include "device/device.h"
#include "workloads/workload.h"

typedef struct sl_subject {
    const sl_run_options *options;
    const sl_workload *workload; /* NULL: a PTX file */
    sl_workload_options wishes;
    const char *name; /* the operand */
    const char *ptx;  /* its code */
    size_t ptx_length;
    char *owned;     /* NULL: the code is the workload's */
    char input[512]; /* all that decides about its data, in a line */
} sl_subject;

/* Says what is wrong with the command line by sl_cli_usage or sl_cli_fail; returns the exit code. On failure there is
 * nothing to close. */
int sl_subject_open(sl_subject *subject, const sl_invocation *inv, const sl_run_options *options);
void sl_subject_close(sl_subject *subject);
/* Runs the host on a device, whose hooks see the launches. `check`: a workload compares its result with the CPU. */
sl_status sl_subject_run(const sl_subject *subject, sl_device *device, bool check, sl_error *error);

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
