/* SPDX-License-Identifier: MIT */
/* printf in kernels: what is printed, and what is refused of formats that a stranger wrote. */
#include <stdio.h>

#include "emu/harness.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static size_t largest = SIZE_MAX; /* that realloc gives */

void *__wrap_malloc(size_t bytes)
{
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return bytes > largest ? NULL : __real_realloc(old, bytes);
}

/* printf(in, out): the format is at `in`, the arguments at `out`; n times. */
static const char PRINT[] = PTX_HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n" KERNEL(
    "L: { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d1; st.param.b64 [a], %d0;\n"
    "call.uni (r), vprintf, (f, a); ld.param.b32 %r9, [r]; }\n"
    "sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L; ret;\n");

static sl_status print(rig *r, const char *format, const void *arguments, size_t bytes, uint32_t times)
{
    char *text = rig_buffer(r, strlen(format) + 1);
    void *values = rig_buffer(r, bytes ? bytes : 8);
    strcpy(text, format);
    if (bytes)
        memcpy(values, arguments, bytes);
    return TRY(r, 1, 1, P(values), P(text), times);
}

BEHAVIOUR(conversions_print_as_in_c)
{
    const struct {
        int32_t a, width;
        double b;
        int64_t c;
        uint64_t string;
    } values = {-7, 6, 2.5, 1ll << 40, P(strcpy(rig_buffer(r, 8), "text"))};
    rig_load(r, PRINT);
    assert_int_equal(print(r, "[%-4d|%*.1f|%lld|%.2s]%%\n", &values, sizeof values, 1), SL_OK);
    assert_string_equal((const char *)r->printed.data, "[-7  |   2.5|1099511627776|te]%\n");
}

BEHAVIOUR(what_is_no_conversion_is_printed_as_it_is)
{
    rig_load(r, PRINT);
    assert_int_equal(print(r, "100%! %5y %", NULL, 0, 1), SL_OK);
    assert_string_equal((const char *)r->printed.data, "100%! %5y %");
}

/* Joined into one, the digits of these would be a width that printf refuses, and what it returns then is no length. */
BEHAVIOUR(a_second_width_or_precision_is_an_error)
{
    static const char *const formats[] = {"%4096*4096*4096s", "%1.2.3d", "%5*d", "%*5d", "%.*.*f", "%.5.s"};
    const uint64_t zeros[8] = {0};
    rig_load(r, PRINT);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        assert_int_equal(print(r, formats[i], zeros, sizeof zeros, 1), SL_FAULT);
        rig_expect_fault(r, SL_FAULT_ILLEGAL_INSTRUCTION, "more than one width or precision");
        rig_expect_text(r, formats[i]);
        assert_int_equal(r->printed.count, 0);
    }
}

BEHAVIOUR(a_field_of_more_than_4096_characters_is_an_error)
{
    const int32_t widths[] = {4097, -4097, INT32_MIN};
    rig_load(r, PRINT);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        assert_int_equal(print(r, "%*d", (const int32_t[]){widths[i], 1}, 8, 1), SL_FAULT);
        rig_expect_fault(r, SL_FAULT_ILLEGAL_INSTRUCTION, "a field of more than 4096 characters");
    }
    assert_int_equal(print(r, "%99999999999999999999d", widths, 8, 1), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_INSTRUCTION, "a field of more than 4096 characters");
    assert_int_equal(print(r, "%.4096d", widths, 8, 1), SL_OK);
    assert_int_equal(r->printed.count, 4096);
}

/* 300 fields of 4096 characters are 1.2 million. */
BEHAVIOUR(one_call_prints_at_most_a_mebibyte)
{
    char format[300 * 6 + 1] = "";
    const uint32_t zeros[301] = {0};
    for (int i = 0; i < 300; i++)
        memcpy(format + 6 * i, "%4096d", 7);
    rig_load(r, PRINT);
    assert_int_equal(print(r, format, zeros, sizeof zeros, 1), SL_LIMIT);
    rig_expect_fault(r, SL_FAULT_LIMIT, "more than 1048576 characters in one call");
}

static void lost(void *context, uint64_t calls)
{
    (void)context;
    assert_int_equal(calls, 90);
}

/* A GPU keeps the newest calls that its buffer holds. */
static void a_launch_that_prints_more_than_its_buffer_keeps_the_newest_calls(void **state)
{
    (void)state;
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1, .print_lost = lost});
    sl_emu_printf_limit(r->emu, 1000);
    rig_load(r, PRINT);
    assert_int_equal(print(r, "%100d", (const int32_t[]){5}, 4, 100), SL_OK);
    assert_int_equal(r->printed.count, 1000);
    sl_emu_printf_limit(r->emu, SL_PRINTF_BYTES);
    r->printed.count = 0;
    assert_int_equal(print(r, "%100d", (const int32_t[]){5}, 4, 100), SL_OK);
    assert_int_equal(r->printed.count, 10000);
    rig_close(r);
}

/* 8.25 MiB of text are kept of 400 MB. */
static void the_memory_for_text_is_bounded(void **state)
{
    (void)state;
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1});
    rig_load(r, PRINT);
    largest = 64 << 20;
    sl_status status = print(r, "%4000d", (const int32_t[]){5}, 4, 100000);
    largest = SIZE_MAX;
    assert_int_equal(status, SL_OK);
    assert_in_range(r->printed.count, SL_PRINTF_BYTES - 4000, SL_PRINTF_BYTES);
    rig_close(r);
}

/* However early memory runs out, the launch ends with an error, and no byte is written outside of the text. */
static void without_memory_it_is_an_error(void **state)
{
    (void)state;
    enum { LENGTH = 300000 };
    for (size_t limit = 16; limit < 400000; limit = limit * 3 / 2) {
        rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 1, .silent = true});
        rig_load(r, PRINT);
        char *string = rig_buffer(r, LENGTH + 1);
        memset(string, 'A', LENGTH);
        const uint64_t values[2] = {P(string), P(string)};
        char *format = strcpy(rig_buffer(r, 16), "%.0s%s");
        uint64_t *arguments = rig_buffer(r, sizeof values);
        memcpy(arguments, values, sizeof values);
        assert_int_equal(TRY(r, 1, 1, P(arguments), P(format), 1), SL_OK);
        r->printed.count = 0;
        largest = limit;
        sl_status status = TRY(r, 1, 1, P(arguments), P(format), 1);
        largest = SIZE_MAX;
        if (limit < LENGTH) {
            assert_int_equal(status, SL_LIMIT);
            rig_expect_text(r, "memory");
        }
        rig_close(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(conversions_print_as_in_c),
        IT(what_is_no_conversion_is_printed_as_it_is),
        IT(a_second_width_or_precision_is_an_error),
        IT(a_field_of_more_than_4096_characters_is_an_error),
        IT(one_call_prints_at_most_a_mebibyte),
        IT(a_launch_that_prints_more_than_its_buffer_keeps_the_newest_calls),
        IT(the_memory_for_text_is_bounded),
        IT(without_memory_it_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
