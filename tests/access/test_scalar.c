/* SPDX-License-Identifier: MIT */
/* The scalar data cache: what goes there, and what it keeps. */
#include "access/scalar.h"

#include "support.h"

static sl_machine machine_of(uint32_t bytes, uint32_t ways)
{
    sl_machine m = {.lanes = 64, .core = {.scalar_bytes = bytes, .scalar_ways = ways}};
    m.level[0].line_bytes = 64;
    return m;
}

static void loads_of_one_address_go_there(void **state)
{
    (void)state;
    const sl_machine with = machine_of(1024, 2), without = machine_of(0, 2);
    const sl_inst load = {.access = SL_ACCESS_LOAD, .space = SL_MEM_GLOBAL, .uniform = 1},
                  other = {.access = SL_ACCESS_LOAD, .space = SL_MEM_GLOBAL};
    sl_access one = {.mask = UINT64_MAX, .affine = true, .base = 4096, .row_lanes = 64};
    assert_true(sl_access_is_scalar(&with, &load, &one));
    assert_false(sl_access_is_scalar(&without, &load, &one));
    assert_false(sl_access_is_scalar(&with, &other, &one)); /* the code does not show it */
    one.stride = 4;
    assert_false(
        sl_access_is_scalar(&with, &load, &one)); /* the code was wrong: lanes left a loop at different times */
    one.mask = 1 << 5;
    assert_true(sl_access_is_scalar(&with, &load, &one));
    sl_access any = {.mask = 0xf0};
    for (int i = 0; i < 64; i++)
        any.addr[i] = i == 3 ? 8 : 4096;
    assert_true(sl_access_is_scalar(&with, &load, &any)); /* lane 3 takes no part */
    any.mask = 0xf8;
    assert_false(sl_access_is_scalar(&with, &load, &any));
}

static void a_set_keeps_the_lines_used_last(void **state)
{
    (void)state;
    const sl_machine m = machine_of(256, 2); /* two sets of two ways */
    sl_scalar_cache c = {0};
    sl_error error;
    assert_int_equal(sl_scalar_cache_start(&c, &m, &error), SL_OK);
    assert_false(sl_scalar_cache_access(&c, 0));
    assert_false(sl_scalar_cache_access(&c, 2));
    assert_true(sl_scalar_cache_access(&c, 0));
    assert_false(sl_scalar_cache_access(&c, 4)); /* in the place of 2 */
    assert_true(sl_scalar_cache_access(&c, 0));
    assert_false(sl_scalar_cache_access(&c, 2));
    assert_false(sl_scalar_cache_access(&c, 1)); /* another set */
    assert_true(sl_scalar_cache_access(&c, 1));
    assert_int_equal(sl_scalar_cache_start(&c, &m, &error), SL_OK); /* empty again */
    assert_false(sl_scalar_cache_access(&c, 1));
    sl_scalar_cache_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_one_address_go_there),
        cmocka_unit_test(a_set_keeps_the_lines_used_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
