/* SPDX-License-Identifier: MIT */
/* Counting launches: hand-computed requests, sectors, passes and footprints; filters and traces of the recorder. */
#include "trace_maker.h"

#include <unistd.h>

#include "base/random.h"
#include "trace/codec.h"
#include "trace/kernel_filter.h"
#include "trace/recorder.h"

/* A kernel of one basic block: one instruction that does not access memory, then the given memory instructions. */
typedef struct small_kernel {
    sl_trace_kernel kernel;
    sl_inst inst[11];
    uint32_t mem_inst[10];
    sl_trace_bb bb;
} small_kernel;

static const char strings[] = "\0A\0B\0op";

static void make_small(small_kernel *k, const sl_inst *memory, uint32_t count)
{
    memset(k, 0, sizeof *k);
    k->inst[0] = (sl_inst){.op_class = SL_CLASS_INT, .opcode = 5, .mem_slot = UINT32_MAX};
    for (uint32_t i = 0; i < count; i++) {
        k->inst[i + 1] = memory[i];
        k->inst[i + 1].op_class = SL_CLASS_MEMORY;
        k->inst[i + 1].opcode = 5;
        k->inst[i + 1].pc = i + 1;
        k->inst[i + 1].mem_slot = i;
        k->mem_inst[i] = i + 1;
    }
    k->bb = (sl_trace_bb){0, count + 1};
    k->kernel = (sl_trace_kernel){.symbol = "_Z5smallv",
                                  .name = "small",
                                  .insts = count + 1,
                                  .inst = k->inst,
                                  .bbs = 1,
                                  .bb = &k->bb,
                                  .mem_slots = count,
                                  .mem_inst = k->mem_inst,
                                  .strings = strings,
                                  .strings_bytes = sizeof strings};
}

static const sl_trace_launch one_block = {.grid = {1, 1, 1},
                                          .block = {32, 1, 1},
                                          .lanes = 32,
                                          .shared_window = 0x100000000,
                                          .local_window = 0x200000000,
                                          .window_bytes = 0x1000000};

#define TOTAL(c, name) ((c).counts.total.value[SL_COUNTER_##name])

/* Everything is counted twice: from the streams of a block, and while it runs. */
typedef struct counting {
    small_kernel small;
    sl_launch_counter *counter, *live, *part;
    sl_warp_stream stream;
    sl_launch_counts counts;
} counting;

static void start(counting *c, const sl_inst *memory, uint32_t count)
{
    make_small(&c->small, memory, count);
    sl_count_options options = {.footprint = true};
    assert_int_equal(sl_launch_counter_create(&c->small.kernel, &one_block, &options, &c->counter, NULL), SL_OK);
    assert_int_equal(sl_launch_counter_create(&c->small.kernel, &one_block, &options, &c->live, NULL), SL_OK);
    assert_int_equal(sl_launch_counter_part(c->live, &c->part, NULL), SL_OK);
    assert_true(sl_warp_stream_init(&c->stream, count, 32));
}

static void record_lanes(counting *c, uint32_t slot, uint64_t mask, const uint64_t *addr)
{
    sl_warp_stream_access(&c->stream, slot, mask, addr);
    sl_launch_counter_access(c->part, slot, mask, addr);
}

static void record(counting *c, uint32_t slot, uint64_t mask, uint64_t base, uint64_t stride)
{
    uint64_t addr[SL_MAX_LANES];
    for (uint64_t i = 0; i < 32; i++)
        addr[i] = base + i * stride;
    record_lanes(c, slot, mask, addr);
}

static void assert_same_counts(const sl_launch_counts *a, const sl_launch_counts *b)
{
    assert_memory_equal(&a->total, &b->total, sizeof a->total);
    assert_int_equal(a->blocks, b->blocks);
    assert_int_equal(a->slots, b->slots);
    assert_memory_equal(a->slot, b->slot, a->slots * sizeof *a->slot);
    assert_int_equal(a->arrays, b->arrays);
    for (size_t i = 0; i < a->arrays; i++) {
        assert_string_equal(a->array[i].name, b->array[i].name);
        assert_int_equal(a->array[i].bytes, b->array[i].bytes);
    }
}

static void finish_recorded(counting *c)
{
    sl_warp_stream_flush(&c->stream);
    sl_warp_view view = {0, c->stream.control.data, c->stream.memory.data, c->stream.control.count,
                         c->stream.memory.count};
    sl_block_view block = {.last = true, .warps = 1, .warp = &view};
    sl_error error;
    assert_int_equal(sl_launch_counter_block(c->counter, &block, &error), SL_OK);
    assert_int_equal(sl_launch_counter_result(c->counter, &c->counts, &error), SL_OK);
}

