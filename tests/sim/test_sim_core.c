/* SPDX-License-Identifier: MIT */
/* Cores: when instructions issue. Cycles are counted from 0; a launch whose last instruction issues in cycle n and that
 * waits for nothing has taken n + 1. */
#include "simulated.h"

/* ---- one warp ---- */

static void a_warp_issues_one_instruction_per_cycle(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, do_(USE), do_(USE), do_(USE));
    assert_int_equal(r.cycles, 3);
    assert_int_equal(r.warp_insts, 3);
    assert_int_equal(r.thread_insts, 96);
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_ISSUE], 3);
}

static void the_first_block_starts_after_the_launch_cycles(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.launch_cycles = 50;
    sl_sim_result r = RUN_WARP(&m, do_(USE));
    assert_int_equal(r.cycles, 51);
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_IDLE], 50);
}

/* MOVE writes r1 in cycle 0, it can be read in cycle 4. */
static void an_instruction_waits_for_what_it_reads(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, do_(MOVE), do_(USE));
    assert_int_equal(r.cycles, 5);
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_PIPELINE], 3);
    m.core.alu_cycles = 100; /* further than the wheel of warps reaches */
    assert_int_equal(RUN_WARP(&m, do_(MOVE), do_(USE)).cycles, 101);
    m.core.alu_cycles = 1;
    assert_int_equal(RUN_WARP(&m, do_(MOVE), do_(USE)).cycles, 2);
}

static void an_instruction_waits_for_who_writes_its_register_before_it(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(RUN_WARP(&m, do_(MOVE), do_(MOVE)).cycles, 5);
    assert_int_equal(RUN_WARP(&m, do_(MOVE), do_(ADD)).cycles, 2);
    /* A load of r1 that misses, then MOVE: in cycle 105, with its data. */
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), do_(MOVE));
    assert_int_equal(r.cycles, 106);
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_DATA], 104);
}

static void each_instruction_of_a_chain_waits_for_the_one_before(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(RUN_WARP(&m, do_(ADD), do_(CHAIN), do_(CHAIN), do_(CHAIN)).cycles, 3 * 4 + 1);
}

/* A load is waited for where its result is read, not before. */
static void loads_overlap_with_what_does_not_need_them(void **state)
{
    (void)state;
    sl_machine m = tiny();
    /* The second load goes to the other line of the row that the first has opened. */
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, 128), do_(ADD), do_(USE), do_(USE_2));
    /* USE in cycle 105. The second one's row is open, and the bus free, one cycle after the first one's. */
    assert_int_equal(r.cycles, 107);
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_ISSUE], 5);
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_DATA], 102);
}

/* A launch ends when all that was asked for is back, whether or not someone reads it. */
static void a_warp_that_has_ended_stays_until_its_loads_are_back(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0));
    assert_int_equal(r.cycles, 106);
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_IDLE], 105);
}

static void a_load_that_no_lane_takes_part_in_asks_for_nothing(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, lanes(LOAD, 0, 4, 0), do_(USE));
    assert_int_equal(r.cycles, 5);
    assert_int_equal(r.level[0].accesses, 0);
}

/* ---- units ---- */

static void a_unit_is_busy_for_its_interval(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.sfu_interval = 8;
    m.core.f64_interval = 3;
    assert_int_equal(RUN_WARP(&m, do_(ROOT), do_(ROOT), do_(ROOT)).cycles, 17);
    assert_int_equal(RUN_WARP(&m, do_(DOUBLE), do_(DOUBLE)).cycles, 4);
    /* Others continue meanwhile, of this warp and of others. */
    assert_int_equal(RUN_WARP(&m, do_(ROOT), do_(DOUBLE), do_(USE), do_(ROOT)).cycles, 9);
    sl_sim_result r = RUN(&m, 1, 2, WARP(do_(ROOT), do_(USE)), WARP(do_(ROOT), do_(USE)));
    assert_int_equal(r.cycles, 10); /* 0: ROOT, 1: USE, 8: ROOT of the other warp, 9: USE */
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_PIPELINE], 6);
}

