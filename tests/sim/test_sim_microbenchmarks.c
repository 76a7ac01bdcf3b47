/* SPDX-License-Identifier: MIT */
/* The reuse-distance paper's two micro-benchmarks (section 5), run through the simulator: what they find must be what
 * the machine file says, as for the model (tests/model/test_microbenchmarks.c). Nothing is asked of the simulator but
 * misses and cycles. */
#include "microbenchmarks.h"
#include "sim/sim.h"

static sl_sim_result simulate(sl_sim *sim, const sl_trace *trace, uint32_t launch)
{
    sl_loaded *loaded;
    sl_sim_result result;
    sl_error error;
    assert_int_equal(sl_loaded_create(trace, launch, NULL, &loaded, &error), SL_OK);
    if (sl_sim_launch(sim, loaded, NULL, &result, &error) != SL_OK)
        fail_msg("%s", error.text);
    sl_loaded_destroy(loaded);
    sl_sim_result kept = result;
    kept.slots = NULL;
    sl_sim_result_fini(&result);
    return kept;
}

/* ---- sets and ways ---- */

/* Misses of the last launch of set_mapping: without a probe the only one, else that with it. */
static uint64_t misses_of(uint32_t lines, uint64_t stride, bool probe, uint64_t first)
{
    sl_machine machine = gtx470(NULL, 0);
    sl_sim *sim;
    sl_error error;
    sl_trace *trace = record_set_mapping(lines, stride, probe, first);
    assert_int_equal(sl_sim_create_with(&machine, &(sl_sim_options){.seed = 1}, &sim, &error), SL_OK);
    uint64_t misses =
        simulate(sim, trace, sl_trace_launches(trace) - 1).counts.total.value[SL_COUNTER_ld_sector_misses];
    sl_sim_destroy(sim);
    sl_trace_close(trace);
    return misses;
}

/* All lines are loaded twice: half of the loads miss where they fit. */
static bool fits(uint32_t lines, uint64_t stride)
{
    uint64_t misses = misses_of(lines, stride, false, 0);
    assert_true(misses == lines || misses == 2 * lines);
    return misses == lines;
}

static void ways_and_sets_are_what_fits(void **state)
{
    (void)state;
    finds_ways_and_sets(fits);
}

/* Whether line `offset` shares the set of the four lines that fill it: they miss the second time if it does. */
static bool shares_the_set(uint64_t offset)
{
    uint64_t misses = misses_of(4, 1 << 20, true, offset);
    assert_true(misses == 5 || misses == 9);
    return misses == 9;
}

static void the_hash_is_found_bit_by_bit(void **state)
{
    (void)state;
    finds_the_hash(shares_the_set);
}

/* ---- MSHRs ---- */

/* The most loads of each warp that take about as long as one: the next one has to wait for a latency. Memory is made
 * slow and wide, so that nothing else takes time. */
static uint32_t loads_at_once(uint32_t warps)
{
    static const char *const settings[] = {"cores=1", "memory.latency_cycles=5000", "memory.latency_sigma=0",
                                           "memory.bytes_per_cycle=4096", "core.registers=0"};
    sl_machine machine = gtx470(settings, 5);
    sl_sim *sim;
    sl_error error;
    sl_trace *trace = record_mshr_count(warps);
    assert_int_equal(sl_sim_create_with(&machine, &(sl_sim_options){.seed = 1, .cold = true}, &sim, &error), SL_OK);
    uint64_t one = simulate(sim, trace, 1).cycles;
    uint32_t loads = 1;
    while (loads < 8 && simulate(sim, trace, loads + 1).cycles < one + machine.memory.latency_cycles / 2)
        loads++;
    sl_sim_destroy(sim);
    sl_trace_close(trace);
    return loads;
}

static void mshrs_are_found_by_the_load_that_has_to_wait(void **state)
{
    (void)state;
    finds_mshrs(loads_at_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_and_sets_are_what_fits),
        cmocka_unit_test(the_hash_is_found_bit_by_bit),
        cmocka_unit_test(mshrs_are_found_by_the_load_that_has_to_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
