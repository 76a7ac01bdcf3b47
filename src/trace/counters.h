/* SPDX-License-Identifier: MIT */
/* The counters that all commands speak of, from metrics.def. */
#ifndef SL_TRACE_COUNTERS_H
#define SL_TRACE_COUNTERS_H

#include "sluice/counters.h"

typedef enum sl_counter {
#define SL_COUNTER(name, ...) SL_COUNTER_##name,
#include "trace/metrics.def"
    SL_COUNTERS,
} sl_counter;

extern const sl_counter_info sl_counter_infos[SL_COUNTERS];

/* Some of the counters: a bit for each. */
enum { SL_COUNTER_WORDS = (SL_COUNTERS + 63) / 64 };
typedef struct sl_counter_set {
    uint64_t word[SL_COUNTER_WORDS];
} sl_counter_set;

static inline bool sl_counter_set_has(const sl_counter_set *set, sl_counter counter)
{
    return set->word[counter / 64] >> counter % 64 & 1;
}
static inline bool sl_counter_set_any(const sl_counter_set *set)
{
    uint64_t any = 0;
    for (int i = 0; i < SL_COUNTER_WORDS; i++)
        any |= set->word[i];
    return any;
}
static inline void sl_counter_set_add(sl_counter_set *set, sl_counter counter)
{
    set->word[counter / 64] |= UINT64_C(1) << counter % 64;
}
static inline void sl_counter_set_join(sl_counter_set *into, const sl_counter_set *from)
{
    for (int i = 0; i < SL_COUNTER_WORDS; i++)
        into->word[i] |= from->word[i];
}

/* Values, and which of them are known. */
struct sl_counts {
    sl_counter_set known;
    uint64_t value[SL_COUNTERS];
};

static inline bool sl_counts_has(const sl_counts *counts, sl_counter counter)
{
    return sl_counter_set_has(&counts->known, counter);
}
static inline void sl_counts_add(sl_counts *counts, sl_counter counter, uint64_t amount)
{
    sl_counter_set_add(&counts->known, counter);
    counts->value[counter] += amount;
}
/* Sizes of memory are not summed: launches share it. Nor are names. */
static inline bool sl_counter_is_size(sl_counter counter)
{
    return counter == SL_COUNTER_footprint_bytes || counter == SL_COUNTER_working_set_bytes ||
           counter == SL_COUNTER_est_limit;
}
/* What takes most of the time of a launch: the values of est_limit, from limits.def. */
typedef enum sl_time_limit {
#define SL_TIME_LIMIT(name, text, description) SL_TIME_##name,
#include "trace/limits.def"
    SL_TIME_LIMITS
} sl_time_limit;
extern const char *const sl_time_limit_names[SL_TIME_LIMITS];
/* The name that stands for the value of a counter; NULL: it is a number. */
const char *sl_counter_word(sl_counter counter, uint64_t value);
/* The value that a name stands for; false: it is none of the counter's. */
bool sl_counter_of_word(sl_counter counter, const char *word, uint64_t *value);
/* Sums; a counter is known in the sum where either side knows it. Of sizes the largest stays, of names one that both
 * sides have. */
void sl_counts_merge(sl_counts *into, const sl_counts *from);
/* SL_COUNTERS when there is none of that name. */
sl_counter sl_counter_find(const char *name);

#endif
