/* SPDX-License-Identifier: MIT */
/* Which core gets which block. */
#include "sim/simulated.h"

enum { CORES = 3 };

static void count_issues(void *to, uint32_t core, uint32_t scheduler, sl_cycle_kind kind, uint64_t from, uint64_t until)
{
    (void)scheduler;
    if (kind == SL_CYCLE_ISSUE)
        ((uint64_t *)to)[core] += until - from;
}

/* Blocks of one warp with one instruction: what a core issues is how many it had. */
static void schedule(uint32_t small_gpc_cores, uint32_t every, uint32_t blocks, uint64_t had[CORES])
{
    sl_machine m = tiny();
    m.cores = CORES;
    m.level[1].cores_per_instance = SL_ALL_CORES;
    m.core.small_gpc_cores = small_gpc_cores;
    m.core.small_gpc_interval = every;
    sl_error error;
    assert_int_equal(sl_machine_check(&m, &error), SL_OK);
    const act add = do_(ADD);
    warp_acts acts[16];
    for (uint32_t i = 0; i < blocks; i++)
        acts[i] = (warp_acts){&add, 1};
    written w;
    sl_sim *sim;
    sl_sim_result result;
    memset(had, 0, CORES * sizeof *had);
    const sl_sim_observer observer = {.to = had, .scheduler = count_issues};
    write_launch(&w, blocks, 1, acts);
    assert_int_equal(sl_sim_create_with(&m, &(sl_sim_options){.observer = &observer}, &sim, &error), SL_OK);
    assert_int_equal(sl_sim_launch(sim, w.loaded, NULL, &result, &error), SL_OK);
    sl_sim_result_fini(&result);
    sl_sim_destroy(sim);
    drop_launch(&w);
}

static void blocks_go_round_the_cores(void **state)
{
    (void)state;
    uint64_t had[CORES];
    schedule(0, 0, 5, had);
    assert_int_equal(had[0], 2);
    assert_int_equal(had[1], 2);
    assert_int_equal(had[2], 1);
}

/* One of three cores is a small GPC: it has a turn after each block of the others, but all eight blocks are resident,
 * and of these it has no more than two rounds and the first of what is left.
 */
static void cores_of_a_small_gpc_have_rounds_of_their_own(void **state)
{
    (void)state;
    uint64_t had[CORES];
    schedule(1, 1, 8, had);
    assert_int_equal(had[0], 3);
    assert_int_equal(had[1], 3);
    assert_int_equal(had[2], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_go_round_the_cores),
        cmocka_unit_test(cores_of_a_small_gpc_have_rounds_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
