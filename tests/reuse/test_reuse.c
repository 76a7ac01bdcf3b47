/* SPDX-License-Identifier: MIT */
#include "reuse/reuse.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support.h"

#define NEVER SL_REUSE_NEVER

static void check_sequence(const uint64_t *key, const uint64_t *distance, size_t count)
{
    sl_reuse *r = sl_reuse_create();
    assert_non_null(r);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(sl_reuse_access(r, key[i]), distance[i]);
    assert_false(sl_reuse_failed(r));
    sl_reuse_destroy(r);
}

/* Nugteren et al., table 1: x[0] x[5] x[3] x[9] x[3] x[3] x[5], four elements per line. */
static void table_1_of_the_paper_by_address(void **state)
{
    (void)state;
    const uint64_t address[] = {0, 5, 3, 9, 3, 3, 5}, distance[] = {NEVER, NEVER, NEVER, NEVER, 1, 0, 2};
    check_sequence(address, distance, 7);
}

static void table_1_of_the_paper_by_line(void **state)
{
    (void)state;
    const uint64_t line[] = {0, 1, 0, 2, 0, 0, 1}, distance[] = {NEVER, NEVER, 1, NEVER, 1, 0, 2};
    check_sequence(line, distance, 7);
}

/* Table 2: four threads take turns, two loads each. */
static void table_2_of_the_paper_by_line(void **state)
{
    (void)state;
    const uint64_t line[] = {0, 0, 1, 1, 0, 0, 1, 1}, distance[] = {NEVER, 0, NEVER, 0, 1, 0, 1, 0};
    check_sequence(line, distance, 8);
}

/* ---- the plain way: a list of keys, latest first ---- */

typedef struct stack {
    uint64_t key[4096];
    size_t count;
} stack;

static uint64_t naive_touch(stack *s, uint64_t key)
{
    size_t at = 0;
    while (at < s->count && s->key[at] != key)
        at++;
    uint64_t distance = at < s->count ? at : NEVER;
    if (at == s->count)
        s->count++;
    memmove(s->key + 1, s->key, at * sizeof *s->key);
    s->key[0] = key;
    return distance;
}

/* Keys of a universe, most of them from a part of it that wanders, so that short and long distances both occur. */
static void check_random(sl_reuse *r, uint64_t seed, uint64_t universe, int touches)
{
    sl_random random = sl_random_seed(seed);
    stack *plain = calloc(1, sizeof *plain);
    assert_non_null(plain);
    for (int i = 0; i < touches; i++) {
        bool far = sl_random_below(&random, 8) == 0;
        uint64_t pick = far ? sl_random_below(&random, universe)
                            : ((uint64_t)i / 64 + sl_random_below(&random, universe / 16 + 1)) % universe;
        uint64_t key = pick * UINT64_C(0x100000080) - 7; /* far apart, also beyond 32 bits */
        assert_int_equal(sl_reuse_access(r, key), naive_touch(plain, key));
    }
    assert_int_equal(sl_reuse_keys(r), plain->count);
    assert_false(sl_reuse_failed(r));
    free(plain);
}

static void distances_equal_those_of_a_plain_list(void **state)
{
    (void)state;
    static const uint64_t universes[] = {1, 2, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, 513, 1000, 4000};
    for (size_t i = 0; i < sizeof universes / sizeof *universes; i++) {
        sl_reuse *r = sl_reuse_create();
        assert_non_null(r);
        check_random(r, i, universes[i], 20000);
        sl_reuse_destroy(r);
    }
}

static void a_reset_forgets_everything(void **state)
{
    (void)state;
    sl_reuse *r = sl_reuse_create();
    assert_non_null(r);
    for (uint64_t seed = 0; seed < 4; seed++) {
        check_random(r, seed, seed % 2 ? 100 : 3000, 7000);
        sl_reuse_reset(r);
        assert_int_equal(sl_reuse_keys(r), 0);
    }
    sl_reuse_destroy(r);
}

static void going_round_a_ring_gives_its_size_less_one(void **state)
{
    (void)state;
    enum { RING = 100000 };
    sl_reuse *r = sl_reuse_create();
    assert_non_null(r);
    for (uint64_t i = 0; i < 3 * RING; i++)
        assert_int_equal(sl_reuse_access(r, i % RING), i < RING ? NEVER : RING - 1);
    sl_reuse_destroy(r);
}

static void going_back_and_forth_gives_every_distance(void **state)
{
    (void)state;
    enum { LENGTH = 5000 };
    sl_reuse *r = sl_reuse_create();
    assert_non_null(r);
    for (uint64_t i = 0; i < LENGTH; i++)
        assert_int_equal(sl_reuse_access(r, i), NEVER);
    for (uint64_t i = LENGTH; i-- > 0;)
        assert_int_equal(sl_reuse_access(r, i), LENGTH - 1 - i);
    sl_reuse_destroy(r);
}

static void ids_count_keys_in_the_order_of_first_touches(void **state)
{
    (void)state;
    sl_reuse *r = sl_reuse_create();
    assert_non_null(r);
    uint32_t id;
    for (uint64_t round = 0; round < 5; round++)
        for (uint32_t i = 0; i < 3000; i++) {
            assert_int_equal(sl_reuse_access_id(r, UINT64_MAX - i * UINT64_C(4096), &id), round ? 2999 : NEVER);
            assert_int_equal(id, i);
        }
    sl_reuse_destroy(r);
}

/* ---- memory that runs out: see __wrap_malloc in tests/CMakeLists.txt ---- */

static int allocations_left = -1; /* negative: all that are asked for */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);

