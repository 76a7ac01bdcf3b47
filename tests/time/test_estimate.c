/* SPDX-License-Identifier: MIT */
/* The estimate of a launch's cycles: each of its terms, computed by hand, and the name of the largest. */
#include "sim/simulated.h"
#include "time/estimate.h"

/* Four cores of `tiny`; 1 bank of L2, lines of 128 bytes in one sector, memory with 128 bytes per cycle. */
static sl_machine four_cores(void)
{
    sl_machine m = tiny();
    sl_error error;
    m.cores = 4;
    m.level[1].cores_per_instance = 4;
    m.core.schedulers = 1;
    if (sl_machine_check(&m, &error))
        fail_msg("%s", error.text);
    return m;
}

/* A sample of the whole busiest core; all cores have as much to do. */
static sl_time_facts sampled(uint64_t cycles, uint64_t insts)
{
    return (sl_time_facts){.sample.whole = {.cycles = cycles, .insts = insts},
                           .insts = insts,
                           .all_insts = 4 * insts,
                           .cores = 4,
                           .blocks = 4};
}

static void a_launch_takes_its_own_time_and_that_of_the_busiest_core(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(100, 10);
    f.launch_cycles = 3000;
    sl_time_estimate e = sl_time_of(&m, &f);
    assert_int_equal(e.cycles, 3100);
    assert_int_equal(e.limit, SL_TIME_LAUNCH);
}

/* 200 of 400 scheduler cycles issue, 120 of these for indices: without three of four of them 77.5 of 100 remain. */
static void wide_accesses_issue_fewer_instructions_for_indices(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(1000, 10);
    f.sample.whole.scheduler_cycles[SL_CYCLE_ISSUE] = 200;
    f.sample.whole.scheduler_cycles[SL_CYCLE_DATA] = 200;
    f.sample.whole.index_insts = 120;
    sl_time_estimate e = sl_time_of(&m, &f);
    assert_true(e.index_share > 0.599 && e.index_share < 0.601);
    assert_int_equal(e.ideal_cycles[SL_TIME_WIDE], 775);
}

static void the_core_and_what_cores_share_add_as_the_sides_of_a_right_angle(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(300, 10);
    f.l2_read_sectors = 250;
    f.l2_write_sectors = 100;
    f.atomic_sectors = 50;
    sl_time_estimate e = sl_time_of(&m, &f);
    assert_true(e.core == 300 && e.l2 == 400);
    assert_int_equal(e.cycles, 500);
    assert_int_equal(e.limit, SL_TIME_L2);
}

static void banks_of_l2_share_its_sectors(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    m.level[1].banks = 2;
    sl_time_facts f = sampled(300, 10);
    f.l2_read_sectors = 800;
    assert_int_equal(sl_time_of(&m, &f).cycles, 500);
}

static void memory_takes_its_bytes_by_its_rate(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(500, 10);
    f.dram_read_sectors = 1000;
    f.dram_write_sectors = 200;
    sl_time_estimate e = sl_time_of(&m, &f);
    assert_int_equal(e.cycles, 1300);
    assert_int_equal(e.limit, SL_TIME_DRAM);
}

static void blocks_start_at_a_rate(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    m.core.block_rate = 500; /* one in two cycles */
    sl_time_facts f = sampled(300, 10);
    f.blocks = 200;
    sl_time_estimate e = sl_time_of(&m, &f);
    assert_int_equal(e.cycles, 500);
    assert_int_equal(e.limit, SL_TIME_STARTS);
}

static void atomics_of_a_slice_take_turns(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(300, 10);
    f.atomics.passes = 400; /* one per cycle where the machine does not say it */
    sl_time_estimate e = sl_time_of(&m, &f);
    assert_int_equal(e.cycles, 500);
    assert_int_equal(e.limit, SL_TIME_ATOMICS);
    m.level[1].atomic_rate = 500;
    f.atomics.passes = 200;
    assert_int_equal(sl_time_of(&m, &f).cycles, 500);
}

static void floating_point_sums_on_a_sector_take_longer(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(300, 10);
    m.level[1].atomic_rate = 1000;
    m.level[1].atomic_float_rate = 250;
    f.atomics = (sl_hot_atomics){.passes = 200, .float_passes = 100};
    assert_int_equal(sl_time_of(&m, &f).cycles, 500);
}

static void only_the_largest_of_what_cores_share_counts(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(300, 10);
    f.atomics.passes = 399;
    f.l2_read_sectors = 400;
    f.dram_read_sectors = 398;
    assert_int_equal(sl_time_of(&m, &f).cycles, 500);
}

/* 50 instructions more took 400 cycles, 8 each; 200 are left. */
static void a_part_goes_on_at_the_pace_of_its_second_half(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(1000, 100);
    f.sample.start = (sl_sample){.cycles = 600, .insts = 50};
    f.insts = 300;
    assert_int_equal(sl_time_of(&m, &f).cycles, 1000 + 200 * 8);
}