static void each_scheduler_has_units_of_its_own(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.sfu_interval = 8;
    m.core.schedulers = 2;
    assert_int_equal(RUN(&m, 1, 2, WARP(do_(ROOT)), WARP(do_(ROOT))).cycles, 1);
    assert_int_equal(RUN(&m, 1, 3, WARP(do_(ROOT)), WARP(do_(ROOT)), WARP(do_(ROOT))).cycles, 9);
}

static void a_core_issues_as_many_as_it_has_schedulers(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const warp_acts two = WARP(do_(USE), do_(USE));
    for (uint32_t schedulers = 1; schedulers <= 4; schedulers *= 2) {
        m.core.schedulers = schedulers;
        sl_sim_result r = RUN(&m, 1, 4, two, two, two, two);
        assert_int_equal(r.cycles, 8 / schedulers);
        assert_int_equal(r.scheduler_cycles[SL_CYCLE_ISSUE], 8);
    }
}

/* ---- shared memory ---- */

static void shared_memory_takes_its_cycles_and_one_more_for_each_conflict(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(RUN_WARP(&m, strided(SHARED_LOAD, 0, 4), do_(USE)).cycles, 11);
    assert_int_equal(RUN_WARP(&m, strided(SHARED_LOAD, 0, 0), do_(USE)).cycles, 11);   /* one word for all */
    assert_int_equal(RUN_WARP(&m, strided(SHARED_LOAD, 0, 8), do_(USE)).cycles, 12);   /* two words of each bank */
    assert_int_equal(RUN_WARP(&m, strided(SHARED_LOAD, 0, 128), do_(USE)).cycles, 42); /* all of one bank */
}

/* The first access takes 32 turns of the banks, cycles 0 to 31; the other warp's, from cycle 1, has to wait for them.
 */
static void warps_wait_for_each_others_bank_conflicts(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN(&m, 1, 2, WARP(strided(SHARED_LOAD, 0, 128)), WARP(strided(SHARED_LOAD, 0, 4), do_(USE)));
    assert_int_equal(r.cycles, 32 + 10 + 1);
    assert_int_equal(r.level[0].accesses, 0);
}

/* Three lines of a set with two ways: the third waits until the first is there. Four accesses to shared memory come
 * behind it, of 32 turns each. */
static void in_one_pipeline_shared_memory_waits_behind_a_request_that_stalls(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const warp_acts one = WARP(at(LOAD, 0)), two = WARP(at(LOAD, 256)), three = WARP(at(LOAD, 512));
    const warp_acts shared = WARP(strided(SHARED_LOAD, 0, 128), strided(SHARED_LOAD, 0, 128),
                                  strided(SHARED_LOAD, 0, 128), strided(SHARED_LOAD, 0, 128), do_(USE));
    uint64_t apart = RUN(&m, 1, 4, one, two, three, shared).cycles, alone = RUN(&m, 1, 1, shared).cycles;
    assert_true(apart < 100 + alone);
    m.core.one_pipeline = 1;
    assert_int_equal(RUN(&m, 1, 1, shared).cycles, alone);
    assert_true(RUN(&m, 1, 4, one, two, three, shared).cycles > 95 + alone);
    /* Alone it takes as long as without. */
    assert_int_equal(RUN_WARP(&m, strided(SHARED_LOAD, 0, 4), do_(USE)).cycles, 11);
    assert_int_equal(RUN_WARP(&m, strided(SHARED_LOAD, 0, 128), do_(USE)).cycles, 42);
}

/* ---- barriers and fences ---- */

/* The first warp is there in cycle 0. The second one's CHAIN issues in cycle 5, its barrier in 6, and both continue in
 * 7, one after the other. */
static void a_barrier_holds_warps_until_all_have_come(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const warp_acts early = WARP(do_(BARRIER), do_(USE)), late = WARP(do_(ADD), do_(CHAIN), do_(BARRIER), do_(USE));
    sl_sim_result r = RUN(&m, 1, 2, early, late);
    assert_int_equal(r.cycles, 9);
    m.core.schedulers = 2; /* ADD in 0, CHAIN in 4, BARRIER in 5, both USE in 6 */
    r = RUN(&m, 1, 2, early, late);
    assert_int_equal(r.cycles, 7);
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_BARRIER], 5);
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_PIPELINE], 3);
}

