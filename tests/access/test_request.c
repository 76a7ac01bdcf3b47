/* SPDX-License-Identifier: MIT */
#include "access/request.h"

#include <string.h>

#include "support.h"

#define ALL UINT32_MAX

static const sl_trace_launch launch = {.lanes = 32,
                                       .shared_window = UINT64_C(0x100000000),
                                       .local_window = UINT64_C(0x200000000),
                                       .window_bytes = 0x1000000};
static const sl_access_shape sectored = {
    .log2_line = 7, .log2_sector = 5, .launch = &launch, .local_base = UINT64_C(1) << 62};

typedef struct pieces {
    uint32_t count;
    sl_line_request piece[SL_MAX_LINE_REQUESTS];
} pieces;

static sl_inst load_of(sl_mem_space space, uint16_t width)
{
    return (sl_inst){.op_class = SL_CLASS_MEMORY, .space = (uint8_t)space, .access = SL_ACCESS_LOAD, .width = width};
}

static sl_access strided(uint64_t mask, uint64_t base, int64_t stride)
{
    return (sl_access){.mask = mask, .affine = true, .base = base, .stride = stride, .row_lanes = 32};
}

/* The same lanes, once in closed form and once address by address: both must give the same pieces. */
static pieces ask(const sl_access_shape *shape, sl_inst inst, sl_access access)
{
    pieces closed, listed;
    sl_access expanded = access;
    sl_access_expand(&expanded, 32);
    expanded.affine = false;
    closed.count = sl_line_requests(shape, &inst, &access, closed.piece);
    listed.count = sl_line_requests(shape, &inst, &expanded, listed.piece);
    assert_int_equal(closed.count, listed.count);
    for (uint32_t i = 0; i < closed.count; i++) {
        assert_int_equal(closed.piece[i].line, listed.piece[i].line);
        assert_int_equal(closed.piece[i].sectors, listed.piece[i].sectors);
    }
    return closed;
}

static void check(const pieces *p, uint32_t at, uint64_t line, uint32_t sectors)
{
    assert_true(at < p->count);
    assert_int_equal(p->piece[at].line, line);
    assert_int_equal(p->piece[at].sectors, sectors);
}

static void neighboring_words_are_one_line(void **state)
{
    (void)state;
    pieces p = ask(&sectored, load_of(SL_MEM_GLOBAL, 4), strided(ALL, 0x1000, 4));
    assert_int_equal(p.count, 1);
    check(&p, 0, 0x20, 0xf);
    p = ask(&sectored, load_of(SL_MEM_GLOBAL, 4), strided(0xff00, 0x1000, 4));
    assert_int_equal(p.count, 1);
    check(&p, 0, 0x20, 0x2);
    p = ask(&sectored, load_of(SL_MEM_GLOBAL, 4), strided(ALL, 0x1010, 4)); /* 16 bytes further */
    assert_int_equal(p.count, 2);
    check(&p, 0, 0x20, 0xf);
    check(&p, 1, 0x21, 0x1);
}

static void strides_touch_as_many_lines_as_they_pass(void **state)
{
    (void)state;
    pieces p = ask(&sectored, load_of(SL_MEM_GLOBAL, 4), strided(ALL, 0x1000, 32));
    assert_int_equal(p.count, 8);
    for (uint32_t i = 0; i < 8; i++)
        check(&p, i, 0x20 + i, 0xf);
    p = ask(&sectored, load_of(SL_MEM_GLOBAL, 4), strided(ALL, 0x1000, 128));
    assert_int_equal(p.count, 32);
    for (uint32_t i = 0; i < 32; i++)
        check(&p, i, 0x20 + i, 0x1);
    p = ask(&sectored, load_of(SL_MEM_GLOBAL, 4), strided(ALL, 0x1000 + 31 * 256 + 64, -256));
    assert_int_equal(p.count, 32);
    for (uint32_t i = 0; i < 32; i++)
        check(&p, i, 0x20 + 2 * i, 0x4);
    p = ask(&sectored, load_of(SL_MEM_GLOBAL, 4), strided(ALL, 0x1020, 0));
    assert_int_equal(p.count, 1);
    check(&p, 0, 0x20, 0x2);
}

static void words_that_cross_a_line_touch_both(void **state)
{
    (void)state;
    pieces p = ask(&sectored, load_of(SL_MEM_GLOBAL, 16), strided(1, 0x1078, 16));
    assert_int_equal(p.count, 2);
    check(&p, 0, 0x20, 0x8);
    check(&p, 1, 0x21, 0x1);
}

/* CUDA C programming guide, G.4.2: words of 8 bytes go by half warps, words of 16 by quarter warps. */
static void wide_words_go_by_halves_and_quarters(void **state)
{
    (void)state;
    sl_access_shape fermi = {.log2_line = 7, .log2_sector = 7, .split_bytes = 128, .launch = &launch};
    pieces p = ask(&fermi, load_of(SL_MEM_GLOBAL, 8), strided(ALL, 0x1000, 8));
    assert_int_equal(p.count, 2);
    check(&p, 0, 0x20, 1);
    check(&p, 1, 0x21, 1);
    p = ask(&fermi, load_of(SL_MEM_GLOBAL, 8), strided(ALL, 0x1000, 0)); /* each half asks for the line */
    assert_int_equal(p.count, 2);
    check(&p, 0, 0x20, 1);
    check(&p, 1, 0x20, 1);
    p = ask(&fermi, load_of(SL_MEM_GLOBAL, 16), strided(ALL, 0x1000, 0));
    assert_int_equal(p.count, 4);
    p = ask(&fermi, load_of(SL_MEM_GLOBAL, 16), strided(0xff00, 0x1000, 0)); /* only the second quarter takes part */
    assert_int_equal(p.count, 1);
    p = ask(&fermi, load_of(SL_MEM_GLOBAL, 4), strided(ALL, 0x1000, 0));
    assert_int_equal(p.count, 1);
    fermi.split_bytes = 0;
    p = ask(&fermi, load_of(SL_MEM_GLOBAL, 16), strided(ALL, 0x1000, 0));
    assert_int_equal(p.count, 1);
}

