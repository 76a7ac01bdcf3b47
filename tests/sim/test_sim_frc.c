/* SPDX-License-Identifier: MIT */
/* What becomes of a miss whose way holds another line: victims that leave first, and FRC. Hand-computed cycles.
 *
 * L2 is one way, so that all lines are each other's victims; "memory" is a third level that has everything. As in
 * figure 2 of the FRC paper: a request comes to L2 10 cycles after it was made, L1 drops a line within 70, a dirty one
 * is written back within 10, and a fetch takes 120. The figure's block A is dirty and in L1, those after it are clean
 * and in L1: only so can B's replacement take 80 cycles before its fetch and C's 70. */
#include "simulated.h"

enum { A = 0x000, B = 0x080, C = 0x100, D = 0x180, UNLOADED = 10 + 120, AFTER = 300, MOST = 800 };

static sl_machine figure_2(sl_miss_handling handling)
{
    sl_machine m = tiny();
    m.core.alu_cycles = 1;
    m.core.schedulers = 4;
    m.level[0].write = SL_WRITE_THROUGH;
    m.level[2] = m.level[1];
    m.levels = 3;
    snprintf(m.level[2].name, sizeof m.level[2].name, "L3");
    m.level[1].hit_cycles = 30;
    m.level[1].size_bytes = 128;
    m.level[1].ways = 1;
    m.level[1].sets = 1;
    m.level[1].miss_handling = handling;
    m.level[1].frc_entries = handling == SL_MISS_FRC ? 4 : 0;
    m.level[1].inclusive = 1;
    m.level[1].invalidate_cycles = 70;
    m.level[2].hit_cycles = 120;
    m.level[2].network_cycles = 10;
    return m;
}

/* What a warp does from cycle 0 on: nothing for some cycles, then a load and the use of its data. */
typedef struct later_load {
    uint32_t cycle;
    uint64_t line;
    op op; /* LOAD where it is 0 */
} later_load;

/* All lines are brought to L3 and A to L2 (and L1, by a LOAD); then it is stored to, and the requests go out. */
static sl_sim_result run_loads(const sl_machine *m, op brings, bool store, const later_load *loads, uint32_t count)
{
    static act acts[4][MOST];
    warp_acts warp[4];
    for (uint32_t w = 0; w < 4; w++) {
        uint32_t n = 0;
        if (!w) {
            static const uint64_t lines[] = {B, C, D};
            for (size_t i = 0; i < 3; i++) {
                acts[w][n++] = at(LOAD_CG, lines[i]);
                acts[w][n++] = do_(USE);
            }
            acts[w][n++] = at(brings, A);
            acts[w][n++] = do_(USE);
            if (store)
                acts[w][n++] = at(STORE, A);
            acts[w][n++] = do_(FENCE);
        }
        acts[w][n++] = do_(BARRIER);
        if (w < count) {
            for (uint32_t i = 0; i < loads[w].cycle; i++)
                acts[w][n++] = do_(CHAIN);
            acts[w][n++] = at(loads[w].op, loads[w].line);
            acts[w][n++] = do_(USE);
            for (uint32_t i = 0; i < AFTER; i++) /* until all lines have left: that is a part of a launch, too */
                acts[w][n++] = do_(CHAIN);
        }
        assert_true(n < MOST);
        warp[w] = (warp_acts){acts[w], n};
    }
    return run_plan(m, NULL, 1, 4, warp);
}

/* The cycle in which the data of the last load is in L2, from that in which the warps began to wait. Where nothing is
 * in the way of a request that is made in cycle 0 that is cycle UNLOADED. */
static uint64_t last_done(const sl_machine *m, op brings, bool store, const later_load *loads, uint32_t count)
{
    static const later_load only_b[] = {{0, B, LOAD}};
    sl_machine plain = figure_2(SL_MISS_OVERLAPPED);
    uint64_t unloaded =
        run_loads(&plain, LOAD, false, only_b, 1).cycles - run_loads(&plain, LOAD, false, NULL, 0).cycles;
    uint64_t taken = run_loads(m, brings, store, loads, count).cycles - run_loads(m, brings, store, NULL, 0).cycles;
    return taken + UNLOADED - unloaded;
}
#define DONE(m, ...)                                                                                                   \
    last_done(m, LOAD, true, (const later_load[]){__VA_ARGS__},                                                        \
              sizeof((const later_load[]){__VA_ARGS__}) / sizeof(later_load))

