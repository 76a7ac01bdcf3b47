/* SPDX-License-Identifier: MIT */
#include "base/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

enum { JOBS = 5000 };

typedef struct tally {
    unsigned char ran[JOBS];
    unsigned max_worker;
    size_t fail_from, fail_step;
} tally;

static sl_status count_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)error;
    tally *t = context;
    t->ran[index]++;
    if (worker >= t->max_worker)
        return sl_fail(error, SL_INVALID, "worker %u of %u", worker, t->max_worker);
    return SL_OK;
}

static void every_job_runs_once_whatever_the_number_of_threads(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        sl_pool *pool;
        assert_int_equal(sl_pool_create(threads, &pool, NULL), SL_OK);
        assert_int_equal(sl_pool_threads(pool), threads);
        tally t = {.max_worker = threads};
        assert_int_equal(sl_pool_run(pool, JOBS, count_job, &t, NULL), SL_OK);
        for (size_t i = 0; i < JOBS; i++)
            assert_int_equal(t.ran[i], 1);
        sl_pool_destroy(pool);
    }
}

static void a_pool_can_be_run_again_and_again(void **state)
{
    (void)state;
    sl_pool *pool;
    assert_int_equal(sl_pool_create(4, &pool, NULL), SL_OK);
    tally t = {.max_worker = 4};
    for (size_t round = 0; round < 200; round++)
        assert_int_equal(sl_pool_run(pool, round % 7, count_job, &t, NULL), SL_OK);
    assert_int_equal(t.ran[0], 171);
    assert_int_equal(t.ran[5], 28);
    assert_int_equal(t.ran[6], 0);
    sl_pool_destroy(pool);
}

static sl_status failing_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    tally *t = context;
    t->ran[index]++;
    if (index >= t->fail_from && (index - t->fail_from) % t->fail_step == 0) {
        /* The lowest failure is also the slowest. */
        if (index == t->fail_from)
            usleep(2000);
        return sl_fail(error, SL_CORRUPT, "job %zu", index);
    }
    return SL_OK;
}

static void the_failure_with_the_lowest_number_is_reported(void **state)
{
    (void)state;
    sl_pool *pool;
    assert_int_equal(sl_pool_create(4, &pool, NULL), SL_OK);
    for (int round = 0; round < 20; round++) {
        tally t = {.fail_from = 100, .fail_step = 1};
        sl_error error = {0};
        assert_int_equal(sl_pool_run(pool, JOBS, failing_job, &t, &error), SL_CORRUPT);
        assert_string_equal(error.text, "job 100");
        for (size_t i = 0; i <= 100; i++)
            assert_int_equal(t.ran[i], 1);
    }
    sl_pool_destroy(pool);
}

static void success_leaves_the_error_untouched(void **state)
{
    (void)state;
    sl_pool *pool;
    assert_int_equal(sl_pool_create(3, &pool, NULL), SL_OK);
    sl_error error = {.text = "before"};
    tally t = {.max_worker = 3};
    assert_int_equal(sl_pool_run(pool, 10, count_job, &t, &error), SL_OK);
    assert_string_equal(error.text, "before");
    sl_pool_destroy(pool);
}

static void without_a_pool_jobs_run_in_order_and_stop_at_the_first_failure(void **state)
{
    (void)state;
    tally t = {.fail_from = 7, .fail_step = 1};
    sl_error error = {0};
    assert_int_equal(sl_pool_run(NULL, JOBS, failing_job, &t, &error), SL_CORRUPT);
    assert_string_equal(error.text, "job 7");
    assert_int_equal(t.ran[7], 1);
    assert_int_equal(t.ran[8], 0);
}

static void zero_threads_means_all_cores(void **state)
{
    (void)state;
    sl_pool *pool;
    assert_int_equal(sl_pool_create(0, &pool, NULL), SL_OK);
    assert_true(sl_pool_threads(pool) >= 1);
    sl_pool_destroy(pool);
    sl_pool_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_runs_once_whatever_the_number_of_threads),
        cmocka_unit_test(a_pool_can_be_run_again_and_again),
        cmocka_unit_test(the_failure_with_the_lowest_number_is_reported),
        cmocka_unit_test(success_leaves_the_error_untouched),
        cmocka_unit_test(without_a_pool_jobs_run_in_order_and_stop_at_the_first_failure),
        cmocka_unit_test(zero_threads_means_all_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
