/* SPDX-License-Identifier: MIT */
/* The report "what each kernel launch executed and accessed", as text, JSON and CSV. */
#ifndef SL_REPORT_LAUNCHES_H
#define SL_REPORT_LAUNCHES_H

#include <stdio.h>

#include "analysis/launch_log.h"

/* Where numbers came from, for the head of a JSON report. */
typedef struct sl_report_option {
    const char *name, *value;
} sl_report_option;
typedef struct sl_report_trace {
    const char *path, *producer; /* producer NULL: unknown */
    const char *format;          /* "sluice", "accel-sim", "threads" */
    uint64_t bytes;              /* 0: unknown */
    const char *damage;          /* what cannot be read; NULL: nothing */
} sl_report_trace;
typedef struct sl_report_info {
    const char *command; /* "run" */
    const char *heading; /* what was analysed, on which GPU and how, for a line above tables; NULL: none */
    const char *machine; /* NULL: none was involved, and the member is left out */
    const sl_report_option *option;
    size_t options;
    const uint64_t *seed;               /* NULL: none was involved */
    const sl_report_trace *trace;       /* NULL: the launches do not come from a trace file */
    const struct sl_findings *findings; /* NULL: nothing was looked for, and the member is left out */
} sl_report_info;

/* `width`: columns of the terminal; 0: no limit. Many launches are shown as one line per kernel. */
sl_status sl_launch_report_text(FILE *file, const sl_launch_log *log, size_t width, sl_error *error);
sl_status sl_launch_report_json(FILE *file, const sl_launch_log *log, const sl_report_info *info, sl_error *error);
/* Modelled launches as tables; their JSON and CSV are those of all launches. */
sl_status sl_model_report_text(FILE *file, const sl_launch_log *log, size_t width, sl_error *error);
/* A row per launch; a row per memory instruction of each launch. */
sl_status sl_launch_report_csv(FILE *file, const sl_launch_log *log, sl_error *error);
sl_status sl_launch_report_loads(FILE *file, const sl_launch_log *log, sl_error *error);

#endif