/* 5 instructions more of each warp took 400 cycles, 80 each; the longest has 100 more. */
static void the_longest_warp_goes_on_at_its_own_pace(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(1000, 100);
    f.sample.start = (sl_sample){.cycles = 600, .insts = 50};
    f.insts = 300;
    f.sample.warp_insts = 10;
    f.sample.start_warp_insts = 5;
    f.longest_warp = 110;
    assert_int_equal(sl_time_of(&m, &f).cycles, 1000 + 100 * 80);
}

/* The others have 200 instructions more, 1600 cycles of all; in these the longest executes 20 of its 100. Alone, it
 * takes 30 cycles for each of the other 80, and never more than with others. */
static void the_longest_warp_is_alone_in_the_end(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(1000, 100);
    f.sample.start = (sl_sample){.cycles = 600, .insts = 50};
    f.insts = 300;
    f.sample.warp_insts = 10;
    f.sample.start_warp_insts = 5;
    f.longest_warp = 110;
    f.sample.lone_pace = 30;
    assert_int_equal(sl_time_of(&m, &f).cycles, 1000 + 1600 + 80 * 30);
    f.sample.lone_pace = 90;
    assert_int_equal(sl_time_of(&m, &f).cycles, 1000 + 100 * 80);
    f.longest_warp = 20; /* nothing is left of it when the others end */
    assert_int_equal(sl_time_of(&m, &f).cycles, 1000 + 1600);
}

/* The busiest of four cores has twice the instructions of the mean one. */
static void work_that_is_spread_takes_the_mean(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(1000, 100);
    f.launch_cycles = 50;
    f.all_insts = 200;
    sl_time_estimate e = sl_time_of(&m, &f);
    assert_int_equal(e.cycles, 1050);
    assert_int_equal(e.ideal_cycles[SL_TIME_EVEN], 550);
    assert_int_equal(e.ideal_cycles[SL_TIME_BEHIND], 1000);
}

/* 4 of 16 warps: of 1000 cycles, 800 were waits for memory, which become 200; arithmetic stays. */
static void more_warps_hide_waits_for_memory_alone(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(1000, 100);
    f.resident_warps = 4;
    f.sample.whole.scheduler_cycles[SL_CYCLE_DATA] = 800;
    f.sample.whole.scheduler_cycles[SL_CYCLE_PIPELINE] = 100;
    f.sample.whole.scheduler_cycles[SL_CYCLE_ISSUE] = 100;
    assert_int_equal(sl_time_of(&m, &f).ideal_cycles[SL_TIME_FULL], 400);
    f.all_load_lines = 4 * 450; /* which L1 takes one by one */
    assert_int_equal(sl_time_of(&m, &f).ideal_cycles[SL_TIME_FULL], 450);
    f.resident_warps = 16;
    assert_int_equal(sl_time_of(&m, &f).ideal_cycles[SL_TIME_FULL], 1000);
}

static void a_busy_core_says_what_it_is_busy_with(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(1000, 501);
    assert_int_equal(sl_time_of(&m, &f).limit, SL_TIME_ISSUE);
    f = sampled(1000, 100);
    f.load_lines = 501;
    assert_int_equal(sl_time_of(&m, &f).limit, SL_TIME_L1);
    f.load_lines = 0;
    f.fill_sectors = 1001; /* of 128 bytes; the network has 256 per cycle */
    assert_int_equal(sl_time_of(&m, &f).limit, SL_TIME_FILLS);
}

static void a_core_that_waits_says_what_for(void **state)
{
    (void)state;
    static const struct {
        sl_cycle_kind kind;
        sl_time_limit limit;
    } waits[] = {{SL_CYCLE_MEMORY, SL_TIME_L1},
                 {SL_CYCLE_PIPELINE, SL_TIME_UNITS},
                 {SL_CYCLE_DATA, SL_TIME_LATENCY},
                 {SL_CYCLE_BARRIER, SL_TIME_BARRIERS}};
    sl_machine m = four_cores();
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        sl_time_facts f = sampled(1000, 100);
        f.sample.whole.scheduler_cycles[SL_CYCLE_ISSUE] = 100;
        f.sample.whole.scheduler_cycles[SL_CYCLE_IDLE] = 900;
        f.sample.whole.scheduler_cycles[waits[i].kind] = 101;
        assert_int_equal(sl_time_of(&m, &f).limit, waits[i].limit);
    }
}

static void a_core_with_more_than_twice_its_share_is_imbalance(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    sl_time_facts f = sampled(1000, 900);
    f.all_insts = 1801; /* 450 each */
    assert_int_equal(sl_time_of(&m, &f).limit, SL_TIME_ISSUE);
    f.all_insts = 1799;
    assert_int_equal(sl_time_of(&m, &f).limit, SL_TIME_IMBALANCE);
}

/* ---- samples ---- */

