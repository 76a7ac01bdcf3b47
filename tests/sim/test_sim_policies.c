/* SPDX-License-Identifier: MIT */
/* What policies are asked and notified of by the simulator, in which order, and what it does when they or the machine
 * are not what they should be. */
#include "machine/vary.h"
#include "policy/policy.h"
#include "sim/bank.h"
#include "simulated.h"

/* ---- a policy of L2 that writes down what it is notified of ---- */

typedef struct diary {
    char text[4096];
    sl_admission admission, on_stall;
    uint32_t victim, given_up;
    uint32_t flags;
} diary;

static void note(diary *d, const char *what, uint64_t number)
{
    size_t used = strlen(d->text);
    snprintf(d->text + used, sizeof d->text - used, "%s%s %llu", used ? ", " : "", what, (unsigned long long)number);
}

static sl_status mock_init(void *self, const sl_cache_geometry *shape, const uint64_t *value, sl_arena *arena,
                           sl_error *error)
{
    (void)self, (void)shape, (void)value, (void)arena, (void)error;
    return SL_OK;
}
static uint32_t mock_victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    (void)evictable;
    note(self, "victim for", access->line);
    return ((diary *)self)->victim;
}
static sl_admission mock_admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    (void)choices;
    note(self, "admit", access->line);
    return ((diary *)self)->admission;
}
static uint32_t mock_give_up(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    (void)evictable;
    note(self, "give up for", access->line);
    return ((diary *)self)->given_up;
}
static void mock_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    (void)way;
    note(self, access->pending ? "pending hit" : "hit", access->line);
}
static void mock_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    (void)way;
    note(self, "fill", access->line);
}
static void mock_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    (void)set;
    note(self, reused ? "evict used way" : "evict way", way);
}
static sl_admission mock_stall(void *self, const sl_cache_access *access, sl_stall reason)
{
    (void)access;
    note(self, "stall", reason);
    return ((diary *)self)->on_stall;
}

static const sl_policy_ops mock = {
    .name = "diary",
    .init = mock_init,
    .victim = mock_victim,
    .admit = mock_admit,
    .evict_on_bypass = mock_give_up,
    .on_hit = mock_hit,
    .on_fill = mock_fill,
    .on_evict = mock_evict,
    .on_stall = mock_stall,
};

/* ---- running ---- */

typedef struct watched {
    written trace;
    sl_sim *sim;
    sl_sim_result result;
    sl_error error;
    diary diary;
} watched;

/* L2 with a set of two ways, whose policy is the mock. */
static sl_machine one_set(void)
{
    sl_machine m = tiny();
    m.level[1].size_bytes = 256;
    m.level[1].ways = 2;
    m.level[1].sets = 0;
    return m;
}

static void start(watched *w, sl_machine *m, const sl_policy_ops *ops, uint32_t warps, const warp_acts *acts)
{
    if (sl_machine_check(m, &w->error) != SL_OK)
        fail_msg("%s", w->error.text);
    write_launch(&w->trace, 1, warps, acts);
    if (sl_sim_create_with(m, &(sl_sim_options){.seed = 1}, &w->sim, &w->error) != SL_OK)
        fail_msg("%s", w->error.text);
    if (ops) {
        sl_bank *bank = &w->sim->bank[1][0];
        bank->replacement.ops = ops;
        bank->replacement.self = &w->diary;
        bank->bypass_policy = sl_policy_bypasses(ops) ? &bank->replacement : NULL;
    }
}

static void stop(watched *w)
{
    sl_sim_result_fini(&w->result);
    sl_sim_destroy(w->sim);
    drop_launch(&w->trace);
}

static sl_status run(watched *w)
{
    return sl_sim_launch(w->sim, w->trace.loaded, NULL, &w->result, &w->error);
}

/* Runs warps with the mock, and compares what it wrote. */
static void is_notified_of(watched *w, uint32_t warps, const warp_acts *acts, const char *text)
{
    sl_machine m = one_set();
    m.level[1].mshrs = 1;
    start(w, &m, &mock, warps, acts);
    if (run(w) != SL_OK)
        fail_msg("%s", w->error.text);
    assert_string_equal(w->diary.text, text);
}

