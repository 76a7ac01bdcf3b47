/* SPDX-License-Identifier: MIT */
/* Who listens to launches while they run: the emulator calls, a recorder (or a test) is called. */
#ifndef SL_TRACE_SINK_H
#define SL_TRACE_SINK_H

#include "trace/count.h"

/* Counted for every launch, recorded or not. */
typedef struct sl_launch_stats {
    uint64_t warp_insts, thread_insts;
    uint64_t blocks;
    bool parallel;    /* blocks ran on several threads */
    bool repeated;    /* it was not run: an earlier launch has done the same */
    bool interrupted; /* a signal ended it: some blocks are missing */
} sl_launch_stats;

/* Calls come from one thread at a time; blocks in ascending order, or cluster after cluster (parts of long blocks in
 * order; parts of different blocks may interleave when blocks had to run interleaved). A failing call ends the launch.
 */
typedef struct sl_launch_sink {
    void *context;
    /* *wanted false: this launch is not recorded (block is not called; end is). Blocks >= *block_limit are not either.
     * Everything pointed to stays valid until `end` returns. */
    sl_status (*begin)(void *context, const sl_trace_kernel *, const sl_trace_launch *, const sl_trace_range *,
                       size_t ranges, bool *wanted, uint64_t *block_limit, sl_error *);
    sl_status (*block)(void *context, const sl_block_view *, sl_error *);
    /* failure: the error that the launch ended with, so that what was recorded of it is incomplete; NULL: none. */
    sl_status (*end)(void *context, const sl_launch_stats *, const char *failure, sl_error *);
    /* May be NULL. Asked when a launch has begun that is wanted: with a counter as the answer, its blocks are counted
     * in it and not handed over. */
    sl_launch_counter *(*counter)(void *context);
    /* May be NULL. Before the end of a launch that has not failed: the same may come again. True: what was recorded of
     * it is kept under a number below SL_REPEATABLE, in the place of what was kept under it before. */
    bool (*keep)(void *context, uint32_t number);
    /* In the place of all blocks, between begin and end: the launch does what the one did that is kept under a number.
     */
    sl_status (*repeat)(void *context, uint32_t number, sl_error *);
} sl_launch_sink;

#endif
