/* SPDX-License-Identifier: MIT */
/* Reproductions of papers as text, CSV, JSON and an HTML page. */
#ifndef SL_REPORT_REPRODUCTION_H
#define SL_REPORT_REPRODUCTION_H

#include <stdio.h>

#include "report/document.h"
#include "study/reproduction.h"

enum { SL_MEASURE_BYTES = 48 };
/* "1.36", "8.9 %"; "" for NaN. Returns `buffer`. */
char *sl_measure_text(const sl_paper_measure *measure, double value, char buffer[SL_MEASURE_BYTES]);

/* Papers, with the numbers of all their figures. */
void sl_document_reproductions(sl_document *document, const sl_reproduction *item, size_t count);
/* One page of one paper. */
sl_status sl_reproduction_page(FILE *file, const sl_reproduction *reproduction, sl_error *error);

#endif