static void finish(counting *c)
{
    finish_recorded(c);
    sl_error error;
    sl_launch_counts live;
    assert_int_equal(
        sl_launch_counter_collect(c->live, c->part, TOTAL(*c, warp_insts), TOTAL(*c, thread_insts), true, &error),
        SL_OK);
    assert_int_equal(sl_launch_counter_bytes(c->part), 0);
    assert_int_equal(sl_launch_counter_result(c->live, &live, &error), SL_OK);
    assert_same_counts(&c->counts, &live);
}

static void release(counting *c)
{
    sl_launch_counter_destroy(c->part);
    sl_launch_counter_destroy(c->live);
    sl_launch_counter_destroy(c->counter);
    sl_warp_stream_fini(&c->stream);
}

static void bulk_copies_count_the_sectors_of_each_piece(void **state)
{
    (void)state;
    static const sl_inst memory[] = {
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_BULK_LOAD, .array = 1},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_BULK_STORE, .array = 3},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_BULK_REDUCTION, .array = 3},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_BULK_PREFETCH, .array = 3},
        {.space = SL_MEM_SHARED, .access = SL_ACCESS_MATRIX},
    };
    counting c;
    start(&c, memory, 5);
    /* as an H200 counted them: bytes that differ modulo 32 in both memories take five sectors per 128 bytes */
    static const sl_row load[] = {{.addr = 0x1010, .other = 0, .bytes = 4096, .count = 1}};
    static const sl_row rows[] = {{.addr = 0x8030, .other = 80, .bytes = 1024, .count = 1}};
    static const sl_row box[] = {
        {.addr = 0x20000, .other = 0, .bytes = 128, .count = 24, .step = 400, .other_step = 128}};
    static const sl_row matrix[] = {{.addr = 0, .other = 0, .bytes = 32, .count = 18, .step = 256, .other_step = 256}};
    sl_warp_stream_step(&c.stream, 0, UINT32_MAX);
    sl_warp_stream_rows(&c.stream, 0, 1, load, 1, 1);
    sl_warp_stream_rows(&c.stream, 1, 1, rows, 1, 1);
    sl_warp_stream_rows(&c.stream, 2, 3, box, 1, 1);
    sl_warp_stream_rows(&c.stream, 3, 1, box, 1, 1);
    sl_warp_stream_rows(&c.stream, 4, UINT32_MAX, matrix, 1, 1);
    sl_warp_stream_step(&c.stream, 0, UINT32_MAX);
    sl_warp_stream_rows(&c.stream, 0, 1, load, 1, 4); /* four blocks receive it */
    sl_warp_stream_rows(&c.stream, 1, 1, NULL, 0, 1);
    sl_warp_stream_access(&c.stream, 2, 0, NULL);
    sl_warp_stream_access(&c.stream, 3, 0, NULL);
    sl_warp_stream_rows(&c.stream, 4, UINT32_MAX, matrix, 1, 1);
    finish_recorded(&c); /* only a trace has rows */
    assert_int_equal(TOTAL(c, bulk_ld_requests), 2);
    assert_int_equal(TOTAL(c, bulk_ld_sectors), 160 + 4 * 160);
    assert_int_equal(TOTAL(c, bulk_st_requests), 1);
    assert_int_equal(TOTAL(c, bulk_st_sectors), 33);
    assert_int_equal(TOTAL(c, bulk_red_sectors), 108);
    assert_int_equal(TOTAL(c, ld_requests), 0);
    assert_int_equal(TOTAL(c, matrix_requests), 2);
    assert_int_equal(TOTAL(c, matrix_wavefronts), 9); /* 36 rows of 32 bytes */
    release(&c);
}

/* Lanes far apart that walk on through their sectors: an access shares most of its sectors with the one before. */
static void sectors_that_lanes_walk_on_to_are_noted(void **state)
{
    (void)state;
    static const sl_inst memory[] = {{.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 1, .array = 1}};
    static const uint64_t masks[] = {UINT32_MAX, 0x5a5af0f3, 0x5a5af0f3, 0x00ffff00, 0x80000001, 0x5a5af0f3};
    counting c;
    start(&c, memory, 1);
    for (uint64_t turn = 0; turn < 100; turn++) {
        uint64_t addr[SL_MAX_LANES];
        for (uint64_t i = 0; i < 32; i++)
            addr[i] = 0x100000 + (i ^ (turn / 50)) * 4096 + i * 7 % 32 + turn * 3;
        sl_warp_stream_step(&c.stream, 0, masks[turn / 8 % 6]);
        record_lanes(&c, 0, masks[turn / 8 % 6], addr);
    }
    finish(&c);
    assert_int_equal(TOTAL(c, ld_requests), 100);
    release(&c);
}

