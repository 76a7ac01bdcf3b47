/* SPDX-License-Identifier: MIT */
#include "cli/show_tuning.h"

#include "cli/output.h"
#include "cli/terminal.h"

SL_REPORT_FORMS(forms, sl_tuning, sl_tuning_text, sl_tuning_json, sl_tuning_csv, shown->info.heading);

int sl_show_tuning(const sl_invocation *inv, const sl_cli_input *input, sl_tuning *shown)
{
    char text[512];
    const sl_report_option fact = {"subject", sl_input_text(&input->input, text, sizeof text)};
    sl_arena arena;
    sl_error error = {0};
    sl_arena_init(&arena);
    shown->info.command = inv->command->name;
    shown->info.seed = &input->input.spec.seed;
    int code = sl_given_options(inv, &fact, 1, input->subject, shown->timer, &arena, &shown->info, &error)
                   ? sl_cli_fail(inv, &error)
                   : sl_report_write(inv, &forms, shown, sl_cli_input_stream(input));
    sl_arena_fini(&arena);
    return code;
}
