/* SPDX-License-Identifier: MIT */
/* Rows of numbers: the columns of metrics.def for anything that was counted, modelled or profiled. */
#ifndef SL_PAGE_METRICS_H
#define SL_PAGE_METRICS_H

#include <stdio.h>

#include "sluice/profile.h"
#include "trace/counters.h"

typedef struct sl_metric_row {
    const sl_counts *counts;
    const sl_profile_counts *reuse; /* NULL: unknown */
} sl_metric_row;

/* Bit per line of metrics.def: those that have a value worth a column in the row. */
uint64_t sl_metrics_of(const sl_metric_row *row, const sl_profile_options *options);
void sl_metrics_columns(FILE *file, uint64_t columns);
void sl_metrics_cells(FILE *file, uint64_t columns, const sl_metric_row *row, const sl_profile_options *options);

/* Classes that the sectors of loads fall in, as a picture: hits, late hits, misses by class. Nothing where the row has
 * no loads or no hits and misses. */
void sl_metrics_bar(FILE *file, const sl_counts *counts);

#endif
