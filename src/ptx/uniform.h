/* SPDX-License-Identifier: MIT */
/* Which loads a compiler with a scalar unit makes scalar: their address is the same in all lanes of a warp at once, as
 * far as the code shows, and nothing in the kernel writes the array. */
#ifndef SL_PTX_UNIFORM_H
#define SL_PTX_UNIFORM_H

#include "ptx/base_array.h"
#include "ptx/cfg.h"

/* One entry per instruction of `func`, allocated in `arena`; `sets`: its base arrays. Loads of global memory alone.
 *
 * Values part with the lane's number, with what memory of the lane or the block holds, with atomics, and where
 * definitions on both sides of a branch that parts lanes meet. A value that is used behind a loop which lanes leave at
 * different times counts as the same: whoever asks looks at the addresses, too. Arrays of different parameters are
 * taken to be different ones; functions that are called may write any. */
sl_status sl_ptx_uniform_loads(const sl_ptx_func *func, const sl_cfg *cfg, const sl_base_set *sets, sl_arena *arena,
                               bool **uniform, sl_error *error);

#endif
