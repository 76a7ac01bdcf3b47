/* SPDX-License-Identifier: MIT */
#include "base/suggest.h"

#include <string.h>

#include "support.h"

static const char *const names[] = {"matmul", "matmul-tiled", "spmv", "stencil2d", "histogram", "vecadd"};

static const char *nearest(const char *word)
{
    return sl_suggest(word, names, sizeof names / sizeof *names);
}

static void a_typing_slip_finds_the_name_that_was_meant(void **state)
{
    (void)state;
    assert_string_equal(nearest("matmal"), "matmul");
    assert_string_equal(nearest("mtamul"), "matmul");
    assert_string_equal(nearest("histgram"), "histogram");
    assert_string_equal(nearest("spmvv"), "spmv");
    assert_string_equal(nearest("matmul_tiled"), "matmul-tiled");
}

static void a_word_that_resembles_nothing_gets_no_suggestion(void **state)
{
    (void)state;
    assert_null(nearest("quicksort"));
    assert_null(nearest("x"));
    assert_null(nearest(""));
    assert_null(sl_suggest("matmul", NULL, 0));
}

static void of_two_equally_near_names_the_first_is_taken(void **state)
{
    (void)state;
    static const char *const pair[] = {"load", "road"};
    assert_string_equal(sl_suggest("xoad", pair, 2), "load");
}

static void very_long_words_are_compared_by_their_beginning(void **state)
{
    (void)state;
    char word[4096];
    memset(word, 'm', sizeof word - 1);
    word[sizeof word - 1] = 0;
    const char *const list[] = {word, "matmul"};
    assert_ptr_equal(sl_suggest(word, list, 2), word);
    assert_null(nearest(word));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_typing_slip_finds_the_name_that_was_meant),
        cmocka_unit_test(a_word_that_resembles_nothing_gets_no_suggestion),
        cmocka_unit_test(of_two_equally_near_names_the_first_is_taken),
        cmocka_unit_test(very_long_words_are_compared_by_their_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