/* ---- figure 2 ---- */

static void conventional_requests_to_one_line_follow_each_other(void **state)
{
    (void)state;
    sl_machine m = figure_2(SL_MISS_SERIALIZED);
    assert_int_equal(DONE(&m, {0, B, LOAD}), 210);
    assert_int_equal(DONE(&m, {0, B, LOAD}, {90, C, LOAD}), 400);
    assert_int_equal(DONE(&m, {0, B, LOAD}, {90, C, LOAD}, {240, D, LOAD}), 590);
}

static void with_frc_they_are_fetched_at_once(void **state)
{
    (void)state;
    sl_machine m = figure_2(SL_MISS_FRC);
    assert_int_equal(DONE(&m, {0, B, LOAD}), 130);
    assert_int_equal(DONE(&m, {0, B, LOAD}, {90, C, LOAD}), 220);
    assert_int_equal(DONE(&m, {0, B, LOAD}, {90, C, LOAD}, {240, D, LOAD}), 370);
}

/* B comes with A's eviction in the way, 80 cycles; C from 100 on waits 110 for B and 70 for its eviction; D from 250 on
 * 150 for C and 70. */
static void delays_are_what_a_miss_waits_beside_its_fetch(void **state)
{
    (void)state;
    static const later_load loads[] = {{0, B, LOAD}, {90, C, LOAD}, {240, D, LOAD}};
    sl_machine m = figure_2(SL_MISS_SERIALIZED), frc = figure_2(SL_MISS_FRC);
    uint64_t before = run_loads(&m, LOAD, true, NULL, 0).level[1].delay_cycles;
    sl_sim_result r = run_loads(&m, LOAD, true, loads, 3);
    assert_int_equal(r.level[1].delay_cycles - before, 80 + 180 + 220);
    before = run_loads(&frc, LOAD, true, NULL, 0).level[1].delay_cycles;
    r = run_loads(&frc, LOAD, true, loads, 3);
    assert_int_equal(r.level[1].delay_cycles - before, 0);
    assert_int_equal(r.level[1].frc_misses, r.level[1].misses);
}

/* Beside a hit in L2: what L2 waits for its victim, and its fetch. */
static void a_miss_of_l1_is_delayed_by_what_l2_waits_for(void **state)
{
    (void)state;
    static const later_load b[] = {{0, B, LOAD}};
    sl_machine m = figure_2(SL_MISS_SERIALIZED), frc = figure_2(SL_MISS_FRC);
    uint64_t before = run_loads(&m, LOAD, true, NULL, 0).level[0].delay_cycles;
    assert_int_equal(run_loads(&m, LOAD, true, b, 1).level[0].delay_cycles - before, 80 + 120);
    before = run_loads(&frc, LOAD, true, NULL, 0).level[0].delay_cycles;
    assert_int_equal(run_loads(&frc, LOAD, true, b, 1).level[0].delay_cycles - before, 120);
}

/* ---- victims ---- */

/* Only a victim that is dirty or held above takes its time; FRC does not wait for it in any case. */
static void a_victim_takes_what_it_has_to_do(void **state)
{
    (void)state;
    static const later_load b[] = {{0, B, LOAD}};
    sl_machine m = figure_2(SL_MISS_SERIALIZED), frc = figure_2(SL_MISS_FRC);
    assert_int_equal(last_done(&m, LOAD_CG, false, b, 1), UNLOADED);
    assert_int_equal(last_done(&m, LOAD_CG, true, b, 1), UNLOADED + 10);
    assert_int_equal(last_done(&m, LOAD, false, b, 1), UNLOADED + 70);
    assert_int_equal(last_done(&m, LOAD, true, b, 1), UNLOADED + 80);
    assert_int_equal(last_done(&frc, LOAD, true, b, 1), UNLOADED);
    m.level[1].inclusive = m.level[1].invalidate_cycles = 0;
    assert_int_equal(last_done(&m, LOAD, true, b, 1), UNLOADED + 10);
}