static sl_sample sample_of(const sl_machine *m, const warp_acts *acts, uint32_t blocks, const uint32_t *block,
                           size_t some, uint64_t warp_insts, bool warm)
{
    written w;
    sl_sampler *sampler;
    sl_sample sample = {0};
    sl_error error;
    write_launch(&w, blocks, 1, acts);
    assert_int_equal(sl_sampler_create(m, 1, &sampler, &error), SL_OK);
    const sl_sampled sampled = {w.loaded, {.block = block, .blocks = some, .warp_insts = warp_insts}, warm};
    for (int i = 0; i < 2; i++) /* the second finds nothing of the first */
        assert_int_equal(sl_sampler_run(sampler, &sampled, &sample, &error), SL_OK);
    sl_sampler_destroy(sampler);
    drop_launch(&w);
    return sample;
}

static const warp_acts two_blocks[2] = {
    {(const act[]){{MOVE, 0, 0, 0}, {CHAIN, 0, 0, 0}}, 2},
    {(const act[]){{LOAD, 0, 4, UINT32_MAX}, {USE, 0, 0, 0}, {CHAIN, 0, 0, 0}, {CHAIN, 0, 0, 0}}, 4},
};

/* A load from memory: it issues in cycle 0, arrives in 1, and its data is there 4 + 100 cycles later. */
static void a_sample_is_of_its_blocks_alone(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    const uint32_t second = 1;
    sl_sample sample = sample_of(&m, two_blocks, 2, &second, 1, UINT64_MAX, false);
    assert_int_equal(sample.insts, 4);
    assert_int_equal(sample.cycles, 1 + 4 + 100 + 1 + 1 + 4);
}

/* The same load from L2. */
static void a_warm_sample_finds_its_lines_below(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    const uint32_t second = 1;
    sl_sample sample = sample_of(&m, two_blocks, 2, &second, 1, UINT64_MAX, true);
    assert_int_equal(sample.insts, 4);
    assert_int_equal(sample.cycles, 1 + m.level[0].hit_cycles + m.level[1].hit_cycles + 1 + 1 + 4);
}

static void a_sample_ends_its_warps_early(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    const uint32_t second = 1;
    sl_sample sample = sample_of(&m, two_blocks, 2, &second, 1, 2, false);
    assert_int_equal(sample.insts, 2);
    assert_int_equal(sample.cycles, 1 + 4 + 100 + 1);
}

static void a_sample_may_be_of_one_warp(void **state)
{
    (void)state;
    sl_machine m = four_cores();
    written w;
    sl_sampler *sampler;
    sl_sample sample;
    sl_error error;
    const uint32_t block = 0;
    write_launch(&w, 1, 2, two_blocks); /* as two warps of one block */
    assert_int_equal(sl_sampler_create(&m, 1, &sampler, &error), SL_OK);
    const sl_sampled lone = {
        w.loaded, {.block = &block, .blocks = 1, .warp_insts = UINT64_MAX, .lone = true, .warp = 1}, false};
    assert_int_equal(sl_sampler_run(sampler, &lone, &sample, &error), SL_OK);
    assert_int_equal(sample.insts, 4);
    assert_int_equal(sample.cycles, 1 + 4 + 100 + 1 + 1 + 4);
    sl_sampler_destroy(sampler);
    drop_launch(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_takes_its_own_time_and_that_of_the_busiest_core),
        cmocka_unit_test(wide_accesses_issue_fewer_instructions_for_indices),
        cmocka_unit_test(the_core_and_what_cores_share_add_as_the_sides_of_a_right_angle),
        cmocka_unit_test(banks_of_l2_share_its_sectors),
        cmocka_unit_test(memory_takes_its_bytes_by_its_rate),
        cmocka_unit_test(blocks_start_at_a_rate),
        cmocka_unit_test(atomics_of_a_slice_take_turns),
        cmocka_unit_test(floating_point_sums_on_a_sector_take_longer),
        cmocka_unit_test(only_the_largest_of_what_cores_share_counts),
        cmocka_unit_test(a_part_goes_on_at_the_pace_of_its_second_half),
        cmocka_unit_test(the_longest_warp_goes_on_at_its_own_pace),
        cmocka_unit_test(the_longest_warp_is_alone_in_the_end),
        cmocka_unit_test(a_sample_may_be_of_one_warp),
        cmocka_unit_test(work_that_is_spread_takes_the_mean),
        cmocka_unit_test(more_warps_hide_waits_for_memory_alone),
        cmocka_unit_test(a_busy_core_says_what_it_is_busy_with),
        cmocka_unit_test(a_core_that_waits_says_what_for),
        cmocka_unit_test(a_core_with_more_than_twice_its_share_is_imbalance),
        cmocka_unit_test(a_sample_is_of_its_blocks_alone),
        cmocka_unit_test(a_warm_sample_finds_its_lines_below),
        cmocka_unit_test(a_sample_ends_its_warps_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
