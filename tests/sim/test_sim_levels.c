/* SPDX-License-Identifier: MIT */
/* Levels of cache: what becomes of a request, what it waits for and for how long.
 *
 * A load that issues in cycle n is at L1 in n + 1. Where it misses it leaves in n + 2, is at L2 in n + 12 and at the
 * channel in n + 13; from memory it is at L2 in n + 91 and at L1 in n + 101 (less 10 where its row is open), and its
 * data in registers 4 cycles later. */
#include "simulated.h"

static sl_machine sectored(void)
{
    sl_machine m = tiny();
    for (int i = 0; i < 2; i++)
        m.level[i].sector_bytes = m.level[i].fill_bytes = 32;
    return m;
}

/* ---- outcomes ---- */

static void a_miss_brings_the_line_for_the_next_load(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(LOAD, 0), do_(USE));
    assert_int_equal(r.level[0].accesses, 2);
    assert_int_equal(r.level[0].misses, 1);
    assert_int_equal(r.level[0].hits, 1);
    assert_int_equal(r.level[0].fill_sectors, 1);
    assert_int_equal(r.level[1].accesses, 1);
    assert_int_equal(r.level[1].misses, 1);
    assert_int_equal(r.dram_read_sectors, 1);
    assert_int_equal(r.cycles, 112);
}

static void loads_of_a_line_in_flight_wait_for_it(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN(&m, 1, 2, WARP(at(LOAD, 0)), WARP(at(LOAD, 0)));
    assert_int_equal(r.level[0].misses, 1);
    assert_int_equal(r.level[0].pending, 1);
    assert_int_equal(r.level[0].hits, 0);
    assert_int_equal(r.level[1].accesses, 1);
    assert_int_equal(r.cycles, 106); /* both in the same cycle */
    assert_int_equal(r.counts.total.value[SL_COUNTER_ld_sector_hits], 1);
    assert_int_equal(r.counts.total.value[SL_COUNTER_pending_hit_sectors], 1);
}

static void the_least_recently_used_line_of_the_set_is_evicted(void **state)
{
    (void)state;
    sl_machine m = tiny();
    /* Even lines share a set of two ways: 512 takes the place of 256. */
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(LOAD, 256), do_(USE), at(LOAD, 0), do_(USE), at(LOAD, 512),
                               do_(USE), at(LOAD, 0), do_(USE), at(LOAD, 256), do_(USE));
    assert_int_equal(r.level[0].hits, 2);
    assert_int_equal(r.level[0].misses, 4);
    assert_int_equal(r.level[0].evictions, 2);
    assert_int_equal(r.level[0].unused_evictions, 2); /* 256 and 512 */
    assert_int_equal(r.level[0].unaccessed_evictions, 2);
}

static void a_line_that_a_store_found_is_not_untouched(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].write = SL_WRITE_THROUGH;
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(STORE, 0), at(LOAD, 256), do_(USE), at(LOAD, 512),
                               do_(USE), at(LOAD, 768), do_(USE));
    assert_int_equal(r.level[0].store_hits, 1);
    assert_int_equal(r.level[0].evictions, 2);
    assert_int_equal(r.level[0].unused_evictions, 2); /* 0 and 256 */
    assert_int_equal(r.level[0].unaccessed_evictions, 1);
}

/* ---- what a request waits for ---- */

/* Both ways of the set are in flight until cycle 101; the third load is at L1 in cycle 3. */
static void a_miss_waits_for_a_way_that_is_not_in_flight(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN(&m, 1, 3, WARP(at(LOAD, 0)), WARP(at(LOAD, 256)), WARP(at(LOAD, 512), do_(USE)));
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_WAY], 98);
    assert_int_equal(r.level[0].misses, 3);
    assert_int_equal(r.cycles, 101 + 90 + 4 + 1); /* its row is open */
}

static void a_miss_waits_for_an_mshr(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].mshrs = 1;
    sl_sim_result r = RUN(&m, 1, 2, WARP(at(LOAD, 0)), WARP(at(LOAD, 128)));
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_MSHR], 99); /* 2 to 100 */
    assert_int_equal(r.cycles, 101 + 90 + 4 + 1);
    m.level[0].mshrs = 2;
    r = RUN(&m, 1, 2, WARP(at(LOAD, 0)), WARP(at(LOAD, 128)));
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_MSHR], 0);
}

static void a_load_waits_where_too_many_wait_for_its_line(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].mshrs = 8;
    m.level[0].mshr_merges = 1;
    sl_sim_result r = RUN(&m, 1, 2, WARP(at(LOAD, 0)), WARP(at(LOAD, 0)));
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_MERGE], 99);
    assert_int_equal(r.level[0].hits, 1); /* in cycle 101 the line is there */
    assert_int_equal(r.cycles, 106);
    m.level[0].mshr_merges = 2;
    r = RUN(&m, 1, 3, WARP(at(LOAD, 0)), WARP(at(LOAD, 0)), WARP(at(LOAD, 0)));
    assert_int_equal(r.level[0].pending, 1);
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_MERGE], 98);
}

