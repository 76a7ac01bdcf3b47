/* SPDX-License-Identifier: MIT */
#include "model/deal.h"

#include "profile/profile_maker.h"

enum { MOST_BLOCKS = 32 };

/* Blocks of one warp that loads `loads[b]` lines, on `machine` with room for `resident` blocks on each core. */
static void deal(const sl_machine *machine, uint32_t resident, uint32_t blocks, const uint32_t *loads,
                 uint32_t core_of[MOST_BLOCKS])
{
    enum { MOST_LOADS = 16 };
    static act acts[MOST_BLOCKS][MOST_LOADS + 1];
    static warp_acts warps[MOST_BLOCKS];
    maker m;
    sl_loaded *loaded;
    sl_error error;
    for (uint32_t b = 0; b < blocks; b++) {
        for (uint32_t i = 0; i < loads[b]; i++) /* no two steps alike, so that each takes room in the trace */
            acts[b][i] = (act){LOAD, ALL_LANES, (uint64_t)(i * i * i * 977 + b * 31) * 4096, 4};
        acts[b][loads[b]] = (act){0};
        warps[b] = (warp_acts){b, 0, acts[b]};
    }
    make_trace(&m, blocks, 1, warps);
    assert_int_equal(sl_loaded_create(m.trace, 0, NULL, &loaded, &error), SL_OK);
    assert_int_equal(sl_deal_blocks(machine, loaded, resident, core_of, &error), SL_OK);
    sl_loaded_destroy(loaded);
    drop_trace(&m);
}

static const uint32_t alike[MOST_BLOCKS] = {[0 ... MOST_BLOCKS - 1] = 4};

static void check(const uint32_t *core_of, const uint32_t *expected, uint32_t blocks)
{
    for (uint32_t b = 0; b < blocks; b++)
        assert_int_equal(core_of[b], expected[b]);
}

static void blocks_that_are_alike_go_round_the_cores(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 3};
    uint32_t core_of[MOST_BLOCKS];
    deal(&machine, 1, 8, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 0, 1, 2, 0, 1}, 8);
}

/* Cores 0 and 1 begin, and have another round after every three blocks of the others. */
static void a_small_cluster_has_rounds_of_its_own(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 6, .core = {.apart = 2, .apart_every = 3}};
    uint32_t core_of[MOST_BLOCKS];
    deal(&machine, 8, 12, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 3, 4, 0, 1, 5, 2, 3, 0, 1}, 12);
}

/* With room for one block each, the small cluster is passed over once it is full. */
static void a_core_that_is_full_is_passed_over(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 6, .core = {.apart = 2, .apart_every = 3}};
    uint32_t core_of[MOST_BLOCKS];
    deal(&machine, 1, 6, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 3, 4, 5}, 6);
}

/* The last two of six blocks do not go to neighbours where cores join their requests in pairs. */
static void the_last_blocks_of_a_launch_go_far_from_each_other(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 8, .levels = 1, .level = {{.merge_group = 2}}};
    uint32_t core_of[MOST_BLOCKS];
    deal(&machine, 1, 6, alike, core_of);
    check(core_of, (const uint32_t[]){0, 1, 2, 3, 4, 6}, 6);
}

/* Core 0 has a long block, and the short ones behind the first round go to the others. */
static void where_blocks_differ_the_first_core_to_finish_gets_the_next(void **state)
{
    (void)state;
    const sl_machine machine = {.cores = 2};
    const uint32_t loads[] = {16, 1, 1, 1, 1};
    uint32_t core_of[MOST_BLOCKS];
    deal(&machine, 1, 5, loads, core_of);
    check(core_of, (const uint32_t[]){0, 1, 1, 1, 1}, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_are_alike_go_round_the_cores),
        cmocka_unit_test(a_small_cluster_has_rounds_of_its_own),
        cmocka_unit_test(a_core_that_is_full_is_passed_over),
        cmocka_unit_test(the_last_blocks_of_a_launch_go_far_from_each_other),
        cmocka_unit_test(where_blocks_differ_the_first_core_to_finish_gets_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
