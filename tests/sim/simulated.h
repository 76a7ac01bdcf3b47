/* SPDX-License-Identifier: MIT */
/* What the tests of the simulator share: a small machine whose times are easy to add up, and launches written
 * instruction by instruction. Every instruction is a basic block of its own. */
#ifndef TESTS_SIM_SIMULATED_H
#define TESTS_SIM_SIMULATED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/sim.h"
#include "support.h"

/* ---- machines ---- */

/* One core, one scheduler. L1: 2 sets of 2 lines, L2: 4 sets of 4; both take what they are asked for in one cycle, as
 * the networks and the bus do. From the arrival at L1: a hit takes 4 cycles, a hit in L2 40 more, memory 100. */
static const char tiny_text[] = "name: tiny\n"
                                "summary: of tests\n"
                                "cores: 1\n"
                                "lanes: 32\n"
                                "core:\n"
                                "  threads: 512\n"
                                "  warps: 16\n"
                                "  blocks: 8\n"
                                "  alu_cycles: 4\n"
                                "  shared_cycles: 10\n"
                                "levels:\n"
                                "  - name: L1\n"
                                "    size: 512\n"
                                "    line: 128\n"
                                "    ways: 2\n"
                                "    cores_per_instance: 1\n"
                                "    write: evict\n"
                                "    hit_cycles: 4\n"
                                "  - name: L2\n"
                                "    size: 2048\n"
                                "    line: 128\n"
                                "    ways: 4\n"
                                "    cores_per_instance: all\n"
                                "    write: back\n"
                                "    hit_cycles: 40\n"
                                "    network_cycles: 10\n"
                                "    network_bytes: 256\n"
                                "memory:\n"
                                "  latency_cycles: 100\n"
                                "  bytes_per_cycle: 128\n"
                                "  row_bytes: 1K\n"
                                "  banks: 4\n"
                                "  ccd: 1\n"
                                "  rrd: 2\n"
                                "  rcd: 10\n"
                                "  ras: 20\n"
                                "  rp: 10\n"
                                "  rc: 30\n"
                                "  cl: 10\n"
                                "  wl: 5\n"
                                "  cdlr: 5\n"
                                "  wr: 10\n";

static inline sl_machine tiny(void)
{
    sl_machine machine;
    sl_error error;
    if (sl_machine_parse("tiny.yaml", tiny_text, sizeof tiny_text - 1, &machine, &error) != SL_OK)
        fail_msg("%s", error.text);
    return machine;
}

/* ---- programs ---- */

enum { R1 = 1, R2, R3 }; /* registers */

/* The instructions that there are. */
typedef enum op {
    LOAD,   /* r1 */
    LOAD_2, /* r2 */
    LOAD_CG,
    LOAD_LONG, /* r1, 16 bytes per lane */
    STORE,
    ATOMIC, /* r1 */
    REDUCTION,
    SHARED_LOAD, /* r1 */
    SHARED_STORE,
    LOCAL_STORE,
    PREFETCH,
    COPY, /* cp.async */
    MEMORY_OPS,
    USE = MEMORY_OPS, /* reads r1 */
    USE_2,            /* reads r2 */
    MOVE,             /* writes r1 */
    ADD,              /* writes r3 */
    CHAIN,            /* reads and writes r3 */
    DOUBLE,           /* f64, writes r3 */
    ROOT,             /* special function, writes r3 */
    BARRIER,
    FENCE,
    BLOCK_FENCE,
    WAIT_COPIES,
    OPS,
} op;

typedef struct act {
    op op;
    uint64_t base, stride; /* of a memory instruction: lane i is at base + i * stride */
    uint32_t lanes;        /* mask */
} act;

static inline act lanes(op o, uint64_t base, uint64_t stride, uint32_t mask)
{
    return (act){o, base, stride, mask};
}
static inline act strided(op o, uint64_t base, uint64_t stride)
{
    return lanes(o, base, stride, UINT32_MAX);
}
/* Each lane accesses the word behind that of the one before: a line. */
static inline act at(op o, uint64_t base)
{
    return strided(o, base, 4);
}
static inline act do_(op o)
{
    return at(o, 0);
}

typedef struct warp_acts {
    const act *act;
    size_t acts;
} warp_acts;

#define WARP(...) ((const warp_acts){(const act[]){__VA_ARGS__}, sizeof((const act[]){__VA_ARGS__}) / sizeof(act)})

enum { STRINGS_BAR = 4, STRINGS_MEMBAR = 13, STRINGS_MEMBAR_CTA = 23, STRINGS_WAIT = 34, STRINGS_COPY = 52 };
static const char op_strings[] = "\0ld\0bar.sync\0membar.gl\0membar.cta\0cp.async.wait_all\0cp.async.ca";

