/* SPDX-License-Identifier: MIT */
/* Parts that JSON and CSV reports have in common: what made them, launches, counters. */
#ifndef SL_REPORT_PARTS_H
#define SL_REPORT_PARTS_H

#include "base/json_write.h"
#include "report/document.h"
#include "trace/counters.h"

/* Members of the outermost object: tool, schema, version, command. */
void sl_report_tool_json(sl_json *json, const char *command);
/* A member: "grid": [x, y, z]. */
void sl_json_dims(sl_json *json, const char *key, const uint32_t dims[3]);

/* Members that say which launch an object is of: index, kernel, name, grid, block. */
void sl_json_launch(sl_json *json, uint64_t index, const char *symbol, const char *name, const uint32_t grid[3],
                    const uint32_t block[3]);
/* Members of a launch that failed: failed, and failure where that is known (not NULL or ""). */
void sl_json_failed(sl_json *json, bool failed, const char *failure);
/* A member: "counters": {"ld_sectors": 5, …}, those that are known. */
void sl_json_counts(sl_json *json, const char *key, const sl_counts *counts);

/* Columns of CSV, each with a comma before it: the names of counters, and their values, empty where one is unknown. */
void sl_csv_counters(FILE *file, const sl_counter_set *shown);
void sl_csv_counts(FILE *file, const sl_counter_set *shown, const sl_counts *counts);
/* The columns index, kernel and name, with a comma behind each. */
void sl_csv_launch(FILE *file, uint64_t index, const char *symbol, const char *name);

#endif
