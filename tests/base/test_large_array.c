/* SPDX-License-Identifier: MIT */
#include "base/large_array.h"

#include <stdint.h>
#include <string.h>

#include "support.h"

enum { NUMBERS = 1 << 20 };

static void check(sl_large_array *array, bool in_file)
{
    for (uint32_t i = 0; i < NUMBERS; i++) {
        uint32_t *number = sl_large_array_add(array, sizeof *number);
        assert_non_null(number);
        assert_int_equal(*number, 0);
        *number = i * 7;
    }
    assert_int_equal(array->fd != 0, in_file);
    for (int round = 0; round < 2; round++) {
        const uint32_t *numbers = (const uint32_t *)(const void *)array->data;
        for (uint32_t i = 0; i < NUMBERS; i++)
            if (numbers[i] != i * 7)
                fail_msg("number %u is %u", i, numbers[i]);
        sl_large_array_drop(array);
    }
    assert_int_equal(array->bytes, NUMBERS * sizeof(uint32_t));
    sl_large_array_free(array);
    assert_null(array->data);
}

static void what_is_appended_stays_in_memory_and_in_files(void **state)
{
    (void)state;
    check(&(sl_large_array){0}, false);
    check(&(sl_large_array){.folder = "/tmp", .limit = 64 << 20}, false);
    check(&(sl_large_array){.folder = "/tmp", .limit = 100}, true);
    check(&(sl_large_array){.folder = "/tmp", .limit = 2 << 20}, true);
    check(&(sl_large_array){.folder = "/nowhere", .limit = 100}, false); /* then memory must do */
}

static void an_array_can_be_used_again(void **state)
{
    (void)state;
    sl_large_array array = {.folder = "/tmp", .limit = 100};
    check(&array, true);
    check(&array, true);
    assert_null(sl_large_array_add(&array, SIZE_MAX));
    sl_large_array_free(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_appended_stays_in_memory_and_in_files),
        cmocka_unit_test(an_array_can_be_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
