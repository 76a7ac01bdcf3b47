/* SPDX-License-Identifier: MIT */
#include "model/core.h"

#include "base/random.h"
#include "model/levels.h"
#include "model/model.h"
#include "profile/profile_maker.h"

/* One core, lines of 128 bytes, room for all; misses take 100 steps, hits none. */
static sl_machine plain_machine(void)
{
    return (sl_machine){
        .name = "plain",
        .cores = 1,
        .lanes = 32,
        .core = {.threads = 1536, .warps = 48, .blocks = 8, .schedulers = 1},
        .levels = 1,
        .level = {plain_level(1, 1024)},
        .memory = {.latency_cycles = 100},
    };
}

typedef struct ran {
    sl_core_result result;
    sl_slot_loads slot[SLOTS + 2];
} ran;

/* Runs all blocks on one core, `resident` at a time. */
static void run(ran *r, const maker *m, const sl_machine *machine, uint32_t resident)
{
    sl_loaded *loaded;
    sl_walk_plan *plan;
    sl_error error;
    uint32_t block[16];
    memset(r, 0, sizeof *r);
    r->result.slot = r->slot;
    assert_int_equal(sl_loaded_create(m->trace, 0, NULL, &loaded, &error), SL_OK);
    assert_int_equal(sl_walk_plan_create(sl_loaded_kernel(loaded), NULL, &plan, &error), SL_OK);
    size_t blocks = sl_loaded_blocks(loaded);
    assert_true(blocks <= 16);
    for (uint32_t b = 0; b < blocks; b++)
        block[b] = b;
    sl_core_config config = {.loaded = loaded,
                             .plan = plan,
                             .machine = machine,
                             .l1 = &machine->level[0],
                             .resident_blocks = resident,
                             .wants_traffic = true};
    assert_int_equal(sl_core_run(&config, block, blocks, &r->result, &error), SL_OK);
    sl_walk_plan_destroy(plan);
    sl_loaded_destroy(loaded);
}

typedef struct sent {
    uint64_t time, line;
    sl_mem_access kind; /* SL_ACCESS_NONE: a load */
} sent;

/* What went on to the next level, in order. */
static void check_traffic(ran *r, const sent *expected, size_t count)
{
    size_t length;
    const sl_traffic *traffic = sl_traffic_of(&r->result.traffic, &length);
    assert_int_equal(length, count);
    for (size_t i = 0; i < count; i++) {
        const sl_traffic *t = &traffic[i];
        assert_int_equal(t->time, expected[i].time);
        assert_int_equal(t->line, expected[i].line);
        assert_int_equal(t->kind, expected[i].kind ? expected[i].kind : SL_ACCESS_LOAD);
    }
    sl_large_array_free(&r->result.traffic);
}

#define LINE(number) ((number)*UINT64_C(128))
#define WARP(w, ...)                                                                                                   \
    {                                                                                                                  \
        0, w, ACTS(__VA_ARGS__)                                                                                        \
    }
#define TRAFFIC(r, ...)                                                                                                \
    check_traffic(r, (const sent[]){__VA_ARGS__}, sizeof((const sent[]){__VA_ARGS__}) / sizeof(sent))

static void warps_take_turns_and_come_back_with_their_data(void **state)
{
    (void)state;
    maker m;
    ran r;
    const warp_acts acts[] = {
        WARP(0, {LOAD, ALL_LANES, LINE(1), 4}, {LOAD, ALL_LANES, LINE(2), 4}),
        WARP(1, {LOAD, ALL_LANES, LINE(3), 4}, {LOAD, ALL_LANES, LINE(4), 4}),
    };
    make_trace(&m, 1, 2, acts);
    sl_machine machine = plain_machine();
    run(&r, &m, &machine, 1);
    TRAFFIC(&r, {0, 1, 0}, {1, 3, 0}, {100, 2, 0}, {101, 4, 0});
    assert_int_equal(r.result.steps, 201);
    drop_trace(&m);
}

