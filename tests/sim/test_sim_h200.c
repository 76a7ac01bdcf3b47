/* SPDX-License-Identifier: MIT */
/* What was measured on an H200 and no older machine has: times of branches, barriers and new code, blocks that start at
 * a rate, banks of L1, stored words, and loops that the compiler unrolls. */
#include "simulated.h"

#include "access/partition.h"
#include "sim/program.h"

static void a_jump_takes_the_branch_cycles(void **state)
{
    (void)state;
    sl_machine m = tiny();
    uint64_t before = RUN_WARP(&m, do_(USE), do_(USE), do_(USE_2)).cycles;
    m.core.branch_cycles = 10;
    /* USE_2 lies behind USE: only the second USE is a jump. */
    assert_int_equal(RUN_WARP(&m, do_(USE), do_(USE), do_(USE_2)).cycles, before + 9);
}

static void a_barrier_takes_its_cycles_and_some_for_each_warp(void **state)
{
    (void)state;
    sl_machine m = tiny();
    warp_acts both = WARP(do_(BARRIER), do_(FENCE));
    uint64_t before = RUN(&m, 1, 2, both, both).cycles;
    m.core.barrier_cycles = 12;
    m.core.barrier_warp_cycles = 2;
    assert_int_equal(RUN(&m, 1, 2, both, both).cycles, before + 11 + 4);
}

static void the_first_code_comes_with_the_launch(void **state)
{
    (void)state;
    sl_machine m = tiny();
    uint64_t before = RUN_WARP(&m, do_(USE), do_(USE)).cycles;
    m.core.fetch_cycles = 50; /* the first instructions are those of the launch */
    assert_int_equal(RUN_WARP(&m, do_(USE), do_(USE)).cycles, before);
}

static void blocks_start_after_their_cycles_and_end_at_their_rate(void **state)
{
    (void)state;
    sl_machine m = tiny();
    warp_acts one = WARP(do_(USE));
    uint64_t before = RUN(&m, 4, 1, one, one, one, one).cycles;
    m.core.block_cycles = 100;
    assert_int_equal(RUN(&m, 4, 1, one, one, one, one).cycles, before + 100);
    m.core.block_rate = 50; /* one in 20 cycles */
    assert_int_equal(RUN(&m, 4, 1, one, one, one, one).cycles, 4 * 20 + 100 + 1);
    m.core.block_rate = 0;
    m.core.block_interval = 30; /* each starts 30 cycles after the one before it on its core */
    assert_int_equal(RUN(&m, 4, 1, one, one, one, one).cycles, before + 100 + 3 * 30 - 3);
    m.core.block_warp_interval = 40;
    assert_int_equal(RUN(&m, 4, 1, one, one, one, one).cycles, before + 100 + 3 * 40 - 3);
}

/* Lines in one of four banks of tags one after the other, words in one of 32 banks, too. */
static void l1_takes_as_long_as_its_busiest_bank(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].sets = 0;
    m.level[0].size_bytes = 64 * 128 * 2;
    m.level[0].hit_cycles = 4;
    uint64_t line = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(LOAD, 0), do_(USE)).cycles;
    uint64_t lines = RUN_WARP(&m, strided(LOAD, 0, 128), do_(USE), strided(LOAD, 0, 128), do_(USE)).cycles;
    m.level[0].banks = 4;
    m.level[0].data_banks = 32;
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), do_(USE), at(LOAD, 0), do_(USE)).cycles, line);
    uint64_t banked = RUN_WARP(&m, strided(LOAD, 0, 132), do_(USE), strided(LOAD, 0, 132), do_(USE)).cycles;
    assert_true(banked + 20 < lines); /* 34 lines in 4 banks, words in all 32 */
    /* Words of different lines in one bank: as long as one by one. */
    uint64_t conflict = RUN_WARP(&m, strided(LOAD, 0, 128), do_(USE), strided(LOAD, 0, 128), do_(USE)).cycles;
    assert_true(conflict > banked + 20);
}

static sl_machine that_keeps_stores(void)
{
    sl_machine m = tiny();
    m.level[0].write = SL_WRITE_ALLOCATE;
    m.level[0].sector_bytes = m.level[0].fill_bytes = 32;
    m.level[1].sector_bytes = m.level[1].fill_bytes = 32;
    return m;
}

