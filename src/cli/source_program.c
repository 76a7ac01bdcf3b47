/* SPDX-License-Identifier: MIT */
/* A CUDA program as something to run: sluice run -- ./app args. Starts it with the library of src/cudart in front, and
 * shows what that library wrote down about the launches. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/launch_app.h"
#include "cli/run_planned.h"
#include "cli/run_source.h"
#include "cli/show_launches.h"
#include "cli/temporary.h"
#include "cudart/results_file.h"
#include "device/device.h"

typedef struct program_run {
    const sl_invocation *inv;
    sl_launch_log *log;
    uint64_t first_index; /* of the process being read: the processes of a run count on */
    uint64_t next_index;
} program_run;

static bool program_accepts(const sl_args *args)
{
    return args->program != NULL;
}

/* ---- results ---- */

static sl_status add_launch(void *context, const sl_launch_result *result, sl_error *error)
{
    program_run *run = context;
    sl_launch_result counted = *result;
    counted.index += run->first_index;
    run->next_index = counted.index + 1;
    return sl_launch_log_add(run->log, &counted, error);
}

/* A process that broke off has left its trace under its temporary name: whole chunks of it can be read. */
static void keep_unfinished_trace(const program_run *run, const sl_run_options *options, uint32_t number, uint32_t pid)
{
    char path[1100], temporary[1200];
    if (!options->trace)
        return;
    sl_results_trace_path(options->trace, number, path, sizeof path);
    snprintf(temporary, sizeof temporary, "%s.tmp-%u", path, pid);
    if (rename(temporary, path) == 0)
        sl_cli_warn(run->inv, "the program broke off; %s holds what was recorded until then", path);
}

static sl_status collect(program_run *run, const sl_run_options *options, const char *folder, sl_error *error)
{
    for (uint32_t number = 0;; number++) {
        sl_results_summary summary;
        sl_status status = sl_results_read(folder, number, add_launch, run, &summary, error);
        if (status == SL_NOT_FOUND)
            return SL_OK;
        if (status)
            return status;
        run->first_index = run->next_index;
        if (!summary.finished)
            keep_unfinished_trace(run, options, number, summary.pid);
    }
}

/* ---- the report ---- */

static int finish(program_run *run, const sl_app_end *end)
{
    if (end->signal)
        sl_cli_warn(run->inv, "the program was ended by signal %d (%s)", end->signal, strsignal(end->signal));
    const sl_report_option program = {"program", run->inv->args.program[0]};
    const sl_shown_launches shown = {.log = run->log, .fact = &program, .facts = 1};
    int code = sl_show_launches(run->inv, &shown, stderr);
    return end->code ? end->code : code;
}

static sl_status fill_options(sl_cudart_options *out, const sl_invocation *inv, const sl_run_options *options,
                              const sl_trace_filter *filter, const char *folder, sl_error *error)
{
    *out = (sl_cudart_options){.lanes = (uint32_t)options->lanes,
                               .threads = (uint32_t)options->common.threads,
                               .max_instructions = options->max_instructions,
                               .quiet = options->common.quiet,
                               .check_address = options->check != SL_CHECK_GPU,
                               .check_uninit = options->check == SL_CHECK_UNINIT,
                               .zstd_level = (uint32_t)options->zstd_level,
                               .counters = true,
                               .ranged = filter->ranged,
                               .first_launch = filter->first_launch,
                               .last_launch = filter->last_launch,
                               .blocks = filter->blocks};
    const struct {
        const char *name, *value;
        char *to;
        size_t size;
    } texts[] = {
        {"the instruction set", options->isa ? sl_isa_choices[options->isa] : "", out->isa, sizeof out->isa},
        {"the folder for results", folder, out->results, sizeof out->results},
        {"the regular expression", filter->kernel_regex ? filter->kernel_regex : "", out->kernel_regex,
         sizeof out->kernel_regex},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((size_t)snprintf(texts[i].to, texts[i].size, "%s", texts[i].value) >= texts[i].size)
            return sl_fail(error, SL_INVALID, "%s is longer than %zu characters", texts[i].name, texts[i].size - 1);
    snprintf(out->producer, sizeof out->producer, "%s", inv->line);
    for (char *c = out->producer; *c; c++)
        if (*c == '\n')
            *c = ' ';
    if (!options->trace)
        return SL_OK;
    /* The program may change its folder before it launches anything. */
    char *here = *options->trace == '/' ? NULL : getcwd(NULL, 0);
    int written = snprintf(out->trace, sizeof out->trace, "%s%s%s", here ? here : "", here ? "/" : "", options->trace);
    free(here);
    if ((size_t)written >= sizeof out->trace)
        return sl_fail(error, SL_INVALID, "the path of the trace is longer than %zu characters", sizeof out->trace - 1);
    return SL_OK;
}

static int program_run_it(const sl_invocation *inv, const sl_run_options *options, const sl_trace_filter *filter)
{
    char folder[512]; /* in which the program's processes leave their results */
    sl_error error = {0};
    sl_app app;
    sl_app_end end = {0};
    sl_cudart_options passed;
    program_run run = {.inv = inv};
    if (options->plan)
        return sl_run_planned(inv, options);
    if (strcmp(sl_device_kinds[options->on]->name, "emu") != 0)
        return sl_cli_usage(inv, "a program after '--' runs on the emulator; to use a GPU, start it by itself, or give "
                                 "a --plan");
    sl_status status = sl_app_inspect(inv->args.program[0], &app, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    status = sl_temporary_folder(folder, sizeof folder, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    status = fill_options(&passed, inv, options, filter, folder, &error);
    if (!status)
        status = sl_launch_log_create(&run.log, &error);
    if (!status)
        status = sl_app_run(&app, inv->args.program, &passed, &end, &error);
    if (!status)
        status = collect(&run, options, folder, &error);
    sl_temporary_folder_remove(folder);
    int code = status ? sl_cli_fail(inv, &error) : finish(&run, &end);
    sl_launch_log_destroy(run.log);
    return code;
}

const sl_run_source sl_source_program = {
    .name = "a CUDA program",
    .accepts = program_accepts,
    .run = program_run_it,
};