/* Warp 0 hits at 100 what it loaded itself, and queues up behind warp 1, which is back at 101. */
static void a_warp_that_hits_takes_its_turn_and_comes_back_at_once(void **state)
{
    (void)state;
    maker m;
    ran r;
    const warp_acts acts[] = {
        WARP(0, {LOAD, ALL_LANES, LINE(1), 4}, {LOAD, ALL_LANES, LINE(1), 4}, {LOAD, ALL_LANES, LINE(2), 4}),
        WARP(1, {LOAD, ALL_LANES, LINE(3), 4}, {LOAD, ALL_LANES, LINE(4), 4}),
    };
    make_trace(&m, 1, 2, acts);
    sl_machine machine = plain_machine();
    run(&r, &m, &machine, 1);
    TRAFFIC(&r, {0, 1, 0}, {1, 3, 0}, {101, 4, 0}, {102, 2, 0});
    assert_int_equal(r.slot[LOAD].requests, 5);
    assert_int_equal(r.slot[LOAD].sectors[SL_LOAD_HIT], 1);
    assert_int_equal(r.slot[LOAD].sectors[SL_LOAD_COMPULSORY], 4);
    drop_trace(&m);
}

static void the_warps_of_a_block_wait_for_each_other_at_a_barrier(void **state)
{
    (void)state;
    maker m;
    ran r;
    const warp_acts acts[] = {
        WARP(0, {LOAD, ALL_LANES, LINE(1), 4}, {BARRIER, ALL_LANES, 0, 0}, {LOAD, ALL_LANES, LINE(2), 4}),
        WARP(1, {BARRIER, ALL_LANES, 0, 0}, {LOAD, ALL_LANES, LINE(3), 4}),
    };
    make_trace(&m, 1, 2, acts);
    sl_machine machine = plain_machine();
    run(&r, &m, &machine, 1);
    TRAFFIC(&r, {0, 1, 0}, {100, 2, 0}, {101, 3, 0});
    drop_trace(&m);
}

/* Warp 1 ends without a barrier: warp 0 does not wait for it for ever. */
static void a_warp_that_has_ended_is_not_waited_for(void **state)
{
    (void)state;
    maker m;
    ran r;
    const warp_acts acts[] = {
        WARP(0, {BARRIER, ALL_LANES, 0, 0}, {LOAD, ALL_LANES, LINE(2), 4}),
        WARP(1, {LOAD, ALL_LANES, LINE(3), 4}),
    };
    make_trace(&m, 1, 2, acts);
    sl_machine machine = plain_machine();
    run(&r, &m, &machine, 1);
    TRAFFIC(&r, {0, 3, 0}, {100, 2, 0});
    drop_trace(&m);
}

static void a_block_begins_when_another_has_ended(void **state)
{
    (void)state;
    maker m;
    ran r;
    const warp_acts acts[] = {
        {0, 0, ACTS({LOAD, ALL_LANES, LINE(1), 4})},
        {1, 0, ACTS({LOAD, ALL_LANES, LINE(2), 4}, {LOAD, ALL_LANES, LINE(2), 4})},
        {2, 0, ACTS({LOAD, ALL_LANES, LINE(3), 4})},
    };
    make_trace(&m, 3, 1, acts);
    sl_machine machine = plain_machine();
    run(&r, &m, &machine, 2);
    TRAFFIC(&r, {0, 1, 0}, {1, 2, 0}, {100, 3, 0});
    run(&r, &m, &machine, 3);
    TRAFFIC(&r, {0, 1, 0}, {1, 2, 0}, {2, 3, 0});
    drop_trace(&m);
}

/* Loads are not waited for, and a warp may have two under way: the third begins when the first is back. */
static void a_warp_waits_for_its_own_loads_at_its_own_limit(void **state)
{
    (void)state;
    maker m;
    ran r;
    const warp_acts acts[] = {
        WARP(0, {LOAD, ALL_LANES, LINE(1), 4}, {LOAD, ALL_LANES, LINE(2), 4}, {LOAD, ALL_LANES, LINE(3), 4})};
    make_trace(&m, 1, 1, acts);
    sl_machine machine = plain_machine();
    machine.core.stall_on_use = true;
    machine.level[0].mshrs = 64;
    machine.level[0].mshrs_per_warp = 2;
    run(&r, &m, &machine, 1);
    TRAFFIC(&r, {0, 1, 0}, {1, 2, 0}, {100, 3, 0});
    drop_trace(&m);
}