static void stored_words_hit_and_their_neighbours_miss(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    act store = lanes(STORE, 0, 4, 1), word = lanes(LOAD, 0, 4, 1), next = lanes(LOAD, 0, 4, 2);
    assert_int_equal(RUN_WARP(&m, store, do_(FENCE), word, do_(USE)).level[0].misses, 0);
    assert_int_equal(RUN_WARP(&m, store, do_(FENCE), next, do_(USE)).level[0].misses, 1);
    /* A whole sector was valid before. */
    act sector = lanes(STORE, 0, 4, 0xff);
    assert_int_equal(RUN_WARP(&m, sector, do_(FENCE), next, do_(USE)).level[0].misses, 0);
}

/* 32 lines of one word each: the second store comes while the first is being sent. */
static void a_store_makes_l1_forget_one_that_is_still_to_be_sent(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    m.level[0].sets = m.level[1].sets = 0;
    m.level[0].size_bytes = m.level[1].size_bytes = 64 * 128 * 2;
    m.level[0].miss_queue = 64;
    m.level[0].banks = 4; /* it takes stores faster than they are sent */
    m.level[0].data_banks = 32;
    m.level[1].network_bytes = 32;
    m.level[1].network_partial = 2;
    assert_int_equal(sl_machine_check(&m, NULL), SL_OK);
    act word = strided(STORE, 0, 160), next = strided(STORE, 4, 160);
    act first = strided(LOAD, 0, 160), second = strided(LOAD, 4, 160), third = strided(LOAD_2, 8, 160);
    assert_int_equal(RUN_WARP(&m, word, do_(FENCE), next, do_(FENCE), first, do_(USE)).level[0].misses, 0);
    assert_true(RUN_WARP(&m, word, next, do_(FENCE), first, do_(USE)).level[0].misses > 16);
    assert_int_equal(RUN_WARP(&m, word, next, do_(FENCE), second, do_(USE)).level[0].misses, 0);
    /* Sectors that were valid are so no more. */
    assert_int_equal(RUN_WARP(&m, first, do_(USE), word, do_(FENCE), third, do_(USE_2)).level[0].misses, 32);
    assert_true(RUN_WARP(&m, first, do_(USE), word, next, do_(FENCE), third, do_(USE_2)).level[0].misses > 32 + 16);
    /* Stores to few lines join. */
    act few = lanes(STORE, 0, 160, 0xfff), more = lanes(STORE, 4, 160, 0xfff), read = lanes(LOAD, 0, 160, 0xfff);
    assert_int_equal(RUN_WARP(&m, few, more, do_(FENCE), read, do_(USE)).level[0].misses, 0);
}

static void a_sector_whose_words_were_all_stored_is_in_l2(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    act half = lanes(STORE, 0, 4, 0x0f), rest = lanes(STORE, 0, 4, 0xf0), read = lanes(LOAD_CG, 0, 4, 0xff);
    assert_int_equal(RUN_WARP(&m, half, do_(FENCE), read, do_(USE)).dram_read_sectors, 1);
    assert_int_equal(RUN_WARP(&m, half, do_(FENCE), rest, do_(FENCE), read, do_(USE)).dram_read_sectors, 0);
}

static void stores_of_a_warp_to_one_line_go_on_as_one(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    act half = lanes(STORE, 0, 4, 0x0f), rest = lanes(STORE, 0, 4, 0xf0), read = lanes(LOAD_CG, 0, 4, 0xff);
    assert_int_equal(RUN_WARP(&m, half, rest).level[1].accesses, 2);
    uint64_t alone = RUN_WARP(&m, half, at(LOAD, 256), do_(USE)).cycles;
    m.level[0].join_cycles = 20;
    sl_sim_result r = RUN_WARP(&m, half, rest);
    assert_int_equal(r.level[1].accesses, 1);
    assert_int_equal(r.level[1].written_sectors, 1);
    assert_int_equal(r.level[0].coalesced, 1);
    assert_int_equal(RUN_WARP(&m, half, rest, do_(FENCE), read, do_(USE)).dram_read_sectors, 0); /* it is whole */
    assert_int_equal(RUN_WARP(&m, half, do_(FENCE), rest).level[1].accesses, 2);
    assert_int_equal(RUN(&m, 1, 2, WARP(half), WARP(rest)).level[1].accesses, 2);
    /* With a load behind it, it goes at once, in the cycle before. */
    assert_int_equal(RUN_WARP(&m, half, at(LOAD, 256), do_(USE)).cycles, alone + 1);
}

