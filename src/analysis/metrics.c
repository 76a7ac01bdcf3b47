/* SPDX-License-Identifier: MIT */
#include "analysis/metrics.h"

#include <string.h>

#include "base/text.h"

const sl_metric_info sl_metric_infos[SL_METRICS] = {
#define SL_COUNTER(name, unit, heading, long_heading, description, ncu)                                                \
    {#name, unit, heading, long_heading, description},
#define SL_DERIVED(name, unit, part, whole, heading, long_heading, description)                                        \
    {#name, unit, heading, long_heading, description},
#define SL_REUSE SL_DERIVED
#include "trace/metrics.def"
};
_Static_assert((int)SL_METRIC_energy_nj == (int)SL_COUNTER_energy_nj, "counters come first");

/* ---- values ---- */

typedef struct operands {
    const sl_counts *counts;
    bool missing, any;
} operands;

static uint64_t operand(operands *t, sl_counter counter, bool needed)
{
    bool known = sl_counts_has(t->counts, counter);
    t->missing |= needed && !known;
    t->any |= known;
    return t->counts->value[counter];
}

static sl_fraction of_counts(sl_metric metric, const sl_counts *counts)
{
    operands t = {.counts = counts};
    sl_fraction f = {0, 0, false};
    switch (metric) {
#define V(counter) operand(&t, SL_COUNTER_##counter, true)
#define O(counter) operand(&t, SL_COUNTER_##counter, false)
#define SL_COUNTER(name, ...)                                                                                          \
    case SL_METRIC_##name:                                                                                             \
        f.part = V(name), f.whole = 1;                                                                                 \
        break;
#define SL_DERIVED(name, unit, share, all, ...)                                                                        \
    case SL_METRIC_##name:                                                                                             \
        f.part = share, f.whole = all;                                                                                 \
        break;
#include "trace/metrics.def"
    default:
        break;
    }
    f.known = !t.missing && t.any && f.whole;
    return f;
}

static sl_fraction of_reuse(sl_metric metric, const sl_profile_counts *c, const sl_profile_options *o)
{
    sl_fraction f = {0, 0, false};
    switch (metric) {
#define SL_REUSE(name, unit, share, all, ...)                                                                          \
    case SL_METRIC_reuse_##name:                                                                                       \
        f.part = share, f.whole = all;                                                                                 \
        break;
#include "trace/metrics.def"
    default:
        break;
    }
    f.known = f.whole;
    return f;
}

sl_fraction sl_metric_of(sl_metric metric, const sl_metric_row *row)
{
    if (metric < SL_METRICS_OF_REUSE)
        return row->counts ? of_counts(metric, row->counts) : (sl_fraction){0, 0, false};
    return row->reuse && row->options ? of_reuse(metric, row->reuse, row->options) : (sl_fraction){0, 0, false};
}

bool sl_metric_has_unit(sl_metric metric, const char *unit)
{
    return !strcmp(sl_metric_infos[metric].unit, unit);
}

bool sl_metric_is_share(sl_metric metric)
{
    return sl_metric_has_unit(metric, "%");
}

int sl_metric_better(sl_metric metric)
{
    enum { LESS = -1, MORE = 1 };
    static const signed char directions[SL_METRICS] = {
#define SL_BETTER(name, direction) [SL_METRIC_##name] = (direction),
#include "trace/metrics.def"
    };
    return directions[metric];
}

bool sl_metric_value(sl_metric metric, const sl_metric_row *row, double *value)
{
    sl_fraction f = sl_metric_of(metric, row);
    if (!f.known || sl_metric_has_unit(metric, "limit")) /* a name */
        return false;
    *value = (sl_metric_is_share(metric) ? 100 : 1) * (double)f.part / (double)f.whole;
    return true;
}

bool sl_counts_metric(sl_metric metric, const sl_counts *counts, double *value)
{
    return sl_metric_value(metric, &(sl_metric_row){.counts = counts}, value);
}

/* ---- text ---- */

char *sl_metric_text(sl_metric metric, const sl_metric_row *row, int digits, char buffer[SL_METRIC_BYTES])
{
    sl_fraction f = sl_metric_of(metric, row);
    char text[SL_HUMAN_BYTES] = "";
    if (f.known && sl_metric_is_share(metric))
        strcat(sl_human_ratio(100.0 * (double)f.part / (double)f.whole, digits, text), "%");
    else if (f.known && sl_metric_has_unit(metric, "ratio"))
        sl_human_ratio((double)f.part / (double)f.whole, 2, text);
    else if (f.known && sl_metric_has_unit(metric, "bytes"))
        sl_human_bytes(f.part, text);
    else if (f.known && sl_metric_has_unit(metric, "ns"))
        return sl_human_time((double)f.part, buffer);
    else if (f.known && sl_metric_has_unit(metric, "limit"))
        return strcpy(buffer, sl_counter_word((sl_counter)metric, f.part));
    else if (f.known)
        sl_human_count(f.part, text);
    return strcpy(buffer, text);
}
