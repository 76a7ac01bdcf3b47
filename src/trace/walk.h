/* SPDX-License-Identifier: MIT */
/* A warp of a trace as the memory system sees it: requests and barriers, with the instructions in between counted. */
#ifndef SL_TRACE_WALK_H
#define SL_TRACE_WALK_H

#include "trace/loaded.h"

typedef enum sl_event_kind { SL_EVENT_REQUEST, SL_EVENT_BARRIER, SL_EVENT_END } sl_event_kind;

/* What is known of a kernel before it runs. A wait is a bit per load of the kernel, by its rank: an event has to wait
 * for the loads that write a register which is read, or written again, on the way to it; the end of a warp for all. */
typedef struct sl_walk_plan sl_walk_plan;

enum { SL_WALK_LOADS = 64 }; /* ranks; loads at a distance of this many share one */

sl_status sl_walk_plan_create(const sl_trace_kernel *kernel, sl_walk_plan **plan, sl_error *error);
void sl_walk_plan_destroy(sl_walk_plan *plan); /* NULL is fine */

typedef struct sl_warp_walk {
    sl_event_kind kind;
    uint32_t insts; /* warp instructions since the last event, this one included */
    uint64_t waits; /* ranks of loads that must have completed */
    uint32_t rank;  /* of this load; SL_WALK_LOADS where nobody waits for it */
    /* a request: reader.cursor.access, and its instruction */
    const sl_inst *inst;
    sl_warp_reader reader;
    /* private to the walker */
    const sl_walk_plan *plan;
    uint32_t at; /* next event of the basic block */
    bool within;
} sl_warp_walk;

/* Starts before the first event. */
void sl_warp_walk_init(sl_warp_walk *walk, const sl_walk_plan *plan, const sl_loaded *loaded, uint64_t block,
                       uint32_t warp, sl_predictor *predictor);
/* Goes to the next event. Accesses without a lane, and those to shared memory and parameters, are instructions like
 * others. */
sl_status sl_warp_walk_next(sl_warp_walk *walk, sl_error *error);

#endif
