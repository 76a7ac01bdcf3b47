/* SPDX-License-Identifier: MIT */
/* Launches that are known to do what an earlier one did are not run, and nobody can tell. */
#include "support.h"

#include "run_ptx.h"
#include "trace/recorder.h"

/* Thread i: out[i] = sum of in[j] for the first 64 j; and what a test puts in the place of %s. */
static const char pattern[] = ".version 8.6\n.target sm_90\n.address_size 64\n"
                              ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                              ".reg .b32 %%r<9>; .reg .b64 %%q<9>; .reg .pred %%p;\n"
                              "ld.param.u64 %%q0, [out]; ld.param.u64 %%q1, [in]; mov.u32 %%r0, %%tid.x;\n"
                              "mul.wide.u32 %%q2, %%r0, 4; add.u64 %%q2, %%q2, %%q0;\n"
                              "mov.u32 %%r1, 0; mov.u32 %%r2, 0;\n"
                              "$loop: ld.global.u32 %%r3, [%%q1]; add.u32 %%r1, %%r1, %%r3; add.u64 %%q1, %%q1, 4;\n"
                              "add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p, %%r2, 64; @%%p bra $loop;\n"
                              "%s\nst.global.u32 [%%q2], %%r1;\nret;\n}\n";

enum { THREADS = 256, INPUTS = 64 };

typedef struct run {
    sl_emu *emu;
    sl_ptx_module *module;
    sl_emu_program *program;
    sl_emu_kernel *kernel;
    uint32_t *out, *in;
    sl_recorder *recorder;
    uint64_t launches, repeated, ld_sectors, footprint;
} run;

static sl_status launch_done(void *context, const sl_launch_result *result, sl_error *error)
{
    run *r = context;
    (void)error;
    assert_int_equal(result->index, r->launches);
    assert_int_equal(result->launch->blocks_recorded, 1);
    r->launches++;
    r->repeated += result->stats->repeated;
    r->ld_sectors += result->counts->total.value[SL_COUNTER_ld_sectors];
    r->footprint += result->counts->total.value[SL_COUNTER_footprint_bytes];
    assert_int_equal(result->counts->arrays, 2);
    return SL_OK;
}

static uint64_t allocate(const run *r, size_t bytes)
{
    uint64_t address;
    sl_error error;
    assert_int_equal(sl_heap_alloc(sl_emu_heap(r->emu), bytes, SL_ALLOC_MANAGED, NULL, &address, &error), SL_OK);
    return address;
}

static void start(run *r, const char *code, bool no_reuse)
{
    char text[2048];
    sl_error error;
    *r = (run){0};
    snprintf(text, sizeof text, pattern, code);
    sl_recorder_config recorded = {
        .count = true, .count_options = {.footprint = true}, .launch_done = launch_done, .context = r};
    assert_int_equal(sl_recorder_create(&recorded, &r->recorder, &error), SL_OK);
    sl_emu_config config = {.settings = {.threads = 1, .no_reuse = no_reuse},
                            .host_addresses = true,
                            .sink = sl_recorder_sink(r->recorder)};
    assert_int_equal(sl_emu_create(&config, &r->emu, &error), SL_OK);
    assert_int_equal(sl_ptx_parse(text, strlen(text), "test.ptx", &r->module, &error), SL_OK);
    const sl_ptx_module *modules[1] = {r->module};
    assert_int_equal(sl_emu_load(r->emu, modules, 1, &r->program, &error), SL_OK);
    assert_int_equal(sl_emu_kernel_get(r->program, "k", &r->kernel, &error), SL_OK);
    r->out = (uint32_t *)(uintptr_t)allocate(r, THREADS * 4);
    r->in = (uint32_t *)(uintptr_t)allocate(r, INPUTS * 4);
    for (uint32_t i = 0; i < INPUTS; i++)
        r->in[i] = i;
}

static void launch(run *r, uint32_t threads)
{
    const uint64_t params[2] = {(uintptr_t)r->out, (uintptr_t)r->in};
    const sl_emu_launch what = {
        .grid = {1, 1, 1}, .block = {threads, 1, 1}, .params = params, .param_bytes = sizeof params};
    sl_error error;
    assert_int_equal(sl_emu_run(r->emu, r->kernel, &what, NULL, &error), SL_OK);
}

static void stop(run *r)
{
    sl_error error;
    sl_emu_unload(r->emu, r->program);
    sl_ptx_free(r->module);
    sl_emu_destroy(r->emu);
    assert_int_equal(sl_recorder_finish(r->recorder, &error), SL_OK);
}

/* The first is not known, the second shows that memory stays as it is. */
static void a_launch_that_changes_nothing_is_run_twice(void **state)
{
    (void)state;
    for (int no_reuse = 0; no_reuse < 2; no_reuse++) {
        run r;
        start(&r, "", no_reuse);
        for (int i = 0; i < 10; i++)
            launch(&r, THREADS);
        assert_int_equal(r.launches, 10);
        assert_int_equal(r.repeated, no_reuse ? 0 : 8);
        assert_int_equal(r.out[THREADS - 1], 63 * 64 / 2);
        assert_int_equal(r.ld_sectors, 10 * 8 * INPUTS); /* a sector for each load of 8 warps */
        assert_int_equal(r.footprint, 10 * (THREADS + INPUTS) * 4);
        stop(&r);
    }
}

