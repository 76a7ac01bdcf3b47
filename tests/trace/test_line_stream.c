/* SPDX-License-Identifier: MIT */
#include "trace/line_stream.h"

#include <unistd.h>

#include "emu/run_ptx.h"
#include "trace/recorder.h"

enum { MAX_SEEN = 16 };

typedef struct seen {
    uint32_t count;
    sl_line_access access[MAX_SEEN];
} seen;

static bool note(void *to, const sl_line_access *access)
{
    seen *s = to;
    assert_true(s->count < MAX_SEEN);
    s->access[s->count++] = *access;
    return true;
}

/* What one warp leaves to the caches behind the first, where it has run `body` with its lane times four in %o and an
 * address in %a that is a multiple of 1024. */
static void run(const char *body, seen *s)
{
    char path[] = "/tmp/sluice-test-XXXXXX", ptx[2048];
    sl_recorder *recorder;
    sl_machine h200;
    sl_trace *trace;
    sl_error error;
    session gpu;
    snprintf(ptx, sizeof ptx,
             ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
             ".reg .b64 %%a, %%b, %%o; .reg .b32 %%t, %%r;\n"
             "ld.param.u64 %%a, [p];\nmov.u32 %%t, %%tid.x;\nmul.wide.u32 %%o, %%t, 4;\n%sret;\n}\n",
             body);
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    sl_recorder_config config = {.trace_path = path, .producer = "test", .zstd_level = 1};
    assert_int_equal(sl_recorder_create(&config, &recorder, &error), SL_OK);
    assert_true(session_open(&gpu, &(machine){NULL, 32}, ptx, sl_recorder_sink(recorder)));
    uint64_t memory = (uintptr_t)device_memory(&gpu, NULL, 65536);
    memory = (memory + 1023) / 1024 * 1024;
    session_run(&gpu, "k", 1, 32, &memory, sizeof memory);
    session_close(&gpu);
    assert_int_equal(sl_recorder_finish(recorder, &error), SL_OK);
    assert_int_equal(sl_trace_open(path, &trace, NULL, &error), SL_OK);
    assert_int_equal(sl_machine_load("h200", &h200, &error), SL_OK);
    *s = (seen){0};
    const sl_line_stream stream = {.machine = &h200, .line_bytes = 128, .sector_bytes = 32, .access = note, .to = s};
    assert_int_equal(sl_line_stream_run(&stream, trace, 0, &error), SL_OK);
    for (uint32_t i = 0; i < s->count; i++)
        s->access[i].line -= memory / 128;
    sl_trace_close(trace);
    unlink(path);
}

static void assert_access(const seen *s, uint32_t n, sl_mem_access kind, uint64_t line, uint32_t sectors)
{
    assert_true(n < s->count);
    assert_int_equal(s->access[n].kind, kind);
    assert_int_equal(s->access[n].line, line);
    assert_int_equal(s->access[n].sectors, sectors);
}

static void what_was_just_loaded_is_left_out(void **state)
{
    (void)state;
    seen s;
    run("add.u64 %b, %a, %o;\n"
        "ld.global.u32 %r, [%b];\n"
        "ld.global.u32 %r, [%b];\n"
        "ld.global.u32 %r, [%b+64];\n", /* half of it is in the line before */
        &s);
    assert_int_equal(s.count, 2);
    assert_access(&s, 0, SL_ACCESS_LOAD, 0, 0xf);
    assert_access(&s, 1, SL_ACCESS_LOAD, 1, 0x3);
}

/* The first level serves them: it has the words of the store, and L2 is not asked for the rest of their sectors. */
static void loads_of_words_that_were_just_stored_are_left_out(void **state)
{
    (void)state;
    seen s;
    run("add.u64 %b, %a, %o;\nadd.u64 %b, %b, %o;\n"
        "st.global.u32 [%b], %t;\n"
        "ld.global.u32 %r, [%b];\n"
        "ld.global.u32 %r, [%b+64];\n", /* as far as that is not beyond them */
        &s);
    assert_int_equal(s.count, 3);
    assert_access(&s, 0, SL_ACCESS_STORE, 0, 0xf);
    assert_access(&s, 1, SL_ACCESS_STORE, 1, 0xf);
    assert_int_equal(s.access[0].whole, 0);
    assert_int_equal(s.access[0].words, 0x55555555);
    assert_access(&s, 2, SL_ACCESS_LOAD, 2, 0x3);
}

/* One of them needs all of the sector. */
static void loads_of_words_beside_those_that_were_stored_remain(void **state)
{
    (void)state;
    seen s;
    run("add.u64 %b, %a, %o;\nadd.u64 %b, %b, %o;\n"
        "st.global.u32 [%b], %t;\n"
        "ld.global.u32 %r, [%b+4];\n",
        &s);
    assert_int_equal(s.count, 4);
    assert_access(&s, 2, SL_ACCESS_LOAD, 0, 0xf);
    assert_access(&s, 3, SL_ACCESS_LOAD, 1, 0xf);
}

/* Atomics are executed behind the first level, which does not have their results. */
static void loads_behind_atomics_remain(void **state)
{
    (void)state;
    seen s;
    run("add.u64 %b, %a, %o;\n"
        "st.global.u32 [%b], %t;\n"
        "red.global.add.u32 [%b], %t;\n"
        "ld.global.u32 %r, [%b];\n",
        &s);
    assert_int_equal(s.count, 3);
    assert_access(&s, 1, SL_ACCESS_ATOMIC, 0, 0xf);
    assert_access(&s, 2, SL_ACCESS_LOAD, 0, 0xf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_just_loaded_is_left_out),
        cmocka_unit_test(loads_of_words_that_were_just_stored_are_left_out),
        cmocka_unit_test(loads_of_words_beside_those_that_were_stored_remain),
        cmocka_unit_test(loads_behind_atomics_remain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