static inline sl_inst op_inst(op o)
{
    switch (o) {
    case LOAD:
        return (sl_inst){.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4, .dsts = 1, .regs = {R1}};
    case LOAD_2:
        return (sl_inst){.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 4, .dsts = 1, .regs = {R2}};
    case LOAD_CG:
        return (sl_inst){.space = SL_MEM_GLOBAL,
                         .access = SL_ACCESS_LOAD,
                         .cache_op = SL_CACHE_CG,
                         .width = 4,
                         .dsts = 1,
                         .regs = {R1}};
    case LOAD_LONG:
        return (sl_inst){.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = 16, .dsts = 1, .regs = {R1}};
    case STORE:
        return (sl_inst){.space = SL_MEM_GLOBAL, .access = SL_ACCESS_STORE, .width = 4};
    case ATOMIC:
        return (sl_inst){.space = SL_MEM_GLOBAL, .access = SL_ACCESS_ATOMIC, .width = 4, .dsts = 1, .regs = {R1}};
    case REDUCTION:
        return (sl_inst){.space = SL_MEM_GLOBAL, .access = SL_ACCESS_REDUCTION, .width = 4};
    case SHARED_LOAD:
        return (sl_inst){.space = SL_MEM_SHARED, .access = SL_ACCESS_LOAD, .width = 4, .dsts = 1, .regs = {R1}};
    case SHARED_STORE:
        return (sl_inst){.space = SL_MEM_SHARED, .access = SL_ACCESS_STORE, .width = 4};
    case LOCAL_STORE:
        return (sl_inst){.space = SL_MEM_LOCAL, .access = SL_ACCESS_STORE, .width = 4};
    case PREFETCH:
        return (sl_inst){.space = SL_MEM_GLOBAL, .access = SL_ACCESS_PREFETCH, .width = 4};
    case COPY:
        return (sl_inst){.space = SL_MEM_GLOBAL, .access = SL_ACCESS_ASYNC_COPY, .width = 4, .opcode = STRINGS_COPY};
    case USE:
        return (sl_inst){.op_class = SL_CLASS_INT, .srcs = 1, .regs = {R1}};
    case USE_2:
        return (sl_inst){.op_class = SL_CLASS_INT, .srcs = 1, .regs = {R2}};
    case MOVE:
        return (sl_inst){.op_class = SL_CLASS_MOVE, .dsts = 1, .regs = {R1}};
    case ADD:
        return (sl_inst){.op_class = SL_CLASS_INT, .dsts = 1, .regs = {R3}};
    case CHAIN:
        return (sl_inst){.op_class = SL_CLASS_INT, .dsts = 1, .srcs = 1, .regs = {R3, R3}};
    case DOUBLE:
        return (sl_inst){.op_class = SL_CLASS_F64};
    case ROOT:
        return (sl_inst){.op_class = SL_CLASS_SFU};
    case BARRIER:
        return (sl_inst){.op_class = SL_CLASS_BARRIER, .opcode = STRINGS_BAR};
    case FENCE:
        return (sl_inst){.op_class = SL_CLASS_FENCE, .opcode = STRINGS_MEMBAR};
    case BLOCK_FENCE:
        return (sl_inst){.op_class = SL_CLASS_FENCE, .opcode = STRINGS_MEMBAR_CTA};
    case WAIT_COPIES:
        return (sl_inst){.op_class = SL_CLASS_FENCE, .opcode = STRINGS_WAIT};
    default:
        return (sl_inst){0};
    }
}

/* ---- traces ---- */

typedef struct written {
    sl_inst inst[OPS];
    sl_trace_bb bb[OPS];
    uint32_t mem_inst[OPS];
    sl_trace_kernel kernel;
    char path[64];
    sl_trace *trace;
    sl_loaded *loaded;
} written;

static inline void write_kernel(written *w)
{
    for (uint32_t i = 0; i < OPS; i++) {
        w->inst[i] = op_inst((op)i);
        w->inst[i].pc = i;
        w->inst[i].opcode = w->inst[i].opcode ? w->inst[i].opcode : 1;
        w->inst[i].mem_slot = i < MEMORY_OPS ? i : UINT32_MAX;
        if (i < MEMORY_OPS)
            w->inst[i].op_class = SL_CLASS_MEMORY;
        w->mem_inst[i] = i;
        w->bb[i] = (sl_trace_bb){i, 1};
    }
    w->kernel = (sl_trace_kernel){.symbol = "k",
                                  .name = "k",
                                  .insts = OPS,
                                  .inst = w->inst,
                                  .bbs = OPS,
                                  .bb = w->bb,
                                  .mem_slots = MEMORY_OPS,
                                  .mem_inst = w->mem_inst,
                                  .strings = op_strings,
                                  .strings_bytes = sizeof op_strings,
                                  .local_bytes = 64};
}

static inline void write_warp(sl_trace_writer *writer, uint64_t block, uint32_t warp, const warp_acts *acts, bool last)
{
    sl_warp_stream stream;
    assert_true(sl_warp_stream_init(&stream, MEMORY_OPS, 32));
    for (size_t i = 0; i < acts->acts; i++) {
        const act *a = &acts->act[i];
        uint64_t addr[SL_MAX_LANES];
        for (uint64_t lane = 0; lane < SL_MAX_LANES; lane++)
            addr[lane] = a->base + lane * a->stride;
        sl_warp_stream_step(&stream, a->op, UINT32_MAX);
        if (a->op < MEMORY_OPS)
            sl_warp_stream_access(&stream, a->op, a->lanes, addr);
    }
    sl_warp_stream_flush(&stream);
    sl_warp_view view = {warp, stream.control.data, stream.memory.data, stream.control.count, stream.memory.count};
    sl_block_view part = {.block = block, .part = warp, .last = last, .warps = 1, .warp = &view};
    sl_error error;
    assert_int_equal(sl_trace_writer_block(writer, &part, &error), SL_OK);
    sl_warp_stream_fini(&stream);
}

