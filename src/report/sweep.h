/* SPDX-License-Identifier: MIT */
/* Launches with many L1 configurations (a sweep) or many seeds: as tables, JSON and CSV. */
#ifndef SL_REPORT_SWEEP_H
#define SL_REPORT_SWEEP_H

#include "base/json_write.h"
#include "report/launches.h"
#include "trace/counters.h"

/* An L1 configuration, or a seed. */
typedef struct sl_sweep_point {
    const char *varied;        /* the only parameter that differs, "L1 size"; NULL: any number may */
    const char *factor;        /* "0.25x"; NULL where `varied` is */
    uint32_t ways, line_bytes; /* of the level */
    uint32_t mshrs;            /* 0: unlimited */
    uint64_t seed;
    const char *replacement; /* the policy of the level, where points differ in it; NULL: that of the machine */
} sl_sweep_point;

typedef struct sl_swept_launch {
    const char *symbol, *name;
    uint64_t index;
    uint32_t grid[3], block[3];
    bool failed; /* then its numbers are not shown */
    const char *failure;
    const uint64_t *l1_bytes; /* [points]: size of L1 beside the shared memory of the launch */
    const sl_counts *counts;  /* [points] */
} sl_swept_launch;

typedef struct sl_sweep {
    size_t points, launches, passes;
    const sl_sweep_point *point;
    const sl_swept_launch *launch;
    const char *note; /* a line under the text; NULL: none */
    sl_report_info info;
} sl_sweep;

/* `width`: columns of the terminal; 0: no limit. A row per point, summed over the launches of each kernel. */
sl_status sl_sweep_text(FILE *file, const sl_sweep *sweep, size_t width, sl_error *error);
/* Every point of every launch. */
sl_status sl_sweep_json(FILE *file, const sl_sweep *sweep, sl_error *error);
sl_status sl_sweep_csv(FILE *file, const sl_sweep *sweep, sl_error *error);
/* An object: what a point is, and its counters. */
void sl_sweep_point_json(sl_json *json, const sl_sweep_point *point, uint64_t l1_bytes, const sl_counts *counts);

/* The same for points that differ in their seeds alone: means over them, with the standard deviation. */
sl_status sl_seeds_text(FILE *file, const sl_sweep *sweep, size_t width, sl_error *error);
sl_status sl_seeds_json(FILE *file, const sl_sweep *sweep, sl_error *error);
sl_status sl_seeds_csv(FILE *file, const sl_sweep *sweep, sl_error *error);

#endif
