/* SPDX-License-Identifier: MIT */
#include "trace/walk.h"

#include <unistd.h>

#include "emu/run_ptx.h"
#include "trace/recorder.h"

/* Records one launch of a kernel of one parameter, and hands its warps out again. */
typedef struct walked {
    char path[64];
    sl_trace *trace;
    sl_loaded *loaded;
    sl_walk_plan *plan;
    sl_predictor *predictor;
    sl_access *ahead;
    sl_warp_walk walk;
} walked;

static void record_ordered(walked *w, const char *ptx, uint32_t threads, const uint32_t *order)
{
    sl_recorder *recorder;
    sl_error error;
    session s;
    snprintf(w->path, sizeof w->path, "/tmp/sluice-test-XXXXXX");
    int file = mkstemp(w->path);
    assert_true(file >= 0);
    close(file);
    sl_recorder_config config = {.trace_path = w->path, .producer = "test", .zstd_level = 1};
    assert_int_equal(sl_recorder_create(&config, &recorder, &error), SL_OK);
    assert_true(session_open(&s, &(machine){NULL, 32}, ptx, sl_recorder_sink(recorder)));
    uint64_t memory = (uintptr_t)device_memory(&s, NULL, 65536);
    session_run(&s, "k", 1, threads, &memory, sizeof memory);
    session_close(&s);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    assert_int_equal(sl_trace_open(w->path, &w->trace, NULL, &error), SL_OK);
    assert_int_equal(sl_loaded_create(w->trace, 0, NULL, &w->loaded, &error), SL_OK);
    const sl_trace_kernel *kernel = sl_loaded_kernel(w->loaded);
    assert_int_equal(sl_walk_plan_create(kernel, order, &w->plan, &error), SL_OK);
    w->predictor = calloc(kernel->mem_slots + 1, sizeof *w->predictor);
    w->ahead = calloc(sl_walk_read_ahead(w->plan) + 1, sizeof *w->ahead);
    assert_non_null(w->predictor);
    assert_non_null(w->ahead);
    sl_warp_walk_init(&w->walk, w->plan, w->loaded, 0, 0, w->predictor, w->ahead);
}

static void record(walked *w, const char *ptx, uint32_t threads)
{
    record_ordered(w, ptx, threads, NULL);
}

static void release(walked *w)
{
    free(w->predictor);
    free(w->ahead);
    sl_walk_plan_destroy(w->plan);
    sl_loaded_destroy(w->loaded);
    sl_trace_close(w->trace);
    unlink(w->path);
}

static void next(walked *w, sl_event_kind kind, uint32_t insts, uint64_t waits)
{
    sl_error error;
    assert_int_equal(sl_warp_walk_next(&w->walk, &error), SL_OK);
    assert_int_equal(w->walk.kind, kind);
    assert_int_equal(w->walk.insts, insts);
    assert_int_equal(w->walk.waits, waits);
}

/* A load also waits for the one before that wrote its register: for itself, in a loop. */
static void a_load_is_waited_for_where_its_result_is_read(void **state)
{
    (void)state;
    walked w;
    record(&w,
           ".version 8.0\n.target sm_80\n.address_size 64\n"
           ".visible .entry k(.param .u64 p)\n{\n"
           ".reg .b64 %a; .reg .b32 %r<9>; .shared .b32 s[4];\n"
           "ld.param.u64 %a, [p];\n"
           "ld.global.u32 %r0, [%a];\n"      /* rank 0 */
           "ld.global.u32 %r1, [%a+256];\n"  /* rank 1 */
           "mov.u32 %r5, 7;\n"               /* reads nothing that is loaded */
           "add.u32 %r2, %r0, 1;\n"          /* waits for rank 0 */
           "ld.global.u32 %r3, [%a+512];\n"  /* rank 2 */
           "st.shared.u32 [s], %r5;\n"       /* an instruction like others */
           "ld.global.u32 %r4, [%a+1024];\n" /* rank 3 */
           "st.global.u32 [%a+768], %r1;\n"  /* waits for rank 1 */
           "bar.sync 0;\n"
           "ret;\n}\n",
           32);
    next(&w, SL_EVENT_REQUEST, 2, 1u << 0);
    assert_int_equal(w.walk.rank, 0);
    assert_int_equal(w.walk.inst->access, SL_ACCESS_LOAD);
    uint64_t base = w.walk.access->base;
    next(&w, SL_EVENT_REQUEST, 1, 1u << 1);
    assert_int_equal(w.walk.rank, 1);
    assert_int_equal(w.walk.access->base, base + 256);
    next(&w, SL_EVENT_REQUEST, 3, 1u << 0 | 1u << 2);
    assert_int_equal(w.walk.rank, 2);
    next(&w, SL_EVENT_REQUEST, 2, 1u << 3);
    assert_int_equal(w.walk.rank, 3);
    next(&w, SL_EVENT_REQUEST, 1, 1u << 1);
    assert_int_equal(w.walk.inst->access, SL_ACCESS_STORE);
    assert_int_equal(w.walk.rank, SL_WALK_LOADS); /* nobody waits for a store */
    next(&w, SL_EVENT_BARRIER, 1, 0);
    next(&w, SL_EVENT_END, 1, UINT64_MAX); /* a warp ends when all has come */
    release(&w);
}

