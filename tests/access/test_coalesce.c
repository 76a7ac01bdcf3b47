/* SPDX-License-Identifier: MIT */
/* Sectors, lines and banks that a warp touches: by hand where a person can count them, by brute force elsewhere. */
#include "trace/trace_maker.h"

#include "access/coalesce.h"

static sl_access line(uint64_t base, int64_t stride)
{
    return (sl_access){.mask = UINT32_MAX, .affine = true, .base = base, .stride = stride, .row_lanes = 32};
}

static uint32_t sectors(sl_access a, uint32_t width)
{
    return sl_coalesce_count(&a, 32, width, 5);
}

static void neighboring_words_share_sectors(void **state)
{
    (void)state;
    assert_int_equal(sectors(line(0x1000, 4), 4), 4);    /* 128 bytes, aligned */
    assert_int_equal(sectors(line(0x1004, 4), 4), 5);    /* shifted by a word */
    assert_int_equal(sectors(line(0x1000, 0), 4), 1);    /* all the same word */
    assert_int_equal(sectors(line(0x1000, 8), 8), 8);    /* doubles */
    assert_int_equal(sectors(line(0x1000, 16), 16), 16); /* float4 */
    assert_int_equal(sectors(line(0x1000, 32), 4), 32);
    assert_int_equal(sectors(line(0x1000, 4096), 4), 32);
    assert_int_equal(sectors(line(0x1000, 1), 1), 1);
    assert_int_equal(sectors(line(0x107c, -4), 4), 4);
    assert_int_equal(sectors(line(0x1000, 12), 4), 12); /* every third word: 384 bytes */
}

static void an_access_across_a_boundary_touches_both_sides(void **state)
{
    (void)state;
    sl_access one = line(0x101e, 0);
    assert_int_equal(sectors(one, 4), 2);
    assert_int_equal(sectors(line(0x1010, 32), 32), 33);
}

static void inactive_lanes_touch_nothing(void **state)
{
    (void)state;
    sl_access a = line(0x1000, 4);
    a.mask = 0;
    assert_int_equal(sectors(a, 4), 0);
    a.mask = 0x80000001;
    assert_int_equal(sectors(a, 4), 2);
    a.mask = 0xff;
    assert_int_equal(sectors(a, 4), 1);
    a.mask = 0x01010101;
    assert_int_equal(sectors(a, 4), 4);
}

static void two_rows_of_a_block_are_two_pieces(void **state)
{
    (void)state;
    sl_access a = {.mask = UINT32_MAX, .affine = true, .base = 0x1000, .stride = 4, .row = 1024, .row_lanes = 16};
    assert_int_equal(sectors(a, 4), 4);
    a.stride = 0;
    assert_int_equal(sectors(a, 4), 2);
    a.row = 16; /* both in one sector */
    assert_int_equal(sectors(a, 4), 1);
    uint64_t piece[SL_MAX_LANES];
    a.row = -64;
    assert_int_equal(sl_coalesce_list(&a, 32, 4, 5, piece, SL_MAX_LANES), 2);
    assert_int_equal(piece[0], 0xfc0 / 32);
    assert_int_equal(piece[1], 0x1000 / 32);
}

/* Marks every byte's piece in a list. */
static void constant_memory_is_asked_for_each_address_once(void **state)
{
    (void)state;
    sl_access some = {.mask = UINT32_MAX};
    for (uint64_t i = 0; i < 32; i++)
        some.addr[i] = 0x1000 + i % 5 * 4;
    sl_access few = some, one = line(0x1000, 0), all = line(0x1000, 4);
    few.mask = 0x21; /* lanes 0 and 5 */
    assert_int_equal(sl_constant_passes(&some, 32), 5);
    assert_int_equal(sl_constant_passes(&few, 32), 1);
    assert_int_equal(sl_constant_passes(&one, 32), 1);
    assert_int_equal(sl_constant_passes(&all, 32), 32);
}

static uint32_t by_brute_force(const sl_access *access, uint32_t lanes, uint32_t width, unsigned log2, uint64_t *list)
{
    sl_access a = *access;
    sl_access_expand(&a, lanes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < lanes; i++)
        for (uint32_t byte = 0; a.mask >> i & 1 && byte < width; byte++) {
            uint64_t p = (a.addr[i] + byte) >> log2;
            uint32_t at = 0;
            while (at < count && list[at] < p)
                at++;
            if (at < count && list[at] == p)
                continue;
            memmove(list + at + 1, list + at, (count - at) * sizeof *list);
            list[at] = p;
            count++;
        }
    return count;
}

