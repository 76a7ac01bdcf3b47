/* SPDX-License-Identifier: MIT */
/* Needleman-Wunsch sequence alignment, as Rodinia's nw: tiles of 16 x 16 integers are brought to shared memory, scored
 * along their anti-diagonals by 16 threads, and written back; a launch per anti-diagonal of tiles. Each value of global
 * memory is read about once and rows of a tile are 64 bytes that no line boundary is aligned with (rows are n + 1
 * long), so an L1 cache helps hardly at all (Decoupled L1D: below 1 % hits). Half of each warp of 32 is empty.
 *
 * Simplified: the alignment itself is not traced back, which the original does on the CPU. */
#include "workloads/common/needleman.h"

void sl_workload_nw(sl_host *h)
{
    sl_needleman(h);
}
