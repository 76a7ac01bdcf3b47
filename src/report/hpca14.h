/* SPDX-License-Identifier: MIT */
/* The report of a run that mimics the authors' program of the reuse-distance paper. */
#ifndef SL_REPORT_HPCA14_H
#define SL_REPORT_HPCA14_H

#include <stdio.h>

#include "model/hpca14.h"
#include "report/launches.h"

typedef struct sl_hpca14_report {
    const sl_hpca14_result *result;
    sl_report_info info;
} sl_hpca14_report;

sl_status sl_hpca14_report_text(FILE *file, const sl_hpca14_report *report, size_t width, sl_error *error);
sl_status sl_hpca14_report_json(FILE *file, const sl_hpca14_report *report, sl_error *error);
sl_status sl_hpca14_report_csv(FILE *file, const sl_hpca14_report *report, sl_error *error);

#endif