/* A store of a line has 136 bytes, which take the port for 4 cycles: the first leaves in cycle 2, the second in 6. The
 * third is at L1 in cycle 3. */
static void a_request_waits_for_a_place_in_the_miss_queue(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].network_bytes = 34;
    m.level[0].miss_queue = 1;
    const warp_acts stores = WARP(at(STORE, 0), at(STORE, 128), at(STORE, 256));
    sl_sim_result r = RUN(&m, 1, 1, stores);
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_QUEUE], 3); /* 3 to 5 */
    m.level[0].miss_queue = 2;
    r = RUN(&m, 1, 1, stores);
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_QUEUE], 0);
}

static void requests_wait_before_l2_for_the_same_reasons(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const warp_acts first = WARP(at(LOAD_CG, 0)), second = WARP(at(LOAD_CG, 128));
    m.level[1].mshrs = 1; /* the second one is there in cycle 13, the first one's data in cycle 91 */
    assert_int_equal(RUN(&m, 1, 2, first, second).level[1].stall_cycles[SL_STALL_MSHR], 78);
    m = tiny();
    m.level[1].ways = 1;
    m.level[1].size_bytes = 128;
    m.level[1].sets = 0;
    assert_int_equal(RUN(&m, 1, 2, first, second).level[1].stall_cycles[SL_STALL_WAY], 78);
    m = tiny();
    m.level[1].mshrs = 8;
    m.level[1].mshr_merges = 1;
    assert_int_equal(RUN(&m, 1, 2, first, first).level[1].stall_cycles[SL_STALL_MERGE], 78);
    m = tiny();
    m.level[1].miss_queue = 1;
    /* The first has the channel until its row is read, in cycle 23, when the second leaves the miss queue; the third,
     * which is there in cycle 14, takes its place in the next cycle. */
    m.memory.queue = 1;
    sl_sim_result r = RUN(&m, 1, 3, first, second, WARP(at(LOAD_CG, 256)));
    assert_int_equal(r.level[1].stall_cycles[SL_STALL_QUEUE], 24 - 14);
}

/* A load that waits in L1 holds up what is behind it, a hit, too. */
static void a_request_that_waits_holds_up_those_behind_it(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].mshrs = 1;
    const warp_acts warm = WARP(at(LOAD, 0), do_(USE), do_(BARRIER), at(LOAD, 128), do_(BARRIER));
    /* In cycle 105 the line is there and the barrier comes; loads in 107 and 108: the second waits for the first one's
     * MSHR, and the third one's hit behind it. */
    sl_sim_result r = RUN(&m, 1, 3, warm, WARP(do_(BARRIER), do_(ADD), at(LOAD, 384), do_(BARRIER)),
                          WARP(do_(BARRIER), do_(ADD), do_(CHAIN), at(LOAD, 0), do_(USE), do_(BARRIER)));
    assert_int_equal(r.level[0].hits, 1);
    assert_true(r.level[0].stall_cycles[SL_STALL_MSHR] > 80);
    assert_true(r.cycles > 270);
}

static void a_warp_has_no_more_lines_in_flight_than_it_may(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].mshrs = 8;
    m.level[0].mshrs_per_warp = 1;
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, 128));
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_MSHR], 99);
    r = RUN(&m, 1, 2, WARP(at(LOAD, 0)), WARP(at(LOAD, 128)));
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_MSHR], 0);
    m.level[0].mshrs_per_warp = 2;
    r = RUN_WARP(&m, at(LOAD, 0), at(LOAD_2, 128));
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_MSHR], 0);
}

/* ---- past a level ---- */

static void a_load_that_bypasses_does_not_allocate(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, at(LOAD_CG, 0), do_(USE), at(LOAD, 0), do_(USE));
    assert_int_equal(r.level[0].bypasses, 1);
    assert_int_equal(r.level[0].misses, 1);
    assert_int_equal(r.level[0].fill_sectors, 1);
    assert_int_equal(r.level[1].hits, 1);
    assert_int_equal(r.counts.total.value[SL_COUNTER_bypass_requests], 1);
    assert_int_equal(r.counts.total.value[SL_COUNTER_ld_sector_misses], 2);
}

static void two_loads_that_bypass_are_two_requests(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].mshrs = 1;
    sl_sim_result r = RUN(&m, 1, 2, WARP(at(LOAD_CG, 0)), WARP(at(LOAD_CG, 0)));
    assert_int_equal(r.level[0].bypasses, 2);
    assert_int_equal(r.level[0].pending, 0);
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_MSHR], 0);
    assert_int_equal(r.level[1].accesses, 2);
    assert_int_equal(r.level[1].pending, 1);
    assert_int_equal(r.dram_read_sectors, 1);
}

