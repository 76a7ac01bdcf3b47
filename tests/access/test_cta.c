/* SPDX-License-Identifier: MIT */
#include "access/cta.h"

#include "support.h"

enum { MAX_BLOCKS = 32 };

/* Blocks of these costs, on `machine` with room for `resident` blocks on each core. */
static void schedule(const sl_machine *machine, uint32_t resident, uint32_t blocks, const uint64_t *cost,
                     uint32_t core_of[MAX_BLOCKS])
{
    sl_cta_config config = sl_cta_config_of(machine, resident);
    sl_cta_lists lists;
    sl_error error;
    assert_int_equal(sl_cta_schedule(&config, blocks, cost, &lists, &error), SL_OK);
    assert_int_equal(lists.first[machine->cores], blocks);
    for (uint32_t c = 0; c < machine->cores; c++)
        for (size_t i = lists.first[c]; i < lists.first[c + 1]; i++) {
            assert_true(i == lists.first[c] || lists.block[i] > lists.block[i - 1]);
            core_of[lists.block[i]] = c;
        }
    sl_cta_lists_fini(&lists);
}

static const uint64_t alike[MAX_BLOCKS] = {[0 ... MAX_BLOCKS - 1] = 4};

static void check(const uint32_t *core_of, const uint32_t *expected, uint32_t blocks)
{
    for (uint32_t b = 0; b < blocks; b++)
        assert_int_equal(core_of[b], expected[b]);
}

static void blocks_that_are_alike_go_round_the_cores(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 3};
    uint32_t core_of[MAX_BLOCKS];
    schedule(&machine, 1, 8, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 0, 1, 2, 0, 1}, 8);
}

/* Cores 0 and 1 begin, and have another round after every three blocks of the others, but no more than there are rounds
 * of all cores: twelve blocks are two for each. */
static void a_small_cluster_has_rounds_of_its_own(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 6, .core = {.small_gpc_cores = 2, .small_gpc_interval = 3}};
    uint32_t core_of[MAX_BLOCKS];
    schedule(&machine, 8, 12, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 3, 4, 0, 1, 5, 2, 3, 4, 5}, 12);
}

/* With room for one block each, the small cluster is passed over once it is full. */
static void a_core_that_is_full_is_passed_over(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 6, .core = {.small_gpc_cores = 2, .small_gpc_interval = 3}};
    uint32_t core_of[MAX_BLOCKS];
    schedule(&machine, 1, 6, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 3, 4, 5}, 6);
}

/* The last two of six blocks do not go to neighbors where cores join their requests in pairs. */
static void the_last_blocks_of_a_launch_go_far_from_each_other(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 8, .levels = 1, .level = {{.coalesce_cores = 2}}};
    uint32_t core_of[MAX_BLOCKS];
    schedule(&machine, 1, 6, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 3, 4, 6}, 6);
}

/* Cores join their requests in fours: from core 4 on there is none that is free and far from the last. */
static void the_last_blocks_of_a_launch_do_not_wait_while_cores_are_free(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 8, .levels = 1, .level = {{.coalesce_cores = 4}}};
    uint32_t core_of[MAX_BLOCKS];
    schedule(&machine, 1, 8, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
}

/* The cores of an H200 in the order of papers/h200-micro/places.csv: 8 of the small GPC, 8 of one that shares its
 * coalescer, five GPCs of 16 and two of 18. */
static const sl_machine h200 = {.cores = 132,
                                .core = {.small_gpc_cores = 8, .small_gpc_interval = 93},
                                .levels = 1,
                                .level = {{.coalesce_cores = 16}}};

static uint32_t blocks_of(const sl_machine *machine, uint32_t resident, uint32_t blocks, uint32_t *held,
                          uint32_t *core_of)
{
    sl_cta_config config = sl_cta_config_of(machine, resident);
    sl_cta_rounds rounds = {0};
    uint32_t most = 0;
    for (uint32_t c = 0; c < machine->cores; c++)
        held[c] = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        core_of[b] = sl_cta_next_core(&config, &rounds, blocks - b);
        most = ++held[core_of[b]] > most ? held[core_of[b]] : most;
    }
    return most;
}

static void blocks_that_are_all_resident_are_spread_over_gpcs_and_tpcs(void **state)
{
    (void)state;
    uint32_t core_of[400], held[132];
    assert_int_equal(blocks_of(&h200, 2, 16, held, core_of), 1);
    check(core_of + 8, (const uint32_t[]){8, 16, 32, 48, 64, 80, 96, 114}, 8); /* as SMs 0, 2, 4 … 14 */
    assert_int_equal(blocks_of(&h200, 2, 64, held, core_of), 1);
    check(core_of + 8, (const uint32_t[]){8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32}, 13);
    assert_int_equal(core_of[63], 126); /* SM 102 */
    assert_int_equal(blocks_of(&h200, 2, 100, held, core_of), 1);
    check(core_of + 8,
          (const uint32_t[]){8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32}, 21);
    check(core_of + 88, (const uint32_t[]){114, 115, 116, 117, 118, 119, 120, 122, 124, 126, 128, 130}, 12);
    assert_int_equal(blocks_of(&h200, 2, 150, held, core_of), 2);
    check(core_of + 140, (const uint32_t[]){8, 10, 16, 18, 32, 48, 64, 80, 96, 114}, 10);
    assert_int_equal(blocks_of(&h200, 2, 74, held, core_of), 1); /* one for each TPC of the others */
    assert_int_equal(core_of[73], 130);
}

static void no_core_of_a_small_gpc_has_two_blocks_more_than_others(void **state)
{
    (void)state;
    uint32_t core_of[400], held[132];
    for (uint32_t blocks = 1; blocks <= 400; blocks++)
        assert_int_equal(blocks_of(&h200, 4, blocks, held, core_of), (blocks + 131) / 132);
}

/* Core 0 has a long block, and the short ones behind the first round go to the others. */
static void where_blocks_differ_the_first_core_to_finish_gets_the_next(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 2};
    const uint64_t loads[] = {16, 1, 1, 1, 1};
    uint32_t core_of[MAX_BLOCKS];
    schedule(&machine, 1, 5, loads, core_of);
    check(core_of, (const uint32_t[]){0, 1, 1, 1, 1}, 5);
    schedule(&machine, 1, 5, NULL, core_of); /* nobody knows */
    check(core_of, (const uint32_t[]){0, 1, 0, 1, 0}, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_are_alike_go_round_the_cores),
        cmocka_unit_test(a_small_cluster_has_rounds_of_its_own),
        cmocka_unit_test(a_core_that_is_full_is_passed_over),
        cmocka_unit_test(the_last_blocks_of_a_launch_go_far_from_each_other),
        cmocka_unit_test(the_last_blocks_of_a_launch_do_not_wait_while_cores_are_free),
        cmocka_unit_test(blocks_that_are_all_resident_are_spread_over_gpcs_and_tpcs),
        cmocka_unit_test(no_core_of_a_small_gpc_has_two_blocks_more_than_others),
        cmocka_unit_test(where_blocks_differ_the_first_core_to_finish_gets_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
