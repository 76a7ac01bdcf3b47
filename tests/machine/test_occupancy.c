/* SPDX-License-Identifier: MIT */
/* Blocks of a core and the carve-out, by the rules of cuda_occupancy.h, and what an H200 was seen to do. */
#include <stdio.h>

#include "machine/occupancy.h"
#include "support.h"

typedef struct shape {
    uint32_t threads, registers, static_shared, dynamic_shared;
} shape;

static sl_status try_shape(const char *name, shape s, sl_occupancy *occupancy, sl_error *error)
{
    sl_machine machine;
    sl_trace_kernel kernel = {.name = "k", .regs_per_thread = s.registers, .static_shared_bytes = s.static_shared};
    sl_trace_launch launch = {.grid = {1, 1, 1}, .block = {s.threads, 1, 1}, .dynamic_shared_bytes = s.dynamic_shared};
    assert_int_equal(sl_machine_load(name, &machine, error), SL_OK);
    launch.lanes = machine.lanes;
    return sl_occupancy_of(&machine, &kernel, &launch, occupancy, error);
}

static sl_occupancy occupancy_of(const char *name, shape s)
{
    sl_occupancy o;
    sl_error error;
    if (try_shape(name, s, &o, &error))
        fail_msg("%s", error.text);
    return o;
}

static void expect_refusal(const char *name, shape s, const char *message)
{
    sl_occupancy o;
    sl_error error;
    assert_int_equal(try_shape(name, s, &o, &error), SL_INVALID);
    assert_string_equal(error.text, message);
}

static void a_fermi_core_holds_eight_blocks(void **state)
{
    (void)state;
    sl_occupancy o = occupancy_of("fermi-gtx470", (shape){64, 16, 0, 0});
    assert_int_equal(o.blocks, 8);
    assert_int_equal(o.warps, 16);
    assert_string_equal(o.limit, "blocks");
    assert_int_equal(o.l1_bytes, 16 << 10);
    assert_int_equal(o.shared_bytes, 48 << 10);
}

static void threads_limit_large_blocks(void **state)
{
    (void)state;
    sl_occupancy o = occupancy_of("fermi-gtx470", (shape){512, 16, 0, 0});
    assert_int_equal(o.blocks, 3);
    assert_string_equal(o.limit, "threads");
    o = occupancy_of("h200", (shape){1024, 32, 0, 0});
    assert_int_equal(o.blocks, 2);
    assert_int_equal(o.warps, 64);
}

static void a_warp_that_is_not_full_takes_the_place_of_one(void **state)
{
    (void)state;
    sl_occupancy o = occupancy_of("fermi-gtx470", (shape){260, 16, 0, 0}); /* 9 warps; threads alone would let 5 in */
    assert_int_equal(o.blocks, 5);
    o = occupancy_of("h200", (shape){100, 32, 0, 0}); /* 4 warps: 16 blocks, though 20 have threads enough */
    assert_int_equal(o.blocks, 16);
    assert_string_equal(o.limit, "warps");
}

static void registers_are_given_to_warps_in_multiples(void **state)
{
    (void)state;
    /* 33 registers: 1056 per warp, rounded up to 1088; 16384 / 1088 = 15 warps in each of 2 parts; 30 / 8 blocks. */
    sl_occupancy o = occupancy_of("fermi-gtx470", (shape){256, 33, 0, 0});
    assert_int_equal(o.blocks, 3);
    assert_string_equal(o.limit, "registers");
    /* 168: 5376 per warp; 16384 / 5376 = 3 warps in each of 4 parts; 12 / 4 blocks. */
    o = occupancy_of("h200", (shape){128, 168, 0, 0});
    assert_int_equal(o.blocks, 3);
    /* 72: 2304 per warp; 7 in each of 4 parts: 28 warps. All the registers together would hold the same 28. */
    o = occupancy_of("h200", (shape){32 * 7, 72, 0, 0});
    assert_int_equal(o.blocks, 4);
    /* Unknown: no limit. */
    o = occupancy_of("h200", (shape){128, 0, 0, 0});
    assert_int_equal(o.blocks, 16);
}