static void a_store_into_a_sector_in_flight_is_kept(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    act word = lanes(LOAD, 0, 4, 1), store = lanes(STORE, 0, 4, 2), stored = lanes(LOAD_2, 0, 4, 2);
    sl_sim_result r = RUN_WARP(&m, word, store, do_(USE), stored, do_(USE_2));
    assert_int_equal(r.level[0].misses, 1);
}

/* A load is at L2 in cycle 13 and has its line there in 92; the store behind it is at L2 in cycle 14. */
static void a_store_waits_in_l2_for_its_sector_in_flight(void **state)
{
    (void)state;
    for (uint32_t waits = 0; waits < 2; waits++) {
        sl_machine m = tiny();
        m.level[1].write_waits = waits;
        sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), at(STORE, 0));
        assert_int_equal(r.level[1].stall_cycles[SL_STALL_MERGE], waits ? 92 - 14 : 0);
        assert_int_equal(r.dram_read_sectors, 1);
        r = RUN_WARP(&m, at(LOAD, 0), at(STORE, 128));
        assert_int_equal(r.level[1].stall_cycles[SL_STALL_MERGE], 0);
    }
}

static void a_partial_store_takes_its_share_of_the_network(void **state)
{
    (void)state;
    sl_machine m = that_keeps_stores();
    m.level[1].network_bytes = 32;
    act parts = strided(STORE, 0, 32);
    uint64_t before = RUN_WARP(&m, parts, do_(FENCE)).cycles;
    m.level[1].network_partial = 4;
    assert_true(RUN_WARP(&m, parts, do_(FENCE)).cycles >= before + 3 * 32 - 8);
    act whole = at(STORE, 0);
    uint64_t line = RUN_WARP(&m, whole, do_(FENCE)).cycles;
    m.level[1].network_partial = 1;
    assert_int_equal(RUN_WARP(&m, whole, do_(FENCE)).cycles, line);
}

/* ---- partitions ---- */

enum { NEAR, FAR, HOMES };

/* Two cores, each with a partition of L2 of its own; lines whose home is that of the first core, and of the second. */
static sl_machine with_partitions(uint64_t line[HOMES])
{
    sl_machine m = tiny();
    m.cores = 2;
    m.level[1].cores_per_instance = 2;
    m.level[1].banks = m.level[1].partitions = 2;
    m.level[1].partition_first = m.level[1].partition_cores = 1;
    for (uint64_t n = 0; n < 16; n++)
        line[sl_partition_home(&m.level[1], n)] = n * 128;
    return m;
}

/* 100 on average: what another partition asks for crosses its network of 10 cycles twice. */
static void memory_takes_longer_through_another_partition(void **state)
{
    (void)state;
    uint64_t line[HOMES];
    sl_machine m = with_partitions(line), whole = m;
    whole.level[1].partitions = 1;
    uint64_t alone = RUN_WARP(&whole, at(LOAD, line[NEAR]), do_(USE)).cycles;
    assert_int_equal(RUN_WARP(&m, at(LOAD, line[NEAR]), do_(USE)).cycles, alone - 10);
    assert_int_equal(RUN_WARP(&m, at(LOAD, line[FAR]), do_(USE)).cycles, alone + 10);
    /* The copy is as near as any line. */
    uint64_t near = RUN_WARP(&m, at(LOAD_CG, line[NEAR]), do_(USE), at(LOAD_CG, line[NEAR]), do_(USE)).cycles;
    assert_int_equal(RUN_WARP(&m, at(LOAD_CG, line[FAR]), do_(USE), at(LOAD_CG, line[FAR]), do_(USE)).cycles,
                     near + 20);
}

static void a_line_misses_once_in_each_partition(void **state)
{
    (void)state;
    uint64_t line[HOMES];
    sl_machine m = with_partitions(line);
    for (int home = NEAR; home < HOMES; home++) {
        warp_acts one = WARP(at(LOAD, line[home]), do_(USE));
        sl_sim_result r = RUN(&m, 2, 1, one, one);
        assert_int_equal(r.level[1].misses, 2);
        assert_int_equal(r.level[1].copies, 1);
        assert_int_equal(r.level[1].read_hit_sectors, 0);
        assert_int_equal(r.dram_read_sectors, 1);
    }
    m.level[1].partitions = 1;
    warp_acts one = WARP(at(LOAD, line[FAR]), do_(USE));
    sl_sim_result r = RUN(&m, 2, 1, one, one);
    assert_int_equal(r.level[1].misses, 1);
    assert_int_equal(r.level[1].copies, 0);
}

