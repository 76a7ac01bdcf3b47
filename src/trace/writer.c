/* SPDX-License-Identifier: MIT */
/* Writing trace files. Memory holds one chunk that is being filled, one that is being packed, its compressed form, the
 * kernels' static tables (to recognize them) and a few dozen bytes per chunk for the index. */
#include <stdio.h>

#include "base/map.h"
#include "trace/anchors.h"
#include "trace/format.h"
#include "trace/pack.h"

typedef struct known_kernel {
    sl_bytes payload;
    uint32_t mem_slots;
} known_kernel;

struct sl_trace_writer {
    sl_packer *packer;
    sl_bytes raw; /* a chunk's payload */
    SL_ARRAY(known_kernel) kernels;
    sl_bytes ranges; /* payload of the last allocation table */
    uint32_t range_tables;
    /* the launch */
    bool in_launch;
    uint32_t launches;
    sl_trace_launch launch;
    uint32_t launch_ranges;          /* number of its allocation table plus one */
    sl_bytes launch_records;         /* for the index */
    sl_bytes failures;               /* of launches that failed, in order; for the index */
    sl_bytes preferences, additions; /* of launches, for the index */
    sl_bytes originals;              /* the same */
    uint32_t original;               /* that the launch repeats, plus one */
    sl_map label_numbers;            /* text of a label -> its number plus one, for the index */
    sl_arena label_keys;
    uint32_t label_count;
    sl_bytes label_texts, labels; /* the texts, and the numbers of launches */
    uint64_t launch_blocks;
    sl_chunk chunk; /* what is known of the chunk being filled */
    bool chunk_empty;
    sl_bytes section[SL_SECTIONS];
    uint64_t previous_block;
    sl_anchor_table anchors;
};

/* ---- chunks ---- */

/* w->raw as a chunk. */
static sl_status write_chunk(sl_trace_writer *w, sl_chunk chunk, sl_error *error)
{
    if (w->raw.count > SL_CHUNK_MAX)
        return sl_fail(error, SL_LIMIT, "a part of a block takes %zu bytes; record long blocks in smaller parts",
                       w->raw.count);
    return sl_packer_add(w->packer, &w->raw, chunk, error);
}

static sl_status write_header(sl_trace_writer *w, const char *producer, sl_error *error)
{
    size_t length = producer ? strlen(producer) : 0;
    if (length > SL_PRODUCER_MAX)
        length = SL_PRODUCER_MAX;
    uint8_t fixed[SL_HEADER_BYTES] = {0};
    memcpy(fixed, sl_format_magic, SL_MAGIC_BYTES);
    fixed[8] = SL_FORMAT_MAJOR;
    fixed[10] = SL_FORMAT_MINOR;
    sl_store32(fixed + 12, (uint32_t)length);
    w->raw.count = 0;
    if (!sl_bytes_append(&w->raw, fixed, 16) || !sl_bytes_append(&w->raw, producer, length))
        return sl_fail_memory(error);
    sl_store32(fixed + 16, sl_crc32(w->raw.data, w->raw.count));
    sl_status status = sl_packer_write(w->packer, fixed, sizeof fixed, error);
    return status ? status : sl_packer_write(w->packer, (const uint8_t *)producer, length, error);
}

/* ---- life ---- */

static void destroy(sl_trace_writer *w)
{
    sl_packer_destroy(w->packer);
    for (size_t i = 0; i < w->kernels.count; i++)
        sl_bytes_free(&w->kernels.items[i].payload);
    sl_array_free(&w->kernels);
    for (int i = 0; i < SL_SECTIONS; i++)
        sl_bytes_free(&w->section[i]);
    sl_bytes_free(&w->raw);
    sl_bytes_free(&w->ranges);
    sl_bytes_free(&w->launch_records);
    sl_bytes_free(&w->failures);
    sl_bytes_free(&w->preferences);
    sl_bytes_free(&w->additions);
    sl_bytes_free(&w->originals);
    sl_bytes_free(&w->label_texts);
    sl_bytes_free(&w->labels);
    sl_map_fini(&w->label_numbers);
    sl_arena_fini(&w->label_keys);
    sl_anchor_table_fini(&w->anchors);
    free(w);
}

