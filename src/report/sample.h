/* SPDX-License-Identifier: MIT */
/* Sums over launches of which only some were analyzed, with their intervals. */
#ifndef SL_REPORT_SAMPLE_H
#define SL_REPORT_SAMPLE_H

#include "analysis/result.h"
#include "report/document.h"

/* "57 of 10000 launches simulated, 95% intervals below"; for the heading of a report. `verb`: "simulated". Returns
 * `text`; "" where every launch was analyzed. */
char *sl_sample_heading(const sl_result_sample *sample, uint32_t launches, const char *verb, char *text, size_t size);
/* Nothing where every launch was analyzed. */
void sl_document_sample(sl_document *document, const sl_result *result);
/* The table of the intervals alone; NULL: there are none. */
sl_table *sl_sample_table(const sl_result_sample *sample);

#endif
