/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include "base/multimap.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

static void an_empty_map_finds_nothing(void **state)
{
    (void)state;
    sl_map map;
    sl_map_init(&map);
    assert_null(sl_map_get(&map, "a", 1));
    sl_map_fini(&map);
}

static void what_was_put_is_found_and_nothing_else(void **state)
{
    (void)state;
    static char keys[5000][16];
    sl_map map;
    sl_map_init(&map);
    for (int i = 0; i < 5000; i++) {
        int length = snprintf(keys[i], sizeof keys[i], "%%r%d", i);
        assert_true(sl_map_put(&map, keys[i], (size_t)length, &keys[i]));
    }
    assert_int_equal(map.count, 5000);
    for (int i = 0; i < 5000; i++)
        assert_ptr_equal(sl_map_get(&map, keys[i], strlen(keys[i])), &keys[i]);
    assert_null(sl_map_get(&map, "%r5000", 6));
    assert_null(sl_map_get(&map, "%r", 2));
    sl_map_fini(&map);
}

static void putting_a_key_again_replaces_its_value(void **state)
{
    (void)state;
    sl_map map;
    int first, second;
    sl_map_init(&map);
    assert_true(sl_map_put(&map, "key", 3, &first));
    assert_true(sl_map_put(&map, "key", 3, &second));
    assert_int_equal(map.count, 1);
    assert_ptr_equal(sl_map_get(&map, "key", 3), &second);
    sl_map_fini(&map);
}

static void entries_stay_in_the_order_they_were_put(void **state)
{
    (void)state;
    static const char *const names[] = {"zeta", "alpha", "mu", "beta"};
    sl_map map;
    sl_map_init(&map);
    for (size_t i = 0; i < 4; i++)
        assert_true(sl_map_put(&map, names[i], strlen(names[i]), (void *)names[i]));
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(map.entries[i].key, names[i]);
    sl_map_fini(&map);
}

static void keys_are_compared_by_length_and_may_hold_zeros(void **state)
{
    (void)state;
    sl_map map;
    int short_value, long_value;
    sl_map_init(&map);
    assert_true(sl_map_put(&map, "a\0b", 3, &long_value));
    assert_true(sl_map_put(&map, "a", 1, &short_value));
    assert_ptr_equal(sl_map_get(&map, "a\0b", 3), &long_value);
    assert_ptr_equal(sl_map_get(&map, "a\0c", 1), &short_value);
    assert_null(sl_map_get(&map, "a\0c", 3));
    sl_map_fini(&map);
}

static void items_of_one_key_come_in_the_order_they_were_added(void **state)
{
    (void)state;
    static const char *const keys[] = {"a", "b", "a", "c", "a", "b"};
    sl_multimap map = {0};
    uint32_t visited[6], count = 0;
    assert_int_equal(sl_multimap_first(&map, "a"), 0);
    for (size_t i = 0; i < 6; i++)
        assert_true(sl_multimap_add(&map, keys[i]));
    sl_multimap_for(&map, "a", item) visited[count++] = item;
    assert_int_equal(count, 3);
    assert_int_equal(visited[0], 0);
    assert_int_equal(visited[1], 2);
    assert_int_equal(visited[2], 4);
    sl_multimap_for(&map, "d", item) assert_true(item == UINT32_MAX); /* none */
    assert_int_equal(sl_multimap_first(&map, "c"), 3 + 1);
    sl_multimap_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_finds_nothing),
        cmocka_unit_test(what_was_put_is_found_and_nothing_else),
        cmocka_unit_test(putting_a_key_again_replaces_its_value),
        cmocka_unit_test(entries_stay_in_the_order_they_were_put),
        cmocka_unit_test(keys_are_compared_by_length_and_may_hold_zeros),
        cmocka_unit_test(items_of_one_key_come_in_the_order_they_were_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
