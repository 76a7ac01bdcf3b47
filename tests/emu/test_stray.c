/* SPDX-License-Identifier: MIT */
/* What is forgiven, as a GPU does: accesses just outside of allocations, shuffles that read lanes which are not there.
 */
#include "emu/run_ptx.h"

typedef struct heard {
    unsigned calls;
    uint64_t accesses;
    sl_error first;
} heard;

static void note(void *context, const sl_error *first, uint64_t accesses)
{
    heard *h = context;
    h->calls++;
    h->accesses = accesses;
    h->first = *first;
}

/* out[i] = 1 + the word at in + i * step + offset, for thread i of the grid. */
static const char COPY[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry copy(.param .u64 out, .param .u64 in, .param .s64 offset, .param .s64 step)\n{\n"
    "  .reg .b32 %r<6>;\n  .reg .b64 %a<9>;\n"
    "  ld.param.u64 %a1, [out];\n  ld.param.u64 %a2, [in];\n  ld.param.s64 %a3, [offset];\n"
    "  ld.param.s64 %a7, [step];\n"
    "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, %tid.x;\n  mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "  mul.wide.u32 %a4, %r1, 4;\n  cvt.u64.u32 %a5, %r1;\n  mul.lo.s64 %a5, %a5, %a7;\n"
    "  add.s64 %a2, %a2, %a5;\n  add.s64 %a2, %a2, %a3;\n  ld.global.u32 %r4, [%a2];\n  add.u32 %r4, %r4, 1;\n"
    "  add.s64 %a1, %a1, %a4;\n  st.global.u32 [%a1], %r4;\n  ret;\n}\n"
    ".visible .entry add(.param .u64 in, .param .s64 offset)\n{\n"
    "  .reg .b32 %r<3>;\n  .reg .b64 %a<4>;\n"
    "  ld.param.u64 %a1, [in];\n  ld.param.s64 %a2, [offset];\n  add.s64 %a1, %a1, %a2;\n"
    "  atom.global.add.u32 %r1, [%a1], 1;\n  ret;\n}\n"
    /* every thread of a grid adds its number + 1 to the word, stores that in the next one and reads it back */
    ".visible .entry leave(.param .u64 out, .param .u64 word)\n{\n"
    "  .reg .b32 %r<6>;\n  .reg .b64 %a<9>;\n  ld.param.u64 %a1, [out];\n  ld.param.u64 %a2, [word];\n"
    "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, %tid.x;\n  mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "  mul.wide.u32 %a4, %r1, 4;\n  add.s64 %a1, %a1, %a4;\n  ld.global.u32 %r4, [%a2];\n"
    "  add.u32 %r4, %r4, %r1;\n  add.u32 %r4, %r4, 1;\n  st.global.u32 [%a2+4], %r4;\n  ld.global.u32 %r5, [%a2+4];\n"
    "  st.global.u32 [%a1], %r5;\n  ret;\n}\n"
    /* shared memory: stores at offset, reads it back */
    ".visible .entry shared(.param .u64 out, .param .u32 offset)\n{\n"
    "  .reg .b32 %r<6>;\n  .reg .b64 %a<9>;\n  .shared .align 4 .b8 s[64];\n  ld.param.u64 %a1, [out];\n"
    "  ld.param.u32 %r1, [offset];\n  mov.u32 %r2, s;\n  add.u32 %r1, %r1, %r2;\n  st.shared.u32 [%r1], 77;\n"
    "  ld.shared.u32 %r3, [%r1];\n  st.global.u32 [%a1], %r3;\n  ret;\n}\n";

enum { WORDS = 1000, BLOCKS = 8, THREADS = 64, PAGE = 2 << 20, FAR = 2 * PAGE };

typedef struct scene {
    session s;
    heard h;
    uint32_t *out, *in;
} scene;

static bool open_scene(scene *c, const machine *m, uint32_t threads, bool forgiving)
{
    memset(c, 0, sizeof *c);
    sl_emu_config config = {.settings = {.lanes = m->lanes, .threads = threads, .isa = m->isa},
                            .host_addresses = true,
                            .stray = forgiving ? note : NULL,
                            .lapse_context = &c->h};
    if (sl_emu_create(&config, &c->s.emu, &c->s.error) != SL_OK)
        return false;
    assert_int_equal(sl_ptx_parse(COPY, strlen(COPY), "stray.ptx", &c->s.module, &c->s.error), SL_OK);
    const sl_ptx_module *modules[1] = {c->s.module};
    assert_int_equal(sl_emu_load(c->s.emu, modules, 1, &c->s.program, &c->s.error), SL_OK);
    c->out = device_memory(&c->s, NULL, BLOCKS * THREADS * sizeof *c->out);
    c->in = device_memory(&c->s, NULL, WORDS * sizeof *c->in);
    for (uint32_t i = 0; i < WORDS; i++)
        c->in[i] = 100 + i;
    return true;
}

static sl_status copy(scene *c, int64_t offset, int64_t step)
{
    uint64_t params[4] = {(uint64_t)(uintptr_t)c->out, (uint64_t)(uintptr_t)c->in, (uint64_t)offset, (uint64_t)step};
    return session_try(&c->s, "copy", BLOCKS, THREADS, params, sizeof params);
}

static void expect_fault(scene *c, sl_status status, const char *text)
{
    assert_int_equal(status, SL_FAULT);
    assert_int_equal(sl_emu_last_fault(c->s.emu), SL_FAULT_ILLEGAL_ADDRESS);
    if (!strstr(c->s.error.text, text))
        fail_msg("'%s' is not in: %s", text, c->s.error.text);
    assert_int_equal(c->h.calls, 0);
}

static void forgiven_reads_get_zeros_and_the_others_what_is_there(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        scene c;
        if (!open_scene(&c, &machines[m], 1, true))
            continue;
        assert_int_equal(copy(&c, -16, 4), SL_OK);
        for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
            assert_int_equal(c.out[i], i < 4 ? 1 : 101 + i - 4);
        session_close(&c.s);
    }
}

static void they_are_told_once_per_launch_with_the_first_and_their_number(void **state)
{
    (void)state;
    scene c;
    assert_true(open_scene(&c, &machines[4], 1, true));
    assert_int_equal(copy(&c, 4 * (WORDS - 100), 4), SL_OK);
    assert_int_equal(c.h.calls, 1);
    assert_int_equal(c.h.accesses, BLOCKS * THREADS - 100);
    assert_non_null(strstr(c.h.first.text, "illegal 4-byte read"));
    assert_non_null(strstr(c.h.first.text, "0 bytes after the end of alloc "));
    assert_non_null(strstr(c.h.first.text, "kernel copy, block (1,0,0), thread (36,0,0)"));
    assert_string_equal(c.h.first.file, "stray.ptx");
    assert_int_not_equal(c.h.first.line, 0);
    session_close(&c.s);
}

static void the_first_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        scene c;
        assert_true(open_scene(&c, &machines[4], threads, true));
        assert_int_equal(copy(&c, 4 * (WORDS - 100), 4), SL_OK);
        assert_non_null(strstr(c.h.first.text, "block (1,0,0), thread (36,0,0)"));
        assert_int_equal(c.h.accesses, BLOCKS * THREADS - 100);
        session_close(&c.s);
    }
}

