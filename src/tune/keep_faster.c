/* SPDX-License-Identifier: MIT */
#include "tune/keep_faster.h"

#include <string.h>

/* False: the plan did not change the kernel. */
static bool revert_kernel(sl_plan *plan, sl_plan_kernel *kernel)
{
    bool any = false;
    for (uint32_t i = 0; i < plan->loads; i++)
        if (!strcmp(plan->load[i].function, kernel->function)) {
            any |= plan->load[i].mode != 0;
            plan->load[i].mode = 0;
            plan->load[i].why = NULL;
        }
    if (any) {
        kernel->verdict = "not faster in the program: the original is kept";
        kernel->planned = kernel->gain = kernel->gain_spread = 0;
    }
    return any;
}

/* Kernels that became slower; where there are none and the program is slower, all. False: nothing was reverted. */
static bool revert_slower(sl_plan_list *plans, const sl_program_results *before, const sl_program_results *after)
{
    bool any = false, slower = sl_program_results_time(after, NULL) > sl_program_results_time(before, NULL);
    for (int all = 0; all < 2 && !any && (!all || slower); all++)
        for (uint32_t p = 0; p < plans->count; p++)
            for (uint32_t k = 0; k < plans->plan[p].kernels; k++) {
                sl_plan_kernel *kernel = &plans->plan[p].kernel[k];
                if (all || sl_program_results_time(after, kernel->function) >
                               sl_program_results_time(before, kernel->function))
                    any |= revert_kernel(&plans->plan[p], kernel);
            }
    return any;
}

sl_status sl_plans_keep_faster(sl_plan_list *plans, bool revert, sl_run_with_plans run, void *context, bool *compared,
                               sl_error *error)
{
    sl_status status = SL_OK;
    const sl_program_results *before, *after;
    while ((*compared = sl_plan_list_chosen(plans) != 0) && !status) {
        status = run(context, plans, &before, &after, error);
        if (status || !revert || !revert_slower(plans, before, after))
            break;
    }
    return status;
}

void sl_plans_note_program(sl_plan_list *plans, const sl_program_results *before, const sl_program_results *after,
                           double unit)
{
    for (uint32_t i = 0; i < plans->count; i++) {
        plans->plan[i].program_before = sl_program_results_time(before, NULL) / unit;
        plans->plan[i].program_after = sl_program_results_time(after, NULL) / unit;
    }
}