/* Any mask, width and shape: lines of lanes, rows of lanes, gathers. */
static sl_access random_access(uint64_t *seed, uint32_t *lanes, uint32_t *width)
{
    uint64_t r = next_random(seed);
    *lanes = r & 1 ? 64 : 32;
    *width = (r >> 10 & 15) == 0 ? 16 : 1u << (r >> 1 & 3);
    sl_access a = {.affine = r >> 14 & 3, .base = 0x100000 + (r >> 20 & 0xfff), .row_lanes = *lanes};
    a.mask = next_random(seed);
    switch (r >> 16 & 3) {
    case 0:
        a.mask = UINT64_MAX;
        break;
    case 1: /* a contiguous run */
        a.mask = (UINT64_MAX >> (r >> 32 & 31)) << (r >> 40 & 15);
        break;
    }
    if (*lanes == 32)
        a.mask &= UINT32_MAX;
    int64_t strides[] = {0, 4, -4, 8, 1, 3, 36, -100, 64, -32, 12, 128, 40, 256, 16, 132};
    a.stride = strides[r >> 44 & 15];
    if (r >> 48 & 1) {
        a.row_lanes = 1 + (uint32_t)(r >> 50) % (*lanes - 1);
        a.phase = (uint32_t)(r >> 55) % a.row_lanes;
        a.row = (int64_t)(r >> 49 & 0x3ff) - 256;
    }
    if (r >> 47 & 1) /* whole words */
        a.base &= ~UINT64_C(3), a.row &= ~INT64_C(3);
    if (!a.affine)
        for (uint32_t i = 0; i < *lanes; i++)
            a.addr[i] = 0x100000 + (next_random(seed) & (r >> 60 & 1 ? 0xff : 0xffff)) * (r >> 61 & 1 ? *width : 1);
    return a;
}

static void closed_forms_and_gathers_agree_with_brute_force(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (unsigned n = 0; n < 40000; n++) {
        unsigned log2 = n & 1 ? 5 : n & 2 ? 7 : 3;
        uint32_t lanes, width;
        sl_access a = random_access(&seed, &lanes, &width);
        uint64_t expected[SL_MAX_LANES * 8], got[SL_MAX_LANES * 8];
        uint32_t count = by_brute_force(&a, lanes, width, log2, expected);
        assert_int_equal(sl_coalesce_count(&a, lanes, width, log2), count);
        assert_int_equal(sl_coalesce_list(&a, lanes, width, log2, got, SL_MAX_LANES * 8), count);
        assert_memory_equal(got, expected, count * sizeof *got);
    }
}

static void a_list_that_does_not_fit_still_tells_how_long_it_is(void **state)
{
    (void)state;
    sl_access a = line(0x1000, 32);
    uint64_t piece[4] = {0, 0, 77, 77};
    assert_int_equal(sl_coalesce_list(&a, 32, 4, 5, piece, 2), 32);
    assert_int_equal(piece[1], 0x1020 / 32);
    assert_int_equal(piece[2], 77);
}

static void banks_take_turns(void **state)
{
    (void)state;
    sl_access a = line(0, 4);
    assert_int_equal(sl_bank_passes(&a, 32, 4), 1);
    a.stride = 0;
    assert_int_equal(sl_bank_passes(&a, 32, 4), 1);
    a.stride = 8;
    assert_int_equal(sl_bank_passes(&a, 32, 4), 2);
    a.stride = 128; /* a column of a 32-wide tile */
    assert_int_equal(sl_bank_passes(&a, 32, 4), 32);
    a.stride = 132; /* the same with padding */
    assert_int_equal(sl_bank_passes(&a, 32, 4), 1);
    a.stride = 8;
    assert_int_equal(sl_bank_passes(&a, 32, 8), 2); /* half warps */
    a.stride = 16;
    assert_int_equal(sl_bank_passes(&a, 32, 16), 4); /* quarter warps */
    a.stride = 1;
    assert_int_equal(sl_bank_passes(&a, 32, 1), 1);
    a.mask = 0;
    assert_int_equal(sl_bank_passes(&a, 32, 4), 0);
}

/* Different words of the bank that has most, of the lanes that go together. */
static uint32_t passes_by_brute_force(const sl_access *a, uint32_t lanes, uint32_t width)
{
    uint32_t group = width > 8 ? 8 : width > 4 ? 16 : 32, passes = 0;
    for (uint32_t from = 0; from < lanes; from += group) {
        sl_access some = *a;
        some.mask &= ((UINT64_C(1) << group) - 1) << from;
        uint64_t word[SL_MAX_LANES * 8];
        uint32_t count = by_brute_force(&some, lanes, width, 2, word), of_bank[32] = {0}, max = 0;
        for (uint32_t i = 0; i < count; i++)
            if (++of_bank[word[i] % 32] > max)
                max = of_bank[word[i] % 32];
        passes += max;
    }
    return passes;
}

static void passes_over_banks_agree_with_brute_force(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (unsigned n = 0; n < 40000; n++) {
        uint32_t lanes, width;
        sl_access a = random_access(&seed, &lanes, &width);
        assert_int_equal(sl_bank_passes(&a, lanes, width), passes_by_brute_force(&a, lanes, width));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_memory_is_asked_for_each_address_once),
        cmocka_unit_test(neighboring_words_share_sectors),
        cmocka_unit_test(an_access_across_a_boundary_touches_both_sides),
        cmocka_unit_test(inactive_lanes_touch_nothing),
        cmocka_unit_test(two_rows_of_a_block_are_two_pieces),
        cmocka_unit_test(closed_forms_and_gathers_agree_with_brute_force),
        cmocka_unit_test(a_list_that_does_not_fit_still_tells_how_long_it_is),
        cmocka_unit_test(banks_take_turns),
        cmocka_unit_test(passes_over_banks_agree_with_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
