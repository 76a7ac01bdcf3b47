/* SPDX-License-Identifier: MIT */
#include "sluice/error.h"

#include <errno.h>
#include <string.h>

#include "support.h"

static void the_place_is_shown_as_far_as_it_is_known(void **state)
{
    (void)state;
    char text[2048];
    sl_error error = {0};
    assert_int_equal(sl_fail_at(&error, SL_SYNTAX, "k.ptx", 12, 5, "expected '%c'", ';'), SL_SYNTAX);
    assert_int_equal(error.status, SL_SYNTAX);
    assert_string_equal(sl_error_format(&error, text, sizeof text), "k.ptx:12:5: expected ';'");
    sl_fail_at(&error, SL_SYNTAX, "k.ptx", 12, 0, "no");
    assert_string_equal(sl_error_format(&error, text, sizeof text), "k.ptx:12: no");
    sl_fail_at(&error, SL_SYNTAX, "k.ptx", 0, 0, "no");
    assert_string_equal(sl_error_format(&error, text, sizeof text), "k.ptx: no");
    sl_fail(&error, SL_LIMIT, "no more than %d", 3);
    assert_string_equal(sl_error_format(&error, text, sizeof text), "no more than 3");
}

static void a_failed_call_is_told_with_the_systems_reason(void **state)
{
    (void)state;
    sl_error error = {0};
    errno = ENOENT;
    assert_int_equal(sl_fail_io(&error, "read", "a.slt"), SL_IO);
    assert_string_equal(error.text, "cannot read a.slt: No such file or directory");
}

static void nobody_needs_to_listen(void **state)
{
    (void)state;
    assert_int_equal(sl_fail(NULL, SL_INVALID, "x"), SL_INVALID);
    assert_int_equal(sl_fail_at(NULL, SL_SYNTAX, NULL, 0, 0, "x"), SL_SYNTAX);
    assert_int_equal(sl_fail_memory(NULL), SL_NO_MEMORY);
}

static void an_endless_text_is_cut_not_overrun(void **state)
{
    (void)state;
    char big[8192], text[64];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    sl_error error = {0};
    sl_fail_at(&error, SL_SYNTAX, big, 1, 1, "%s", big);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_int_equal(strlen(sl_error_format(&error, text, sizeof text)), sizeof text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_place_is_shown_as_far_as_it_is_known),
        cmocka_unit_test(a_failed_call_is_told_with_the_systems_reason),
        cmocka_unit_test(nobody_needs_to_listen),
        cmocka_unit_test(an_endless_text_is_cut_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
