/* SPDX-License-Identifier: MIT */
#include "study/tuning.h"

#include "study/input_plan.h"

typedef struct tuning {
    const sl_timed_kernels *kernels;
    const sl_tuner_options *options;
    const sl_selector *const *selector;
    size_t selectors;
    sl_tuning_result *result;
} tuning;

static sl_status add_row(sl_tuning_result *result, const sl_timed_launch *launch, const sl_tuner *tuner,
                         const sl_selector *selector, const sl_tuned *tuned, sl_error *error)
{
    sl_arena *arena = &result->plan.arena;
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

sl_status sl_tune_launch(const sl_timed_launch *launch, uint64_t code_hash, const sl_tuner_options *options,
                         const sl_selector *const *selector, size_t selectors, sl_tuning_result *result,
                         sl_error *error)
{
    sl_plan *plan = &result->plan;
    sl_tuner_options of_code = *options;
    sl_tuner tuner;
    plan->code_hash = of_code.code_hash = code_hash;
    if (!plan->timer) {
        plan->timer = sl_arena_strdup(&plan->arena, launch->timer->name);
        plan->unit = sl_arena_strdup(&plan->arena, launch->timer->unit);
    }
    sl_status status = sl_tuner_init(&tuner, launch->graph, launch->timer, &of_code, error);
    if (status)
        return status;
    for (size_t i = 0; i < selectors && !status; i++) {
        sl_tuned tuned;
        status = sl_tune(&tuner, selector[i], &tuned, error);
        if (!status && i == 0)
            status = sl_plan_add(plan, &tuner, launch->kernel, &tuned, error);
        if (!status)
            status = add_row(result, launch, &tuner, selector[i], &tuned, error);
    }
    sl_tuner_fini(&tuner);
    return status;
}

static sl_status visit(void *context, const sl_timed_launch *launch, sl_error *error)
{
    const tuning *t = context;
    uint64_t hash = t->result->plan.code_hash;
    sl_status status = SL_OK;
    if (!hash && launch->module)
        status = sl_input_hash(t->kernels->input, launch->module, &hash, error);
    else if (!hash)
        hash = sl_recording_hash(t->kernels->recording);
    return status ? status : sl_tune_launch(launch, hash, t->options, t->selector, t->selectors, t->result, error);
}

void sl_tuning_result_init(sl_tuning_result *result, const char *form, const char *code,
                           const sl_tuner_options *options, const sl_selector *selector)
{
    *result = (sl_tuning_result){0};
    sl_plan_init(&result->plan);
    result->plan.form = form;
    result->plan.code = code;
    result->plan.select = selector->name;
    result->plan.thresh1 = options->thresh1;
    result->plan.thresh2 = options->thresh2;
    result->plan.weight = options->weight;
}

sl_status sl_tune_kernels(const sl_timed_kernels *kernels, const sl_tuner_options *options,
                          const sl_selector *const *selector, size_t selectors, sl_tuning_result *result,
                          sl_error *error)
{
    tuning t = {kernels, options, selector, selectors, result};
    sl_timed_kernels timed = *kernels;
    timed.visit = visit;
    timed.context = &t;
    sl_tuning_result_init(result, sl_input_form(kernels->input), kernels->input->spec.name, options, selector[0]);
    return kernels->machine ? sl_time_on_sim(&timed, error) : sl_time_on_gpu(&timed, error);
}

void sl_tuning_result_fini(sl_tuning_result *result)
{
    sl_array_free(&result->kernels);
    sl_plan_fini(&result->plan);
}
