/* SPDX-License-Identifier: MIT */
/* Which core gets the next block. Blocks of a launch go out in order, one to each core with room in a cycle, in rounds
 * over the cores. A small cluster of cores (core.apart, numbered first) has rounds of its own: one to begin with, and
 * one after every so many blocks of the others (core.apart_every). The model deals blocks in the same way
 * (model/deal.h), but has to guess when a core has room again. */
#ifndef SL_SIM_DISPATCH_H
#define SL_SIM_DISPATCH_H

#include "sim/engine.h"

sl_status sl_dispatch(sl_sim *sim, sl_error *error);

#endif
