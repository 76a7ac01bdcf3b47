/* SPDX-License-Identifier: MIT */
/* Walking the blocks of a launch: unpacks chunk after chunk, undoes the coding of anchors, and hands out the streams of
 * each block as they were recorded. */
#include "trace/anchors.h"
#include "trace/file.h"

struct sl_block_walker {
    const sl_trace *trace;
    const sl_launch_entry *entry;
    const sl_trace_kernel *kernel;
    uint64_t first_block, end_block;
    size_t next_chunk;
    const sl_chunk *chunk; /* being walked; NULL: none */
    sl_bytes raw;
    sl_reading section[SL_SECTIONS];
    uint64_t previous_block;
    sl_anchor_table anchors;
    sl_bytes memory; /* memory streams of the current part, put together again */
    SL_ARRAY(sl_warp_view) views;
    SL_ARRAY(uint32_t) anchor_counts; /* [views] */
};

sl_status sl_block_walker_create(const sl_trace *trace, uint32_t launch, uint64_t first_block, uint64_t end_block,
                                 sl_block_walker **walker, sl_error *error)
{
    if (launch >= trace->launches.count)
        return sl_fail(error, SL_NOT_FOUND, "the trace has %zu launches; there is none with number %u",
                       trace->launches.count, launch);
    sl_block_walker *w = calloc(1, sizeof *w);
    if (!w)
        return sl_fail_memory(error);
    w->trace = trace;
    w->entry = &trace->launches.items[launch];
    w->kernel = trace->kernels.items[w->entry->launch.kernel];
    w->first_block = first_block;
    w->end_block = trace->blocks && trace->blocks < end_block ? trace->blocks : end_block;
    *walker = w;
    return SL_OK;
}

void sl_block_walker_destroy(sl_block_walker *w)
{
    if (!w)
        return;
    sl_bytes_free(&w->raw);
    sl_bytes_free(&w->memory);
    sl_anchor_table_fini(&w->anchors);
    sl_array_free(&w->views);
    sl_array_free(&w->anchor_counts);
    free(w);
}

static sl_status damaged(const sl_block_walker *w, const sl_chunk *c, sl_error *error)
{
    return sl_fail_at(error, SL_CORRUPT, w->trace->path, 0, 0,
                      "blocks %llu to %llu of launch %llu (%s) cannot be read: the chunk at byte %llu is damaged",
                      (unsigned long long)c->first_block, (unsigned long long)c->last_block,
                      (unsigned long long)w->entry->launch.index, w->kernel->name, (unsigned long long)c->offset);
}

/* Opens the next chunk with blocks in the range; *more false when there is none. */
static sl_status open_chunk(sl_block_walker *w, bool *more, sl_error *error)
{
    const sl_chunk *c;
    do {
        *more = w->next_chunk < w->entry->chunks;
        if (!*more)
            return SL_OK;
        c = &w->entry->chunk[w->next_chunk++];
    } while (c->last_block < w->first_block || c->first_block >= w->end_block);
    sl_chunk header;
    uint8_t head[SL_CHUNK_HEADER_BYTES];
    bool good = sl_trace_read(w->trace, c->offset, head, sizeof head) && sl_chunk_load(head, &header) &&
                header.kind == SL_CHUNK_BLOCKS && header.number == c->number && header.packed_bytes == c->packed_bytes;
    sl_status status = good ? sl_trace_unpack(w->trace, c, &w->raw) : SL_CORRUPT;
    if (status)
        return status == SL_CORRUPT ? damaged(w, c, error) : sl_fail_memory(error);
    sl_reading r = sl_reading_of(&w->raw);
    size_t length[SL_SECTIONS];
    for (int i = 0; i < SL_SECTIONS; i++)
        length[i] = sl_read_upto(&r, sl_reading_left(&r));
    for (int i = 0; i < SL_SECTIONS; i++) {
        const uint8_t *at = sl_read_bytes(&r, length[i]);
        w->section[i] = (sl_reading){at, at ? at + length[i] : NULL, !at};
    }
    if (r.bad)
        return damaged(w, c, error);
    if (!sl_anchor_table_reset(&w->anchors, w->kernel->mem_slots))
        return sl_fail_memory(error);
    w->previous_block = 0;
    w->chunk = c;
    return SL_OK;
}

