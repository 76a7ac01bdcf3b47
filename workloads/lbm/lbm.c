/* SPDX-License-Identifier: MIT */
/* The lattice-Boltzmann method of Parboil and SPEC (lbm): fluid in a box whose lids at both ends in z move, D3Q19, one
 * thread per cell, one block per row, one launch per time step. The grid is a structure of arrays of 20 floats per
 * cell: 19 distributions and flags. A thread reads 20 arrays at its cell and writes 19 at the neighbours: everything is
 * in full lines but for the shifts by one cell, nothing is read twice, and the 39 streams of each warp press on the
 * caches. Grids have two planes more at each end, which take what flows out of the box. */
#include "workloads/common/lattice.h"

void sl_workload_lbm(sl_host *h)
{
    sl_lattice(h, false);
}
