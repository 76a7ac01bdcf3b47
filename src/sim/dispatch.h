/* SPDX-License-Identifier: MIT */
/* Starts blocks on cores with room, in order, at most one on each core in a cycle (access/cta.h). */
#ifndef SL_SIM_DISPATCH_H
#define SL_SIM_DISPATCH_H

#include "sim/engine.h"

sl_status sl_dispatch(sl_sim *sim, sl_error *error);

#endif