static void a_plan_says_which_loads_bypass_which_levels(void **state)
{
    (void)state;
    sl_machine m = tiny();
    uint8_t plan[MEMORY_OPS] = {[LOAD] = 1};
    const warp_acts twice = WARP(at(LOAD, 0), do_(USE), at(LOAD, 0), do_(USE), at(LOAD_2, 0), do_(USE_2));
    sl_sim_result r = run_plan(&m, plan, 1, 1, &twice);
    assert_int_equal(r.level[0].bypasses, 2);
    assert_int_equal(r.level[0].misses, 1);
    assert_int_equal(r.level[1].hits, 2);
    plan[LOAD] = 3;
    r = run_plan(&m, plan, 1, 1, &twice);
    assert_int_equal(r.level[0].bypasses, 2);
    assert_int_equal(r.level[1].bypasses, 2);
    assert_int_equal(r.level[1].misses, 1);
    assert_int_equal(r.dram_read_sectors, 3);
    plan[LOAD] = 2; /* past L2 alone */
    r = run_plan(&m, plan, 1, 1, &twice);
    assert_int_equal(r.level[0].hits, 2);
    assert_int_equal(r.level[1].bypasses, 1);
    assert_int_equal(r.level[1].fill_sectors, 0);
}

/* Lines of set 0 of L2, which has 4 sets of 4 ways. */
static act in_set_0(op o, uint64_t n)
{
    return at(o, n * 4 * 128);
}

static void lines_with_a_hint_are_evicted_from_l2_first(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const uint8_t plan[MEMORY_OPS] = {[LOAD] = 2, [LOAD_2] = 1}; /* LOAD_2 bypasses L1, so that L2 sees all of it */
    /* Four lines fill the set, the second one with the hint; a fifth takes its place, though the first is older. */
    const warp_acts acts = WARP(in_set_0(LOAD_2, 0), do_(USE_2), in_set_0(LOAD, 1), do_(USE), in_set_0(LOAD_2, 2),
                                do_(USE_2), in_set_0(LOAD_2, 3), do_(USE_2), in_set_0(LOAD_2, 4), do_(USE_2),
                                in_set_0(LOAD_2, 0), do_(USE_2), in_set_0(LOAD_2, 2), do_(USE_2));
    m.level[1].hint = SL_HINT_EVICT_FIRST;
    sl_sim_result r = run_plan(&m, plan, 1, 1, &acts);
    assert_int_equal(r.level[1].bypasses, 0);
    assert_int_equal(r.level[1].misses, 5);
    assert_int_equal(r.level[1].hits, 2);
    assert_int_equal(r.level[1].evictions, 1);
    /* Without it the first is evicted, and its refill evicts the second. */
    m.level[1].hint = SL_HINT_BYPASS;
    const uint8_t plain[MEMORY_OPS] = {[LOAD] = 1, [LOAD_2] = 1};
    r = run_plan(&m, plain, 1, 1, &acts);
    assert_int_equal(r.level[1].misses, 6);
    assert_int_equal(r.level[1].hits, 1);
}

static void among_lines_with_the_hint_the_oldest_is_evicted(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const uint8_t plan[MEMORY_OPS] = {[LOAD] = 3, [LOAD_2] = 1};
    m.level[1].hint = SL_HINT_EVICT_FIRST;
    const warp_acts acts =
        WARP(in_set_0(LOAD_2, 0), do_(USE_2), in_set_0(LOAD, 1), do_(USE), in_set_0(LOAD, 2), do_(USE),
             in_set_0(LOAD_2, 3), do_(USE_2), in_set_0(LOAD, 4), do_(USE), /* for 1 */
             in_set_0(LOAD, 2), do_(USE), in_set_0(LOAD, 1), do_(USE) /* for 2, though it was hit */);
    sl_sim_result r = run_plan(&m, plan, 1, 1, &acts);
    assert_int_equal(r.level[1].hits, 1);
    assert_int_equal(r.level[1].misses, 6);
}

static void a_hit_without_the_hint_keeps_a_line(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const uint8_t plan[MEMORY_OPS] = {[LOAD] = 3, [LOAD_2] = 1};
    m.level[1].hint = SL_HINT_EVICT_FIRST;
    const warp_acts acts = WARP(in_set_0(LOAD_2, 0), do_(USE_2), in_set_0(LOAD, 1), do_(USE), in_set_0(LOAD_2, 2),
                                do_(USE_2), in_set_0(LOAD_2, 3), do_(USE_2), in_set_0(LOAD_2, 1), do_(USE_2),
                                in_set_0(LOAD_2, 4), do_(USE_2), /* for 0, the oldest */
                                in_set_0(LOAD_2, 1), do_(USE_2));
    sl_sim_result r = run_plan(&m, plan, 1, 1, &acts);
    assert_int_equal(r.level[1].hits, 2);
    assert_int_equal(r.level[1].misses, 5);
}

static sl_sim_result run_hints(const sl_machine *m, const sl_sim_hint *hint, const warp_acts *acts)
{
    return run_planned(m, &(const sl_sim_plan){.hint = hint}, 1, 1, acts);
}

