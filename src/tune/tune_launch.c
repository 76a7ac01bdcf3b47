/* SPDX-License-Identifier: MIT */
#include "tune/tune_launch.h"

sl_status sl_time_launch_on_gpu(sl_device_kernel *kernel, const sl_device_launch *launch,
                                const sl_gpu_timer_options *options, const sl_rank_options *rank,
                                sl_timed_launch *visited, sl_visit_launch visit, void *context, sl_error *error)
{
    sl_gpu_timer *timer = NULL;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status =
        rank ? sl_rank_launch(kernel, launch, visited->graph, rank, &arena, &visited->ranking, error) : SL_OK;
    if (!status)
        status = sl_gpu_timer_create(kernel, launch, visited->graph, options, &timer, error);
    if (!status) {
        visited->timer = sl_gpu_timer_interface(timer);
        visited->repeats = sl_gpu_timer_repeats(timer);
        sl_gpu_timer_base(timer, &visited->too_short);
        status = visit(context, visited, error);
        sl_status last = sl_gpu_timer_destroy(timer, status ? NULL : error);
        status = status ? status : last;
    }
    sl_arena_fini(&arena);
    return status;
}

/* The plan of this code, which begins empty. */
static sl_plan *plan_of(sl_tuning_result *result, const sl_timed_launch *launch, const char *form, uint64_t code_hash,
                        const sl_tuner_options *options, const sl_selector *selector)
{
    sl_plan_list *list = &result->plans;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->plan[i].code_hash == code_hash)
            return &list->plan[i];
    sl_plan *plan = sl_plan_list_add(list);
    if (!plan)
        return NULL;
    plan->form = form;
    plan->code_hash = code_hash;
    plan->select = selector->name;
    plan->thresh1 = options->thresh1;
    plan->thresh2 = options->thresh2;
    plan->weight = options->weight;
    plan->code = sl_arena_strdup(&plan->arena, launch->code);
    if (options->rank_only)
        return plan->code ? plan : NULL;
    plan->timer = sl_arena_strdup(&plan->arena, launch->timer->name);
    plan->unit = sl_arena_strdup(&plan->arena, launch->timer->unit);
    return plan->code && plan->timer && plan->unit ? plan : NULL;
}

static sl_status add_row(sl_tuning_result *result, sl_arena *arena, const sl_timed_launch *launch,
                         const sl_tuner *tuner, const sl_selector *selector, const sl_tuned *tuned, sl_error *error)
{
    double base = tuned->timing.base ? tuned->timing.base : tuner->base;
    const sl_tuned_kernel row = {.kernel = sl_arena_strdup(arena, launch->kernel),
                                 .launch = launch->launch,
                                 .launches = launch->launches,
                                 .loads = launch->graph->loads,
                                 .groups = sl_load_groups_of_loads(launch->graph),
                                 .chosen = tuned->chosen,
                                 .selector = selector,
                                 .base = base,
                                 .time = tuned->timing.time ? tuned->timing.time : base,
                                 .gain = tuned->timing.gain,
                                 .gain_spread = tuned->timing.spread,
                                 .noise = tuner->noise,
                                 .verdict = sl_arena_strdup(arena, tuned->verdict),
                                 .repeats = launch->repeats,
                                 .too_short = launch->too_short};
    bool added = row.kernel && row.verdict && sl_array_push(&result->kernels, row);
    return added ? SL_OK : sl_fail_memory(error);
}

sl_status sl_tune_launch(const sl_timed_launch *launch, const char *form, uint64_t code_hash,
                         const sl_tuner_options *options, const sl_selector *const *selector, size_t selectors,
                         sl_tuning_result *result, sl_error *error)
{
    sl_plan *plan = plan_of(result, launch, form, code_hash, options, selector[0]);
    sl_tuner_options of_code = *options;
    sl_tuner tuner;
    of_code.code_hash = code_hash;
    of_code.ranking = launch->ranking.text ? &launch->ranking : NULL;
    if (!plan)
        return sl_fail_memory(error);
    sl_status status = sl_tuner_init(&tuner, launch->graph, launch->timer, &of_code, error);
    if (status)
        return status;
    for (size_t i = 0; i < selectors && !status; i++) {
        sl_tuned tuned;
        status = sl_tune(&tuner, selector[i], &tuned, error);
        if (!status && i == 0)
            status = sl_plan_add(plan, &tuner, launch->kernel, &tuned, error);
        if (!status)
            status = add_row(result, &plan->arena, launch, &tuner, selector[i], &tuned, error);
    }
    sl_tuner_fini(&tuner);
    return status;
}

void sl_tuning_result_fini(sl_tuning_result *result)
{
    sl_array_free(&result->kernels);
    sl_plan_list_fini(&result->plans);
}
