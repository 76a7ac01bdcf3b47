/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <stdlib.h>

#include "support.h"

static char *written;

static const char *put(const char *text, bool ascii)
{
    size_t size;
    free(written);
    FILE *file = open_memstream(&written, &size);
    sl_text_append(file, text, ascii, false);
    fclose(file);
    return written;
}

static const char *field(const char *text)
{
    size_t size;
    free(written);
    FILE *file = open_memstream(&written, &size);
    sl_csv_field(file, text);
    fclose(file);
    return written;
}

static const char *wrapped(const char *text, size_t column, size_t indent, size_t width)
{
    size_t size;
    free(written);
    FILE *file = open_memstream(&written, &size);
    sl_text_wrap(file, text, column, indent, width);
    fclose(file);
    return written;
}

static void short_first_words_are_followed_by_a_space(void **state)
{
    (void)state;
    assert_string_equal(wrapped("sh on h200", 0, 2, 80), "sh on h200");
    assert_string_equal(wrapped("a b c d", 0, 2, 5), "a b c\n  d");
}

static int release(void **state)
{
    (void)state;
    free(written);
    return 0;
}

static void plain_terminals_get_letters_of_the_same_width(void **state)
{
    (void)state;
    assert_string_equal(put("a\t12 ██▌▏ ▁▄█ long…name 4×4 é\n", true), "a\t12 ##=- .=# long~name 4x4 ?\n");
}

static void nothing_that_controls_a_terminal_gets_there(void **state)
{
    (void)state;
    assert_string_equal(put("kernel é 4×4\t1\n", false), "kernel é 4×4\t1\n");
    assert_string_equal(put("\033[2Ja\rb\bc\x7f", false), "?[2Ja?b?c?");
    assert_string_equal(put("\xc2\x9b"
                            "31m, \x9b"
                            "31m, \xe2\x80\xae",
                            false),
                        "?31m, ?31m, ?"); /* CSI; RLO */
}

/* Text in two pieces, cut after `cut` bytes. */
static const char *put_pieces(const char *text, size_t length, size_t cut)
{
    size_t size;
    free(written);
    FILE *file = open_memstream(&written, &size);
    size_t used = sl_text_append_bytes(file, text, cut, false, true);
    assert_true(cut - used < 4);
    assert_int_equal(sl_text_append_bytes(file, text + used, length - used, false, false), length - used);
    fclose(file);
    return written;
}

static void text_of_strangers_may_be_cut_anywhere(void **state)
{
    (void)state;
    static const char text[] = "a\0\xc3\xa4\xc2\x9b\x9b\xe2\x96\x88\xf0\x9f\x98\x80\033\x1c\n\xe2\x96";
    for (size_t cut = 0; cut < sizeof text; cut++)
        assert_string_equal(put_pieces(text, sizeof text - 1, cut), "a?\xc3\xa4??\xe2\x96\x88\xf0\x9f\x98\x80??\n??");
}

static void words_are_broken_before_the_last_column(void **state)
{
    (void)state;
    assert_string_equal(wrapped("one two three", 0, 0, 7), "one two\nthree");
    assert_string_equal(wrapped("one two three", 4, 2, 8), " one\n  two\n  three");
    assert_string_equal(wrapped("longerthanaline  x\n\ny", 0, 1, 5), "longerthanaline\n x\n\n y");
}

static void fields_are_quoted_and_are_no_formulas(void **state)
{
    (void)state;
    assert_string_equal(field("plain"), "plain");
    assert_string_equal(field("a,b \"c\""), "\"a,b \"\"c\"\"\"");
    assert_string_equal(field("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
    assert_string_equal(field("@SUM"), "'@SUM");
    assert_string_equal(field("+1+cmd"), "'+1+cmd");
    assert_string_equal(field("-"), "'-");
    assert_string_equal(field("-1.5"), "-1.5");
    assert_string_equal(field("+5e3"), "+5e3");
    assert_string_equal(field(""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_terminals_get_letters_of_the_same_width),
        cmocka_unit_test(nothing_that_controls_a_terminal_gets_there),
        cmocka_unit_test(text_of_strangers_may_be_cut_anywhere),
        cmocka_unit_test(words_are_broken_before_the_last_column),
        cmocka_unit_test(short_first_words_are_followed_by_a_space),
        cmocka_unit_test(fields_are_quoted_and_are_no_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
