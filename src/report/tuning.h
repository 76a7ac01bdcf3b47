/* SPDX-License-Identifier: MIT */
/* What tuning and measuring found, kernel by kernel. */
#ifndef SL_REPORT_TUNING_H
#define SL_REPORT_TUNING_H

#include "report/document.h"
#include "tune/plan.h"

/* The result of one selection strategy for one kernel. */
typedef struct sl_tuning_row {
    const char *subject; /* workload or file */
    const char *kernel;
    uint64_t launch;   /* the one that was timed */
    uint64_t launches; /* of this kernel */
    uint32_t loads, groups;
    const char *select;
    uint32_t chosen;    /* loads that bypass */
    double base, time;  /* medians, in the unit */
    double gain;        /* percent; of pairs, so not quite what the medians say */
    double gain_spread; /* percent */
    double noise;       /* percent */
    const char *verdict;
} sl_tuning_row;

typedef struct sl_tuning {
    sl_report_info info;
    const char *timer, *unit;
    size_t rows;
    const sl_tuning_row *row;
    const sl_plan *plan; /* whose loads are shown; NULL: none are */
} sl_tuning;

void sl_document_tuning(sl_document *document, const sl_tuning *tuning);

#endif
