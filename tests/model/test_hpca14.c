/* SPDX-License-Identifier: MIT */
#include "model/hpca14.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

/* A thread trace that is written line by line, and gone when it has been modelled. */
typedef struct text {
    char path[64];
    FILE *file;
} text;

static text begin(int x, int y, int z)
{
    text t = {.path = "/tmp/sluice-test-XXXXXX"};
    int file = mkstemp(t.path);
    assert_true(file >= 0);
    t.file = fdopen(file, "w");
    assert_non_null(t.file);
    fprintf(t.file, "blocksize: %d %d %d\n", x, y, z);
    return t;
}

static void load(text *t, uint64_t thread, uint64_t addr, int bytes)
{
    fprintf(t->file, "%llu 0 %llu %d\n", (unsigned long long)thread, (unsigned long long)addr, bytes);
}

static void store(text *t, uint64_t thread, uint64_t addr)
{
    fprintf(t->file, "%llu 1 %llu 4\n", (unsigned long long)thread, (unsigned long long)addr);
}

static sl_hpca14_result model(text *t)
{
    sl_hpca14_result result;
    sl_error error;
    assert_int_equal(fclose(t->file), 0);
    sl_status status = sl_hpca14_run(t->path, &result, &error);
    unlink(t->path);
    if (status)
        fail_msg("%s", error.text);
    return result;
}

static void refuse(text *t, uint32_t line, const char *reason)
{
    sl_hpca14_result result;
    sl_error error;
    assert_int_equal(fclose(t->file), 0);
    assert_int_not_equal(sl_hpca14_run(t->path, &result, &error), SL_OK);
    unlink(t->path);
    assert_int_equal(error.line, line);
    if (!strstr(error.text, reason))
        fail_msg("'%s' lacks '%s'", error.text, reason);
}

/* ---- by hand ---- */

static void what_a_warp_loaded_is_there_when_it_comes_back(void **state)
{
    (void)state;
    text t = begin(32, 1, 1);
    for (int k = 0; k < 2; k++)
        for (uint64_t i = 0; i < 32; i++)
            load(&t, i, 4096 + 4 * i, 4);
    sl_hpca14_result r = model(&t);
    assert_int_equal(r.threads, 32);
    assert_int_equal(r.thread_loads, 64);
    assert_int_equal(r.accesses, 2);
    assert_int_equal(r.misses, 1);
    assert_int_equal(r.compulsory, 1);
    assert_true(r.miss_rate == 0.5);
}

/* Two warps ask for the line one step after the other: for both it was never there. */
static void a_line_in_flight_counts_as_never_seen(void **state)
{
    (void)state;
    text t = begin(64, 1, 1);
    for (uint64_t i = 0; i < 64; i++)
        load(&t, i, 4096, 4);
    sl_hpca14_result r = model(&t);
    assert_int_equal(r.accesses, 2);
    assert_int_equal(r.misses, 2);
    assert_int_equal(r.compulsory, 1);
    assert_int_equal(r.latency, 1);
    assert_int_equal(r.misses_no_latency, 1);
}

/* Addresses a multiple of 2^20 apart are in one set of four lines. Five of them, twice: the second time each is at a
 * distance of 4, a miss while it runs but a hit in the report. Six of them are at 5. */
static void the_report_lets_a_distance_of_four_pass(void **state)
{
    (void)state;
    for (uint64_t lines = 4; lines <= 6; lines++) {
        text t = begin(1, 1, 1);
        for (int k = 0; k < 2; k++)
            for (uint64_t i = 0; i < lines; i++)
                load(&t, 0, i << 20, 4);
        sl_hpca14_result r = model(&t);
        assert_int_equal(r.accesses, 2 * lines);
        assert_int_equal(r.compulsory, lines);
        assert_int_equal(r.misses, lines == 6 ? 12 : lines);
        assert_int_equal(r.associativity, lines == 6 ? 6 : 0);
        assert_int_equal(r.misses_full_associativity, lines);
    }
}

static void loads_are_coalesced_by_number_and_stores_left_out(void **state)
{
    (void)state;
    text t = begin(32, 1, 1);
    for (uint64_t i = 0; i < 32; i++) {
        if (i % 2)
            store(&t, i, 4 * i);
        load(&t, i, 4096 + 4 * i, 4); /* the first load of each, whatever it stored before */
    }
    assert_int_equal(model(&t).accesses, 1);
}

static void wide_loads_are_coalesced_by_parts_of_the_warp(void **state)
{
    (void)state;
    for (int bytes = 4; bytes <= 16; bytes *= 2) {
        text t = begin(32, 1, 1);
        for (uint64_t i = 0; i < 32; i++)
            load(&t, i, 4096, bytes);
        assert_int_equal(model(&t).accesses, bytes / 4);
    }
}

