/* SPDX-License-Identifier: MIT */
/* What the tests of profiles share: traces written access by access. */
#ifndef TESTS_PROFILE_MAKER_H
#define TESTS_PROFILE_MAKER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "trace/codec.h"

/* Basic blocks 0 … SLOTS-1 are one memory instruction each; the next is a barrier, the one behind it a barrier between
 * two loads. */
enum {
    LOAD,
    SECOND_LOAD,
    STORE,
    ATOMIC,
    LOCAL_LOAD,
    LOCAL_STORE,
    GENERIC_LOAD,
    SHARED_LOAD,
    PREFETCH,
    WIDE_LOAD, /* 16 bytes per lane */
    SLOTS,
    BARRIER = SLOTS,
    LOAD_BARRIER_LOAD,
    BBS,
};

#define SHARED_WINDOW UINT64_C(0x100000000)
#define LOCAL_WINDOW  UINT64_C(0x200000000)
#define ALL_LANES     UINT32_MAX

/* One step of a warp: a basic block, and where its accesses lie. */
typedef struct act {
    uint32_t bb;
    uint64_t mask, base, stride;
} act;

/* A warp of a block; its acts end with a mask of 0. */
typedef struct warp_acts {
    uint64_t block;
    uint32_t warp;
    const act *acts;
} warp_acts;

typedef struct maker {
    sl_trace_kernel kernel;
    sl_inst inst[SLOTS + 4];
    sl_trace_bb bb[BBS];
    uint32_t mem_inst[SLOTS + 2];
    char path[64];
    sl_trace *trace;
} maker;

static inline void add_inst(maker *m, sl_inst inst, uint32_t opcode)
{
    inst.pc = m->kernel.insts;
    inst.opcode = opcode;
    inst.mem_slot = UINT32_MAX;
    if (inst.access) {
        inst.op_class = SL_CLASS_MEMORY;
        inst.mem_slot = m->kernel.mem_slots;
        m->mem_inst[m->kernel.mem_slots++] = m->kernel.insts;
    }
    m->inst[m->kernel.insts++] = inst;
}

static inline void make_kernel(maker *m)
{
    static const char strings[] = "\0ld\0bar.sync";
    static const sl_inst memory[SLOTS] = {
        [LOAD] = {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4},
        [SECOND_LOAD] = {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4},
        [STORE] = {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_STORE, .width = 4},
        [ATOMIC] = {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_ATOMIC, .width = 4},
        [LOCAL_LOAD] = {.space = SL_MEM_LOCAL, .access = SL_ACCESS_LOAD, .width = 4},
        [LOCAL_STORE] = {.space = SL_MEM_LOCAL, .access = SL_ACCESS_STORE, .width = 8},
        [GENERIC_LOAD] = {.space = SL_MEM_GENERIC, .access = SL_ACCESS_LOAD, .width = 4},
        [SHARED_LOAD] = {.space = SL_MEM_SHARED, .access = SL_ACCESS_LOAD, .width = 4},
        [PREFETCH] = {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_PREFETCH, .width = 4},
        [WIDE_LOAD] = {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 16},
    };
    for (uint32_t s = 0; s < SLOTS; s++) {
        m->bb[s] = (sl_trace_bb){m->kernel.insts, 1};
        add_inst(m, memory[s], 1);
    }
    m->bb[BARRIER] = (sl_trace_bb){m->kernel.insts, 1};
    add_inst(m, (sl_inst){.op_class = SL_CLASS_BARRIER}, 4);
    m->bb[LOAD_BARRIER_LOAD] = (sl_trace_bb){m->kernel.insts, 3};
    add_inst(m, memory[LOAD], 1);
    add_inst(m, (sl_inst){.op_class = SL_CLASS_BARRIER}, 4);
    add_inst(m, memory[LOAD], 1);
    m->kernel.symbol = m->kernel.name = "k";
    m->kernel.inst = m->inst;
    m->kernel.bbs = BBS;
    m->kernel.bb = m->bb;
    m->kernel.mem_inst = m->mem_inst;
    m->kernel.strings = strings;
    m->kernel.strings_bytes = sizeof strings;
    m->kernel.local_bytes = 64;
}

static inline void write_access(sl_warp_stream *stream, uint32_t slot, uint64_t mask, uint64_t base, uint64_t stride)
{
    uint64_t addr[SL_MAX_LANES];
    for (uint64_t i = 0; i < SL_MAX_LANES; i++)
        addr[i] = base + i * stride;
    sl_warp_stream_access(stream, slot, mask, addr);
}

static inline void write_warp(sl_trace_writer *writer, const maker *m, const warp_acts *w, bool last)
{
    sl_warp_stream stream;
    assert_true(sl_warp_stream_init(&stream, m->kernel.mem_slots, 32));
    for (const act *a = w->acts; a->mask; a++) {
        sl_warp_stream_step(&stream, a->bb, a->mask);
        if (a->bb < SLOTS)
            write_access(&stream, a->bb, a->mask, a->base, a->stride);
        if (a->bb == LOAD_BARRIER_LOAD) {
            write_access(&stream, SLOTS, a->mask, a->base, a->stride);
            write_access(&stream, SLOTS + 1, a->mask, a->base, a->stride);
        }
    }
    sl_warp_stream_flush(&stream);
    sl_warp_view view = {w->warp, stream.control.data, stream.memory.data, stream.control.count, stream.memory.count};
    sl_block_view block = {.block = w->block, .part = w->warp, .last = last, .warps = 1, .warp = &view};
    sl_error error;
    assert_int_equal(sl_trace_writer_block(writer, &block, &error), SL_OK);
    sl_warp_stream_fini(&stream);
}

/* A trace of one launch: `warps` of `blocks` blocks, sorted by block and warp, none left out. */
static inline void make_trace(maker *m, uint32_t blocks, uint32_t warps, const warp_acts *acts)
{
    sl_trace_writer *writer;
    sl_error error;
    memset(m, 0, sizeof *m);
    make_kernel(m);
    snprintf(m->path, sizeof m->path, "/tmp/sluice-test-XXXXXX");
    int file = mkstemp(m->path);
    assert_true(file >= 0);
    close(file);
    sl_trace_launch launch = {.grid = {blocks, 1, 1},
                              .block = {warps * 32, 1, 1},
                              .lanes = 32,
                              .shared_window = SHARED_WINDOW,
                              .local_window = LOCAL_WINDOW,
                              .window_bytes = 0x1000000,
                              .blocks_recorded = blocks};
    assert_int_equal(sl_trace_writer_create(m->path, "test", 1, &writer, &error), SL_OK);
    assert_int_equal(sl_trace_writer_kernel(writer, &m->kernel, &launch.kernel, &error), SL_OK);
    assert_int_equal(sl_trace_writer_begin(writer, &launch, NULL, 0, &error), SL_OK);
    for (uint32_t i = 0; i < blocks * warps; i++)
        write_warp(writer, m, &acts[i], i % warps == warps - 1);
    assert_int_equal(sl_trace_writer_end(writer, false, &error), SL_OK);
    assert_int_equal(sl_trace_writer_close(writer, &error), SL_OK);
    assert_int_equal(sl_trace_open(m->path, &m->trace, NULL, &error), SL_OK);
}

static inline void drop_trace(maker *m)
{
    sl_trace_close(m->trace);
    unlink(m->path);
}

#define ACTS(...) ((const act[]){__VA_ARGS__, {0}})

#endif