static void global_accesses_are_counted_by_kind(void **state)
{
    (void)state;
    static const sl_inst memory[] = {
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4, .array = 1},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_STORE, .width = 8, .array = 3},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_ATOMIC, .width = 4, .array = 3},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_REDUCTION, .width = 4, .array = 3},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_ASYNC_COPY, .width = 16, .array = 1},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_PREFETCH, .width = 4, .array = 1},
        {.space = SL_MEM_TEXTURE, .access = SL_ACCESS_LOAD, .width = 4},
    };
    counting c;
    start(&c, memory, 7);
    for (int k = 0; k < 3; k++) {
        uint64_t mask = k < 2 ? UINT32_MAX : 0xffff;
        sl_warp_stream_step(&c.stream, 0, mask);
        record(&c, 0, mask, 0x1000, 4);         /* 4, 4, 2 sectors */
        record(&c, 1, mask, 0x8000, 8);         /* 8, 8, 4 */
        record(&c, 2, mask, 0x8000, 0);         /* 1, 1, 1 */
        record(&c, 3, mask & 1, 0x9000, 0);     /* 1, 1, 1 */
        record(&c, 4, mask, 0x1000, 16);        /* 16, 16, 8 */
        record(&c, 5, mask, 0x100000, 4096);    /* prefetches are no requests */
        record(&c, 6, k ? 0 : mask, 0x5000, 4); /* one with lanes */
    }
    finish(&c);
    assert_int_equal(TOTAL(c, warp_insts), 3 * 8);
    assert_int_equal(TOTAL(c, thread_insts), 2 * 8 * 32 + 8 * 16);
    assert_int_equal(TOTAL(c, ld_requests), 3);
    assert_int_equal(TOTAL(c, ld_sectors), 10);
    assert_int_equal(TOTAL(c, ld_bytes), (32 + 32 + 16) * 4);
    assert_int_equal(TOTAL(c, st_bytes), (32 + 32 + 16) * 8);
    assert_int_equal(TOTAL(c, async_bytes), (32 + 32 + 16) * 16);
    assert_int_equal(TOTAL(c, st_requests), 3);
    assert_int_equal(TOTAL(c, st_sectors), 20);
    assert_int_equal(TOTAL(c, atom_requests), 3);
    assert_int_equal(TOTAL(c, atom_sectors), 3);
    assert_int_equal(TOTAL(c, red_sectors), 3);
    assert_int_equal(TOTAL(c, async_requests), 3);
    assert_int_equal(TOTAL(c, async_sectors), 40);
    assert_int_equal(TOTAL(c, tex_requests), 1);
    assert_int_equal(c.counts.slot[0].value[SL_COUNTER_ld_sectors], 10);
    assert_false(sl_counts_has(&c.counts.slot[0], SL_COUNTER_st_sectors));
    assert_false(sl_counts_has(&c.counts.total, SL_COUNTER_cycles));
    /* A: 128 bytes by the load, 512 by the copy from the same address; B: 256 and one sector at 0x9000 */
    assert_int_equal(c.counts.arrays, 2);
    assert_string_equal(c.counts.array[0].name, "A");
    assert_int_equal(c.counts.array[0].bytes, 512);
    assert_string_equal(c.counts.array[1].name, "B");
    assert_int_equal(c.counts.array[1].bytes, 256 + 32);
    assert_int_equal(TOTAL(c, footprint_bytes), 512 + 256 + 32);
    release(&c);
}

static void a_request_without_lanes_is_none_and_known_to_be_none(void **state)
{
    (void)state;
    static const sl_inst memory[] = {{.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4}};
    counting c;
    start(&c, memory, 1);
    sl_warp_stream_step(&c.stream, 0, UINT32_MAX);
    record(&c, 0, 0, 0x1000, 4);
    finish(&c);
    assert_int_equal(TOTAL(c, ld_requests), 0);
    assert_true(sl_counts_has(&c.counts.total, SL_COUNTER_ld_requests));
    assert_true(sl_counts_has(&c.counts.total, SL_COUNTER_st_sectors));
    assert_true(sl_counts_has(&c.counts.slot[0], SL_COUNTER_ld_sectors));
    release(&c);
}

