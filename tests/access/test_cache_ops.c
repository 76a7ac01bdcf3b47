/* SPDX-License-Identifier: MIT */
/* What cache operators do in L1, in the model and in the simulator: one kernel, the same numbers in both. */
#include "access/request.h"

#include <unistd.h>

#include "emu/run_ptx.h"
#include "model/model.h"
#include "sim/data_check.h"
#include "sim/sim.h"
#include "trace/recorder.h"

/* One warp loads words of lines of 128 bytes in sectors of 32; the address of each load depends on the one before:
 *   line 0  .ca, then the operator
 *   line 1  the operator, twice, then .ca
 *   line 2  .ca of the first 8 lanes, which is one sector, then the operator
 * %s stands for the operator. */
#define USE " cvt.u64.u32 %%rd4, %%r2;\n add.u64 %%rd3, %%rd3, %%rd4;\n" /* what is loaded is 0 */
static const char kernel[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 a)\n{\n"
    " .reg .u64 %%rd<8>; .reg .u32 %%r<4>; .reg .pred %%p<2>;\n"
    " ld.param.u64 %%rd1, [a];\n"
    " mov.u32 %%r1, %%tid.x;\n"
    " mul.wide.u32 %%rd2, %%r1, 4;\n"
    " add.u64 %%rd3, %%rd1, %%rd2;\n"
    " setp.lt.u32 %%p1, %%r1, 8;\n mov.u32 %%r2, 0;\n"
    " ld.global.ca.u32 %%r2, [%%rd3];\n" USE " ld%1$s.u32 %%r2, [%%rd3];\n" USE " ld%1$s.u32 %%r2, [%%rd3+128];\n" USE
    " ld%1$s.u32 %%r2, [%%rd3+128];\n" USE " ld.global.ca.u32 %%r2, [%%rd3+128];\n" USE
    " @%%p1 ld.global.ca.u32 %%r2, [%%rd3+256];\n" USE " ld%1$s.u32 %%r2, [%%rd3+256];\n" USE
    " st.global.u32 [%%rd3+512], %%r2;\n"
    " ret;\n}\n";

typedef struct recorded {
    char path[64];
    sl_trace *trace;
    sl_loaded *loaded;
} recorded;

static void record(recorded *r, const char *operator)
{
    sl_recorder *recorder;
    sl_error error;
    session s;
    char ptx[4096];
    snprintf(ptx, sizeof ptx, kernel, operator);
    snprintf(r->path, sizeof r->path, "/tmp/sluice-test-XXXXXX");
    int file = mkstemp(r->path);
    assert_true(file >= 0);
    close(file);
    sl_recorder_config config = {.trace_path = r->path, .producer = "test", .zstd_level = 1};
    assert_int_equal(sl_recorder_create(&config, &recorder, &error), SL_OK);
    assert_true(session_open(&s, &(machine){NULL, 32}, ptx, sl_recorder_sink(recorder)));
    uint64_t memory = (uintptr_t)device_memory(&s, NULL, 4096);
    memory = (memory + 127) & ~UINT64_C(127);
    session_run(&s, "k", 1, 32, &memory, sizeof memory);
    session_close(&s);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    assert_int_equal(sl_trace_open(r->path, &r->trace, NULL, &error), SL_OK);
    assert_int_equal(sl_loaded_create(r->trace, 0, NULL, &r->loaded, &error), SL_OK);
}

typedef struct sectors {
    uint64_t hits, compulsory, bypassed;
    uint64_t filled; /* of the latter: the simulator puts them into a line that is there, as the GPU does */
} sectors;

static void check_counts(const sl_counts *c, sectors expected)
{
    assert_int_equal(c->value[SL_COUNTER_ld_sector_hits], expected.hits);
    assert_int_equal(c->value[SL_COUNTER_bypassed_sectors], expected.bypassed);
    assert_int_equal(c->value[SL_COUNTER_ld_sector_misses], expected.compulsory + expected.bypassed);
    assert_int_equal(c->value[SL_COUNTER_ld_sectors], 25);
    assert_int_equal(c->value[SL_COUNTER_pending_hit_sectors], 0);
    assert_int_equal(c->value[SL_COUNTER_l2_read_sectors], expected.compulsory + expected.bypassed);
}

static void check_operator(const char *operator, bool cached_volatile, sectors expected)
{
    recorded r;
    sl_machine m;
    sl_error error;
    sl_model_options options = {0};
    sl_model_result modelled;
    sl_sim *sim;
    sl_sim_result simulated;
    record(&r, operator);
    assert_int_equal(sl_machine_load("h200", &m, &error), SL_OK);
    m.core.cached_volatile = cached_volatile;
    assert_int_equal(sl_model_loaded(&m, r.loaded, &options, NULL, NULL, NULL, &modelled, &error), SL_OK);
    check_counts(&modelled.counts.total, expected);
    assert_int_equal(modelled.counts.total.value[SL_COUNTER_compulsory_sectors], expected.compulsory);
    sl_model_result_fini(&modelled);
    data_check *check = data_check_create();
    assert_non_null(check);
    const sl_sim_options observed = {.data_observer = data_check_observer(check)};
    assert_int_equal(sl_sim_create_with(&m, &observed, &sim, &error), SL_OK);
    assert_int_equal(sl_sim_launch(sim, r.loaded, NULL, &simulated, &error), SL_OK);
    assert_int_equal(data_check_result(check, &error), SL_OK);
    check_counts(&simulated.counts.total, (sectors){.hits = expected.hits,
                                                    .compulsory = expected.compulsory + expected.filled,
                                                    .bypassed = expected.bypassed - expected.filled});
    sl_sim_result_fini(&simulated);
    sl_sim_destroy(sim);
    data_check_destroy(check);
    /* All sizes of L1 at once. */
    sl_model_options pure = {.no_latency = true, .no_mshr = true, .no_divergence = true};
    sl_counts total;
    assert_int_equal(sl_model_stacks(&m, r.loaded, &pure, &m.level[0], 1, NULL, &total, &error), SL_OK);
    assert_int_equal(total.value[SL_COUNTER_ld_sector_hits], expected.hits);
    assert_int_equal(total.value[SL_COUNTER_compulsory_sectors], expected.compulsory);
    assert_int_equal(total.value[SL_COUNTER_bypassed_sectors], expected.bypassed);
    sl_loaded_destroy(r.loaded);
    sl_trace_close(r.trace);
    unlink(r.path);
}

/* Line 0: 4 missed, 4 hit. Line 1: 4 missed, 4 and 4 hit. Line 2: 1 missed; 1 hit, 3 missed. */
static void loads_hit_what_others_brought_and_allocate(void **state)
{
    (void)state;
    static const char *const operators[] = {
        ".global", ".global.ca", ".global.cs", ".global.nc", ".global.L1::evict_first", ".relaxed.cta.global"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        check_operator(operators[i], false, (sectors){.hits = 13, .compulsory = 12});
}

/* Line 0: 4 missed, 4 bypassed. Line 1: 4 and 4 bypassed, 4 missed. Line 2: 1 missed, 4 bypassed. */
static void loads_at_the_global_level_and_strong_loads_bypass_l1(void **state)
{
    (void)state;
    static const char *const operators[] = {".global.cg",          ".global.cv",          ".volatile.global",
                                            ".relaxed.gpu.global", ".acquire.sys.global", ".mmio.relaxed.sys.global"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        check_operator(operators[i], false, (sectors){.hits = 0, .compulsory = 9, .bypassed = 16});
}

/* Line 0: 4 missed, 4 hit. Line 1: 4 and 4 bypassed, 4 missed. Line 2: 1 missed; 1 hit, 3 bypassed. */
static void loads_that_do_not_allocate_hit_what_is_there(void **state)
{
    (void)state;
    static const char *const operators[] = {".global.L1::no_allocate", ".global.lu"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        check_operator(operators[i], false, (sectors){.hits = 5, .compulsory = 9, .bypassed = 11, .filled = 3});
}

/* As other loads do. */
static void volatile_loads_hit_and_allocate_where_the_machine_caches_them(void **state)
{
    (void)state;
    check_operator(".volatile.global", true, (sectors){.hits = 13, .compulsory = 12});
    check_operator(".global.cv", true, (sectors){.hits = 0, .compulsory = 9, .bypassed = 16});
}

static void every_operator_has_a_reason(void **state)
{
    (void)state;
    for (int op = 0; op < SL_CACHE_OPS; op++) {
        assert_non_null(sl_cache_decisions[op].reason);
        assert_true(sl_cache_decisions[op].lookup || !sl_cache_decisions[op].allocate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_hit_what_others_brought_and_allocate),
        cmocka_unit_test(loads_at_the_global_level_and_strong_loads_bypass_l1),
        cmocka_unit_test(loads_that_do_not_allocate_hit_what_is_there),
        cmocka_unit_test(volatile_loads_hit_and_allocate_where_the_machine_caches_them),
        cmocka_unit_test(every_operator_has_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