/* A store goes by the copy of its core's partition, which takes it, to the home of its line. */
static void a_copy_takes_stores(void **state)
{
    (void)state;
    uint64_t line[HOMES];
    sl_machine m = with_partitions(line);
    sl_sim_result r = RUN_WARP(&m, at(LOAD_CG, line[FAR]), do_(USE), at(STORE, line[FAR]), do_(FENCE),
                               at(LOAD_CG, line[FAR]), do_(USE));
    assert_int_equal(r.level[1].misses, 1);
    assert_int_equal(r.level[1].hits, 2); /* the store at home, and the second load at the copy */
    r = RUN_WARP(&m, at(LOAD_CG, line[FAR]), do_(USE), at(ATOMIC, line[FAR]), do_(USE), at(LOAD_CG, line[FAR]),
                 do_(USE));
    assert_int_equal(r.level[1].misses, 2); /* what an atomic has made of it is known at home */
    assert_int_equal(r.level[1].copies, 1);
}

/* What is stored from another partition leaves a copy there. */
static void a_store_allocates_a_copy(void **state)
{
    (void)state;
    uint64_t line[HOMES];
    sl_machine m = with_partitions(line);
    sl_sim_result r = RUN_WARP(&m, at(STORE, line[FAR]), do_(FENCE), at(LOAD_CG, line[FAR]), do_(USE));
    assert_int_equal(r.level[1].read_hit_sectors, 1);
    assert_int_equal(r.level[1].copies, 0);
}

/* ---- banks ---- */

static void neighbouring_lines_fill_all_sets_of_all_banks(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].index = SL_INDEX_ROTATE;
    m.level[1].banks = 2;
    m.level[1].bank_interleave = 256;
    for (uint64_t base = 0; base < 1 << 20; base += 1 << 16) {
        act all[34];
        for (uint64_t i = 0; i < 16; i++)
            all[i] = all[i + 17] = at(LOAD_CG, base + i * 128);
        all[16] = all[33] = do_(USE);
        sl_sim_result r = RUN(&m, 1, 1, {all, 34});
        assert_int_equal(r.level[1].misses, 16); /* as many lines as it has */
        assert_int_equal(r.level[1].hits, 16);
    }
}

/* ---- lowering ---- */

typedef struct loop {
    sl_inst inst[4];
    uint32_t mem_inst[1];
    sl_trace_bb bb;
    sl_trace_kernel kernel;
    char strings[64];
} loop;

/* r2 = [r1]; r3 = r3 + r2; r1 = r1 + 4; branch on p5 */
static void make_loop(loop *l, uint16_t unrolled)
{
    static const char text[] = "\0ld.global.u32\0add.s32\0bra";
    *l = (loop){.bb = {0, 4}, .mem_inst = {0}};
    memcpy(l->strings, text, sizeof text);
    l->inst[0] = (sl_inst){.op_class = SL_CLASS_MEMORY,
                           .space = SL_MEM_GLOBAL,
                           .access = SL_ACCESS_LOAD,
                           .width = 4,
                           .dsts = 1,
                           .srcs = 1,
                           .regs = {2, 1},
                           .opcode = 1};
    l->inst[1] = (sl_inst){
        .op_class = SL_CLASS_INT, .dsts = 1, .srcs = 2, .regs = {3, 3, 2}, .opcode = 15, .mem_slot = UINT32_MAX};
    l->inst[2] =
        (sl_inst){.op_class = SL_CLASS_INT, .dsts = 1, .srcs = 1, .regs = {1, 1}, .opcode = 15, .mem_slot = UINT32_MAX};
    l->inst[3] = (sl_inst){
        .op_class = SL_CLASS_CONTROL, .srcs = 1, .regs = {5}, .width = unrolled, .opcode = 23, .mem_slot = UINT32_MAX};
    l->kernel = (sl_trace_kernel){.symbol = "k",
                                  .name = "k",
                                  .insts = 4,
                                  .inst = l->inst,
                                  .bbs = 1,
                                  .bb = &l->bb,
                                  .mem_slots = 1,
                                  .mem_inst = l->mem_inst,
                                  .strings = l->strings,
                                  .strings_bytes = sizeof l->strings};
}

