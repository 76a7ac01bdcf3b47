/* SPDX-License-Identifier: MIT */
#include "tune/program_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "tune/line_file.h"

#define AT(kind, field)                                                                                                \
    {                                                                                                                  \
        SL_LINE_##kind, offsetof(sl_program_results, field)                                                            \
    }
#define OF_KERNEL(kind, field)                                                                                         \
    {                                                                                                                  \
        SL_LINE_##kind, offsetof(sl_timed_program_kernel, field)                                                       \
    }
static const sl_line_format lines[] = {
    {"applied", {AT(U64, applied)}, 0, 0},
    {"texts", {AT(U64, texts)}, 0, 0},
    {"refused", {AT(TEXT, refused)}, 0, 0},
    {"kernel",
     {OF_KERNEL(U64, launches), OF_KERNEL(DOUBLE, ns), OF_KERNEL(U64, longest), OF_KERNEL(DOUBLE, longest_ns),
      OF_KERNEL(U64, number), OF_KERNEL(TEXT, name)},
     sizeof(sl_timed_program_kernel),
     offsetof(sl_program_results, kernels)},
    {"untuned", {{SL_LINE_TEXT, 0}}, sizeof(char *), offsetof(sl_program_results, untuned)},
    {"untimed", {AT(U64, untimed)}, 0, 0},
    {"copies", {AT(U64, copies), AT(U64, bytes), AT(HASH, hash)}, 0, 0},
    {0},
};
#undef AT
#undef OF_KERNEL

void sl_program_results_fini(sl_program_results *results)
{
    sl_lines_free(lines, results);
    *results = (sl_program_results){0};
}

bool sl_program_results_launch(sl_program_results *results, const char *kernel, double ns)
{
    uint64_t number = results->untimed;
    for (size_t i = 0; i < results->kernels.count; i++)
        number += results->kernels.items[i].launches;
    for (size_t i = 0; i < results->kernels.count; i++) {
        sl_timed_program_kernel *known = &results->kernels.items[i];
        if (strcmp(known->name, kernel))
            continue;
        if (ns > known->longest_ns) {
            known->longest = known->launches;
            known->longest_ns = ns;
            known->number = number;
        }
        known->launches++;
        known->ns += ns;
        return true;
    }
    char *name = strdup(kernel);
    if (name && sl_array_push(&results->kernels, (sl_timed_program_kernel){name, 1, ns, 0, ns, number}))
        return true;
    free(name);
    return false;
}

void sl_program_results_untuned(sl_program_results *results, const char *kernel, const char *reason)
{
    char *text;
    if (asprintf(&text, "%s: %s", kernel, reason) >= 0 && !sl_array_push(&results->untuned, text))
        free(text);
}

void sl_program_results_copy(sl_program_results *results, const void *data, size_t bytes)
{
    results->hash = sl_hash_mix(results->hash ^ sl_hash64_bulk(data, bytes));
    results->copies++;
    results->bytes += bytes;
}

double sl_program_results_time(const sl_program_results *results, const char *kernel)
{
    double ns = 0;
    for (size_t i = 0; i < results->kernels.count; i++)
        if (!kernel || !strcmp(results->kernels.items[i].name, kernel))
            ns += results->kernels.items[i].ns;
    return ns;
}

bool sl_program_results_write(const sl_program_results *results, const char *path)
{
    return sl_lines_write(lines, results, path);
}

sl_status sl_program_results_read(const char *path, sl_program_results *results, sl_error *error)
{
    *results = (sl_program_results){0};
    sl_status status = sl_lines_read(lines, path, false, results, error);
    if (status)
        sl_program_results_fini(results);
    return status;
}

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
