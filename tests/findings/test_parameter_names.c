/* SPDX-License-Identifier: MIT */
/* Names of parameters in sources as people write them. */
#include "support.h"

#include "findings/kernel_facts.h"

static const char *name(const char *text, const char *kernel, uint32_t number)
{
    static char buffer[32];
    return sl_parameter_name(text, 100, kernel, number, buffer, sizeof buffer);
}

static const char source[] = "void axpy(int calls);\n"
                             "template <class T, int N = 4>\n"
                             "__global__ void __launch_bounds__(256, 2)\n"
                             "axpy(const T *__restrict__ x, std::array<T, 4> b,\n"
                             "     float (*f)(int, int), int sizes[3], unsigned, int last = 7)\n"
                             "{ x; }\n"
                             "__global__ void none() { axpy2(1, 2); }\n";

static void parameters_are_the_last_words_of_their_declarations(void **state)
{
    (void)state;
    assert_string_equal(name(source, "axpy<float>", 0), "x");
    assert_string_equal(name(source, "axpy", 1), "b");
    assert_string_equal(name(source, "axpy", 3), "sizes");
    assert_string_equal(name(source, "axpy", 5), "last");
}

static void what_is_not_there_has_no_name(void **state)
{
    (void)state;
    assert_string_equal(name(source, "axpy", 4), "");
    assert_string_equal(name(source, "axpy", 6), "");
    assert_string_equal(name(source, "none", 0), "");
    assert_string_equal(name(source, "axpy2", 0), "");
    assert_string_equal(name("__global__ void cut(int a", "cut", 1), "");
    assert_string_equal(name("", "", 0), "");
}

static void of_two_the_one_that_has_the_line_counts(void **state)
{
    (void)state;
    const char *two = "__global__ void k(int a)\n{\n}\n__global__ void k(float *b)\n{\n}\n";
    char buffer[32];
    assert_string_equal(sl_parameter_name(two, 2, "k", 0, buffer, sizeof buffer), "a");
    assert_string_equal(sl_parameter_name(two, 5, "k", 0, buffer, sizeof buffer), "b");
    assert_string_equal(sl_parameter_name(two, 0, "k", 0, buffer, sizeof buffer), "");
    assert_string_equal(sl_parameter_name("\n__global__ void k(int a)", 1, "k", 0, buffer, sizeof buffer), "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_the_last_words_of_their_declarations),
        cmocka_unit_test(of_two_the_one_that_has_the_line_counts),
        cmocka_unit_test(what_is_not_there_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
