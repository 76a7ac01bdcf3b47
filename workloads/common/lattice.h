/* SPDX-License-Identifier: MIT */
/* The lattice-Boltzmann method in a box, its input and check, for both layouts of the grid: lbm and lbm_cells. */
#ifndef SL_WORKLOADS_LATTICE_H
#define SL_WORKLOADS_LATTICE_H

#include <stdbool.h>

#include "workloads/workload.h"

/* `cells`: an array of cells, otherwise a structure of arrays. */
void sl_lattice(sl_host *h, bool cells);

#endif
