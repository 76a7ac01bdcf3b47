/* SPDX-License-Identifier: MIT */
/* Reads of several cores that reach the second level as one. */
#include "sim/simulated.h"

static sl_machine sharing(uint32_t cores, uint32_t max, uint32_t group)
{
    sl_machine m = tiny();
    m.cores = cores;
    for (uint32_t i = 1; i < m.levels; i++)
        m.level[i].cores_per_instance = SL_ALL_CORES;
    m.level[0].coalesce_requests = max;
    m.level[0].coalesce_cores = group;
    return m;
}

#define READS(base) WARP(at(LOAD, base), do_(USE))

static void cores_of_a_group_read_a_line_once(void **state)
{
    (void)state;
    sl_machine small_gpc_cores = sharing(2, 0, 0), together = sharing(2, 2, 2);
    sl_sim_result two = RUN(&small_gpc_cores, 2, 1, READS(4096), READS(4096));
    sl_sim_result one = RUN(&together, 2, 1, READS(4096), READS(4096));
    assert_int_equal(two.level[1].accesses, 2);
    assert_int_equal(one.level[1].accesses, 1);
    assert_int_equal(one.level[0].misses, 2);
    assert_int_equal(one.level[0].coalesced, 1);
    assert_int_equal(two.level[0].coalesced, 0);
    assert_int_equal(one.level[0].fill_sectors, two.level[0].fill_sectors);
    assert_true(one.cycles <= two.cycles);
}

static void other_lines_and_other_groups_go_for_themselves(void **state)
{
    (void)state;
    sl_machine m = sharing(4, 4, 2);
    sl_sim_result lines = RUN(&m, 2, 1, READS(4096), READS(8192));
    assert_int_equal(lines.level[1].accesses, 2);
    sl_sim_result groups = RUN(&m, 4, 1, READS(4096), READS(4096), READS(4096), READS(4096));
    assert_int_equal(groups.level[1].accesses, 2);
}

static void no_more_join_than_the_machine_says(void **state)
{
    (void)state;
    sl_machine m = sharing(5, 4, 5);
    sl_sim_result r = RUN(&m, 5, 1, READS(4096), READS(4096), READS(4096), READS(4096), READS(4096));
    assert_int_equal(r.level[1].accesses, 2);
    assert_int_equal(r.level[0].misses, 5);
}

/* The second core asks long after the first was answered. */
static void only_what_is_in_flight_is_joined(void **state)
{
    (void)state;
    sl_machine m = sharing(2, 2, 2);
    sl_sim_result r =
        RUN(&m, 2, 1, READS(4096),
            WARP(at(LOAD_2, 65536), do_(USE_2), at(LOAD_2, 131072), do_(USE_2), at(LOAD, 4096), do_(USE)));
    assert_int_equal(r.level[1].accesses, 4);
}

/* The second core stores to the line while the first one's read is in flight: it must not join that. */
static void nobody_joins_what_was_read_before_its_own_store(void **state)
{
    (void)state;
    sl_machine m = sharing(2, 2, 2);
    sl_sim_result r = RUN(&m, 2, 1, READS(4096), WARP(lanes(STORE, 4096, 4, 1), at(LOAD, 4096), do_(USE)));
    assert_int_equal(r.level[0].coalesced, 0);
    assert_int_equal(r.level[1].accesses, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_of_a_group_read_a_line_once),
        cmocka_unit_test(other_lines_and_other_groups_go_for_themselves),
        cmocka_unit_test(no_more_join_than_the_machine_says),
        cmocka_unit_test(nobody_joins_what_was_read_before_its_own_store),
        cmocka_unit_test(only_what_is_in_flight_is_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
