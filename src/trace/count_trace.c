/* SPDX-License-Identifier: MIT */
#include "trace/count.h"

#include <stdlib.h>

enum { MIN_BLOCKS = 64, MAX_PIECES = 64 };

typedef struct piece {
    uint64_t first_block, end_block;
    sl_launch_counter *counter;
    sl_error damage; /* the first */
} piece;

typedef struct counting {
    const sl_trace *trace;
    uint32_t launch;
    piece *piece;
} counting;

static sl_status count_piece(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    counting *c = context;
    piece *p = &c->piece[index];
    sl_block_walker *walker;
    sl_status status = sl_block_walker_create(c->trace, c->launch, p->first_block, p->end_block, &walker, error);
    if (status)
        return status;
    bool more = true;
    while (more && !status) {
        sl_block_view view;
        sl_error trouble;
        status = sl_block_walker_next(walker, &view, &more, &trouble);
        if (!status && more)
            status = sl_launch_counter_block(p->counter, &view, &trouble);
        if (status == SL_CORRUPT) { /* continue behind what is damaged */
            if (!p->damage.status)
                p->damage = trouble;
            more = true;
            status = SL_OK;
        } else if (status && error) {
            *error = trouble;
        }
    }
    sl_block_walker_destroy(walker);
    return status;
}

/* The first piece's counter takes what the others have counted, in their order. */
static sl_status merge(piece *pieces, size_t count, sl_error *damage, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (damage && !damage->status && pieces[i].damage.status)
            *damage = pieces[i].damage;
        if (i)
            status = sl_launch_counter_merge(pieces[0].counter, pieces[i].counter, error);
    }
    return status;
}

sl_status sl_trace_count_launch(const sl_trace *trace, uint32_t launch, const sl_count_options *options, sl_pool *pool,
                                sl_launch_counter **counter, sl_error *damage, sl_error *error)
{
    const sl_trace_launch *l = sl_trace_launch_at(trace, launch);
    uint64_t blocks = sl_launch_blocks(l);
    size_t threads = pool ? sl_pool_threads(pool) : 1, count = threads > 1 ? threads * 4 : 1;
    if (count > blocks / MIN_BLOCKS + 1)
        count = (size_t)(blocks / MIN_BLOCKS) + 1;
    if (count > MAX_PIECES)
        count = MAX_PIECES;
    piece *pieces = calloc(count, sizeof *pieces);
    if (damage)
        *damage = (sl_error){0};
    if (!pieces)
        return sl_fail_memory(error);
    sl_status status = SL_OK;
    for (size_t i = 0; i < count && !status; i++) {
        pieces[i].first_block = blocks / count * i;
        pieces[i].end_block = i + 1 < count ? blocks / count * (i + 1) : UINT64_MAX;
        status = sl_launch_counter_create(sl_trace_kernel_at(trace, l->kernel), l, options, &pieces[i].counter, error);
    }
    counting c = {trace, launch, pieces};
    if (!status)
        status = sl_pool_run(pool, count, count_piece, &c, error);
    if (!status)
        status = merge(pieces, count, damage, error);
    for (size_t i = status ? 0 : 1; i < count; i++)
        sl_launch_counter_destroy(pieces[i].counter);
    if (!status)
        *counter = pieces[0].counter;
    free(pieces);
    return status;
}
