/* SPDX-License-Identifier: MIT */
/* Sums that hold for every launch of real programs; the same result for the same input; and hits as the model of reuse
 * distances has them. */
#include "conserves.h"
#include "machine/vary.h"
#include "model/model.h"
#include "recorded.h"

static sl_machine machine_with(const char *name, const char *l1, const char *l2)
{
    sl_machine m;
    sl_error error;
    if (sl_machine_load(name, &m, &error) != SL_OK || (l1 && sl_level_set_policies(&m, 0, l1, &error) != SL_OK) ||
        (l2 && sl_level_set_policies(&m, 1, l2, &error) != SL_OK))
        fail_msg("%s", error.text);
    return m;
}

/* Runs all launches; returns the sum of cycles, and of hits and sectors of loads. */
static uint64_t simulate(const sl_machine *m, const sl_trace *trace, uint64_t seed, uint64_t *hits, uint64_t *sectors)
{
    sl_sim *sim;
    sl_error error;
    uint64_t cycles = 0;
    *hits = *sectors = 0;
    if (sl_sim_create_with(m, &(sl_sim_options){.seed = seed}, &sim, &error) != SL_OK)
        fail_msg("%s", error.text);
    for (uint32_t n = 0; n < sl_trace_launches(trace); n++) {
        sl_loaded *loaded;
        sl_sim_result r;
        assert_int_equal(sl_loaded_create(trace, n, NULL, &loaded, &error), SL_OK);
        if (sl_sim_launch(sim, loaded, NULL, &r, &error) != SL_OK)
            fail_msg("%s", error.text);
        const char *wrong = wrong_sum(m, &r);
        if (wrong)
            fail_msg("%s, %s+%s, launch %u: %s", m->name, m->level[0].replacement, m->level[0].bypass, n, wrong);
        cycles += r.cycles;
        *hits += r.counts.total.value[SL_COUNTER_ld_sector_hits];
        *sectors += r.counts.total.value[SL_COUNTER_ld_sectors];
        sl_sim_result_fini(&r);
        sl_loaded_destroy(loaded);
    }
    sl_sim_destroy(sim);
    return cycles;
}

/* Loads alone, shared memory and barriers, atomics, gathers, local memory, loads that move before branches. */
static const char *const workloads[] = {"vecadd", "matmul_tiled", "histogram", "spmv", "bfs", "nw", "sssp"};
enum { WORKLOADS = sizeof workloads / sizeof *workloads };

/* With the sanitizers, which take ten times as long, a third of the pairs: each of both sides has its turn. */
static bool has_its_turn(size_t one, size_t other)
{
#ifdef __SANITIZE_ADDRESS__
    return (one + other) % 3 == 0;
#else
    (void)one, (void)other;
    return true;
#endif
}

static void requests_come_back_on_every_machine(void **state)
{
    (void)state;
    static const char *const machines[] = {"fermi-gtx480", "v100", "h200", "gcn-apu", "rx6900xt"};
    for (int w = 0; w < WORKLOADS; w++) {
        sl_trace *narrow = record(workloads[w], 32, NULL, 0), *wide = record(workloads[w], 64, NULL, 0);
        for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
            sl_machine m = machine_with(machines[i], NULL, NULL);
            uint64_t hits, sectors;
            if (has_its_turn((size_t)w, i))
                simulate(&m, m.lanes == 64 ? wide : narrow, 1, &hits, &sectors);
        }
        sl_trace_close(narrow);
        sl_trace_close(wide);
    }
}

static void requests_come_back_with_every_policy(void **state)
{
    (void)state;
    static const struct {
        const char *l1, *l2;
    } policies[] = {{"all", NULL},  {"decoupled", NULL},          {"pc", "drrip"}, {"mrpb+srrip", "all"},
                    {"pdp", "pc"},  {"counter", "counter"},       {"sdbp", NULL},  {"ship", "brrip"},
                    {"plru", NULL}, {"decoupled+random", "plru"}, {"lfu", "fifo"}};
    for (int w = 0; w < WORKLOADS; w++) {
        sl_trace *trace = record(workloads[w], 32, NULL, 0);
        for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
            uint64_t hits, sectors;
            sl_machine m = machine_with("fermi-gtx480", policies[i].l1, policies[i].l2);
            if (has_its_turn((size_t)w, i))
                simulate(&m, trace, 1, &hits, &sectors);
        }
        sl_trace_close(trace);
    }
}

static void seeds_matter_only_to_what_is_random(void **state)
{
    (void)state;
    sl_trace *trace = record("spmv", 32, NULL, 0);
    sl_machine lru = machine_with("fermi-gtx480", NULL, NULL), random = machine_with("fermi-gtx480", "random", NULL);
    uint64_t hits[3], sectors, once = simulate(&lru, trace, 1, &hits[0], &sectors);
    assert_int_equal(simulate(&lru, trace, 1, &hits[1], &sectors), once);
    assert_int_equal(simulate(&lru, trace, 2, &hits[1], &sectors), once);
    assert_int_equal(hits[0], hits[1]);
    once = simulate(&random, trace, 1, &hits[0], &sectors);
    assert_int_equal(simulate(&random, trace, 1, &hits[1], &sectors), once);
    assert_int_equal(hits[0], hits[1]);
    simulate(&random, trace, 2, &hits[2], &sectors);
    assert_int_not_equal(hits[0], hits[2]);
    sl_trace_close(trace);
}

static void modelled(const sl_machine *m, const sl_trace *trace, uint64_t *hits, uint64_t *sectors)
{
    *hits = *sectors = 0;
    for (uint32_t n = 0; n < sl_trace_launches(trace); n++) {
        sl_loaded *loaded;
        sl_model_result r;
        sl_error error;
        assert_int_equal(sl_loaded_create(trace, n, NULL, &loaded, &error), SL_OK);
        assert_int_equal(sl_model_loaded(m, loaded, &(sl_model_options){.seed = 1}, NULL, NULL, NULL, &r, &error),
                         SL_OK);
        *hits += r.counts.total.value[SL_COUNTER_ld_sector_hits];
        *sectors += r.counts.total.value[SL_COUNTER_ld_sectors];
        sl_model_result_fini(&r);
        sl_loaded_destroy(loaded);
    }
}

/* Both see the same sectors; who hits differs by the order of warps. */
static void hit_rates_are_near_those_of_the_model(void **state)
{
    (void)state;
    static const char *const machines[] = {"fermi-gtx480", "h200"};
    static const char *const names[] = {"matmul", "spmv", "bfs", "stencil", "lud", "hotspot"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sl_trace *trace = record(names[i], 32, NULL, 0);
        for (int k = 0; k < 2; k++) {
            sl_machine m = machine_with(machines[k], NULL, NULL);
            m.level[0].keep = 0; /* as in the model */
            uint64_t hits, sectors, model_hits, model_sectors;
            if (!has_its_turn(i, (size_t)k))
                continue;
            simulate(&m, trace, 1, &hits, &sectors);
            modelled(&m, trace, &model_hits, &model_sectors);
            assert_int_equal(sectors, model_sectors);
            double points = 100.0 * ((double)hits - (double)model_hits) / (double)sectors;
            if (points > 3 || points < -3)
                fail_msg("%s on %s: %+.2f points", names[i], machines[k], points);
        }
        sl_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_come_back_on_every_machine),
        cmocka_unit_test(requests_come_back_with_every_policy),
        cmocka_unit_test(seeds_matter_only_to_what_is_random),
        cmocka_unit_test(hit_rates_are_near_those_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
