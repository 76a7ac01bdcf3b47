/* SPDX-License-Identifier: MIT */
/* From what was counted while a launch ran to its result. */
#ifndef SL_SIM_RESULTS_H
#define SL_SIM_RESULTS_H

#include "sim/engine.h"

sl_status sl_sim_collect(sl_sim *sim, sl_error *error);

#endif