/* The third load issues before the second, which has to be kept, and so has nothing between them. */
static void accesses_come_in_the_order_in_which_they_issue(void **state)
{
    static const uint32_t order[] = {0, 1, 4, 3, 2, 5, 6, 7};
    (void)state;
    walked w;
    record_ordered(&w,
                   ".version 8.0\n.target sm_80\n.address_size 64\n"
                   ".visible .entry k(.param .u64 p)\n{\n"
                   ".reg .b64 %a; .reg .b32 %r<9>; .shared .b32 s[4];\n"
                   "ld.param.u64 %a, [p];\n"
                   "ld.global.u32 %r0, [%a];\n"     /* rank 0 */
                   "ld.global.u32 %r1, [%a+256];\n" /* rank 2 */
                   "ld.shared.u32 %r3, [s];\n"
                   "ld.global.u32 %r2, [%a+512];\n" /* rank 1 */
                   "add.u32 %r4, %r2, 1;\n"
                   "st.global.u32 [%a+768], %r1;\n"
                   "ret;\n}\n",
                   32, order);
    assert_int_equal(sl_walk_read_ahead(w.plan), 3);
    next(&w, SL_EVENT_REQUEST, 2, 1u << 0);
    uint64_t base = w.walk.access->base;
    next(&w, SL_EVENT_REQUEST, 1, 1u << 1);
    assert_int_equal(w.walk.rank, 1);
    assert_int_equal(w.walk.access->base, base + 512);
    next(&w, SL_EVENT_REQUEST, 2, 1u << 2);
    assert_int_equal(w.walk.rank, 2);
    assert_int_equal(w.walk.access->base, base + 256);
    next(&w, SL_EVENT_REQUEST, 2, 1u << 1 | 1u << 2);
    assert_int_equal(w.walk.access->base, base + 768);
    next(&w, SL_EVENT_END, 1, UINT64_MAX);
    release(&w);
}

/* A loop of three rounds whose value is read behind it, and a load in a branch. */
static void waits_reach_across_basic_blocks(void **state)
{
    (void)state;
    walked w;
    record(&w,
           ".version 8.0\n.target sm_80\n.address_size 64\n"
           ".visible .entry k(.param .u64 p)\n{\n"
           ".reg .b64 %a; .reg .b32 %r<9>; .reg .pred %q;\n"
           "ld.param.u64 %a, [p];\n"
           "ld.global.u32 %r2, [%a];\n" /* rank 0: read behind the loop alone */
           "mov.u32 %r0, 3;\n"
           "again:\n"
           "ld.global.u32 %r1, [%a];\n" /* rank 1 */
           "add.s64 %a, %a, 128;\n"
           "sub.u32 %r0, %r0, 1;\n"
           "setp.ne.u32 %q, %r0, 0;\n"
           "@%q bra again;\n"
           "st.global.u32 [%a], %r2;\n"
           "ret;\n}\n",
           32);
    next(&w, SL_EVENT_REQUEST, 2, 1u << 0);
    next(&w, SL_EVENT_REQUEST, 2, 1u << 1);
    next(&w, SL_EVENT_REQUEST, 5, 1u << 1);
    next(&w, SL_EVENT_REQUEST, 5, 1u << 1);
    next(&w, SL_EVENT_REQUEST, 5, 1u << 0);
    next(&w, SL_EVENT_END, 1, UINT64_MAX);
    release(&w);
}

/* A predicated load that no lane takes part in is no request; one that some take part in is. */
static void accesses_without_a_lane_are_instructions_like_others(void **state)
{
    (void)state;
    walked w;
    record(&w,
           ".version 8.0\n.target sm_80\n.address_size 64\n"
           ".visible .entry k(.param .u64 p)\n{\n"
           ".reg .b64 %a; .reg .b32 %r<9>; .reg .pred %q, %n;\n"
           "ld.param.u64 %a, [p];\n"
           "mov.u32 %r0, %tid.x;\n"
           "setp.lt.u32 %q, %r0, 4;\n"
           "setp.gt.u32 %n, %r0, 100;\n"
           "@%n ld.global.u32 %r1, [%a];\n"
           "@%q ld.global.u32 %r2, [%a];\n"
           "ret;\n}\n",
           32);
    next(&w, SL_EVENT_REQUEST, 6, 3);
    assert_int_equal(w.walk.access->mask, 0xf);
    next(&w, SL_EVENT_END, 1, UINT64_MAX);
    release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_is_waited_for_where_its_result_is_read),
        cmocka_unit_test(accesses_come_in_the_order_in_which_they_issue),
        cmocka_unit_test(waits_reach_across_basic_blocks),
        cmocka_unit_test(accesses_without_a_lane_are_instructions_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
