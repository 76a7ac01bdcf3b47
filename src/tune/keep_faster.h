/* SPDX-License-Identifier: MIT */
/* Compares a whole program with and without its plans, on a GPU or on the simulator, and reverts what does not pay:
 * caches reach a kernel with what the kernels before it left there, so that a plan may be faster for its launch alone.
 */
#ifndef SL_TUNE_KEEP_FASTER_H
#define SL_TUNE_KEEP_FASTER_H

#include "tune/program_results.h"

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
