/* SPDX-License-Identifier: MIT */
/* Launches before and after a what-if. */
#ifndef SL_REPORT_WHAT_IF_H
#define SL_REPORT_WHAT_IF_H

#include "analysis/result.h"
#include "report/document.h"
#include "trace/what_if.h"

/* Results of the same analysis of the same launches: simulated, else estimated. */
typedef struct sl_what_if_results {
    const sl_what_if *what_if;
    const sl_result *before, *after;
} sl_what_if_results;

/* Cycles of all launches; 0 where some launch has none. */
uint64_t sl_result_cycles(const sl_result *result);

/* What is assumed, a row per launch, and the ratio of all cycles. */
void sl_document_what_if(sl_document *document, const sl_what_if_results *results);

#endif