/* A launch of so many blocks of so many warps; `acts` by block and warp. */
static inline void write_launch(written *w, uint32_t blocks, uint32_t warps, const warp_acts *acts)
{
    sl_trace_writer *writer;
    sl_error error;
    memset(w, 0, sizeof *w);
    write_kernel(w);
    snprintf(w->path, sizeof w->path, "/tmp/sluice-test-XXXXXX");
    int file = mkstemp(w->path);
    assert_true(file >= 0);
    close(file);
    sl_trace_launch launch = {.grid = {blocks, 1, 1},
                              .block = {warps * 32, 1, 1},
                              .lanes = 32,
                              .shared_window = UINT64_C(1) << 40,
                              .local_window = UINT64_C(2) << 40,
                              .window_bytes = 1 << 24,
                              .blocks_recorded = blocks};
    assert_int_equal(sl_trace_writer_create(w->path, "test", 1, &writer, &error), SL_OK);
    assert_int_equal(sl_trace_writer_kernel(writer, &w->kernel, &launch.kernel, &error), SL_OK);
    assert_int_equal(sl_trace_writer_begin(writer, &launch, NULL, 0, &error), SL_OK);
    for (uint32_t i = 0; i < blocks * warps; i++)
        write_warp(writer, i / warps, i % warps, &acts[i], i % warps == warps - 1);
    assert_int_equal(sl_trace_writer_end(writer, false, &error), SL_OK);
    assert_int_equal(sl_trace_writer_close(writer, &error), SL_OK);
    assert_int_equal(sl_trace_open(w->path, &w->trace, NULL, &error), SL_OK);
    assert_int_equal(sl_loaded_create(w->trace, 0, NULL, &w->loaded, &error), SL_OK);
}

static inline void drop_launch(written *w)
{
    sl_loaded_destroy(w->loaded);
    sl_trace_close(w->trace);
    unlink(w->path);
}

/* ---- running ---- */

static inline void check_sums(const sl_machine *m, const sl_sim_result *r)
{
    uint64_t cycles = 0;
    for (int i = 0; i < SL_CYCLES; i++)
        cycles += r->scheduler_cycles[i];
    assert_int_equal(cycles, r->cycles * m->cores * m->core.schedulers);
    assert_int_equal(r->scheduler_cycles[SL_CYCLE_ISSUE], r->warp_insts);
}

/* Runs a launch on a machine with all caches empty. What the result points to is gone. */
static inline sl_sim_result run_with(const sl_machine *machine, const sl_sim_options *options, const sl_sim_plan *plan,
                                     uint32_t blocks, uint32_t warps, const warp_acts *acts)
{
    written w;
    sl_sim *sim;
    sl_sim_result result;
    sl_error error;
    sl_machine checked = *machine;
    if (sl_machine_check(&checked, &error) != SL_OK)
        fail_msg("%s", error.text);
    write_launch(&w, blocks, warps, acts);
    if (sl_sim_create_with(&checked, options, &sim, &error) != SL_OK)
        fail_msg("%s", error.text);
    if (sl_sim_launch(sim, w.loaded, plan, &result, &error) != SL_OK)
        fail_msg("%s\n%s", error.text, sl_sim_state_text(sim) ? sl_sim_state_text(sim) : "");
    check_sums(&checked, &result);
    sl_sim_destroy(sim);
    drop_launch(&w);
    sl_sim_result kept = result;
    kept.slots = NULL;
    kept.counts.slot = NULL;
    sl_sim_result_fini(&result);
    return kept;
}

static inline sl_sim_result run_planned(const sl_machine *machine, const sl_sim_plan *plan, uint32_t blocks,
                                        uint32_t warps, const warp_acts *acts)
{
    return run_with(machine, &(sl_sim_options){.seed = 1}, plan, blocks, warps, acts);
}

/* The same with the levels that each instruction bypasses. */
static inline sl_sim_result run_plan(const sl_machine *machine, const uint8_t *bypass, uint32_t blocks, uint32_t warps,
                                     const warp_acts *acts)
{
    sl_sim_hint hint[MEMORY_OPS] = {0};
    for (int i = 0; bypass && i < MEMORY_OPS; i++)
        hint[i].bypass = bypass[i];
    return run_planned(machine, &(const sl_sim_plan){.hint = hint}, blocks, warps, acts);
}

#define RUN(machine, blocks, warps, ...) run_plan(machine, NULL, blocks, warps, (const warp_acts[]){__VA_ARGS__})
#define RUN_WARP(machine, ...)           RUN(machine, 1, 1, WARP(__VA_ARGS__))

#endif