void sl_trace_writer_abandon(sl_trace_writer *w)
{
    if (w)
        destroy(w);
}

sl_status sl_trace_writer_create(const char *path, const char *producer, int zstd_level, sl_trace_writer **writer,
                                 sl_error *error)
{
    sl_trace_writer *w = calloc(1, sizeof *w);
    if (!w)
        return sl_fail_memory(error);
    sl_map_init(&w->label_numbers);
    sl_arena_init(&w->label_keys);
    sl_status status = sl_packer_create(path, zstd_level, &w->packer, error);
    if (!status)
        status = write_header(w, producer, error);
    if (status) {
        sl_trace_writer_abandon(w);
        return status;
    }
    *writer = w;
    return SL_OK;
}

void sl_trace_writer_set_durable(sl_trace_writer *w)
{
    sl_packer_set_durable(w->packer);
}

void sl_trace_writer_start_thread(sl_trace_writer *w)
{
    sl_packer_start_thread(w->packer);
}

uint64_t sl_trace_writer_thread_ns(const sl_trace_writer *w)
{
    return sl_packer_cpu_ns(w->packer);
}

/* ---- static tables ---- */

sl_status sl_trace_writer_kernel(sl_trace_writer *w, const sl_trace_kernel *kernel, uint32_t *index, sl_error *error)
{
    const char *wrong = sl_kernel_wrong(kernel);
    if (wrong)
        return sl_fail(error, SL_INVALID, "kernel %s cannot be recorded: %s", kernel->symbol, wrong);
    w->raw.count = 0;
    if (!sl_write_kernel(&w->raw, kernel))
        return sl_fail_memory(error);
    for (size_t i = 0; i < w->kernels.count; i++) {
        const sl_bytes *payload = &w->kernels.items[i].payload;
        if (payload->count == w->raw.count && !memcmp(payload->data, w->raw.data, w->raw.count)) {
            *index = (uint32_t)i;
            return SL_OK;
        }
    }
    known_kernel entry = {.mem_slots = kernel->mem_slots};
    if (!sl_bytes_append(&entry.payload, w->raw.data, w->raw.count) || !sl_array_push(&w->kernels, entry)) {
        sl_bytes_free(&entry.payload);
        return sl_fail_memory(error);
    }
    *index = (uint32_t)w->kernels.count - 1;
    return write_chunk(w, (sl_chunk){.kind = SL_CHUNK_KERNEL, .number = *index}, error);
}

/* Writes the allocations unless they are those of the launch before. */
static sl_status write_ranges(sl_trace_writer *w, const sl_trace_range *range, size_t count, sl_error *error)
{
    w->launch_ranges = 0;
    if (!count)
        return SL_OK;
    w->raw.count = 0;
    if (!sl_write_ranges(&w->raw, range, count))
        return sl_fail_memory(error);
    if (!w->range_tables || w->ranges.count != w->raw.count || memcmp(w->ranges.data, w->raw.data, w->raw.count)) {
        w->ranges.count = 0;
        if (!sl_bytes_append(&w->ranges, w->raw.data, w->raw.count))
            return sl_fail_memory(error);
        sl_status status = write_chunk(w, (sl_chunk){.kind = SL_CHUNK_RANGES, .number = w->range_tables++}, error);
        if (status)
            return status;
    }
    w->launch_ranges = w->range_tables;
    return SL_OK;
}

/* ---- launches ---- */

static sl_status start_chunk(sl_trace_writer *w, sl_error *error)
{
    for (int i = 0; i < SL_SECTIONS; i++)
        w->section[i].count = 0;
    w->chunk = (sl_chunk){.kind = SL_CHUNK_BLOCKS, .number = w->launches, .first_block = UINT64_MAX};
    w->chunk_empty = true;
    w->previous_block = 0;
    if (!sl_anchor_table_reset(&w->anchors, w->kernels.items[w->launch.kernel].mem_slots))
        return sl_fail_memory(error);
    return SL_OK;
}