/* ---- the order of calls ---- */

static void a_miss_is_admitted_and_fills_and_a_hit_is_told(void **state)
{
    (void)state;
    watched w = {0};
    const warp_acts acts = WARP(at(LOAD_CG, 0), do_(USE), at(LOAD_CG, 128), do_(USE), at(LOAD_CG, 0), do_(USE));
    is_notified_of(&w, 1, &acts, "admit 0, fill 0, admit 1, fill 1, hit 0");
    stop(&w);
}

static void a_hit_on_a_line_that_is_on_its_way_is_told_as_late(void **state)
{
    (void)state;
    watched w = {0};
    const warp_acts acts[] = {WARP(at(LOAD_CG, 0), do_(USE), at(LOAD_CG, 0), do_(USE)), WARP(at(LOAD_CG, 0), do_(USE))};
    is_notified_of(&w, 2, acts, "admit 0, fill 0, pending hit 0, hit 0");
    stop(&w);
}

static void a_full_set_is_asked_for_a_victim_that_is_evicted_first(void **state)
{
    (void)state;
    watched w = {.diary = {.victim = 1}};
    const warp_acts acts = WARP(at(LOAD_CG, 0), do_(USE), at(LOAD_CG, 128), do_(USE), at(LOAD_CG, 128), do_(USE),
                                at(LOAD_CG, 256), do_(USE));
    is_notified_of(&w, 1, &acts,
                   "admit 0, fill 0, admit 1, fill 1, hit 1, admit 2, victim for 2, evict used way 1, fill 2");
    stop(&w);
}

/* One MSHR: the second load is admitted, told once that it has to wait, and not admitted again. */
static void a_load_that_waits_is_admitted_once_and_told_once(void **state)
{
    (void)state;
    watched w = {0};
    const warp_acts acts[] = {WARP(at(LOAD_CG, 0)), WARP(at(LOAD_CG, 128))};
    is_notified_of(&w, 2, acts, "admit 0, fill 0, admit 1, stall 1, fill 1");
    assert_int_equal(w.result.level[1].stall_cycles[SL_STALL_MSHR], 78);
    stop(&w);
}

static void a_load_that_would_stall_may_bypass(void **state)
{
    (void)state;
    watched w = {.diary = {.on_stall = SL_BYPASS, .given_up = SL_NO_WAY}};
    const warp_acts acts[] = {WARP(at(LOAD_CG, 0)), WARP(at(LOAD_CG, 128))};
    is_notified_of(&w, 2, acts, "admit 0, fill 0, admit 1, stall 1");
    assert_int_equal(w.result.level[1].stall_cycles[SL_STALL_MSHR], 0);
    assert_int_equal(w.result.level[1].bypasses, 1);
    stop(&w);
}

/* Nothing is in the set that could be given up; with stores there is. */
static void a_load_that_bypasses_may_evict_a_line(void **state)
{
    (void)state;
    watched w = {.diary = {.admission = SL_BYPASS, .given_up = 0}};
    const warp_acts acts = WARP(at(LOAD_CG, 0), do_(USE), at(STORE, 128), at(LOAD_CG, 256), do_(USE));
    is_notified_of(&w, 1, &acts, "admit 0, fill 1, admit 2, give up for 2, evict way 0");
    assert_int_equal(w.result.level[1].bypasses, 2);
    assert_int_equal(w.result.level[1].writebacks, 1);
    assert_int_equal(w.result.dram_written_sectors, 1);
    stop(&w);
}

/* Stores fill and hit, too, but are never turned away. */
static void stores_and_atomics_are_not_put_to_admit(void **state)
{
    (void)state;
    watched w = {.diary = {.admission = SL_BYPASS, .given_up = SL_NO_WAY}};
    const warp_acts acts = WARP(at(STORE, 0), do_(FENCE), at(ATOMIC, 0), do_(USE), at(ATOMIC, 128), do_(USE));
    is_notified_of(&w, 1, &acts, "fill 0, hit 0, fill 1");
    stop(&w);
}

