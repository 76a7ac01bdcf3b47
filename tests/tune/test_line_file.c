/* SPDX-License-Identifier: MIT */
/* The files between `sluice` and the libraries inside of programs: what is written is read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tune/job.h"
#include "tune/program_results.h"

static char path[] = "/tmp/test_line_file.XXXXXX";

static int set_up(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 || close(file);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_job_is_read_as_it_was_written(void **state)
{
    (void)state;
    sl_tune_job job = {.selector = &sl_selectors[1], .options = sl_tuner_defaults, .rounds = 7, .cold = true}, again;
    job.options.thresh1 = 0.1;
    job.options.max = UINT64_MAX;
    job.options.controls = 0x80000001;
    job.options.rank_only = true;
    job.scratch = strdup("/tmp/a folder");
    assert_true(sl_array_push(&job.launches, (sl_tune_job_launch){strdup("void k<int, 2>(float *)"), 3, 40, 9, true}));
    assert_true(sl_tune_job_write(&job, path));
    assert_int_equal(sl_tune_job_read(path, &again, NULL), SL_OK);
    assert_ptr_equal(again.selector, &sl_selectors[1]);
    assert_true(again.options.thresh1 == 0.1 && again.options.max == UINT64_MAX && again.options.weight == 0.1);
    assert_true(again.options.controls == 0x80000001 && again.options.rank_only && again.options.search == 256);
    assert_true(again.rounds == 7 && again.cold && !again.quiet);
    assert_string_equal(again.scratch, "/tmp/a folder");
    assert_int_equal(again.launches.count, 1);
    assert_string_equal(again.launches.items[0].kernel, "void k<int, 2>(float *)");
    assert_true(again.launches.items[0].number == 3 && again.launches.items[0].launches == 40);
    assert_false(again.launches.items[0].done); /* not passed on */
    sl_tune_job_fini(&job);
    sl_tune_job_fini(&again);
}

static void a_job_that_is_not_understood_is_refused(void **state)
{
    static const char *const texts[] = {"select none\n", "thresh1\n",    "thresh1 x\n", "rounds 3 4\n",
                                        "launch 1 k\n",  "launch 1 2\n", "unknown 3\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sl_tune_job job;
        sl_error error = {0};
        write_text(texts[i]);
        if (!sl_tune_job_read(path, &job, &error))
            fail_msg("read: %s", texts[i]);
    }
}

static void results_are_read_as_they_were_written(void **state)
{
    (void)state;
    sl_program_results results = {.applied = 3, .texts = 2, .untimed = 1, .refused = strdup("other code: k")}, again;
    assert_true(sl_program_results_launch(&results, "k", 1.0 / 3));
    assert_true(sl_program_results_launch(&results, "k", 2));
    sl_program_results_untuned(&results, "k", "no PTX");
    sl_program_results_untuned(&results, "l", "too short");
    sl_program_results_copy(&results, "abc", 3);
    assert_true(sl_program_results_write(&results, path));
    assert_int_equal(sl_program_results_read(path, &again, NULL), SL_OK);
    assert_true(again.applied == 3 && again.texts == 2 && again.untimed == 1);
    assert_string_equal(again.refused, "other code: k");
    assert_int_equal(again.kernels.count, 1);
    assert_memory_equal((char *)again.kernels.items + sizeof(char *), (char *)results.kernels.items + sizeof(char *),
                        sizeof *results.kernels.items - sizeof(char *));
    assert_int_equal(again.untuned.count, 2);
    assert_string_equal(again.untuned.items[1], "l: too short");
    assert_true(again.copies == 1 && again.bytes == 3 && again.hash == results.hash);
    sl_program_results_fini(&results);
    sl_program_results_fini(&again);
}

static void results_of_a_newer_or_killed_program_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    sl_program_results results;
    write_text("applied 4\nnew 3 words\nkernel 1 2\nuntimed 5\ntexts 9");
    assert_int_equal(sl_program_results_read(path, &results, NULL), SL_OK);
    assert_true(results.applied == 4 && results.untimed == 5 && !results.kernels.count && !results.refused);
    assert_int_equal(results.texts, 0); /* its line has no end */
    sl_program_results_fini(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_is_read_as_it_was_written),
        cmocka_unit_test(a_job_that_is_not_understood_is_refused),
        cmocka_unit_test(results_are_read_as_they_were_written),
        cmocka_unit_test(results_of_a_newer_or_killed_program_are_read_as_far_as_they_go),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
