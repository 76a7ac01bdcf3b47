/* SPDX-License-Identifier: MIT */
#include "base/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static sl_status open_text(const char *text, sl_error *error)
{
    sl_yaml yaml;
    sl_status status = sl_yaml_open(&yaml, "a.yaml", text, strlen(text), error);
    if (!status)
        sl_yaml_close(&yaml);
    return status;
}

static void errors_have_a_line_and_a_column(void **state)
{
    (void)state;
    sl_error error = {0};
    assert_int_equal(open_text("a: 1\nb: [1, 2\nc: 3\n", &error), SL_SYNTAX);
    assert_int_equal(error.line, 3);
    assert_int_equal(open_text("a: 1\n---\nb: 2\n", &error), SL_SYNTAX);
    assert_string_equal(error.text, "a file holds one document, but here begins another");
    assert_int_equal(error.line, 3);
}

/* libyaml takes minutes for some hundred thousand. */
static void brackets_nest_only_so_deep(void **state)
{
    (void)state;
    enum { DEPTH = 400000 };
    sl_error error = {0};
    char *text = malloc(2 * DEPTH + 8);
    assert_non_null(text);
    memcpy(text, "a: ", 3);
    memset(text + 3, '[', DEPTH);
    memset(text + 3 + DEPTH, ']', DEPTH);
    text[3 + 2 * DEPTH] = 0;
    assert_int_equal(open_text(text, &error), SL_SYNTAX);
    assert_string_equal(error.text, "this is nested more than 64 levels deep");
    assert_int_equal(error.column, 3 + 65);
    free(text);
}

static void brackets_in_quotes_and_comments_do_not_nest(void **state)
{
    (void)state;
    char text[1024] = "a: \"";
    sl_error error = {0};
    for (int i = 0; i < 100; i++)
        strcat(text, " [");
    strcat(text, "\"\n# ");
    for (int i = 0; i < 100; i++)
        strcat(text, " [");
    assert_int_equal(open_text(text, &error), SL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_a_line_and_a_column),
        cmocka_unit_test(brackets_nest_only_so_deep),
        cmocka_unit_test(brackets_in_quotes_and_comments_do_not_nest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