static void words_of_local_memory_lie_side_by_side(void **state)
{
    (void)state;
    static const sl_inst memory[] = {
        {.space = SL_MEM_LOCAL, .access = SL_ACCESS_LOAD, .width = 4},
        {.space = SL_MEM_LOCAL, .access = SL_ACCESS_STORE, .width = 8},
        {.space = SL_MEM_LOCAL, .access = SL_ACCESS_LOAD, .width = 1},
        {.space = SL_MEM_LOCAL, .access = SL_ACCESS_STORE, .width = 16},
    };
    counting c;
    start(&c, memory, 4);
    sl_warp_stream_step(&c.stream, 0, UINT32_MAX);
    record(&c, 0, UINT32_MAX, 16, 0); /* the same word of every lane: 128 bytes */
    record(&c, 1, UINT32_MAX, 16, 0); /* two words: 2 x 128 bytes */
    record(&c, 2, UINT32_MAX, 3, 0);  /* a byte of each lane's word: still 128 bytes */
    record(&c, 3, 0xff, 0, 16);       /* eight lanes, each its own four words: 32 sectors */
    finish(&c);
    assert_int_equal(TOTAL(c, local_ld_requests), 2);
    assert_int_equal(TOTAL(c, local_ld_sectors), 4 + 4);
    assert_int_equal(TOTAL(c, local_st_sectors), 8 + 32);
    assert_int_equal(TOTAL(c, ld_requests), 0);
    release(&c);
}

static void generic_accesses_count_where_their_lanes_go(void **state)
{
    (void)state;
    static const sl_inst memory[] = {{.space = SL_MEM_GENERIC, .access = SL_ACCESS_LOAD, .width = 4}};
    counting c;
    start(&c, memory, 1);
    uint64_t addr[SL_MAX_LANES];
    for (uint64_t i = 0; i < 32; i++) /* 16 lanes global, 8 shared, 8 local */
        addr[i] = i < 16 ? 0x1000 + i * 4 : i < 24 ? 0x100000000 + i * 4 : 0x200000000 + 8;
    sl_warp_stream_step(&c.stream, 0, UINT32_MAX);
    record_lanes(&c, 0, UINT32_MAX, addr);
    sl_warp_stream_step(&c.stream, 0, UINT32_MAX);
    record(&c, 0, UINT32_MAX, 0x1000, 4);
    finish(&c);
    assert_int_equal(TOTAL(c, ld_requests), 2);
    assert_int_equal(TOTAL(c, ld_sectors), 2 + 4);
    assert_int_equal(TOTAL(c, shared_ld_requests), 1);
    assert_int_equal(TOTAL(c, shared_ld_wavefronts), 1);
    assert_int_equal(TOTAL(c, local_ld_requests), 1);
    assert_int_equal(TOTAL(c, local_ld_sectors), 1);
    assert_int_equal(TOTAL(c, footprint_bytes), 128);
    release(&c);
}

static void shared_accesses_count_passes(void **state)
{
    (void)state;
    static const sl_inst memory[] = {{.space = SL_MEM_SHARED, .access = SL_ACCESS_LOAD, .width = 4},
                                     {.space = SL_MEM_SHARED, .access = SL_ACCESS_STORE, .width = 4},
                                     {.space = SL_MEM_SHARED, .access = SL_ACCESS_ATOMIC, .width = 4}};
    counting c;
    start(&c, memory, 3);
    sl_warp_stream_step(&c.stream, 0, UINT32_MAX);
    record(&c, 0, UINT32_MAX, 0, 4);
    record(&c, 1, UINT32_MAX, 0, 128);
    record(&c, 2, UINT32_MAX, 0, 0);
    finish(&c);
    assert_int_equal(TOTAL(c, shared_ld_wavefronts), 1);
    assert_int_equal(TOTAL(c, shared_st_wavefronts), 32);
    assert_int_equal(TOTAL(c, shared_atom_requests), 1);
    release(&c);
}

/* The two ways of counting agree (in `finish`) on lines, rows, gathers near and far, and lanes that straddle sectors
 * and banks, for every mask. */
