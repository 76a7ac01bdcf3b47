/* SPDX-License-Identifier: MIT */
/* Launches with hardware counters, as validations show them. */
#ifndef SL_REPORT_VALIDATED_H
#define SL_REPORT_VALIDATED_H

#include "report/validate.h"
#include "study/hardware.h"

/* A row for each pair, in the arena but for its predictions. `workload` NULL: the one that the counters name. */
sl_status sl_validated_rows(const sl_beside_hardware *beside, const sl_recording *recording, const char *workload,
                            sl_arena *arena, sl_validated **rows, sl_error *error);

#endif
