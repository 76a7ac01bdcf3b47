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

/* `order`: the kernel's instructions in the order in which they issue, each in its basic block; NULL: as in the trace.
 */
sl_status sl_walk_plan_create(const sl_trace_kernel *kernel, const uint32_t *order, sl_walk_plan **plan,
                              sl_error *error);
void sl_walk_plan_destroy(sl_walk_plan *plan); /* NULL is fine */

typedef struct sl_warp_walk {
    sl_event_kind kind;
    uint32_t insts; /* warp instructions since the last event, this one included */
    uint64_t waits; /* ranks of loads that must have completed */
    uint32_t rank;  /* of this load; SL_WALK_LOADS where nobody waits for it */
    /* a request: its instruction, and what that accesses; valid until the next event */
    const sl_inst *inst;
    sl_access *access;
    /* private to the walker */
    sl_warp_reader reader;
    const sl_walk_plan *plan;
    sl_access *ahead; /* accesses of the basic block that were read before they issue */
    uint32_t at;      /* next event of the basic block */
    uint32_t read;    /* accesses of the basic block that were read */
    bool within;
} sl_warp_walk;

/* Accesses that a warp reads before they issue, at most; 0 in the order of the trace. */
uint32_t sl_walk_read_ahead(const sl_walk_plan *plan);

/* Starts before the first event. `ahead`: room for sl_walk_read_ahead accesses, which only this walk uses. */
void sl_warp_walk_init(sl_warp_walk *walk, const sl_walk_plan *plan, const sl_loaded *loaded, uint64_t block,
                       uint32_t warp, sl_predictor *predictor, sl_access *ahead);
/* Goes to the next event. Accesses without a lane, and those to shared memory and parameters, are instructions like
 * others. */
sl_status sl_warp_walk_next(sl_warp_walk *walk, sl_error *error);

#endif
