/* SPDX-License-Identifier: MIT */
/* What the measured data says of plans: papers/h200-mpache.csv and papers/h200-plans, which papers/measure-mpache made
 * on an H200. A new measurement that replaces them has to say the same. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "tune/plan.h"

#define PAPERS SL_TEST_DATA "/../../papers/"

enum { MAX_ROWS = 2048 };

typedef struct row {
    char subject[64], kernel[64], select[16], verdict[96];
    unsigned bypass;
    double original, planned, speedup;
} row;

static struct {
    row row[MAX_ROWS];
    size_t rows;
} table;

static int read_table(void **state)
{
    (void)state;
    char line[1024];
    FILE *file = fopen(PAPERS "h200-mpache.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "subject,kernel,launch,launches,loads,groups,select,bypass,unit,original,planned,speedup,"
                              "spread_percent,noise_percent,verdict\n");
    while (fgets(line, sizeof line, file)) {
        assert_true(table.rows < MAX_ROWS);
        row *r = &table.row[table.rows++];
        int fields =
            sscanf(line, "%63[^,],%63[^,],%*u,%*u,%*u,%*u,%15[^,],%u,ns,%lf,%lf,%lf,%*f,%*f,\"%95[^\"]\"", r->subject,
                   r->kernel, r->select, &r->bypass, &r->original, &r->planned, &r->speedup, r->verdict);
        if (fields != 8)
            fail_msg("papers/h200-mpache.csv, line %zu: not understood", table.rows + 1);
    }
    fclose(file);
    return 0;
}

static void the_default_is_nowhere_slower_than_the_original(void **state)
{
    (void)state;
    unsigned kernels = 0, kept = 0;
    for (const row *r = table.row; r < table.row + table.rows; r++) {
        if (strcmp(r->select, "ours"))
            continue;
        kernels++;
        kept += !r->bypass;
        if (r->original / r->planned < 0.99 || r->speedup < 0.99)
            fail_msg("%s, %s: %.4f", r->subject, r->kernel, r->speedup);
        /* A plan stays only where it is faster for certain. */
        assert_true(!r->bypass == !!strcmp(r->verdict, "faster"));
    }
    print_message("%u kernels, of which %u stay as they are\n", kernels, kept);
    assert_int_equal(kernels, 156);
    assert_true(kept < kernels);
}

static void tables_beside_streams_gain_eight_percent(void **state)
{
    (void)state;
    unsigned found = 0;
    for (const row *r = table.row; r < table.row + table.rows; r++)
        if (!strcmp(r->select, "ours") &&
            (!strcmp(r->subject, "table_stream_l1_size_large") || !strcmp(r->subject, "table_stream_l2_size_large"))) {
            found++;
            assert_true(r->original / r->planned >= 1.08);
        }
    assert_int_equal(found, 2);
}

/* The row of a kernel with the default selection strategy. */
static const row *row_of(const char *subject, size_t length, const char *kernel)
{
    for (const row *r = table.row; r < table.row + table.rows; r++)
        if (!strcmp(r->select, "ours") && strlen(r->subject) == length && !strncmp(r->subject, subject, length) &&
            !strcmp(r->kernel, kernel))
            return r;
    fail_msg("no row of %.*s, %s", (int)length, subject, kernel);
    return NULL;
}

static void check_plan(const char *name)
{
    char path[1024];
    sl_plan plan;
    sl_error error = {0};
    snprintf(path, sizeof path, PAPERS "h200-plans/%s", name);
    if (sl_plan_read(path, &plan, &error))
        fail_msg("%s: %s", path, error.text);
    assert_string_equal(plan.timer, "gpu NVIDIA H200");
    for (uint32_t k = 0; k < plan.kernels; k++) {
        const row *r = row_of(name, strcspn(name, "."), plan.kernel[k].function);
        unsigned chosen = 0;
        for (uint32_t i = 0; i < plan.loads; i++)
            chosen += !strcmp(plan.load[i].function, r->kernel) && plan.load[i].mode != SL_BYPASS_NONE;
        assert_int_equal(chosen, r->bypass);
    }
    sl_plan_fini(&plan);
}

static void the_plans_choose_as_many_loads_as_the_table_says(void **state)
{
    (void)state;
    DIR *folder = opendir(PAPERS "h200-plans");
    assert_non_null(folder);
    unsigned plans = 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') {
            check_plan(entry->d_name);
            plans++;
        }
    closedir(folder);
    assert_int_equal(plans, 87);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_default_is_nowhere_slower_than_the_original),
                                       cmocka_unit_test(tables_beside_streams_gain_eight_percent),
                                       cmocka_unit_test(the_plans_choose_as_many_loads_as_the_table_says)};
    return cmocka_run_group_tests(tests, read_table, NULL);
}
