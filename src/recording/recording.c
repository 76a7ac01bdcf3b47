/* SPDX-License-Identifier: MIT */
#include "recording/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "emu/emu.h"
#include "trace/count.h"
#include "trace/format.h"
#include "trace/kernel_filter.h"
#include "trace/launch_progress.h"

/* ---- running ---- */

/* Counts failed launches and forwards them. */
typedef struct launch_observer {
    const sl_record_options *options;
    sl_run_end *end;
} launch_observer;

static sl_status on_launch(void *context, const sl_launch_result *result, sl_error *error)
{
    launch_observer *l = context;
    l->end->failed += result->launch->failed;
    return l->options->launch_done ? l->options->launch_done(l->options->launch_context, result, error) : SL_OK;
}

static sl_status emulate(const sl_input *input, const sl_record_options *o, sl_recorder *recorder, sl_run_end *end,
                         sl_error *error)
{
    sl_emu_config emu = {.settings = o->settings,
                         .cubin = &input->cubin,
                         .sink = sl_recorder_sink(recorder),
                         .progress = o->progress,
                         .print = o->print};
    sl_device *device = NULL;
    sl_progress_phase(o->progress, o->trace_path ? "recording" : "running");
    sl_status status = sl_device_open("emu", &(sl_device_config){.emu = &emu}, &device, error);
    if (!status)
        status = sl_input_run(input, device, o->check, &end->workload, error);
    sl_device_close(device); /* before the recorder: it holds the recorder's sink */
    return status;
}

sl_status sl_input_emulate(const sl_input *input, const sl_record_options *o, sl_run_end *result, sl_error *error)
{
    sl_run_end unseen, *end = result ? result : &unseen;
    launch_observer l = {o, end};
    *end = (sl_run_end){0};
    if (input->kind == SL_INPUT_TRACE)
        return sl_fail(error, SL_INVALID, "%s is a trace, which cannot be run", input->spec.name);
    if (input->kind == SL_INPUT_PROGRAM)
        return o->start_program ? o->start_program(o->program_context, input, o, end, error)
                                : sl_fail(error, SL_UNSUPPORTED, "CUDA programs cannot be run here");
    const sl_recorder_config config = {.filter = &o->filter,
                                       .count = o->count,
                                       .count_options = {.footprint = true, .no_shared = o->no_shared},
                                       .trace_path = o->trace_path,
                                       .producer = o->producer,
                                       .zstd_level = o->zstd_level,
                                       .durable = o->durable,
                                       .writes_aside = o->settings.threads != 1 && o->zstd_level != SL_LEVEL_TEMPORARY,
                                       .launch_done = on_launch,
                                       .context = &l};
    sl_recorder *recorder = NULL;
    uint64_t before = sl_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    sl_status status = sl_recorder_create(&config, &recorder, error);
    if (status)
        return status;
    if (input->kind == SL_INPUT_FOREIGN)
        sl_progress_phase(o->progress, "importing");
    if (input->kind == SL_INPUT_FOREIGN)
        status = sl_import(input->spec.name, sl_recorder_sink(recorder), o->progress, error);
    else
        status = emulate(input, o, recorder, end, error);
    end->writing_ns = sl_recorder_writing_ns(recorder);
    end->emulation_ns = end->calls_ns = sl_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
    const char *unmatched = status ? NULL : sl_recorder_unmatched(recorder);
    if (unmatched) {
        status = sl_filter_unmatched(&o->filter, unmatched, error);
        sl_recorder_abandon(recorder);
        return status;
    }
    if (!status)
        return sl_recorder_finish(recorder, error);
    /* A failed launch is part of the run: it is in the trace and in reports. */
    if (status == SL_FAULT || status == SL_LIMIT)
        sl_recorder_finish(recorder, NULL);
    else
        sl_recorder_abandon(recorder);
    return status;
}

/* ---- traces ---- */

