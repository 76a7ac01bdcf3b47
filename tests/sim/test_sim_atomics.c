/* SPDX-License-Identifier: MIT */
/* Atomics: where they are done, and what they leave in the levels. */
#include "simulated.h"

static void atomics_are_done_in_l2_and_drop_the_line_of_l1(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result before = RUN_WARP(&m, at(LOAD, 0), do_(USE));
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(ATOMIC, 0), do_(USE));
    assert_int_equal(r.cycles - before.cycles, 1 + 44 + 1);
    assert_int_equal(r.level[1].hits, 1);
    r = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(ATOMIC, 0), do_(USE), at(LOAD, 0), do_(USE));
    assert_int_equal(r.level[0].misses, 2);
    assert_int_equal(r.level[0].hits, 0);
}

static void atomics_bring_their_line_to_l2_and_make_it_dirty(void **state)
{
    (void)state;
    sl_machine m = tiny();
    assert_int_equal(RUN_WARP(&m, at(ATOMIC, 0), do_(USE)).cycles, 106);
    sl_sim_result r = RUN_WARP(&m, at(REDUCTION, 0), do_(FENCE), at(LOAD_CG, 512), do_(USE), at(LOAD_CG, 1024),
                               do_(USE), at(LOAD_CG, 1536), do_(USE), at(LOAD_CG, 2048), do_(USE));
    assert_int_equal(r.dram_read_sectors, 5);
    assert_int_equal(r.dram_written_sectors, 1);
    /* Nobody waits for a reduction. */
    r = RUN_WARP(&m, at(REDUCTION, 0), do_(USE), do_(USE));
    assert_int_equal(r.scheduler_cycles[SL_CYCLE_DATA], 0);
    assert_int_equal(r.cycles, 92);
}

/* 32 passes for lanes on one word, 4 for neighboring ones, 10 cycles each: the next atomic of the slice waits. */
static void atomics_of_a_slice_take_turns(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].atomic_rate = 100;
    uint64_t one = RUN_WARP(&m, at(LOAD, 0), do_(USE), strided(REDUCTION, 0, 0), do_(FENCE)).cycles;
    uint64_t two =
        RUN_WARP(&m, at(LOAD, 0), do_(USE), strided(REDUCTION, 0, 0), strided(REDUCTION, 4, 0), do_(FENCE)).cycles;
    assert_int_equal(two - one, 320);
    one = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(REDUCTION, 0), do_(FENCE)).cycles;
    two = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(REDUCTION, 0), at(REDUCTION, 0), do_(FENCE)).cycles;
    assert_int_equal(two - one, 40);
}

/* Where no level keeps stores, atomics are done in memory, and answered from there. */
static void atomics_reach_memory_where_no_level_keeps_stores(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].write = SL_WRITE_THROUGH;
    sl_sim_result r = RUN_WARP(&m, at(ATOMIC, 0), do_(USE));
    assert_int_equal(r.dram_written_sectors, 1);
    r = RUN_WARP(&m, at(REDUCTION, 0), at(STORE, 128), do_(FENCE));
    assert_int_equal(r.dram_written_sectors, 2);
    m.levels = 1;
    m.memory.latency_cycles = 50;
    assert_int_equal(RUN_WARP(&m, at(LOAD, 0), do_(USE)).cycles, 1 + 50 + 4 + 1);
    r = RUN_WARP(&m, at(ATOMIC, 0), do_(USE), at(STORE, 128));
    assert_int_equal(r.dram_written_sectors, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_are_done_in_l2_and_drop_the_line_of_l1),
        cmocka_unit_test(atomics_bring_their_line_to_l2_and_make_it_dirty),
        cmocka_unit_test(atomics_of_a_slice_take_turns),
        cmocka_unit_test(atomics_reach_memory_where_no_level_keeps_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
