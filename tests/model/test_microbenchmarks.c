/* The paper's two micro-benchmarks (section 5), run through the model of the machine that it measures: what they find
 * must be what the machine file says. Nothing is asked of the model but hits, misses and steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "model/core.h"
#include "model/model.h"
#include "support.h"
#include "trace/recorder.h"
#include "workloads/workload.h"

/* ---- running ---- */

typedef struct recorded {
    char path[64];
    sl_trace *trace;
} recorded;

static recorded record(const char *name, const char *const *set, size_t sets)
{
    recorded r = {.path = "/tmp/sluice-test-XXXXXX"};
    sl_recorder *recorder;
    sl_device *device;
    const sl_workload *workload;
    sl_error error;
    int file = mkstemp(r.path);
    assert_true(file >= 0);
    close(file);
    sl_recorder_config config = {.trace_path = r.path, .producer = "test", .zstd_level = 1};
    assert_int_equal(sl_recorder_create(&config, &recorder, &error), SL_OK);
    sl_emu_config emu = {.lanes = 32, .threads = 1, .sink = sl_recorder_sink(recorder)};
    sl_workload_options options = {.size = "small", .sets = sets, .set = set, .seed = 1, .skip_check = true};
    assert_int_equal(sl_workload_find(name, &workload, &error), SL_OK);
    assert_int_equal(sl_device_open("emu", &(sl_device_config){.emu = &emu}, &device, &error), SL_OK);
    if (sl_workload_run(workload, device, &options, NULL, &error) != SL_OK)
        fail_msg("%s", error.text);
    sl_device_close(device);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    assert_int_equal(sl_trace_open(r.path, &r.trace, NULL, &error), SL_OK);
    unlink(r.path);
    return r;
}

static sl_machine gtx470(const char *const *settings, size_t count)
{
    sl_machine machine;
    sl_error error;
    assert_int_equal(sl_machine_load_with("fermi-gtx470", settings, count, &machine, &error), SL_OK);
    return machine;
}

/* ---- sets and ways ---- */

/* Misses of each launch of set_mapping: the one without a probe, then those with one. */
static size_t set_mapping(uint32_t lines, uint64_t stride, uint32_t probes, uint64_t first, uint64_t *misses,
                          uint64_t *loads)
{
    sl_machine machine = gtx470(NULL, 0);
    char text[5][48];
    const char *set[5] = {text[0], text[1], text[2], text[3], text[4]};
    /* Memory that reaches beyond 2 MB begins at a multiple of that, so that strides and probes are bits. */
    snprintf(text[0], sizeof text[0], "lines=%u", lines);
    snprintf(text[1], sizeof text[1], "stride=%llu", (unsigned long long)stride);
    snprintf(text[2], sizeof text[2], "warps=1");
    snprintf(text[3], sizeof text[3], "probes=%u", probes);
    snprintf(text[4], sizeof text[4], "first=%llu", (unsigned long long)(probes ? first : 1u << 22));
    recorded r = record("set_mapping", set, 5);
    size_t launches = sl_trace_launches(r.trace);
    for (uint32_t n = 0; n < launches; n++) {
        sl_loaded *loaded;
        sl_model_result result;
        sl_error error;
        assert_int_equal(sl_loaded_create(r.trace, n, NULL, &loaded, &error), SL_OK);
        assert_int_equal(sl_model_launch(&machine, loaded, &(sl_model_options){.seed = 1}, NULL, &result, &error),
                         SL_OK);
        misses[n] = result.counts.total.value[SL_COUNTER_ld_sector_misses];
        *loads = result.counts.total.value[SL_COUNTER_ld_sectors];
        sl_model_result_fini(&result);
        sl_loaded_destroy(loaded);
    }
    sl_trace_close(r.trace);
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

/* Lines that are a large power of two apart share a set: as many as fit there are the ways. Neighbouring lines fill the
 * whole cache. */
static void ways_and_sets_are_what_fits(void **state)
{
    (void)state;
    uint32_t ways = 1, lines = 1;
    while (miss_rate(ways + 1, 1 << 20) == 50)
        ways++;
    assert_int_equal(ways, 4);
    while (miss_rate(2 * lines, 128) == 50)
        lines *= 2;
    assert_int_equal(lines, 128);
    assert_int_equal(lines / ways, 32);
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

/* Each bit of the address by itself and in pairs: bits that change nothing are no part of the set's number, pairs that
 * change nothing are XORed. */
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
    assert_int_equal(sl_walk_plan_create(kernel, &plan, &error), SL_OK);
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
    char text[48];
    const char *set[] = {text, "least=1", "most=8", "stride=4096"};
    snprintf(text, sizeof text, "warps=%u", warps);
    recorded r = record("mshr_count", set, 4);
    assert_int_equal(sl_trace_launches(r.trace), 9); /* the first warms up */
    uint64_t one = steps_of(&machine, r.trace, 1);
    uint32_t loads = 1;
    while (loads < 8 && steps_of(&machine, r.trace, loads + 1) < one + machine.memory.latency_cycles / 2)
        loads++;
    sl_trace_close(r.trace);
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
        cmocka_unit_test(strides_vary_as_many_set_bits_as_figure_7_says),
        cmocka_unit_test(mshrs_are_found_by_the_load_that_has_to_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