/* What is known of a launch only after it has begun, and what stands behind that. */
static bool complete_launch(sl_trace_writer *w)
{
    sl_bytes *launch = &w->section[SL_SECTION_LAUNCH];
    return sl_bytes_varint(launch, w->original) && sl_write_labels(launch, &w->launch);
}

/* Writes the chunk being filled. */
static sl_status flush_chunk(sl_trace_writer *w, uint8_t flags, sl_error *error)
{
    if (w->chunk.flags & SL_CHUNK_FIRST && !complete_launch(w))
        return sl_fail_memory(error);
    w->chunk.flags |= flags;
    if (w->chunk_empty)
        w->chunk.first_block = 0;
    w->raw.count = 0;
    bool good = true;
    for (int i = 0; i < SL_SECTIONS; i++)
        good = good && sl_bytes_varint(&w->raw, w->section[i].count);
    for (int i = 0; i < SL_SECTIONS; i++)
        good = good && sl_bytes_append(&w->raw, w->section[i].data, w->section[i].count);
    return good ? write_chunk(w, w->chunk, error) : sl_fail_memory(error);
}

sl_status sl_trace_writer_begin(sl_trace_writer *w, const sl_trace_launch *launch, const sl_trace_range *range,
                                size_t ranges, sl_error *error)
{
    const char *wrong = sl_launch_wrong(launch);
    if (!wrong && launch->kernel >= w->kernels.count)
        wrong = "a kernel that was not registered";
    if (wrong)
        return sl_fail(error, SL_INVALID, "a launch cannot be recorded: %s", wrong);
    sl_status status = write_ranges(w, range, ranges, error);
    if (status)
        return status;
    w->launch = *launch;
    w->launch_blocks = 0;
    w->original = 0;
    w->in_launch = true;
    status = start_chunk(w, error);
    if (!status && (!sl_write_launch(&w->section[SL_SECTION_LAUNCH], launch, w->launch_ranges) ||
                    !sl_write_preference(&w->section[SL_SECTION_LAUNCH], launch) ||
                    !sl_write_additions(&w->section[SL_SECTION_LAUNCH], launch)))
        return sl_fail_memory(error);
    w->chunk.flags = SL_CHUNK_FIRST;
    return status;
}

sl_status sl_trace_writer_repeat(sl_trace_writer *w, uint32_t original, sl_error *error)
{
    if (!w->in_launch || !w->chunk_empty || !(w->chunk.flags & SL_CHUNK_FIRST))
        return sl_fail(error, SL_INVALID, "a launch with blocks cannot repeat another one");
    if (w->original || original >= w->launches)
        return sl_fail(error, SL_INVALID, "a launch repeats one that is not before it");
    w->original = original + 1;
    return SL_OK;
}

/* The anchors of one warp, as differences from what its neighbors let expect. */
static bool write_anchors(sl_trace_writer *w, uint32_t warp, const uint8_t *anchor, uint32_t count)
{
    uint32_t before = 0;
    bool good = sl_anchor_table_warp(&w->anchors, warp);
    for (uint32_t i = 0; good && i < count; i++, anchor += SL_ANCHOR_BYTES) {
        uint32_t slot = sl_load32(anchor);
        uint64_t base = sl_load64(anchor + 4);
        uint64_t residual = base - sl_anchor_predict(&w->anchors, warp, slot);
        good = sl_bytes_varint(&w->section[SL_SECTION_SLOTS], sl_zigzag((uint64_t)slot - before)) &&
               sl_bytes_varint(&w->section[SL_SECTION_BASES], sl_zigzag(residual));
        sl_anchor_learn(&w->anchors, warp, slot, base);
        before = slot + 1;
    }
    return good;
}

