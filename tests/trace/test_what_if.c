/* SPDX-License-Identifier: MIT */
#include "trace/what_if.h"

#include <unistd.h>

#include "access/coalesce.h"
#include "access/request.h"
#include "emu/run_ptx.h"
#include "trace/recorder.h"
#include "trace/trace_maker.h"
#include "trace/walk.h"

enum { LANES = 32, WORD = 4, LOG2_SECTOR = 5 };

static const sl_inst load = {.space = SL_MEM_GLOBAL, .access = SL_ACCESS_LOAD, .width = WORD};

static sl_access strided(uint64_t base, int64_t stride)
{
    return (sl_access){.mask = UINT32_MAX, .affine = true, .base = base, .stride = stride, .row_lanes = LANES};
}

static void apply(sl_what_if_id id, uint32_t warp, uint64_t *state, sl_access *access)
{
    sl_what_if_apply(id, &load, &(sl_what_if_warp){.lanes = LANES, .warp = warp, .warps = 8, .state = state}, access);
    sl_access_expand(access, LANES);
}

static void a_load_of_one_field_of_structures_becomes_four_sectors(void **test)
{
    (void)test;
    uint64_t state[2] = {0};
    sl_access a = strided(4800, 48); /* structure 100, field 0 */
    assert_int_equal(sl_coalesce_count(&a, LANES, WORD, LOG2_SECTOR), 32);
    apply(SL_WHAT_IF_UNCOALESCED_LOADS, 0, state, &a);
    assert_int_equal(sl_coalesce_count(&a, LANES, WORD, LOG2_SECTOR), 4);
    for (uint32_t lane = 0; lane < LANES; lane++)
        assert_int_equal(a.addr[lane], 4800 + 4 * lane);
    a = strided(4804, 48); /* field 1: behind the 128 bytes of field 0 */
    apply(SL_WHAT_IF_UNCOALESCED_LOADS, 0, state, &a);
    assert_int_equal(a.addr[0], 4928);
}

static void each_word_of_the_structures_keeps_one_address(void **test)
{
    (void)test;
    uint8_t seen[32 * 12] = {0};
    for (uint64_t field = 0; field < 12; field++) {
        uint64_t state[2] = {0};
        sl_access a = strided(4800 + 4 * field, 48);
        apply(SL_WHAT_IF_STRIDED_STORES, 0, state, &a);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            assert_in_range(a.addr[lane], 4800, 4800 + sizeof seen * 4 - 4);
            seen[(a.addr[lane] - 4800) / 4]++;
        }
    }
    for (size_t i = 0; i < sizeof seen; i++)
        assert_int_equal(seen[i], 1);
}

static void lanes_in_descending_order_are_the_same_structures(void **test)
{
    (void)test;
    uint64_t state[2] = {0};
    sl_access a = strided(4800 + 31 * 48, -48);
    apply(SL_WHAT_IF_UNCOALESCED_LOADS, 0, state, &a);
    assert_int_equal(a.addr[0], 4800);
    assert_int_equal(sl_coalesce_count(&a, LANES, WORD, LOG2_SECTOR), 4);
}

static void a_request_with_one_sector_too_many_stays(void **test)
{
    (void)test;
    uint64_t state[2] = {0};
    sl_access a = strided(4, 4); /* bytes 4 to 131: 5 sectors */
    apply(SL_WHAT_IF_UNCOALESCED_LOADS, 0, state, &a);
    assert_int_equal(a.addr[0], 4);
}

/* Rows of 64 bytes and more: 32 lanes read word 0, then word 1. Lanes 30 and 31 read the same row. */
static void a_gather_reads_on_from_its_first_address(void **test)
{
    (void)test;
    uint64_t state[2] = {0};
    for (uint64_t word = 0; word < 2; word++) {
        sl_access a = {.mask = UINT32_MAX};
        for (uint64_t lane = 0; lane < LANES; lane++) {
            uint64_t row = lane < 31 ? lane : 30;
            a.addr[lane] = 6400 + row * 64 + row * row * 4 + word * 4;
        }
        apply(SL_WHAT_IF_UNCOALESCED_LOADS, 0, state, &a);
        assert_int_equal(a.addr[0], 6400 + word * 31 * 4); /* 31 words each */
        assert_int_equal(a.addr[30], 6400 + word * 31 * 4 + 30 * 4);
        assert_int_equal(a.addr[31], a.addr[30]);
    }
}