static void threads_without_loads_end_at_once(void **state)
{
    (void)state;
    text t = begin(32, 2, 1);
    load(&t, 40, 4096, 4); /* the first warp has none, the second is cut short */
    load(&t, 200, 8192, 4);
    sl_hpca14_result r = model(&t);
    assert_int_equal(r.threads, 201);
    assert_int_equal(r.accesses, 2);
    assert_int_equal(r.misses, 2);
    assert_int_equal(r.resident_blocks, 4);
}

static void as_many_blocks_as_fit_run_at_a_time(void **state)
{
    (void)state;
    const int size[] = {1, 256, 1024}, resident[] = {8, 6, 1};
    for (int i = 0; i < 3; i++) {
        text t = begin(size[i], 1, 1);
        load(&t, (uint64_t)size[i] * 20 - 1, 4096, 4);
        assert_int_equal(model(&t).resident_blocks, resident[i]);
    }
}

/* ---- frozen: computed when the totals of five larger traces were those of the authors' program ---- */

/* Each thread copies a row (the paper's figure 3). */
static sl_hpca14_result rowcopy(uint64_t rows, uint64_t columns)
{
    text t = begin((int)rows, 1, 1);
    for (uint64_t x = 0; x < columns; x++) {
        for (uint64_t i = 0; i < rows; i++)
            load(&t, i, 0x10000000 + 4 * (i * 1024 + x), 4);
        for (uint64_t i = 0; i < rows; i++)
            store(&t, i, 0x20000000 + 4 * (i * 1024 + x));
    }
    return model(&t);
}

static void rows_copied_by_threads(void **state)
{
    (void)state;
    const struct {
        uint64_t rows, misses, any_mshrs;
    } known[] = {{64, 256, 256}, {128, 512, 560}, {256, 1144, 1840}, {512, 5184, 7264}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        sl_hpca14_result r = rowcopy(known[i].rows, 128);
        assert_int_equal(r.accesses, known[i].rows * 128);
        assert_int_equal(r.misses, known[i].misses);
        assert_int_equal(r.misses_unlimited_mshrs, known[i].any_mshrs);
    }
}

/* C = A B with a thread for each element, n x n in blocks of 16 x 16. */
static void matrices_multiplied_without_tiles(void **state)
{
    (void)state;
    enum { N = 64 };
    text t = begin(16, 16, 1);
    for (uint64_t b = 0; b < N / 16 * N / 16; b++)
        for (uint64_t k = 0; k < N; k++)
            for (uint64_t i = 0; i < 512; i++) {
                uint64_t row = b / (N / 16) * 16 + i % 256 / 16, column = b % (N / 16) * 16 + i % 16;
                load(&t, b * 256 + i % 256,
                     i < 256 ? 0x10000000 + 4 * (row * N + k) : 0x20000000 + 4 * (k * N + column), 4);
            }
    sl_hpca14_result r = model(&t);
    assert_int_equal(r.accesses, 24576);
    assert_int_equal(r.misses, 8468);
    assert_int_equal(r.compulsory, 256);
    assert_int_equal(r.capacity, 4958);
    assert_int_equal(r.latency, 3254);
    assert_int_equal(r.misses_no_latency, 508);
    assert_int_equal(r.resident_blocks, 6);
}

/* ---- what cannot be ---- */

static void bad_traces_are_errors_with_a_place(void **state)
{
    (void)state;
    text t = begin(32, 1, 1);
    load(&t, 0, 4096, 4);
    fputs("1 0 4096\n", t.file);
    refuse(&t, 3, "an access is 'thread direction address bytes'");
    t = begin(2048, 1, 1);
    load(&t, 0, 4096, 4);
    refuse(&t, 1, "more than 1536 threads");
    t = begin(32, 1, 1);
    load(&t, 0, 4096, 256);
    refuse(&t, 2, "above 128 bytes");
    t = begin(32, 1, 1);
    load(&t, 32768, 4096, 4);
    refuse(&t, 2, "at most 32768 threads");
    t = begin(32, 1, 1);
    store(&t, 0, 4096);
    refuse(&t, 0, "there is no load");
    t = begin(0, 1, 1);
    refuse(&t, 1, "at least one thread");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_warp_loaded_is_there_when_it_comes_back),
        cmocka_unit_test(a_line_in_flight_counts_as_never_seen),
        cmocka_unit_test(the_report_lets_a_distance_of_four_pass),
        cmocka_unit_test(loads_are_coalesced_by_number_and_stores_left_out),
        cmocka_unit_test(wide_loads_are_coalesced_by_parts_of_the_warp),
        cmocka_unit_test(threads_without_loads_end_at_once),
        cmocka_unit_test(as_many_blocks_as_fit_run_at_a_time),
        cmocka_unit_test(rows_copied_by_threads),
        cmocka_unit_test(matrices_multiplied_without_tiles),
        cmocka_unit_test(bad_traces_are_errors_with_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
