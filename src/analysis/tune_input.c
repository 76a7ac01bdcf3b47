/* SPDX-License-Identifier: MIT */
#include "analysis/tune_input.h"

#include "analysis/input_plan.h"

typedef struct tuning {
    const sl_timed_kernels *kernels;
    const sl_tuner_options *options;
    const sl_selector *const *selector;
    size_t selectors;
    sl_tuning_result *result;
} tuning;

static sl_status visit(void *context, const sl_timed_launch *launch, sl_error *error)
{
    const tuning *t = context;
    const sl_input *input = t->kernels->input;
    uint64_t hash = 0;
    sl_status status = SL_OK;
    if (launch->module)
        status = sl_input_hash(input, launch->module, &hash, error);
    else
        hash = sl_recording_hash(t->kernels->recording);
    return status ? status
                  : sl_tune_launch(launch, sl_input_form(input), hash, t->options, t->selector, t->selectors, t->result,
                                   error);
}

sl_status sl_tune_kernels(const sl_timed_kernels *kernels, const sl_tuner_options *options,
                          const sl_selector *const *selector, size_t selectors, sl_tuning_result *result,
                          sl_error *error)
{
    tuning t = {kernels, options, selector, selectors, result};
    sl_timed_kernels timed = *kernels;
    timed.rank = !options->replay;
    timed.seconds = options->seconds;
    timed.visit = visit;
    timed.context = &t;
    *result = (sl_tuning_result){0};
    return kernels->machine ? sl_time_on_sim(&timed, error) : sl_time_on_gpu(&timed, error);
}
