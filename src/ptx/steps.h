/* SPDX-License-Identifier: MIT */
/* By how much the address of a memory instruction grows from one iteration of its loop to the next, where that is a
 * constant that the code shows. */
#ifndef SL_PTX_STEPS_H
#define SL_PTX_STEPS_H

#include "ptx/cfg.h"

/* One entry per instruction of `func`, in bytes, allocated in `arena`. 0: not a memory instruction with one register as
 * its address, not in a loop, the same address each time, or not known. A loop is the shortest stretch of blocks with
 * a branch from its end to its start. */
sl_status sl_ptx_steps(const sl_ptx_func *func, const sl_cfg *cfg, sl_arena *arena, int64_t **steps, sl_error *error);

#endif
