/* SPDX-License-Identifier: MIT */
/* Points of the kind "tune" (see point_tune.c). */
#ifndef SL_STUDY_POINT_TUNE_H
#define SL_STUDY_POINT_TUNE_H

#include "study/point.h"

/* Adds, summed over kernels: original_cycles and paper_cycles, ours_cycles, PassL0_1_cycles and so on; of each of these
 * NAME_loads (how many bypass), NAME_L0_hits and NAME_L0_reads (sectors) of each level, NAME_dram_reads; cycles of
 * the paper's strategy with other settings (thresh1_200_cycles, weight_0_cycles: in hundredths); and affinity_L2_3 (the
 * gain of the third load alone in this mode, in percent), for points of one kernel. */
sl_status sl_point_tune(const sl_point *point, const sl_machine *machine, const sl_recording *recording, sl_pool *pool,
                        sl_values *values, sl_error *error);

#endif