static void a_launch_without_them_is_not_told_of(void **state)
{
    (void)state;
    scene c;
    assert_true(open_scene(&c, &machines[4], 1, true));
    assert_int_equal(copy(&c, 0, 4), SL_OK);
    assert_int_equal(c.h.calls, 0);
    session_close(&c.s);
}

/* A small allocation is alone in its page: a GPU maps all of it. */
static void accesses_anywhere_in_the_page_of_a_small_allocation_are_forgiven(void **state)
{
    (void)state;
    static const int64_t AFTER[] = {0, 508, 512, 4096, 65532, 65536, 1 << 20};
    scene c;
    assert_true(open_scene(&c, &machines[4], 1, true));
    for (size_t i = 0; i < sizeof AFTER / sizeof *AFTER; i++) {
        int64_t at = 4 * WORDS + AFTER[i];
        uint64_t add[2] = {(uint64_t)(uintptr_t)c.in, (uint64_t)at};
        assert_int_equal(session_try(&c.s, "add", 1, 1, add, sizeof add), SL_OK);
        assert_int_equal(copy(&c, at, 0), SL_OK);
        assert_int_equal(c.out[0], 1 + 1);
    }
    session_close(&c.s);
}

static void reads_far_away_end_the_launch(void **state)
{
    (void)state;
    scene c;
    assert_true(open_scene(&c, &machines[4], 1, true));
    expect_fault(&c, copy(&c, 4 * WORDS + FAR, 0), "bytes after the end of alloc ");
    expect_fault(&c, copy(&c, -((int64_t)1 << 32), 0), "illegal 4-byte read");
    session_close(&c.s);
}

