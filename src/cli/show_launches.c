#include "cli/show_launches.h"

#include <string.h>

#include "cli/given_options.h"
#include "cli/output.h"
#include "cli/terminal.h"

typedef struct result {
    const sl_invocation *inv;
    const sl_shown_launches *shown;
} result;

static bool was_given(const sl_invocation *inv, const char *name)
{
    for (size_t i = 0; i < inv->args.sets; i++)
        if (!strcmp(inv->args.set[i]->name, name))
            return true;
    return false;
}

static sl_status show_text(FILE *file, const void *data, sl_error *error)
{
    const result *r = data;
    sl_status status = SL_OK;
    if (!sl_launch_log_count(r->shown->log) && (was_given(r->inv, "kernel") || was_given(r->inv, "launch")))
        fputs("no launch is one that --kernel and --launch ask for\n", file);
    else
        status = (r->shown->text ? r->shown->text : sl_launch_report_text)(file, r->shown->log, sl_terminal_width(file),
                                                                           error);
    if (!status && r->shown->note && *r->shown->note)
        fprintf(file, "\n%s\n", r->shown->note);
    return status;
}

static sl_status show_json(FILE *file, const void *data, sl_error *error)
{
    const result *r = data;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_report_info info = {.command = r->inv->command->name,
                           .machine = r->shown->machine,
                           .seed = r->shown->seed,
                           .trace = r->shown->trace};
    info.option = sl_given_options(r->inv, r->shown->fact, r->shown->facts, &arena, &info.options);
    sl_status status = info.option ? sl_launch_report_json(file, r->shown->log, &info, error) : sl_fail_memory(error);
    sl_arena_fini(&arena);
    return status;
}

static sl_status show_csv(FILE *file, const void *data, sl_error *error)
{
    return sl_launch_report_csv(file, ((const result *)data)->shown->log, error);
}

int sl_show_launches(const sl_invocation *inv, const sl_shown_launches *shown, FILE *text_default)
{
    static const sl_report_forms forms = {show_text, show_json, show_csv};
    const result r = {inv, shown};
    return sl_report_write(inv, &forms, &r, text_default);
}