/* ---- a policy that is broken ---- */

static void a_way_that_was_not_offered_is_caught_by_name(void **state)
{
    (void)state;
    sl_policy_ops bad = mock;
    bad.admit = NULL;
    bad.on_stall = NULL;
    watched w = {.diary = {.victim = 7}};
    sl_machine m = one_set();
    const warp_acts acts = WARP(at(LOAD_CG, 0), do_(USE), at(LOAD_CG, 128), do_(USE), at(LOAD_CG, 256), do_(USE));
    start(&w, &m, &bad, 1, &acts);
    assert_int_not_equal(run(&w), SL_OK);
    assert_non_null(strstr(w.error.text, "diary"));
    stop(&w);
    watched other = {.diary = {.admission = SL_BYPASS, .given_up = 3}};
    const warp_acts bypass = WARP(at(STORE, 0), do_(FENCE), at(LOAD_CG, 128), do_(USE));
    start(&other, &m, &mock, 1, &bypass);
    assert_int_not_equal(run(&other), SL_OK);
    assert_non_null(strstr(other.error.text, "diary"));
    stop(&other);
}

/* ---- the bit of wrong bypasses ---- */

static uint64_t told;
static void tell_wrong(void *to, const char *name, uint64_t value)
{
    (void)to;
    if (!strcmp(name, "wrong_bypasses"))
        told += value;
}

/* pc with counters that start at the threshold bypasses all. The second load of a line finds it in L2, brought by
 * one that went past: that is said, and the counter goes below the threshold: the third load is admitted. The fourth
 * hits. */
static void l2_says_which_bypasses_were_wrong(void **state)
{
    (void)state;
    sl_machine m = tiny();
    watched w = {0};
    snprintf(m.level[0].bypass, sizeof m.level[0].bypass, "pc(threshold=1, start=1, sample=0, leaders=0)");
    const warp_acts acts =
        WARP(at(LOAD, 0), do_(USE), at(LOAD, 0), do_(USE), at(LOAD, 0), do_(USE), at(LOAD, 0), do_(USE));
    start(&w, &m, NULL, 1, &acts);
    assert_int_equal(run(&w), SL_OK);
    assert_int_equal(w.result.level[0].bypasses, 2);
    assert_int_equal(w.result.level[0].misses, 1);
    assert_int_equal(w.result.level[0].hits, 1);
    told = 0;
    sl_sim_policy_report(w.sim, 0, true, &(sl_policy_statistics){tell_wrong, NULL});
    assert_int_equal(told, 2); /* the third load, which is admitted, still finds the line of the second */
    stop(&w);
}

/* The first launch fills a line that was used once: that is dead when L1 is emptied, and its load bypasses in the
 * second launch. Decoupled L1D begins again: without a tag the load bypasses each time. */
static void what_pc_learns_outlives_the_launch(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        uint64_t first, second;
    } cases[] = {{"pc(threshold=1, sample=0, leaders=0)", 0, 1},
                 {"pc(threshold=2, sample=0, leaders=0)", 0, 0},
                 {"decoupled(dueling=off)", 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sl_machine m = tiny();
        watched w = {0};
        snprintf(m.level[0].bypass, sizeof m.level[0].bypass, "%s", cases[i].policy);
        const warp_acts acts = WARP(at(LOAD, 0), do_(USE));
        start(&w, &m, NULL, 1, &acts);
        assert_int_equal(run(&w), SL_OK);
        assert_int_equal(w.result.level[0].bypasses, cases[i].first);
        sl_sim_result_fini(&w.result);
        assert_int_equal(run(&w), SL_OK);
        assert_int_equal(w.result.level[0].bypasses, cases[i].second);
        assert_int_equal(w.result.level[0].hits, 0);
        stop(&w);
    }
}

/* ---- policies of the first level ---- */