static sl_status write_warp(sl_trace_writer *w, const sl_warp_view *view, uint32_t *expected, sl_error *error)
{
    uint64_t tokens = view->memory_bytes;
    uint32_t anchors = 0;
    if (tokens >= SL_ANCHOR_COUNT_BYTES) {
        tokens -= SL_ANCHOR_COUNT_BYTES;
        anchors = sl_load32(view->memory + tokens);
    }
    if (view->memory_bytes < SL_ANCHOR_COUNT_BYTES || anchors > tokens / SL_ANCHOR_BYTES)
        return sl_fail(error, SL_INVALID, "the stream of warp %u was not ended", view->warp);
    tokens -= (uint64_t)anchors * SL_ANCHOR_BYTES;
    const uint8_t *anchor = view->memory + tokens;
    uint32_t slots = w->kernels.items[w->launch.kernel].mem_slots;
    for (uint32_t i = 0; i < anchors; i++)
        if (sl_load32(anchor + (size_t)i * SL_ANCHOR_BYTES) >= slots)
            return sl_fail(error, SL_INVALID, "the stream of warp %u is of another kernel", view->warp);
    sl_bytes *shape = &w->section[SL_SECTION_SHAPE];
    bool good = sl_bytes_varint(shape, sl_zigzag((uint64_t)view->warp - *expected)) &&
                sl_bytes_varint(shape, view->control_bytes) && sl_bytes_varint(shape, tokens) &&
                sl_bytes_varint(shape, anchors) &&
                sl_bytes_append(&w->section[SL_SECTION_CONTROL], view->control, view->control_bytes) &&
                sl_bytes_append(&w->section[SL_SECTION_MEMORY], view->memory, tokens) &&
                write_anchors(w, view->warp, anchor, anchors);
    *expected = view->warp + 1;
    return good ? SL_OK : sl_fail_memory(error);
}

static size_t chunk_bytes(const sl_trace_writer *w)
{
    size_t total = 0;
    for (int i = 0; i < SL_SECTIONS; i++)
        total += w->section[i].count;
    return total;
}

sl_status sl_trace_writer_block(sl_trace_writer *w, const sl_block_view *view, sl_error *error)
{
    if (!w->in_launch || w->original)
        return sl_fail(error, SL_INVALID, "a block outside any launch");
    if (view->block >= sl_launch_blocks(&w->launch))
        return sl_fail(error, SL_INVALID, "block %llu is outside the grid", (unsigned long long)view->block);
    sl_bytes *shape = &w->section[SL_SECTION_SHAPE];
    if (!sl_bytes_varint(shape, sl_zigzag(view->block - w->previous_block)) ||
        !sl_bytes_varint(shape, (uint64_t)view->part << 1 | view->last) || !sl_bytes_varint(shape, view->warps))
        return sl_fail_memory(error);
    w->previous_block = view->block;
    uint32_t expected = 0, warps = sl_launch_warps(&w->launch);
    for (uint32_t i = 0; i < view->warps; i++) {
        if (view->warp[i].warp >= warps)
            return sl_fail(error, SL_INVALID, "warp %u is outside its block", view->warp[i].warp);
        sl_status status = write_warp(w, &view->warp[i], &expected, error);
        if (status)
            return status;
    }
    if (view->block < w->chunk.first_block)
        w->chunk.first_block = view->block;
    if (view->block > w->chunk.last_block)
        w->chunk.last_block = view->block;
    w->chunk_empty = false;
    w->chunk.blocks += view->last;
    w->launch_blocks += view->last;
    if (chunk_bytes(w) < SL_CHUNK_TARGET)
        return SL_OK;
    sl_status status = flush_chunk(w, 0, error);
    return status ? status : start_chunk(w, error);
}

/* Adds the labels of the launch to the index, each text once. */
static bool index_labels(sl_trace_writer *w)
{
    bool good = true;
    for (int i = 0; i < SL_LABELS && good; i++) {
        const char *text = w->launch.label[i] ? w->launch.label[i] : "";
        size_t length = strlen(text);
        uintptr_t number = length ? (uintptr_t)sl_map_get(&w->label_numbers, text, length) : 0;
        if (length && !number) {
            number = ++w->label_count;
            const char *key = sl_arena_strndup(&w->label_keys, text, length);
            good = key && sl_map_put(&w->label_numbers, key, length, (void *)number) &&
                   sl_bytes_string(&w->label_texts, text);
        }
        good = good && sl_bytes_varint(&w->labels, number);
    }
    return good;
}