static void warps_that_have_ended_are_not_waited_for(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN(&m, 1, 2, WARP(do_(BARRIER), do_(USE)), WARP(do_(ADD), do_(CHAIN)));
    assert_int_equal(r.cycles, 7); /* CHAIN in 5 is the last of the other warp: USE in 6 */
}

static void barriers_of_blocks_are_their_own(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.schedulers = 2;
    const warp_acts waits = WARP(do_(BARRIER), do_(USE)), slow = WARP(at(LOAD, 0), do_(USE), do_(BARRIER));
    /* Block 1 is through long before block 0's load is back. */
    sl_sim_result r = RUN(&m, 2, 2, waits, slow, waits, waits);
    assert_int_equal(r.cycles, 108); /* USE in 105, BARRIER in 106, USE of the other warp in 107 */
}

/* A store takes 1 cycle to L1 and, 11 later, is in L2, which keeps it; the load's data is back in cycle 105. */
static void a_fence_waits_for_loads_and_stores(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(RUN_WARP(&m, at(STORE, 0), do_(FENCE)).cycles, 13);
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), do_(FENCE)).cycles, 106);
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), do_(BLOCK_FENCE), do_(USE)).scheduler_cycles[SL_CYCLE_DATA], 103);
}

static void asynchronous_copies_are_waited_for_where_the_program_says(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, at(COPY, 0), do_(ADD), do_(WAIT_COPIES), do_(ADD));
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_DATA], 103); /* from 2 to 104 */
    assert_int_equal(r.cycles, 107);
    /* A load is no copy. */
    r = RUN_WARP(&m, at(LOAD, 0), do_(WAIT_COPIES), do_(USE));
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_DATA], 103);
    assert_int_equal(r.cycles, 106);
}

/* ---- the load/store unit ---- */

/* Lanes a line apart make 32 requests, of which L1 takes one per cycle: the last in cycle 32. */
static void requests_of_an_instruction_reach_l1_one_per_cycle(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].size_bytes = 64 * 128;
    m.level[0].ways = 64;
    m.level[0].sets = 0;
    sl_sim_result cold = RUN_WARP(&m, strided(LOAD, 0, 128), do_(USE));
    sl_sim_result warm = RUN_WARP(&m, strided(LOAD, 0, 128), do_(USE), strided(LOAD, 0, 128), do_(USE));
    assert_int_equal(warm.level[0].accesses, 64);
    assert_int_equal(warm.level[0].hits, 32);
    assert_int_equal(warm.cycles - cold.cycles, 1 + 31 + 4 + 1);
    m.level[0].ports = 4;
    cold = RUN_WARP(&m, strided(LOAD, 0, 128), do_(USE));
    warm = RUN_WARP(&m, strided(LOAD, 0, 128), do_(USE), strided(LOAD, 0, 128), do_(USE));
    assert_int_equal(warm.cycles - cold.cycles, 1 + 7 + 4 + 1);
}

/* Room for one instruction: the second one waits while the requests of the first go to L1, cycles 1 to 32, and issues
 * in the cycle of the last one. */
static void memory_instructions_wait_for_a_place_before_l1(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].size_bytes = 64 * 128;
    m.level[0].ways = 64;
    m.level[0].sets = 0;
    m.level[0].miss_queue = 64;
    m.core.memory_queue = 1;
    sl_sim_result r = RUN_WARP(&m, strided(LOAD, 0, 128), at(LOAD_2, 0));
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_MEMORY], 31);
    m.core.memory_queue = 2;
    r = RUN_WARP(&m, strided(LOAD, 0, 128), at(LOAD_2, 0));
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_MEMORY], 0);
}

