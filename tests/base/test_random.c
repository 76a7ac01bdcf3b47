/* SPDX-License-Identifier: MIT */
#include "base/random.h"

#include "support.h"

static void splitmix64_gives_its_published_sequence(void **state)
{
    (void)state;
    uint64_t seed = 1234567;
    assert_int_equal(sl_splitmix64(&seed), 6457827717110365317u);
    assert_int_equal(sl_splitmix64(&seed), 3203168211198807973u);
    assert_int_equal(sl_splitmix64(&seed), 9817491932198370423u);
}

static void xoshiro256_gives_its_published_sequence(void **state)
{
    (void)state;
    sl_random random = {{1, 2, 3, 4}};
    static const uint64_t expected[] = {11520, 0, 1509978240, 1215971899390074240u, 1216172134540287360u};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(sl_random_u64(&random), expected[i]);
}

static void the_same_seed_gives_the_same_numbers_and_another_seed_others(void **state)
{
    (void)state;
    sl_random a = sl_random_seed(1), b = sl_random_seed(1), c = sl_random_seed(2);
    int same = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t number = sl_random_u64(&a);
        assert_int_equal(number, sl_random_u64(&b));
        same += number == sl_random_u64(&c);
    }
    assert_int_equal(same, 0);
}

static void bounded_numbers_stay_below_and_reach_every_value_about_equally(void **state)
{
    (void)state;
    sl_random random = sl_random_seed(42);
    unsigned seen[6] = {0};
    for (int i = 0; i < 60000; i++) {
        uint64_t number = sl_random_below(&random, 6);
        assert_true(number < 6);
        seen[number]++;
    }
    for (int i = 0; i < 6; i++)
        assert_in_range(seen[i], 9500, 10500);
    for (int i = 0; i < 100; i++)
        assert_int_equal(sl_random_below(&random, 1), 0);
}

static void fractions_lie_between_zero_and_one(void **state)
{
    (void)state;
    sl_random random = sl_random_seed(7);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        float f = sl_random_f32(&random);
        double d = sl_random_f64(&random);
        assert_true(f >= 0 && f < 1 && d >= 0 && d < 1);
        sum += d;
    }
    assert_true(sum > 4800 && sum < 5200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix64_gives_its_published_sequence),
        cmocka_unit_test(xoshiro256_gives_its_published_sequence),
        cmocka_unit_test(the_same_seed_gives_the_same_numbers_and_another_seed_others),
        cmocka_unit_test(bounded_numbers_stay_below_and_reach_every_value_about_equally),
        cmocka_unit_test(fractions_lie_between_zero_and_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
