/* SPDX-License-Identifier: MIT */
#include "study/tuning.h"

#include "study/input_plan.h"

typedef struct tuning {
    const sl_timed_kernels *kernels;
    sl_tuner_options options;
    const sl_selector *const *selector;
    size_t selectors;
    sl_tuning_result *result;
} tuning;

static sl_status add_row(const tuning *t, const sl_timed_launch *launch, const sl_tuner *tuner,
                         const sl_selector *selector, const sl_tuned *tuned, sl_error *error)
{
    sl_arena *arena = &t->result->plan.arena;
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
    bool added = row.kernel && row.verdict && sl_array_push(&t->result->kernels, row);
    return added ? SL_OK : sl_fail_memory(error);
}

static sl_status tune_kernel(const tuning *t, const sl_timed_launch *launch, sl_tuner *tuner, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < t->selectors && !status; i++) {
        sl_tuned tuned;
        status = sl_tune(tuner, t->selector[i], &tuned, error);
        if (!status && i == 0)
            status = sl_plan_add(&t->result->plan, tuner, launch->kernel, &tuned, error);
        if (!status)
            status = add_row(t, launch, tuner, t->selector[i], &tuned, error);
    }
    return status;
}

static sl_status visit(void *context, const sl_timed_launch *launch, sl_error *error)
{
    tuning *t = context;
    sl_plan *plan = &t->result->plan;
    sl_tuner tuner;
    sl_status status = SL_OK;
    if (!plan->code_hash && launch->module)
        status = sl_input_hash(t->kernels->input, launch->module, &plan->code_hash, error);
    else if (!plan->code_hash)
        plan->code_hash = sl_recording_hash(t->kernels->recording);
    if (status)
        return status;
    if (!plan->timer) {
        plan->timer = sl_arena_strdup(&plan->arena, launch->timer->name);
        plan->unit = sl_arena_strdup(&plan->arena, launch->timer->unit);
    }
    t->options.code_hash = plan->code_hash;
    status = sl_tuner_init(&tuner, launch->graph, launch->timer, &t->options, error);
    if (!status) {
        status = tune_kernel(t, launch, &tuner, error);
        sl_tuner_fini(&tuner);
    }
    return status;
}

sl_status sl_tune_kernels(const sl_timed_kernels *kernels, const sl_tuner_options *options,
                          const sl_selector *const *selector, size_t selectors, sl_tuning_result *result,
                          sl_error *error)
{
    tuning t = {kernels, *options, selector, selectors, result};
    sl_timed_kernels timed = *kernels;
    timed.visit = visit;
    timed.context = &t;
    *result = (sl_tuning_result){0};
    sl_plan_init(&result->plan);
    result->plan.form = sl_input_form(kernels->input);
    result->plan.code = kernels->input->spec.name;
    result->plan.select = selector[0]->name;
    result->plan.thresh1 = options->thresh1;
    result->plan.thresh2 = options->thresh2;
    result->plan.weight = options->weight;
    return kernels->machine ? sl_time_on_sim(&timed, error) : sl_time_on_gpu(&timed, error);
}

void sl_tuning_result_fini(sl_tuning_result *result)
{
    sl_array_free(&result->kernels);
    sl_plan_fini(&result->plan);
}
