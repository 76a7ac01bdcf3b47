/* SPDX-License-Identifier: MIT */
/* Trace files for tests: three launches of a kernel whose warps do what follows from their numbers. */
#ifndef SL_TESTS_TRACE_FILE_MAKER_H
#define SL_TESTS_TRACE_FILE_MAKER_H

#include "trace_maker.h"

#include <sys/stat.h>
#include <unistd.h>

#include "trace/format.h"

enum { WARPS = 3, LAUNCHES = 3 };
static const uint64_t grid_of[LAUNCHES] = {12, 5, 8};

static inline char *scratch_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "/tmp/sluice-test-%ld-%s", (long)getpid(), name);
    return path;
}

static inline void addresses_of(uint32_t slot, uint64_t block, uint32_t warp, uint32_t k, uint64_t *seed,
                                uint64_t *addr)
{
    for (uint32_t i = 0; i < 32; i++)
        addr[i] = slot == 2 ? 0x90000000 + (next_random(seed) & 0xfffff) * 4
                            : 0x10000000 * (slot + 1) + block * 4096 + warp * 128 + k * 65536 + i * 4;
}

/* What warp `warp` of `block` of `launch` does, a function of these three alone. */
static inline void run_warp(sl_warp_stream *s, uint32_t launch, uint64_t block, uint32_t warp, uint32_t part)
{
    uint64_t seed = launch * 1000003 + block * 1009 + warp * 11 + part, addr[SL_MAX_LANES];
    uint32_t steps = 2 + (uint32_t)(next_random(&seed) % 6);
    for (uint32_t k = 0; k < steps; k++) {
        uint64_t mask = k % 3 == 2 ? next_random(&seed) & UINT32_MAX : UINT32_MAX;
        sl_warp_stream_step(s, 0, mask);
        for (uint32_t slot = 0; slot < 3; slot++) {
            addresses_of(slot, block, warp, k, &seed, addr);
            sl_warp_stream_access(s, slot, mask, addr);
        }
    }
    sl_warp_stream_flush(s);
}

typedef struct block_streams {
    sl_warp_stream stream[WARPS];
    sl_warp_view view[WARPS];
    sl_block_view block;
} block_streams;

static inline void make_block(block_streams *b, uint32_t launch, uint64_t block, uint32_t part, bool last)
{
    for (uint32_t w = 0; w < WARPS; w++) {
        sl_warp_stream *s = &b->stream[w];
        assert_true(s->predictor ? sl_warp_stream_reset(s, MAKER_SLOTS, 32) : sl_warp_stream_init(s, MAKER_SLOTS, 32));
        run_warp(s, launch, block, w, part);
        b->view[w] = (sl_warp_view){w, s->control.data, s->memory.data, s->control.count, s->memory.count};
    }
    b->block = (sl_block_view){.block = block, .part = part, .last = last, .warps = WARPS, .warp = b->view};
}

static inline void free_block(block_streams *b)
{
    for (uint32_t w = 0; w < WARPS; w++)
        sl_warp_stream_fini(&b->stream[w]);
}

static inline sl_trace_launch launch_number(uint32_t n)
{
    return (sl_trace_launch){.kernel = 0,
                             .grid = {(uint32_t)grid_of[n], 1, 1},
                             .block = {96, 1, 1},
                             .cluster = {n == 2, n == 2, n == 2},
                             .lanes = 32,
                             .has_preferred_shared = n == 1,
                             .preferred_shared = n == 1 ? 50 : 0,
                             .has_parent = n == 1,
                             .stream = n,
                             .index = n,
                             .label = {n ? "step\nlayer 1" : NULL, "main", n == 2 ? "half done" : NULL},
                             .shared_window = 1 << 24,
                             .window_bytes = 1 << 16};
}

/* Blocks whose number ends in 3 have two parts. */
static inline void write_file(const char *path)
{
    maker_kernel maker;
    make_kernel(&maker);
    sl_trace_writer *w;
    sl_error error;
    uint32_t index, again;
    block_streams b = {0};
    assert_int_equal(sl_trace_writer_create(path, "a test", 3, &w, &error), SL_OK);
    for (uint32_t n = 0; n < LAUNCHES; n++) {
        sl_trace_range ranges[] = {{0x10000000, 1 << 20, "A"}, {0x20000000, 1 << 20, NULL}, {0x90000000, n, "alloc 3"}};
        sl_trace_launch launch = launch_number(n);
        assert_int_equal(sl_trace_writer_kernel(w, &maker.kernel, &index, &error), SL_OK);
        assert_int_equal(sl_trace_writer_kernel(w, &maker.kernel, &again, &error), SL_OK);
        assert_int_equal(index, again);
        assert_int_equal(sl_trace_writer_begin(w, &launch, ranges, n == 1 ? 0 : 3, &error), SL_OK);
        for (uint64_t block = 0; block < grid_of[n]; block++)
            for (uint32_t part = 0; part <= (block % 10 == 3); part++) {
                make_block(&b, n, block, part, part == (block % 10 == 3));
                assert_int_equal(sl_trace_writer_block(w, &b.block, &error), SL_OK);
            }
        assert_int_equal(sl_trace_writer_end(w, n == 2 ? "an illegal read" : NULL, &error), SL_OK);
    }
    assert_int_equal(sl_trace_writer_close(w, &error), SL_OK);
    free_block(&b);
}

static inline size_t read_file(const char *path, uint8_t **data)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    *data = malloc((size_t)size);
    assert_int_equal(fread(*data, 1, (size_t)size, f), size);
    fclose(f);
    return (size_t)size;
}

static inline void write_bytes(const char *path, const uint8_t *data, size_t size)
{
    unlink(path); /* ext4 would wait for the disk when a file is cut to nothing and written again */
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

#endif