/* The first line fills the set with three others; two more come, and then it is wanted again. */
static void lines_that_are_evicted_last_stay(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].hint = SL_HINT_EVICT_FIRST;
    const warp_acts acts = WARP(in_set_0(LOAD, 0), do_(USE), in_set_0(LOAD_2, 1), do_(USE_2), in_set_0(LOAD_2, 2),
                                do_(USE_2), in_set_0(LOAD_2, 3), do_(USE_2), in_set_0(LOAD_2, 4), do_(USE_2),
                                in_set_0(LOAD_2, 5), do_(USE_2), in_set_0(LOAD_2, 0), do_(USE_2));
    sl_sim_hint hint[MEMORY_OPS] = {[LOAD] = {.bypass = 1}, [LOAD_2] = {.bypass = 1}};
    assert_int_equal(run_hints(&m, hint, &acts).level[1].hits, 0);
    hint[LOAD].last = 2;
    assert_int_equal(run_hints(&m, hint, &acts).level[1].hits, 1);
    hint[LOAD_2].last = 2; /* where all are, the oldest goes */
    assert_int_equal(run_hints(&m, hint, &acts).level[1].hits, 0);
    m.level[1].hint = SL_HINT_BYPASS; /* a level that knows no priorities */
    hint[LOAD_2].last = 0;
    assert_int_equal(run_hints(&m, hint, &acts).level[1].hits, 0);
}

/* Even lines share two ways of L1. Where priorities are known, a hit of a load that does not allocate makes its line
 * the next victim, until another load hits it. */
static void a_line_hit_by_a_load_that_does_not_allocate_goes_first(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const sl_sim_hint hint[MEMORY_OPS] = {[LOAD] = {.bypass = 1}};
    const warp_acts passed = WARP(at(LOAD_2, 0), do_(USE_2), at(LOAD_2, 256), do_(USE_2), at(LOAD, 256), do_(USE),
                                  at(LOAD_2, 512), do_(USE_2), at(LOAD_2, 0), do_(USE_2));
    const warp_acts kept = WARP(at(LOAD_2, 0), do_(USE_2), at(LOAD_2, 256), do_(USE_2), at(LOAD, 256), do_(USE),
                                at(LOAD_2, 256), do_(USE_2), at(LOAD_2, 512), do_(USE_2), at(LOAD_2, 256), do_(USE_2));
    assert_int_equal(run_hints(&m, hint, &passed).level[0].hits, 1);
    m.level[1].hint = SL_HINT_EVICT_FIRST;
    assert_int_equal(run_hints(&m, hint, &passed).level[0].hits, 2);
    assert_int_equal(run_hints(&m, hint, &kept).level[0].hits, 3);
}

static void a_load_that_does_not_allocate_fills_a_sector_of_a_line_that_is_there(void **state)
{
    (void)state;
    sl_machine m = sectored();
    m.level[1].hint = SL_HINT_EVICT_FIRST;
    const sl_sim_hint hint[MEMORY_OPS] = {[LOAD] = {.bypass = 1}};
    const warp_acts there = WARP(lanes(LOAD_2, 0, 4, 0xff), do_(USE_2), lanes(LOAD, 32, 4, 0xff), do_(USE),
                                 lanes(LOAD_2, 32, 4, 0xff), do_(USE_2));
    const warp_acts absent = WARP(lanes(LOAD, 32, 4, 0xff), do_(USE), lanes(LOAD_2, 32, 4, 0xff), do_(USE_2));
    assert_int_equal(run_hints(&m, hint, &there).level[0].hits, 1);
    assert_int_equal(run_hints(&m, hint, &absent).level[0].hits, 0);
}

/* Of two lines that are to be evicted last one may stay: the other goes as it is the oldest. */
static void so_many_ways_are_kept_for_lines_that_are_evicted_last(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].hint = SL_HINT_EVICT_FIRST;
    const warp_acts acts =
        WARP(in_set_0(LOAD, 0), do_(USE), in_set_0(LOAD, 1), do_(USE), in_set_0(LOAD_2, 2), do_(USE_2),
             in_set_0(LOAD_2, 3), do_(USE_2), in_set_0(LOAD_2, 4), do_(USE_2), in_set_0(LOAD_2, 5), do_(USE_2),
             in_set_0(LOAD_2, 1), do_(USE_2), in_set_0(LOAD_2, 0), do_(USE_2));
    const sl_sim_hint hint[MEMORY_OPS] = {[LOAD] = {.bypass = 1, .last = 2}, [LOAD_2] = {.bypass = 1}};
    assert_int_equal(run_hints(&m, hint, &acts).level[1].hits, 2);
    m.level[1].last_ways = 1;
    assert_int_equal(run_hints(&m, hint, &acts).level[1].hits, 1);
}

