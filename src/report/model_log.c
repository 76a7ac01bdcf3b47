/* SPDX-License-Identifier: MIT */
#include "report/model_log.h"

static sl_status model_launch(const sl_machine *machine, const sl_model_options *options, const sl_trace *trace,
                              uint32_t n, sl_pool *pool, const sl_progress *progress, sl_launch_log *log,
                              sl_error *error)
{
    sl_loaded *loaded = NULL;
    sl_model_result result = {0};
    sl_status status = sl_loaded_create(trace, n, pool, &loaded, error);
    if (!status)
        status = sl_model_loaded(machine, loaded, options, pool, progress, &result, error);
    if (!status) {
        const sl_trace_launch *launch = sl_trace_launch_at(trace, n);
        sl_launch_result logged = {
            .index = launch->index,
            .kernel = sl_trace_kernel_at(trace, launch->kernel),
            .launch = launch,
            .counts = &result.counts,
        };
        status = sl_launch_log_add(log, &logged, error);
    }
    sl_model_result_fini(&result);
    sl_loaded_destroy(loaded);
    return status;
}

sl_status sl_model_log(const sl_recording *recording, const sl_machine *machine, const sl_model_options *options,
                       sl_pool *pool, const sl_progress *progress, sl_launch_log *log, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t n = 0; n < recording->launches && !status; n++) {
        sl_launch_phase(progress, "modelling", n, recording->launches, recording->trace, recording->launch[n]);
        status = model_launch(machine, options, recording->trace, recording->launch[n], pool, progress, log, error);
    }
    sl_progress_update(progress, "launches", 1, 1);
    return status;
}
