/* SPDX-License-Identifier: MIT */
/* Passes of atomics in a slice of L2, counted by hand. */
#include "trace/trace_maker.h"

#include "access/atomics.h"

static uint32_t passes(sl_access a, uint64_t line_addr)
{
    return sl_atomic_line_passes(&a, 32, line_addr, 128);
}

static sl_access strided(uint64_t base, int64_t stride)
{
    return (sl_access){.mask = UINT32_MAX, .affine = true, .base = base, .stride = stride, .row_lanes = 32};
}

static void lanes_on_one_word_take_a_pass_each(void **state)
{
    (void)state;
    assert_int_equal(passes(strided(0x1000, 0), 0x1000), 32);
    assert_int_equal(passes(strided(0x1024, 0), 0x1000), 32 << 8); /* the second sector */
}

static void lanes_on_different_words_of_a_sector_share_a_pass(void **state)
{
    (void)state;
    assert_int_equal(passes(strided(0x1000, 4), 0x1000), 0x01010101);
    assert_int_equal(sl_atomic_pass_count(0x01010101), 4);
    assert_int_equal(passes(strided(0x1000, 1), 0x1000), 4); /* 8 words, 4 lanes each */
}

static void only_lanes_in_the_line_count(void **state)
{
    (void)state;
    sl_access a = strided(0x1000, 64);
    assert_int_equal(passes(a, 0x1000), 0x00010001);
    assert_int_equal(passes(a, 0x1080), 0x00010001);
    assert_int_equal(passes(a, 0x2000), 0);
    a.mask = 2;
    assert_int_equal(passes(a, 0x1000), 0x00010000);
}

static void every_other_chunk_of_four_has_the_same_slice(void **state)
{
    (void)state;
    const sl_level level = {.line_bytes = 128, .bank_interleave = 256, .banks = 96};
    for (uint64_t addr = 0; addr < 64 * 1024; addr += 1024) {
        uint32_t slice = sl_atomic_unit(&level, addr), other = sl_atomic_unit(&level, addr + 256);
        assert_true(slice < 96 && other < 96 && slice != other);
        assert_int_equal(sl_atomic_unit(&level, addr + 512), slice);
        assert_int_equal(sl_atomic_unit(&level, addr + 768), other);
        assert_int_equal(sl_atomic_unit(&level, addr + 128), slice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_on_one_word_take_a_pass_each),
        cmocka_unit_test(lanes_on_different_words_of_a_sector_share_a_pass),
        cmocka_unit_test(only_lanes_in_the_line_count),
        cmocka_unit_test(every_other_chunk_of_four_has_the_same_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