static void reads_of_freed_memory_end_the_launch(void **state)
{
    (void)state;
    scene c;
    assert_true(open_scene(&c, &machines[4], 1, true));
    assert_int_equal(sl_heap_free(sl_emu_heap(c.s.emu), (uint64_t)(uintptr_t)c.in, &c.s.error), SL_OK);
    expect_fault(&c, copy(&c, 0, 4), "use after free");
    session_close(&c.s);
}

static sl_status leave(scene *c, int64_t offset)
{
    uint64_t params[2] = {(uint64_t)(uintptr_t)c->out, (uint64_t)(uintptr_t)c->in + (uint64_t)offset};
    return session_try(&c->s, "leave", BLOCKS, THREADS, params, sizeof params);
}

static void what_a_block_writes_it_reads_and_the_next_launch_finds_it(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        scene c;
        assert_true(open_scene(&c, &machines[4], threads, true));
        assert_int_equal(leave(&c, 4 * WORDS), SL_OK);
        assert_int_equal(c.h.accesses, 3 * BLOCKS * THREADS);
        /* lane 0 of each warp wins the store */
        for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
            assert_int_equal(c.out[i], i / 32 * 32 + 1);
        /* the last block's value is what is left: one word up, it is what the next launch adds to */
        assert_int_equal(leave(&c, 4 * WORDS + 4), SL_OK);
        uint32_t left = (BLOCKS * THREADS - 32) + 1;
        for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
            assert_int_equal(c.out[i], left + i / 32 * 32 + 1);
        session_close(&c.s);
    }
}

static void atomics_outside_are_forgiven_too(void **state)
{
    (void)state;
    scene c;
    assert_true(open_scene(&c, &machines[4], 1, true));
    uint64_t add[2] = {(uint64_t)(uintptr_t)c.in, 4 * WORDS};
    for (uint32_t turn = 0; turn < 3; turn++)
        assert_int_equal(session_try(&c.s, "add", 1, 1, add, sizeof add), SL_OK);
    assert_int_equal(c.h.calls, 3);
    assert_non_null(strstr(c.h.first.text, "illegal 4-byte write"));
    assert_int_equal(copy(&c, 4 * WORDS, 0), SL_OK);
    assert_int_equal(c.out[0], 3 + 1);
    session_close(&c.s);
}

static void writes_far_away_end_the_launch(void **state)
{
    (void)state;
    scene c;
    assert_true(open_scene(&c, &machines[4], 1, true));
    uint64_t add[2] = {(uint64_t)(uintptr_t)c.in, 4 * WORDS + FAR};
    expect_fault(&c, session_try(&c.s, "add", 1, 1, add, sizeof add), "illegal 4-byte write");
    session_close(&c.s);
}

/* 64 bytes are asked for, and 128 are given. */
static void shared_memory_ends_at_the_next_128_bytes(void **state)
{
    (void)state;
    scene c;
    assert_true(open_scene(&c, &machines[4], 1, true));
    uint64_t params[2] = {(uint64_t)(uintptr_t)c.out, 124};
    assert_int_equal(session_try(&c.s, "shared", 1, 1, params, sizeof params), SL_OK);
    assert_int_equal(c.out[0], 77);
    assert_int_equal(c.h.calls, 1);
    assert_int_equal(c.h.accesses, 2);
    assert_non_null(strstr(c.h.first.text, "illegal 4-byte write at shared offset 0x7c of 64 bytes"));
    c.h.calls = 0;
    params[1] = 128;
    expect_fault(&c, session_try(&c.s, "shared", 1, 1, params, sizeof params), "shared offset 0x80 of 64 bytes");
    session_close(&c.s);
    assert_true(open_scene(&c, &machines[4], 1, false));
    params[0] = (uint64_t)(uintptr_t)c.out;
    params[1] = 64;
    expect_fault(&c, session_try(&c.s, "shared", 1, 1, params, sizeof params), "shared offset 0x40 of 64 bytes");
    session_close(&c.s);
}