static void iterations_of_an_unrolled_loop_load_together(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.lowering = 1;
    m.core.load_batching = 16;
    loop l;
    sl_program p;
    sl_error error;
    make_loop(&l, 0);
    assert_int_equal(sl_program_init(&p, &m, &l.kernel, &error), SL_OK);
    assert_int_equal(p.blocks, 1);
    sl_program_fini(&p);

    make_loop(&l, 4);
    assert_int_equal(sl_program_init(&p, &m, &l.kernel, &error), SL_OK);
    assert_int_equal(p.blocks, 3);
    assert_int_equal(p.loop[0].factor, 4);
    assert_int_equal(p.loop[0].accesses, 1);
    const sl_trace_bb *four = &p.block[p.loop[0].version[0].block], *two = four + 1;
    /* Four loads and sums; the counter and the branch once. */
    assert_int_equal(four->count, 10);
    assert_int_equal(two->count, 6);
    for (uint32_t i = 0; i < 4; i++) {
        const sl_step *step = &p.step[four->first + i];
        assert_int_equal(step->kind, SL_STEP_MEMORY);
        assert_int_equal(step->access, i);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(step->reg[0], p.step[four->first + j].reg[0]);
    }
    assert_true(p.held >= 4);
    sl_program_fini(&p);
}

static void constant_memory_at_an_index_takes_its_time(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.lowering = 1;
    loop l;
    sl_program p;
    sl_error error;
    for (uint8_t addresses = 0; addresses < 2; addresses++) {
        make_loop(&l, 0);
        strcpy(l.strings + 40, "ld.const.u32");
        l.inst[0].opcode = 40;
        l.inst[0].space = SL_MEM_CONST;
        l.inst[0].srcs = addresses; /* registers of its address */
        assert_int_equal(sl_program_init(&p, &m, &l.kernel, &error), SL_OK);
        assert_int_equal(p.step[0].kind, SL_STEP_PLAIN);
        assert_int_equal(p.step[0].cycles, addresses ? 29 : m.core.alu_cycles);
        assert_int_equal(p.step[0].further, addresses ? 11 : 0);
        sl_program_fini(&p);
    }
}

/* Twice: r = [r1]; p = r >= r3; jump over "[r6] = r" on p. */
typedef struct branches {
    sl_inst inst[8];
    uint32_t mem_inst[4];
    sl_trace_bb bb[4];
    sl_trace_kernel kernel;
    char strings[64];
} branches;

static void make_branches(branches *k)
{
    static const char text[] = "\0ld.global.nc.u32\0setp.ge.u32\0bra\0st.global.u32\0ld.global.u32";
    *k = (branches){.bb = {{0, 3}, {3, 1}, {4, 3}, {7, 1}}, .mem_inst = {0, 3, 4, 7}};
    memcpy(k->strings, text, sizeof text);
    for (uint16_t n = 0; n < 2; n++) {
        uint16_t value = (uint16_t)(10 + n), condition = (uint16_t)(20 + n);
        sl_inst *i = &k->inst[4 * n];
        const sl_inst global = {.op_class = SL_CLASS_MEMORY, .space = SL_MEM_GLOBAL, .width = 4};
        i[0] = i[3] = global;
        i[0].access = SL_ACCESS_LOAD, i[0].dsts = 1, i[0].srcs = 1, i[0].opcode = 1, i[0].mem_slot = 2 * n;
        i[0].regs[0] = value, i[0].regs[1] = 1;
        i[1] = (sl_inst){.op_class = SL_CLASS_INT, .dsts = 1, .srcs = 2, .opcode = 18, .mem_slot = UINT32_MAX};
        i[1].regs[0] = condition, i[1].regs[1] = value, i[1].regs[2] = 3;
        i[2] = (sl_inst){.op_class = SL_CLASS_CONTROL, .srcs = 1, .opcode = 30, .mem_slot = UINT32_MAX};
        i[2].regs[0] = condition;
        i[3].access = SL_ACCESS_STORE, i[3].srcs = 2, i[3].opcode = 34, i[3].mem_slot = 2 * n + 1u;
        i[3].regs[0] = 6, i[3].regs[1] = value;
    }
    k->kernel = (sl_trace_kernel){.symbol = "k",
                                  .name = "k",
                                  .insts = 8,
                                  .inst = k->inst,
                                  .bbs = 4,
                                  .bb = k->bb,
                                  .mem_slots = 4,
                                  .mem_inst = k->mem_inst,
                                  .strings = k->strings,
                                  .strings_bytes = sizeof k->strings};
}