/* Three lines of a set are stored, and two may be dirty: the oldest is written back, and is still there. */
static void of_too_many_dirty_lines_the_oldest_is_written_back_and_kept(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const warp_acts acts = WARP(in_set_0(STORE, 0), do_(FENCE), in_set_0(STORE, 1), do_(FENCE), in_set_0(STORE, 2),
                                do_(FENCE), in_set_0(LOAD_CG, 0), do_(USE));
    sl_sim_result r = run_plan(&m, NULL, 1, 1, &acts);
    assert_int_equal(r.level[1].writebacks, 0);
    m.level[1].dirty_ways = 2;
    r = run_plan(&m, NULL, 1, 1, &acts);
    assert_int_equal(r.level[1].writebacks, 1);
    assert_int_equal(r.level[1].read_hit_sectors, 1);
}

static void half_of_the_lines_can_have_a_priority(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].hint = SL_HINT_EVICT_FIRST;
    uint64_t hits = 0;
    sl_sim_hint hint[MEMORY_OPS] = {[LOAD] = {.bypass = 1, .last = 2, .half = true}, [LOAD_2] = {.bypass = 1}};
    for (uint64_t n = 0; n < 32; n++) {
        const warp_acts acts =
            WARP(in_set_0(LOAD, n), do_(USE), in_set_0(LOAD_2, 101), do_(USE_2), in_set_0(LOAD_2, 102), do_(USE_2),
                 in_set_0(LOAD_2, 103), do_(USE_2), in_set_0(LOAD_2, 104), do_(USE_2), in_set_0(LOAD_2, n), do_(USE_2));
        hits += run_hints(&m, hint, &acts).level[1].hits;
    }
    assert_in_range(hits, 8, 24);
}

static void a_line_of_l1_that_is_evicted_first_makes_room(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[1].hint = SL_HINT_EVICT_FIRST;
    uint64_t ways = m.level[0].ways, sets = m.level[0].sets;
    act acts[64];
    uint32_t count = 0;
    for (uint64_t n = 0; n <= ways; n++) { /* the second with the hint: it goes, and the first stays */
        acts[count++] = at(n == 1 ? LOAD : LOAD_2, n * sets * 128);
        acts[count++] = do_(n == 1 ? USE : USE_2);
    }
    acts[count++] = at(LOAD_2, 0);
    acts[count++] = do_(USE_2);
    sl_sim_hint hint[MEMORY_OPS] = {0};
    assert_int_equal(run_hints(&m, hint, &(warp_acts){acts, count}).level[0].hits, 0);
    hint[LOAD].first = 1;
    assert_int_equal(run_hints(&m, hint, &(warp_acts){acts, count}).level[0].hits, 1);
}

static void a_prefetch_size_fetches_more_of_the_line(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const warp_acts acts = WARP(lanes(LOAD, 0, 4, 1), do_(USE), lanes(LOAD, 32, 4, 1), do_(USE), lanes(LOAD, 64, 4, 1),
                                do_(USE), lanes(LOAD, 96, 4, 1), do_(USE));
    for (int i = 0; i < 2; i++)
        m.level[i].sector_bytes = m.level[i].fill_bytes = 32;
    sl_sim_hint hint[MEMORY_OPS] = {[LOAD] = {.bypass = 1}};
    assert_int_equal(run_hints(&m, hint, &acts).level[1].hits, 0);
    hint[LOAD].log2_fetch = 6;
    sl_sim_result r = run_hints(&m, hint, &acts);
    assert_int_equal(r.level[1].hits, 2);
    assert_int_equal(r.dram_read_sectors, 4);
    hint[LOAD].log2_fetch = 7;
    r = run_hints(&m, hint, &acts);
    assert_int_equal(r.level[1].hits, 3);
    assert_int_equal(r.dram_read_sectors, 4);
}

static void a_store_that_does_not_allocate_in_l1_leaves_no_line(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].write = SL_WRITE_ALLOCATE;
    const warp_acts acts = WARP(at(STORE, 0), do_(FENCE), at(LOAD, 0), do_(USE));
    sl_sim_hint hint[MEMORY_OPS] = {0};
    assert_int_equal(run_hints(&m, hint, &acts).level[0].hits, 1);
    hint[STORE].bypass = 1;
    assert_int_equal(run_hints(&m, hint, &acts).level[0].hits, 0);
}

static void a_plan_can_ask_for_fewer_blocks(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.core.blocks = 8;
    const warp_acts one = WARP(at(LOAD, 0), do_(USE));
    warp_acts acts[16];
    for (int i = 0; i < 16; i++)
        acts[i] = one;
    uint32_t all = run_planned(&m, NULL, 16, 1, acts).resident_blocks;
    assert_true(all >= 4);
    assert_int_equal(run_planned(&m, &(const sl_sim_plan){.log2_fewer = 1}, 16, 1, acts).resident_blocks, all / 2);
    assert_int_equal(run_planned(&m, &(const sl_sim_plan){.log2_fewer = 7}, 16, 1, acts).resident_blocks, 1);
}