/* Parameters lie in the emulator's own memory, close to allocations of the program. */
static void parameters_cannot_be_written(void **state)
{
    (void)state;
    static const char WRITE[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .s64 offset)\n{\n"
        "  .reg .b64 %a<6>;\n  ld.param.u64 %a1, [out];\n  ld.param.s64 %a2, [offset];\n  mov.u64 %a3, out;\n"
        "  cvta.param.u64 %a3, %a3;\n  add.s64 %a3, %a3, %a2;\n  st.u64 [%a3], %a1;\n"
        "  ld.param.s64 %a4, [offset];\n  st.global.u64 [%a1], %a4;\n  ret;\n}\n";
    heard h = {0};
    session s = {0};
    const sl_emu_config config = {
        .settings = {.lanes = 32, .threads = 1}, .host_addresses = true, .stray = note, .lapse_context = &h};
    assert_int_equal(sl_emu_create(&config, &s.emu, &s.error), SL_OK);
    assert_int_equal(sl_ptx_parse(WRITE, strlen(WRITE), "test.ptx", &s.module, &s.error), SL_OK);
    assert_int_equal(sl_emu_load(s.emu, (const sl_ptx_module *const *)&s.module, 1, &s.program, &s.error), SL_OK);
    uint64_t *out = device_memory(&s, NULL, 64);
    /* the second parameter; the last bytes of the memory, and the first behind it, where the workspace of grids is */
    const int64_t offsets[] = {8, 32768 - 8, 32768 + 512};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        const uint64_t params[2] = {(uint64_t)(uintptr_t)out, (uint64_t)offsets[i]};
        assert_int_equal(session_try(&s, "k", 1, 1, params, sizeof params), SL_FAULT);
        assert_non_null(strstr(s.error.text, "illegal 8-byte write"));
    }
    assert_int_equal(*out, 0);
    session_close(&s);
}

/* Of 20 lanes, those below 16 add up pairs: lane 15 reads lane 16, which has left. */
static void a_shuffle_that_reads_an_absent_lane_is_told_once_per_launch(void **state)
{
    (void)state;
    static const char ADD[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                              ".visible .entry k(.param .u32 there)\n{\n  .reg .b32 %r<6>;\n  .reg .pred %p;\n"
                              "  ld.param.u32 %r1, [there];\n  mov.u32 %r2, %tid.x;\n"
                              "  setp.ge.u32 %p, %r2, %r1;\n  @%p exit;\n"
                              "  shfl.sync.down.b32 %r3, %r2, 1, 0x1f, -1;\n"
                              "  shfl.sync.bfly.b32 %r3, %r2, 1, 0x1f, -1;\n  ret;\n}\n";
    heard h = {0};
    session s = {0};
    const sl_emu_config config = {
        .settings = {.lanes = 32, .threads = 2}, .host_addresses = true, .absent = note, .lapse_context = &h};
    assert_int_equal(sl_emu_create(&config, &s.emu, &s.error), SL_OK);
    assert_int_equal(sl_ptx_parse(ADD, strlen(ADD), "test.ptx", &s.module, &s.error), SL_OK);
    assert_int_equal(sl_emu_load(s.emu, (const sl_ptx_module *const *)&s.module, 1, &s.program, &s.error), SL_OK);
    assert_int_equal(session_try(&s, "k", 3, 20, (uint32_t[]){16, 0}, 8), SL_OK);
    assert_int_equal(h.calls, 1);
    assert_int_equal(h.accesses, 3); /* the second shuffle stays within pairs */
    assert_non_null(strstr(h.first.text, "a shuffle reads lane 16, which does not take part in it"));
    assert_non_null(strstr(h.first.text, "block (0,0,0), thread (15,0,0)"));
    assert_int_equal(session_try(&s, "k", 3, 32, (uint32_t[]){32, 0}, 8), SL_OK);
    assert_int_equal(h.calls, 1);
    session_close(&s);
}

static void nothing_is_forgiven_where_nobody_listens(void **state)
{
    (void)state;
    scene c;
    assert_true(open_scene(&c, &machines[4], 1, false));
    expect_fault(&c, copy(&c, -16, 4), "16 bytes before alloc ");
    session_close(&c.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forgiven_reads_get_zeros_and_the_others_what_is_there),
        cmocka_unit_test(they_are_told_once_per_launch_with_the_first_and_their_number),
        cmocka_unit_test(the_first_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_launch_without_them_is_not_told_of),
        cmocka_unit_test(accesses_anywhere_in_the_page_of_a_small_allocation_are_forgiven),
        cmocka_unit_test(reads_far_away_end_the_launch),
        cmocka_unit_test(reads_of_freed_memory_end_the_launch),
        cmocka_unit_test(what_a_block_writes_it_reads_and_the_next_launch_finds_it),
        cmocka_unit_test(atomics_outside_are_forgiven_too),
        cmocka_unit_test(writes_far_away_end_the_launch),
        cmocka_unit_test(shared_memory_ends_at_the_next_128_bytes),
        cmocka_unit_test(parameters_cannot_be_written),
        cmocka_unit_test(a_shuffle_that_reads_an_absent_lane_is_told_once_per_launch),
        cmocka_unit_test(nothing_is_forgiven_where_nobody_listens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