static void constant_loads_move_before_branches(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.lowering = 1;
    m.core.load_batching = 16;
    branches k;
    sl_program p;
    sl_error error;
    make_branches(&k);
    assert_int_equal(sl_program_init(&p, &m, &k.kernel, &error), SL_OK);
    assert_int_equal(p.chain[0].blocks, 3);
    const sl_trace_bb *block = &p.block[p.chain[0].block + 3];
    assert_int_equal(block[0].count, 5); /* both loads and comparisons, and the branch behind them */
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(p.order[block[0].first + i], 4 * i);
        assert_int_equal(p.step[block[0].first + i].access, i);
    }
    assert_int_equal(p.order[block[0].first + 4], 2);
    assert_int_equal(block[1].count, 1); /* the store; its access is that behind those of the others */
    assert_int_equal(p.step[block[1].first].access, 2);
    assert_int_equal(block[2].count, 1); /* the other branch */
    assert_int_equal(p.order[block[2].first], 6);
    sl_program_fini(&p);

    k.inst[4].opcode = 48; /* of data that the store may have changed */
    assert_int_equal(sl_program_init(&p, &m, &k.kernel, &error), SL_OK);
    assert_int_equal(p.chain[0].blocks, 0);
    sl_program_fini(&p);

    make_branches(&k);
    k.inst[3] = k.inst[1]; /* instead of the store, a change of the address */
    k.inst[3].regs[0] = 1;
    assert_int_equal(sl_program_init(&p, &m, &k.kernel, &error), SL_OK);
    assert_int_equal(p.chain[0].blocks, 0);
    sl_program_fini(&p);
}

static void a_long_opcode_issues_several_times_in_its_measured_time(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.lowering = 1;
    loop l;
    sl_program p;
    sl_error error;
    make_loop(&l, 0);
    snprintf(l.strings + 15, 32, "div.s32");
    l.inst[3].opcode = 1;
    assert_int_equal(sl_program_init(&p, &m, &l.kernel, &error), SL_OK);
    assert_int_equal(p.step[1].issues, 24);
    assert_int_equal(p.step[1].gap * 23 + p.step[1].cycles, 62);
    sl_program_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_takes_the_branch_cycles),
        cmocka_unit_test(a_barrier_takes_its_cycles_and_some_for_each_warp),
        cmocka_unit_test(the_first_code_comes_with_the_launch),
        cmocka_unit_test(blocks_start_after_their_cycles_and_end_at_their_rate),
        cmocka_unit_test(l1_takes_as_long_as_its_busiest_bank),
        cmocka_unit_test(stored_words_hit_and_their_neighbours_miss),
        cmocka_unit_test(a_store_makes_l1_forget_one_that_is_still_to_be_sent),
        cmocka_unit_test(a_sector_whose_words_were_all_stored_is_in_l2),
        cmocka_unit_test(a_store_allocates_a_copy),
        cmocka_unit_test(neighbouring_lines_fill_all_sets_of_all_banks),
        cmocka_unit_test(stores_of_a_warp_to_one_line_go_on_as_one),
        cmocka_unit_test(a_store_into_a_sector_in_flight_is_kept),
        cmocka_unit_test(memory_takes_longer_through_another_partition),
        cmocka_unit_test(a_line_misses_once_in_each_partition),
        cmocka_unit_test(a_copy_takes_stores),
        cmocka_unit_test(a_store_waits_in_l2_for_its_sector_in_flight),
        cmocka_unit_test(a_partial_store_takes_its_share_of_the_network),
        cmocka_unit_test(iterations_of_an_unrolled_loop_load_together),
        cmocka_unit_test(constant_memory_at_an_index_takes_its_time),
        cmocka_unit_test(constant_loads_move_before_branches),
        cmocka_unit_test(a_long_opcode_issues_several_times_in_its_measured_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