/* Lanes 128 bytes apart: six lines, more than a warp or the core may have in flight. */
static void run_loads_of_many_lines(ran *r, maker *m, uint32_t mshr_lines)
{
    const warp_acts acts[] = {
        WARP(0, {LOAD, 0x3f, LINE(1), 128}),
        WARP(1, {LOAD, 0x7, LINE(11), 128}),
    };
    make_trace(m, 1, 2, acts);
    sl_machine machine = plain_machine();
    machine.level[0].mshrs = 4;
    machine.level[0].mshrs_per_warp = 2;
    machine.level[0].mshr_lines = mshr_lines;
    run(r, m, &machine, 1);
}

/* The load is not cut in pieces; that of the next warp waits until fewer than four are in flight. */
static void a_load_of_many_lines_is_held_back_as_a_whole(void **state)
{
    (void)state;
    maker m;
    ran r;
    run_loads_of_many_lines(&r, &m, 0);
    TRAFFIC(&r, {0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 5, 0}, {5, 6, 0}, {102, 11, 0}, {103, 12, 0},
            {104, 13, 0});
    assert_int_equal(r.result.steps, 204);
    drop_trace(&m);
}

/* The same with limits that count lines: each warp requests two at a time, and continues as each of them is back. */
static void lines_of_a_load_are_held_back_one_by_one_if_the_machine_says_so(void **state)
{
    (void)state;
    maker m;
    ran r;
    run_loads_of_many_lines(&r, &m, 1);
    TRAFFIC(&r, {0, 1, 0}, {1, 2, 0}, {3, 11, 0}, {4, 12, 0}, {100, 3, 0}, {101, 4, 0}, {103, 13, 0}, {200, 5, 0},
            {201, 6, 0});
    drop_trace(&m);
}

/* Two MSHRs. Warp 1 finds them taken and waits; warp 2 needs none, for it stores. */
static void a_warp_without_an_mshr_lets_others_pass(void **state)
{
    (void)state;
    maker m;
    ran r;
    const warp_acts acts[] = {
        WARP(0, {LOAD, 0x3, LINE(1), 128}),
        WARP(1, {LOAD, 0x3, LINE(3), 128}),
        WARP(2, {STORE, ALL_LANES, LINE(7), 4}),
    };
    make_trace(&m, 1, 3, acts);
    sl_machine machine = plain_machine();
    machine.level[0].mshrs = 2;
    run(&r, &m, &machine, 1);
    TRAFFIC(&r, {0, 1, 0}, {1, 2, 0}, {3, 7, SL_ACCESS_STORE}, {100, 3, 0}, {101, 4, 0});
    drop_trace(&m);
}

/* A cache of one line. Warp 1 wants lines 1 and 2 while warp 0's line 2 is in flight and takes the only MSHR; before
 * warp 1 gets it, line 9 has taken the place of line 2. */
static void misses_after_a_wait_for_an_mshr_are_told_apart(void **state)
{
    (void)state;
    maker m;
    ran r;
    const warp_acts acts[] = {
        WARP(0, {LOAD, ALL_LANES, LINE(2), 4}, {LOAD, ALL_LANES, LINE(9), 4}),
        WARP(1, {SECOND_LOAD, 0x3, LINE(1), 128}),
    };
    make_trace(&m, 1, 2, acts);
    sl_machine machine = plain_machine();
    machine.level[0] = plain_level(1, 1);
    machine.level[0].mshrs = 1;
    run(&r, &m, &machine, 1);
    TRAFFIC(&r, {0, 2, 0}, {100, 9, 0}, {200, 1, 0}, {201, 2, 0});
    assert_int_equal(r.slot[SECOND_LOAD].sectors[SL_LOAD_COMPULSORY], 1);
    assert_int_equal(r.slot[SECOND_LOAD].sectors[SL_LOAD_MSHR], 1);
    drop_trace(&m);
}

