/* SPDX-License-Identifier: MIT */
/* Errors of predictions, their means, and what reports make of them. */
#include "report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static void set(sl_counts *c, sl_counter counter, uint64_t value)
{
    sl_counter_set_add(&c->known, counter);
    c->value[counter] = value;
}

static sl_counts loads(uint64_t sectors, uint64_t hits)
{
    sl_counts c = {0};
    set(&c, SL_COUNTER_ld_sectors, sectors);
    set(&c, SL_COUNTER_ld_sector_hits, hits);
    return c;
}

static void expect_error(sl_quantity q, const sl_counts *measured, const sl_counts *model, double expected)
{
    double difference;
    assert_true(sl_quantity_error(q, measured, model, &difference));
    assert_true(fabs(difference - expected) < 1e-9);
}

static void shares_differ_in_points_and_counts_in_percent(void **state)
{
    (void)state;
    sl_counts measured = loads(1000, 500), model = loads(2000, 1200);
    set(&measured, SL_COUNTER_dram_read_sectors, 80);
    set(&model, SL_COUNTER_dram_read_sectors, 100);
    expect_error(SL_QUANTITY_l1_hit_rate, &measured, &model, 10);
    expect_error(SL_QUANTITY_dram_reads, &measured, &model, 25);
    double difference;
    assert_true(sl_counter_error(SL_COUNTER_ld_sector_hits, &measured, &model, &difference));
    assert_true(fabs(difference - 140) < 1e-9);
}

static void what_one_side_does_not_know_has_no_error(void **state)
{
    (void)state;
    sl_counts measured = loads(1000, 500), model = loads(0, 0);
    double difference;
    assert_false(sl_quantity_error(SL_QUANTITY_l2_reads, &measured, &model, &difference));
    assert_false(sl_quantity_error(SL_QUANTITY_l1_hit_rate, &measured, &model, &difference));
    assert_false(sl_counter_error(SL_COUNTER_cycles, &measured, &model, &difference));
}

static void percents_of_nothing_are_none_but_nothing_for_nothing_is_right(void **state)
{
    (void)state;
    sl_counts measured = {0}, model = {0};
    double difference;
    set(&measured, SL_COUNTER_dram_read_sectors, 0);
    set(&model, SL_COUNTER_dram_read_sectors, 0);
    expect_error(SL_QUANTITY_dram_reads, &measured, &model, 0);
    set(&model, SL_COUNTER_dram_read_sectors, 1);
    assert_false(sl_quantity_error(SL_QUANTITY_dram_reads, &measured, &model, &difference));
}

static const char *const variants[] = {"model", "other"};

/* Errors of 10, -20 and 50 points; the last launch is too small to count. */
static void make_launches(sl_validated launch[3], sl_counts model[6])
{
    static const uint64_t sectors[] = {2000, 3000, 1000}, hits[] = {1000, 1500, 0}, guess[] = {1200, 900, 500};
    for (int i = 0; i < 3; i++) {
        model[2 * i] = loads(sectors[i], guess[i]);
        model[2 * i + 1] = loads(sectors[i], hits[i]);
        launch[i] = (sl_validated){.workload = "w",
                                   .symbol = "_Z1kv",
                                   .name = "k<&>",
                                   .index = (uint64_t)i,
                                   .grid = {1, 1, 1},
                                   .block = {32, 1, 1},
                                   .measured = loads(sectors[i], hits[i]),
                                   .model = &model[2 * i]};
    }
}

static void means_are_of_absolute_errors_of_launches_that_count(void **state)
{
    (void)state;
    sl_validated launch[3];
    sl_counts model[6];
    make_launches(launch, model);
    sl_validation v = {.launches = 3, .launch = launch, .variants = 2, .variant = variants, .min_sectors = 1000};
    sl_mean_error mean = sl_validation_mean(&v, 0, SL_QUANTITY_l1_hit_rate);
    assert_int_equal(mean.launches, 2);
    assert_true(fabs(mean.mean - 15) < 1e-9);
    assert_ptr_equal(mean.worst, &launch[1]);
    assert_true(sl_validation_mean(&v, 1, SL_QUANTITY_l1_hit_rate).mean == 0);
    assert_int_equal(sl_validation_mean(&v, 0, SL_QUANTITY_dram_reads).launches, 0);
    v.min_sectors = 999;
    assert_int_equal(sl_validation_mean(&v, 0, SL_QUANTITY_l1_hit_rate).launches, 3);
}

static char *written(sl_status (*write)(FILE *, const sl_validation *, sl_error *), const sl_validation *v)
{
    char *text;
    size_t bytes;
    sl_error error;
    FILE *file = open_memstream(&text, &bytes);
    assert_int_equal(write(file, v, &error), SL_OK);
    fclose(file);
    return text;
}

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

static void a_plot_has_a_dot_for_each_launch_that_counts(void **state)
{
    (void)state;
    sl_validated launch[3];
    sl_counts model[6];
    make_launches(launch, model);
    sl_validation v = {.launches = 3, .launch = launch, .variants = 2, .variant = variants, .min_sectors = 1000};
    char *svg = written(sl_validation_plot, &v);
    assert_int_equal(occurrences(svg, "<circle"), 2);
    assert_non_null(strstr(svg, "w: k&lt;&amp;&gt;, launch 0: measured 50.0, model 60.0"));
    assert_non_null(strstr(svg, "mean absolute error 15.00 points over 2 launches"));
    assert_int_equal(occurrences(svg, "nothing to compare"), 0); /* what nobody predicts has no panel */
    free(svg);
}

static sl_status validation_csv(FILE *file, const sl_validation *v, sl_error *error)
{
    const sl_report_info info = {0};
    sl_document *d = sl_document_create(&info, SL_FORM_CSV);
    sl_document_validation(d, v);
    sl_status status = sl_document_write(d, SL_FORM_CSV, file, 0, error);
    sl_document_destroy(d);
    return status;
}

static void csv_has_a_row_for_each_launch_variant_and_number(void **state)
{
    (void)state;
    sl_validated launch[3];
    sl_counts model[6];
    make_launches(launch, model);
    sl_validation v = {.launches = 3, .launch = launch, .variants = 2, .variant = variants, .min_sectors = 1000};
    char *csv = written(validation_csv, &v);
    assert_int_equal(occurrences(csv, "\n"), 1 + 3 * 2 * (SL_QUANTITIES + 2));
    assert_non_null(strstr(csv, "w,0,_Z1kv,k<&>,1,model,l1_hit_rate,50,60,10\n"));
    assert_non_null(strstr(csv, "w,2,_Z1kv,k<&>,0,other,ld_sector_hits,0,0,0\n"));
    assert_non_null(strstr(csv, ",dram_reads,,,\n"));
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_differ_in_points_and_counts_in_percent),
        cmocka_unit_test(what_one_side_does_not_know_has_no_error),
        cmocka_unit_test(percents_of_nothing_are_none_but_nothing_for_nothing_is_right),
        cmocka_unit_test(means_are_of_absolute_errors_of_launches_that_count),
        cmocka_unit_test(a_plot_has_a_dot_for_each_launch_that_counts),
        cmocka_unit_test(csv_has_a_row_for_each_launch_variant_and_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
