/* SPDX-License-Identifier: MIT */
/* Ranks cache controls of a launch by the reuse-distance model, in one pass over its trace, before any is timed.
 *
 * The model says of each memory instruction how many sectors hit in L1 and in L2, and how many miss that were there
 * before. A choice is worth what could be won at most, less what is lost for certain, in cycles of latency:
 *
 *   bypass, evict first   others may hit where they miss for lack of room, but one sector at most for each that the
 *                         accesses of the choice no longer fill; all hits of these accesses are lost
 *   evict last, window    the misses of the accesses themselves for lack of room
 *   prefetches            their misses in L2
 *   L1 carve-out, blocks  all misses in L1 for lack of room
 *   others                nothing
 *
 * L2 is warm when a kernel is timed: where it evicts nothing, hints to it neither win nor lose. All of this is from the
 * definition of the controls and the latencies of the machine; nothing is fitted to timings. */
#ifndef SL_TUNE_RANK_LOADS_H
#define SL_TUNE_RANK_LOADS_H

#include "model/model.h"
#include "tune/loads.h"
#include "tune/ranking.h"

/* `share`: of the launch that what is loaded stands for, 1 where it is all. `node_of`: for each memory instruction of
 * the loaded kernel, its node of the graph; UINT32_MAX: none. The ranking is in the arena, and refers to the machine
 * and the graph. */
sl_status sl_rank_loads(const sl_machine *machine, const sl_loaded *loaded, double share, const sl_load_graph *graph,
                        const uint32_t *node_of, uint64_t seed, sl_pool *pool, sl_arena *arena, sl_ranking *ranking,
                        sl_error *error);

/* A ranking that says why there is none. */
sl_status sl_not_ranked(const sl_error *why, sl_arena *arena, sl_ranking *ranking, sl_error *error);

#endif
