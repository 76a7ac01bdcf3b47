/* SPDX-License-Identifier: MIT */
#include "report/count_log.h"

#include "trace/count_trace.h"

sl_status sl_count_log_add(sl_launch_log *log, const sl_trace *trace, uint32_t n, bool count, sl_pool *pool,
                           sl_error *damage, sl_error *error)
{
    const sl_trace_launch *launch = sl_trace_launch_at(trace, n);
    sl_launch_result result = {
        .index = launch->index,
        .kernel = sl_trace_kernel_at(trace, launch->kernel),
        .launch = launch,
        .trace_bytes = sl_trace_launch_bytes(trace, n),
    };
    sl_launch_counter *counter;
    sl_launch_counts counts;
    sl_error found;
    if (!count)
        return sl_launch_log_add(log, &result, error);
    sl_status status =
        sl_trace_count_launch(trace, n, &(sl_count_options){.footprint = true}, pool, &counter, &found, error);
    if (status)
        return status;
    if (found.status && !damage->status)
        *damage = found;
    const sl_trace_range *range = NULL;
    size_t ranges = sl_trace_ranges(trace, n, &range);
    sl_launch_counter_allocations(counter, range, ranges);
    status = sl_launch_counter_result(counter, &counts, error);
    result.counts = &counts;
    if (!status)
        status = sl_launch_log_add(log, &result, error);
    sl_launch_counter_destroy(counter);
    return status;
}

sl_status sl_count_log(const sl_recording *recording, sl_pool *pool, sl_launch_log *log, sl_error *error)
{
    sl_status status = SL_OK;
    sl_error damage = {0};
    for (uint32_t i = 0; i < recording->launches && !status; i++)
        status = sl_count_log_add(log, recording->trace, recording->launch[i], true, pool, &damage, error);
    return status;
}
