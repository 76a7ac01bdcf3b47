/* SPDX-License-Identifier: MIT */
/* The reuse of lines and sectors, as part of documents. */
#ifndef SL_REPORT_PROFILE_H
#define SL_REPORT_PROFILE_H

#include "analysis/result.h"
#include "report/document.h"

/* A profile: for people tables and charts; for programs every value. In CSV a value per row, for plotting: where
 * `launch` is empty the row sums a kernel's launches, where `kernel` is empty all. `from` and `to` are the ends of a
 * histogram's bin or of a window (both inclusive); "never" stands for first accesses. */
void sl_document_profile(sl_document *document, const sl_result *result);

/* Its part for programs. */
void sl_document_profile_data(sl_document *document, const sl_result *result);

/* What values of JSON are taken from. */
typedef struct sl_profile_value {
    const sl_profile_counts *counts;
    const sl_profile *footprint; /* NULL: none */
    const sl_profile_options *options;
} sl_profile_value;
/* An object: counters, shares, line_distance, sector_distance, line_gap, line_reuses. */
void sl_profile_counts_json(sl_json *json, const void *value);
/* An object: footprint over time. */
void sl_profile_footprint_json(sl_json *json, const void *value);

#endif
