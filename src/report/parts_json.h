/* SPDX-License-Identifier: MIT */
/* Parts of JSON reports that are reports of their own, and parts of larger ones. */
#ifndef SL_REPORT_PARTS_JSON_H
#define SL_REPORT_PARTS_JSON_H

#include "base/json_write.h"
#include "report/profile.h"
#include "report/sweep.h"
#include "report/validate.h"

/* Members of an object: counters, shares, line_distance, sector_distance, line_gap, line_reuses. */
void sl_profile_counts_json(sl_json *json, const sl_profile_counts *counts, const sl_profile_options *options);
/* A member: "footprint". */
void sl_profile_footprint_json(sl_json *json, const sl_profile *profile, const sl_profile_options *options);
/* An object: what the point is, and its counters. */
void sl_sweep_point_json(sl_json *json, const sl_sweep_point *point, uint64_t l1_bytes, const sl_counts *counts);
/* Members: least_sectors, launches_counted, launches_without_counters, mean_absolute_errors, counters, launches. */
void sl_validation_members_json(sl_json *json, const sl_validation *validation);

#endif