static void any_access_counts_the_same_while_a_block_runs(void **state)
{
    (void)state;
    static const sl_inst memory[] = {
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4, .array = 1},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_STORE, .width = 1, .array = 3},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 64, .array = 3},
        {.space = SL_MEM_GENERIC, .access = SL_ACCESS_LOAD, .width = 8, .array = 1},
        {.space = SL_MEM_SHARED, .access = SL_ACCESS_LOAD, .width = 4},
        {.space = SL_MEM_SHARED, .access = SL_ACCESS_STORE, .width = 16},
        {.space = SL_MEM_SHARED, .access = SL_ACCESS_LOAD, .width = 2},
        {.space = SL_MEM_LOCAL, .access = SL_ACCESS_LOAD, .width = 4},
    };
    enum { SLOTS = sizeof memory / sizeof *memory };
    static const uint64_t spread[] = {1, 64, 4096, 1 << 20, UINT64_C(1) << 40};
    sl_random random = sl_random_seed(1);
    counting c;
    start(&c, memory, SLOTS);
    for (int step = 0; step < 3000; step++) {
        uint64_t masks[] = {UINT32_MAX, 0xffff, 1u << step % 32, (uint32_t)sl_random_u64(&random)};
        uint64_t mask = masks[sl_random_below(&random, 4)];
        sl_warp_stream_step(&c.stream, 0, mask);
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            uint64_t addr[SL_MAX_LANES], width = memory[slot].width;
            bool inside = memory[slot].space == SL_MEM_SHARED || memory[slot].space == SL_MEM_LOCAL;
            uint64_t limit = inside ? 4096 : spread[sl_random_below(&random, 5)];
            uint64_t base = inside ? 0 : 0x100000, kind = sl_random_below(&random, 4);
            uint64_t align = sl_random_below(&random, 8) ? width : 1, window = sl_random_below(&random, 3) << 32;
            for (uint64_t i = 0; i < 32; i++) {
                uint64_t at = kind == 0   ? i * width
                              : kind == 1 ? i % 8 * width + i / 8 * 256
                              : kind == 2 ? step % 64 * width
                                          : sl_random_below(&random, limit);
                addr[i] = base + at / align * align + (step % 16 * 4 & -align);
                if (memory[slot].space == SL_MEM_GENERIC && i % 2)
                    addr[i] = window ? window + addr[i] % 4096 : addr[i];
            }
            record_lanes(&c, slot, mask, addr);
        }
    }
    finish(&c);
    assert_true(TOTAL(c, ld_sectors) > 0 && TOTAL(c, shared_ld_wavefronts) > 0 && TOTAL(c, local_ld_sectors) > 0);
    release(&c);
}

/* Distances of lanes from the first: neighbours in one line or more, at any distance, or anywhere. */
static void make_shape(sl_random *random, uint64_t mask, uint64_t width, sl_shape_counts *shape, uint64_t *distance)
{
    static const int64_t strides[] = {0, 1, -1, 2, 8, 9, -8, 16, 33, 256, -256, 4096};
    uint64_t stride = (uint64_t)strides[sl_random_below(random, 12)] * width, row = 4u << sl_random_below(random, 4);
    uint64_t gap = sl_random_below(random, 3000) * width, anywhere = sl_random_below(random, 4) == 0;
    uint64_t lane = 0;
    *shape = (sl_shape_counts){.mask = mask};
    memset(distance, 0, SL_MAX_LANES * sizeof *distance);
    for (uint64_t left = mask & (mask - 1); left; left &= left - 1) {
        lane++;
        uint64_t at = anywhere ? (sl_random_below(random, 400) - 200) * width : lane % row * stride + lane / row * gap;
        distance[__builtin_ctzll(left)] = at;
        shape->lowest = (int64_t)at < shape->lowest ? (int64_t)at : shape->lowest;
        shape->highest = (int64_t)at > shape->highest ? (int64_t)at : shape->highest;
    }
}

/* Lanes at the same distances again count as lanes one by one do, wherever they are, also after the part was emptied.
 */