static void a_random_gather_reads_neighbors_of_its_first_lane(void **test)
{
    (void)test;
    uint64_t state[2] = {0}, random = 1;
    for (int again = 0; again < 10; again++) {
        sl_access a = {.mask = UINT32_MAX};
        for (uint32_t lane = 0; lane < LANES; lane++)
            a.addr[lane] = 1 << 20 | (next_random(&random) % 65536 & ~3ull);
        uint64_t first = a.addr[0];
        apply(SL_WHAT_IF_UNCOALESCED_LOADS, 0, state, &a);
        assert_int_equal(a.addr[0], first);
        assert_in_range(sl_coalesce_count(&a, LANES, WORD, LOG2_SECTOR), 4, 5);
    }
}

static void a_column_of_shared_memory_takes_one_wavefront(void **test)
{
    (void)test;
    uint64_t state[2] = {0};
    sl_access a = strided(8, 128);
    assert_int_equal(sl_bank_passes(&a, LANES, WORD), 32);
    apply(SL_WHAT_IF_BANK_CONFLICTS, 0, state, &a);
    assert_int_equal(sl_bank_passes(&a, LANES, WORD), 1);
}

static void local_memory_is_not_accessed(void **test)
{
    (void)test;
    uint64_t state[2] = {0};
    sl_access a = strided(0, 0);
    apply(SL_WHAT_IF_LOCAL_MEMORY, 0, state, &a);
    assert_int_equal(a.mask, 0);
}

/* Word 1203 is in sector 150, which of 8 warps is that of warp 6. */
static void a_block_updates_a_word_once(void **test)
{
    (void)test;
    for (uint32_t warp = 0; warp < 8; warp++) {
        uint64_t state[2] = {0};
        for (int again = 0; again < 2; again++) {
            sl_access a = strided(1203 * 4, 0);
            apply(SL_WHAT_IF_HOT_ATOMICS, warp, state, &a);
            assert_int_equal(a.mask, warp == 6 && !again ? 1 : 0);
        }
    }
}

/* Its warps together update each of the 32 sectors of 256 neighboring words once: combined words are neighbors. */
static void a_block_updates_neighboring_sectors_once_each(void **test)
{
    (void)test;
    int kept = 0;
    for (uint32_t warp = 0; warp < 8; warp++) {
        uint64_t state[2] = {0};
        for (uint64_t at = 0; at < 512; at += LANES) { /* all words twice */
            sl_access a = strided(at % 256 * 4, 4);
            apply(SL_WHAT_IF_HOT_ATOMICS, warp, state, &a);
            kept += __builtin_popcountll(a.mask);
        }
    }
    assert_int_equal(kept, 32);
}

/* Where sectors are not updated by every warp, a share of the updates is left, in each block of others. */
static void a_share_of_scattered_updates_is_left(void **test)
{
    (void)test;
    int kept = 0;
    for (uint64_t warp = 0; warp < 800; warp++) {
        uint64_t state[2] = {0};
        sl_access a = strided(4096, 64);
        sl_what_if_warp w = {LANES, 0, 8, state, warp, {.kept = (1 << SL_KEPT_LOG2) / 4}};
        sl_what_if_apply(SL_WHAT_IF_HOT_ATOMICS, &load, &w, &a);
        kept += __builtin_popcountll(a.mask);
    }
    assert_in_range(kept, 800 * LANES / 4 - 200, 800 * LANES / 4 + 200);
}

/* Words that lie 64 bytes apart when they are in order are a sector each. */
static void a_sorted_gather_keeps_the_sectors_that_it_needs(void **test)
{
    (void)test;
    uint64_t state[2] = {0}, random = 1;
    sl_access a = {.mask = UINT32_MAX};
    for (uint32_t lane = 0; lane < LANES; lane++)
        a.addr[lane] = 1 << 20 | (next_random(&random) % 65536 & ~3ull);
    uint64_t first = a.addr[0];
    sl_what_if_warp w = {LANES, 0, 8, state, 0, {.spacing = 64}};
    sl_what_if_apply(SL_WHAT_IF_UNCOALESCED_LOADS, &load, &w, &a);
    assert_int_equal(a.addr[31] - first, 31 * 64);
    assert_int_equal(sl_coalesce_count(&a, LANES, WORD, LOG2_SECTOR), 32);
}

