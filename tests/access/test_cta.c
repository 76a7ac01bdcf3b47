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

/* Cores 0 and 1 begin, and have another round after every three blocks of the others. */
static void a_small_cluster_has_rounds_of_its_own(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 6, .core = {.small_gpc_cores = 2, .small_gpc_interval = 3}};
    uint32_t core_of[MAX_BLOCKS];
    schedule(&machine, 8, 12, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 3, 4, 0, 1, 5, 2, 3, 0, 1}, 12);
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
        cmocka_unit_test(where_blocks_differ_the_first_core_to_finish_gets_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