/* Words of 16 bytes: 512 bytes are 4 lines, asked for at once or, in requests of 128 bytes, 8 lanes at a time. */
static void wide_words_make_as_many_requests_as_lines(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(RUN_WARP(&m, strided(LOAD_LONG, 0, 16)).level[0].accesses, 4);
    assert_int_equal(RUN_WARP(&m, strided(LOAD_LONG, 0, 0)).level[0].accesses, 1);
    m.core.request_bytes = 128;
    assert_int_equal(RUN_WARP(&m, strided(LOAD_LONG, 0, 16)).level[0].accesses, 4);
    assert_int_equal(RUN_WARP(&m, strided(LOAD_LONG, 0, 0)).level[0].accesses, 4);
}

/* ---- blocks ---- */

/* One block per core and cycle, in order; two fit on a core, so the fifth starts when the first has ended. */
static void blocks_go_to_cores_in_turn_and_wait_for_room(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.cores = 2;
    m.level[1].cores_per_instance = 2;
    m.core.blocks = 2;
    const warp_acts w = WARP(do_(ADD), do_(CHAIN)); /* ends 4 cycles after its start */
    sl_sim_result r = RUN(&m, 1, 1, w);
    assert_int_equal(r.cycles, 5);
    assert_int_equal(r.resident_blocks, 2);
    /* Blocks 0 and 1 start in cycle 0, 2 and 3 in cycle 1. */
    r = RUN(&m, 4, 1, w, w, w, w);
    assert_int_equal(r.cycles, 6);
    /* Block 4 starts in the cycle after block 0 has ended, 5, in which it is block 2's turn: ADD in 6, CHAIN in 10. */
    r = RUN(&m, 5, 1, w, w, w, w, w);
    assert_int_equal(r.cycles, 11);
}

/* Warps, threads and shared memory limit how many blocks a core holds. */
static void occupancy_is_what_the_core_can_hold(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const warp_acts w = WARP(do_(USE));
    assert_int_equal(RUN(&m, 1, 1, w).resident_blocks, 8);
    assert_int_equal(RUN(&m, 1, 4, w, w, w, w).resident_blocks, 4); /* 16 warps */
    m.core.threads = 256;
    assert_int_equal(RUN(&m, 1, 4, w, w, w, w).resident_blocks, 2);
    /* Two blocks of four warps at a time: 3 rounds of 8 instructions, and each but the first starts in the cycle after
     * a block has ended. */
    m.core.threads = 128;
    sl_sim_result r = RUN(&m, 2, 4, w, w, w, w, w, w, w, w);
    assert_int_equal(r.resident_blocks, 1);
    assert_int_equal(r.cycles, 8); /* 4 instructions in 0 to 3, 4 in 4 to 7 */
}

/* A block's place is free when its loads are back, too. */
static void a_block_keeps_its_place_until_its_loads_are_back(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.blocks = 1;
    sl_sim_result r = RUN(&m, 2, 1, WARP(at(LOAD, 0)), WARP(do_(USE)));
    assert_int_equal(r.cycles, 106); /* back in 105, in which the next block starts and ends */
}

/* ---- which warp issues ---- */

/* Cycles with one active warp. */
static uint64_t order(sl_scheduling way, uint32_t warps, const warp_acts *acts)
{
    sl_machine m = tiny();
    m.core.scheduling = way;
    m.core.active_warps = 1;
    return run_plan(&m, NULL, 1, warps, acts).cycles;
}

/* Each warp has three instructions that need nothing, but the last of one of them takes long: what the launch takes
 * shows when it issued. */
static void warps_issue_in_the_order_of_the_scheduler(void **state)
{
    (void)state;
    const warp_acts plain = WARP(do_(USE), do_(USE), do_(USE)), slow = WARP(do_(USE), do_(USE), at(LOAD, 0));
    const warp_acts second[] = {plain, slow, plain}, third[] = {plain, plain, slow}, first[] = {slow, plain, plain};
    enum { MISS = 1 + 104 + 1 }; /* from the issue of a load to the end of the launch */
    /* 0 1 2 0 1 2 0 1 2 */
    assert_int_equal(order(SL_SCHEDULE_LRR, 3, first), 6 + MISS);
    assert_int_equal(order(SL_SCHEDULE_LRR, 3, second), 7 + MISS);
    assert_int_equal(order(SL_SCHEDULE_LRR, 3, third), 8 + MISS);
    /* 0 0 0 1 1 1 2 2 2 */
    assert_int_equal(order(SL_SCHEDULE_GTO, 3, first), 2 + MISS);
    assert_int_equal(order(SL_SCHEDULE_GTO, 3, second), 5 + MISS);
    assert_int_equal(order(SL_SCHEDULE_GTO, 3, third), 8 + MISS);
    /* An instruction that has just issued is ready in the next cycle: 2 2 2 1 1 1 0 0 0 */
    assert_int_equal(order(SL_SCHEDULE_GTY, 3, first), 8 + MISS);
    assert_int_equal(order(SL_SCHEDULE_GTY, 3, second), 5 + MISS);
    assert_int_equal(order(SL_SCHEDULE_GTY, 3, third), 2 + MISS);
}

