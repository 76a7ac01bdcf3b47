/* SPDX-License-Identifier: MIT */
/* Runs many variants of the model over the launches of a trace. */
#ifndef SL_CLI_SWEEP_RUN_H
#define SL_CLI_SWEEP_RUN_H

#include "base/arena.h"
#include "cli/trace_input.h"
#include "model/variants.h"
#include "report/sweep.h"

/* Fills counts[launches][variants], and in l1_bytes, alike, what shared memory leaves of each first level. Many
 * launches run side by side, few of them one after the other with all threads. */
sl_status sl_sweep_launches(const sl_invocation *inv, const sl_trace_input *input, const sl_model_variant *variant,
                            size_t variants, sl_counts *counts, uint64_t *l1_bytes, sl_error *error);
/* The launches with their counts, for a report; NULL: no memory. */
sl_swept_launch *sl_swept_launches(const sl_trace_input *input, const sl_counts *counts, const uint64_t *l1_bytes,
                                   size_t points, sl_arena *arena);

#endif