static void stores_and_atomics_drop_the_line_and_go_on(void **state)
{
    (void)state;
    maker m;
    ran r;
    const warp_acts acts[] = {
        WARP(0, {LOAD, ALL_LANES, LINE(1), 4}, {STORE, ALL_LANES, LINE(1), 4}, {LOAD, ALL_LANES, LINE(1), 4},
             {ATOMIC, 1, LINE(1), 4}, {LOAD, ALL_LANES, LINE(1), 4}),
    };
    make_trace(&m, 1, 1, acts);
    sl_machine machine = plain_machine();
    run(&r, &m, &machine, 1);
    TRAFFIC(&r, {0, 1, 0}, {100, 1, SL_ACCESS_STORE}, {101, 1, 0}, {201, 1, SL_ACCESS_ATOMIC}, {202, 1, 0});
    assert_int_equal(r.slot[LOAD].sectors[SL_LOAD_STORE], 2);
    drop_trace(&m);
}

/* Sectors of stores that two warps send below: the warps do these acts. */
static uint64_t sectors_stored(uint32_t join_cycles, const act first[4], const act second[4])
{
    maker m;
    ran r;
    const warp_acts acts[] = {{0, 0, first}, {0, 1, second}};
    make_trace(&m, 1, 2, acts);
    sl_machine machine = plain_machine();
    machine.level[0].sector_bytes = machine.level[0].fill_bytes = 32;
    machine.level[0].write = SL_WRITE_ALLOCATE;
    machine.level[0].join_cycles = join_cycles;
    run(&r, &m, &machine, 1);
    size_t count;
    const sl_traffic *traffic = sl_traffic_of(&r.result.traffic, &count);
    uint64_t sectors = 0;
    for (size_t i = 0; i < count; i++)
        if (traffic[i].kind == SL_ACCESS_STORE)
            sectors += (uint64_t)__builtin_popcount(traffic[i].sectors);
    sl_large_array_free(&r.result.traffic);
    drop_trace(&m);
    return sectors;
}

/* The lanes of a warp store 4 bytes each to 32 sectors of 8 lines; the next store is to the next 4 bytes of them. */
static void stores_of_a_warp_to_parts_of_the_same_sectors_are_sent_as_one(void **state)
{
    (void)state;
    const act idle[4] = {{0}};
    const act word[4] = {{STORE, ALL_LANES, LINE(8), 32}}, next[4] = {{STORE, ALL_LANES, LINE(8) + 4, 32}};
    const act both[4] = {word[0], next[0]}, thrice[4] = {word[0], next[0], {STORE, ALL_LANES, LINE(8) + 8, 32}};
    const act more_lines[4] = {{STORE, 0xf, LINE(8), 32}, {STORE, 0xff, LINE(8) + 4, 32}};
    const act far[4] = {{STORE, ALL_LANES, LINE(8), 128}, {STORE, ALL_LANES, LINE(8) + 4, 128}};
    const act load_between[4] = {word[0], {LOAD, ALL_LANES, LINE(2), 4}, next[0]};
    const act whole[4] = {{STORE, ALL_LANES, LINE(8), 4}, {STORE, ALL_LANES, LINE(8), 4}};
    assert_int_equal(sectors_stored(20, word, idle), 32);
    assert_int_equal(sectors_stored(20, both, idle), 32);
    assert_int_equal(sectors_stored(20, thrice, idle), 32);
    assert_int_equal(sectors_stored(20, more_lines, idle), 8);    /* four sectors of a line, then four of another */
    assert_int_equal(sectors_stored(0, both, idle), 64);          /* no store waits for others */
    assert_int_equal(sectors_stored(20, word, next), 64);         /* of different warps */
    assert_int_equal(sectors_stored(20, far, idle), 64);          /* to 32 lines */
    assert_int_equal(sectors_stored(20, load_between, idle), 64); /* the load is sent behind the store, which goes */
    assert_int_equal(sectors_stored(20, whole, idle), 8);         /* of whole sectors, 4 each */
}

