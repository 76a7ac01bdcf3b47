/* SPDX-License-Identifier: MIT */
#include "trace/joined_atomics.h"

#include <unistd.h>

#include "emu/run_ptx.h"
#include "trace/loaded.h"
#include "trace/recorder.h"
#include "trace/trace_maker.h"
#include "trace/walk.h"

enum { LANES = 32, ATOMICS = 9 };

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p)\n{\n"
                          "    .reg .b32 %r<9>;\n    .reg .b64 %d<6>;\n    .reg .f32 %f<2>;\n"
                          "    ld.param.u64 %d1, [p];\n"
                          "    cvta.to.global.u64 %d4, %d1;\n"
                          "    mov.u32 %r1, %tid.x;\n"
                          "    and.b32 %r2, %r1, 0;\n"
                          "    mul.wide.u32 %d2, %r2, 4;\n"
                          "    add.s64 %d3, %d4, %d2;\n"
                          "    mov.f32 %f1, 0f3F800000;\n"
                          "    atom.global.add.u32 %r3, [%d4], 1;\n"   /* one lane does it */
                          "    red.global.add.u32 [%d4+4], %r1;\n"     /* it adds up the lanes' values */
                          "    red.global.add.u64 [%d4+8], 2;\n"       /* the same value */
                          "    red.global.max.s32 [%d4], %r1;\n"       /* nobody uses the result */
                          "    atom.global.max.s32 %r4, [%d4], %r1;\n" /* somebody does */
                          "    red.global.add.u64 [%d4+8], %d2;\n"     /* 64 bits of each lane */
                          "    red.global.add.f32 [%d4], %f1;\n"       /* no integers */
                          "    atom.global.exch.b32 %r5, [%d4], 1;\n"  /* no sum */
                          "    red.global.add.u32 [%d3], 1;\n"         /* a lane's own address, though all are one */
                          "    st.global.u32 [%d4+16], %r4;\n"
                          "    ret;\n}\n";
static const bool one_lane[ATOMICS] = {true, true, true, true, false, false, false, false, false};

static void record(char *path, sl_trace **trace)
{
    sl_recorder *recorder;
    sl_error error;
    session s;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    sl_recorder_config config = {.trace_path = path, .producer = "test", .zstd_level = 1};
    assert_int_equal(sl_recorder_create(&config, &recorder, &error), SL_OK);
    assert_true(session_open(&s, &(machine){NULL, LANES}, ptx, sl_recorder_sink(recorder)));
    uint64_t memory = (uintptr_t)device_memory(&s, NULL, 4096);
    session_run(&s, "k", 1, LANES, &memory, sizeof memory);
    session_close(&s);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    assert_int_equal(sl_trace_open(path, trace, NULL, &error), SL_OK);
}

static void one_lane_does_an_atomic_whose_address_is_the_same_by_the_code(void **test)
{
    (void)test;
    char path[] = "/tmp/sluice-test-XXXXXX";
    sl_trace *trace;
    sl_loaded *loaded;
    sl_walk_plan *plan;
    sl_warp_walk w;
    sl_error error;
    record(path, &trace);
    assert_int_equal(sl_loaded_create(trace, 0, NULL, &loaded, &error), SL_OK);
    const sl_trace_kernel *kernel = sl_loaded_kernel(loaded);
    assert_int_equal(sl_walk_plan_create(kernel, NULL, &plan, &error), SL_OK);
    sl_predictor *predictor = calloc(kernel->mem_slots + 1, sizeof *predictor);
    assert_non_null(predictor);
    sl_warp_walk_init(&w, plan, loaded, 0, 0, predictor, NULL);
    for (int i = 0; i < ATOMICS; i++) {
        assert_int_equal(sl_warp_walk_next(&w, &error), SL_OK);
        assert_int_equal(w.kind, SL_EVENT_REQUEST);
        assert_int_equal(__builtin_popcountll(w.access->mask), one_lane[i] ? 1 : LANES);
    }
    free(predictor);
    sl_walk_plan_destroy(plan);
    sl_loaded_destroy(loaded);
    sl_trace_close(trace);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_lane_does_an_atomic_whose_address_is_the_same_by_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