sl_status sl_trace_writer_end(sl_trace_writer *w, const char *failure, sl_error *error)
{
    if (!w->in_launch)
        return sl_fail(error, SL_INVALID, "the end of a launch that did not begin");
    w->in_launch = false;
    sl_status status = flush_chunk(w, (uint8_t)(SL_CHUNK_LAST | (failure ? SL_CHUNK_FAILED : 0)), error);
    if (status)
        return status;
    w->launches++;
    sl_bytes *records = &w->launch_records;
    if (!sl_write_launch(records, &w->launch, w->launch_ranges) || !sl_bytes_varint(records, w->launch_blocks) ||
        !sl_bytes_varint(records, failure != NULL) || (failure && !sl_bytes_string(&w->failures, failure)) ||
        !sl_write_preference(&w->preferences, &w->launch) || !sl_write_additions(&w->additions, &w->launch) ||
        !sl_bytes_varint(&w->originals, w->original) || !index_labels(w))
        return sl_fail_memory(error);
    return SL_OK;
}

/* ---- the end ---- */

static sl_status write_index(sl_trace_writer *w, sl_error *error)
{
    sl_status status = sl_packer_wait(w->packer, error);
    if (status)
        return status;
    const sl_chunk *chunk;
    size_t chunks = sl_packer_chunks(w->packer, &chunk);
    uint64_t index_offset = sl_packer_offset(w->packer), expected = 0;
    w->raw.count = 0;
    bool good = sl_bytes_varint(&w->raw, chunks);
    for (size_t i = 0; good && i < chunks; i++) {
        const sl_chunk *c = &chunk[i];
        const uint64_t fields[] = {
            c->kind,         c->flags,  c->number,      c->offset - expected,          c->raw_bytes,
            c->packed_bytes, c->blocks, c->first_block, c->last_block - c->first_block};
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
            good = good && sl_bytes_varint(&w->raw, fields[f]);
        expected = c->offset + SL_CHUNK_HEADER_BYTES + c->packed_bytes;
    }
    good = good && sl_bytes_varint(&w->raw, w->launches) &&
           sl_bytes_append(&w->raw, w->launch_records.data, w->launch_records.count) &&
           sl_bytes_append(&w->raw, w->failures.data, w->failures.count) &&
           sl_bytes_append(&w->raw, w->preferences.data, w->preferences.count) &&
           sl_bytes_append(&w->raw, w->additions.data, w->additions.count) &&
           sl_bytes_append(&w->raw, w->originals.data, w->originals.count) &&
           sl_bytes_varint(&w->raw, w->label_count) &&
           sl_bytes_append(&w->raw, w->label_texts.data, w->label_texts.count) &&
           sl_bytes_append(&w->raw, w->labels.data, w->labels.count);
    if (!good)
        return sl_fail_memory(error);
    status = write_chunk(w, (sl_chunk){.kind = SL_CHUNK_INDEX}, error);
    if (!status)
        status = sl_packer_wait(w->packer, error);
    if (status)
        return status;
    uint8_t footer[SL_FOOTER_BYTES] = {0};
    sl_store64(footer, index_offset);
    sl_store64(footer + 8, sl_packer_offset(w->packer) + SL_FOOTER_BYTES);
    sl_store32(footer + 20, sl_crc32(footer, 20));
    memcpy(footer + 24, sl_format_end_magic, SL_MAGIC_BYTES);
    return sl_packer_write(w->packer, footer, sizeof footer, error);
}

sl_status sl_trace_writer_close(sl_trace_writer *w, sl_error *error)
{
    sl_status status = w->in_launch ? sl_fail(error, SL_INVALID, "the trace is closed within a launch") : SL_OK;
    if (!status)
        status = write_index(w, error);
    if (!status)
        status = sl_packer_keep(w->packer, error);
    destroy(w);
    return status;
}
