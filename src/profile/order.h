/* SPDX-License-Identifier: MIT */
/* The order in which the accesses of a core's blocks are assumed to reach memory: see profile.h. */
#ifndef SL_PROFILE_ORDER_H
#define SL_PROFILE_ORDER_H

#include "trace/walk.h"

/* The origin of an access: the address of local memory depends on the warp's slot. */
typedef struct sl_order_slot {
    uint32_t resident; /* of the blocks that the core holds at a time, from 0 */
    uint32_t warp;     /* of its block */
} sl_order_slot;

typedef struct sl_order_observer {
    void *context;
    /* Whether accesses of that instruction take part; a warp's turn ends with one that does. */
    bool (*wants)(void *context, const sl_inst *inst);
    sl_status (*access)(void *context, const sl_access *access, sl_order_slot position, sl_error *error);
} sl_order_observer;

/* The blocks that a core runs, by index among the recorded ones. */
typedef struct sl_order_blocks {
    const uint32_t *block;
    size_t count;
    uint32_t resident; /* at a time */
} sl_order_blocks;

sl_status sl_order_run(const sl_loaded *loaded, const sl_walk_plan *plan, sl_order_blocks blocks,
                       const sl_order_observer *observer, sl_error *error);

#endif
