/* SPDX-License-Identifier: MIT */
#include "cli/show_tuning.h"

#include "cli/given_options.h"
#include "cli/output.h"
#include "cli/terminal.h"

SL_REPORT_FORMS(forms, sl_tuning, sl_tuning_text, sl_tuning_json, sl_tuning_csv, NULL);

int sl_show_tuning(const sl_invocation *inv, const char *subject, const uint64_t *seed, sl_tuning *shown)
{
    const sl_report_option fact = {"subject", subject};
    sl_arena arena;
    sl_error error = {0};
    sl_arena_init(&arena);
    shown->info.command = inv->command->name;
    shown->info.option = sl_given_options(inv, &fact, 1, &arena, &shown->info.options);
    shown->info.seed = seed;
    if (!shown->info.option)
        sl_fail_memory(&error);
    int code = shown->info.option ? sl_report_write(inv, &forms, shown, stdout) : sl_cli_fail(inv, &error);
    sl_arena_fini(&arena);
    return code;
}
