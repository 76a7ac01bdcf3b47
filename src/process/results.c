/* SPDX-License-Identifier: MIT */
/* Gives the emulator a recorder, and writes what it reports to this process's results file. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/new_file.h"
#include "process/results_file.h"
#include "trace/recorder.h"

struct sl_proc_results {
    sl_recorder *recorder;
    sl_results_writer *writer; /* NULL: nobody reads results, only a trace is wanted */
};

static sl_status launch_done(void *context, const sl_launch_result *result, sl_error *error)
{
    sl_proc_results *results = context;
    return results->writer ? sl_results_write(results->writer, result, error) : SL_OK;
}

/* Further processes write to files of their own. A device takes the traces of all, a pipe that of the first. */
static sl_status find_trace_path(const char *trace, uint32_t number, char *path, size_t size, sl_error *error)
{
    sl_output_kind kind = SL_OUTPUT_REPLACED;
    sl_status status = sl_output_decide(trace, &kind, NULL, error);
    if (!status && number && kind == SL_OUTPUT_PIPE)
        status = sl_fail(error, SL_UNSUPPORTED,
                         "%s is a pipe, which takes the trace of one process; give the name of a file", trace);
    sl_results_trace_path(trace, kind == SL_OUTPUT_DEVICE ? 0 : number, path, size);
    return status;
}

sl_status sl_proc_results_open(sl_proc *rt, const sl_launch_sink **sink, sl_error *error)
{
    if (rt->results) { /* after cudaDeviceReset: the device is new, the run continues */
        *sink = sl_recorder_sink(rt->results->recorder);
        return SL_OK;
    }
    *sink = NULL;
    if (!*rt->options.results && !*rt->options.trace)
        return SL_OK;
    sl_proc_results *results = calloc(1, sizeof *results);
    if (!results)
        return sl_fail_memory(error);
    char path[1100];
    uint32_t number = 0;
    sl_trace_filter filter = sl_proc_options_filter(&rt->options);
    sl_status status = SL_OK;
    if (*rt->options.results)
        status = sl_results_writer_create(rt->options.results, &results->writer, &number, error);
    if (!status && *rt->options.trace)
        status = find_trace_path(rt->options.trace, number, path, sizeof path, error);
    const sl_recorder_config config = {
        .filter = &filter,
        .count = rt->options.counters,
        .count_options = {.footprint = rt->options.counters, .no_shared = rt->options.no_shared},
        .trace_path = *rt->options.trace ? path : NULL,
        .producer = rt->options.producer,
        .zstd_level = (int)rt->options.zstd_level,
        .launch_done = launch_done,
        .context = results};
    if (!status)
        status = sl_recorder_create(&config, &results->recorder, error);
    if (status) {
        sl_results_writer_close(results->writer, false);
        free(results);
        return status;
    }
    rt->results = results;
    *sink = sl_recorder_sink(results->recorder);
    return SL_OK;
}

uint64_t sl_proc_results_launches(const sl_proc *rt)
{
    return rt->results ? sl_recorder_launches(rt->results->recorder) : 0;
}

void sl_proc_results_forget_kernels(sl_proc *rt)
{
    if (rt->results && rt->results->writer)
        sl_results_forget_kernels(rt->results->writer);
}

/* `now_ns`: of the call that has not ended. */
static void write_times(sl_proc *rt, uint64_t writing_ns, uint64_t now_ns)
{
    uint64_t helpers = sl_emu_helpers_cpu_ns(rt->emu);
    const sl_cpu_times spent = {.calls_ns = rt->spent.calls_ns + helpers + now_ns,
                                .emulation_ns = rt->spent.emulation_ns + helpers,
                                .writing_ns = writing_ns};
    if (rt->results->writer)
        sl_results_times(rt->results->writer, &spent);
}

void sl_proc_results_interrupted(sl_proc *rt)
{
    if (rt->results)
        write_times(rt, sl_recorder_writing_ns(rt->results->recorder), sl_thread_cpu_ns() - rt->entered_ns);
}

void sl_proc_results_close(sl_proc *rt)
{
    sl_error error = {0};
    if (*rt->options.planned && !sl_program_results_write(&rt->planned, rt->options.planned))
        sl_proc_problem(rt, "%s cannot be written", rt->options.planned);
    if (!rt->results)
        return;
    if (*rt->options.results && sl_recorder_unmatched(rt->results->recorder))
        sl_results_unmatched(rt->options.results, sl_recorder_unmatched(rt->results->recorder));
    uint64_t writing = sl_recorder_writing_ns(rt->results->recorder);
    if (sl_recorder_finish(rt->results->recorder, &error))
        sl_proc_problem(rt, "%s", error.text);
    write_times(rt, writing, 0);
    sl_results_writer_close(rt->results->writer, true);
    free(rt->results);
    rt->results = NULL;
    rt->fault = cudaErrorCudartUnloading; /* there is no observer: nothing may be launched */
}
