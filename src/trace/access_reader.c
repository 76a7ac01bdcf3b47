/* SPDX-License-Identifier: MIT */
/* The accesses of a launch as rows of a table, for whoever wants arrays. */
#include <stdlib.h>
#include <string.h>

#include "trace/codec.h"

struct sl_access_reader {
    sl_block_walker *walker;
    const sl_trace_kernel *kernel;
    uint32_t lanes;
    sl_slot_use *use; /* [mem_slots] */
    sl_predictor *predictor;
    sl_block_view view;
    uint32_t warps; /* of the view, begun */
    sl_warp_cursor cursor;
    bool in_warp; /* the cursor is in the midst of one */
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
                                .use = calloc(kernel->mem_slots + 1, sizeof *r->use),
                                .predictor = calloc(kernel->mem_slots + 1, sizeof *r->predictor)};
    if (!r || !r->use || !r->predictor)
        status = sl_fail_memory(error);
    for (uint32_t i = 0; !status && i < kernel->mem_slots; i++)
        r->use[i] = (sl_slot_use){.wanted = !slots, .width = kernel->inst[kernel->mem_inst[i]].width};
    for (size_t i = 0; !status && i < slots; i++) {
        if (slot[i] < kernel->mem_slots)
            r->use[slot[i]].wanted = true;
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
    free(r->use);
    free(r->predictor);
    free(r);
}

/* Notes where the rows from `first` on come from. */
static void set_locations(const sl_access_reader *r, const sl_access_rows *rows, size_t first)
{
    uint32_t warp = r->view.warp[r->warps - 1].warp;
    for (size_t i = first; rows->block && i < rows->count; i++)
        rows->block[i] = r->view.block;
    for (size_t i = first; rows->warp && i < rows->count; i++)
        rows->warp[i] = warp;
}

sl_status sl_access_reader_next(sl_access_reader *r, sl_access_rows *rows, sl_error *error)
{
    rows->addresses = rows->count = 0;
    while (rows->count < rows->capacity) {
        sl_status status = SL_OK;
        if (r->in_warp) {
            size_t first = rows->count;
            status = sl_warp_cursor_fill(&r->cursor, r->use, rows, &r->in_warp, error);
            set_locations(r, rows, first);
        } else if (r->warps < r->view.warps) {
            sl_warp_cursor_init(&r->cursor, r->kernel, r->lanes, &r->view.warp[r->warps++], r->predictor);
            r->in_warp = true;
        } else {
            bool more;
            status = sl_block_walker_next(r->walker, &r->view, &more, error);
            r->warps = 0;
            if (status || !more) {
                r->view.warps = 0;
                return status;
            }
        }
        if (status) { /* the rest of this warp is lost; another call continues behind it */
            r->in_warp = false;
            return status;
        }
    }
    return SL_OK;
}