static sl_status choose_launches(sl_recording *r, const sl_trace_filter *filter, sl_error *error)
{
    static const sl_trace_filter everything = {0};
    const sl_trace_filter *f = filter ? filter : &everything;
    sl_kernel_filter kernels;
    sl_launch_set among;
    sl_status status = sl_launch_set_parse(f->launches, &among, error);
    if (!status)
        status = sl_kernel_filter_init(&kernels, f->kernel_regex, error);
    if (status)
        return status;
    uint32_t all = sl_trace_launches(r->trace);
    r->launch = calloc(all + 1u, sizeof *r->launch);
    for (uint32_t n = 0; r->launch && n < all; n++) {
        const sl_trace_launch *launch = sl_trace_launch_at(r->trace, n);
        const sl_trace_kernel *kernel = sl_trace_kernel_at(r->trace, launch->kernel);
        if (sl_launch_set_has(&among, launch->index) && sl_kernel_matches(&kernels, kernel->symbol, kernel->name))
            r->launch[r->launches++] = n;
    }
    sl_kernel_filter_fini(&kernels);
    if (!r->launch)
        return sl_fail_memory(error);
    char others[SL_KERNEL_LIST] = "";
    for (uint32_t n = 0; n < all && !r->launches; n++)
        sl_kernel_list_add(others, sl_trace_kernel_at(r->trace, sl_trace_launch_at(r->trace, n)->kernel)->name);
    return *others ? sl_filter_unmatched(f, others, error) : SL_OK;
}

sl_status sl_recording_open(const char *path, const sl_trace_filter *filter, const char *spill, sl_recording *recording,
                            sl_error *error)
{
    *recording = (sl_recording){0};
    sl_status status = sl_trace_open(path, &recording->trace, &recording->damage, error);
    if (!status)
        status = sl_trace_spill(recording->trace, spill, error);
    if (!status && filter)
        sl_trace_limit_blocks(recording->trace, filter->blocks);
    if (!status)
        status = choose_launches(recording, filter, error);
    if (status)
        sl_recording_close(recording);
    return status;
}

/* An open trace can be unlinked. */
static sl_status record_temporary(const sl_input *input, const sl_record_options *options, sl_recording *recording,
                                  sl_error *error)
{
    char path[1100], next[1200];
    sl_record_options o = *options;
    sl_run_end end;
    o.trace_path = path;
    o.zstd_level = SL_LEVEL_TEMPORARY;
    snprintf(path, sizeof path, "%s/recording.slt", options->scratch);
    sl_status status = sl_input_emulate(input, &o, &end, error);
    if (!status && end.traces > 1)
        status = sl_fail(
            error, SL_UNSUPPORTED,
            "%u processes of %s launched kernels; choose one with --process N (1 to %u), or record all of them with "
            "'sluice trace'",
            end.traces, input->spec.name, end.traces);
    if (!status && input->kind == SL_INPUT_PROGRAM && !end.traces)
        status = sl_fail(error, SL_NOT_FOUND, end.problems ? "nothing was recorded of %s" : "%s launched no kernel",
                         input->spec.name);
    if (!status)
        status = sl_recording_open(path, &options->filter, options->spill, recording, error);
    if (!status)
        recording->end = end;
    unlink(path);
    for (uint32_t i = 1; i < end.traces; i++) {
        snprintf(next, sizeof next, "%s.%u", path, i);
        unlink(next);
    }
    return status;
}

sl_status sl_record(const sl_input *input, const sl_record_options *options, sl_recording *recording, sl_error *error)
{
    *recording = (sl_recording){0};
    sl_status status = input->kind == SL_INPUT_TRACE
                           ? sl_recording_open(input->spec.name, &options->filter, options->spill, recording, error)
                           : record_temporary(input, options, recording, error);
    recording->input = input;
    return status;
}

void sl_recording_select_part(sl_recording *r, uint32_t part, uint32_t parts)
{
    double all = 0, before = 0;
    uint32_t kept = 0;
    for (uint32_t n = 0; n < r->launches; n++)
        all += (double)sl_launch_work(r->trace, r->launch[n]);
    for (uint32_t n = 0; n < r->launches; n++) {
        double work = (double)sl_launch_work(r->trace, r->launch[n]), middle = before + work / 2;
        if ((uint32_t)(middle / all * parts) == part)
            r->launch[kept++] = r->launch[n];
        before += work;
    }
    r->launches = kept;
}

void sl_recording_close(sl_recording *recording)
{
    free(recording->launch);
    sl_trace_close(recording->trace);
    *recording = (sl_recording){0};
}

sl_status sl_recording_count(const sl_recording *recording, uint32_t launch, sl_pool *pool, sl_counts *total,
                             sl_error *error)
{
    sl_launch_counter *counter;
    sl_launch_counts counts;
    sl_error damage;
    sl_status status =
        sl_trace_count_launch(recording->trace, launch, &(sl_count_options){0}, pool, &counter, &damage, error);
    if (status)
        return status;
    status = sl_launch_counter_result(counter, &counts, error);
    if (!status)
        *total = counts.total;
    sl_launch_counter_destroy(counter);
    return status;
}
