/* SPDX-License-Identifier: MIT */
/* Needleman-Wunsch without shared memory: what adaptive bypassing's authors made of Rodinia's nw ("nw-noSPM") to ask
 * how much of a scratchpad's work a cache can do. Their program is not published; this one keeps the tiles and launches
 * of nw, holds in registers what a thread computed itself, and reads from global memory what its neighbour did.
 *
 * Along an anti-diagonal every lane is in another row: each load and store of a warp accesses 16 lines, and returns
 * to them a step later. A block lives on about 48 lines at a time, of which those of the similarities and of the
 * finished scores are soon dead: with many blocks, an L1 loses lines before their second use. */
#include "workloads/common/needleman.h"

void sl_workload_nw_global(sl_host *h)
{
    sl_needleman(h);
}
