/* SPDX-License-Identifier: MIT */
#include "cli/session.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/show_launches.h"
#include "cli/temporary.h"

/* What kernels print belongs to the program's output. */
static void print_text(void *context, const char *text, size_t length)
{
    (void)context;
    fwrite(text, 1, length, stdout);
}

/* A launch of a real GPU: all that is known of it is how long it took. */
static void log_timed(void *context, const sl_device_kernel *kernel, const sl_device_launch *launch, double nanoseconds)
{
    sl_session *session = context;
    const sl_ptx_func *func = sl_device_kernel_func(kernel);
    sl_trace_kernel named = {.symbol = func->name, .name = func->name};
    sl_trace_launch shape = {.lanes = sl_device_info_of(session->device)->lanes};
    sl_launch_stats stats = {0};
    sl_launch_counts counts = {0};
    memcpy(shape.grid, launch->grid, sizeof shape.grid);
    memcpy(shape.block, launch->block, sizeof shape.block);
    shape.blocks_recorded = stats.blocks = counts.blocks = sl_launch_blocks(&shape);
    sl_counts_add(&counts.total, SL_COUNTER_time_ns, (uint64_t)llround(nanoseconds));
    sl_launch_result result = {
        .index = sl_launch_log_count(session->log),
        .kernel = &named,
        .launch = &shape,
        .counts = &counts,
        .stats = &stats,
    };
    if (!session->late)
        session->late = sl_launch_log_add(session->log, &result, NULL);
}

static sl_status open_emulator(sl_session *session, const sl_trace_filter *filter, sl_error *error)
{
    const sl_run_options *options = session->options;
    sl_recorder_config recording = {
        .filter = filter,
        .count = true,
        .count_options = {.footprint = true},
        .trace_path = options->trace,
        .producer = session->inv->line,
        .zstd_level = (int)options->zstd_level,
        .launch_done = sl_launch_log_done,
        .context = session->log,
    };
    sl_temporary_beside(options->trace);
    sl_status status = sl_recorder_create(&recording, &session->recorder, error);
    if (status)
        return status;
    sl_emu_config emu = {
        .lanes = (uint32_t)options->lanes,
        .threads = (uint32_t)options->common.threads,
        .max_instructions = options->max_instructions,
        .check_uninit = options->check == SL_CHECK_UNINIT,
        .isa = options->isa ? sl_isa_choices[options->isa] : NULL,
        .sink = sl_recorder_sink(session->recorder),
        .print = print_text,
    };
    sl_device_config config = {.emu = &emu};
    return sl_device_open("emu", &config, &session->device, error);
}

sl_status sl_session_open(sl_session *session, const sl_invocation *inv, const sl_run_options *options,
                          const sl_trace_filter *filter, sl_error *error)
{
    *session = (sl_session){.inv = inv, .options = options};
    const char *kind = sl_device_kinds[options->on]->name;
    sl_session_describe(session, "device", kind);
    sl_status status = sl_launch_log_create(&session->log, error);
    if (status)
        return status;
    if (!strcmp(kind, "emu"))
        return open_emulator(session, filter, error);
    sl_device_config config = {.timed = log_timed, .timed_context = session};
    return sl_device_open(kind, &config, &session->device, error);
}

void sl_session_note(sl_session *session, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(session->note, sizeof session->note, format, args);
    va_end(args);
}

void sl_session_describe(sl_session *session, const char *name, const char *value)
{
    if (session->described < SL_SESSION_OPTIONS)
        session->described_as[session->described++] = (sl_report_option){name, value};
}

int sl_session_close(sl_session *session, sl_status status, sl_error *error)
{
    sl_device_close(session->device); /* before the recorder: it holds the recorder's sink */
    if (!status && session->late)
        status = sl_fail_memory(error);
    /* A launch that failed is part of the run: the trace holds it, and the report shows it. */
    bool ran = !status || status == SL_FAULT || status == SL_LIMIT;
    sl_error late;
    sl_status finished = SL_OK;
    if (ran && session->recorder)
        finished = sl_recorder_finish(session->recorder, status ? &late : error);
    else
        sl_recorder_abandon(session->recorder);
    status = status ? status : finished;
    const sl_shown_launches shown = {.log = session->log,
                                     .note = session->note,
                                     .fact = session->described_as,
                                     .facts = session->described,
                                     .seed = &session->options->seed,
                                     .subject = session->subject,
                                     .sources = session->texts,
                                     .source = session->text};
    int code = status ? sl_cli_fail(session->inv, error) : 0;
    if (!status || (ran && sl_launch_log_count(session->log))) {
        int failed = sl_show_launches(session->inv, &shown, stdout);
        code = code ? code : failed;
    }
    sl_launch_log_destroy(session->log);
    return code;
}
