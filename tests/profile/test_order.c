/* SPDX-License-Identifier: MIT */
/* The order of accesses: written down as letters, one per access, from the address: 'a' is line 0. */
#include "profile/order.h"

#include "profile_maker.h"

typedef struct seen {
    const sl_loaded *loaded;
    char text[256];
} seen;

static bool wants(void *context, const sl_inst *inst)
{
    (void)context;
    return inst->space == SL_MEM_GLOBAL && inst->access == SL_ACCESS_LOAD;
}

static sl_status take(void *context, const sl_access *access, sl_order_slot place, sl_error *error)
{
    (void)error;
    seen *s = context;
    size_t used = strlen(s->text);
    s->text[used] = (char)('a' + access->base / 128);
    s->text[used + 1] = (char)('0' + place.resident);
    s->text[used + 2] = ' ';
    return SL_OK;
}

/* Letters, each with the place of its block among those that the core holds. */
static void check_order(uint32_t blocks, uint32_t warps, const warp_acts *acts, sl_order_blocks which,
                        const char *expected)
{
    sl_walk_plan *plan;
    maker m;
    make_trace(&m, blocks, warps, acts);
    sl_loaded *loaded;
    sl_error error;
    assert_int_equal(sl_loaded_create(m.trace, 0, NULL, &loaded, &error), SL_OK);
    seen s = {loaded, ""};
    sl_order_observer observer = {&s, wants, take};
    assert_int_equal(sl_walk_plan_create(sl_loaded_kernel(loaded), NULL, &plan, &error), SL_OK);
    assert_int_equal(sl_order_run(loaded, plan, which, &observer, &error), SL_OK);
    sl_walk_plan_destroy(plan);
    assert_string_equal(s.text, expected);
    sl_loaded_destroy(loaded);
    drop_trace(&m);
}

#define LINE(letter) (UINT64_C(128) * ((letter) - 'a'))
#define AT(letter)                                                                                                     \
    {                                                                                                                  \
        LOAD, 1, LINE(letter), 0                                                                                       \
    }
#define WAIT                                                                                                           \
    {                                                                                                                  \
        BARRIER, 1, 0, 0                                                                                               \
    }
#define BOTH(letter)                                                                                                   \
    {                                                                                                                  \
        LOAD_BARRIER_LOAD, 1, LINE(letter), 0                                                                          \
    }
#define NOT_LISTENED_TO                                                                                                \
    {                                                                                                                  \
        STORE, 1, 0, 0                                                                                                 \
    }

static void warps_take_turns_one_access_each(void **state)
{
    (void)state;
    const warp_acts acts[] = {{0, 0, ACTS(AT('a'), AT('b'), AT('c'))}, {0, 1, ACTS(AT('p'), AT('q'))}};
    check_order(1, 2, acts, (sl_order_blocks){(const uint32_t[]){0, 1, 2, 3}, 1, 1}, "a0 p0 b0 q0 c0 ");
}

static void accesses_that_are_not_asked_for_take_no_turn(void **state)
{
    (void)state;
    const warp_acts acts[] = {{0, 0, ACTS(AT('a'), NOT_LISTENED_TO, NOT_LISTENED_TO, AT('b'))},
                              {0, 1, ACTS(AT('p'), AT('q'))}};
    check_order(1, 2, acts, (sl_order_blocks){(const uint32_t[]){0, 1, 2, 3}, 1, 1}, "a0 p0 b0 q0 ");
}

static void warps_wait_for_each_other_at_a_barrier(void **state)
{
    (void)state;
    const warp_acts acts[] = {{0, 0, ACTS(WAIT, AT('a'), AT('b'))}, {0, 1, ACTS(AT('p'), AT('q'), WAIT, AT('r'))}};
    check_order(1, 2, acts, (sl_order_blocks){(const uint32_t[]){0, 1, 2, 3}, 1, 1}, "p0 q0 a0 r0 b0 ");
}

static void a_barrier_may_stand_between_two_accesses_of_a_basic_block(void **state)
{
    (void)state;
    const warp_acts acts[] = {{0, 0, ACTS(BOTH('a'))}, {0, 1, ACTS(AT('p'), AT('q'), BOTH('r'))}};
    check_order(1, 2, acts, (sl_order_blocks){(const uint32_t[]){0, 1, 2, 3}, 1, 1}, "a0 p0 q0 r0 a0 r0 ");
}

static void nobody_waits_for_a_warp_that_has_ended(void **state)
{
    (void)state;
    const warp_acts acts[] = {{0, 0, ACTS(AT('a'), WAIT, AT('b'))}, {0, 1, ACTS(AT('p'))}};
    check_order(1, 2, acts, (sl_order_blocks){(const uint32_t[]){0, 1, 2, 3}, 1, 1}, "a0 p0 b0 ");
}

static void a_barrier_holds_no_other_block(void **state)
{
    (void)state;
    const warp_acts acts[] = {{0, 0, ACTS(WAIT, AT('a'))},
                              {0, 1, ACTS(AT('b'), AT('c'), WAIT)},
                              {1, 0, ACTS(AT('p'), AT('q'), AT('r'), AT('s'))},
                              {1, 1, ACTS(AT('t'))}};
    check_order(2, 2, acts, (sl_order_blocks){(const uint32_t[]){0, 1, 2, 3}, 2, 2}, "b0 p1 t1 c0 q1 r1 a0 s1 ");
}

static const warp_acts four_blocks[] = {{0, 0, ACTS(AT('a'), AT('b'))},
                                        {1, 0, ACTS(AT('c'), AT('d'), AT('e'), AT('f'))},
                                        {2, 0, ACTS(AT('g'), AT('h'))},
                                        {3, 0, ACTS(AT('i'))}};

static void a_block_that_ends_makes_room_for_the_next(void **state)
{
    (void)state;
    check_order(4, 1, four_blocks, (sl_order_blocks){(const uint32_t[]){0, 1, 2, 3}, 4, 2},
                "a0 c1 b0 d1 e1 g0 f1 h0 i1 ");
}

static void one_block_at_a_time_runs_them_in_order(void **state)
{
    (void)state;
    check_order(4, 1, four_blocks, (sl_order_blocks){(const uint32_t[]){0, 1, 2, 3}, 4, 1},
                "a0 b0 c0 d0 e0 f0 g0 h0 i0 ");
}

static void a_core_runs_only_its_own_blocks(void **state)
{
    (void)state;
    check_order(4, 1, four_blocks, (sl_order_blocks){(const uint32_t[]){1, 3}, 2, 8}, "c0 i1 d0 e0 f0 ");
    check_order(4, 1, four_blocks, (sl_order_blocks){NULL, 0, 8}, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_take_turns_one_access_each),
        cmocka_unit_test(accesses_that_are_not_asked_for_take_no_turn),
        cmocka_unit_test(warps_wait_for_each_other_at_a_barrier),
        cmocka_unit_test(a_barrier_may_stand_between_two_accesses_of_a_basic_block),
        cmocka_unit_test(nobody_waits_for_a_warp_that_has_ended),
        cmocka_unit_test(a_barrier_holds_no_other_block),
        cmocka_unit_test(a_block_that_ends_makes_room_for_the_next),
        cmocka_unit_test(one_block_at_a_time_runs_them_in_order),
        cmocka_unit_test(a_core_runs_only_its_own_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
