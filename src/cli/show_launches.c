#include "cli/show_launches.h"

#include <string.h>

#include "base/arena.h"
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

/* The facts and the options that were given; those of sl_common say only how to show, not what. NULL: no memory. */
static sl_report_option *describe(const result *r, sl_arena *arena, size_t *count)
{
    const sl_args *args = &r->inv->args;
    sl_report_option *option = sl_arena_array(arena, sl_report_option, r->shown->facts + args->sets + 1);
    if (!option)
        return NULL;
    for (*count = 0; *count < r->shown->facts; ++*count)
        option[*count] = r->shown->fact[*count];
    for (size_t i = 0; i < args->sets; i++) {
        char value[1024];
        if (args->set[i]->offset < sizeof(sl_common))
            continue;
        char *copy = sl_arena_strdup(arena, sl_option_text(args->set[i], r->inv->values, value, sizeof value));
        if (!copy)
            return NULL;
        option[(*count)++] = (sl_report_option){args->set[i]->name, copy};
    }
    return option;
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
    info.option = describe(r, &arena, &info.options);
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