static void a_dirty_victim_is_written_back_once_and_found_below(void **state)
{
    (void)state;
    for (int handling = SL_MISS_OVERLAPPED; handling <= SL_MISS_FRC; handling++) {
        sl_machine m = figure_2((sl_miss_handling)handling);
        sl_sim_result r = run_loads(&m, LOAD, true, (const later_load[]){{0, B, LOAD}}, 1);
        assert_int_equal(r.level[1].writebacks, 1);
        assert_int_equal(r.level[2].written_sectors, 1);
        assert_int_equal(r.level[1].evictions, 4);
    }
}

static void a_victim_serves_until_its_successor_has_come_with_frc_only(void **state)
{
    (void)state;
    static const later_load loads[] = {{0, B, LOAD_CG}, {50, A, LOAD_CG}};
    sl_machine frc = figure_2(SL_MISS_FRC), m = figure_2(SL_MISS_SERIALIZED);
    sl_sim_result with = run_loads(&frc, LOAD_CG, true, loads, 2), without = run_loads(&m, LOAD_CG, true, loads, 2);
    assert_int_equal(with.level[1].misses, 4 + 1); /* four of the preparation, and B */
    assert_int_equal(with.level[1].hits, 1 + 1);   /* the store, and A */
    assert_int_equal(without.level[1].misses, 4 + 2);
    assert_int_equal(without.level[1].hits, 1);
}

/* A is asked for again in cycle 150: it leaves the entry from 130 to 210, and is fetched then. */
static void a_line_that_leaves_is_not_served_from_its_entry(void **state)
{
    (void)state;
    sl_machine frc = figure_2(SL_MISS_FRC);
    assert_int_equal(DONE(&frc, {0, B, LOAD}, {140, A, LOAD}), 210 + 120);
}

static void an_inclusive_level_drops_what_it_evicts_above(void **state)
{
    (void)state;
    for (uint32_t inclusive = 0; inclusive < 2; inclusive++)
        for (int handling = SL_MISS_OVERLAPPED; handling <= SL_MISS_FRC; handling++) {
            sl_machine m = figure_2((sl_miss_handling)handling);
            m.level[1].inclusive = inclusive;
            m.level[1].invalidate_cycles = inclusive ? 70 : 0;
            sl_sim_result r = run_loads(&m, LOAD, false, (const later_load[]){{0, B, LOAD_CG}, {290, A, LOAD}}, 2);
            assert_int_equal(r.level[0].hits, !inclusive);
        }
}

/* L1 drops A as it is stored to. Where it tells, the way waits for the write-back alone. */
static void what_l1_dropped_is_invalidated_where_it_does_not_tell(void **state)
{
    (void)state;
    static const later_load b[] = {{0, B, LOAD}};
    sl_machine m = figure_2(SL_MISS_SERIALIZED);
    m.level[0].write = SL_WRITE_EVICT;
    assert_int_equal(last_done(&m, LOAD, true, b, 1), UNLOADED + 10);
    m.level[1].stale_sharers = 1;
    assert_int_equal(last_done(&m, LOAD, true, b, 1), UNLOADED + 80);
    assert_int_equal(last_done(&m, LOAD_CG, true, b, 1), UNLOADED + 10); /* L1 never had it */
    m = figure_2(SL_MISS_FRC);
    m.level[1].stale_sharers = 1;
    assert_int_equal(last_done(&m, LOAD, true, b, 1), UNLOADED);
}

/* Memory right below, with a channel for A and C and one for B and D, and a row for each line. C takes D's way and
 * closes A's row; B takes that of A, which has to be opened again to be written. That is no matter to B once the write
 * is in the queue. */
static void a_dirty_victim_has_left_when_the_queue_of_memory_has_it(void **state)
{
    (void)state;
    static const later_load loads[] = {{0, C, LOAD_CG}, {400, B, LOAD_CG}};
    sl_machine m = figure_2(SL_MISS_SERIALIZED);
    m.levels = 2;
    m.level[1].size_bytes = 256;
    m.level[1].ways = 2;
    m.memory.channels = 2;
    m.memory.channel_interleave = m.memory.row_bytes = 128;
    m.memory.banks = 1;
    m.memory.rcd = 100;
    uint64_t clean = run_loads(&m, LOAD_CG, false, loads, 2).cycles - run_loads(&m, LOAD_CG, false, NULL, 0).cycles;
    uint64_t dirty = run_loads(&m, LOAD_CG, true, loads, 2).cycles - run_loads(&m, LOAD_CG, true, NULL, 0).cycles;
    assert_int_equal(dirty, clean + 1);
}