static void names_are_those_of_rules(void **test)
{
    (void)test;
    sl_error error;
    sl_what_if w;
    assert_int_equal(sl_what_if_parse("bank-conflicts@12", &w, &error), SL_OK);
    assert_int_equal(w.id, SL_WHAT_IF_BANK_CONFLICTS);
    assert_int_equal(w.line, 12);
    assert_int_equal(sl_what_if_parse("bank-conflict", &w, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "did you mean 'bank-conflicts'?"));
    assert_int_equal(sl_what_if_parse("bank-conflicts@", &w, &error), SL_INVALID);
    assert_int_equal(sl_what_if_parse("bank-conflicts@x", &w, &error), SL_INVALID);
    assert_int_equal(sl_what_if_parse("bank-conflicts@99999999999", &w, &error), SL_INVALID);
}

static void what_was_loaded_the_last_time_stays_in_registers(void **test)
{
    (void)test;
    uint64_t state[2] = {0};
    sl_access a = strided(4096, 4), other = strided(8192, 4);
    apply(SL_WHAT_IF_REDUNDANT_LOADS, 0, state, &a);
    assert_int_equal(a.mask, UINT32_MAX);
    a = strided(4096, 4);
    apply(SL_WHAT_IF_REDUNDANT_LOADS, 0, state, &a);
    assert_int_equal(a.mask, 0);
    apply(SL_WHAT_IF_REDUNDANT_LOADS, 0, state, &other);
    assert_int_equal(other.mask, UINT32_MAX);
    a = strided(4096, 4);
    apply(SL_WHAT_IF_REDUNDANT_LOADS, 0, state, &a);
    assert_int_equal(a.mask, UINT32_MAX);
}

/* ---- steps ---- */

static void steps_are_executed_as_often_as_full_warps_need(void **test)
{
    (void)test;
    for (uint32_t active = 1; active <= 32; active *= 2) {
        uint32_t one_warp = 0, many = 0;
        for (uint64_t i = 0; i < 3200; i++)
            one_warp += sl_what_if_executes(7, 3, i, active, 32);
        for (uint64_t warp = 0; warp < 3200; warp++)
            many += sl_what_if_executes(warp, 3, 0, active, 32);
        assert_in_range(one_warp, 100 * active - 5, 100 * active + 5);
        assert_in_range(many, 90 * active - 40, 110 * active + 40);
    }
}

static void lanes_that_are_filled_go_on_along_their_line(void **test)
{
    (void)test;
    sl_access a = strided(4096, 4), b = {.mask = 3, .addr = {4096, 65536}};
    a.mask = 0xff;
    sl_what_if_fill(&a, UINT32_MAX);
    assert_int_equal(sl_coalesce_count(&a, LANES, WORD, LOG2_SECTOR), 4);
    sl_what_if_fill(&b, UINT32_MAX);
    assert_int_equal(b.mask, UINT32_MAX);
    assert_int_equal(sl_coalesce_count(&b, LANES, WORD, LOG2_SECTOR), 32);
}

/* ---- views of traces ---- */

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p)\n{\n"
                          "    .reg .b32 %r<3>;\n    .reg .b64 %d<4>;\n"
                          "    ld.param.u64 %d1, [p];\n"
                          "    mov.u32 %r1, %tid.x;\n"
                          "    mul.wide.u32 %d2, %r1, 64;\n"
                          "    add.s64 %d3, %d1, %d2;\n"
                          "    ld.global.u32 %r2, [%d3];\n"
                          "    st.global.u32 [%d3], %r2;\n"
                          "    ret;\n}\n";

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

/* Sectors of the load and of the store, as walks have them. */
static void walk(const sl_trace *trace, uint32_t sectors[2], uint8_t *cache_op)
{
    sl_loaded *loaded;
    sl_walk_plan *plan;
    sl_warp_walk w;
    sl_error error;
    assert_int_equal(sl_loaded_create(trace, 0, NULL, &loaded, &error), SL_OK);
    const sl_trace_kernel *kernel = sl_loaded_kernel(loaded);
    assert_int_equal(sl_walk_plan_create(kernel, NULL, &plan, &error), SL_OK);
    sl_predictor *predictor = calloc(kernel->mem_slots + 1, sizeof *predictor);
    assert_non_null(predictor);
    sl_warp_walk_init(&w, plan, loaded, 0, 0, predictor, NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sl_warp_walk_next(&w, &error), SL_OK);
        assert_int_equal(w.kind, SL_EVENT_REQUEST);
        sectors[i] = sl_coalesce_count(w.access, LANES, WORD, LOG2_SECTOR);
        if (!i)
            *cache_op = w.inst->cache_op;
    }
    free(predictor);
    sl_walk_plan_destroy(plan);
    sl_loaded_destroy(loaded);
}