static void miss_evict_neither_hits_nor_allocates(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const uint8_t plan[MEMORY_OPS] = {[LOAD] = 1};
    const warp_acts acts = WARP(at(LOAD_2, 0), do_(USE_2), at(LOAD_2, 0), do_(USE_2), /* a miss, a hit */
                                at(LOAD, 0), do_(USE),                                /* from L2; the line is gone */
                                at(LOAD_2, 0), do_(USE_2));                           /* a miss again */
    sl_sim_result r = run_plan(&m, plan, 1, 1, &acts);
    assert_int_equal(r.level[0].hits, 3); /* what is there serves a load that bypasses */
    m.level[0].hint = SL_HINT_MISS_EVICT;
    r = run_plan(&m, plan, 1, 1, &acts);
    assert_int_equal(r.level[0].hits, 1);
    assert_int_equal(r.level[0].bypasses, 1);
    assert_int_equal(r.level[0].misses, 2);
    assert_int_equal(r.level[1].hits, 2);
    assert_int_equal(r.dram_read_sectors, 1);
}

/* Four lines fill the set, the second one streamed in and hit without the hint: a fifth takes its place all the same.
 */
static void no_hit_keeps_a_line_that_is_streamed(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const uint8_t plan[MEMORY_OPS] = {[LOAD] = 3, [LOAD_2] = 1};
    const warp_acts acts = WARP(in_set_0(LOAD_2, 0), do_(USE_2), in_set_0(LOAD, 1), do_(USE), in_set_0(LOAD_2, 2),
                                do_(USE_2), in_set_0(LOAD_2, 3), do_(USE_2), in_set_0(LOAD_2, 1), do_(USE_2),
                                in_set_0(LOAD_2, 4), do_(USE_2), /* for 1, though it was hit */
                                in_set_0(LOAD_2, 0), do_(USE_2), in_set_0(LOAD_2, 1), do_(USE_2));
    m.level[1].hint = SL_HINT_STREAM;
    sl_sim_result r = run_plan(&m, plan, 1, 1, &acts);
    assert_int_equal(r.level[1].hits, 2);
    assert_int_equal(r.level[1].misses, 6);
}

static void a_hint_for_the_level_below_alone_hits_once(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const uint8_t below[MEMORY_OPS] = {[LOAD] = 2}, both[MEMORY_OPS] = {[LOAD] = 3};
    const warp_acts acts = WARP(at(LOAD_2, 0), do_(USE_2), at(LOAD, 0), do_(USE), at(LOAD_2, 0), do_(USE_2));
    m.level[1].hint = SL_HINT_STREAM;
    assert_int_equal(run_plan(&m, below, 1, 1, &acts).level[0].hits, 2);
    m.level[0].hit_evict = 1;
    sl_sim_result r = run_plan(&m, below, 1, 1, &acts);
    assert_int_equal(r.level[0].hits, 1);
    assert_int_equal(r.level[0].misses, 2);
    assert_int_equal(run_plan(&m, both, 1, 1, &acts).level[0].hits, 2); /* its own hint says otherwise */
}

/* A load of another line and its use follow. Where the first is volatile it is waited for, 141 cycles as any miss of
 * both levels; then the second takes as long. */
static void a_volatile_load_is_waited_for(void **state)
{
    (void)state;
    sl_machine m = tiny();
    const uint8_t plan[MEMORY_OPS] = {[LOAD] = 1};
    const warp_acts alone = WARP(at(LOAD, 0), do_(USE)),
                    two = WARP(at(LOAD, 0), at(LOAD_2, 4096), do_(USE), do_(USE_2));
    uint64_t one = run_plan(&m, plan, 1, 1, &alone).cycles, together = run_plan(&m, plan, 1, 1, &two).cycles;
    assert_true(together < one + 50);
    m.core.volatile_hints = 1;
    assert_int_equal(run_plan(&m, plan, 1, 1, &alone).cycles, one);
    assert_true(run_plan(&m, plan, 1, 1, &two).cycles > 2 * one - 20);
}

/* ---- stores ---- */

static void a_store_that_hits_drops_the_line(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(STORE, 0), at(LOAD, 0), do_(USE));
    assert_int_equal(r.level[0].misses, 2);
    assert_int_equal(r.level[0].hits, 0);
    assert_int_equal(r.level[1].hits, 2);
    assert_int_equal(r.dram_read_sectors, 1);
    assert_int_equal(r.level[0].evictions, 0); /* nobody had to make room */
    assert_int_equal(r.level[0].store_hits, 1);
}

/* Those who wait for the line already have it; a later load waits until it has come, cycle 3 to 100, and asks again. */
static void a_line_in_flight_is_of_no_use_after_a_store(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), at(STORE, 0), at(LOAD_2, 0), do_(USE), do_(USE_2));
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_MERGE], 98);
    assert_int_equal(r.level[0].misses, 2);
    assert_int_equal(r.cycles, 101 + 40 + 4 + 1);
}