/* ---- entries ---- */

/* The one entry brings B until 130, and A leaves from it until 210. C comes in 100, and takes the way that A is in as
 * without FRC: 70 until L1 has dropped A, 10 until it is written, 120. */
static void a_miss_without_a_free_entry_is_handled_as_without_frc(void **state)
{
    (void)state;
    sl_machine m = figure_2(SL_MISS_FRC);
    m.level[1].frc_entries = m.level[1].frc_ways = 1;
    assert_int_equal(DONE(&m, {0, B, LOAD}, {90, C, LOAD}), 100 + 80 + 120);
    sl_sim_result r = run_loads(&m, LOAD, true, (const later_load[]){{0, B, LOAD}, {90, C, LOAD}}, 2);
    assert_int_equal(r.level[1].frc_misses, r.level[1].misses - 1);
}

/* Two sets of one entry each: lines of other sets do not help. L2 has two sets; B and the line at 0x280 belong to one.
 */
static void an_entry_of_another_set_does_not_help(void **state)
{
    (void)state;
    static const later_load b_e[] = {{0, B, LOAD}, {90, 0x280, LOAD}}, b_c[] = {{0, B, LOAD}, {90, C, LOAD}};
    sl_machine m = figure_2(SL_MISS_FRC);
    m.level[1].size_bytes = 256;
    m.level[1].sets = 2;
    m.level[1].frc_entries = 2;
    m.level[1].frc_ways = 1;
    sl_sim_result same = run_loads(&m, LOAD, true, b_e, 2), other = run_loads(&m, LOAD, true, b_c, 2);
    assert_int_equal(same.level[1].frc_misses, same.level[1].misses - 1);
    assert_int_equal(other.level[1].frc_misses, other.level[1].misses);
}

static void two_misses_to_one_line_are_one_fetch(void **state)
{
    (void)state;
    static const later_load loads[] = {{0, B, LOAD_CG}, {60, B, LOAD_CG}};
    for (int handling = SL_MISS_OVERLAPPED; handling <= SL_MISS_FRC; handling++) {
        sl_machine m = figure_2((sl_miss_handling)handling);
        sl_sim_result r = run_loads(&m, LOAD, true, loads, 2);
        assert_int_equal(r.level[1].misses, 4 + 1);
        assert_int_equal(r.level[1].pending, 1);
        assert_int_equal(r.cycles, run_loads(&m, LOAD, true, loads, 1).cycles + 1); /* its answer is the next */
    }
}

/* The level below is told of clean victims: 11 cycles more before the fetch, which FRC does not wait for. */
static void a_clean_victim_takes_what_it_takes_to_tell_below(void **state)
{
    (void)state;
    static const later_load b[] = {{0, B, LOAD}};
    sl_machine m = figure_2(SL_MISS_SERIALIZED), frc = figure_2(SL_MISS_FRC);
    m.level[1].clean_evict_cycles = frc.level[1].clean_evict_cycles = 11;
    assert_int_equal(last_done(&m, LOAD_CG, false, b, 1), UNLOADED + 11);
    assert_int_equal(last_done(&m, LOAD, false, b, 1), UNLOADED + 70 + 11);
    assert_int_equal(last_done(&m, LOAD, true, b, 1), UNLOADED + 80); /* dirty: written back instead */
    assert_int_equal(last_done(&frc, LOAD_CG, false, b, 1), UNLOADED);
}

/* Victims that are never evicted: B, which A has taken the place of before, is still there, and its request hits when
 * it comes to L2, 10 cycles after it was made; so is A when it is asked for at 140. With FRC B is fetched until 130,
 * and A leaves until 210, before its fetch of 120. */
static void victims_that_are_kept_still_hit(void **state)
{
    (void)state;
    static const later_load loads[] = {{0, B, LOAD}, {140, A, LOAD_CG}};
    sl_machine frc = figure_2(SL_MISS_FRC), keeps = frc;
    keeps.level[1].frc_keeps_victims = 1;
    assert_int_equal(DONE(&frc, {0, B, LOAD}), 130);
    assert_int_equal(DONE(&keeps, {0, B, LOAD}), 10);
    assert_int_equal(DONE(&frc, {0, B, LOAD}, {140, A, LOAD_CG}), 330);
    assert_int_equal(DONE(&keeps, {0, B, LOAD}, {140, A, LOAD_CG}), 150);
    sl_sim_result correct = run_loads(&frc, LOAD, true, loads, 2), kept = run_loads(&keeps, LOAD, true, loads, 2);
    assert_int_equal(correct.level[1].misses, 4 + 2); /* four of the preparation */
    assert_int_equal(kept.level[1].misses, 4);
    assert_int_equal(kept.level[1].hits, correct.level[1].hits + 2);
    assert_int_equal(kept.level[1].evictions, 0);
    assert_int_equal(kept.level[1].frc_misses, 4);
}

