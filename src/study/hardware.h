/* SPDX-License-Identifier: MIT */
/* Points compared with hardware counters: which row of counters belongs to which launch, and what each point predicts.
 */
#ifndef SL_STUDY_HARDWARE_H
#define SL_STUDY_HARDWARE_H

#include "study/point.h"
#include "trace/ncu.h"

typedef struct sl_hardware_comparison {
    sl_ncu_pairs pairs;
    size_t points;
    size_t analyzed;      /* pairs; the others have the predictions of one that counts alike (sl_point.sampling) */
    sl_counts *predicted; /* [pairs.count][points]; counters that a point does not have come from the trace */
} sl_hardware_comparison;

/* Runs the points, whose machines are resolved, on the launches that have counters. Launches of which only a part was
 * recorded are an error. `recording` has all launches of the wanted kernels, whatever their index. `pool` and
 * `progress` may be NULL. On failure there is nothing to free. */
sl_status sl_hardware_comparison_run(const sl_recording *recording, const sl_ncu *ncu, const sl_ncu_wanted *wanted,
                                     const sl_point *point, size_t points, sl_pool *pool, const sl_progress *progress,
                                     sl_hardware_comparison *result, sl_error *error);
void sl_hardware_comparison_fini(sl_hardware_comparison *result);

#endif
