/* SPDX-License-Identifier: MIT */
#include "trace/access_shapes.h"

#include <stdlib.h>

#include "base/hash.h"

enum { BLOCKS = 4, ROWS = 512, MAX_ROWS = 1 << 16, MAX_ADVANCE = 1024 };

/* Of the request before of the same instruction and warp. */
typedef struct before {
    uint64_t block, hash, first;
    uint32_t warp;
    bool any;
} before;

/* Whether lanes are a constant distance apart, which is then in *stride. */
static bool constant_stride(uint64_t mask, const uint64_t *addr, int64_t *stride)
{
    uint32_t first = (uint32_t)__builtin_ctzll(mask), lane = first, n = 0;
    *stride = 0;
    for (uint64_t left = mask & (mask - 1); left; left &= left - 1) {
        uint32_t next = (uint32_t)__builtin_ctzll(left);
        int64_t apart = (int64_t)(addr[n + 1] - addr[n]), lanes = next - lane;
        if (apart % lanes || (n && apart / lanes != *stride))
            return false;
        *stride = apart / lanes;
        lane = next;
        n++;
    }
    return true;
}

static void add_row(sl_access_shape_sums *s, before *b, uint64_t block, uint32_t warp, uint64_t mask,
                    const uint64_t *addr)
{
    uint32_t lanes = (uint32_t)__builtin_popcountll(mask);
    int64_t stride;
    uint64_t hash = sl_hash64(addr, lanes * sizeof *addr) ^ sl_hash_mix(mask);
    bool again = b->any && b->block == block && b->warp == warp;
    s->requests++;
    s->repeats += again && b->hash == hash;
    bool walks = again && addr[0] > b->first && addr[0] - b->first <= MAX_ADVANCE;
    s->walks += walks;
    s->advance += walks ? addr[0] - b->first : 0;
    s->runs += !walks;
    *b = (before){block, hash, addr[0], warp, true};
    if (lanes < 2)
        return;
    if (!constant_stride(mask, addr, &stride)) {
        s->gathers++;
    } else if (!s->votes || s->stride == stride) {
        s->stride = stride;
        s->votes++;
    } else {
        s->votes--;
    }
}

double sl_access_walk_length(const sl_access_shape_sums *s, uint32_t width, uint32_t copies)
{
    bool walks = s->walks * 2 > s->requests && s->runs && s->advance <= s->walks * width * copies;
    return walks ? (double)s->requests / (double)s->runs * copies : 0;
}

bool sl_access_is_strided(const sl_access_shape_sums *s, uint32_t width)
{
    return s->votes && s->gathers * 2 <= s->requests && (uint64_t)llabs(s->stride) > width;
}

static sl_status read_rows(sl_access_reader *reader, sl_access_rows *rows, before *last, sl_access_shape_sums *shape,
                           sl_error *error)
{
    for (size_t all = 0; all < MAX_ROWS; all += rows->count) {
        sl_status status = sl_access_reader_next(reader, rows, error);
        const uint64_t *addr = rows->addr;
        for (size_t i = 0; i < rows->count; i++) {
            uint32_t slot = rows->slot[i];
            if (rows->mask[i])
                add_row(&shape[slot], &last[slot], rows->block[i], rows->warp[i], rows->mask[i], addr);
            addr += __builtin_popcountll(rows->mask[i]);
        }
        if (status == SL_CORRUPT)
            continue;
        if (status || rows->count < rows->capacity)
            return status;
    }
    return SL_OK;
}

sl_status sl_access_shapes_read(const sl_trace *trace, uint32_t launch, sl_access_shape_sums *shape, sl_error *error)
{
    const sl_trace_launch *l = sl_trace_launch_at(trace, launch);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(trace, l->kernel);
    sl_access_reader *reader = NULL;
    sl_access_rows rows = {.capacity = ROWS};
    rows.block = calloc(ROWS, sizeof *rows.block);
    rows.warp = calloc(ROWS, sizeof *rows.warp);
    rows.slot = calloc(ROWS, sizeof *rows.slot);
    rows.width = calloc(ROWS, sizeof *rows.width);
    rows.mask = calloc(ROWS, sizeof *rows.mask);
    rows.addr = calloc((size_t)ROWS * l->lanes, sizeof *rows.addr);
    before *last = calloc(kernel->mem_slots + 1u, sizeof *last);
    bool fits = rows.block && rows.warp && rows.slot && rows.width && rows.mask && rows.addr && last;
    sl_status status =
        fits ? sl_access_reader_create(trace, launch, 0, BLOCKS, NULL, 0, &reader, error) : sl_fail_memory(error);
    if (!status)
        status = read_rows(reader, &rows, last, shape, error);
    sl_access_reader_destroy(reader);
    free(rows.block);
    free(rows.warp);
    free(rows.slot);
    free(rows.width);
    free(rows.mask);
    free(rows.addr);
    free(last);
    return status == SL_NO_MEMORY ? status : SL_OK;
}
