/* SPDX-License-Identifier: MIT */
/* First levels of other sizes and shapes. */
#include "machine/vary.h"

#include <string.h>

#include "support.h"

/* With its first level alone, as sweeps have it: the others do not take lines of any size. */
static sl_machine load(const char *name)
{
    sl_machine machine;
    sl_error error;
    assert_int_equal(sl_machine_load(name, &machine, &error), SL_OK);
    machine.levels = 1;
    return machine;
}

static const sl_level *vary(sl_machine *machine, sl_first_level wish)
{
    sl_error error = {0};
    if (sl_machine_vary(machine, &wish, &error))
        fail_msg("%s", error.text);
    return &machine->level[0];
}

#define AS_IT_IS .mshrs = SL_MSHRS_AS_THEY_ARE

static void nothing_changes_without_a_wish(void **state)
{
    (void)state;
    sl_machine before = load("fermi-gtx470"), after = load("fermi-gtx470");
    vary(&after, (sl_first_level){AS_IT_IS});
    assert_memory_equal(&before.level[0], &after.level[0], sizeof before.level[0]);
}

static void sets_follow_from_size_ways_and_line(void **state)
{
    (void)state;
    sl_machine machine = load("fermi-gtx470");
    const sl_level *level = vary(&machine, (sl_first_level){.size_bytes = 32768, AS_IT_IS});
    assert_int_equal(level->sets, 64);
    level = vary(&machine, (sl_first_level){.ways = 16, AS_IT_IS});
    assert_int_equal(level->sets, 16);
    level = vary(&machine, (sl_first_level){.line_bytes = 256, AS_IT_IS});
    assert_int_equal(level->sets, 8);
    assert_int_equal(level->sector_bytes, 256);
    assert_int_equal(level->fill_bytes, 256);
}

/* 16 KB: bits 7 to 11 with 13, 14, 15, 17 and 19. More sets continue with bit 12, as in the 48 KB configuration. */
static void the_hash_is_cut_and_continued(void **state)
{
    (void)state;
    sl_machine machine = load("fermi-gtx470");
    const sl_level *level = vary(&machine, (sl_first_level){.size_bytes = 32768, AS_IT_IS});
    assert_int_equal(level->set_bits[0], 1 << 7 | 1 << 13);
    assert_int_equal(level->set_bits[5], 1 << 12);
    assert_int_equal(level->set_bits[6], 0);
    level = vary(&machine, (sl_first_level){.size_bytes = 4096, AS_IT_IS});
    assert_int_equal(level->set_bits[2], 1 << 9 | 1 << 15);
    assert_int_equal(level->set_bits[3], 0);
}

static void the_hash_moves_with_the_line(void **state)
{
    (void)state;
    sl_machine machine = load("fermi-gtx470");
    const sl_level *level = vary(&machine, (sl_first_level){.line_bytes = 512, AS_IT_IS});
    assert_int_equal(level->sets, 8);
    assert_int_equal(level->set_bits[0], 1 << 9 | 1 << 15);
    machine = load("fermi-gtx470");
    level = vary(&machine, (sl_first_level){.line_bytes = 64, AS_IT_IS});
    assert_int_equal(level->set_bits[4], 1 << 10 | 1 << 18);
    assert_int_equal(level->set_bits[5], 1 << 11);
}

static void mshrs_of_a_warp_stay_within_those_of_the_core(void **state)
{
    (void)state;
    sl_machine machine = load("fermi-gtx470");
    const sl_level *level = vary(&machine, (sl_first_level){.mshrs = 16});
    assert_int_equal(level->mshrs, 16);
    assert_int_equal(level->mshrs_per_warp, 6);
    level = vary(&machine, (sl_first_level){.mshrs = 4});
    assert_int_equal(level->mshrs_per_warp, 4);
    level = vary(&machine, (sl_first_level){.mshrs = 0});
    assert_int_equal(level->mshrs_per_warp, 0);
}

static void a_size_is_that_of_all_launches(void **state)
{
    (void)state;
    sl_machine machine = load("h200");
    const sl_level *level = vary(&machine, (sl_first_level){.size_bytes = 131072, AS_IT_IS});
    assert_int_equal(level->size_bytes, 131072);
    assert_int_equal(level->sector_bytes, 32);
    assert_int_equal(machine.core.unified_bytes, 0);
    assert_true(machine.core.shared_bytes > 0);
}

static void what_cannot_be_is_said(void **state)
{
    (void)state;
    sl_machine machine = load("fermi-gtx470");
    sl_error error;
    assert_int_equal(sl_machine_vary(&machine, &(sl_first_level){.size_bytes = 10000, AS_IT_IS}, &error), SL_INVALID);
    assert_string_equal(
        error.text,
        "fermi-gtx470, L1, size: 10000 bytes are not a whole number of sets of 4 lines of 128 bytes; these sizes "
        "fit: 9728, 10K");
    machine = load("fermi-gtx470");
    assert_int_equal(sl_machine_vary(&machine, &(sl_first_level){.line_bytes = 96, AS_IT_IS}, &error), SL_INVALID);
    assert_string_equal(error.text, "fermi-gtx470, L1, line: a line of 96 bytes: it must be a power of two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes_without_a_wish),
        cmocka_unit_test(sets_follow_from_size_ways_and_line),
        cmocka_unit_test(the_hash_is_cut_and_continued),
        cmocka_unit_test(the_hash_moves_with_the_line),
        cmocka_unit_test(mshrs_of_a_warp_stay_within_those_of_the_core),
        cmocka_unit_test(a_size_is_that_of_all_launches),
        cmocka_unit_test(what_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