/* The numbers and lengths of a part's warps; *bytes: what its memory streams need. SL_CORRUPT has no text here. */
static sl_status read_shape(sl_block_walker *w, sl_block_view *view, size_t *bytes)
{
    sl_reading *shape = &w->section[SL_SECTION_SHAPE];
    const sl_trace_launch *launch = &w->entry->launch;
    view->block = w->previous_block + sl_unzigzag(sl_read_varint(shape));
    w->previous_block = view->block;
    uint64_t part = sl_read_upto(shape, (uint64_t)UINT32_MAX << 1 | 1);
    view->part = (uint32_t)(part >> 1);
    view->last = part & 1;
    view->warps = (uint32_t)sl_read_upto(shape, sl_launch_warps(launch));
    if (shape->bad || view->block >= sl_launch_blocks(launch))
        return SL_CORRUPT;
    w->views.count = w->anchor_counts.count = 0;
    *bytes = 0;
    uint32_t expected = 0;
    size_t anchors_left = sl_reading_left(&w->section[SL_SECTION_SLOTS]);
    size_t memory_left = sl_reading_left(&w->section[SL_SECTION_MEMORY]);
    for (uint32_t i = 0; i < view->warps; i++) {
        uint64_t warp = expected + sl_unzigzag(sl_read_varint(shape));
        sl_warp_view v = {.warp = (uint32_t)warp};
        v.control_bytes = sl_read_upto(shape, sl_reading_left(&w->section[SL_SECTION_CONTROL]));
        v.control = sl_read_bytes(&w->section[SL_SECTION_CONTROL], v.control_bytes);
        size_t tokens = sl_read_upto(shape, memory_left);
        uint32_t anchors = (uint32_t)sl_read_upto(shape, anchors_left < UINT32_MAX ? anchors_left : UINT32_MAX);
        if (shape->bad || w->section[SL_SECTION_CONTROL].bad || warp >= sl_launch_warps(launch))
            return SL_CORRUPT;
        memory_left -= tokens;
        anchors_left -= anchors;
        v.memory_bytes = tokens + (size_t)anchors * SL_ANCHOR_BYTES + SL_ANCHOR_COUNT_BYTES;
        *bytes += v.memory_bytes;
        expected = v.warp + 1;
        if (!sl_array_push(&w->views, v) || !sl_array_push(&w->anchor_counts, anchors))
            return SL_NO_MEMORY;
    }
    return SL_OK;
}

/* Reverses the anchors of the writer. */
static sl_status read_anchors(sl_block_walker *w, uint32_t warp, uint32_t count, uint8_t *out)
{
    sl_reading *slots = &w->section[SL_SECTION_SLOTS], *bases = &w->section[SL_SECTION_BASES];
    uint32_t before = 0;
    if (!sl_anchor_table_warp(&w->anchors, warp))
        return SL_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++, out += SL_ANCHOR_BYTES) {
        uint64_t slot = before + sl_unzigzag(sl_read_varint(slots));
        uint64_t residual = sl_unzigzag(sl_read_varint(bases));
        if (slots->bad || bases->bad || slot >= w->kernel->mem_slots)
            return SL_CORRUPT;
        uint64_t base = sl_anchor_predict(&w->anchors, warp, (uint32_t)slot) + residual;
        sl_anchor_learn(&w->anchors, warp, (uint32_t)slot, base);
        sl_store32(out, (uint32_t)slot);
        sl_store64(out + 4, base);
        before = (uint32_t)slot + 1;
    }
    return SL_OK;
}

static sl_status read_part(sl_block_walker *w, sl_block_view *view)
{
    size_t bytes;
    sl_status status = read_shape(w, view, &bytes);
    if (status)
        return status;
    w->memory.count = 0;
    if (!sl_bytes_room(&w->memory, bytes + 1))
        return SL_NO_MEMORY;
    uint8_t *at = w->memory.data;
    for (size_t i = 0; i < w->views.count; i++) {
        sl_warp_view *v = &w->views.items[i];
        uint32_t anchors = w->anchor_counts.items[i];
        size_t tokens = v->memory_bytes - (size_t)anchors * SL_ANCHOR_BYTES - SL_ANCHOR_COUNT_BYTES;
        const uint8_t *from = sl_read_bytes(&w->section[SL_SECTION_MEMORY], tokens);
        if (!from)
            return SL_CORRUPT;
        v->memory = at;
        memcpy(at, from, tokens);
        at += tokens;
        status = read_anchors(w, v->warp, anchors, at);
        if (status)
            return status;
        at += (size_t)anchors * SL_ANCHOR_BYTES;
        sl_store32(at, anchors);
        at += SL_ANCHOR_COUNT_BYTES;
    }
    view->warp = w->views.items;
    return SL_OK;
}

sl_status sl_block_walker_next(sl_block_walker *w, sl_block_view *view, bool *more, sl_error *error)
{
    for (;;) {
        *more = false;
        while (!w->chunk || !sl_reading_left(&w->section[SL_SECTION_SHAPE])) {
            w->chunk = NULL;
            sl_status status = open_chunk(w, more, error);
            if (status || !*more)
                return status;
        }
        sl_status status = read_part(w, view);
        if (status) {
            const sl_chunk *c = w->chunk;
            w->chunk = NULL; /* the next call continues behind it */
            return status == SL_CORRUPT ? damaged(w, c, error) : sl_fail_memory(error);
        }
        *more = true;
        if (view->block >= w->first_block && view->block < w->end_block)
            return SL_OK;
    }
}
