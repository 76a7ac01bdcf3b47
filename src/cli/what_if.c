/* SPDX-License-Identifier: MIT */
#include "cli/what_if.h"

#include "cli/output.h"
#include "report/what_if.h"

static sl_status run_both(const sl_invocation *inv, const sl_what_if *what_if, const sl_analysis *analysis,
                          const sl_recording *recording, sl_result result[2], sl_error *error)
{
    sl_recording changed = *recording;
    sl_analysis detailed = *analysis;
    sl_pool *pool = NULL;
    detailed.details = true;
    sl_status status = sl_trace_what_if(recording->trace, what_if, &changed.trace, error);
    if (!status)
        status = sl_pool_create((unsigned)inv->common->threads, &pool, error);
    if (!status)
        status = sl_analyze(recording, &detailed, pool, inv->progress, &result[0], error);
    if (!status)
        status = sl_analyze(&changed, &detailed, pool, inv->progress, &result[1], error);
    sl_pool_destroy(pool);
    sl_trace_what_if_destroy(changed.trace);
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
        status = run_both(inv, &what_if, analysis, &input->recording, result, &error);
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
