/* SPDX-License-Identifier: MIT */
#include "profile/order.h"

#include <stdlib.h>

typedef struct warp {
    sl_warp_reader reader;
    bool live, in_step;
    bool waiting; /* at a barrier */
    bool pending; /* the reader's current access comes next: it stands behind a barrier that was waited at */
} warp;

/* Blocks of a core, and where in the kernel warps wait. */
typedef struct order {
    const sl_loaded *loaded;
    const sl_trace_kernel *kernel;
    const sl_order_listener *listener;
    sl_order_blocks blocks;
    uint64_t next_block;
    uint32_t warps;      /* of a block */
    uint8_t *wanted;     /* [mem_slots] */
    uint8_t *wait_first; /* [mem_slots]: a barrier stands between the access and the one before it in its basic block */
    uint8_t *wait_last;  /* [bbs]: one stands behind the block's last access */
    warp *warp;          /* [resident * warps] */
    uint32_t *live, *waiting; /* [resident]: warps of the block */
    sl_predictor *predictor;  /* [resident * warps * mem_slots] */
} order;

/* ---- barriers ---- */

static void find_barriers(order *o)
{
    const sl_trace_kernel *k = o->kernel;
    for (uint32_t b = 0; b < k->bbs; b++) {
        bool barrier = false;
        for (uint32_t i = k->bb[b].first; i < k->bb[b].first + k->bb[b].count; i++) {
            barrier = barrier || sl_inst_holds_block(k, &k->inst[i]);
            if (k->inst[i].mem_slot < k->mem_slots) {
                o->wait_first[k->inst[i].mem_slot] = barrier;
                barrier = false;
            }
        }
        o->wait_last[b] = barrier;
    }
}

/* When all warps of a block that have not ended wait, they go on. */
static void release(order *o, uint32_t resident)
{
    if (!o->waiting[resident] || o->waiting[resident] < o->live[resident])
        return;
    o->waiting[resident] = 0;
    for (uint32_t w = 0; w < o->warps; w++)
        o->warp[resident * o->warps + w].waiting = false;
}

static void wait(order *o, sl_order_place at, warp *w)
{
    w->waiting = true;
    o->waiting[at.resident]++;
    release(o, at.resident);
}

/* ---- turns ---- */

/* Goes to the warp's next access. False: it waits, or has ended. */
static bool next_access(order *o, sl_order_place at, warp *w, sl_status *status, sl_error *error)
{
    while (!w->pending) {
        bool more = false;
        if (w->in_step) {
            *status = sl_warp_cursor_access(&w->reader.cursor, &more, error);
            if (*status)
                return false;
            if (more && !o->wait_first[w->reader.cursor.access.slot])
                return true;
            w->pending = more;
            w->in_step = more;
            if (more || o->wait_last[w->reader.cursor.bb]) {
                wait(o, at, w);
                return false;
            }
        } else {
            *status = sl_warp_reader_step(&w->reader, &more, error);
            w->in_step = more;
            if (*status || !more) {
                w->live = false;
                o->live[at.resident]--;
                release(o, at.resident);
                return false;
            }
        }
    }
    w->pending = false;
    return true;
}

static sl_status take_turn(order *o, sl_order_place at, sl_error *error)
{
    warp *w = &o->warp[at.resident * o->warps + at.warp];
    sl_status status = SL_OK;
    while (w->live && !w->waiting && next_access(o, at, w, &status, error)) {
        const sl_access *access = &w->reader.cursor.access;
        if (access->mask && o->wanted[access->slot])
            return o->listener->access(o->listener->context, access, at, error);
    }
    return status;
}

static void take_block(order *o, uint32_t resident)
{
    if (o->next_block >= sl_loaded_blocks(o->loaded))
        return;
    o->live[resident] = o->warps;
    o->waiting[resident] = 0;
    for (uint32_t w = 0; w < o->warps; w++) {
        size_t index = (size_t)resident * o->warps + w;
        o->warp[index] = (warp){.live = true};
        sl_warp_reader_init(&o->warp[index].reader, o->loaded, o->next_block, w,
                            &o->predictor[index * o->kernel->mem_slots]);
    }
    o->next_block += o->blocks.step;
}

static sl_status run(order *o, sl_error *error)
{
    for (bool busy = true; busy;) {
        busy = false;
        for (uint32_t r = 0; r < o->blocks.resident; r++) {
            if (!o->live[r])
                take_block(o, r);
            busy = busy || o->live[r];
            for (uint32_t w = 0; w < o->warps && o->live[r]; w++) {
                sl_status status = take_turn(o, (sl_order_place){r, w}, error);
                if (status)
                    return status;
            }
        }
    }
    return SL_OK;
}

/* ---- life ---- */

static void fini(order *o)
{
    free(o->wanted);
    free(o->wait_first);
    free(o->wait_last);
    free(o->warp);
    free(o->live);
    free(o->waiting);
    free(o->predictor);
}

static bool init(order *o)
{
    size_t slots = o->kernel->mem_slots ? o->kernel->mem_slots : 1, bbs = o->kernel->bbs ? o->kernel->bbs : 1;
    size_t warps = (size_t)o->blocks.resident * o->warps;
    o->wanted = calloc(slots, 1);
    o->wait_first = calloc(slots, 1);
    o->wait_last = calloc(bbs, 1);
    o->warp = calloc(warps, sizeof *o->warp);
    o->live = calloc(o->blocks.resident, sizeof *o->live);
    o->waiting = calloc(o->blocks.resident, sizeof *o->waiting);
    o->predictor = calloc(warps * slots, sizeof *o->predictor);
    return o->wanted && o->wait_first && o->wait_last && o->warp && o->live && o->waiting && o->predictor;
}

sl_status sl_order_run(const sl_loaded *loaded, sl_order_blocks blocks, const sl_order_listener *listener,
                       sl_error *error)
{
    order o = {
        .loaded = loaded,
        .kernel = sl_loaded_kernel(loaded),
        .listener = listener,
        .blocks = blocks,
        .next_block = blocks.first,
        .warps = sl_launch_warps(sl_loaded_launch(loaded)),
    };
    uint64_t all = sl_loaded_blocks(loaded), mine = blocks.first < all ? (all - 1 - blocks.first) / blocks.step + 1 : 0;
    if (!mine)
        return SL_OK;
    if (o.blocks.resident > mine)
        o.blocks.resident = (uint32_t)mine;
    sl_status status = init(&o) ? SL_OK : sl_fail_memory(error);
    if (!status) {
        for (uint32_t s = 0; s < o.kernel->mem_slots; s++)
            o.wanted[s] = listener->wants(listener->context, &o.kernel->inst[o.kernel->mem_inst[s]]);
        find_barriers(&o);
        status = run(&o, error);
    }
    fini(&o);
    return status;
}
