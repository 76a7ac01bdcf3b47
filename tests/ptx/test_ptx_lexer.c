/* SPDX-License-Identifier: MIT */
#include "ptx/lexer.h"

#include <string.h>

#include "support.h"

/* Compares the tokens of `text` with `expected`, which lists them separated by single blanks. */
static void expect_tokens(const char *text, const char *expected)
{
    sl_lexer lexer;
    sl_token token;
    sl_lexer_init(&lexer, text, strlen(text));
    for (sl_lexer_next(&lexer, &token); token.kind != SL_TOK_END; sl_lexer_next(&lexer, &token)) {
        if (strncmp(expected, token.start, token.length) ||
            (expected[token.length] != ' ' && expected[token.length] != 0))
            fail_msg("in \"%s\": expected \"%s\", found \"%.*s\"", text, expected, (int)token.length, token.start);
        expected += token.length + (expected[token.length] == ' ');
    }
    assert_string_equal(expected, "");
}

static sl_token nth_token(const char *text, int n)
{
    sl_lexer lexer;
    sl_token token;
    sl_lexer_init(&lexer, text, strlen(text));
    do
        sl_lexer_next(&lexer, &token);
    while (n-- > 0);
    return token;
}

static void instructions_are_split_at_dots_commas_and_brackets(void **state)
{
    (void)state;
    expect_tokens("@!%p1 ld.global.v2.f32{%f1,%f2},[%rd1+-4];",
                  "@ ! %p1 ld .global .v2 .f32 { %f1 , %f2 } , [ %rd1 + - 4 ] ;");
}

static void double_colons_belong_to_a_modifier_and_single_ones_do_not(void **state)
{
    (void)state;
    expect_tokens("ld.L1::no_allocate.L2::128B.b32 $L__BB0_1: .mbarrier::complete_tx::bytes a?b:c",
                  "ld .L1::no_allocate .L2::128B .b32 $L__BB0_1 : .mbarrier::complete_tx::bytes a ? b : c");
}

static void modifiers_may_start_with_a_digit(void **state)
{
    (void)state;
    expect_tokens("tex.2d.v4.f32.f32 tcgen05.16x64b", "tex .2d .v4 .f32 .f32 tcgen05 .16x64b");
}

static void numbers_of_every_form_are_one_token(void **state)
{
    (void)state;
    expect_tokens("0x1F 07 0b101 12U 0f3F800000 0d3FF0000000000000 1.5 1.5e-3 2E+7 1e5 0fFFe00000+1",
                  "0x1F 07 0b101 12U 0f3F800000 0d3FF0000000000000 1.5 1.5e-3 2E+7 1e5 0fFFe00000 + 1");
}

static void comments_and_line_markers_are_white_space(void **state)
{
    (void)state;
    expect_tokens("# 1 \"a.cu\"\na/* b\n * c */d // e\n#line 2\nf /**/ g", "a d f g");
}

static void tokens_know_their_line_and_column(void **state)
{
    (void)state;
    sl_token token = nth_token("one /* \n\n */\n  two", 1);
    assert_int_equal(token.line, 4);
    assert_int_equal(token.column, 3);
    assert_true(token.newline_before && token.space_before);
    token = nth_token("one\ttwo", 1);
    assert_int_equal(token.line, 1);
    assert_int_equal(token.column, 5);
    assert_true(!token.newline_before && token.space_before);
}

static void a_percent_sign_starts_a_name_only_when_one_follows(void **state)
{
    (void)state;
    expect_tokens("5 % 3 %r3", "5 % 3 %r3");
    assert_int_equal(nth_token("5 % 3", 1).kind, SL_TOK_PUNCT);
    assert_int_equal(nth_token("%r3", 0).kind, SL_TOK_WORD);
}

static void a_backslash_in_a_string_is_just_a_backslash(void **state)
{
    (void)state;
    expect_tokens("\"C:\\dir\\\" x", "\"C:\\dir\\\" x");
}

static void what_cannot_be_a_token_is_bad(void **state)
{
    (void)state;
    assert_int_equal(nth_token("a /* b", 1).kind, SL_TOK_BAD);
    assert_int_equal(nth_token("\"abc\n\"", 0).kind, SL_TOK_BAD);
    assert_int_equal(nth_token("a ` b", 1).kind, SL_TOK_BAD);
    assert_int_equal(nth_token("\x01", 0).kind, SL_TOK_BAD);
    assert_int_equal(nth_token("\xff", 0).kind, SL_TOK_BAD);
}

static void peeking_skips_white_space_and_takes_nothing(void **state)
{
    (void)state;
    sl_lexer lexer;
    sl_token token;
    sl_lexer_init(&lexer, "a /* x */ :b", 12);
    sl_lexer_next(&lexer, &token);
    assert_int_equal(sl_lexer_peek(&lexer), ':');
    sl_lexer_next(&lexer, &token);
    assert_int_equal(token.punct, ':');
    sl_lexer_next(&lexer, &token);
    assert_int_equal(sl_lexer_peek(&lexer), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_split_at_dots_commas_and_brackets),
        cmocka_unit_test(double_colons_belong_to_a_modifier_and_single_ones_do_not),
        cmocka_unit_test(modifiers_may_start_with_a_digit),
        cmocka_unit_test(numbers_of_every_form_are_one_token),
        cmocka_unit_test(comments_and_line_markers_are_white_space),
        cmocka_unit_test(tokens_know_their_line_and_column),
        cmocka_unit_test(a_percent_sign_starts_a_name_only_when_one_follows),
        cmocka_unit_test(a_backslash_in_a_string_is_just_a_backslash),
        cmocka_unit_test(what_cannot_be_a_token_is_bad),
        cmocka_unit_test(peeking_skips_white_space_and_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
