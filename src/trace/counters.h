/* SPDX-License-Identifier: MIT */
/* The counters that all commands speak of, from counters.def. */
#ifndef SL_TRACE_COUNTERS_H
#define SL_TRACE_COUNTERS_H

#include "sluice/counters.h"

typedef enum sl_counter {
#define X(name, unit, meaning, metric) SL_COUNTER_##name,
#include "trace/counters.def"
#undef X
    SL_COUNTERS,
} sl_counter;

extern const sl_counter_info sl_counter_infos[SL_COUNTERS];

/* Values, and which of them are known. */
struct sl_counts {
    uint64_t known; /* bit per sl_counter */
    uint64_t value[SL_COUNTERS];
};

static inline bool sl_counts_has(const sl_counts *counts, sl_counter counter)
{
    return counts->known >> counter & 1;
}
static inline void sl_counts_add(sl_counts *counts, sl_counter counter, uint64_t amount)
{
    counts->known |= UINT64_C(1) << counter;
    counts->value[counter] += amount;
}
/* Sums; a counter is known in the sum where either side knows it. */
void sl_counts_merge(sl_counts *into, const sl_counts *from);
/* SL_COUNTERS when there is none of that name. */
sl_counter sl_counter_find(const char *name);

#endif
