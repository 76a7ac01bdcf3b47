/* SPDX-License-Identifier: MIT */
#include "profile/order.h"

#include <stdlib.h>

typedef struct warp {
    sl_warp_walk walk;
    bool live;
    bool waiting; /* at a barrier */
} warp;

/* Blocks of a core, and their warps. */
typedef struct order {
    const sl_loaded *loaded;
    const sl_trace_kernel *kernel;
    const sl_walk_plan *plan;
    const sl_order_observer *observer;
    sl_order_blocks blocks;
    size_t next_block;
    uint32_t warps;           /* of a block */
    uint8_t *wanted;          /* [mem_slots] */
    warp *warp;               /* [resident * warps] */
    uint32_t *live, *waiting; /* [resident]: warps of the block */
    sl_predictor *predictor;  /* [resident * warps * mem_slots] */
} order;

/* When all warps of a block that have not ended wait, they continue. */
static void release(order *o, uint32_t resident)
{
    if (!o->waiting[resident] || o->waiting[resident] < o->live[resident])
        return;
    o->waiting[resident] = 0;
    for (uint32_t w = 0; w < o->warps; w++)
        o->warp[resident * o->warps + w].waiting = false;
}

/* Ends with an access, at a barrier, or with the warp. */
static sl_status step_warp(order *o, sl_order_slot at, sl_error *error)
{
    warp *w = &o->warp[at.resident * o->warps + at.warp];
    if (!w->live || w->waiting)
        return SL_OK;
    for (;;) {
        sl_status status = sl_warp_walk_next(&w->walk, error);
        if (status)
            return status;
        if (w->walk.kind == SL_EVENT_REQUEST) {
            const sl_access *access = w->walk.access;
            if (o->wanted[access->slot])
                return o->observer->access(o->observer->context, access, at, error);
            continue;
        }
        if (w->walk.kind == SL_EVENT_BARRIER) {
            w->waiting = true;
            o->waiting[at.resident]++;
        } else {
            w->live = false;
            o->live[at.resident]--;
        }
        release(o, at.resident);
        return SL_OK;
    }
}

static void start_block(order *o, uint32_t resident)
{
    if (o->next_block == o->blocks.count)
        return;
    uint32_t block = o->blocks.block[o->next_block++];
    o->live[resident] = o->warps;
    o->waiting[resident] = 0;
    for (uint32_t w = 0; w < o->warps; w++) {
        size_t index = (size_t)resident * o->warps + w;
        o->warp[index] = (warp){.live = true};
        sl_warp_walk_init(&o->warp[index].walk, o->plan, o->loaded, block, w,
                          &o->predictor[index * o->kernel->mem_slots], NULL);
    }
}

static sl_status run(order *o, sl_error *error)
{
    for (bool busy = true; busy;) {
        busy = false;
        for (uint32_t r = 0; r < o->blocks.resident; r++) {
            if (!o->live[r])
                start_block(o, r);
            busy = busy || o->live[r];
            for (uint32_t w = 0; w < o->warps && o->live[r]; w++) {
                sl_status status = step_warp(o, (sl_order_slot){r, w}, error);
                if (status)
                    return status;
            }
        }
    }
    return SL_OK;
}

static void fini(order *o)
{
    free(o->wanted);
    free(o->warp);
    free(o->live);
    free(o->waiting);
    free(o->predictor);
}

static bool init(order *o)
{
    size_t slots = o->kernel->mem_slots ? o->kernel->mem_slots : 1;
    size_t warps = (size_t)o->blocks.resident * o->warps;
    o->wanted = calloc(slots, 1);
    o->warp = calloc(warps, sizeof *o->warp);
    o->live = calloc(o->blocks.resident, sizeof *o->live);
    o->waiting = calloc(o->blocks.resident, sizeof *o->waiting);
    o->predictor = calloc(warps * slots, sizeof *o->predictor);
    return o->wanted && o->warp && o->live && o->waiting && o->predictor;
}

sl_status sl_order_run(const sl_loaded *loaded, const sl_walk_plan *plan, sl_order_blocks blocks,
                       const sl_order_observer *observer, sl_error *error)
{
    order o = {
        .loaded = loaded,
        .kernel = sl_loaded_kernel(loaded),
        .plan = plan,
        .observer = observer,
        .blocks = blocks,
        .warps = sl_launch_warps(sl_loaded_launch(loaded)),
    };
    if (!blocks.count)
        return SL_OK;
    if (o.blocks.resident > blocks.count)
        o.blocks.resident = (uint32_t)blocks.count;
    sl_status status = init(&o) ? SL_OK : sl_fail_memory(error);
    if (!status) {
        for (uint32_t s = 0; s < o.kernel->mem_slots; s++)
            o.wanted[s] = observer->wants(observer->context, &o.kernel->inst[o.kernel->mem_inst[s]]);
        status = run(&o, error);
    }
    fini(&o);
    return status;
}
