/* SPDX-License-Identifier: MIT */
#include "trace/kernel_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mangle.h"

sl_status sl_kernel_filter_init(sl_kernel_filter *filter, const char *regex, sl_error *error)
{
    *filter = (sl_kernel_filter){0};
    if (!regex || !*regex)
        return SL_OK;
    int code = regcomp(&filter->regex, regex, REG_EXTENDED | REG_NOSUB);
    if (code) {
        char reason[256];
        regerror(code, &filter->regex, reason, sizeof reason);
        return sl_fail(error, SL_INVALID, "--kernel: '%s' is not a regular expression: %s", regex, reason);
    }
    filter->filters = true;
    return SL_OK;
}

void sl_kernel_filter_fini(sl_kernel_filter *filter)
{
    if (filter->filters)
        regfree(&filter->regex);
    *filter = (sl_kernel_filter){0};
}

bool sl_kernel_matches(const sl_kernel_filter *filter, const char *symbol, const char *name)
{
    if (!filter->filters || !regexec(&filter->regex, symbol, 0, NULL, 0))
        return true;
    sl_arena arena;
    sl_arena_init(&arena);
    const char *shown = name ? name : sl_short_name(&arena, symbol);
    bool matches = shown && !regexec(&filter->regex, shown, 0, NULL, 0);
    sl_arena_fini(&arena);
    return matches;
}

void sl_kernel_list_add(char list[SL_KERNEL_LIST], const char *name)
{
    size_t used = strlen(list), length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return;
    if (used + length + sizeof ", ..." < SL_KERNEL_LIST)
        snprintf(list + used, SL_KERNEL_LIST - used, "%s%s", used ? ", " : "", name);
    else if (used < 3 || strcmp(list + used - 3, "..."))
        snprintf(list + used, SL_KERNEL_LIST - used, ", ...");
}

sl_status sl_filter_unmatched(const sl_trace_filter *filter, const char *kernels, sl_error *error)
{
    char range[64] = "";
    bool named = filter->kernel_regex && *filter->kernel_regex;
    if (filter->ranged)
        snprintf(range, sizeof range, "%s--launch %" PRIu64 "-%" PRIu64, named ? " and " : "", filter->first_launch,
                 filter->last_launch);
    return sl_fail(error, SL_NOT_FOUND, "no launch matches %s%.200s%s%s; the kernels are: %s",
                   named ? "--kernel '" : "", named ? filter->kernel_regex : "", named ? "'" : "", range, kernels);
}