static void shared_memory_limits_blocks(void **state)
{
    (void)state;
    sl_occupancy o = occupancy_of("fermi-gtx470", (shape){64, 16, 10000, 0}); /* 10112 of 49152 */
    assert_int_equal(o.blocks, 4);
    assert_string_equal(o.limit, "shared memory");
    o = occupancy_of("fermi-gtx470-48k", (shape){64, 16, 10000, 0});
    assert_int_equal(o.blocks, 1);
    /* 100 KB and the reserved one: 2 of 228. */
    o = occupancy_of("h200", (shape){128, 32, 0, 100 << 10});
    assert_int_equal(o.blocks, 2);
    assert_int_equal(o.shared_bytes, 228 << 10);
    assert_int_equal(o.l1_bytes, 20 << 10); /* what 228 leave of 256, less the 8 that hold no lines */
}

/* One block per `threads`, asking for `asked` KB: the need is blocks * (asked + 1) KB. */
static uint32_t carved_kb(uint32_t threads, uint32_t asked_kb)
{
    sl_occupancy o = occupancy_of("h200", (shape){threads, 32, 0, asked_kb << 10});
    assert_int_equal(o.shared_bytes + o.l1_bytes, 248 << 10);
    return o.shared_bytes >> 10;
}

static void the_carve_out_is_the_one_that_was_seen(void **state)
{
    (void)state;
    assert_int_equal(carved_kb(1024, 0), 8);    /* 2 KB needed */
    assert_int_equal(carved_kb(512, 0), 16);    /* 4 */
    assert_int_equal(carved_kb(1024, 2), 32);   /* 6 */
    assert_int_equal(carved_kb(256, 0), 32);    /* 8 */
    assert_int_equal(carved_kb(512, 3), 32);    /* 16 */
    assert_int_equal(carved_kb(1024, 8), 64);   /* 18 */
    assert_int_equal(carved_kb(256, 3), 64);    /* 32 */
    assert_int_equal(carved_kb(1024, 23), 100); /* 48 */
    assert_int_equal(carved_kb(256, 6), 132);   /* 56 */
    assert_int_equal(carved_kb(1024, 64), 132); /* 130 */
    assert_int_equal(carved_kb(512, 39), 164);  /* 160 */
    assert_int_equal(carved_kb(320, 30), 196);  /* 186 */
    assert_int_equal(carved_kb(512, 47), 228);  /* 192 */
    assert_int_equal(carved_kb(128, 47), 228);  /* 768: as many blocks as fit */
}

static void blocks_that_ask_for_none_never_get_more_than_32_kb(void **state)
{
    (void)state;
    assert_int_equal(carved_kb(64, 0), 32); /* 32 KB needed, as for 256 threads with 3 KB each, which get 64 */
    assert_int_equal(carved_kb(96, 0), 32); /* 21 */
}

/* Footprints up to which a warp that walks over memory hits L1, as github.com/RRZE-HPC/gpu-benches (A100; A40 and L40,
 * which have the same GPUs as these) and Chips and Cheese (B200) measured them: 8 KB less than the carve-out leaves. */
static void other_gpus_keep_as_much_in_l1_as_was_measured(void **state)
{
    (void)state;
    const shape walk = {32, 32, 0, 0};
    assert_int_equal(occupancy_of("a100", walk).l1_bytes, 152 << 10);
    assert_int_equal(occupancy_of("rtx3090", walk).l1_bytes, 104 << 10);
    assert_int_equal(occupancy_of("rtx4090", walk).l1_bytes, 88 << 10);
    assert_int_equal(occupancy_of("b200", walk).l1_bytes, 216 << 10);
}

static void wavefronts_of_64_fill_a_compute_unit(void **state)
{
    (void)state;
    sl_occupancy o = occupancy_of("hd7770", (shape){256, 32, 0, 0}); /* 32 * 64 = 2048: 8 in each of 4 SIMDs */
    assert_int_equal(o.blocks, 8);
    assert_int_equal(o.warps, 32);
    assert_string_equal(o.limit, "registers");
}