/* ---- stores ---- */

static sl_sim_result store_to_b(sl_miss_handling handling, uint32_t lanes_mask, uint32_t write_fetch)
{
    sl_machine m = figure_2(handling);
    m.level[1].write_fetch = write_fetch;
    act acts[6 + AFTER] = {at(LOAD, A), do_(USE), at(STORE, A), do_(FENCE), lanes(STORE, B, 4, lanes_mask), do_(FENCE)};
    for (int i = 6; i < 6 + AFTER; i++)
        acts[i] = do_(CHAIN);
    return run_plan(&m, NULL, 1, 1, &(warp_acts){acts, 6 + AFTER});
}

/* A store of a whole line brings it itself: it waits for its victim only, 80 cycles, and with FRC for nothing. */
static void a_store_waits_for_its_victim_only(void **state)
{
    (void)state;
    uint64_t at_once = store_to_b(SL_MISS_OVERLAPPED, UINT32_MAX, 1).cycles;
    sl_sim_result serialized = store_to_b(SL_MISS_SERIALIZED, UINT32_MAX, 1);
    sl_sim_result frc = store_to_b(SL_MISS_FRC, UINT32_MAX, 1);
    assert_int_equal(serialized.cycles, at_once + 80);
    assert_int_equal(serialized.level[1].store_misses, 1);
    assert_int_equal(serialized.level[1].misses, 1);
    assert_int_equal(serialized.level[1].delay_cycles, 80);
    assert_int_equal(frc.cycles, at_once);
    assert_int_equal(frc.level[1].store_misses, 1);
    assert_int_equal(frc.level[1].frc_misses, 2); /* the load's, and that of the store's victim */
}

static void a_store_of_a_part_fetches_the_rest_where_the_level_says_so(void **state)
{
    (void)state;
    for (int handling = SL_MISS_OVERLAPPED; handling <= SL_MISS_FRC; handling++) {
        assert_int_equal(store_to_b((sl_miss_handling)handling, 1, 1).level[1].misses, 2);
        assert_int_equal(store_to_b((sl_miss_handling)handling, 1, 0).level[1].misses, 1);
        assert_int_equal(store_to_b((sl_miss_handling)handling, 1, 0).level[1].store_misses, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conventional_requests_to_one_line_follow_each_other),
        cmocka_unit_test(with_frc_they_are_fetched_at_once),
        cmocka_unit_test(delays_are_what_a_miss_waits_beside_its_fetch),
        cmocka_unit_test(a_miss_of_l1_is_delayed_by_what_l2_waits_for),
        cmocka_unit_test(a_victim_takes_what_it_has_to_do),
        cmocka_unit_test(a_dirty_victim_is_written_back_once_and_found_below),
        cmocka_unit_test(a_victim_serves_until_its_successor_has_come_with_frc_only),
        cmocka_unit_test(a_line_that_leaves_is_not_served_from_its_entry),
        cmocka_unit_test(an_inclusive_level_drops_what_it_evicts_above),
        cmocka_unit_test(what_l1_dropped_is_invalidated_where_it_does_not_tell),
        cmocka_unit_test(a_dirty_victim_has_left_when_the_queue_of_memory_has_it),
        cmocka_unit_test(a_miss_without_a_free_entry_is_handled_as_without_frc),
        cmocka_unit_test(an_entry_of_another_set_does_not_help),
        cmocka_unit_test(two_misses_to_one_line_are_one_fetch),
        cmocka_unit_test(a_clean_victim_takes_what_it_takes_to_tell_below),
        cmocka_unit_test(victims_that_are_kept_still_hit),
        cmocka_unit_test(a_store_waits_for_its_victim_only),
        cmocka_unit_test(a_store_of_a_part_fetches_the_rest_where_the_level_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
