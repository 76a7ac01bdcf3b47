/* SPDX-License-Identifier: MIT */
/* The paper's two micro-benchmarks (section 5), run through the model of the machine that it measures: what they find
 * must be what the machine file says. Nothing is asked of the model but hits, misses and steps. */
#include <stdlib.h>

#include "microbenchmarks.h"
#include "model/core.h"
#include "model/model.h"

/* ---- sets and ways ---- */

/* Misses of each launch of set_mapping: the one without a probe, then those with one. */
static size_t set_mapping(uint32_t lines, uint64_t stride, uint32_t probes, uint64_t first, uint64_t *misses,
                          uint64_t *loads)
{
    sl_machine machine = gtx470(NULL, 0);
    sl_trace *trace = record_set_mapping(lines, stride, probes, first);
    size_t launches = sl_trace_launches(trace);
    for (uint32_t n = 0; n < launches; n++) {
        sl_loaded *loaded;
        sl_model_result result;
        sl_error error;
        assert_int_equal(sl_loaded_create(trace, n, NULL, &loaded, &error), SL_OK);
        assert_int_equal(
            sl_model_loaded(&machine, loaded, &(sl_model_options){.seed = 1}, NULL, NULL, NULL, &result, &error),
            SL_OK);
        misses[n] = result.counts.total.value[SL_COUNTER_ld_sector_misses];
        *loads = result.counts.total.value[SL_COUNTER_ld_sectors];
        sl_model_result_fini(&result);
        sl_loaded_destroy(loaded);
    }
    sl_trace_close(trace);
    return launches;
}

/* Both walks in percent of all loads, which must be 50 or 100. */
static int miss_rate(uint32_t lines, uint64_t stride)
{
    uint64_t misses, loads;
    assert_int_equal(set_mapping(lines, stride, 0, 0, &misses, &loads), 1);
    assert_int_equal(loads, 2 * lines);
    assert_int_equal(misses * 100 % loads, 0);
    return (int)(misses * 100 / loads);
}

static bool fits(uint32_t lines, uint64_t stride)
{
    return miss_rate(lines, stride) == 50;
}

static void ways_and_sets_are_what_fits(void **state)
{
    (void)state;
    finds_ways_and_sets(fits);
}

/* Whether line `offset` shares the set of the four lines that fill it: they miss the second time if it does. */
static bool shares_the_set(uint64_t offset)
{
    uint64_t misses[2], loads;
    assert_int_equal(set_mapping(4, 1 << 20, 1, offset, misses, &loads), 2);
    assert_int_equal(misses[0], 4);
    assert_true(misses[1] == 5 || misses[1] == 9);
    return misses[1] == 9;
}

static void the_hash_is_found_bit_by_bit(void **state)
{
    (void)state;
    finds_the_hash(shares_the_set);
}

/* Figure 7: a row per stride, of 4 to 128 loads. All rates are 50 or 100 percent, and how many are 50, less one, is the
 * number of set bits that the lines vary. With 2^12 and 128 loads bits 12 to 18 vary, of which 13, 14, 15
 * and 17 are used. */
static void strides_vary_as_many_set_bits_as_figure_7_says(void **state)
{
    (void)state;
    const struct {
        unsigned log2_stride;
        int set_bits;
    } row[] = {{7, 5}, {8, 5}, {9, 5}, {10, 5}, {11, 5}, {12, 4}, {13, 5}, {14, 4}, {15, 3}, {16, 2}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int fitting = 0;
        for (uint32_t lines = 4; lines <= 128; lines *= 2) {
            int rate = miss_rate(lines, UINT64_C(1) << row[i].log2_stride);
            assert_true(rate == 50 || rate == 100);
            fitting += rate == 50;
        }
        assert_int_equal(fitting - 1, row[i].set_bits);
    }
}

/* ---- MSHRs ---- */

static uint64_t steps_of(const sl_machine *machine, const sl_trace *trace, uint32_t launch)
{
    sl_loaded *loaded;
    sl_walk_plan *plan;
    sl_error error;
    assert_int_equal(sl_loaded_create(trace, launch, NULL, &loaded, &error), SL_OK);
    const sl_trace_kernel *kernel = sl_loaded_kernel(loaded);
    assert_int_equal(sl_walk_plan_create(kernel, NULL, &plan, &error), SL_OK);
    sl_core_result result = {.slot = calloc(kernel->mem_slots, sizeof *result.slot)};
    assert_non_null(result.slot);
    sl_core_config config = {
        .loaded = loaded, .plan = plan, .machine = machine, .l1 = &machine->level[0], .resident_blocks = 1};
    assert_int_equal(sl_core_run(&config, &(uint32_t){0}, 1, &result, &error), SL_OK);
    free(result.slot);
    sl_walk_plan_destroy(plan);
    sl_loaded_destroy(loaded);
    return result.steps;
}

/* The most loads of each warp that take about as long as one. Loads must not be waited for before their use, as on a
 * GPU; the machine of the paper's model waits at the load. A request takes a step, so the latency is that of a GPU. */
static uint32_t loads_at_once(uint32_t warps)
{
    static const char *const settings[] = {"core.stall_on_use=1", "memory.latency_cycles=1000",
                                           "memory.latency_sigma=0"};
    sl_machine machine = gtx470(settings, 3);
    sl_trace *trace = record_mshr_count(warps);
    uint64_t one = steps_of(&machine, trace, 1);
    uint32_t loads = 1;
    while (loads < 8 && steps_of(&machine, trace, loads + 1) < one + machine.memory.latency_cycles / 2)
        loads++;
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
        cmocka_unit_test(strides_vary_as_many_set_bits_as_figure_7_says),
        cmocka_unit_test(mshrs_are_found_by_the_load_that_has_to_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
