/* SPDX-License-Identifier: MIT */
/* What the model says of launches, as tables for people. JSON and CSV are those of all launches (launches.h). */
#ifndef SL_REPORT_MODEL_H
#define SL_REPORT_MODEL_H

#include "report/launches.h"

/* `width`: columns of the terminal; 0: no limit. */
sl_status sl_model_report_text(FILE *file, const sl_launch_log *log, size_t width, sl_error *error);

#endif
