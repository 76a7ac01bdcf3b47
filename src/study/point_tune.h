/* SPDX-License-Identifier: MIT */
/* Points of the kind "tune" (see point_tune.c). */
#ifndef SL_STUDY_POINT_TUNE_H
#define SL_STUDY_POINT_TUNE_H

#include "study/point.h"

/* Adds, summed over kernels: original_cycles and paper_cycles, ours_cycles, PassL0_1_cycles and so on; of each of these
 * way_loads (how many bypass), way_L0_hits and way_L0_reads (sectors) of each level, way_dram_reads; cycles by the
 * paper's way with other settings (thresh1_200_cycles, weight_0_cycles: in hundredths); and affinity_L2_3 (what the
 * third load gains alone in this mode, in percent), for points of one kernel. */
sl_status sl_point_tune(const sl_point *point, const sl_machine *machine, const sl_recording *recording, sl_pool *pool,
                        sl_values *values, sl_error *error);

#endif
