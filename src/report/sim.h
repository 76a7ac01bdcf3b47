/* SPDX-License-Identifier: MIT */
/* Simulated launches, as tables for terminals, JSON and CSV. */
#ifndef SL_REPORT_SIM_H
#define SL_REPORT_SIM_H

#include "base/array.h"
#include "report/launches.h"
#include "sim/l1_requests.h"
#include "sim/series.h"

/* A statistic that a policy reports (sl_policy_ops.report). */
typedef struct sl_policy_statistic {
    uint32_t level;
    const char *policy, *name;
    uint64_t value;
} sl_policy_statistic;

typedef struct sl_sim_reported {
    sl_sim_level_result level[SL_MAX_LEVELS];
    uint64_t l1_bytes;
    uint32_t resident_blocks;
    sl_sim_bound bound; /* where sl_sim_report.bounded */
    double energy_nj;
    size_t statistics;
    sl_policy_statistic *statistic;
} sl_sim_reported;

typedef struct sl_sim_report {
    sl_arena arena;
    const sl_machine *machine;
    sl_launch_log *log;
    const sl_sim_search *search;      /* NULL: nothing was searched for */
    bool bounded;                     /* the bound on misses is known */
    SL_ARRAY(sl_sim_reported) launch; /* as the log's */
} sl_sim_report;

sl_status sl_sim_report_init(sl_sim_report *report, const sl_machine *machine, sl_error *error);
void sl_sim_report_fini(sl_sim_report *report);
/* Adds the result of a launch; `bound` may be NULL. */
sl_status sl_sim_report_add(sl_sim_report *report, const sl_sim *sim, const sl_loaded *loaded,
                            const sl_sim_result *result, const sl_sim_bound *bound, sl_error *error);

/* `width`: columns of the terminal; 0: no limit. */
sl_status sl_sim_report_text(FILE *file, const sl_sim_report *report, size_t width, sl_error *error);
sl_status sl_sim_report_json(FILE *file, const sl_sim_report *report, const sl_report_info *info, sl_error *error);
/* As sl_launch_report_csv, with more columns at the end of a launch's row. */
sl_status sl_sim_report_csv(FILE *file, const sl_sim_report *report, sl_error *error);

#endif
