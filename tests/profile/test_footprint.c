/* SPDX-License-Identifier: MIT */
#include "profile/accesses.h"

#include <stdlib.h>

#include "base/random.h"
#include "support.h"

enum { LINES = 300, MAX_ACCESSES = 5000 };

/* A run of accesses, with the time of each one's predecessor. */
typedef struct history {
    uint32_t line[MAX_ACCESSES];
    uint64_t last[LINES]; /* UINT64_MAX: never */
    uint32_t accesses;
} history;

static void record(history *h, sl_footprint *f, uint32_t line)
{
    sl_footprint_access(f, h->accesses ? h->last[line] : UINT64_MAX);
    h->last[line] = h->accesses;
    h->line[h->accesses++] = line;
}

/* Different lines among accesses from … to - 1, by looking at each. */
static uint64_t different(const history *h, uint64_t from, uint64_t to)
{
    bool seen[LINES] = {0};
    uint64_t count = 0;
    for (uint64_t t = from; t < to; t++) {
        count += !seen[h->line[t]];
        seen[h->line[t]] = true;
    }
    return count;
}

static void check(const history *h, const sl_footprint *f)
{
    uint64_t length = UINT64_C(1) << f->log2_window, so_far = 0;
    assert_int_equal(sl_footprint_windows(f), (h->accesses + length - 1) / length);
    for (uint32_t w = 0; w < sl_footprint_windows(f); w++) {
        uint64_t from = w * length, to = from + length < h->accesses ? from + length : h->accesses;
        sl_footprint_window window = sl_footprint_at(f, w);
        assert_int_equal(window.accesses, to - from);
        assert_int_equal(window.lines, different(h, from, to));
        so_far += window.new_lines;
        assert_int_equal(so_far, different(h, 0, to));
    }
}

static void windows_hold_as_many_lines_as_counting_them_says(void **state)
{
    (void)state;
    sl_random random = sl_random_seed(1);
    history *h = calloc(1, sizeof *h);
    assert_non_null(h);
    for (uint32_t windows = 1; windows <= 17; windows += 4) {
        sl_footprint f;
        assert_true(sl_footprint_init(&f, windows));
        h->accesses = 0;
        for (int i = 0; i < LINES; i++)
            h->last[i] = UINT64_MAX;
        while (h->accesses < MAX_ACCESSES) {
            bool far = sl_random_below(&random, 4) == 0;
            record(h, &f, (uint32_t)(far ? sl_random_below(&random, LINES) : h->accesses / 50 % LINES));
            if (h->accesses < 50 || h->accesses % 499 == 0)
                check(h, &f);
        }
        assert_in_range(sl_footprint_windows(&f), windows, 2 * windows);
        sl_footprint_coarsen(&f, f.log2_window + 1);
        check(h, &f);
        sl_footprint_fini(&f);
    }
    free(h);
}

static void no_accesses_are_no_windows(void **state)
{
    (void)state;
    sl_footprint f;
    assert_true(sl_footprint_init(&f, 4));
    assert_int_equal(sl_footprint_windows(&f), 0);
    sl_footprint_coarsen(&f, 10);
    assert_int_equal(sl_footprint_windows(&f), 0);
    sl_footprint_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_hold_as_many_lines_as_counting_them_says),
        cmocka_unit_test(no_accesses_are_no_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
