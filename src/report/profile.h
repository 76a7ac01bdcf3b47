/* SPDX-License-Identifier: MIT */
/* The report on the reuse of lines and sectors, as text, JSON and CSV. */
#ifndef SL_REPORT_PROFILE_H
#define SL_REPORT_PROFILE_H

#include <stdio.h>

#include "analysis/result.h"
#include "base/json_write.h"
#include "report/launches.h"

typedef struct sl_profile_report {
    const sl_result *result;
    sl_report_info info; /* for the head of the JSON */
} sl_profile_report;

/* `width`: columns of the terminal; 0: no limit. */
sl_status sl_profile_report_text(FILE *file, const sl_profile_report *report, size_t width, sl_error *error);
sl_status sl_profile_report_json(FILE *file, const sl_profile_report *report, sl_error *error);
/* One value per row, for plotting. Where `launch` is empty the row sums a kernel's launches, where `kernel` is empty
 * all. `from` and `to` are the ends of a histogram's bin or of a window (both inclusive); "never" stands for first
 * accesses. */
sl_status sl_profile_report_csv(FILE *file, const sl_profile_report *report, sl_error *error);
/* The same for each memory instruction. */
sl_status sl_profile_report_loads(FILE *file, const sl_profile_report *report, sl_error *error);

/* Members of an object: counters, shares, line_distance, sector_distance, line_gap, line_reuses. */
void sl_profile_counts_json(sl_json *json, const sl_profile_counts *counts, const sl_profile_options *options);
/* A member: "footprint". */
void sl_profile_footprint_json(sl_json *json, const sl_profile *profile, const sl_profile_options *options);

#endif
