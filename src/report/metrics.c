/* SPDX-License-Identifier: MIT */
#include "report/metrics.h"

#include <stdlib.h>
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

typedef struct taken {
    const sl_counts *counts;
    bool missing, any;
} taken;

static uint64_t take(taken *t, sl_counter counter, bool needed)
{
    bool known = sl_counts_has(t->counts, counter);
    t->missing |= needed && !known;
    t->any |= known;
    return t->counts->value[counter];
}

static sl_fraction of_counts(sl_metric metric, const sl_counts *counts)
{
    taken t = {.counts = counts};
    sl_fraction f = {0, 0, false};
    switch (metric) {
#define V(counter) take(&t, SL_COUNTER_##counter, true)
#define O(counter) take(&t, SL_COUNTER_##counter, false)
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

static bool has_unit(sl_metric metric, const char *unit)
{
    return !strcmp(sl_metric_infos[metric].unit, unit);
}

bool sl_metric_is_share(sl_metric metric)
{
    return has_unit(metric, "%");
}

bool sl_metric_value(sl_metric metric, const sl_metric_row *row, double *value)
{
    sl_fraction f = sl_metric_of(metric, row);
    if (!f.known || has_unit(metric, "limit")) /* a name */
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
    else if (f.known && has_unit(metric, "ratio"))
        sl_human_ratio((double)f.part / (double)f.whole, 2, text);
    else if (f.known && has_unit(metric, "bytes"))
        sl_human_bytes(f.part, text);
    else if (f.known && has_unit(metric, "ns"))
        return sl_human_time((double)f.part, buffer);
    else if (f.known && has_unit(metric, "limit"))
        return strcpy(buffer, sl_counter_word((sl_counter)metric, f.part));
    else if (f.known)
        sl_human_count(f.part, text);
    return strcpy(buffer, text);
}

/* ---- tables ---- */

/* Few programs have atomics, asynchronous copies, or misses of these classes. */
static sl_fit fit_of(sl_metric m)
{
    return m == SL_METRIC_atomics || m == SL_METRIC_copy_sectors || m == SL_METRIC_store || m == SL_METRIC_mshr ||
                   m == SL_METRIC_bypassed || m == SL_METRIC_est_cycles || m == SL_METRIC_est_ns ||
                   m == SL_METRIC_est_limit
               ? SL_FIT_OCCURS
               : SL_FIT_FIXED;
}

sl_table *sl_metric_table(const sl_column *first, size_t firsts, const sl_metric_list *metrics, const sl_column *last,
                          size_t lasts)
{
    sl_column *columns = calloc(firsts + metrics->count + lasts, sizeof *columns);
    if (!columns)
        return NULL;
    memcpy(columns, first, firsts * sizeof *first);
    for (size_t i = 0; i < metrics->count; i++)
        columns[firsts + i] = (sl_column){
            .title = sl_metric_infos[metrics->metric[i]].heading, .right = true, .fit = fit_of(metrics->metric[i])};
    if (lasts)
        memcpy(columns + firsts + metrics->count, last, lasts * sizeof *last);
    sl_table *table = sl_table_create(columns, firsts + metrics->count + lasts);
    free(columns);
    return table;
}

void sl_table_metric(sl_table *t, sl_metric metric, const sl_metric_row *row)
{
    sl_fraction f = row ? sl_metric_of(metric, row) : (sl_fraction){0, 0, false};
    if (!f.known)
        sl_table_none(t);
    else if (has_unit(metric, "limit"))
        sl_table_cell(t, sl_counter_word((sl_counter)metric, f.part));
    else if (sl_metric_is_share(metric))
        sl_table_share(t, f.part, f.whole);
    else if (has_unit(metric, "ratio"))
        sl_table_number(t, (double)f.part / (double)f.whole, 2, "");
    else if (has_unit(metric, "bytes"))
        sl_table_bytes(t, f.part);
    else if (has_unit(metric, "ns"))
        sl_table_time(t, f.part);
    else
        sl_table_count(t, f.part);
}

void sl_table_metrics(sl_table *t, const sl_metric_list *metrics, const sl_metric_row *row)
{
    for (size_t i = 0; i < metrics->count; i++)
        sl_table_metric(t, metrics->metric[i], row);
}

void sl_table_counts(sl_table *t, const sl_metric_list *metrics, const sl_counts *counts)
{
    sl_table_metrics(t, metrics, &(sl_metric_row){.counts = counts});
}
