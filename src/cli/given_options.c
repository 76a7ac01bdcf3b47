/* SPDX-License-Identifier: MIT */
#include "cli/given_options.h"

#include <string.h>

#include "base/text.h"
#include "cli/input.h"
#include "cli/terminal.h"

/* Whether numbers change with an option, and the heading does not say so without it. Files
 * hold results, except plans. */
static bool is_setting(const sl_option *option)
{
    bool file = option->value && (!strcmp(option->value, "FILE") || !strcmp(option->value, "FOLDER"));
    return !sl_is_input_option(option) && strcmp(option->name, "gpu") && (!file || !strcmp(option->name, "plan"));
}

/* "spmv rows=2000 on h200, L1.ways=8, --l1 decoupled". */
static const char *heading_of(const char *subject, const char *gpu, const sl_report_option *option,
                              const sl_option *const *given, size_t count, sl_arena *arena)
{
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s%s", subject, gpu ? " on " : "", gpu ? gpu : "");
    for (size_t i = 0; i < count && used < sizeof text; i++) {
        bool set = !strcmp(given[i]->name, "set"), flag = given[i]->kind == SL_OPTION_FLAG;
        if (is_setting(given[i]))
            used += (size_t)snprintf(text + used, sizeof text - used, ", %s%s%s%s", set ? "" : "--",
                                     set ? "" : given[i]->name, set || flag ? "" : " ", flag ? "" : option[i].value);
    }
    return sl_arena_strdup(arena, text);
}

bool sl_was_given(const sl_invocation *inv, const char *name)
{
    for (size_t i = 0; i < inv->args.sets; i++)
        if (!strcmp(inv->args.set[i]->name, name))
            return true;
    return false;
}

sl_status sl_given_options(const sl_invocation *inv, const sl_report_option *fact, size_t facts, const char *subject,
                           const char *gpu, sl_arena *arena, sl_report_info *info, sl_error *error)
{
    const sl_args *args = &inv->args;
    sl_report_option *option = sl_arena_array(arena, sl_report_option, facts + args->sets + 1);
    const sl_option **given = sl_arena_array(arena, const sl_option *, args->sets + 1);
    size_t count = 0;
    if (!option || !given)
        return sl_fail_memory(error);
    for (size_t i = 0; i < facts; i++)
        option[i] = fact[i];
    for (size_t i = 0; i < args->sets; i++) {
        char value[1024];
        if (args->set[i]->offset < sizeof(sl_common))
            continue;
        char *copy = sl_arena_strdup(arena, sl_option_text(args->set[i], inv->values, value, sizeof value));
        if (!copy)
            return sl_fail_memory(error);
        given[count] = args->set[i];
        option[facts + count++] = (sl_report_option){args->set[i]->name, copy};
    }
    info->option = option;
    info->options = facts + count;
    info->heading = subject ? heading_of(subject, gpu, option + facts, given, count, arena) : NULL;
    return subject && !info->heading ? sl_fail_memory(error) : SL_OK;
}
