/* SPDX-License-Identifier: MIT */
/* Launches that follow one another: memory is used again, contents are not. */
#include "machine/machine.h"
#include "model/model.h"
#include "recorded.h"
#include "sim/sim.h"

enum { LAUNCHES = 6 };

static sl_machine machine_of(const char *name, const char *replacement)
{
    sl_machine m;
    sl_error error;
    assert_int_equal(sl_machine_load(name, &m, &error), SL_OK);
    if (replacement)
        snprintf(m.level[0].replacement, sizeof m.level[0].replacement, "%s", replacement);
    return m;
}

/* nw: waves of blocks that first use more cores from launch to launch, then fewer. The first and the last launches. */
static uint32_t launch_of(const sl_trace *trace, uint32_t n)
{
    return n < LAUNCHES / 2 ? n : sl_trace_launches(trace) - LAUNCHES + n;
}

static void assert_same_result(const sl_sim_result *a, const sl_sim_result *b)
{
    assert_int_equal(a->cycles, b->cycles);
    assert_memory_equal(a->scheduler_cycles, b->scheduler_cycles, sizeof a->scheduler_cycles);
    assert_memory_equal(a->level, b->level, sizeof a->level);
    assert_memory_equal(&a->counts.total, &b->counts.total, sizeof a->counts.total);
    assert_int_equal(a->counts.slots, b->counts.slots);
    assert_memory_equal(a->slots, b->slots, a->counts.slots * sizeof *a->slots);
}

static void assert_launches_independent(const sl_machine *m, const sl_trace *trace)
{
    const sl_sim_options options = {.seed = 1, .cold = true};
    sl_sim *all, *alone;
    sl_error error;
    assert_int_equal(sl_sim_create_with(m, &options, &all, &error), SL_OK);
    for (uint32_t n = 0; n < LAUNCHES; n++) {
        sl_loaded *loaded;
        sl_sim_result one, other;
        assert_int_equal(sl_loaded_create(trace, launch_of(trace, n), NULL, &loaded, &error), SL_OK);
        assert_int_equal(sl_sim_create_with(m, &options, &alone, &error), SL_OK);
        assert_int_equal(sl_sim_launch(all, loaded, NULL, &one, &error), SL_OK);
        assert_int_equal(sl_sim_launch(alone, loaded, NULL, &other, &error), SL_OK);
        assert_same_result(&one, &other);
        sl_sim_result_fini(&one);
        sl_sim_result_fini(&other);
        sl_sim_destroy(alone);
        sl_loaded_destroy(loaded);
    }
    sl_sim_destroy(all);
}

static void a_cold_launch_does_what_it_does_in_a_new_simulator(void **state)
{
    static const char *const gpus[] = {"h200", "fermi-gtx470", "rx6900xt"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        sl_machine m = machine_of(gpus[i], NULL);
        sl_trace *trace = record("nw", m.lanes, NULL, 0);
        assert_launches_independent(&m, trace);
        sl_trace_close(trace);
    }
}

static void so_it_does_where_a_policy_draws_random_numbers(void **state)
{
    (void)state;
    sl_machine m = machine_of("fermi-gtx480", "drrip");
    sl_trace *trace = record("nw", m.lanes, NULL, 0);
    assert_launches_independent(&m, trace);
    sl_trace_close(trace);
}

/* On a machine with few lines, launches find the sets full that those before have left. */
static void the_model_of_a_launch_does_not_depend_on_those_before(void **state)
{
    static const char *const replacements[] = {"lru", "srrip"};
    (void)state;
    sl_trace *trace = record("nw", 32, NULL, 0);
    for (int i = 0; i < 2; i++) {
        sl_machine m = machine_of("h200", NULL);
        sl_model_caches spare = {0};
        sl_error error;
        snprintf(m.level[1].replacement, sizeof m.level[1].replacement, "%s", replacements[i]);
        for (uint32_t n = 0; n < LAUNCHES; n++) {
            const sl_model_options options = {.seed = 1};
            sl_loaded *loaded;
            sl_model_result one, other;
            assert_int_equal(sl_loaded_create(trace, launch_of(trace, n), NULL, &loaded, &error), SL_OK);
            assert_int_equal(sl_model_loaded(&m, loaded, &options, &spare, NULL, NULL, &one, &error), SL_OK);
            assert_int_equal(sl_model_loaded(&m, loaded, &options, NULL, NULL, NULL, &other, &error), SL_OK);
            assert_memory_equal(&one.counts.total, &other.counts.total, sizeof one.counts.total);
            assert_memory_equal(one.slots, other.slots, one.counts.slots * sizeof *one.slots);
            sl_model_result_fini(&one);
            sl_model_result_fini(&other);
            sl_loaded_destroy(loaded);
        }
        sl_model_caches_fini(&spare);
    }
    sl_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cold_launch_does_what_it_does_in_a_new_simulator),
        cmocka_unit_test(so_it_does_where_a_policy_draws_random_numbers),
        cmocka_unit_test(the_model_of_a_launch_does_not_depend_on_those_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