static void shapes_count_like_lanes(void **state)
{
    (void)state;
    static const sl_inst memory[] = {
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4, .array = 1},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_STORE, .width = 1, .array = 3},
        {.space = SL_MEM_GENERIC, .access = SL_ACCESS_LOAD, .width = 8, .array = 1},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 32, .array = 2},
        {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 64, .array = 3},
        {.space = SL_MEM_SHARED, .access = SL_ACCESS_LOAD, .width = 4},
        {.space = SL_MEM_SHARED, .access = SL_ACCESS_STORE, .width = 16},
        {.space = SL_MEM_SHARED, .access = SL_ACCESS_LOAD, .width = 1},
        {.space = SL_MEM_SHARED, .access = SL_ACCESS_ATOMIC, .width = 4},
        {.space = SL_MEM_LOCAL, .access = SL_ACCESS_LOAD, .width = 4},
    };
    enum { SLOTS = sizeof memory / sizeof *memory };
    sl_random random = sl_random_seed(2);
    sl_shape_counts shape[SLOTS];
    uint64_t distance[SLOTS][SL_MAX_LANES], mask = 0;
    counting c;
    start(&c, memory, SLOTS);
    for (int step = 0; step < 6000; step++) {
        uint32_t first = (uint32_t)sl_random_below(&random, 32);
        bool again = step % 3;
        if (!again)
            mask = step % 2   ? UINT32_MAX
                   : step % 4 ? (uint32_t)sl_random_u64(&random) | 1u << first
                              : UINT32_MAX >> first << sl_random_below(&random, first + 1);
        sl_warp_stream_step(&c.stream, 0, mask);
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            uint64_t addr[SL_MAX_LANES], width = memory[slot].width;
            uint64_t at = 0x800000 + sl_random_below(&random, step % 2 ? 8 : 100000) * width;
            if (!again)
                make_shape(&random, mask, width, &shape[slot], distance[slot]);
            for (uint32_t i = 0; i < 32; i++)
                addr[i] = at + distance[slot][i];
            sl_warp_stream_access(&c.stream, slot, mask, addr);
            sl_launch_counter_shape(c.part, slot, &shape[slot], distance[slot], at);
        }
        if (step % 64 == 0)
            assert_int_equal(sl_launch_counter_collect(c.live, c.part, 0, 0, false, NULL), SL_OK);
    }
    finish(&c);
    assert_true(TOTAL(c, ld_sectors) > 0 && TOTAL(c, shared_ld_wavefronts) > 0 && TOTAL(c, local_ld_sectors) > 0);
    release(&c);
}

/* Nobody asks for it: it is not counted, and not said to be none. */
static void shared_accesses_may_be_left_out(void **state)
{
    (void)state;
    static const sl_inst memory[] = {{.space = SL_MEM_SHARED, .access = SL_ACCESS_LOAD, .width = 4},
                                     {.space = SL_MEM_GENERIC, .access = SL_ACCESS_LOAD, .width = 4}};
    small_kernel k;
    make_small(&k, memory, 2);
    sl_launch_counter *counter, *part;
    sl_launch_counts counts;
    sl_error error;
    uint64_t addr[SL_MAX_LANES] = {0};
    for (uint64_t i = 0; i < 32; i++)
        addr[i] = i % 2 ? 0x100000000 + i * 4 : 0x1000;
    assert_int_equal(
        sl_launch_counter_create(&k.kernel, &one_block, &(sl_count_options){.no_shared = true}, &counter, &error),
        SL_OK);
    assert_int_equal(sl_launch_counter_part(counter, &part, &error), SL_OK);
    sl_launch_counter_access(part, 0, UINT32_MAX, addr);
    sl_launch_counter_access(part, 1, UINT32_MAX, addr);
    assert_int_equal(sl_launch_counter_collect(counter, part, 3, 96, true, &error), SL_OK);
    assert_int_equal(sl_launch_counter_result(counter, &counts, &error), SL_OK);
    assert_int_equal(counts.total.value[SL_COUNTER_ld_sectors], 1);
    assert_false(sl_counts_has(&counts.total, SL_COUNTER_shared_ld_requests));
    assert_false(sl_counts_has(&counts.slot[1], SL_COUNTER_shared_ld_wavefronts));
    sl_launch_counter_destroy(part);
    sl_launch_counter_destroy(counter);
}

static void counters_of_one_launch_add_up(void **state)
{
    (void)state;
    static const sl_inst memory[] = {{.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4, .array = 1}};
    counting a, b;
    start(&a, memory, 1);
    start(&b, memory, 1);
    sl_warp_stream_step(&a.stream, 0, UINT32_MAX);
    record(&a, 0, UINT32_MAX, 0x1000, 4);
    sl_warp_stream_step(&b.stream, 0, UINT32_MAX);
    record(&b, 0, UINT32_MAX, 0x1040, 4);
    finish(&a);
    finish(&b);
    sl_error error;
    assert_int_equal(sl_launch_counter_merge(a.counter, b.counter, &error), SL_OK);
    assert_int_equal(sl_launch_counter_result(a.counter, &a.counts, &error), SL_OK);
    assert_int_equal(TOTAL(a, ld_sectors), 8);
    assert_int_equal(TOTAL(a, footprint_bytes), 192);
    assert_int_equal(a.counts.blocks, 2);
    release(&a);
    release(&b);
}

