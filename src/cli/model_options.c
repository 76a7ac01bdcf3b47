/* SPDX-License-Identifier: MIT */
#include "cli/model_options.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "cli/output.h"
#include "report/results.h"

sl_status sl_sampling_of(const char *text, sl_sampling *sampling, sl_error *error)
{
    char *end;
    *sampling = (sl_sampling){.when = SL_SAMPLE_AUTO};
    if (!text || !strcmp(text, "auto"))
        return SL_OK;
    sampling->when = !strcmp(text, "off") ? SL_SAMPLE_NEVER : SL_SAMPLE_ALWAYS;
    if (sampling->when == SL_SAMPLE_NEVER)
        return SL_OK;
    double percent = strtod(text, &end);
    if (end == text || strcmp(end, "%") != 0 || !(percent > 0 && percent <= 100))
        return sl_fail(error, SL_INVALID, "--sample: '%s' is not auto, off, or a percentage such as 1%%", text);
    sampling->target = percent / 100;
    return SL_OK;
}

/* ---- Ctrl-C ---- */

static volatile bool stopped;
static struct sigaction before;
static bool caught;

/* Only what a signal handler may call. */
static void stop(int number)
{
    static const char text[] = "\nsluice: ending after this launch; Ctrl-C again ends at once\n";
    stopped = true;
    sigaction(number, &before, NULL);
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
}

const volatile bool *sl_stop_catch(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    stopped = false;
    caught = !sigaction(SIGINT, NULL, &before) && before.sa_handler != SIG_IGN && !sigaction(SIGINT, &action, NULL);
    return &stopped;
}

bool sl_stop_release(void)
{
    if (caught)
        sigaction(SIGINT, &before, NULL);
    caught = false;
    return stopped;
}

static sl_status run_both(const sl_invocation *inv, const sl_what_if *what_if, const sl_analysis *analysis,
                          const sl_cli_input *input, sl_result result[2], sl_error *error)
{
    const sl_recording *recording = &input->recording;
    sl_analysis detailed = *analysis;
    detailed.details = true;
    sl_status status = sl_analyze(recording, &detailed, input->pool, inv->progress, &result[0], error);
    if (!status)
        status = sl_analyze_what_if(recording, &detailed, what_if, &result[0], input->pool, inv->progress, &result[1],
                                    error);
    return status;
}

int sl_cli_what_if(const sl_invocation *inv, const char *text, const sl_analysis *analysis, const sl_cli_input *input)
{
    sl_error error;
    sl_what_if what_if;
    sl_result result[2] = {0};
    sl_arena arena;
    sl_arena_init(&arena);
    sl_report_info info = {.command = inv->command->name,
                           .machine = analysis->machine->name,
                           .seed = &analysis->seed,
                           .trace = input->trace};
    sl_status status = sl_what_if_parse(text, &what_if, &error);
    if (!status)
        status = run_both(inv, &what_if, analysis, input, result, &error);
    if (!status)
        status =
            sl_given_options(inv, &input->fact, !input->trace, input->subject, info.machine, &arena, &info, &error);
    int code;
    if (status) {
        code = sl_cli_fail(inv, &error);
    } else {
        sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
        sl_document_what_if(d, &(sl_what_if_results){&what_if, &result[0], &result[1]});
        code = sl_document_show(inv, d, NULL, sl_cli_input_stream(input));
    }
    sl_result_fini(&result[0]);
    sl_result_fini(&result[1]);
    sl_arena_fini(&arena);
    return code;
}
