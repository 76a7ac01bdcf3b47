/* SPDX-License-Identifier: MIT */
/* The interposer in front of a runtime that ends as NVIDIA's does (fake_cudart.c), in a program as nvcc makes them. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"
#include "swap/results.h"

static sl_swap_results run(const char *argument)
{
    char folder[] = "/tmp/test_interposer.XXXXXX", path[64], command[2048];
    sl_swap_results results;
    sl_error error = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/results", folder);
    snprintf(command, sizeof command, SL_SWAP_RESULTS_VARIABLE "=%s LD_PRELOAD=%s %s %s", path, SL_SWAP_LIBRARY,
             SL_SWAP_PROGRAM, argument);
    assert_int_equal(system(command), 0);
    if (sl_swap_results_read(path, &results, &error))
        fail_msg("%s", error.text);
    unlink(path);
    rmdir(folder);
    return results;
}

static void has_three_steps_of_two_milliseconds(const sl_swap_results *results)
{
    assert_int_equal(results->kernels.count, 1);
    assert_string_equal(results->kernels.items[0].name, "step");
    assert_int_equal(results->kernels.items[0].launches, 3);
    assert_true(results->kernels.items[0].ns == 6e6);
    assert_int_equal(results->copies, 1);
    assert_int_equal(results->bytes, 8);
}

static void launches_are_timed_before_the_driver_ends(void **state)
{
    (void)state;
    sl_swap_results results = run("");
    has_three_steps_of_two_milliseconds(&results);
    assert_int_equal(results.untimed, 0);
    sl_swap_results_fini(&results);
}

static void launches_are_timed_before_the_device_is_reset(void **state)
{
    (void)state;
    sl_swap_results results = run("reset");
    has_three_steps_of_two_milliseconds(&results);
    assert_int_equal(results.untimed, 0);
    sl_swap_results_fini(&results);
}

static void launches_into_graphs_are_counted_as_not_timed(void **state)
{
    (void)state;
    sl_swap_results results = run("graph");
    has_three_steps_of_two_milliseconds(&results);
    assert_int_equal(results.untimed, 1);
    sl_swap_results_fini(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launches_are_timed_before_the_driver_ends),
                                       cmocka_unit_test(launches_are_timed_before_the_device_is_reset),
                                       cmocka_unit_test(launches_into_graphs_are_counted_as_not_timed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