static void mrpb_bypasses_instead_of_stalling(void **state)
{
    (void)state;
    sl_machine m = tiny();
    snprintf(m.level[0].bypass, sizeof m.level[0].bypass, "mrpb");
    const warp_acts acts[] = {WARP(at(LOAD, 0)), WARP(at(LOAD, 256)), WARP(at(LOAD, 512))};
    sl_sim_result r = run_plan(&m, NULL, 1, 3, acts);
    assert_int_equal(r.level[0].bypasses, 1);
    assert_int_equal(r.level[0].misses, 2);
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_WAY], 0);
    snprintf(m.level[0].bypass, sizeof m.level[0].bypass, "mrpb(bypass=off)");
    r = run_plan(&m, NULL, 1, 3, acts);
    assert_int_equal(r.level[0].bypasses, 0);
    assert_int_equal(r.level[0].stall_cycles[SL_STALL_WAY], 98);
}

/* Warps 0 and 2 share a queue: what warp 2 asks for goes before what warp 1 has asked for earlier, while warp 0's four
 * lines are in flight to L1. L2 is notified of them in that order. */
static void queues_are_emptied_one_after_the_other(void **state)
{
    (void)state;
    sl_policy_ops listens = {.name = "diary", .init = mock_init, .victim = mock_victim, .on_fill = mock_fill};
    const warp_acts acts[] = {WARP(lanes(LOAD, 0, 128, 0xf)), WARP(at(LOAD, 4 * 128)), WARP(at(LOAD, 5 * 128))};
    for (int queues = 1; queues <= 2; queues++) {
        watched w = {0};
        sl_machine m = tiny();
        m.level[0].size_bytes = 64 * 128;
        m.level[0].ways = 64;
        m.level[0].sets = 0;
        m.level[1].size_bytes = 64 * 128;
        m.level[1].ways = 64;
        m.level[1].sets = 0;
        snprintf(m.level[0].bypass, sizeof m.level[0].bypass, "mrpb(queues=%d)", queues);
        start(&w, &m, &listens, 3, acts);
        assert_int_equal(run(&w), SL_OK);
        assert_string_equal(w.diary.text, queues == 1 ? "fill 0, fill 1, fill 2, fill 3, fill 4, fill 5"
                                                      : "fill 0, fill 1, fill 2, fill 3, fill 5, fill 4");
        stop(&w);
    }
}

static void any_replacement_goes_with_any_bypass(void **state)
{
    (void)state;
    for (size_t i = 0; i < sl_policy_count(); i++) {
        const sl_policy_ops *replaces = sl_policy_at(i);
        for (size_t j = 0; sl_policy_replaces(replaces) && j < sl_policy_count(); j++) {
            const sl_policy_ops *bypasses = sl_policy_at(j);
            if (!sl_policy_bypasses(bypasses) || bypasses->needs_counts || replaces->needs_counts || i == j)
                continue;
            sl_machine m = tiny();
            snprintf(m.level[0].replacement, sizeof m.level[0].replacement, "%s", replaces->name);
            snprintf(m.level[0].bypass, sizeof m.level[0].bypass, "%s", bypasses->name);
            const warp_acts acts = WARP(strided(LOAD, 0, 64), do_(USE), strided(LOAD, 0, 128), do_(USE), at(STORE, 0),
                                        strided(LOAD, 0, 64), do_(USE));
            sl_sim_result r = run_plan(&m, NULL, 1, 2, (const warp_acts[]){acts, acts});
            const sl_sim_level_result *l1 = &r.level[0];
            assert_int_equal(l1->accesses, l1->hits + l1->pending + l1->misses + l1->bypasses + 2);
        }
    }
}

/* ---- no progress ---- */

static void a_simulation_without_progress_says_what_waits(void **state)
{
    (void)state;
    watched w = {0};
    sl_machine m = tiny();
    m.level[0].mshrs = 1;
    const warp_acts acts[] = {WARP(at(LOAD, 0), do_(USE)), WARP(at(LOAD, 128)), WARP(do_(BARRIER))};
    start(&w, &m, NULL, 3, acts);
    w.sim->whole.memory.queue = 0; /* no such machine is made by the loader */
    assert_int_equal(run(&w), SL_FAULT);
    assert_non_null(strstr(w.error.text, "no progress"));
    const char *text = sl_sim_state_text(w.sim);
    assert_non_null(text);
    assert_non_null(strstr(text, "core 0, warp 0: waits for memory"));
    assert_non_null(strstr(text, "core 0, warp 2: waits at a barrier"));
    assert_non_null(strstr(text, "core 0: 1 memory instructions wait before L1: no MSHR is free"));
    assert_non_null(strstr(text, "L1 bank 0"));
    assert_non_null(strstr(text, "L2 bank 0: 0 requests in, 1 to the next level"));
    assert_non_null(strstr(text, "line 0: sectors"));
    assert_null(strstr(text, "18446744073709551615"));
    stop(&w);
}