static bool refused(void)
{
    if (allocations_left > 0)
        allocations_left--;
    else
        return allocations_left == 0;
    return false;
}

void *__wrap_malloc(size_t bytes)
{
    return refused() ? NULL : __real_malloc(bytes);
}
void *__wrap_calloc(size_t count, size_t bytes)
{
    return refused() ? NULL : __real_calloc(count, bytes);
}
void *__wrap_realloc(void *memory, size_t bytes)
{
    return refused() ? NULL : __real_realloc(memory, bytes);
}

static void a_lack_of_memory_is_remembered_until_a_reset(void **state)
{
    (void)state;
    enum { KEYS = 10000 };
    int failures = 0;
    for (int grants = 0; grants < 40; grants++) {
        allocations_left = grants;
        sl_reuse *r = sl_reuse_create();
        for (uint64_t i = 0; r && i < KEYS; i++)
            sl_reuse_access(r, i);
        allocations_left = -1;
        failures += !r || sl_reuse_failed(r);
        if (r && sl_reuse_failed(r)) {
            assert_int_equal(sl_reuse_access(r, 0), NEVER);
            sl_reuse_reset(r);
            assert_int_equal(sl_reuse_access(r, 0), NEVER);
            assert_int_equal(sl_reuse_access(r, 0), 0);
            assert_false(sl_reuse_failed(r));
        } else if (r) {
            assert_int_equal(sl_reuse_access(r, 0), KEYS - 1);
        }
        sl_reuse_destroy(r);
    }
    assert_in_range(failures, 4, 39);
}

/* ---- dropping: caches of several sizes, each with free places of its own ---- */

typedef struct lru {
    size_t lines, count;
    uint64_t key[64];
} lru;

static bool lru_remove(lru *c, uint64_t key)
{
    size_t at = 0;
    while (at < c->count && c->key[at] != key)
        at++;
    if (at == c->count)
        return false;
    memmove(c->key + at, c->key + at + 1, (c->count - at - 1) * sizeof *c->key);
    c->count--;
    return true;
}

static bool lru_touch(lru *c, uint64_t key)
{
    bool hit = lru_remove(c, key);
    c->count -= c->count == c->lines;
    memmove(c->key + 1, c->key, c->count * sizeof *c->key);
    c->key[0] = key;
    c->count++;
    return hit;
}

static void check_drops(uint64_t seed, uint64_t universe, uint64_t one_in)
{
    enum { SIZES = 7 };
    lru cache[SIZES] = {{.lines = 1}, {.lines = 2},  {.lines = 3}, {.lines = 5},
                        {.lines = 8}, {.lines = 24}, {.lines = 64}};
    sl_random random = sl_random_seed(seed);
    sl_reuse *r = sl_reuse_create();
    assert_non_null(r);
    for (int i = 0; i < 20000; i++) {
        uint64_t key = sl_random_below(&random, universe);
        uint32_t id, looked;
        if (!sl_random_below(&random, one_in)) {
            sl_reuse_remove(r, key);
            assert_int_equal(sl_reuse_look(r, key, &looked), NEVER);
            for (int c = 0; c < SIZES; c++)
                lru_remove(&cache[c], key);
            continue;
        }
        uint64_t expected = sl_reuse_look(r, key, &looked), distance = sl_reuse_access_id(r, key, &id);
        assert_int_equal(distance, expected);
        assert_true(looked == id || (looked == UINT32_MAX && distance == NEVER));
        for (int c = 0; c < SIZES; c++)
            assert_int_equal(lru_touch(&cache[c], key), distance < cache[c].lines);
    }
    assert_false(sl_reuse_failed(r));
    sl_reuse_destroy(r);
}

static void dropped_keys_leave_room_in_caches_of_every_size(void **state)
{
    (void)state;
    check_drops(1, 8, 2);
    check_drops(2, 40, 3);
    check_drops(3, 100, 10);
    check_drops(4, 3000, 4);
}

/* A B C, B leaves: C A are at 0 and 2, with an empty place between that D takes. */
static void an_empty_place_is_filled_by_what_is_not_there(void **state)
{
    (void)state;
    sl_reuse *r = sl_reuse_create();
    uint32_t id;
    for (uint64_t key = 0; key < 3; key++)
        sl_reuse_access(r, key);
    sl_reuse_remove(r, 1);
    assert_int_equal(sl_reuse_look(r, 2, &id), 0);
    assert_int_equal(sl_reuse_look(r, 0, &id), 2);
    assert_int_equal(sl_reuse_access(r, 3), NEVER);
    assert_int_equal(sl_reuse_look(r, 0, &id), 2);
    assert_int_equal(sl_reuse_access(r, 1), NEVER);
    assert_int_equal(sl_reuse_look(r, 0, &id), 3);
    assert_int_equal(sl_reuse_keys(r), 4);
    sl_reuse_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_keys_leave_room_in_caches_of_every_size),
        cmocka_unit_test(an_empty_place_is_filled_by_what_is_not_there),
        cmocka_unit_test(table_1_of_the_paper_by_address),
        cmocka_unit_test(table_1_of_the_paper_by_line),
        cmocka_unit_test(table_2_of_the_paper_by_line),
        cmocka_unit_test(distances_equal_those_of_a_plain_list),
        cmocka_unit_test(a_reset_forgets_everything),
        cmocka_unit_test(going_round_a_ring_gives_its_size_less_one),
        cmocka_unit_test(going_back_and_forth_gives_every_distance),
        cmocka_unit_test(ids_count_keys_in_the_order_of_first_touches),
        cmocka_unit_test(a_lack_of_memory_is_remembered_until_a_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
