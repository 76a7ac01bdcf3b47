/* SPDX-License-Identifier: MIT */
/* What a program did that `sluice run --plan` or `sluice tune` watched, on a GPU (src/interpose) or on the emulator
 * (src/process): a file of lines (line_file.h).
 *
 *   applied COUNT                      code was exchanged; so many accesses and settings are changed
 *   refused REASON                     the plan could not be applied
 *   texts COUNT                        PTX texts that were looked at
 *   kernel LAUNCHES NANOSECONDS LONGEST NANOSECONDS NUMBER NAME
 *                                      time of all launches of a kernel; which of them took longest, its time, and
 *                                      its number among all launches
 *   untuned REASON                      a kernel that was not tuned, and why
 *   untimed LAUNCHES                   launches inside of graphs, or whose events failed
 *   copies COUNT BYTES HASH            copies to the host, all in order
 *
 * Both sides use this module. */
#ifndef SL_TUNE_PROGRAM_RESULTS_H
#define SL_TUNE_PROGRAM_RESULTS_H

#include "base/array.h"
#include "tune/plan.h"

typedef struct sl_timed_program_kernel {
    char *name;
    uint64_t launches;
    double ns;        /* on the simulator: cycles */
    uint64_t longest; /* of these launches, counted from 0 */
    double longest_ns;
    uint64_t number; /* of that launch among all of the program, as 'sluice run' has it */
} sl_timed_program_kernel;

typedef struct sl_program_results {
    uint64_t applied, texts;  /* accesses and settings changed; PTX texts seen */
    char *refused;            /* NULL: no */
    SL_ARRAY(char *) untuned; /* "KERNEL: REASON" */
    SL_ARRAY(sl_timed_program_kernel) kernels;
    uint64_t untimed; /* launches that are in none of them */
    uint64_t copies, bytes, hash;
} sl_program_results;

void sl_program_results_fini(sl_program_results *results);
/* Adds a launch of a kernel; false when memory runs out. */
bool sl_program_results_launch(sl_program_results *results, const char *kernel, double ns);
/* Notes a kernel that could not be tuned. */
void sl_program_results_untuned(sl_program_results *results, const char *kernel, const char *reason);
/* Adds bytes that came to the host. */
void sl_program_results_copy(sl_program_results *results, const void *data, size_t bytes);
/* Of all kernels, or of one where `kernel` is not NULL. */
double sl_program_results_time(const sl_program_results *results, const char *kernel);
bool sl_program_results_write(const sl_program_results *results, const char *path);
sl_status sl_program_results_read(const char *path, sl_program_results *results, sl_error *error);

/* Compares a whole program with and without its plans, on a GPU or on the simulator, and reverts what does not pay:
 * caches reach a kernel with what the kernels before it left there, so that a plan may be faster for its launch alone.
 */

/* Runs the program with the plans, and where that is not known yet, without. Both results stay the callee's, and valid
 * until the next call. */
typedef sl_status (*sl_run_with_plans)(void *context, const sl_plan_list *plans, const sl_program_results **before,
                                       const sl_program_results **after, sl_error *error);

/* Runs the program until the plans make no kernel slower. Kernels that are slower get their original back; all do where
 * the program as a whole is slower. `revert` false: it is run once, and nothing is reverted. *compared: the plans still
 * change something, and the last run was with them. */
sl_status sl_plans_keep_faster(sl_plan_list *plans, bool revert, sl_run_with_plans run, void *context, bool *compared,
                               sl_error *error);

/* Notes in every plan the time of all kernels of the program without and with the plans, divided by `unit`. */
void sl_plans_note_program(sl_plan_list *plans, const sl_program_results *before, const sl_program_results *after,
                           double unit);

#endif