static void a_view_changes_what_it_names_and_nothing_else(void **test)
{
    (void)test;
    char path[] = "/tmp/sluice-test-XXXXXX";
    sl_trace *trace, *view;
    sl_error error;
    uint32_t sectors[2];
    uint8_t cache_op;
    record(path, &trace);
    walk(trace, sectors, &cache_op);
    assert_int_equal(sectors[0], 32);
    assert_int_equal(sectors[1], 32);
    uint8_t plain = cache_op;
    /* The structures' other field is stored: a structure of arrays has it elsewhere, too. */
    assert_int_equal(sl_trace_what_if(trace, &(sl_what_if){SL_WHAT_IF_UNCOALESCED_LOADS, 0}, &view, &error), SL_OK);
    walk(view, sectors, &cache_op);
    assert_int_equal(sectors[0], 4);
    assert_int_equal(sectors[1], 4);
    assert_false(sl_trace_what_if_rows(view, 0));
    sl_trace_what_if_destroy(view);
    assert_int_equal(sl_trace_what_if(trace, &(sl_what_if){SL_WHAT_IF_UNCOALESCED_LOADS, 12}, &view, &error), SL_OK);
    walk(view, sectors, &cache_op);
    assert_int_equal(sectors[0], 4);
    assert_int_equal(sectors[1], 32);
    sl_trace_what_if_destroy(view);
    assert_int_equal(sl_trace_what_if(trace, &(sl_what_if){SL_WHAT_IF_STRIDED_STORES, 13}, &view, &error), SL_OK);
    walk(view, sectors, &cache_op);
    assert_int_equal(sectors[0], 32);
    assert_int_equal(sectors[1], 4);
    sl_trace_what_if_destroy(view);
    assert_int_equal(sl_trace_what_if(trace, &(sl_what_if){SL_WHAT_IF_NO_REUSE, 0}, &view, &error), SL_OK);
    walk(view, sectors, &cache_op);
    assert_int_equal(cache_op, SL_CACHE_L1_NO_ALLOCATE);
    sl_trace_what_if_destroy(view);
    walk(trace, sectors, &cache_op);
    assert_int_equal(cache_op, plain);
    assert_int_equal(sl_trace_what_if(trace, &(sl_what_if){SL_WHAT_IF_BANK_CONFLICTS, 0}, &view, &error), SL_INVALID);
    assert_int_equal(sl_trace_what_if(trace, &(sl_what_if){SL_WHAT_IF_UNCOALESCED_LOADS, 13}, &view, &error),
                     SL_INVALID);
    sl_trace_close(trace);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_of_one_field_of_structures_becomes_four_sectors),
        cmocka_unit_test(each_word_of_the_structures_keeps_one_address),
        cmocka_unit_test(lanes_in_descending_order_are_the_same_structures),
        cmocka_unit_test(a_request_with_one_sector_too_many_stays),
        cmocka_unit_test(a_gather_reads_on_from_its_first_address),
        cmocka_unit_test(a_random_gather_reads_neighbors_of_its_first_lane),
        cmocka_unit_test(a_column_of_shared_memory_takes_one_wavefront),
        cmocka_unit_test(local_memory_is_not_accessed),
        cmocka_unit_test(a_block_updates_a_word_once),
        cmocka_unit_test(a_block_updates_neighboring_sectors_once_each),
        cmocka_unit_test(a_share_of_scattered_updates_is_left),
        cmocka_unit_test(a_sorted_gather_keeps_the_sectors_that_it_needs),
        cmocka_unit_test(what_was_loaded_the_last_time_stays_in_registers),
        cmocka_unit_test(steps_are_executed_as_often_as_full_warps_need),
        cmocka_unit_test(lanes_that_are_filled_go_on_along_their_line),
        cmocka_unit_test(names_are_those_of_rules),
        cmocka_unit_test(a_view_changes_what_it_names_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
