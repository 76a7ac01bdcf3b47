/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/random.h"
#include "reuse/belady.h"
#include "support.h"

static uint64_t fewest(const uint64_t *line, const uint32_t *set, size_t count, uint32_t sets, uint32_t ways)
{
    uint64_t misses;
    sl_error error;
    assert_int_equal(sl_belady_misses(line, set, count, sets, ways, &misses, &error), SL_OK);
    return misses;
}

static void a_line_used_again_too_late_goes_past(void **state)
{
    (void)state;
    const uint64_t line[] = {1, 2, 3, 1, 2, 4, 1, 2, 3};
    assert_int_equal(fewest(line, NULL, 9, 1, 2), 5); /* 1, 2, 3, 4, 3: neither 3 nor 4 is let in */
    assert_int_equal(fewest(line, NULL, 9, 1, 1), 7); /* 1 or 2 stays */
    assert_int_equal(fewest(line, NULL, 9, 1, 3), 4);
    assert_int_equal(fewest(line, NULL, 0, 1, 3), 0);
}

static void sets_are_apart(void **state)
{
    (void)state;
    const uint64_t line[] = {0, 1, 2, 0, 1, 2};
    const uint32_t one[] = {0, 0, 0, 0, 0, 0}, three[] = {0, 1, 2, 0, 1, 2};
    assert_int_equal(fewest(line, NULL, 6, 2, 1), 4); /* 0 and 2 share a set */
    assert_int_equal(fewest(line, one, 6, 3, 1), 5);
    assert_int_equal(fewest(line, three, 6, 3, 1), 3);
}

/* All that any cache can do: for every set of lines that it may hold, the fewest misses so far. */
enum { LINES = 6, STATES = 1 << LINES };

static void reach(uint64_t *min, uint32_t holds, uint64_t misses)
{
    min[holds] = misses < min[holds] ? misses : min[holds];
}

static uint64_t tried(const uint64_t *line, size_t count, uint32_t ways)
{
    uint64_t min[STATES], next[STATES];
    for (uint32_t s = 0; s < STATES; s++)
        min[s] = s ? UINT64_MAX : 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bit = 1u << line[i];
        for (uint32_t s = 0; s < STATES; s++)
            next[s] = UINT64_MAX;
        for (uint32_t s = 0; s < STATES; s++) {
            if (min[s] == UINT64_MAX)
                continue;
            reach(next, s, min[s] + !(s & bit)); /* a hit, or past */
            if (s & bit)
                continue;
            if ((uint32_t)__builtin_popcount(s) < ways)
                reach(next, s | bit, min[s] + 1);
            for (uint32_t out = 0; out < LINES; out++)
                if (s >> out & 1)
                    reach(next, (s & ~(1u << out)) | bit, min[s] + 1);
        }
        memcpy(min, next, sizeof min);
    }
    uint64_t best = UINT64_MAX;
    for (uint32_t s = 0; s < STATES; s++)
        best = min[s] < best ? min[s] : best;
    return best;
}

static void no_cache_misses_less(void **state)
{
    (void)state;
    sl_random random = sl_random_seed(1966);
    for (int round = 0; round < 400; round++) {
        uint64_t line[40];
        size_t count = (size_t)sl_random_below(&random, 41);
        uint32_t ways = 1 + (uint32_t)sl_random_below(&random, 5);
        for (size_t i = 0; i < count; i++)
            line[i] = sl_random_below(&random, LINES);
        assert_int_equal(fewest(line, NULL, count, 1, ways), tried(line, count, ways));
    }
}

/* Larger heaps than brute force can have: each set alone, as a search through all that it holds finds it. */
static uint64_t searched(const uint64_t *line, size_t count, uint32_t ways)
{
    uint64_t held[64], misses = 0;
    uint32_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t worst = filled, at = 0;
        size_t latest = i + 1;
        while (at < filled && held[at] != line[i])
            at++;
        if (at < filled)
            continue;
        misses++;
        if (filled < ways) {
            held[filled++] = line[i];
            continue;
        }
        while (latest < count && line[latest] != line[i])
            latest++;
        for (uint32_t w = 0; w < filled; w++) {
            size_t use = i + 1;
            while (use < count && line[use] != held[w])
                use++;
            if (use > latest) {
                latest = use;
                worst = w;
            }
        }
        if (worst < filled)
            held[worst] = line[i];
    }
    return misses;
}

static void wide_sets_do_the_same_as_a_search(void **state)
{
    (void)state;
    sl_random random = sl_random_seed(77);
    for (int round = 0; round < 20; round++) {
        static uint64_t line[3000];
        uint32_t ways = 1 + (uint32_t)sl_random_below(&random, 40);
        for (size_t i = 0; i < 3000; i++) {
            uint64_t a = sl_random_below(&random, 150), b = sl_random_below(&random, 150);
            line[i] = a < b ? a : b;
        }
        assert_int_equal(fewest(line, NULL, 3000, 1, ways), searched(line, 3000, ways));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_used_again_too_late_goes_past),
        cmocka_unit_test(sets_are_apart),
        cmocka_unit_test(no_cache_misses_less),
        cmocka_unit_test(wide_sets_do_the_same_as_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
