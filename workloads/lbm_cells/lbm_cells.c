/* SPDX-License-Identifier: MIT */
/* The lattice-Boltzmann method as Parboil's base version has it: the grid is an array of cells of 20 floats, so that
 * each load and store of a warp touches 20 lines, which the thread's other 19 accesses come back to. What of them is
 * still in L1 then depends on its size, and on how many warps are in flight. Otherwise as lbm. */
#include "workloads/common/lattice.h"

void sl_workload_lbm_cells(sl_host *h)
{
    sl_lattice(h, true);
}