static void a_sector_must_be_a_power_of_two(void **state)
{
    (void)state;
    small_kernel k;
    make_small(&k, NULL, 0);
    sl_launch_counter *counter;
    sl_error error;
    assert_int_equal(
        sl_launch_counter_create(&k.kernel, &one_block, &(sl_count_options){.sector_bytes = 48}, &counter, &error),
        SL_INVALID);
    assert_non_null(strstr(error.text, "48"));
}

/* ---- the recorder ---- */

typedef struct seen {
    size_t count;
    uint64_t index[16], requests[16], blocks[16];
    bool failed[16];
} seen;

static sl_status see(void *context, const sl_launch_result *result, sl_error *error)
{
    (void)error;
    seen *s = context;
    s->index[s->count] = result->index;
    s->requests[s->count] = result->counts ? result->counts->total.value[SL_COUNTER_ld_requests] : 0;
    s->blocks[s->count] = result->launch->blocks_recorded;
    s->failed[s->count++] = result->launch->failed;
    return SL_OK;
}

/* Launches as an emulator would: `launches` of them, four blocks each, names alternating. */
static void emulate(const sl_launch_sink *sink, uint32_t launches)
{
    static const sl_inst memory[] = {{.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4, .array = 1}};
    small_kernel k[2];
    make_small(&k[0], memory, 1);
    make_small(&k[1], memory, 1);
    k[1].kernel.symbol = "_Z5othervf";
    k[1].kernel.name = "other";
    sl_warp_stream stream;
    assert_true(sl_warp_stream_init(&stream, 1, 32));
    for (uint32_t n = 0; n < launches; n++) {
        sl_trace_launch launch = one_block;
        launch.grid[0] = 4;
        bool wanted;
        uint64_t limit;
        sl_error error;
        assert_int_equal(sink->begin(sink->context, &k[n & 1].kernel, &launch, NULL, 0, &wanted, &limit, &error),
                         SL_OK);
        for (uint64_t b = 0; wanted && b < 4 && b < limit; b++) {
            uint64_t addr[32];
            for (uint64_t i = 0; i < 32; i++)
                addr[i] = 0x1000 + b * 128 + i * 4;
            assert_true(sl_warp_stream_reset(&stream, 1, 32));
            sl_warp_stream_step(&stream, 0, UINT32_MAX);
            sl_warp_stream_access(&stream, 0, UINT32_MAX, addr);
            sl_warp_stream_flush(&stream);
            sl_warp_view view = {0, stream.control.data, stream.memory.data, stream.control.count, stream.memory.count};
            sl_block_view block = {.block = b, .last = true, .warps = 1, .warp = &view};
            assert_int_equal(sink->block(sink->context, &block, &error), SL_OK);
        }
        assert_int_equal(sink->end(sink->context, &(sl_launch_stats){.warp_insts = 8, .thread_insts = 256, .blocks = 4},
                                   n == 5 ? "" : NULL, &error),
                         SL_OK);
    }
    sl_warp_stream_fini(&stream);
}

static void filters_choose_launches_kernels_and_blocks(void **state)
{
    (void)state;
    seen s = {0};
    sl_recorder *recorder;
    sl_error error;
    sl_trace_filter filter = {.kernel_regex = "^oth", .launches = "2-5", .blocks = 3};
    sl_recorder_config config = {.filter = &filter, .count = true, .launch_done = see, .context = &s};
    assert_int_equal(sl_recorder_create(&config, &recorder, &error), SL_OK);
    emulate(sl_recorder_sink(recorder), 8);
    assert_int_equal(sl_recorder_launches(recorder), 8);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.index[0], 3);
    assert_int_equal(s.index[1], 5);
    assert_int_equal(s.requests[0], 3);
    assert_int_equal(s.blocks[0], 3);
    assert_false(s.failed[0]);
    assert_true(s.failed[1]);
}

