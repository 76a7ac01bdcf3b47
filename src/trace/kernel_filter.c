/* SPDX-License-Identifier: MIT */
#include "trace/kernel_filter.h"

#include <stdio.h>
#include <string.h>

#include "base/mangle.h"
#include "base/text.h"

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

/* "17", "100-120", "100-120/5", "/5". */
static bool parse_range(const char *text, uint64_t *first, uint64_t *last, uint64_t *step)
{
    const char *slash = strchr(text, '/'), *dash = strchr(text, '-');
    char bound[2][32] = {"", ""};
    *first = 0;
    *last = UINT64_MAX;
    *step = 1;
    if (slash && (!sl_parse_count(slash + 1, 1000, step) || !*step))
        return false;
    if (slash == text)
        return true;
    size_t length = slash ? (size_t)(slash - text) : strlen(text);
    dash = dash && dash < text + length ? dash : NULL;
    size_t head = dash ? (size_t)(dash - text) : length;
    snprintf(bound[0], sizeof bound[0], "%.*s", (int)head, text);
    snprintf(bound[1], sizeof bound[1], "%.*s", dash ? (int)(length - head - 1) : (int)head, dash ? dash + 1 : text);
    return head < sizeof bound[0] && length - head <= sizeof bound[1] && sl_parse_count(bound[0], 1000, first) &&
           sl_parse_count(bound[1], 1000, last);
}

sl_status sl_launch_set_parse(const char *text, sl_launch_set *set, sl_error *error)
{
    *set = (sl_launch_set){0};
    for (const char *at = text && *text ? text : NULL; at;) {
        char part[80];
        size_t length = strcspn(at, ",");
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        if (set->ranges == SL_LAUNCH_RANGES)
            return sl_fail(error, SL_LIMIT, "--launch: more than %d ranges", SL_LAUNCH_RANGES);
        size_t n = set->ranges++;
        if (length >= sizeof part || !parse_range(part, &set->range[n].first, &set->range[n].last, &set->range[n].step))
            return sl_fail(error, SL_INVALID,
                           "--launch: '%s' is not a launch (3), a range (100-120), or every Nth of one (0-999/10, /10)",
                           part);
        if (set->range[n].first > set->range[n].last)
            return sl_fail(error, SL_INVALID, "--launch: the range %s ends before it begins", part);
        at = at[length] ? at + length + 1 : NULL;
    }
    return SL_OK;
}

bool sl_launch_set_has(const sl_launch_set *set, uint64_t index)
{
    bool has = !set->ranges;
    for (size_t i = 0; i < set->ranges && !has; i++)
        has = index >= set->range[i].first && index <= set->range[i].last &&
              (index - set->range[i].first) % set->range[i].step == 0;
    return has;
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
    bool ranged = filter->launches && *filter->launches;
    bool named = filter->kernel_regex && *filter->kernel_regex;
    return sl_fail(error, SL_NOT_FOUND, "no launch matches %s%.200s%s%s%s%.100s; the kernels are: %s",
                   named ? "--kernel '" : "", named ? filter->kernel_regex : "", named ? "'" : "",
                   named && ranged ? " and " : "", ranged ? "--launch " : "", ranged ? filter->launches : "", kernels);
}
