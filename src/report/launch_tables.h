/* SPDX-License-Identifier: MIT */
/* Tables of launches, kernels and memory instructions, for any list of metrics. */
#ifndef SL_REPORT_LAUNCH_TABLES_H
#define SL_REPORT_LAUNCH_TABLES_H

#include "analysis/launch_log.h"
#include "report/metrics.h"

/* Launches beyond these are summed by kernel. */
enum { SL_MAX_LAUNCH_LINES = 40 };

/* What is shown of the memory instructions of a kernel. */
typedef struct sl_load_view {
    const char *title;      /* "memory instructions with the most traffic" */
    const char *bar;        /* what bars show: "traffic" */
    size_t bar_width;       /* of terminals that have room for them */
    sl_metric weight;       /* sorts them, descending */
    sl_metric_list metrics; /* those without any of the first are left out */
    bool opcodes;           /* with a column for them */
    bool arrays;            /* also sums by array */
} sl_load_view;

/* A line per launch, or per kernel where there are many, and their sum. `shape`: with grid, block and bytes in the
 * trace. */
sl_status sl_launches_table(FILE *file, const sl_launch_log *log, const sl_metric_list *metrics, bool shape,
                            size_t width, sl_error *error);
/* Why launches failed, where some did. */
void sl_failures_text(FILE *file, const sl_launch_log *log);
/* A table for each kernel. */
sl_status sl_loads_tables(FILE *file, const sl_launch_log *log, const sl_load_view *view, size_t width,
                          sl_error *error);
/* "#" and "kernel" of a launch: cells of a table. */
void sl_launch_cells(sl_table *table, const sl_logged_launch *launch);
/* Location, opcode and array of an instruction: cells of a table. */
void sl_inst_cells(sl_table *table, const sl_inst_name *inst, uint32_t copies, bool opcode);

#endif
