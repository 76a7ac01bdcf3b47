/* SPDX-License-Identifier: MIT */
#include "cli/show_tuning.h"

#include "cli/output.h"

int sl_show_tuning(const sl_invocation *inv, const sl_cli_input *input, sl_tuning *shown)
{
    char text[512];
    const sl_report_option fact = {"subject", sl_input_text(&input->input, text, sizeof text)};
    sl_arena arena;
    sl_error error = {0};
    sl_arena_init(&arena);
    shown->info.command = inv->command->name;
    shown->info.seed = &input->input.spec.seed;
    int code = SL_EXIT_OK;
    if (sl_given_options(inv, &fact, 1, input->subject, shown->timer, &arena, &shown->info, &error)) {
        code = sl_cli_fail(inv, &error);
    } else {
        sl_document *d = sl_document_create(&shown->info, sl_forms_wanted(inv->common));
        sl_document_tuning(d, shown);
        code = sl_document_show(inv, d, NULL, sl_cli_input_stream(input));
    }
    sl_arena_fini(&arena);
    return code;
}
