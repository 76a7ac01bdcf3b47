/* SPDX-License-Identifier: MIT */
#include "exec/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "process/results_file.h"
#include "trace/kernel_filter.h"

typedef struct program_run {
    const sl_record_options *options;
    sl_run_end *end;
    uint64_t first_index; /* of the process being read: the processes of a run count on */
    uint64_t next_index;
    uint32_t launching; /* processes so far that launched kernels */
    bool launched;      /* the one being read did */
} program_run;

static bool is_chosen(const program_run *run)
{
    return !run->options->process || run->options->process == run->launching;
}

static sl_status add_launch(void *context, const sl_launch_result *result, sl_error *error)
{
    program_run *run = context;
    sl_launch_result counted = *result;
    sl_trace_launch launch = *result->launch;
    counted.index += run->first_index;
    counted.launch = &launch;
    if (launch.has_parent)
        launch.parent += run->first_index;
    run->next_index = counted.index + 1;
    run->launching += !run->launched;
    run->launched = true;
    if (!is_chosen(run))
        return SL_OK;
    run->end->failed += result->launch->failed;
    return run->options->launch_done ? run->options->launch_done(run->options->launch_context, &counted, error) : SL_OK;
}

/* The traces of processes that launched kernels, numbered without gaps. What one recorded that only looked for a GPU is
 * kept if nobody launched anything. */
static void collect_trace(program_run *run, uint32_t number, const sl_results_summary *summary)
{
    char path[1100], kept[1100];
    sl_results_trace_path(run->options->trace_path, number, path, sizeof path);
    if (!summary->finished) /* its trace still has a temporary name; the complete chunks of it can be read */
        run->end->unfinished += sl_new_file_rescue(path, (pid_t)summary->pid);
    if (access(path, F_OK))
        return;
    bool first = run->launching == run->launched; /* nobody before it launched anything */
    if (run->launched ? !is_chosen(run) : number && (run->launching || run->end->traces)) {
        unlink(path);
        return;
    }
    if (run->launched && first)
        run->end->traces = 0;
    sl_results_trace_path(run->options->trace_path, run->end->traces, kept, sizeof kept);
    if (strcmp(path, kept) == 0 || !rename(path, kept))
        run->end->traces++;
}

static sl_status not_enough(const program_run *run, sl_error *error)
{
    return sl_fail(error, SL_NOT_FOUND, "--process %u: %u processes launched kernels", run->options->process,
                   run->launching);
}

static sl_status collect(program_run *run, const char *folder, sl_error *error)
{
    char kernels[SL_KERNEL_LIST];
    for (uint32_t number = 0;; number++) {
        sl_results_summary summary;
        run->launched = false;
        sl_status status = sl_results_read(folder, number, add_launch, run, &summary, error);
        if (status == SL_NOT_FOUND) {
            run->end->problems = sl_results_problems(folder);
            if (number && run->options->trace_path && !run->end->traces) /* which could not be noted on a full disk */
                run->end->problems++;
            sl_results_notes(folder, run->end->note, sizeof run->end->note);
            sl_results_all_unmatched(folder, kernels, sizeof kernels);
            if (*kernels && !run->next_index)
                return sl_filter_unmatched(&run->options->filter, kernels, error);
            return run->options->process > run->launching ? not_enough(run, error) : SL_OK;
        }
        if (status)
            return status;
        run->first_index = run->next_index;
        run->end->calls_ns += summary.spent.calls_ns;
        run->end->emulation_ns += summary.spent.emulation_ns;
        run->end->writing_ns += summary.spent.writing_ns;
        if (run->options->trace_path)
            collect_trace(run, number, &summary);
    }
}

static sl_status fill_options(sl_proc_options *out, const sl_record_options *o, const sl_program_settings *program,
                              sl_error *error)
{
    *out = (sl_proc_options){.settings = o->settings,
                             .quiet = program->quiet,
                             .zstd_level = (uint64_t)o->zstd_level,
                             .counters = o->count,
                             .no_shared = o->no_shared,
                             .blocks = o->filter.blocks};
    const struct {
        const char *name, *value;
        char *to;
        size_t size;
    } texts[] = {
        {"the folder for results", o->scratch, out->results, sizeof out->results},
        {"the file for PTX", o->ptx_path ? o->ptx_path : "", out->ptx, sizeof out->ptx},
        {"the regular expression", o->filter.kernel_regex ? o->filter.kernel_regex : "", out->kernel_regex,
         sizeof out->kernel_regex},
        {"the GPU model's name", program->model ? program->model : "", out->device, sizeof out->device},
        {"--launch", o->filter.launches ? o->filter.launches : "", out->launches, sizeof out->launches},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((size_t)snprintf(texts[i].to, texts[i].size, "%s", texts[i].value) >= texts[i].size)
            return sl_fail(error, SL_INVALID, "%s is longer than %zu characters", texts[i].name, texts[i].size - 1);
    sl_find_static_runtimes(o->settings.cudart_static, out->static_runtimes, sizeof out->static_runtimes);
    snprintf(out->producer, sizeof out->producer, "%s", o->producer);
    for (char *c = out->producer; *c; c++)
        if (*c == '\n')
            *c = ' ';
    if (!o->trace_path)
        return SL_OK;
    /* The program may change its folder before it launches anything. */
    char *here = *o->trace_path == '/' ? NULL : getcwd(NULL, 0);
    int written = snprintf(out->trace, sizeof out->trace, "%s%s%s", here ? here : "", here ? "/" : "", o->trace_path);
    free(here);
    if ((size_t)written >= sizeof out->trace)
        return sl_fail(error, SL_INVALID, "the path of the trace is longer than %zu characters", sizeof out->trace - 1);
    return SL_OK;
}

sl_status sl_program_start(void *context, const sl_input *input, const sl_record_options *options, sl_run_end *end,
                           sl_error *error)
{
    sl_app app;
    sl_app_end ended = {0};
    sl_proc_options passed;
    const sl_program_settings *program = context;
    program_run run = {.options = options, .end = end};
    sl_status status = fill_options(&passed, options, context, error);
    if (!status)
        status = sl_app_inspect(input->spec.name, passed.static_runtimes, &app, error);
    const sl_app_start start = {.emulate = &passed,
                                .folder = passed.results,
                                .working = program->folder,
                                .output = program->output,
                                .output_to_stderr = options->output_to_stderr};
    if (!status)
        status = sl_app_start_and_wait(&app, (char **)(uintptr_t)input->spec.program, &start, &ended, error);
    if (!status)
        status = collect(&run, options->scratch, error);
    end->exit_code = ended.code;
    end->signal = ended.signal;
    return status;
}
