/* SPDX-License-Identifier: MIT */
/* Reproductions of papers as text, CSV, JSON and an HTML page. */
#ifndef SL_REPORT_REPRODUCTION_H
#define SL_REPORT_REPRODUCTION_H

#include <stdio.h>

#include "study/reproduction.h"

enum { SL_MEASURE_BYTES = 48 };
/* "1.36", "8.9 %"; "" for NaN. Returns `buffer`. */
char *sl_measure_text(const sl_paper_measure *measure, double value, char buffer[SL_MEASURE_BYTES]);

/* ---- in all forms; `count` papers ---- */

typedef struct sl_reproductions {
    size_t count;
    sl_reproduction *item;
    size_t width; /* of the terminal; 0: any */
    bool all;     /* with the reasons */
} sl_reproductions;

sl_status sl_reproductions_text(FILE *file, const void *reproductions, sl_error *error);
sl_status sl_reproductions_csv(FILE *file, const void *reproductions, sl_error *error);
sl_status sl_reproductions_json(FILE *file, const void *reproductions, sl_error *error);
/* One page of one paper. */
sl_status sl_reproduction_page(FILE *file, const sl_reproduction *reproduction, sl_error *error);

#endif
