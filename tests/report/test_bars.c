/* SPDX-License-Identifier: MIT */
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support.h"

static void bars_are_as_long_as_their_share(void **state)
{
    (void)state;
    char buffer[SL_BAR_BYTES];
    assert_string_equal(sl_bar(0, 16, buffer), "");
    assert_string_equal(sl_bar(0.5, 4, buffer), "██");
    assert_string_equal(sl_bar(1, 4, buffer), "████");
    assert_string_equal(sl_bar(0.28125, 4, buffer), "█▏"); /* nine eighths of a column */
    assert_string_equal(sl_bar(1e-9, 4, buffer), "▏");     /* little is not nothing */
    assert_string_equal(sl_bar(7, 2, buffer), "██");
    assert_int_equal(sl_utf8_columns(sl_bar(1, 1000, buffer)), SL_BAR_COLUMNS);
}

static void sparks_have_eight_heights(void **state)
{
    (void)state;
    assert_string_equal(sl_spark(0, 8), " ");
    assert_string_equal(sl_spark(1, 100), "▁");
    assert_string_equal(sl_spark(50, 100), "▄");
    assert_string_equal(sl_spark(99, 100), "▇");
    assert_string_equal(sl_spark(100, 100), "█");
    assert_string_equal(sl_spark(UINT64_MAX, UINT64_MAX), "█");
    assert_string_equal(sl_spark(0, 0), " ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_as_long_as_their_share),
        cmocka_unit_test(sparks_have_eight_heights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