/* Offset 8 of every lane's local memory: words of the lanes lie side by side, so it is one line, the third. */
static void local_words_of_lanes_lie_side_by_side(void **state)
{
    (void)state;
    uint64_t first = (UINT64_C(1) << 62) / 128;
    pieces p = ask(&sectored, load_of(SL_MEM_LOCAL, 4), strided(ALL, 8, 0));
    assert_int_equal(p.count, 1);
    check(&p, 0, first + 2, 0xf);
    p = ask(&sectored, load_of(SL_MEM_LOCAL, 8), strided(ALL, 8, 0)); /* two rows */
    assert_int_equal(p.count, 2);
    check(&p, 0, first + 2, 0xf);
    check(&p, 1, first + 3, 0xf);
    p = ask(&sectored, load_of(SL_MEM_LOCAL, 4), strided(0xff, 0, 4)); /* each lane a row further */
    assert_int_equal(p.count, 8);
    check(&p, 0, first, 0x1);
    check(&p, 7, first + 7, 0x1);
}

static void generic_addresses_say_which_space_they_mean(void **state)
{
    (void)state;
    sl_access mixed = {.mask = 0x7f};
    mixed.addr[0] = 0x1000;                 /* global */
    mixed.addr[1] = UINT64_C(0x100000040);  /* shared: no request */
    mixed.addr[2] = UINT64_C(0x200000008);  /* local, offset 8 */
    mixed.addr[3] = 0x1020;                 /* global, the next sector */
    mixed.addr[4] = UINT64_C(0x200000008);  /* local, the next lane's word */
    mixed.addr[5] = UINT64_C(0x101000000);  /* behind the shared window: global */
    mixed.addr[6] = UINT64_C(0x1000fffffc); /* global */
    pieces p;
    sl_inst inst = load_of(SL_MEM_GENERIC, 4);
    p.count = sl_line_requests(&sectored, &inst, &mixed, p.piece);
    assert_int_equal(p.count, 4);
    check(&p, 0, 0x20, 0x3);
    check(&p, 1, UINT64_C(0x101000000) / 128, 0x1);
    check(&p, 2, UINT64_C(0x1000fffffc) / 128, 0x8);
    check(&p, 3, (UINT64_C(1) << 62) / 128 + 2, 0x1);

    sl_access shared = strided(ALL, UINT64_C(0x100000000), 4);
    p.count = sl_line_requests(&sectored, &inst, &shared, p.piece);
    assert_int_equal(p.count, 0);
    p = ask(&sectored, inst, strided(ALL, 0x1000, 4));
    assert_int_equal(p.count, 1);
    check(&p, 0, 0x20, 0xf);
}

static void pieces_of_a_bulk_copy_share_no_sectors(void **state)
{
    (void)state;
    sl_inst inst = {.op_class = SL_CLASS_MEMORY, .space = SL_MEM_GLOBAL, .access = SL_ACCESS_BULK_LOAD};
    sl_access access = {.mask = 3, .bulk = true, .width = 128, .addr = {0x1010, 0x1090}};
    pieces p;
    p.count = sl_line_requests(&sectored, &inst, &access, p.piece);
    assert_int_equal(p.count, 4);
    check(&p, 0, 0x20, 0xf);
    check(&p, 1, 0x21, 0x1);
    check(&p, 2, 0x21, 0xf);
    check(&p, 3, 0x22, 0x1);
    for (uint64_t i = 0; i < 32; i++) /* the most there can be */
        access.addr[i] = 0x1000000 - i * 4096 + 8;
    access.mask = UINT32_MAX;
    sl_access_shape narrow = {.log2_line = 4, .log2_sector = 2, .launch = sectored.launch};
    assert_int_equal(sl_line_requests(&narrow, &inst, &access, p.piece), 32 * 9);
}

/* 64 lanes of 16 bytes, all far apart and across lines: the most there can be. */
static void the_largest_request_fits(void **state)
{
    (void)state;
    sl_access_shape wide = {.log2_line = 5, .log2_sector = 4, .launch = &(sl_trace_launch){.lanes = 64}};
    sl_access access = {.mask = UINT64_MAX};
    sl_inst inst = load_of(SL_MEM_GLOBAL, 32);
    pieces p;
    for (uint64_t i = 0; i < 64; i++)
        access.addr[i] = 0x1000000 - i * 4096 + 8;
    p.count = sl_line_requests(&wide, &inst, &access, p.piece);
    assert_int_equal(p.count, 128); /* bytes 8 to 39: sectors 0 and 1 of one line, 0 of the next */
    check(&p, 0, (0x1000000 - 63 * 4096) / 32, 0x3);
    check(&p, 1, (0x1000000 - 63 * 4096) / 32 + 1, 0x1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighboring_words_are_one_line),
        cmocka_unit_test(strides_touch_as_many_lines_as_they_pass),
        cmocka_unit_test(words_that_cross_a_line_touch_both),
        cmocka_unit_test(wide_words_go_by_halves_and_quarters),
        cmocka_unit_test(local_words_of_lanes_lie_side_by_side),
        cmocka_unit_test(generic_addresses_say_which_space_they_mean),
        cmocka_unit_test(the_largest_request_fits),
        cmocka_unit_test(pieces_of_a_bulk_copy_share_no_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
