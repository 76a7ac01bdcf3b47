#include "trace/counters.h"

#include <string.h>

_Static_assert(SL_COUNTERS <= 64, "sl_counts.known has a bit per counter");

const sl_counter_info sl_counter_infos[SL_COUNTERS] = {
#define X(name, unit, meaning, metric) {#name, unit, meaning, metric},
#include "trace/counters.def"
#undef X
};

void sl_counts_merge(sl_counts *into, const sl_counts *from)
{
    into->known |= from->known;
    for (int i = 0; i < SL_COUNTERS; i++)
        into->value[i] += from->value[i];
}

sl_counter sl_counter_find(const char *name)
{
    int i = 0;
    while (i < SL_COUNTERS && strcmp(sl_counter_infos[i].name, name) != 0)
        i++;
    return (sl_counter)i;
}