/* ---- whole launches ---- */

enum { BLOCKS = 24, WARPS = 4, STEPS = 60 };

/* Warps that wander through a common array and one of their own, with stores and barriers. */
static void make_random_trace(maker *m)
{
    static act act_of[BLOCKS * WARPS][STEPS + 1];
    static warp_acts acts[BLOCKS * WARPS];
    sl_random random = sl_random_seed(11);
    memset(act_of, 0, sizeof act_of);
    for (uint32_t w = 0; w < BLOCKS * WARPS; w++) {
        acts[w] = (warp_acts){w / WARPS, w % WARPS, act_of[w]};
        for (uint32_t i = 0; i < STEPS; i++) {
            static const uint32_t kind[] = {LOAD, LOAD, SECOND_LOAD, STORE, ATOMIC, WIDE_LOAD, LOCAL_LOAD};
            uint64_t line = sl_random_below(&random, 4) ? sl_random_below(&random, 300) : 1000 + w * 8 + i / 8;
            act_of[w][i] =
                (act){kind[sl_random_below(&random, 7)], ALL_LANES, LINE(line), sl_random_below(&random, 3) ? 4 : 64};
            if (i % 20 == 19)
                act_of[w][i] = (act){BARRIER, ALL_LANES, 0, 0};
        }
    }
    make_trace(m, BLOCKS, WARPS, acts);
}

static sl_machine small_machine(void)
{
    static const char text[] = "name: small\nsummary: for tests\ncores: 6\nlanes: 32\n"
                               "core:\n  threads: 512\n  warps: 16\n  blocks: 2\n  schedulers: 1\n"
                               "levels:\n"
                               "  - name: L1\n    size: 4K\n    line: 128\n    sector: 32\n    ways: 4\n"
                               "    cores_per_instance: 1\n    write: through\n    hit_cycles: 5\n"
                               "    mshrs: 8\n    mshrs_per_warp: 4\n"
                               "  - name: L15\n    size: 8K\n    line: 128\n    sector: 32\n    ways: 4\n"
                               "    cores_per_instance: 3\n    write: back\n    hit_cycles: 20\n"
                               "  - name: L2\n    size: 16K\n    line: 128\n    sector: 32\n    ways: 8\n"
                               "    cores_per_instance: all\n    write: back\n    hit_cycles: 100\n    fill: 64\n"
                               "memory:\n  latency_cycles: 80\n  latency_sigma: 7\n";
    sl_machine machine;
    sl_error error;
    if (sl_machine_parse("small.yaml", text, sizeof text - 1, &machine, &error) != SL_OK)
        fail_msg("%s:%u: %s", error.file, error.line, error.text);
    return machine;
}

static void model(const maker *m, const sl_machine *machine, const sl_model_options *options, unsigned threads,
                  sl_model_result *result)
{
    sl_loaded *loaded;
    sl_pool *pool;
    sl_error error;
    assert_int_equal(sl_pool_create(threads, &pool, &error), SL_OK);
    assert_int_equal(sl_loaded_create(m->trace, 0, pool, &loaded, &error), SL_OK);
    assert_int_equal(sl_model_loaded(machine, loaded, options, NULL, pool, NULL, result, &error), SL_OK);
    sl_loaded_destroy(loaded);
    sl_pool_destroy(pool);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    maker m;
    sl_model_result one, four;
    make_random_trace(&m);
    sl_machine machine = small_machine();
    model(&m, &machine, &(sl_model_options){.seed = 3}, 1, &one);
    model(&m, &machine, &(sl_model_options){.seed = 3}, 4, &four);
    assert_int_equal(one.counts.slots, four.counts.slots);
    assert_memory_equal(&one.counts.total, &four.counts.total, sizeof one.counts.total);
    assert_memory_equal(one.slots, four.slots, one.counts.slots * sizeof *one.slots);
    sl_model_result_fini(&one);
    sl_model_result_fini(&four);
    drop_trace(&m);
}

