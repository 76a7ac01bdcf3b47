/* SPDX-License-Identifier: MIT */
/* What a database of results says is what was put into it, or nothing. */
#include "study/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"
#include "support.h"

enum { POINTS = 40, VALUES = 12, FLIPS = 1000 };

static char folder[] = "/tmp/sluice-test-XXXXXX", path[64], damaged[80];

static int make_folder(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/points.sqlite", mkdtemp(folder));
    snprintf(damaged, sizeof damaged, "%s.damaged", path);
    return 0;
}

static void remove_database(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", ".damaged"};
    char name[96];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

static int remove_folder(void **state)
{
    (void)state;
    remove_database();
    return rmdir(folder);
}

static sl_point_store *open_store(void)
{
    sl_point_store *store;
    sl_error error;
    if (sl_point_store_open(path, &store, &error))
        fail_msg("%s", error.text);
    return store;
}

static void key_of(int point, char key[SL_KEY_BYTES])
{
    snprintf(key, SL_KEY_BYTES, "%032x", point * 0x1234567);
}

/* Whole numbers, fractions, both zeros, and what is no number. */
static double value_of(int point, int value)
{
    const double numbers[] = {point * 1000003.0, 0.1 * point, -0.0, (double)NAN, 1e300, (double)INFINITY};
    return numbers[value % 6];
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void fill(void)
{
    sl_point_store *store = open_store();
    sl_timing_store timings = sl_point_store_timings(store);
    sl_error error;
    sl_point point = SL_POINT_START;
    point.input.name = "a program";
    for (int p = 0; p < POINTS; p++) {
        char key[SL_KEY_BYTES], name[16];
        sl_values values = {0};
        key_of(p, key);
        for (int v = 0; v < VALUES; v++) {
            snprintf(name, sizeof name, "counter_%d", v);
            assert_true(sl_values_add(&values, name, value_of(p, v)));
        }
        assert_int_equal(sl_point_store_put(store, key, &point, &values, NULL, &error), SL_OK);
        assert_int_equal(timings.add(store, key,
                                     &(sl_timing){.gain = 1.5, .spread = 0.25, .base = p, .time = 0.1 * p, .runs = 7},
                                     &error),
                         SL_OK);
        sl_array_free(&values);
    }
    sl_point_store_close(store);
}

/* How many points and timings are there; each of them must be what was put. */
static int check(sl_point_store *store)
{
    sl_timing_store timings = sl_point_store_timings(store);
    sl_error error;
    int there = 0;
    for (int p = 0; p < POINTS; p++) {
        char key[SL_KEY_BYTES], name[16];
        sl_values values = {0};
        sl_timing timing;
        bool found;
        key_of(p, key);
        if (!sl_point_store_get(store, key, &values, &found, &error) && found) {
            there++;
            assert_int_equal(values.count, VALUES);
            for (int v = 0; v < VALUES; v++) {
                snprintf(name, sizeof name, "counter_%d", v);
                const double *value = sl_values_find(&values, name);
                assert_non_null(value);
                assert_true(same(*value, value_of(p, v)));
            }
        }
        sl_array_free(&values);
        if (!timings.find(store, key, &timing, &found, &error) && found) {
            there++;
            assert_true(timing.gain == 1.5 && timing.spread == 0.25 && timing.base == p && timing.time == 0.1 * p &&
                        timing.runs == 7);
        }
    }
    return there;
}

static void results_are_read_back_as_they_were(void **state)
{
    (void)state;
    fill();
    sl_point_store *store = open_store();
    assert_int_equal(check(store), 2 * POINTS);
    assert_false(sl_point_store_damaged(store));
    sl_point_store_close(store);
    remove_database();
}

static void write_bytes(const char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

static void no_flipped_bit_changes_a_number(void **state)
{
    (void)state;
    char *data;
    size_t bytes;
    sl_error error;
    sl_random random = sl_random_seed(14);
    int noticed = 0, refused = 0;
    fill();
    assert_int_equal(sl_file_read(path, &data, &bytes, &error), SL_OK);
    for (int i = 0; i < FLIPS; i++) {
        uint64_t bit = sl_random_below(&random, 8 * bytes);
        remove_database();
        data[bit / 8] ^= (char)(1 << bit % 8);
        write_bytes(data, bytes);
        data[bit / 8] ^= (char)(1 << bit % 8);
        sl_point_store *store;
        if (sl_point_store_open(path, &store, &error)) {
            refused++;
            continue;
        }
        if (check(store) < 2 * POINTS)
            noticed += sl_point_store_damaged(store);
        sl_point_store_close(store);
    }
    free(data);
    remove_database();
    assert_true(noticed > FLIPS / 4); /* most bits are those of values and keys */
    assert_true(refused < FLIPS / 20);
}

static void a_database_that_cannot_be_read_is_renamed_and_another_file_is_not(void **state)
{
    (void)state;
    char *data;
    size_t bytes;
    sl_error error;
    sl_point_store *store;
    fill();
    assert_int_equal(sl_file_read(path, &data, &bytes, &error), SL_OK);
    memset(data + 4096, 0xff, bytes - 4096);
    write_bytes(data, bytes);
    free(data);
    store = open_store();
    assert_true(sl_point_store_damaged(store));
    assert_int_equal(access(damaged, F_OK), 0);
    assert_int_equal(check(store), 0);
    sl_point_store_close(store);
    fill();
    store = open_store();
    assert_int_equal(check(store), 2 * POINTS);
    sl_point_store_close(store);
    remove_database();
    write_bytes("kernel,cycles\n", 14);
    assert_int_equal(sl_point_store_open(path, &store, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "is not a database of results"));
    assert_int_not_equal(access(damaged, F_OK), 0);
    remove_database();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_read_back_as_they_were),
        cmocka_unit_test(no_flipped_bit_changes_a_number),
        cmocka_unit_test(a_database_that_cannot_be_read_is_renamed_and_another_file_is_not),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
