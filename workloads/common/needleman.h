/* SPDX-License-Identifier: MIT */
/* Needleman-Wunsch alignment of two random sequences: the host of the workloads that differ in their kernels only. */
#ifndef SL_WORKLOADS_NEEDLEMAN_H
#define SL_WORKLOADS_NEEDLEMAN_H

#include "workloads/workload.h"

/* Scores the parameter n (a multiple of 16) by n cells in tiles of 16 x 16. A launch does one anti-diagonal of tiles
 * with 16 threads each: first `upper_left`, from one tile to all n / 16, then `lower_right` back to one. Both kernels
 * take (similarity, score, columns, penalty, tiles in the launch, tiles per side). */
void sl_needleman(sl_host *h);

#endif
