/* SPDX-License-Identifier: MIT */
/* Barriers of a block: whole, named, counted, with reductions; with threads that exited or are elsewhere. */
#include "harness.h"

BEHAVIOUR(a_barrier_makes_writes_of_all_warps_visible)
{
    rig_load(r, PTX(".shared .align 4 .b8 s[1024];\n"
                    "shl.b32 %r10, %r0, 2;\n"
                    "mov.u32 %r11, s;\n"
                    "add.u32 %r12, %r11, %r10;\n"
                    "mul.lo.u32 %r13, %r0, 3;\n"
                    "st.shared.u32 [%r12], %r13;\n"
                    "bar.sync 0;\n"
                    "sub.u32 %r14, 255, %r0;\n"
                    "shl.b32 %r14, %r14, 2;\n"
                    "add.u32 %r15, %r11, %r14;\n"
                    "ld.shared.u32 %r16, [%r15];\n"
                    "barrier.sync 3;\n"
                    "st.shared.u32 [%r12], %r16;\n"
                    "barrier.cta.sync.aligned 15;\n"
                    "ld.shared.u32 %r17, [%r12];\n"
                    "st.global.u32 [%d2], %r17;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 256 * 4);
    RUN(r, 1, 256, P(out), 0, 0);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(out[i], 3 * (255 - i));
}

BEHAVIOUR(a_block_of_odd_size_meets_at_its_barrier)
{
    rig_load(r, PTX(".shared .align 4 .u32 s;\n"
                    "setp.eq.u32 %p1, %r0, 76;\n"
                    "@%p1 st.shared.u32 [s], 5;\n"
                    "bar.sync 0;\n"
                    "ld.shared.u32 %r10, [s];\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 77 * 4);
    RUN(r, 1, 77, P(out), 0, 0);
    for (uint32_t i = 0; i < 77; i++)
        assert_int_equal(out[i], 5);
}

BEHAVIOUR(threads_that_exited_count_as_arrived)
{
    /* Warp 0 exits at once, warp 1 while the others wait, half of warp 2 before its other half arrives. */
    rig_load(r, PTX(".shared .align 4 .u32 s;\n"
                    "setp.lt.u32 %p1, %r0, 32;\n"
                    "@%p1 exit;\n"
                    "setp.ge.u32 %p2, %r0, 64;\n"
                    "@%p2 bra LATER;\n"
                    "mov.u32 %r10, 0;\n"
                    "WORK:\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "setp.lt.u32 %p3, %r10, 10000;\n"
                    "@%p3 bra WORK;\n"
                    "st.shared.u32 [s], 9;\n"
                    "exit;\n"
                    "LATER:\n"
                    "setp.lt.u32 %p4, %r0, 80;\n"
                    "@%p4 exit;\n"
                    "bar.sync 0;\n"
                    "ld.shared.u32 %r11, [s];\n"
                    "st.global.u32 [%d2], %r11;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 128 * 4);
    RUN(r, 1, 128, P(out), 0, 0);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], i < 80 ? 0 : 9);
}

BEHAVIOUR(the_two_sides_of_a_branch_meet_at_barriers_of_their_own)
{
    /* Every thread calls __syncthreads() once, half of each warp in either branch. */
    rig_load(r, PTX(".shared .align 4 .b8 s[512];\n"
                    "shl.b32 %r10, %r0, 2;\n"
                    "mov.u32 %r11, s;\n"
                    "add.u32 %r12, %r11, %r10;\n"
                    "st.shared.u32 [%r12], %r0;\n"
                    "xor.b32 %r13, %r12, 4;\n"
                    "and.b32 %r14, %r0, 1;\n"
                    "setp.eq.u32 %p1, %r14, 1;\n"
                    "@%p1 bra ODD;\n"
                    "bar.sync 0;\n"
                    "ld.shared.u32 %r15, [%r13];\n"
                    "add.u32 %r15, %r15, 1000;\n"
                    "bra END;\n"
                    "ODD:\n"
                    "bar.sync 0;\n"
                    "ld.shared.u32 %r15, [%r13];\n"
                    "add.u32 %r15, %r15, 2000;\n"
                    "END:\n"
                    "st.global.u32 [%d2], %r15;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 128 * 4);
    RUN(r, 1, 128, P(out), 0, 0);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], (i ^ 1) + (i % 2 ? 2000 : 1000));
}

BEHAVIOUR(a_barrier_on_one_side_of_a_branch_is_met_by_the_other_side_later)
{
    /* Threads of the first half meet twice, those of the second once, and exit: all count as arrived. */
    rig_load(r, PTX("mov.u32 %r10, 0;\n"
                    "and.b32 %r11, %r0, 16;\n"
                    "setp.ne.u32 %p1, %r11, 0;\n"
                    "@%p1 bra AFTER;\n"
                    "bar.sync 0;\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "AFTER:\n"
                    "bar.sync 0;\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4);
    RUN(r, 1, 64, P(out), 0, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i & 16 ? 1 : 2);
}

BEHAVIOUR(producer_and_consumer_warps_hand_buffers_over)
{
    /* Warp 0 fills a buffer n times, warp 1 reads it: barrier 1 "full", barrier 2 "empty", 64 threads each. */
    rig_load(r, PTX(".shared .align 4 .b8 s[128];\n"
                    "shl.b32 %r10, %r3, 2;\n"
                    "mov.u32 %r11, s;\n"
                    "add.u32 %r12, %r11, %r10;\n"
                    "mov.u32 %r13, 0;\n"
                    "mov.u32 %r14, 0;\n"
                    "setp.ge.u32 %p1, %r0, 32;\n"
                    "@%p1 bra CONSUMER;\n"
                    "PRODUCE:\n"
                    "mad.lo.u32 %r15, %r13, 100, %r3;\n"
                    "st.shared.u32 [%r12], %r15;\n"
                    "bar.arrive 1, 64;\n"
                    "bar.sync 2, 64;\n"
                    "add.u32 %r13, %r13, 1;\n"
                    "setp.lt.u32 %p2, %r13, %r2;\n"
                    "@%p2 bra PRODUCE;\n"
                    "bra END;\n"
                    "CONSUMER:\n"
                    "bar.sync 1, 64;\n"
                    "xor.b32 %r16, %r12, 4;\n"
                    "ld.shared.u32 %r17, [%r16];\n"
                    "mad.lo.u32 %r14, %r14, 3, %r17;\n"
                    "bar.arrive 2, 64;\n"
                    "add.u32 %r13, %r13, 1;\n"
                    "setp.lt.u32 %p2, %r13, %r2;\n"
                    "@%p2 bra CONSUMER;\n"
                    "END:\n"
                    "st.global.u32 [%d2], %r14;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4);
    RUN(r, 1, 64, P(out), 0, 9);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t sum = 0;
        for (uint32_t round = 0; round < 9; round++)
            sum = sum * 3 + round * 100 + (i ^ 1);
        assert_int_equal(out[i], 0);
        assert_int_equal(out[32 + i], sum);
    }
}

BEHAVIOUR(pairs_of_warps_meet_at_barriers_whose_number_is_in_a_register)
{
    /* Warps 2k and 2k + 1 use barrier k + 1; the pairs run different numbers of rounds. */
    rig_load(r, PTX(".shared .align 4 .b8 s[1024];\n"
                    "shr.u32 %r10, %r0, 6;\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "mov.u32 %r20, 64;\n"
                    "shl.b32 %r11, %r0, 2;\n"
                    "mov.u32 %r12, s;\n"
                    "add.u32 %r13, %r12, %r11;\n"
                    "xor.b32 %r14, %r11, 128;\n"
                    "add.u32 %r15, %r12, %r14;\n"
                    "mov.u32 %r16, %r0;\n"
                    "mov.u32 %r17, 0;\n"
                    "ROUND:\n"
                    "st.shared.u32 [%r13], %r16;\n"
                    "bar.sync %r10, %r20;\n"
                    "ld.shared.u32 %r18, [%r15];\n"
                    "add.u32 %r16, %r18, 1;\n"
                    "barrier.sync %r10, %r20;\n"
                    "add.u32 %r17, %r17, 1;\n"
                    "setp.lt.u32 %p1, %r17, %r10;\n"
                    "@%p1 bra ROUND;\n"
                    "st.global.u32 [%d2], %r16;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 256 * 4);
    RUN(r, 1, 256, P(out), 0, 0);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t rounds = i / 64 + 1;
        assert_int_equal(out[i], (rounds % 2 ? i ^ 32 : i) + rounds);
    }
}

BEHAVIOUR(barriers_reduce_predicates_over_the_block)
{
    rig_load(r, PTX("setp.lt.u32 %p1, %r0, %r2;\n"
                    "bar.red.popc.u32 %r10, 0, %p1;\n"
                    "bar.red.and.pred %p2, 1, %p1;\n"
                    "bar.red.or.pred %p3, 0, !%p1;\n"
                    "barrier.cta.red.popc.aligned.u32 %r11, 0, !%p1;\n"
                    "selp.u32 %r12, 1000, 0, %p2;\n"
                    "selp.u32 %r13, 10000, 0, %p3;\n"
                    "mad.lo.u32 %r11, %r11, 100000, %r10;\n"
                    "add.u32 %r11, %r11, %r12;\n"
                    "add.u32 %r11, %r11, %r13;\n"
                    "st.global.u32 [%d2], %r11;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 96 * 4);
    static const uint32_t counts[] = {0, 1, 33, 95, 96, 200};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        uint32_t n = counts[k], ayes = n < 96 ? n : 96;
        RUN(r, 1, 96, P(out), 0, n);
        for (uint32_t i = 0; i < 96; i++)
            assert_int_equal(out[i], ayes + (ayes == 96 ? 1000 : 0) + (ayes < 96 ? 10000 : 0) + (96 - ayes) * 100000);
    }
}

BEHAVIOUR(a_counted_reduction_is_over_the_threads_that_take_part)
{
    rig_load(r, PTX("setp.ge.u32 %p1, %r0, 64;\n"
                    "@%p1 bra END;\n"
                    "and.b32 %r10, %r0, 3;\n"
                    "setp.eq.u32 %p2, %r10, 3;\n"
                    "bar.red.popc.u32 %r11, 2, 64, %p2;\n"
                    "st.global.u32 [%d2], %r11;\n"
                    "END:\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 128 * 4);
    RUN(r, 1, 128, P(out), 0, 0);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], i < 64 ? 16 : 0);
}

BEHAVIOUR(a_reduction_gives_the_same_to_lanes_that_come_by_different_ways)
{
    rig_load(r, PTX("and.b32 %r10, %r0, 1;\n"
                    "setp.eq.u32 %p1, %r10, 1;\n"
                    "@%p1 bra ODD;\n"
                    "bar.red.popc.u32 %r11, 0, %p1;\n"
                    "bra END;\n"
                    "ODD:\n"
                    "bar.red.popc.u32 %r11, 0, %p1;\n"
                    "END:\n"
                    "st.global.u32 [%d2], %r11;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4);
    RUN(r, 1, 64, P(out), 0, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 32);
}

BEHAVIOUR(a_barrier_inside_of_a_function_is_the_same_barrier)
{
    rig_load(r, PTX_HEAD ".func meet()\n{\nbar.sync 0;\nret;\n}\n" KERNEL(".shared .align 4 .u32 s;\n"
                                                                          "setp.eq.u32 %p1, %r0, 63;\n"
                                                                          "@%p1 st.shared.u32 [s], 8;\n"
                                                                          "setp.lt.u32 %p2, %r0, 32;\n"
                                                                          "@%p2 bra OTHER;\n"
                                                                          "call.uni meet;\n"
                                                                          "bra END;\n"
                                                                          "OTHER:\n"
                                                                          "bar.sync 0;\n"
                                                                          "END:\n"
                                                                          "ld.shared.u32 %r10, [s];\n"
                                                                          "st.global.u32 [%d2], %r10;\n"
                                                                          "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4);
    RUN(r, 1, 64, P(out), 0, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 8);
}

BEHAVIOUR(a_barrier_that_cannot_complete_names_the_warps_that_wait)
{
    /* Warps 0 and 2 wait at barrier 1, warps 1 and 3 at barrier 2. */
    rig_load(r, PTX("shr.u32 %r10, %r0, 5;\n"
                    "and.b32 %r10, %r10, 1;\n"
                    "setp.eq.u32 %p1, %r10, 1;\n"
                    "@%p1 bra ODD;\n"
                    "bar.sync 1;\n"
                    "bra END;\n"
                    "ODD:\n"
                    "bar.sync 2;\n"
                    "END:\n"
                    "ret;\n"));
    assert_int_equal(rig_try(r, "k", LINE(2, 128), RIG_ARGS(0, 0, 0)), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_BARRIER, "a barrier that cannot complete");
    rig_expect_text(r, "32 lanes of warp 0 wait at barrier 1");
    rig_expect_text(r, r->config.lanes == 64 ? "32 lanes of warp 1 wait at barrier 2"
                                             : "32 lanes of warp 3 wait at barrier 2");
    rig_expect_text(r, "kernel k, block (0,0,0)");
}

BEHAVIOUR(a_counted_barrier_with_too_few_threads_cannot_complete)
{
    rig_load(r, PTX("bar.sync 1, 128;\nret;\n"));
    assert_int_equal(TRY(r, 1, 96, 0, 0, 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_BARRIER, "a barrier that cannot complete");
}

BEHAVIOUR(barriers_are_numbered_up_to_fifteen)
{
    rig_load(r, PTX("mov.u32 %r10, 16;\nbar.sync %r10;\nret;\n"));
    assert_int_equal(TRY(r, 1, 32, 0, 0, 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_BARRIER, "barrier 16 does not exist");
}

BEHAVIOUR(barriers_count_whole_warps)
{
    rig_load(r, PTX("mov.u32 %r10, 40;\nbar.sync 1, %r10;\nret;\n"));
    assert_int_equal(TRY(r, 1, 64, 0, 0, 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_BARRIER, "not a multiple of 32");
}

BEHAVIOUR(a_barrier_can_be_used_again_at_once)
{
    /* Warps run through 200 barriers at very different speeds. */
    rig_load(r, PTX(".shared .align 4 .u32 s;\n"
                    "setp.eq.u32 %p1, %r0, 0;\n"
                    "@%p1 st.shared.u32 [s], 0;\n"
                    "mov.u32 %r10, 0;\n"
                    "mov.u32 %r20, 0;\n"
                    "shr.u32 %r11, %r0, 5;\n"
                    "ROUND:\n"
                    "bar.sync 0;\n"
                    "ld.shared.u32 %r12, [s];\n"
                    "add.u32 %r20, %r20, %r12;\n"
                    "bar.sync 0;\n"
                    "and.b32 %r13, %r10, 3;\n"
                    "setp.ne.u32 %p2, %r13, %r11;\n"
                    "@%p2 bra NEXT;\n"
                    "setp.ne.u32 %p3, %r3, 0;\n"
                    "@%p3 bra NEXT;\n"
                    "add.u32 %r14, %r12, 1;\n"
                    "st.shared.u32 [s], %r14;\n"
                    "NEXT:\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "setp.lt.u32 %p4, %r10, 100;\n"
                    "@%p4 bra ROUND;\n"
                    "st.global.u32 [%d2], %r20;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 128 * 4);
    RUN(r, 1, 128, P(out), 0, 0);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], 4950);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(a_barrier_makes_writes_of_all_warps_visible),
        IT(a_block_of_odd_size_meets_at_its_barrier),
        IT(threads_that_exited_count_as_arrived),
        IT(the_two_sides_of_a_branch_meet_at_barriers_of_their_own),
        IT(a_barrier_on_one_side_of_a_branch_is_met_by_the_other_side_later),
        IT(producer_and_consumer_warps_hand_buffers_over),
        IT(pairs_of_warps_meet_at_barriers_whose_number_is_in_a_register),
        IT(barriers_reduce_predicates_over_the_block),
        IT(a_counted_reduction_is_over_the_threads_that_take_part),
        IT(a_reduction_gives_the_same_to_lanes_that_come_by_different_ways),
        IT(a_barrier_inside_of_a_function_is_the_same_barrier),
        IT(a_barrier_that_cannot_complete_names_the_warps_that_wait),
        IT(a_counted_barrier_with_too_few_threads_cannot_complete),
        IT(barriers_are_numbered_up_to_fifteen),
        IT(barriers_count_whole_warps),
        IT(a_barrier_can_be_used_again_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