static uint64_t value(const sl_model_result *r, sl_counter counter)
{
    return r->counts.total.value[counter];
}

/* With and without each of the extensions. */
static void classes_sum_to_the_total(void **state)
{
    (void)state;
    maker m;
    make_random_trace(&m);
    sl_machine machine = small_machine();
    for (unsigned off = 0; off < 16; off++) {
        sl_model_result r;
        sl_model_options options = {.no_latency = off & 1,
                                    .no_associativity = off & 2,
                                    .no_mshr = off & 4,
                                    .no_divergence = off & 8,
                                    .seed = 1};
        model(&m, &machine, &options, 2, &r);
        uint64_t misses = value(&r, SL_COUNTER_compulsory_sectors) + value(&r, SL_COUNTER_capacity_sectors) +
                          value(&r, SL_COUNTER_conflict_sectors) + value(&r, SL_COUNTER_store_sectors) +
                          value(&r, SL_COUNTER_mshr_sectors);
        assert_int_equal(misses, value(&r, SL_COUNTER_ld_sector_misses));
        assert_int_equal(misses + value(&r, SL_COUNTER_ld_sector_hits), value(&r, SL_COUNTER_ld_sectors));
        assert_true(value(&r, SL_COUNTER_pending_hit_sectors) <= value(&r, SL_COUNTER_ld_sector_hits));
        assert_true(value(&r, SL_COUNTER_l2_read_sectors) <= misses);
        assert_true(value(&r, SL_COUNTER_l2_read_hits) <= value(&r, SL_COUNTER_l2_read_sectors));
        if (options.no_latency)
            assert_int_equal(value(&r, SL_COUNTER_pending_hit_sectors), 0);
        if (options.no_associativity)
            assert_int_equal(value(&r, SL_COUNTER_conflict_sectors), 0);
        if (options.no_mshr)
            assert_int_equal(value(&r, SL_COUNTER_mshr_sectors), 0);
        sl_model_result_fini(&r);
    }
    drop_trace(&m);
}

static void another_seed_draws_other_latencies(void **state)
{
    (void)state;
    maker m;
    sl_model_result one, other;
    make_random_trace(&m);
    sl_machine machine = small_machine();
    model(&m, &machine, &(sl_model_options){.seed = 1}, 1, &one);
    model(&m, &machine, &(sl_model_options){.seed = 2}, 1, &other);
    assert_int_equal(value(&one, SL_COUNTER_ld_sectors), value(&other, SL_COUNTER_ld_sectors));
    assert_memory_not_equal(&one.counts.total, &other.counts.total, sizeof one.counts.total);
    sl_model_result_fini(&one);
    sl_model_result_fini(&other);
    drop_trace(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_take_turns_and_come_back_with_their_data),
        cmocka_unit_test(a_warp_that_hits_takes_its_turn_and_comes_back_at_once),
        cmocka_unit_test(the_warps_of_a_block_wait_for_each_other_at_a_barrier),
        cmocka_unit_test(a_warp_that_has_ended_is_not_waited_for),
        cmocka_unit_test(a_block_begins_when_another_has_ended),
        cmocka_unit_test(a_warp_waits_for_its_own_loads_at_its_own_limit),
        cmocka_unit_test(a_load_of_many_lines_is_held_back_as_a_whole),
        cmocka_unit_test(lines_of_a_load_are_held_back_one_by_one_if_the_machine_says_so),
        cmocka_unit_test(a_warp_without_an_mshr_lets_others_pass),
        cmocka_unit_test(misses_after_a_wait_for_an_mshr_are_told_apart),
        cmocka_unit_test(stores_and_atomics_drop_the_line_and_go_on),
        cmocka_unit_test(stores_of_a_warp_to_parts_of_the_same_sectors_are_sent_as_one),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(classes_sum_to_the_total),
        cmocka_unit_test(another_seed_draws_other_latencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