static void a_limit_of_cycles_is_kept(void **state)
{
    (void)state;
    watched w = {0};
    sl_machine m = tiny();
    const warp_acts acts = WARP(at(LOAD, 0), do_(USE));
    start(&w, &m, NULL, 1, &acts);
    w.sim->options.max_cycles = 50;
    assert_int_equal(run(&w), SL_LIMIT);
    w.sim->options.max_cycles = 0;
    w.error = (sl_error){0};
    assert_int_equal(run(&w), SL_INVALID); /* what it had in flight is still there */
    stop(&w);
}

/* ---- levels between launches ---- */

static void l1_is_empty_at_each_launch_and_l2_is_not(void **state)
{
    (void)state;
    for (int cold = 0; cold < 2; cold++) {
        watched w = {0};
        sl_machine m = tiny();
        const warp_acts acts = WARP(at(LOAD, 0), do_(USE));
        start(&w, &m, NULL, 1, &acts);
        w.sim->options.cold = cold;
        assert_int_equal(run(&w), SL_OK);
        sl_sim_result_fini(&w.result);
        assert_int_equal(run(&w), SL_OK);
        assert_int_equal(w.result.level[0].misses, 1);
        assert_int_equal(w.result.level[1].hits, !cold);
        assert_int_equal(w.result.cycles, cold ? 106 : 46);
        stop(&w);
    }
}

static void l1_keeps_its_lines_between_launches_where_the_machine_says_so(void **state)
{
    (void)state;
    watched w = {0};
    sl_machine m = tiny();
    m.level[0].keep = 1;
    const warp_acts acts = WARP(at(LOAD, 0), do_(USE));
    start(&w, &m, NULL, 1, &acts);
    assert_int_equal(run(&w), SL_OK);
    sl_sim_result_fini(&w.result);
    assert_int_equal(run(&w), SL_OK);
    assert_int_equal(w.result.level[0].hits, 1);
    assert_int_equal(w.result.cycles, 1 + 4 + 1);
    w.sim->options.cold = true;
    sl_sim_result_fini(&w.result);
    assert_int_equal(run(&w), SL_OK);
    assert_int_equal(w.result.level[0].hits, 0);
    stop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_is_admitted_and_fills_and_a_hit_is_told),
        cmocka_unit_test(a_hit_on_a_line_that_is_on_its_way_is_told_as_late),
        cmocka_unit_test(a_full_set_is_asked_for_a_victim_that_is_evicted_first),
        cmocka_unit_test(a_load_that_waits_is_admitted_once_and_told_once),
        cmocka_unit_test(a_load_that_would_stall_may_bypass),
        cmocka_unit_test(a_load_that_bypasses_may_evict_a_line),
        cmocka_unit_test(stores_and_atomics_are_not_put_to_admit),
        cmocka_unit_test(a_way_that_was_not_offered_is_caught_by_name),
        cmocka_unit_test(l2_says_which_bypasses_were_wrong),
        cmocka_unit_test(what_pc_learns_outlives_the_launch),
        cmocka_unit_test(mrpb_bypasses_instead_of_stalling),
        cmocka_unit_test(queues_are_emptied_one_after_the_other),
        cmocka_unit_test(any_replacement_goes_with_any_bypass),
        cmocka_unit_test(a_simulation_without_progress_says_what_waits),
        cmocka_unit_test(a_limit_of_cycles_is_kept),
        cmocka_unit_test(l1_is_empty_at_each_launch_and_l2_is_not),
        cmocka_unit_test(l1_keeps_its_lines_between_launches_where_the_machine_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
