/* SPDX-License-Identifier: MIT */
/* The accesses of a launch as rows of a table, for whoever wants arrays. */
#include <stdlib.h>
#include <string.h>

#include "sluice/trace.h"

struct sl_access_reader {
    sl_block_walker *walker;
    const sl_trace_kernel *kernel;
    uint32_t lanes;
    bool *wanted; /* [mem_slots] */
    sl_predictor *predictor;
    sl_block_view view;
    uint32_t warps; /* of the view, begun */
    sl_warp_cursor cursor;
    bool in_warp, in_step, in_access; /* what the cursor is in the midst of */
};

sl_status sl_access_reader_create(const sl_trace *trace, uint32_t launch, uint64_t first_block, uint64_t end_block,
                                  const uint32_t *slot, size_t slots, sl_access_reader **reader, sl_error *error)
{
    sl_block_walker *walker;
    *reader = NULL;
    sl_status status = sl_block_walker_create(trace, launch, first_block, end_block, &walker, error);
    if (status)
        return status;
    const sl_trace_launch *l = sl_trace_launch_at(trace, launch);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(trace, l->kernel);
    sl_access_reader *r = calloc(1, sizeof *r);
    if (r)
        *r = (sl_access_reader){.walker = walker,
                                .kernel = kernel,
                                .lanes = l->lanes,
                                .wanted = calloc(kernel->mem_slots + 1, sizeof *r->wanted),
                                .predictor = calloc(kernel->mem_slots + 1, sizeof *r->predictor)};
    if (!r || !r->wanted || !r->predictor)
        status = sl_fail_memory(error);
    for (uint32_t i = 0; !status && !slots && i < kernel->mem_slots; i++)
        r->wanted[i] = true;
    for (size_t i = 0; !status && i < slots; i++) {
        if (slot[i] < kernel->mem_slots)
            r->wanted[slot[i]] = true;
        else
            status = sl_fail(error, SL_NOT_FOUND, "kernel %s has %u memory instructions; there is none with number %u",
                             kernel->name, kernel->mem_slots, slot[i]);
    }
    if (!status)
        *reader = r;
    else if (r)
        sl_access_reader_destroy(r);
    else
        sl_block_walker_destroy(walker);
    return status;
}

void sl_access_reader_destroy(sl_access_reader *r)
{
    if (!r)
        return;
    sl_block_walker_destroy(r->walker);
    free(r->wanted);
    free(r->predictor);
    free(r);
}

/* Goes to the next access that some lane takes part in; *more false at the end of the launch. */
static sl_status next_access(sl_access_reader *r, bool *more, sl_error *error)
{
    for (;;) {
        sl_status status = SL_OK;
        if (r->in_access && sl_access_more(&r->cursor.access)) {
            *more = true;
            return SL_OK;
        }
        r->in_access = false;
        if (r->in_step) {
            status = sl_warp_cursor_access(&r->cursor, &r->in_step, error);
            r->in_access = r->in_step && r->cursor.access.mask && r->wanted[r->cursor.access.slot];
        } else if (r->in_warp) {
            status = sl_warp_cursor_step(&r->cursor, &r->in_warp, error);
            r->in_step = r->in_warp;
            if (r->cursor.first_slot == r->cursor.end_slot)
                r->cursor.repeats = 0; /* any number of steps without an access */
        } else if (r->warps < r->view.warps) {
            sl_warp_cursor_init(&r->cursor, r->kernel, r->lanes, &r->view.warp[r->warps++], r->predictor);
            r->in_warp = true;
        } else {
            status = sl_block_walker_next(r->walker, &r->view, more, error);
            r->warps = 0;
            if (status || !*more) {
                r->view.warps = 0;
                return status;
            }
        }
        if (status) { /* the rest of this warp is lost; another call goes on behind it */
            r->in_warp = r->in_step = r->in_access = false;
            return status;
        }
        if (r->in_access) {
            *more = true;
            return SL_OK;
        }
    }
}

/* The addresses of the lanes that take part; returns how many. */
static size_t put_addresses(sl_access_reader *r, uint64_t *to)
{
    sl_access *a = &r->cursor.access;
    if (a->mask == (r->lanes < 64 ? (UINT64_C(1) << r->lanes) - 1 : UINT64_MAX)) {
        if (a->affine)
            sl_access_addresses(a, r->lanes, to);
        else
            memcpy(to, a->addr, r->lanes * sizeof *to);
        return r->lanes;
    }
    size_t count = 0;
    sl_access_expand(a, r->lanes);
    for (uint64_t left = a->mask; left; left &= left - 1)
        to[count++] = a->addr[__builtin_ctzll(left)];
    return count;
}

sl_status sl_access_reader_next(sl_access_reader *r, sl_access_rows *rows, sl_error *error)
{
    rows->addresses = 0;
    for (rows->count = 0; rows->count < rows->capacity; rows->count++) {
        bool more;
        sl_status status = next_access(r, &more, error);
        if (status || !more)
            return status;
        const sl_access *a = &r->cursor.access;
        size_t i = rows->count;
        if (rows->block)
            rows->block[i] = r->view.block;
        if (rows->warp)
            rows->warp[i] = r->view.warp[r->warps - 1].warp;
        if (rows->slot)
            rows->slot[i] = a->slot;
        if (rows->width)
            rows->width[i] = sl_access_width(a, &r->kernel->inst[a->inst]);
        if (rows->mask)
            rows->mask[i] = a->mask;
        if (rows->addr)
            rows->addresses += put_addresses(r, rows->addr + rows->addresses);
    }
    return SL_OK;
}
