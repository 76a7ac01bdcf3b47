/* SPDX-License-Identifier: MIT */
#include "trace/counters.h"

#include <string.h>

#include "base/suggest.h"

const sl_counter_info sl_counter_infos[SL_COUNTERS] = {
#define SL_COUNTER(name, unit, heading, long_heading, description, ncu) {#name, unit, description, ncu},
#include "trace/metrics.def"
};

const char *const sl_time_limit_names[SL_TIME_LIMITS] = {
#define SL_TIME_LIMIT(name, text, description) text,
#include "trace/limits.def"
};

void sl_counts_merge(sl_counts *into, const sl_counts *from)
{
    bool differ = sl_counts_has(into, SL_COUNTER_est_limit) && sl_counts_has(from, SL_COUNTER_est_limit) &&
                  into->value[SL_COUNTER_est_limit] != from->value[SL_COUNTER_est_limit];
    sl_counter_set_join(&into->known, &from->known);
    for (int i = 0; i < SL_COUNTERS; i++)
        if (!sl_counter_is_size((sl_counter)i))
            into->value[i] += from->value[i];
        else if (from->value[i] > into->value[i])
            into->value[i] = from->value[i];
    if (differ)
        into->value[SL_COUNTER_est_limit] = SL_TIME_VARIOUS;
}

const char *sl_counter_word(sl_counter counter, uint64_t value)
{
    if (counter != SL_COUNTER_est_limit)
        return NULL;
    return value < SL_TIME_LIMITS ? sl_time_limit_names[value] : "unknown";
}

bool sl_counter_of_word(sl_counter counter, const char *word, uint64_t *value)
{
    *value = 0;
    while (counter == SL_COUNTER_est_limit && *value < SL_TIME_LIMITS && strcmp(word, sl_time_limit_names[*value]) != 0)
        ++*value;
    return counter == SL_COUNTER_est_limit && *value < SL_TIME_LIMITS;
}

sl_counter sl_counter_find(const char *name)
{
    int i = 0;
    while (i < SL_COUNTERS && strcmp(sl_counter_infos[i].name, name) != 0)
        i++;
    return (sl_counter)i;
}

size_t sl_counter_count(void)
{
    return SL_COUNTERS;
}

const sl_counter_info *sl_counter_at(size_t index)
{
    return &sl_counter_infos[index];
}

sl_status sl_counts_value(const sl_counts *counts, const char *name, uint64_t *value, sl_error *error)
{
    const char *names[SL_COUNTERS];
    sl_counter counter = sl_counter_find(name);
    *value = 0;
    if (counter < SL_COUNTERS) {
        *value = counts->value[counter];
        return sl_counts_has(counts, counter) ? SL_OK
                                              : sl_fail(error, SL_UNSUPPORTED, "counter '%s' is not known here", name);
    }
    for (int i = 0; i < SL_COUNTERS; i++)
        names[i] = sl_counter_infos[i].name;
    const char *near = sl_suggest(name, names, SL_COUNTERS);
    return sl_fail(error, SL_NOT_FOUND, "unknown counter '%s'%s%s%s", name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}
