/* SPDX-License-Identifier: MIT */
/* Metrics: the counters and the formulas over them of trace/metrics.def, and their values for anything that was
 * counted, modeled, simulated or profiled. */
#ifndef SL_ANALYSIS_METRICS_H
#define SL_ANALYSIS_METRICS_H

#include "sluice/profile.h"
#include "trace/counters.h"

/* Counters have the numbers of their sl_counter. */
typedef enum sl_metric {
#define SL_COUNTER(name, ...) SL_METRIC_##name,
#define SL_DERIVED(name, ...) SL_METRIC_##name,
#define SL_REUSE(name, ...)   SL_METRIC_reuse_##name,
#include "trace/metrics.def"
    SL_METRICS,
    SL_METRICS_OF_REUSE = SL_METRIC_reuse_requests, /* the first of them */
} sl_metric;

typedef struct sl_metric_info {
    const char *name; /* in JSON and CSV */
    const char *unit, *heading, *long_heading, *description;
} sl_metric_info;

extern const sl_metric_info sl_metric_infos[SL_METRICS];

/* What values are taken from; NULL: unknown. */
typedef struct sl_metric_row {
    const sl_counts *counts;
    const sl_profile_counts *reuse;
    const sl_profile_options *options; /* of the reuse */
} sl_metric_row;

/* A list of metrics, as the columns of a table. */
typedef struct sl_metric_list {
    const sl_metric *metric;
    size_t count;
} sl_metric_list;
#define SL_METRIC_LIST(...)                                                                                            \
    {                                                                                                                  \
        (const sl_metric[]){__VA_ARGS__}, sizeof(sl_metric[]){__VA_ARGS__} / sizeof(sl_metric)                         \
    }

typedef struct sl_fraction {
    uint64_t part, whole; /* whole is 1 for what is no ratio */
    bool known;           /* and the whole is not 0 */
} sl_fraction;

sl_fraction sl_metric_of(sl_metric metric, const sl_metric_row *row);
bool sl_metric_has_unit(sl_metric metric, const char *unit);
bool sl_metric_is_share(sl_metric metric); /* in percent */
/* 1: a larger value is an improvement; -1: a smaller one; 0: neither. */
int sl_metric_better(sl_metric metric);
/* As a number, shares in percent; false where it is unknown. */
bool sl_metric_value(sl_metric metric, const sl_metric_row *row, double *value);
/* The same of counters alone. */
bool sl_counts_metric(sl_metric metric, const sl_counts *counts, double *value);
/* For people: "1.05 M", "24.0 MiB", "3.20 us", "87.5%"; `digits` after the point of a percentage. "" where it is
 * unknown. Returns `buffer`. */
enum { SL_METRIC_BYTES = 48 };
char *sl_metric_text(sl_metric metric, const sl_metric_row *row, int digits, char buffer[SL_METRIC_BYTES]);

#endif
