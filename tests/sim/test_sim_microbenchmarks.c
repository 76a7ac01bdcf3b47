/* The reuse-distance paper's two micro-benchmarks (section 5), run through the simulator: what they find must be what
 * the machine file says, as for the model (tests/model/test_microbenchmarks.c). Nothing is asked of the simulator but
 * misses and cycles. */
#include <stdio.h>

#include "recorded.h"
#include "sim/sim.h"

static sl_machine gtx470(const char *const *settings, size_t count)
{
    sl_machine machine;
    sl_error error;
    assert_int_equal(sl_machine_load_with("fermi-gtx470", settings, count, &machine, &error), SL_OK);
    return machine;
}

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
    char text[5][48];
    const char *set[5] = {text[0], text[1], text[2], text[3], text[4]};
    sl_sim *sim;
    sl_error error;
    snprintf(text[0], sizeof text[0], "lines=%u", lines);
    snprintf(text[1], sizeof text[1], "stride=%llu", (unsigned long long)stride);
    snprintf(text[2], sizeof text[2], "warps=1");
    snprintf(text[3], sizeof text[3], "probes=%d", probe);
    snprintf(text[4], sizeof text[4], "first=%llu", (unsigned long long)(probe ? first : 1u << 22));
    sl_trace *trace = record("set_mapping", 32, set, 5);
    assert_int_equal(sl_sim_create(&machine, &(sl_sim_options){.seed = 1}, &sim, &error), SL_OK);
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
    uint32_t ways = 1, lines = 1;
    while (fits(ways + 1, 1 << 20))
        ways++;
    assert_int_equal(ways, 4);
    while (fits(2 * lines, 128))
        lines *= 2;
    assert_int_equal(lines, 128);
    assert_int_equal(lines / ways, 32);
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
    const unsigned lower[] = {7, 8, 9, 10, 11}, upper[] = {13, 14, 15, 17, 19};
    for (unsigned bit = 7; bit < 20; bit++)
        assert_int_equal(shares_the_set(UINT64_C(1) << bit), bit == 12 || bit == 16 || bit == 18);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            assert_int_equal(shares_the_set(UINT64_C(1) << lower[i] | UINT64_C(1) << upper[j]), i == j);
}

/* ---- MSHRs ---- */

/* The most loads of each warp that take about as long as one: the next one has to wait for a latency. Memory is made
 * slow and wide, so that nothing else takes time. */
static uint32_t loads_at_once(uint32_t warps)
{
    static const char *const settings[] = {"cores=1", "memory.latency_cycles=5000", "memory.latency_sigma=0",
                                           "memory.bytes_per_cycle=4096", "core.registers=0"};
    sl_machine machine = gtx470(settings, 5);
    char text[48];
    const char *set[] = {text, "least=1", "most=8", "stride=4096"};
    sl_sim *sim;
    sl_error error;
    snprintf(text, sizeof text, "warps=%u", warps);
    sl_trace *trace = record("mshr_count", 32, set, 4);
    assert_int_equal(sl_trace_launches(trace), 9); /* the first warms up */
    assert_int_equal(sl_sim_create(&machine, &(sl_sim_options){.seed = 1, .cold = true}, &sim, &error), SL_OK);
    uint64_t one = simulate(sim, trace, 1).cycles;
    uint32_t loads = 1;
    while (loads < 8 && simulate(sim, trace, loads + 1).cycles < one + machine.memory.latency_cycles / 2)
        loads++;
    sl_sim_destroy(sim);
    sl_trace_close(trace);
    return loads;
}

/* Figure 9. */
static void mshrs_are_found_by_the_load_that_has_to_wait(void **state)
{
    (void)state;
    assert_int_equal(loads_at_once(1), 6);
    assert_int_equal(loads_at_once(10), 6);
    assert_int_equal(loads_at_once(11), 5);
    assert_int_equal(loads_at_once(12), 5);
    assert_int_equal(loads_at_once(13), 4);
    assert_int_equal(loads_at_once(16), 4); /* 16 * 4 = 64 */
    assert_int_equal(loads_at_once(17), 3);
    assert_int_equal(loads_at_once(32), 2); /* 32 * 2 = 64 */
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
