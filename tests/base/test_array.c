/* SPDX-License-Identifier: MIT */
#include "base/array.h"

#include "support.h"

typedef struct point {
    int x, y;
} point;

static void pushed_elements_stay_in_order_while_the_array_grows(void **state)
{
    (void)state;
    SL_ARRAY(uint64_t) numbers = {0};
    for (uint64_t i = 0; i < 10000; i++)
        assert_true(sl_array_push(&numbers, i * i));
    assert_int_equal(numbers.count, 10000);
    for (uint64_t i = 0; i < 10000; i++)
        assert_int_equal(numbers.items[i], i * i);
    sl_array_free(&numbers);
    assert_null(numbers.items);
    assert_int_equal(numbers.count, 0);
}

static void compound_literals_can_be_pushed(void **state)
{
    (void)state;
    SL_ARRAY(point) points = {0};
    assert_true(sl_array_push(&points, (point){1, 2}));
    assert_true(sl_array_push(&points, (point){.y = 4}));
    assert_int_equal(points.items[0].y, 2);
    assert_int_equal(points.items[1].x, 0);
    sl_array_free(&points);
}

static void reserved_room_is_not_moved_by_pushes_within_it(void **state)
{
    (void)state;
    SL_ARRAY(int) numbers = {0};
    assert_true(sl_array_reserve(&numbers, 100));
    int *before = numbers.items;
    for (int i = 0; i < 100; i++)
        assert_true(sl_array_push(&numbers, i));
    assert_ptr_equal(before, numbers.items);
    sl_array_free(&numbers);
}

static void a_size_beyond_memory_leaves_the_array_as_it_was(void **state)
{
    (void)state;
    SL_ARRAY(uint64_t) numbers = {0};
    assert_true(sl_array_push(&numbers, 7));
    assert_false(sl_array_reserve(&numbers, SIZE_MAX / 16));
    assert_false(sl_array_reserve(&numbers, SIZE_MAX / 2));
    assert_int_equal(numbers.count, 1);
    assert_int_equal(numbers.items[0], 7);
    sl_array_free(&numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushed_elements_stay_in_order_while_the_array_grows),
        cmocka_unit_test(compound_literals_can_be_pushed),
        cmocka_unit_test(reserved_room_is_not_moved_by_pushes_within_it),
        cmocka_unit_test(a_size_beyond_memory_leaves_the_array_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
