/* SPDX-License-Identifier: MIT */
/* Threads that wait for each other by looking at memory: within a warp, between warps, between blocks. Every one of
 * these kernels would hang on a machine that does not give all of its threads their turn. */
#include "harness.h"

BEHAVIOUR(lanes_of_one_warp_take_a_lock_in_turn)
{
    /* while (atomicCAS(lock, 0, 1)); counter++; atomicExch(lock, 0); */
    rig_load(r, PTX("SPIN:\n"
                    "atom.global.cas.b32 %r10, [%d0], 0, 1;\n"
                    "setp.ne.s32 %p1, %r10, 0;\n"
                    "@%p1 bra SPIN;\n"
                    "ld.volatile.global.u32 %r11, [%d0+4];\n"
                    "add.u32 %r11, %r11, 1;\n"
                    "st.volatile.global.u32 [%d0+4], %r11;\n"
                    "membar.gl;\n"
                    "atom.global.exch.b32 %r12, [%d0], 0;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 8);
    RUN(r, 1, 96, P(out), 0, 0);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 96);
}

BEHAVIOUR(a_lock_may_be_taken_and_freed_inside_of_the_loop)
{
    /* for (done = false; !done;) if (!atomicCAS(lock, 0, 1)) { counter++; atomicExch(lock, 0); done = true; } */
    rig_load(r, PTX("LOOP:\n"
                    "mov.u32 %r13, 0;\n"
                    "atom.global.cas.b32 %r10, [%d0], 0, 1;\n"
                    "setp.ne.s32 %p1, %r10, 0;\n"
                    "@%p1 bra NEXT;\n"
                    "ld.volatile.global.u32 %r11, [%d0+4];\n"
                    "add.u32 %r11, %r11, 1;\n"
                    "st.volatile.global.u32 [%d0+4], %r11;\n"
                    "membar.gl;\n"
                    "atom.global.exch.b32 %r12, [%d0], 0;\n"
                    "mov.u32 %r13, 1;\n"
                    "NEXT:\n"
                    "setp.eq.u32 %p2, %r13, 0;\n"
                    "@%p2 bra LOOP;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 8);
    RUN(r, 3, 64, P(out), 0, 0);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 192);
}

BEHAVIOUR(a_lock_may_be_taken_by_a_function)
{
    rig_load(r, PTX_HEAD ".func lock(.param .b64 where)\n{\n.reg .b64 %a;\n.reg .b32 %b;\n.reg .pred %p;\n"
                         "ld.param.u64 %a, [where];\n"
                         "SPIN:\n"
                         "atom.global.cas.b32 %b, [%a], 0, 1;\n"
                         "setp.ne.s32 %p, %b, 0;\n"
                         "@%p bra SPIN;\n"
                         "ret;\n}\n"
                         ".func (.param .b32 got) try_lock(.param .b64 where)\n{\n.reg .b64 %a;\n.reg .b32 %b;\n"
                         "ld.param.u64 %a, [where];\n"
                         "atom.global.cas.b32 %b, [%a], 0, 1;\n"
                         "st.param.b32 [got], %b;\n"
                         "ret;\n}\n" KERNEL("{\n.param .b64 where;\nst.param.b64 [where], %d0;\n"
                                            "call.uni lock, (where);\n}\n"
                                            "ld.volatile.global.u32 %r11, [%d0+4];\n"
                                            "add.u32 %r11, %r11, 1;\n"
                                            "st.volatile.global.u32 [%d0+4], %r11;\n"
                                            "atom.global.exch.b32 %r12, [%d0], 0;\n"
                                            "AGAIN:\n"
                                            "{\n.param .b64 where;\n.param .b32 got;\nst.param.b64 [where], %d0;\n"
                                            "call.uni (got), try_lock, (where);\nld.param.b32 %r13, [got];\n}\n"
                                            "setp.ne.s32 %p1, %r13, 0;\n"
                                            "@%p1 bra AGAIN;\n"
                                            "ld.volatile.global.u32 %r11, [%d0+4];\n"
                                            "add.u32 %r11, %r11, 100;\n"
                                            "st.volatile.global.u32 [%d0+4], %r11;\n"
                                            "atom.global.exch.b32 %r12, [%d0], 0;\n"
                                            "ret;\n"));
    uint32_t *out = rig_buffer(r, 8);
    RUN(r, 1, 64, P(out), 0, 0);
    assert_int_equal(out[1], 64 * 101);
}

BEHAVIOUR(a_lane_waits_for_another_lane_of_its_warp)
{
    /* Lane 0 waits for a flag that lane 1 sets after the place where the two would meet. */
    rig_load(r, PTX("setp.ne.u32 %p1, %r0, 0;\n"
                    "@%p1 bra JOIN;\n"
                    "SPIN:\n"
                    "ld.volatile.global.u32 %r10, [%d0];\n"
                    "setp.eq.u32 %p2, %r10, 0;\n"
                    "@%p2 bra SPIN;\n"
                    "st.global.u32 [%d0+4], 7;\n"
                    "JOIN:\n"
                    "setp.eq.u32 %p3, %r0, 1;\n"
                    "@%p3 st.volatile.global.u32 [%d0], 1;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 8);
    RUN(r, 1, 32, P(out), 0, 0);
    assert_int_equal(out[1], 7);
}

BEHAVIOUR(warps_pass_a_token_round)
{
    /* Warp w adds its number when the token says it is its turn, n rounds; the waiting is in shared memory. */
    rig_load(r, PTX(".shared .align 4 .u32 token;\n.shared .align 4 .u32 sum;\n"
                    "setp.eq.u32 %p1, %r0, 0;\n"
                    "@%p1 st.shared.u32 [token], 0;\n"
                    "@%p1 st.shared.u32 [sum], 0;\n"
                    "bar.sync 0;\n"
                    "shr.u32 %r10, %r0, 5;\n"
                    "mov.u32 %r11, 0;\n"
                    "and.b32 %r12, %r0, 31;\n"
                    "setp.ne.u32 %p2, %r12, 0;\n"
                    "@%p2 bra END;\n"
                    "ROUND:\n"
                    "SPIN:\n"
                    "ld.volatile.shared.u32 %r13, [token];\n"
                    "and.b32 %r14, %r13, 3;\n"
                    "setp.ne.u32 %p3, %r14, %r10;\n"
                    "@%p3 bra SPIN;\n"
                    "ld.volatile.shared.u32 %r15, [sum];\n"
                    "mad.lo.u32 %r15, %r15, 3, %r10;\n"
                    "st.volatile.shared.u32 [sum], %r15;\n"
                    "membar.cta;\n"
                    "add.u32 %r13, %r13, 1;\n"
                    "st.volatile.shared.u32 [token], %r13;\n"
                    "add.u32 %r11, %r11, 1;\n"
                    "setp.lt.u32 %p4, %r11, %r2;\n"
                    "@%p4 bra ROUND;\n"
                    "END:\n"
                    "bar.sync 0;\n"
                    "ld.shared.u32 %r16, [sum];\n"
                    "st.global.u32 [%d2], %r16;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 128 * 4), sum = 0;
    RUN(r, 1, 128, P(out), 0, 5);
    for (uint32_t i = 0; i < 20; i++)
        sum = sum * 3 + i % 4;
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], sum);
}

/* Block `giver` writes data and sets a flag; block 1 - giver waits for the flag and reads. */
#define PRODUCER_CONSUMER                                                                                              \
    PTX("mov.u32 %r10, %ctaid.x;\n"                                                                                    \
        "setp.eq.u32 %p1, %r10, %r2;\n"                                                                                \
        "mul.wide.u32 %d10, %r0, 4;\n"                                                                                 \
        "add.s64 %d11, %d1, %d10;\n"                                                                                   \
        "@!%p1 bra CONSUMER;\n"                                                                                        \
        "mul.lo.u32 %r11, %r0, 5;\n"                                                                                   \
        "st.global.u32 [%d11], %r11;\n"                                                                                \
        "membar.gl;\n"                                                                                                 \
        "bar.sync 0;\n"                                                                                                \
        "setp.eq.u32 %p2, %r0, 0;\n"                                                                                   \
        "@%p2 st.volatile.global.u32 [%d1+1024], 1;\n"                                                                 \
        "ret;\n"                                                                                                       \
        "CONSUMER:\n"                                                                                                  \
        "setp.ne.u32 %p3, %r0, 0;\n"                                                                                   \
        "@%p3 bra READY;\n"                                                                                            \
        "SPIN:\n"                                                                                                      \
        "ld.volatile.global.u32 %r12, [%d1+1024];\n"                                                                   \
        "setp.eq.u32 %p4, %r12, 0;\n"                                                                                  \
        "@%p4 bra SPIN;\n"                                                                                             \
        "READY:\n"                                                                                                     \
        "bar.sync 0; // @ready\n"                                                                                      \
        "ld.global.u32 %r13, [%d11]; // @after\n"                                                                      \
        "mul.wide.u32 %d12, %r0, 4;\n"                                                                                 \
        "add.s64 %d13, %d0, %d12;\n"                                                                                   \
        "st.global.u32 [%d13], %r13;\n"                                                                                \
        "ret;\n")

BEHAVIOUR(a_block_waits_for_one_that_comes_later_or_came_before)
{
    rig_load(r, PRODUCER_CONSUMER);
    for (uint32_t giver = 0; giver < 2; giver++) {
        uint32_t *out = rig_buffer(r, 64 * 4), *in = rig_buffer(r, 2048);
        RUN(r, 2, 64, P(out), P(in), giver);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(out[i], 5 * i);
    }
}

BEHAVIOUR(lanes_that_waited_for_a_spinning_one_are_together_again_after_the_barrier)
{
    rig_load(r, PRODUCER_CONSUMER);
    uint32_t *out = rig_buffer(r, 64 * 4), *in = rig_buffer(r, 2048);
    RUN(r, 2, 64, P(out), P(in), 1);
    uint64_t mask[4];
    assert_int_equal(rig_masks(r, "after", mask, 4), 1);
    assert_int_equal(mask[0], r->config.lanes == 64 ? UINT64_MAX : UINT32_MAX);
}

BEHAVIOUR(blocks_go_one_after_the_other_in_whatever_order_they_ask_for)
{
    /* Each block waits until `turn` equals its place: ascending, or descending with n = 1. */
    rig_load(r, PTX("mov.u32 %r10, %ctaid.x;\n"
                    "mov.u32 %r11, %nctaid.x;\n"
                    "sub.u32 %r12, %r11, %r10;\n"
                    "sub.u32 %r12, %r12, 1;\n"
                    "setp.eq.u32 %p1, %r2, 1;\n"
                    "selp.u32 %r13, %r12, %r10, %p1;\n"
                    "setp.ne.u32 %p2, %r0, 0;\n"
                    "@%p2 bra END;\n"
                    "SPIN:\n"
                    "ld.acquire.gpu.global.u32 %r14, [%d1];\n"
                    "setp.ne.u32 %p3, %r14, %r13;\n"
                    "@%p3 bra SPIN;\n"
                    "ld.global.u32 %r15, [%d1+4];\n"
                    "mad.lo.u32 %r15, %r15, 7, %r10;\n"
                    "st.global.u32 [%d1+4], %r15;\n"
                    "add.u32 %r14, %r14, 1;\n"
                    "st.release.gpu.global.u32 [%d1], %r14;\n"
                    "END:\n"
                    "ret;\n"));
    for (uint32_t down = 0; down < 2; down++) {
        uint32_t *in = rig_buffer(r, 8), expected = 0;
        RUN(r, 40, 64, 0, P(in), down);
        for (uint32_t i = 0; i < 40; i++)
            expected = expected * 7 + (down ? 39 - i : i);
        assert_int_equal(in[1], expected);
    }
}

BEHAVIOUR(blocks_take_tickets_and_wait_for_the_one_before)
{
    /* A decoupled scan: the place of a block is its ticket, and it adds to what the block before it published. */
    rig_load(r, PTX(".shared .align 4 .u32 ticket;\n"
                    "setp.ne.u32 %p1, %r0, 0;\n"
                    "@%p1 bra SHARED;\n"
                    "atom.global.add.u32 %r10, [%d1], 1;\n"
                    "st.shared.u32 [ticket], %r10;\n"
                    "mul.wide.u32 %d10, %r10, 8;\n"
                    "add.s64 %d11, %d0, %d10;\n"
                    "mov.u32 %r11, 0;\n"
                    "setp.eq.u32 %p2, %r10, 0;\n"
                    "@%p2 bra PUBLISH;\n"
                    "SPIN:\n"
                    "ld.relaxed.gpu.global.u32 %r12, [%d11-4];\n"
                    "setp.eq.u32 %p3, %r12, 0;\n"
                    "@%p3 bra SPIN;\n"
                    "fence.acq_rel.gpu;\n"
                    "ld.global.u32 %r11, [%d11-8];\n"
                    "PUBLISH:\n"
                    "mad.lo.u32 %r11, %r10, %r10, %r11;\n"
                    "st.global.u32 [%d11], %r11;\n"
                    "fence.acq_rel.gpu;\n"
                    "st.relaxed.gpu.global.u32 [%d11+4], 1;\n"
                    "SHARED:\n"
                    "bar.sync 0;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 300 * 8), *in = rig_buffer(r, 4), sum = 0;
    RUN(r, 300, 32, P(out), P(in), 0);
    for (uint32_t i = 0; i < 300; i++) {
        sum += i * i;
        assert_int_equal(out[2 * i], sum);
    }
}

BEHAVIOUR(all_blocks_meet_at_a_barrier_made_of_atomics)
{
    rig_load(r, PTX("st.global.u32 [%d2], %r1;\n"
                    "mov.u32 %r20, 0;\n"
                    "PHASE:\n"
                    "membar.gl;\n"
                    "bar.sync 0;\n"
                    "setp.ne.u32 %p1, %r0, 0;\n"
                    "@%p1 bra WAITED;\n"
                    "atom.global.add.u32 %r10, [%d1], 1;\n"
                    "mov.u32 %r11, %nctaid.x;\n"
                    "add.u32 %r20, %r20, %r11;\n"
                    "SPIN:\n"
                    "atom.global.add.u32 %r12, [%d1], 0;\n"
                    "setp.lt.u32 %p2, %r12, %r20;\n"
                    "@%p2 bra SPIN;\n"
                    "WAITED:\n"
                    "bar.sync 0;\n"
                    /* out[i] of the next block is read, and written back after everybody has read */
                    "mov.u32 %r13, %ntid.x;\n"
                    "mov.u32 %r11, %nctaid.x;\n"
                    "mul.lo.u32 %r14, %r11, %r13;\n"
                    "add.u32 %r15, %r1, %r13;\n"
                    "rem.u32 %r15, %r15, %r14;\n"
                    "mul.wide.u32 %d10, %r15, 4;\n"
                    "add.s64 %d11, %d0, %d10;\n"
                    "ld.volatile.global.u32 %r16, [%d11];\n"
                    "setp.ne.u32 %p3, %r2, 0;\n"
                    "@!%p3 bra END;\n"
                    "sub.u32 %r2, %r2, 1;\n"
                    "mov.u32 %r17, %r16;\n"
                    "setp.eq.u32 %p4, %r2, 0;\n"
                    "@!%p4 bra PHASE;\n"
                    "mul.wide.u32 %d12, %r14, 4;\n"
                    "add.s64 %d13, %d2, %d12;\n"
                    "st.global.u32 [%d13], %r17;\n"
                    "END:\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 2 * 20 * 64 * 4), *in = rig_buffer(r, 4);
    RUN(r, 20, 64, P(out), P(in), 2);
    for (uint32_t i = 0; i < 20 * 64; i++)
        assert_int_equal(out[20 * 64 + i], (i + 64) % (20 * 64));
    assert_int_equal(in[0], 40);
}

/* What nvcc makes of cg::this_grid().sync(). */
#define GRID_SYNC(n)                                                                                                   \
    "setp.ne.s64 %p1, %d20, 0;\n@%p1 bra OK" n ";\ntrap;\nOK" n ":\n"                                                  \
    "barrier.sync 0;\n"                                                                                                \
    "mov.u32 %r15, %tid.y;\nadd.s32 %r16, %r0, %r15;\nmov.u32 %r17, %tid.z;\nneg.s32 %r18, %r17;\n"                    \
    "setp.ne.s32 %p2, %r16, %r18;\n@%p2 bra DONE" n ";\n"                                                              \
    "mov.u32 %r19, %nctaid.x;\nmov.u32 %r20, %nctaid.y;\nmul.lo.s32 %r21, %r19, %r20;\nmov.u32 %r22, %nctaid.z;\n"     \
    "mul.lo.s32 %r23, %r21, %r22;\nmov.u32 %r24, %ctaid.y;\nmov.u32 %r30, %ctaid.x;\nadd.s32 %r25, %r30, %r24;\n"      \
    "mov.u32 %r26, %ctaid.z;\nneg.s32 %r27, %r26;\nsetp.eq.s32 %p3, %r25, %r27;\n"                                     \
    "mov.u32 %r28, -2147483647;\nsub.s32 %r29, %r28, %r23;\nselp.b32 %r31, %r29, 1, %p3;\n"                            \
    "atom.add.release.gpu.u32 %r32, [%d21], %r31;\n"                                                                   \
    "WAIT" n ":\n"                                                                                                     \
    "ld.acquire.gpu.u32 %r33, [%d21];\nxor.b32 %r34, %r33, %r32;\nsetp.gt.s32 %p4, %r34, -1;\n@%p4 bra WAIT" n ";\n"   \
    "DONE" n ":\n"                                                                                                     \
    "barrier.sync 0;\n"

#define COOPERATIVE                                                                                                    \
    PTX("mov.u32 %r10, %envreg2;\ncvt.u64.u32 %d22, %r10;\nmov.u32 %r11, %envreg1;\ncvt.u64.u32 %d23, %r11;\n"         \
        "bfi.b64 %d20, %d23, %d22, 32, 32;\nadd.s64 %d21, %d20, 4;\n"                                                  \
        "mul.wide.u32 %d10, %r1, 4;\nadd.s64 %d11, %d1, %d10;\n"                                                       \
        "mul.lo.u32 %r40, %r1, 3;\nst.global.u32 [%d11], %r40;\n" GRID_SYNC(                                           \
            "1") "mov.u32 %r41, %nctaid.x;\n"                                                                          \
                 "mul.lo.u32 %r42, %r41, %r5;\nsub.u32 %r43, %r42, %r1;\nsub.u32 %r43, %r43, 1;\n"                     \
                 "mul.wide.u32 %d12, %r43, 4;\nadd.s64 %d13, %d1, %d12;\nld.global.u32 %r44, [%d13];\n" GRID_SYNC(     \
                     "2") "st.global.u32 [%d11], %r44;\n" GRID_SYNC("3") "add.u32 %r45, %r1, 7;\nrem.u32 %r45, %r45, " \
                                                                         "%r42;\n"                                     \
                                                                         "mul.wide.u32 %d14, %r45, 4;\nadd.s64 %d15, " \
                                                                         "%d1, %d14;\n"                                \
                                                                         "ld.global.u32 %r46, [%d15];\n"               \
                                                                         "st.global.u32 [%d2], %r46;\nret;\n")

BEHAVIOUR(cooperative_launches_synchronise_the_whole_grid)
{
    enum { BLOCKS = 30, THREADS = 64, ALL = BLOCKS * THREADS };
    rig_load(r, COOPERATIVE);
    uint32_t *out = rig_buffer(r, ALL * 4), *in = rig_buffer(r, ALL * 4);
    for (int launch = 0; launch < 2; launch++) {
        memset(out, 0, ALL * 4);
        rig_run(r, "k", (rig_shape){.grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .cooperative = true},
                RIG_ARGS(P(out), P(in), 0));
        for (uint32_t i = 0; i < ALL; i++)
            assert_int_equal(out[i], (ALL - 1 - (i + 7) % ALL) * 3);
    }
}

BEHAVIOUR(a_grid_barrier_in_a_launch_that_is_not_cooperative_traps)
{
    rig_load(r, COOPERATIVE);
    uint32_t *out = rig_buffer(r, 256), *in = rig_buffer(r, 256);
    assert_int_equal(TRY(r, 1, 64, P(out), P(in), 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_TRAP, "trap");
}

BEHAVIOUR(a_cooperative_launch_must_fit_the_machine)
{
    rig_load(r, PTX("ret;\n"));
    rig_shape shape = {.grid = {132 * 32 + 1, 1, 1}, .block = {64, 1, 1}, .cooperative = true};
    assert_int_equal(rig_try(r, "k", shape, RIG_ARGS(0, 0, 0)), SL_LIMIT);
    rig_expect_text(r, "4225 blocks, the machine holds 4224 at once");
    shape.grid[0]--;
    rig_run(r, "k", shape, RIG_ARGS(0, 0, 0));
}

BEHAVIOUR(parts_of_a_warp_wait_for_a_block_that_has_not_started)
{
    /* Even and odd lanes of block 0 wait in different loops, for flags that block 1 sets. */
    rig_load(r, PTX("mov.u32 %r10, %ctaid.x;\n"
                    "setp.eq.u32 %p1, %r10, 0;\n"
                    "@%p1 bra WAIT;\n"
                    "st.volatile.global.u32 [%d1], 5;\n"
                    "st.volatile.global.u32 [%d1+4], 6;\n"
                    "ret;\n"
                    "WAIT:\n"
                    "and.b32 %r11, %r0, 1;\n"
                    "setp.eq.u32 %p2, %r11, 1;\n"
                    "@%p2 bra ODD;\n"
                    "EVEN:\n"
                    "ld.volatile.global.u32 %r12, [%d1];\n"
                    "setp.eq.u32 %p3, %r12, 0;\n"
                    "@%p3 bra EVEN;\n"
                    "bra END;\n"
                    "ODD:\n"
                    "ld.volatile.global.u32 %r12, [%d1+4];\n"
                    "setp.eq.u32 %p3, %r12, 0;\n"
                    "@%p3 bra ODD;\n"
                    "END:\n"
                    "st.global.u32 [%d2], %r12; // @end\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4), *in = rig_buffer(r, 8);
    RUN(r, 2, 64, P(out), P(in), 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 5 + i % 2);
}

BEHAVIOUR(waiting_loops_with_branches_inside_give_way_too)
{
    /* The loop of block 0 parts its lanes in every round. */
    rig_load(r, PTX("mov.u32 %r10, %ctaid.x;\n"
                    "setp.eq.u32 %p1, %r10, 0;\n"
                    "mov.u32 %r20, 0;\n"
                    "@%p1 bra WAIT;\n"
                    "st.volatile.global.u32 [%d1], 5;\n"
                    "ret;\n"
                    "WAIT:\n"
                    "and.b32 %r11, %r0, 1;\n"
                    "setp.eq.u32 %p2, %r11, 1;\n"
                    "@%p2 bra NEXT;\n"
                    "add.u32 %r20, %r20, 1;\n"
                    "NEXT:\n"
                    "ld.volatile.global.u32 %r12, [%d1];\n"
                    "setp.eq.u32 %p3, %r12, 0;\n"
                    "@%p3 bra WAIT;\n"
                    "st.global.u32 [%d2], %r12;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4), *in = rig_buffer(r, 8);
    RUN(r, 2, 64, P(out), P(in), 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 5);
}

BEHAVIOUR(waiting_loops_with_a_barrier_inside_give_way_too)
{
    /* Thread 0 looks, tells the others through shared memory, and all of them decide. */
    rig_load(r, PTX(".shared .align 4 .u32 seen;\n"
                    "mov.u32 %r10, %ctaid.x;\n"
                    "setp.eq.u32 %p1, %r10, 0;\n"
                    "@%p1 bra WAIT;\n"
                    "st.volatile.global.u32 [%d1], 5;\n"
                    "ret;\n"
                    "WAIT:\n"
                    "setp.ne.u32 %p2, %r0, 0;\n"
                    "@%p2 bra MEET;\n"
                    "ld.volatile.global.u32 %r12, [%d1];\n"
                    "st.shared.u32 [seen], %r12;\n"
                    "MEET:\n"
                    "bar.sync 0;\n"
                    "ld.shared.u32 %r13, [seen];\n"
                    "bar.sync 0;\n"
                    "setp.eq.u32 %p3, %r13, 0;\n"
                    "@%p3 bra WAIT;\n"
                    "st.global.u32 [%d2], %r13;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 96 * 4), *in = rig_buffer(r, 8);
    RUN(r, 2, 96, P(out), P(in), 0);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(out[i], 5);
}

BEHAVIOUR(a_loop_that_waits_and_returns_from_its_middle_gives_way)
{
    rig_load(r, PTX("mov.u32 %r10, %ctaid.x;\n"
                    "setp.eq.u32 %p1, %r10, 0;\n"
                    "@%p1 bra WAIT;\n"
                    "st.volatile.global.u32 [%d1], 5;\n"
                    "ret;\n"
                    "WAIT:\n"
                    "ld.volatile.global.u32 %r12, [%d1];\n"
                    "st.global.u32 [%d2], %r12;\n"
                    "setp.ne.u32 %p3, %r12, 0;\n"
                    "@%p3 ret;\n"
                    "bra WAIT;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4), *in = rig_buffer(r, 8);
    RUN(r, 2, 64, P(out), P(in), 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 5);
}

BEHAVIOUR(more_blocks_than_fit_the_machine_wait_for_earlier_ones_only)
{
    /* A machine that holds few blocks; each waits for the one before it, which has always been started. */
    sl_machine machine;
    sl_error error;
    assert_int_equal(sl_machine_load("h200", &machine, &error), SL_OK);
    machine.cores = 1;
    machine.core.blocks = 3;
    rig *small =
        rig_open(&(rig_config){.lanes = r->config.lanes, .threads = 1, .isa = r->config.isa, .machine = &machine});
    rig_load(small, PTX("mov.u32 %r10, %ctaid.x;\n"
                        "setp.ne.u32 %p1, %r0, 0;\n"
                        "@%p1 bra END;\n"
                        "SPIN:\n"
                        "ld.volatile.global.u32 %r11, [%d0];\n"
                        "setp.ne.u32 %p2, %r11, %r10;\n"
                        "@%p2 bra SPIN;\n"
                        "add.u32 %r11, %r11, 1;\n"
                        "st.volatile.global.u32 [%d0], %r11;\n"
                        "END:\n"
                        "ret;\n"));
    uint32_t *out = rig_buffer(small, 4);
    RUN(small, 50, 64, P(out), 0, 0);
    assert_int_equal(out[0], 50);
    rig_close(small);
}

static void an_endless_wait_ends_at_the_instruction_limit(void **state)
{
    (void)state;
    static const char *const kernels[] = {
        PTX("SPIN:\nld.volatile.global.u32 %r10, [%d0];\nsetp.eq.u32 %p1, %r10, 0;\n@%p1 bra SPIN;\nret;\n"),
        PTX("LOOP:\nadd.u32 %r10, %r10, 1;\nbra LOOP;\n"),
        PTX("LOOP:\nbar.sync 0;\nbra LOOP;\n"),
        PTX("LOOP:\nsetp.eq.u32 %p1, %r0, 3;\n@%p1 bra SKIP;\nadd.u32 %r10, %r10, 1;\nSKIP:\nbar.sync 0;\nbra LOOP;\n"),
        PTX("LOOP:\nand.b32 %r10, %r0, 1;\nsetp.eq.u32 %p1, %r10, 0;\n@%p1 bra LOOP;\nLATER:\nbra LATER;\n"),
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        for (uint32_t blocks = 1; blocks <= 3; blocks += 2) {
            rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 2, .max_instructions = 100000});
            rig_load(r, kernels[i]);
            uint32_t *out = rig_buffer(r, 4);
            assert_int_equal(TRY(r, blocks, 64, P(out), 0, 0), SL_LIMIT);
            rig_expect_fault(r, SL_FAULT_LIMIT, "more than 100000 warp instructions");
            rig_expect_text(r, "kernel k, block (");
            rig_close(r);
        }
    }
}

static void the_instruction_limit_is_for_the_whole_launch(void **state)
{
    (void)state;
    rig *r = rig_open(&(rig_config){.lanes = 32, .threads = 2, .max_instructions = 1000});
    rig_load(r, PTX("st.global.u32 [%d2], 1;\nret;\n"));
    uint32_t *out = rig_buffer(r, 1000 * 32 * 4);
    RUN(r, 50, 32, P(out), 0, 0);
    assert_int_equal(r->stats.warp_insts, 50 * 12);
    assert_int_equal(TRY(r, 1000, 32, P(out), 0, 0), SL_LIMIT);
    rig_expect_fault(r, SL_FAULT_LIMIT, "more than 1000 warp instructions");
    rig_close(r);
}

BEHAVIOUR(a_loop_that_waits_for_a_second_ends_soon)
{
    /* while (globaltimer() - start < 1 s); the same with clock64() */
    rig_load(r, PTX("mov.u64 %d3, %globaltimer;\n"
                    "WAIT:\n"
                    "mov.u64 %d4, %globaltimer;\n"
                    "sub.u64 %d4, %d4, %d3;\n"
                    "setp.lt.u64 %p1, %d4, 1000000000;\n"
                    "@%p1 bra WAIT;\n"
                    "mov.u64 %d5, %clock64;\n"
                    "AGAIN:\n"
                    "mov.u64 %d6, %clock64;\n"
                    "sub.u64 %d6, %d6, %d5;\n"
                    "setp.lt.u64 %p1, %d6, 100000000;\n"
                    "@%p1 bra AGAIN;\n"
                    "shr.u64 %d4, %d4, 20;\n"
                    "shr.u64 %d6, %d6, 20;\n"
                    "cvt.u32.u64 %r10, %d4;\n"
                    "cvt.u32.u64 %r11, %d6;\n"
                    "mad.lo.u32 %r10, %r10, 1000, %r11;\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    assert_int_equal(out[0], (1000000000 >> 20) * 1000 + (100000000 >> 20));
    assert_true(r->stats.warp_insts < 5000000);
}

BEHAVIOUR(the_clock_never_goes_back)
{
    /* from the end of a long loop to its start, over blocks of one instruction; and from launch to launch */
    rig_load(r, PTX("mov.u32 %r10, 0;\n"
                    "mov.u32 %r12, 0;\n"
                    "ld.global.u64 %d5, [%d1];\n"
                    "LOOP:\n"
                    "mov.u64 %d4, %clock64;\n"
                    "setp.le.u64 %p1, %d4, %d5;\n"
                    "@%p1 add.u32 %r12, %r12, 1;\n"
                    "mov.u64 %d5, %d4;\n"
                    "bra A;\nC: bra D;\nB: bra C;\nA: bra B;\nD:\n"
                    "mov.u64 %d4, %clock64;\n"
                    "setp.le.u64 %p1, %d4, %d5;\n"
                    "@%p1 add.u32 %r12, %r12, 1;\n"
                    "mov.u64 %d5, %d4;\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "setp.lt.u32 %p2, %r10, 10;\n"
                    "@%p2 bra LOOP;\n"
                    "st.global.u64 [%d1], %d5;\n"
                    "st.global.u32 [%d2], %r12;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4);
    uint64_t *last = rig_buffer(r, 8);
    for (int turn = 0; turn < 3; turn++) {
        RUN(r, 1, 1, P(out), P(last), 0);
        assert_int_equal(out[0], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(lanes_of_one_warp_take_a_lock_in_turn),
        IT(a_lock_may_be_taken_and_freed_inside_of_the_loop),
        IT(a_lock_may_be_taken_by_a_function),
        IT(a_lane_waits_for_another_lane_of_its_warp),
        IT(warps_pass_a_token_round),
        IT(a_block_waits_for_one_that_comes_later_or_came_before),
        IT(lanes_that_waited_for_a_spinning_one_are_together_again_after_the_barrier),
        IT(blocks_go_one_after_the_other_in_whatever_order_they_ask_for),
        IT(blocks_take_tickets_and_wait_for_the_one_before),
        IT(all_blocks_meet_at_a_barrier_made_of_atomics),
        IT(cooperative_launches_synchronise_the_whole_grid),
        IT(a_grid_barrier_in_a_launch_that_is_not_cooperative_traps),
        IT(a_cooperative_launch_must_fit_the_machine),
        IT(parts_of_a_warp_wait_for_a_block_that_has_not_started),
        IT(waiting_loops_with_branches_inside_give_way_too),
        IT(waiting_loops_with_a_barrier_inside_give_way_too),
        IT(a_loop_that_waits_and_returns_from_its_middle_gives_way),
        IT(more_blocks_than_fit_the_machine_wait_for_earlier_ones_only),
        IT(an_endless_wait_ends_at_the_instruction_limit),
        IT(the_instruction_limit_is_for_the_whole_launch),
        IT(a_loop_that_waits_for_a_second_ends_soon),
        IT(the_clock_never_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
