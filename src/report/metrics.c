/* SPDX-License-Identifier: MIT */
#include "report/metrics.h"

#include <stdlib.h>
#include <string.h>

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
    else if (sl_metric_has_unit(metric, "limit"))
        sl_table_cell(t, sl_counter_word((sl_counter)metric, f.part));
    else if (sl_metric_is_share(metric))
        sl_table_share(t, f.part, f.whole);
    else if (sl_metric_has_unit(metric, "ratio"))
        sl_table_number(t, (double)f.part / (double)f.whole, 2, "");
    else if (sl_metric_has_unit(metric, "bytes"))
        sl_table_bytes(t, f.part);
    else if (sl_metric_has_unit(metric, "ns"))
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