static void launches_are_chosen_by_lists_ranges_and_steps(void **state)
{
    (void)state;
    sl_launch_set set;
    sl_error error;
    assert_int_equal(sl_launch_set_parse(NULL, &set, &error), SL_OK);
    assert_true(sl_launch_set_has(&set, 12345));
    assert_int_equal(sl_launch_set_parse("3,17,100-120/10,1K-", &set, &error), SL_INVALID);
    assert_int_equal(sl_launch_set_parse("3,17,100-120/10", &set, &error), SL_OK);
    const uint64_t in[] = {3, 17, 100, 110, 120}, out[] = {0, 4, 16, 99, 105, 121, 130, UINT64_MAX};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        assert_true(sl_launch_set_has(&set, in[i]));
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        assert_false(sl_launch_set_has(&set, out[i]));
    assert_int_equal(sl_launch_set_parse("/10", &set, &error), SL_OK);
    assert_true(sl_launch_set_has(&set, 0) && sl_launch_set_has(&set, 990));
    assert_false(sl_launch_set_has(&set, 5));
    const char *const wrong[] = {"x", "3,", ",3", "3-", "-3", "9-3", "/0", "3/", "3-5/x", "3 4", "1-2-3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(sl_launch_set_parse(wrong[i], &set, &error), SL_INVALID);
}

static void a_bad_regular_expression_is_an_error(void **state)
{
    (void)state;
    sl_recorder *recorder;
    sl_error error;
    sl_trace_filter filter = {.kernel_regex = "a(b"};
    assert_int_equal(sl_recorder_create(&(sl_recorder_config){.filter = &filter}, &recorder, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "a(b"));
}

static void a_recorded_trace_counts_the_same_as_the_run(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "/tmp/sluice-test-%ld-recorded.slt", (long)getpid());
    seen s = {0};
    sl_recorder *recorder;
    sl_error error, damage;
    sl_trace_filter filter = {.launches = "1-5"};
    sl_recorder_config config = {
        .filter = &filter, .count = true, .launch_done = see, .context = &s, .trace_path = path, .producer = "test"};
    assert_int_equal(sl_recorder_create(&config, &recorder, &error), SL_OK);
    emulate(sl_recorder_sink(recorder), 8);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    sl_trace *trace;
    assert_int_equal(sl_trace_open(path, &trace, &damage, &error), SL_OK);
    assert_int_equal(damage.status, SL_OK);
    assert_int_equal(sl_trace_kernels(trace), 2);
    assert_int_equal(sl_trace_launches(trace), 5);
    for (uint32_t n = 0; n < 5; n++) {
        const sl_trace_launch *launch = sl_trace_launch_at(trace, n);
        assert_int_equal(launch->index, n + 1);
        assert_int_equal(launch->failed, n == 4);
        sl_launch_counter *counter;
        sl_launch_counts counts;
        sl_block_walker *walker;
        sl_block_view view;
        bool more;
        assert_int_equal(sl_launch_counter_create(sl_trace_kernel_at(trace, launch->kernel), launch,
                                                  &(sl_count_options){0}, &counter, &error),
                         SL_OK);
        assert_int_equal(sl_block_walker_create(trace, n, 0, UINT64_MAX, &walker, &error), SL_OK);
        while (!sl_block_walker_next(walker, &view, &more, &error) && more)
            assert_int_equal(sl_launch_counter_block(counter, &view, &error), SL_OK);
        assert_int_equal(sl_launch_counter_result(counter, &counts, &error), SL_OK);
        assert_int_equal(counts.total.value[SL_COUNTER_ld_requests], s.requests[n]);
        assert_int_equal(counts.blocks, 4);
        sl_block_walker_destroy(walker);
        sl_launch_counter_destroy(counter);
    }
    sl_trace_close(trace);
    unlink(path);
}

static void counters_are_found_by_name(void **state)
{
    (void)state;
    assert_int_equal(sl_counter_find("ld_sectors"), SL_COUNTER_ld_sectors);
    assert_int_equal(sl_counter_find("ld_sector"), SL_COUNTERS);
    for (int i = 0; i < SL_COUNTERS; i++)
        assert_int_equal(sl_counter_find(sl_counter_infos[i].name), i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_that_lanes_walk_on_to_are_noted),
        cmocka_unit_test(global_accesses_are_counted_by_kind),
        cmocka_unit_test(bulk_copies_count_the_sectors_of_each_piece),
        cmocka_unit_test(a_request_without_lanes_is_none_and_known_to_be_none),
        cmocka_unit_test(words_of_local_memory_lie_side_by_side),
        cmocka_unit_test(generic_accesses_count_where_their_lanes_go),
        cmocka_unit_test(shared_accesses_count_passes),
        cmocka_unit_test(any_access_counts_the_same_while_a_block_runs),
        cmocka_unit_test(shapes_count_like_lanes),
        cmocka_unit_test(shared_accesses_may_be_left_out),
        cmocka_unit_test(counters_of_one_launch_add_up),
        cmocka_unit_test(a_sector_must_be_a_power_of_two),
        cmocka_unit_test(filters_choose_launches_kernels_and_blocks),
        cmocka_unit_test(launches_are_chosen_by_lists_ranges_and_steps),
        cmocka_unit_test(a_bad_regular_expression_is_an_error),
        cmocka_unit_test(a_recorded_trace_counts_the_same_as_the_run),
        cmocka_unit_test(counters_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
