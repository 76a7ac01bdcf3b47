/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static void blocks_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    sl_arena arena;
    sl_arena_init(&arena);
    unsigned char *blocks[2000];
    for (size_t i = 0; i < 2000; i++) {
        size_t bytes = i % 97 + 1;
        blocks[i] = sl_arena_alloc(&arena, bytes);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        for (size_t b = 0; b < bytes; b++)
            assert_int_equal(blocks[i][b], 0);
        memset(blocks[i], (int)(i % 255 + 1), bytes);
    }
    for (size_t i = 0; i < 2000; i++)
        for (size_t b = 0; b < i % 97 + 1; b++)
            assert_int_equal(blocks[i][b], i % 255 + 1);
    sl_arena_fini(&arena);
}

static void a_large_block_does_not_waste_the_chunk_in_use(void **state)
{
    (void)state;
    sl_arena arena;
    sl_arena_init(&arena);
    char *before = sl_arena_alloc(&arena, 16);
    char *large = sl_arena_alloc(&arena, 1 << 20);
    char *after = sl_arena_alloc(&arena, 16);
    memset(large, 1, 1 << 20);
    assert_ptr_equal(after, before + 16);
    sl_arena_fini(&arena);
}

static void an_impossible_size_returns_null_without_a_landing_place(void **state)
{
    (void)state;
    sl_arena arena;
    sl_arena_init(&arena);
    assert_null(sl_arena_alloc(&arena, SIZE_MAX));
    assert_null(sl_arena_alloc(&arena, SIZE_MAX / 2));
    assert_non_null(sl_arena_alloc(&arena, 1));
    sl_arena_fini(&arena);
}

static void an_impossible_size_jumps_to_the_landing_place(void **state)
{
    (void)state;
    sl_arena arena;
    sl_arena_init(&arena);
    jmp_buf landing;
    volatile int landed = 0;
    if (setjmp(landing)) {
        landed = 1;
    } else {
        arena.on_oom = &landing;
        sl_arena_alloc(&arena, SIZE_MAX);
    }
    assert_int_equal(landed, 1);
    sl_arena_fini(&arena);
}

static void an_array_whose_size_overflows_is_out_of_memory(void **state)
{
    (void)state;
    sl_arena arena;
    sl_arena_init(&arena);
    assert_null(sl_arena_array(&arena, uint64_t, SIZE_MAX / 8 + 2));
    sl_arena_fini(&arena);
}

static void strings_are_copied_and_formatted(void **state)
{
    (void)state;
    sl_arena arena;
    sl_arena_init(&arena);
    char text[] = "add.s32";
    char *whole = sl_arena_strdup(&arena, text), *part = sl_arena_strndup(&arena, text, 3);
    text[0] = 'X';
    assert_string_equal(whole, "add.s32");
    assert_string_equal(part, "add");
    assert_string_equal(sl_arena_printf(&arena, "%s+%d", "param", 8), "param+8");
    assert_string_equal(sl_arena_strdup(&arena, ""), "");
    sl_arena_fini(&arena);
}

static void an_arena_can_be_used_again_after_it_was_emptied(void **state)
{
    (void)state;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_arena_alloc(&arena, 100);
    sl_arena_fini(&arena);
    assert_non_null(sl_arena_alloc(&arena, 100));
    sl_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_apart),
        cmocka_unit_test(a_large_block_does_not_waste_the_chunk_in_use),
        cmocka_unit_test(an_impossible_size_returns_null_without_a_landing_place),
        cmocka_unit_test(an_impossible_size_jumps_to_the_landing_place),
        cmocka_unit_test(an_array_whose_size_overflows_is_out_of_memory),
        cmocka_unit_test(strings_are_copied_and_formatted),
        cmocka_unit_test(an_arena_can_be_used_again_after_it_was_emptied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
