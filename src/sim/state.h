/* SPDX-License-Identifier: MIT */
/* What waits for what, when nothing moves any more. */
#ifndef SL_SIM_STATE_H
#define SL_SIM_STATE_H

#include "sim/engine.h"

/* SL_FAULT with a summary; the whole state is what sl_sim_state_text says. */
sl_status sl_sim_stuck(sl_sim *sim, sl_error *error);

#endif
