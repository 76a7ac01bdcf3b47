/* SPDX-License-Identifier: MIT */
/* Ranks cache controls of a launch that a GPU is about to run: its memory is copied to the emulator, at the same
 * addresses, its first blocks are recorded there, and the model (rank_loads.h) says what to time first.
 *
 * Blocks are recorded as long as trace and time allow, and the model has the share of the cores that they are of all
 * blocks. Nothing on the GPU changes. */
#ifndef SL_TUNE_RANK_LAUNCH_H
#define SL_TUNE_RANK_LAUNCH_H

#include "device/device.h"
#include "tune/rank_loads.h"

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
