/* SPDX-License-Identifier: MIT */
#include "cli/given_options.h"

sl_report_option *sl_given_options(const sl_invocation *inv, const sl_report_option *fact, size_t facts,
                                   sl_arena *arena, size_t *count)
{
    const sl_args *args = &inv->args;
    sl_report_option *option = sl_arena_array(arena, sl_report_option, facts + args->sets + 1);
    if (!option)
        return NULL;
    for (*count = 0; *count < facts; ++*count)
        option[*count] = fact[*count];
    for (size_t i = 0; i < args->sets; i++) {
        char value[1024];
        if (args->set[i]->offset < sizeof(sl_common))
            continue;
        char *copy = sl_arena_strdup(arena, sl_option_text(args->set[i], inv->values, value, sizeof value));
        if (!copy)
            return NULL;
        option[(*count)++] = (sl_report_option){args->set[i]->name, copy};
    }
    return option;
}