static void a_line_that_is_written_through_stays(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].write = SL_WRITE_THROUGH;
    sl_sim_result r = RUN_WARP(&m, at(LOAD, 0), do_(USE), at(STORE, 0), at(LOAD, 0), do_(USE), at(STORE, 128),
                               at(LOAD, 128), do_(USE));
    assert_int_equal(r.level[0].hits, 1);
    assert_int_equal(r.level[0].misses, 2); /* a store that misses does not allocate */
    assert_int_equal(r.level[1].written_sectors, 2);
}

static void a_first_level_that_allocates_keeps_what_is_written_whole(void **state)
{
    (void)state;
    sl_machine m = sectored();
    m.level[0].write = SL_WRITE_ALLOCATE;
    sl_sim_result r = RUN_WARP(&m, at(STORE, 0), at(LOAD, 0), do_(USE));
    assert_int_equal(r.level[0].hits, 1);
    assert_int_equal(r.level[1].accesses, 1);
    assert_int_equal(r.level[1].written_sectors, 4);
    /* One lane writes 4 bytes of a sector, which is no use to who wants the sector. */
    r = RUN_WARP(&m, lanes(STORE, 0, 4, 1), at(LOAD, 0), do_(USE));
    assert_int_equal(r.level[0].hits, 0);
    /* The first of two sectors whole, the second in part: a load of both asks for the second. */
    r = RUN_WARP(&m, lanes(STORE, 0, 4, 0x1ff), lanes(LOAD, 0, 4, 0xffff), do_(USE));
    assert_int_equal(r.level[0].fill_sectors, 1);
}

/* Lines 512 bytes apart share a set of L2. */
static void l2_keeps_stores_until_their_line_is_evicted(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, at(STORE, 0), at(LOAD_CG, 0), do_(USE));
    assert_int_equal(r.dram_read_sectors, 0); /* it was written whole: nothing to bring */
    assert_int_equal(r.dram_written_sectors, 0);
    r = RUN_WARP(&m, at(STORE, 0), do_(FENCE), at(LOAD_CG, 512), do_(USE), at(LOAD_CG, 1024), do_(USE),
                 at(LOAD_CG, 1536), do_(USE), at(LOAD_CG, 2048), do_(USE));
    assert_int_equal(r.level[1].evictions, 1);
    assert_int_equal(r.level[1].writebacks, 1);
    assert_int_equal(r.dram_written_sectors, 1);
    assert_int_equal(r.dram_read_sectors, 4);
}

static void a_store_of_a_part_brings_the_rest_where_the_machine_says_so(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, lanes(STORE, 0, 4, 1));
    assert_int_equal(r.dram_read_sectors, 0);
    m.level[1].write_fetch = 1;
    r = RUN_WARP(&m, lanes(STORE, 0, 4, 1), do_(FENCE));
    assert_int_equal(r.dram_read_sectors, 1);
    assert_int_equal(r.level[1].misses, 1);
    assert_int_equal(r.cycles, 91 + 1); /* the store is done when its line is there */
    r = RUN_WARP(&m, at(STORE, 0));
    assert_int_equal(r.dram_read_sectors, 0);
}

static void local_memory_lies_word_by_word_of_a_warp(void **state)
{
    (void)state;
    sl_machine m = tiny();
    sl_sim_result r = RUN_WARP(&m, strided(LOCAL_STORE, 8, 0));
    assert_int_equal(r.level[0].accesses, 1); /* the same offset of 32 lanes is a line */
    assert_int_equal(r.level[1].written_sectors, 1);
}

/* ---- sectors ---- */

static void only_missing_sectors_are_fetched(void **state)
{
    (void)state;
    sl_machine m = sectored();
    sl_sim_result r = RUN_WARP(&m, lanes(LOAD, 0, 4, 0xff), do_(USE), at(LOAD, 0), do_(USE));
    assert_int_equal(r.level[0].misses, 2);
    assert_int_equal(r.level[0].fill_sectors, 4);
    assert_int_equal(r.level[1].read_sectors, 4);
    assert_int_equal(r.dram_read_sectors, 4);
    assert_int_equal(r.counts.total.value[SL_COUNTER_ld_sectors], 5);
    assert_int_equal(r.counts.total.value[SL_COUNTER_ld_sector_hits], 1);
    assert_int_equal(r.counts.total.value[SL_COUNTER_ld_sector_misses], 4);
}

/* The second load asks for three sectors and waits for the first one's, too. */
static void sectors_in_flight_are_not_fetched_twice(void **state)
{
    (void)state;
    sl_machine m = sectored();
    sl_sim_result r = RUN(&m, 1, 2, WARP(lanes(LOAD, 0, 4, 0xff), do_(USE)), WARP(at(LOAD, 0), do_(USE)));
    assert_int_equal(r.level[1].read_sectors, 4);
    assert_int_equal(r.dram_read_sectors, 4);
    /* The other way round the second one waits for the first one's data. */
    r = RUN(&m, 1, 2, WARP(at(LOAD, 0), do_(USE)), WARP(lanes(LOAD, 0, 4, 0xff), do_(USE)));
    assert_int_equal(r.level[0].pending, 1);
    assert_int_equal(r.dram_read_sectors, 4);
}

