/* SPDX-License-Identifier: MIT */
/* May the blocks of a launch run in any order? */
#ifndef SL_EMU_INDEPENDENCE_H
#define SL_EMU_INDEPENDENCE_H

#include "emu/warp.h"

/* True only when it is certain that no block can see what another did. */
bool sl_blocks_independent(const sl_run *run);

#endif
