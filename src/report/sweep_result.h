/* SPDX-License-Identifier: MIT */
/* The points of a sweep, as text, CSV and JSON. */
#ifndef SL_REPORT_SWEEP_RESULT_H
#define SL_REPORT_SWEEP_RESULT_H

#include <stdio.h>

#include "study/sweep.h"

/* A row for each point, in order, and a column for each counter that any of them has. */
typedef struct sl_sweep_result {
    const sl_sweep_spec *spec;
    const sl_outcome *outcome;
    size_t width; /* of the terminal; 0: any */
} sl_sweep_result;
sl_status sl_sweep_result_csv(FILE *file, const void *result, sl_error *error);
sl_status sl_sweep_result_json(FILE *file, const void *result, sl_error *error);
sl_status sl_sweep_result_text(FILE *file, const void *result, sl_error *error);

#endif
