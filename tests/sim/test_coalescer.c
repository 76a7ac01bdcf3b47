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

/* Of the 100 cycles of the first read 21 are on the way: reads that are sent up to 80 cycles later join it. An addition
 * takes 4. */
static void nobody_joins_what_is_on_its_way_back(void **state)
{
    (void)state;
    sl_machine m = sharing(2, 2, 2);
    uint32_t joined = 0;
    for (uint32_t later = 0; later < 120; later++) {
        act late[130];
        for (uint32_t i = 0; i < later; i++)
            late[i] = do_(ADD);
        late[later] = at(LOAD, 4096);
        late[later + 1] = do_(USE);
        sl_sim_result r = RUN(&m, 2, 1, READS(4096), ((const warp_acts){late, later + 2}));
        joined += r.level[0].coalesced;
    }
    assert_int_equal(joined, 21);
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

/* Four cores read a sector each of a line, one after the other: the reads that the second level takes. */
#define READ(sector) lanes(LOAD, 4096 + 32 * (sector), 0, 1), do_(USE)
#define SECTORS(a, b, c, d)                                                                                            \
    (RUN(&m, 4, 1, WARP(READ(a)), WARP(do_(ADD), READ(b)), WARP(do_(ADD), do_(ADD), READ(c)),                          \
         WARP(do_(ADD), do_(ADD), do_(ADD), READ(d)))                                                                  \
         .level[1]                                                                                                     \
         .accesses)

/* As papers/h200-micro/joined.cu has shown: 0011 are three reads, 0101 four, 0111 and 0100 three. */
static void a_read_of_other_sectors_closes_the_line(void **state)
{
    (void)state;
    sl_machine m = sharing(4, 4, 4);
    for (uint32_t i = 0; i < m.levels; i++)
        m.level[i].sector_bytes = m.level[i].fill_bytes = 32;
    assert_int_equal(SECTORS(0, 0, 0, 0), 1);
    assert_int_equal(SECTORS(0, 0, 1, 1), 3);
    assert_int_equal(SECTORS(0, 1, 0, 1), 4);
    assert_int_equal(SECTORS(0, 1, 1, 1), 3);
    assert_int_equal(SECTORS(0, 1, 0, 0), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_of_a_group_read_a_line_once),
        cmocka_unit_test(other_lines_and_other_groups_go_for_themselves),
        cmocka_unit_test(no_more_join_than_the_machine_says),
        cmocka_unit_test(nobody_joins_what_was_read_before_its_own_store),
        cmocka_unit_test(only_what_is_in_flight_is_joined),
        cmocka_unit_test(a_read_of_other_sectors_closes_the_line),
        cmocka_unit_test(nobody_joins_what_is_on_its_way_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
