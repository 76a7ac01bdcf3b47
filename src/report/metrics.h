/* SPDX-License-Identifier: MIT */
/* Metrics as columns of tables: every table of a terminal or a page is a list of them. */
#ifndef SL_REPORT_METRICS_H
#define SL_REPORT_METRICS_H

#include "analysis/metrics.h"
#include "report/table.h"

/* A table with columns for metrics between others; either of these may be NULL. */
sl_table *sl_metric_table(const sl_column *first, size_t firsts, const sl_metric_list *metrics, const sl_column *last,
                          size_t lasts);
/* The cells of these columns. NULL: nothing is known. */
void sl_table_metrics(sl_table *table, const sl_metric_list *metrics, const sl_metric_row *row);
void sl_table_counts(sl_table *table, const sl_metric_list *metrics, const sl_counts *counts);
void sl_table_metric(sl_table *table, sl_metric metric, const sl_metric_row *row);

#endif