static void the_host_may_change_memory_without_a_word(void **state)
{
    (void)state;
    run r;
    start(&r, "", false);
    for (int i = 0; i < 4; i++)
        launch(&r, THREADS);
    assert_int_equal(r.repeated, 2);
    r.in[5] += 1000;
    launch(&r, THREADS);
    assert_int_equal(r.out[7], 63 * 64 / 2 + 1000);
    assert_int_equal(r.repeated, 2);
    r.out[7] = 1; /* what the launch writes, too */
    launch(&r, THREADS);
    assert_int_equal(r.out[7], 63 * 64 / 2 + 1000);
    assert_int_equal(r.repeated, 2);
    stop(&r);
}

static void another_configuration_is_another_launch(void **state)
{
    (void)state;
    run r;
    start(&r, "", false);
    for (int i = 0; i < 4; i++)
        launch(&r, THREADS);
    launch(&r, 64);
    launch(&r, 64);
    assert_int_equal(r.repeated, 3); /* the first of 64 threads changes nothing any more */
    launch(&r, 64);
    launch(&r, THREADS);
    assert_int_equal(r.repeated, 5);
    stop(&r);
}

static void an_allocation_may_change_what_accesses_mean(void **state)
{
    (void)state;
    run r;
    start(&r, "", false);
    for (int i = 0; i < 4; i++)
        launch(&r, THREADS);
    allocate(&r, 64);
    launch(&r, THREADS);
    assert_int_equal(r.repeated, 2);
    launch(&r, THREADS);
    assert_int_equal(r.repeated, 3);
    stop(&r);
}

/* A counter in memory: out[i] += sum. */
static void a_launch_that_changes_memory_is_run(void **state)
{
    (void)state;
    run r;
    start(&r, "ld.global.u32 %r4, [%q2]; add.u32 %r1, %r1, %r4;", false);
    for (int i = 0; i < 100; i++)
        launch(&r, THREADS);
    assert_int_equal(r.repeated, 0);
    assert_int_equal(r.out[3], 100 * (63 * 64 / 2));
    stop(&r);
}

/* The same, but the host clears the counter each time: the sums are put there. */
static void a_launch_on_contents_of_before_is_known(void **state)
{
    (void)state;
    run r;
    start(&r, "ld.global.u32 %r4, [%q2]; add.u32 %r1, %r1, %r4;", false);
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t first = i % 3; /* three states in turns, once they are known */
        for (uint32_t k = 0; k < THREADS; k++)
            r.out[k] = first;
        launch(&r, THREADS);
        for (uint32_t k = 0; k < THREADS; k++)
            assert_int_equal(r.out[k], first + 63 * 64 / 2);
    }
    assert_true(r.repeated >= 10);
    assert_int_equal(r.ld_sectors, 20 * (8 * INPUTS + THREADS * 4 / 32));
    stop(&r);
}

/* Memory that only copies and launches can write is not looked at in vain, but what they write is noticed. */
static void a_copy_to_the_device_is_noticed(void **state)
{
    (void)state;
    run r;
    start(&r, "", false);
    uint64_t in, other;
    sl_error error;
    sl_heap *heap = sl_emu_heap(r.emu);
    assert_int_equal(sl_heap_alloc(heap, INPUTS * 4, SL_ALLOC_DEVICE, NULL, &in, &error), SL_OK);
    assert_int_equal(sl_heap_alloc(heap, 64, SL_ALLOC_DEVICE, NULL, &other, &error), SL_OK);
    r.in = (uint32_t *)(uintptr_t)in;
    for (uint32_t i = 0; i < 6; i++)
        launch(&r, THREADS);
    assert_int_equal(r.repeated, 5);
    assert_int_equal(r.out[9], 0);
    *(uint32_t *)(uintptr_t)other = 1; /* which the launch does not touch */
    sl_heap_mark_written(heap, other, 4);
    launch(&r, THREADS);
    assert_int_equal(r.repeated, 6);
    r.in[INPUTS - 1] = 7;
    sl_heap_mark_written(heap, in + 4 * INPUTS - 4, 4);
    launch(&r, THREADS);
    assert_int_equal(r.repeated, 6);
    assert_int_equal(r.out[9], 7);
    stop(&r);
}

static void a_kernel_that_reads_a_clock_or_its_number_is_run(void **state)
{
    static const char *const code[] = {"mov.u32 %r4, %clock;", "mov.u64 %q3, %globaltimer;", "mov.u64 %q3, %gridid;"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        run r;
        start(&r, code[i], false);
        for (int n = 0; n < 5; n++)
            launch(&r, THREADS);
        assert_int_equal(r.repeated, 0);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_that_changes_nothing_is_run_twice),
        cmocka_unit_test(the_host_may_change_memory_without_a_word),
        cmocka_unit_test(another_configuration_is_another_launch),
        cmocka_unit_test(an_allocation_may_change_what_accesses_mean),
        cmocka_unit_test(a_launch_that_changes_memory_is_run),
        cmocka_unit_test(a_launch_on_contents_of_before_is_known),
        cmocka_unit_test(a_copy_to_the_device_is_noticed),
        cmocka_unit_test(a_kernel_that_reads_a_clock_or_its_number_is_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
