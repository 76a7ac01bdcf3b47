/* SPDX-License-Identifier: MIT */
/* Points beside each other as reports show them. */
#ifndef SL_REPORT_WHATIF_H
#define SL_REPORT_WHATIF_H

#include "report/sweep.h"
#include "study/whatif.h"

/* A run of points as a sweep, in the arena; its head is left to the caller. */
sl_status sl_whatif_sweep(const sl_whatif *whatif, const sl_recording *recording, sl_arena *arena, sl_sweep *sweep,
                          sl_error *error);

#endif
