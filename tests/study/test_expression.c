/* SPDX-License-Identifier: MIT */
/* Formulas of papers: values, holes and errors. */
#include "study/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

/* Programs P, Q and R with counters of configurations A and B; nothing is known of R under B. */
static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}
static int find_config(const void *context, const char *name)
{
    (void)context;
    return find((const char *const[]){"A", "B"}, 2, name);
}
static int find_program(const void *context, const char *name)
{
    (void)context;
    return find((const char *const[]){"P", "Q", "R"}, 3, name);
}
static int find_group(const void *context, const char *name)
{
    (void)context;
    return find((const char *const[]){"PQ", "PQR"}, 2, name);
}

static double value(const void *context, int program, int config, const char *counter)
{
    (void)context;
    if (strcmp(counter, "cycles") != 0 || (program == 2 && config == 1))
        return NAN;
    static const double cycles[3][2] = {{100, 50}, {200, 400}, {300, 0}};
    return cycles[program][config];
}
static size_t members(const void *context, int group, const int **program)
{
    static const int all[] = {0, 1, 2};
    (void)context;
    *program = all;
    return group ? 3 : 2;
}

static const sl_expression_names names = {find_config, find_program, find_group, NULL, NULL};
static const sl_expression_source source = {value, members, NULL};

static double evaluate(const char *text, int program, bool *holes)
{
    sl_arena arena;
    sl_error error;
    const sl_expression *e;
    sl_arena_init(&arena);
    if (sl_expression_parse(text, &names, &arena, &e, &error))
        fail_msg("%s: %s", text, error.text);
    double result = sl_expression_value(e, &source, program, holes);
    sl_arena_fini(&arena);
    return result;
}

static void operators_bind_as_usual(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1 + 2 * 3", 7},    {"(1 + 2) * 3", 9},  {"8 / 2 / 2", 2},        {"7 - 2 - 1", 4},
                 {"1 + 1 <= 2", 1},   {"1 < 1", 0},        {"2 > 1 and 1 >= 1", 1}, {"2 > 1 and 1 > 1", 0},
                 {"min(3, 1, 2)", 1}, {"max(3, 1, 2)", 3}, {"max(5)", 5},           {"abs(2 - 5)", 3},
                 {"abs(5 - 2)", 3},   {"1.5e1", 15},       {"A.cycles", 100},       {"A.cycles/B.cycles", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(evaluate(cases[i].text, 0, NULL) == cases[i].value);
}

static void a_condition_names_the_value_it_is_about(void **state)
{
    (void)state;
    sl_arena arena;
    sl_error error;
    const sl_expression *e;
    sl_expression_names with_value = names;
    sl_arena_init(&arena);
    assert_int_equal(sl_expression_parse("A.cycles / 2", &names, &arena, &with_value.value, &error), SL_OK);
    assert_int_equal(sl_expression_parse("value > 49 and value < 51", &with_value, &arena, &e, &error), SL_OK);
    assert_true(sl_expression_value(e, &source, 0, NULL) == 1);
    assert_int_equal(sl_expression_parse("value > 49", &names, &arena, &e, &error), SL_SYNTAX);
    assert_non_null(strstr(error.text, "there is no value here"));
    sl_arena_fini(&arena);
}

static void groups_are_summarized(void **state)
{
    (void)state;
    bool holes = false;
    assert_true(fabs(evaluate("geomean(PQ, A.cycles / B.cycles)", -1, &holes) - 1) < 1e-12);
    assert_true(evaluate("mean(PQ, A.cycles)", -1, &holes) == 150);
    assert_true(evaluate("sum(PQR, A.cycles)", -1, &holes) == 600);
    assert_true(evaluate("group_max(PQR, A.cycles) - group_min(PQR, A.cycles)", -1, &holes) == 200);
    assert_true(evaluate("count(PQR, A.cycles > 150)", -1, &holes) == 2);
    assert_true(evaluate("at(Q, B.cycles)", -1, &holes) == 400);
    assert_false(holes);
}

static void unknown_values_are_skipped_in_groups_and_reported(void **state)
{
    (void)state;
    bool holes = false;
    assert_true(evaluate("mean(PQR, B.cycles)", -1, &holes) == 225);
    assert_true(holes);
    assert_true(isnan(evaluate("B.cycles + 1", 2, NULL)));
    assert_true(isnan(evaluate("B.cycles < 1", 2, NULL)));
    assert_true(isnan(evaluate("A.cycles", -1, NULL)));
    assert_true(isnan(evaluate("A.other", 0, NULL)));
    assert_true(isnan(evaluate("1 / 0", 0, NULL)));
    /* a condition as a divisor picks programs */
    assert_true(evaluate("mean(PQR, A.cycles / (A.cycles > 150))", -1, &holes) == 250);
}

static void note_use(void *context, int program, int config)
{
    char *text = context;
    snprintf(text + strlen(text), 64, "%d%d ", program, config);
}

static void the_points_it_needs_follow_from_it(void **state)
{
    (void)state;
    char text[256] = "";
    sl_arena arena;
    sl_error error;
    const sl_expression *e;
    sl_arena_init(&arena);
    assert_int_equal(sl_expression_parse("mean(PQ, A.cycles) + at(R, B.cycles) + A.cycles", &names, &arena, &e, &error),
                     SL_OK);
    sl_expression_uses(e, &source, 1, note_use, text);
    sl_arena_fini(&arena);
    assert_string_equal(text, "10 21 00 10 ");
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {{"C.cycles", "unknown configuration 'C'"},
                 {"mean(X, 1)", "unknown group 'X'"},
                 {"at(X, 1)", "unknown program 'X'"},
                 {"meen(PQ, 1)", "or a function, not 'meen'"},
                 {"(1 + 2", "a ')' is missing"},
                 {"1 +", "the expression is incomplete"},
                 {"1 2", "unexpected text '2'"},
                 {"A.", "a counter name is missing"},
                 {"mean(PQ)", "a ',' is missing after 'PQ'"},
                 {"min 1", "a '(' is missing"},
                 {"1 & 2", "unexpected text '& 2'"},
                 {"", "is incomplete"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sl_arena arena;
        sl_error error = {0};
        const sl_expression *e;
        sl_arena_init(&arena);
        assert_int_equal(sl_expression_parse(cases[i].text, &names, &arena, &e, &error), SL_SYNTAX);
        if (!strstr(error.text, cases[i].reason))
            fail_msg("'%s': %s", cases[i].text, error.text);
        sl_arena_fini(&arena);
    }
    char deep[1000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    sl_arena arena;
    sl_error error = {0};
    const sl_expression *e;
    sl_arena_init(&arena);
    assert_int_equal(sl_expression_parse(deep, &names, &arena, &e, &error), SL_SYNTAX);
    assert_non_null(strstr(error.text, "too many nested parentheses"));
    sl_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_usual),
        cmocka_unit_test(a_condition_names_the_value_it_is_about),
        cmocka_unit_test(groups_are_summarized),
        cmocka_unit_test(unknown_values_are_skipped_in_groups_and_reported),
        cmocka_unit_test(the_points_it_needs_follow_from_it),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
