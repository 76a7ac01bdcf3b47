/* SPDX-License-Identifier: MIT */
/* A ranking: what a model expects of choices before any of them is timed. It decides the order in which they are timed,
 * and so which are left out where time or the number of timings is limited; never what is chosen. */
#ifndef SL_TUNE_RANKING_H
#define SL_TUNE_RANKING_H

#include "device/device.h"
#include "model/model.h"
#include "tune/loads.h"

typedef struct sl_ranking {
    const char *text; /* "by model h200", "not ranked: …" */
    /* What a choice, a mode per node of the graph, may gain at most, in percent of the time that loads wait; negative:
     * it loses. NULL: nothing is known, and the order is that of the code. */
    double (*predict)(const struct sl_ranking *ranking, const uint8_t *choice);
    const void *context; /* the model's */
} sl_ranking;

/* ---- of a trace (rank_loads.c) ---- */

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
 * definition of the controls and the latencies of the machine; nothing is fitted to timings.
 *
 * `share`: of the launch that what is loaded stands for, 1 where it is all. `node_of`: for each memory instruction of
 * the loaded kernel, its node of the graph; UINT32_MAX: none. The ranking is in the arena, and refers to the machine
 * and the graph. */
sl_status sl_rank_loads(const sl_machine *machine, const sl_loaded *loaded, double share, const sl_load_graph *graph,
                        const uint32_t *node_of, uint64_t seed, sl_pool *pool, sl_arena *arena, sl_ranking *ranking,
                        sl_error *error);

/* A ranking that says why there is none. */
sl_status sl_not_ranked(const sl_error *why, sl_arena *arena, sl_ranking *ranking, sl_error *error);

/* ---- of a launch on a GPU (rank_launch.c) ---- */

/* Ranks cache controls of a launch that a GPU is about to run: its memory is copied to the emulator, at the same
 * addresses, its first blocks are recorded there, and the model says what to time first.
 *
 * Blocks are recorded as long as trace and time allow, and the model has the share of the cores that they are of all
 * blocks. Nothing on the GPU changes. */
typedef struct sl_rank_options {
    const char *scratch; /* a folder for the trace */
    double seconds; /* that tuning may take; 0: any. Of these a tenth, but 2 at most, are for recording blocks, and the
                       trace is as much shorter */
    uint64_t max_bytes; /* of memory to copy; 0: 1 GiB */
} sl_rank_options;

/* Always answers: where the launch cannot be ranked, ranking->predict is NULL and ranking->text says why. Everything is
 * in the arena; `graph` must outlive it. SL_NO_MEMORY is the only failure. */
sl_status sl_rank_launch(sl_device_kernel *kernel, const sl_device_launch *launch, const sl_load_graph *graph,
                         const sl_rank_options *options, sl_arena *arena, sl_ranking *ranking, sl_error *error);

#endif