static void a_miss_brings_as_much_as_the_level_fills(void **state)
{
    (void)state;
    sl_machine m = sectored();
    m.level[1].fill_bytes = 64;
    sl_sim_result r =
        RUN_WARP(&m, lanes(LOAD, 0, 4, 0xff), do_(USE), lanes(LOAD, 32, 4, 0xff), do_(USE)); /* its neighbour */
    assert_int_equal(r.level[0].fill_sectors, 2);
    assert_int_equal(r.level[1].hits, 1);
    assert_int_equal(r.level[1].fill_sectors, 2);
    assert_int_equal(r.dram_read_sectors, 2);
}

/* Lines of 64 bytes above such of 128: two misses of L1, the second of which finds its half there. */
static void lines_may_be_longer_below(void **state)
{
    (void)state;
    sl_machine m = tiny();
    m.level[0].line_bytes = m.level[0].sector_bytes = m.level[0].fill_bytes = 64;
    m.level[0].sets = 0;
    sl_sim_result r = RUN_WARP(&m, lanes(LOAD, 64, 4, 0xffff), do_(USE), lanes(LOAD, 0, 4, 0xffff), do_(USE),
                               lanes(STORE, 64, 4, 0xffff), do_(FENCE));
    assert_int_equal(r.level[0].misses, 2);
    assert_int_equal(r.level[1].misses, 1);
    assert_int_equal(r.level[1].hits, 2);
    assert_int_equal(r.dram_read_sectors, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_brings_the_line_for_the_next_load),
        cmocka_unit_test(loads_of_a_line_in_flight_wait_for_it),
        cmocka_unit_test(the_least_recently_used_line_of_the_set_is_evicted),
        cmocka_unit_test(a_line_that_a_store_found_is_not_untouched),
        cmocka_unit_test(a_miss_waits_for_a_way_that_is_not_in_flight),
        cmocka_unit_test(a_miss_waits_for_an_mshr),
        cmocka_unit_test(a_load_waits_where_too_many_wait_for_its_line),
        cmocka_unit_test(a_request_waits_for_a_place_in_the_miss_queue),
        cmocka_unit_test(requests_wait_before_l2_for_the_same_reasons),
        cmocka_unit_test(a_request_that_waits_holds_up_those_behind_it),
        cmocka_unit_test(a_warp_has_no_more_lines_in_flight_than_it_may),
        cmocka_unit_test(a_load_that_bypasses_does_not_allocate),
        cmocka_unit_test(two_loads_that_bypass_are_two_requests),
        cmocka_unit_test(a_plan_says_which_loads_bypass_which_levels),
        cmocka_unit_test(lines_that_are_evicted_last_stay),
        cmocka_unit_test(a_line_hit_by_a_load_that_does_not_allocate_goes_first),
        cmocka_unit_test(a_load_that_does_not_allocate_fills_a_sector_of_a_line_that_is_there),
        cmocka_unit_test(so_many_ways_are_kept_for_lines_that_are_evicted_last),
        cmocka_unit_test(of_too_many_dirty_lines_the_oldest_is_written_back_and_kept),
        cmocka_unit_test(half_of_the_lines_can_have_a_priority),
        cmocka_unit_test(a_line_of_l1_that_is_evicted_first_makes_room),
        cmocka_unit_test(a_prefetch_size_fetches_more_of_the_line),
        cmocka_unit_test(a_store_that_does_not_allocate_in_l1_leaves_no_line),
        cmocka_unit_test(a_plan_can_ask_for_fewer_blocks),
        cmocka_unit_test(lines_with_a_hint_are_evicted_from_l2_first),
        cmocka_unit_test(among_lines_with_the_hint_the_oldest_is_evicted),
        cmocka_unit_test(a_hit_without_the_hint_keeps_a_line),
        cmocka_unit_test(miss_evict_neither_hits_nor_allocates),
        cmocka_unit_test(no_hit_keeps_a_line_that_is_streamed),
        cmocka_unit_test(a_hint_for_the_level_below_alone_hits_once),
        cmocka_unit_test(a_volatile_load_is_waited_for),
        cmocka_unit_test(a_store_that_hits_drops_the_line),
        cmocka_unit_test(a_line_in_flight_is_of_no_use_after_a_store),
        cmocka_unit_test(a_line_that_is_written_through_stays),
        cmocka_unit_test(a_first_level_that_allocates_keeps_what_is_written_whole),
        cmocka_unit_test(l2_keeps_stores_until_their_line_is_evicted),
        cmocka_unit_test(a_store_of_a_part_brings_the_rest_where_the_machine_says_so),
        cmocka_unit_test(local_memory_lies_word_by_word_of_a_warp),
        cmocka_unit_test(only_missing_sectors_are_fetched),
        cmocka_unit_test(sectors_in_flight_are_not_fetched_twice),
        cmocka_unit_test(a_miss_brings_as_much_as_the_level_fills),
        cmocka_unit_test(lines_may_be_longer_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
