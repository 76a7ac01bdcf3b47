/* SPDX-License-Identifier: MIT */
/* Prediction of anchors (first addresses of slots, see codec.h) from neighboring warps and blocks. A base that is a
 * function of the block plus a function of the warp, as in nearly all regular kernels, is predicted exactly. Writer and
 * reader keep the same table; it starts over in every chunk. */
#ifndef SL_TRACE_ANCHORS_H
#define SL_TRACE_ANCHORS_H

#include <stdbool.h>
#include <stdint.h>

enum { SL_ANCHOR_ROWS = 64 };

typedef struct sl_anchor_cell {
    uint64_t base;
    uint32_t epoch;
} sl_anchor_cell;

typedef struct sl_anchor_slot {
    uint64_t base;         /* the latest */
    uint64_t warp_stride;  /* from one warp to the next */
    uint64_t block_stride; /* from a warp of one block to the same warp of the next */
    uint32_t epoch;
} sl_anchor_slot;

typedef struct sl_anchor_table {
    uint32_t slots, epoch;
    sl_anchor_slot *slot;
    sl_anchor_cell *row[SL_ANCHOR_ROWS]; /* [warp % rows][slot]; made when first needed */
} sl_anchor_table;

void sl_anchor_table_fini(sl_anchor_table *table); /* an all-zero table is fine */
/* Forgets everything. False when memory runs out. */
bool sl_anchor_table_reset(sl_anchor_table *table, uint32_t slots);
/* Before anchors of `warp`; false when memory runs out. */
bool sl_anchor_table_warp(sl_anchor_table *table, uint32_t warp);

/* What the base is expected to be. */
static inline uint64_t sl_anchor_predict(const sl_anchor_table *t, uint32_t warp, uint32_t slot)
{
    const sl_anchor_cell *cell = &t->row[warp % SL_ANCHOR_ROWS][slot];
    const sl_anchor_slot *s = &t->slot[slot];
    if (s->epoch != t->epoch)
        return 0;
    return cell->epoch == t->epoch ? cell->base + s->block_stride : s->base + s->warp_stride;
}

/* What it was. */
static inline void sl_anchor_learn(sl_anchor_table *t, uint32_t warp, uint32_t slot, uint64_t base)
{
    sl_anchor_cell *cell = &t->row[warp % SL_ANCHOR_ROWS][slot];
    sl_anchor_slot *s = &t->slot[slot];
    if (s->epoch != t->epoch)
        *s = (sl_anchor_slot){.epoch = t->epoch};
    else
        s->warp_stride = base - s->base;
    if (cell->epoch == t->epoch)
        s->block_stride = base - cell->base;
    s->base = base;
    *cell = (sl_anchor_cell){base, t->epoch};
}

#endif