/* With one active warp of two levels, a warp continues until it waits for memory. */
static void two_levels_change_warps_where_one_waits_for_memory(void **state)
{
    (void)state;
    const warp_acts plain = WARP(do_(USE), do_(USE), do_(USE)), loads = WARP(at(LOAD, 0), do_(USE));
    const warp_acts chain = WARP(do_(ADD), do_(CHAIN), at(LOAD_2, 0), do_(USE_2));
    enum { MISS = 1 + 104 + 1 };
    /* The chain waits for arithmetic and stays: CHAIN in 4, its load in 5; then the others. */
    const warp_acts stays[] = {chain, plain};
    assert_int_equal(order(SL_SCHEDULE_TWO_LEVEL, 2, stays), 5 + MISS);
    /* A load in cycle 0, then USE waits for memory: the chain has its turn from cycle 1 on, and its load waits for the
     * same line. Both use it, in cycles 105 and 106. */
    const warp_acts goes[] = {loads, chain};
    assert_int_equal(order(SL_SCHEDULE_TWO_LEVEL, 2, goes), MISS + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_issues_one_instruction_per_cycle),
        cmocka_unit_test(the_first_block_starts_after_the_launch_cycles),
        cmocka_unit_test(an_instruction_waits_for_what_it_reads),
        cmocka_unit_test(an_instruction_waits_for_who_writes_its_register_before_it),
        cmocka_unit_test(each_instruction_of_a_chain_waits_for_the_one_before),
        cmocka_unit_test(loads_overlap_with_what_does_not_need_them),
        cmocka_unit_test(a_warp_that_has_ended_stays_until_its_loads_are_back),
        cmocka_unit_test(a_load_that_no_lane_takes_part_in_asks_for_nothing),
        cmocka_unit_test(a_unit_is_busy_for_its_interval),
        cmocka_unit_test(each_scheduler_has_units_of_its_own),
        cmocka_unit_test(a_core_issues_as_many_as_it_has_schedulers),
        cmocka_unit_test(shared_memory_takes_its_cycles_and_one_more_for_each_conflict),
        cmocka_unit_test(warps_wait_for_each_others_bank_conflicts),
        cmocka_unit_test(in_one_pipeline_shared_memory_waits_behind_a_request_that_stalls),
        cmocka_unit_test(a_barrier_holds_warps_until_all_have_come),
        cmocka_unit_test(warps_that_have_ended_are_not_waited_for),
        cmocka_unit_test(barriers_of_blocks_are_their_own),
        cmocka_unit_test(a_fence_waits_for_loads_and_stores),
        cmocka_unit_test(asynchronous_copies_are_waited_for_where_the_program_says),
        cmocka_unit_test(requests_of_an_instruction_reach_l1_one_per_cycle),
        cmocka_unit_test(memory_instructions_wait_for_a_place_before_l1),
        cmocka_unit_test(wide_words_make_as_many_requests_as_lines),
        cmocka_unit_test(blocks_go_to_cores_in_turn_and_wait_for_room),
        cmocka_unit_test(occupancy_is_what_the_core_can_hold),
        cmocka_unit_test(a_block_keeps_its_place_until_its_loads_are_back),
        cmocka_unit_test(warps_issue_in_the_order_of_the_scheduler),
        cmocka_unit_test(two_levels_change_warps_where_one_waits_for_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
