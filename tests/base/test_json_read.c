/* SPDX-License-Identifier: MIT */
#include "base/json_read.h"

#include <locale.h>
#include <string.h>

#include "support.h"

static sl_json_value *parse(sl_arena *arena, const char *text)
{
    sl_json_value *value;
    sl_error error = {0};
    if (sl_json_parse(text, strlen(text), "t.json", arena, &value, &error))
        fail_msg("%s: %s", text, error.text);
    return value;
}

static void expect_error(const char *text, size_t length, uint32_t line, uint32_t column, const char *part)
{
    sl_arena arena;
    sl_json_value *value;
    sl_error error = {0};
    sl_arena_init(&arena);
    if (!sl_json_parse(text, length, "t.json", &arena, &value, &error))
        fail_msg("'%s' was taken", text);
    if (!strstr(error.text, part))
        fail_msg("'%s': '%s' does not say '%s'", text, error.text, part);
    assert_string_equal(error.file, "t.json");
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    sl_arena_fini(&arena);
}
#define EXPECT_ERROR(text, line, column, part) expect_error((text), sizeof(text) - 1, (line), (column), (part))

static void values_of_every_kind_are_read(void **state)
{
    (void)state;
    sl_arena arena;
    sl_arena_init(&arena);
    const sl_json_value *v = parse(&arena, " {\"a\": [1, -2.5e1, 0],\n \"b\": {}, \"c\": null, \"d\": true} ");
    assert_int_equal(v->kind, SL_JSON_OBJECT);
    assert_int_equal(v->count, 4);
    const sl_json_value *a = sl_json_member(v, "a"), *d = sl_json_member(v, "d");
    assert_int_equal(a->count, 3);
    assert_true(a->value[0]->number == 1 && a->value[1]->number == -25 && a->value[2]->number == 0);
    assert_int_equal(a->line, 1);
    assert_int_equal(a->column, 8);
    assert_true(d->kind == SL_JSON_BOOL && d->truth);
    assert_int_equal(d->line, 2);
    assert_int_equal(sl_json_member(v, "c")->kind, SL_JSON_NULL);
    assert_null(sl_json_member(v, "e"));
    assert_null(sl_json_member(a, "a"));
    sl_arena_fini(&arena);
}

static void escapes_become_characters(void **state)
{
    (void)state;
    sl_arena arena;
    sl_arena_init(&arena);
    assert_string_equal(parse(&arena, "\"a\\\"\\\\\\/\\n\\t\\u00e9\\u20ac\\ud83d\\ude00\xc3\xa9\"")->text,
                        "a\"\\/\n\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9");
    assert_string_equal(parse(&arena, "\"\"")->text, "");
    sl_arena_fini(&arena);
}

static void what_is_not_json_is_refused_with_its_location(void **state)
{
    (void)state;
    EXPECT_ERROR("", 1, 1, "ends where a value is expected");
    EXPECT_ERROR("{\"a\": 1,\n}", 2, 1, "a key");
    EXPECT_ERROR("[1 2]", 1, 4, "a comma or ]");
    EXPECT_ERROR("[1,\n 2", 2, 3, "a comma or ]");
    EXPECT_ERROR("{\"a\" 1}", 1, 6, "a colon");
    EXPECT_ERROR("{\"a\": 1, \"a\": 2}", 1, 11, "duplicate key");
    EXPECT_ERROR("01", 1, 1, "leading zero");
    EXPECT_ERROR("1.", 1, 1, "behind the point");
    EXPECT_ERROR("1e", 1, 1, "exponent");
    EXPECT_ERROR("1e999", 1, 1, "too large");
    EXPECT_ERROR("+1", 1, 1, "expected a value");
    EXPECT_ERROR("nul", 1, 1, "expected a value");
    EXPECT_ERROR("// no\n1", 1, 1, "expected a value");
    EXPECT_ERROR("1 2", 1, 3, "after the value");
    EXPECT_ERROR("\"ab", 1, 4, "ends inside a string");
    EXPECT_ERROR("\"a\nb\"", 1, 3, "control characters");
    EXPECT_ERROR("\"\\x\"", 1, 4, "backslash");
    EXPECT_ERROR("\"\\u0000\"", 1, 8, "character 0");
    EXPECT_ERROR("\"\\ud800\"", 1, 8, "half of a character");
    EXPECT_ERROR("\"\\udc00\"", 1, 8, "half of a character");
    EXPECT_ERROR("\"\xff\"", 1, 2, "not UTF-8");
    EXPECT_ERROR("\"\xc0\x80\"", 1, 2, "not UTF-8");
    EXPECT_ERROR("\"a\0b\"", 1, 3, "control characters");
    EXPECT_ERROR("1\0", 1, 2, "after the value");
}

static void nesting_has_an_end(void **state)
{
    (void)state;
    char deep[400];
    memset(deep, '[', sizeof deep);
    expect_error(deep, sizeof deep, 1, SL_JSON_NESTING + 2, "too deep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_read),
        cmocka_unit_test(escapes_become_characters),
        cmocka_unit_test(what_is_not_json_is_refused_with_its_location),
        cmocka_unit_test(nesting_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