static void a_block_that_cannot_fit_is_told_why(void **state)
{
    (void)state;
    expect_refusal("rx6900xt", (shape){2048, 0, 0, 0},
                   "a block of kernel k does not fit a core of rx6900xt: it takes 2048 threads, and a core holds 1024");
    expect_refusal(
        "fermi-gtx470", (shape){1024, 63, 0, 0},
        "a block of kernel k does not fit a core of fermi-gtx470: it takes 32 warps with 2048 registers each, "
        "and a core has 32768");
    expect_refusal(
        "h200", (shape){128, 32, 0, 228 << 10},
        "a block of kernel k does not fit a core of h200: it takes 234496 bytes of shared memory, and a core "
        "has 233472");
    expect_refusal("h200", (shape){0, 32, 0, 0}, "a block of kernel k has no threads");
}

static void a_preferred_carve_out_is_rounded_up_and_holds_at_least_one_block(void **state)
{
    (void)state;
    static const struct {
        uint32_t static_kb;
        bool preferred;
        uint32_t percent, shared_kb, blocks;
    } table[] = {
        {0, true, 0, 8, 8}, /* each block takes 1 KB */
        {0, true, 50, 132, 8}, {0, true, 100, 228, 8}, {10, true, 0, 16, 1},
        {10, true, 25, 64, 5}, {10, false, 0, 132, 8},
    };
    sl_machine machine;
    sl_error error;
    assert_int_equal(sl_machine_load("h200", &machine, &error), SL_OK);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        sl_trace_kernel kernel = {.name = "k", .regs_per_thread = 32, .static_shared_bytes = table[i].static_kb << 10};
        sl_trace_launch launch = {.grid = {1, 1, 1},
                                  .block = {256, 1, 1},
                                  .lanes = 32,
                                  .has_preferred_shared = table[i].preferred,
                                  .preferred_shared = table[i].percent};
        sl_occupancy o;
        assert_int_equal(sl_occupancy_of(&machine, &kernel, &launch, &o, &error), SL_OK);
        assert_int_equal(o.shared_bytes, table[i].shared_kb << 10);
        assert_int_equal(o.blocks, table[i].blocks);
        assert_int_equal(o.l1_bytes, (256 - 8 - table[i].shared_kb) << 10);
    }
}

static void an_estimate_of_registers_never_keeps_a_block_out(void **state)
{
    (void)state;
    sl_machine machine;
    sl_error error;
    sl_occupancy o;
    sl_trace_kernel kernel = {.name = "k", .regs_per_thread = 80, .regs_estimated = true};
    sl_trace_launch launch = {.grid = {1, 1, 1}, .block = {1024, 1, 1}, .lanes = 32};
    assert_int_equal(sl_machine_load("h200", &machine, &error), SL_OK);
    assert_int_equal(sl_occupancy_of(&machine, &kernel, &launch, &o, &error), SL_OK);
    assert_int_equal(o.blocks, 1);
    kernel.regs_estimated = false;
    assert_int_equal(sl_occupancy_of(&machine, &kernel, &launch, &o, &error), SL_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fermi_core_holds_eight_blocks),
        cmocka_unit_test(threads_limit_large_blocks),
        cmocka_unit_test(a_warp_that_is_not_full_takes_the_place_of_one),
        cmocka_unit_test(registers_are_given_to_warps_in_multiples),
        cmocka_unit_test(shared_memory_limits_blocks),
        cmocka_unit_test(the_carve_out_is_the_one_that_was_seen),
        cmocka_unit_test(blocks_that_ask_for_none_never_get_more_than_32_kb),
        cmocka_unit_test(other_gpus_keep_as_much_in_l1_as_was_measured),
        cmocka_unit_test(wavefronts_of_64_fill_a_compute_unit),
        cmocka_unit_test(a_block_that_cannot_fit_is_told_why),
        cmocka_unit_test(a_preferred_carve_out_is_rounded_up_and_holds_at_least_one_block),
        cmocka_unit_test(an_estimate_of_registers_never_keeps_a_block_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
