/* SPDX-License-Identifier: MIT */
/* Simulated launches, as tables for terminals, JSON and CSV. */
#ifndef SL_REPORT_SIM_H
#define SL_REPORT_SIM_H

#include "analysis/result.h"
#include "report/launches.h"

/* `width`: columns of the terminal; 0: no limit. */
sl_status sl_sim_report_text(FILE *file, const sl_result *result, size_t width, sl_error *error);
sl_status sl_sim_report_json(FILE *file, const sl_result *result, const sl_report_info *info, sl_error *error);
/* As sl_launch_report_csv, with more columns at the end of a launch's row. */
sl_status sl_sim_report_csv(FILE *file, const sl_result *result, sl_error *error);

#endif
