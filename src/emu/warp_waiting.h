/* SPDX-License-Identifier: MIT */
/* Splits that wait for lanes of their warp, for warp.c. */
#ifndef SL_EMU_WARP_WAITING_H
#define SL_EMU_WARP_WAITING_H

#include <string.h>

#include "emu/warp.h"

static inline void sl_warp_remove_split(sl_warp *warp, uint32_t index)
{
    uint32_t above = --warp->splits - index;
    if (above)
        memmove(&warp->split[index], &warp->split[index + 1], above * sizeof *warp->split);
}

/* Lanes that wait for others of their warp. */
uint64_t sl_warp_parked(const sl_warp *warp);
/* The lanes of a split for which every lane they name in the instruction at the start of its block is
 * in `here` or has exited. Lanes that its guard keeps out wait for nobody. */
uint64_t sl_warp_satisfied(const sl_warp *warp, const sl_warp_split *split, uint64_t here);
/* True when the running split, or what is left of it here, may run the block now. Splits that waited for it are
 * released; those at the same instruction run the block along with it. */
bool sl_warp_gather(sl_warp *warp);

#endif
