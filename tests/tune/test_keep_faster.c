/* SPDX-License-Identifier: MIT */
/* A program of two kernels, a and b, that takes as long as a table says. */
#include "tune/plan.h"
#include "tune/program_results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct program {
    sl_plan_load load[2];
    sl_plan_kernel kernel[2];
    sl_plan plan;
    sl_plan_list plans;
    double ns[2][2];   /* of a and b, without and with their plan */
    double a_if_b;     /* more for a while b has its plan */
    sl_status failure; /* of the second run */
    int runs;
    sl_program_results before, after;
} program;

static void set_up(program *p)
{
    static const char *const name[] = {"a", "b"};
    *p = (program){.ns = {{10, 9}, {20, 18}}};
    for (int i = 0; i < 2; i++) {
        p->load[i] = (sl_plan_load){.function = name[i], .mode = SL_BYPASS_L1, .why = "it gains"};
        p->kernel[i] = (sl_plan_kernel){.function = name[i], .base = 10, .planned = 9, .gain = 10};
    }
    p->plan = (sl_plan){.kernels = 2, .kernel = p->kernel, .loads = 2, .load = p->load};
    p->plans = (sl_plan_list){1, &p->plan};
}

static void tear_down(program *p)
{
    sl_program_results_fini(&p->before);
    sl_program_results_fini(&p->after);
}

static sl_status run(void *context, const sl_plan_list *plans, const sl_program_results **before,
                     const sl_program_results **after, sl_error *error)
{
    program *p = context;
    tear_down(p);
    if (p->runs++ && p->failure)
        return sl_fail(error, p->failure, "the program fails");
    for (int i = 0; i < 2; i++) {
        const sl_plan_load *load = &plans->plan->load[i];
        double more = i == 0 && plans->plan->load[1].mode ? p->a_if_b : 0;
        sl_program_results_launch(&p->before, load->function, p->ns[i][0]);
        sl_program_results_launch(&p->after, load->function, p->ns[i][load->mode != 0] + more);
    }
    *before = &p->before;
    *after = &p->after;
    return SL_OK;
}

static void expect(program *p, bool revert, int runs, bool compared, unsigned a, unsigned b)
{
    bool changed = !compared;
    assert_int_equal(sl_plans_keep_faster(&p->plans, revert, run, p, &changed, NULL), SL_OK);
    assert_int_equal(p->runs, runs);
    assert_int_equal(changed, compared);
    assert_int_equal(p->load[0].mode, a);
    assert_int_equal(p->load[1].mode, b);
    tear_down(p);
}

static void plans_that_make_every_kernel_faster_are_kept(void **state)
{
    program p;
    (void)state;
    set_up(&p);
    expect(&p, true, 1, true, SL_BYPASS_L1, SL_BYPASS_L1);
    assert_null(p.kernel[0].verdict);
}

static void a_slower_kernel_gets_its_original_back_and_the_rest_is_run_again(void **state)
{
    program p;
    (void)state;
    set_up(&p);
    p.ns[1][1] = 21;
    expect(&p, true, 2, true, SL_BYPASS_L1, SL_BYPASS_NONE);
    assert_string_equal(p.kernel[1].verdict, "not faster in the program: the original is kept");
    assert_true(p.kernel[1].planned == 0 && p.kernel[1].gain == 0 && !p.load[1].why);
    assert_true(p.kernel[0].planned == 9);
}

static void all_are_reverted_where_only_an_unplanned_kernel_is_slower(void **state)
{
    program p;
    (void)state;
    set_up(&p);
    p.load[0].mode = SL_BYPASS_NONE;
    p.ns[0][1] = 10;
    p.a_if_b = 5; /* b gains 2, but a loses 5 */
    expect(&p, true, 1, false, SL_BYPASS_NONE, SL_BYPASS_NONE);
}

static void nothing_is_reverted_for_strategies_that_are_studied(void **state)
{
    program p;
    (void)state;
    set_up(&p);
    p.ns[0][1] = p.ns[1][1] = 99;
    expect(&p, false, 1, true, SL_BYPASS_L1, SL_BYPASS_L1);
}

static void a_program_without_changes_is_not_run(void **state)
{
    program p;
    (void)state;
    set_up(&p);
    p.load[0].mode = p.load[1].mode = SL_BYPASS_NONE;
    expect(&p, true, 0, false, SL_BYPASS_NONE, SL_BYPASS_NONE);
}

static void a_run_that_fails_ends_the_comparison(void **state)
{
    program p;
    bool compared;
    (void)state;
    set_up(&p);
    p.ns[1][1] = 21;
    p.failure = SL_MISMATCH;
    assert_int_equal(sl_plans_keep_faster(&p.plans, true, run, &p, &compared, NULL), SL_MISMATCH);
    assert_int_equal(p.runs, 2);
    tear_down(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_that_make_every_kernel_faster_are_kept),
        cmocka_unit_test(a_slower_kernel_gets_its_original_back_and_the_rest_is_run_again),
        cmocka_unit_test(all_are_reverted_where_only_an_unplanned_kernel_is_slower),
        cmocka_unit_test(nothing_is_reverted_for_strategies_that_are_studied),
        cmocka_unit_test(a_program_without_changes_is_not_run),
        cmocka_unit_test(a_run_that_fails_ends_the_comparison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
