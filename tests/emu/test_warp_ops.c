/* SPDX-License-Identifier: MIT */
/* Instructions in which lanes of a warp see each other, against references that look at one lane at a time. */
#include <stdio.h>

#include "base/random.h"
#include "harness.h"

enum { THREADS = 64 };

static uint32_t value_of(uint32_t thread)
{
    return thread * 2654435761u ^ thread >> 3;
}

/* ---- shfl ---- */

/* What the ISA says shfl gives to a lane, as a search over the lanes of its segment. */
static uint32_t shfl_source(char mode, uint32_t lane, uint32_t b, uint32_t c, bool *valid)
{
    uint32_t amount = b % 32, clamp = c % 32, fixed = c >> 8 & 31;
    int32_t wanted = mode == 'u'   ? (int32_t)lane - (int32_t)amount
                     : mode == 'd' ? (int32_t)(lane + amount)
                     : mode == 'b' ? (int32_t)(lane ^ amount)
                                   : -1;
    uint32_t bound = 0, low = 0;
    for (uint32_t bit = 0; bit < 5; bit++) {
        bool same = fixed >> bit & 1; /* lanes of a segment agree in these bits */
        bound |= (same ? lane : clamp) & 1u << bit;
        low |= (same ? lane : amount) & 1u << bit;
    }
    if (mode == 'i')
        wanted = (int32_t)low;
    *valid = mode == 'u' ? wanted >= (int32_t)bound : wanted <= (int32_t)bound;
    return *valid ? (uint32_t)wanted : lane;
}

static void check_shuffles(rig *r, const char *mode, char key)
{
    char text[4096];
    snprintf(text, sizeof text,
             "%s%s%smul.lo.u32 %%r10, %%r0, -1640531535;\nshr.u32 %%r11, %%r0, 3;\nxor.b32 %%r10, %%r10, %%r11;\n"
             "ld.global.u32 %%r12, [%%d1];\nld.global.u32 %%r13, [%%d1+4];\n"
             "shfl.sync.%s.b32 %%r14|%%p1, %%r10, %%r12, %%r13, 0xffffffff;\n"
             "selp.u32 %%r15, 1, 0, %%p1;\nst.global.u32 [%%d2], %%r14;\n"
             "mul.wide.u32 %%d10, %%r5, 4;\nadd.s64 %%d11, %%d2, %%d10;\nst.global.u32 [%%d11], %%r15;\nret;\n}\n",
             PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n", PTX_REGS, PTX_START,
             mode);
    rig_load(r, text);
    uint32_t *out = rig_buffer(r, 2 * THREADS * 4), *in = rig_buffer(r, 8);
    static const uint32_t clamps[] = {0, 31, 7, 0x1f00 | 31, 0x1800 | 31, 0x1c00 | 3, 0x1e00 | 1, 0x1000 | 15, 0x1800};
    for (uint32_t amount = 0; amount < 35; amount++) {
        for (size_t c = 0; c < sizeof clamps / sizeof *clamps; c++) {
            in[0] = amount;
            in[1] = clamps[c];
            RUN(r, 1, THREADS, P(out), P(in), 0);
            for (uint32_t i = 0; i < THREADS; i++) {
                bool valid;
                uint32_t from = i / 32 * 32 + shfl_source(key, i % 32, amount, clamps[c], &valid);
                assert_int_equal(out[i], value_of(from));
                assert_int_equal(out[THREADS + i], valid);
            }
        }
    }
}

BEHAVIOUR(shuffles_up_stop_at_the_lower_end_of_a_segment)
{
    check_shuffles(r, "up", 'u');
}

BEHAVIOUR(shuffles_down_stop_at_the_upper_end_of_a_segment)
{
    check_shuffles(r, "down", 'd');
}

BEHAVIOUR(butterfly_shuffles_exchange_lanes)
{
    check_shuffles(r, "bfly", 'b');
}

BEHAVIOUR(indexed_shuffles_read_one_lane_of_a_segment)
{
    check_shuffles(r, "idx", 'i');
}

BEHAVIOUR(a_shuffle_may_overwrite_what_it_reads)
{
    rig_load(r, PTX("mov.u32 %r10, %r3;\n"
                    "shfl.sync.down.b32 %r10, %r10, 1, 31, -1;\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i % 32 == 31 ? 31 : i % 32 + 1);
}

BEHAVIOUR(a_guarded_shuffle_leaves_the_other_lanes_alone)
{
    rig_load(r, PTX("setp.lt.u32 %p1, %r3, 16;\n"
                    "mov.u32 %r10, 99;\n"
                    "mov.u32 %r11, 0xffffffff;\n"
                    "@%p1 mov.u32 %r11, 0xffff;\n"
                    "@%p1 shfl.sync.bfly.b32 %r10, %r0, 1, 31, %r11;\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i % 32 < 16 ? i ^ 1 : 99);
}

BEHAVIOUR(a_shuffle_waits_for_the_lanes_that_come_later)
{
    /* Odd lanes take a detour; the shuffle is in front of the place where both ways meet, once per way. */
    rig_load(r, PTX("mov.u32 %r10, %r0;\n"
                    "and.b32 %r11, %r0, 1;\n"
                    "setp.eq.u32 %p1, %r11, 1;\n"
                    "@%p1 bra ODD;\n"
                    "add.u32 %r10, %r10, 1000;\n"
                    "bra SHUFFLE;\n"
                    "ODD:\n"
                    "add.u32 %r10, %r10, 2000;\n"
                    "add.u32 %r10, %r10, 3000;\n"
                    "SHUFFLE:\n"
                    "shfl.sync.bfly.b32 %r12, %r10, 1, 31, -1; // @shuffle\n"
                    "st.global.u32 [%d2], %r12;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], (i ^ 1) + (i % 2 ? 1000 : 5000));
    uint64_t mask;
    assert_int_equal(rig_masks(r, "shuffle", &mask, 1), 1);
    assert_int_equal(mask, 0xffffffff);
}

BEHAVIOUR(lanes_in_a_loop_wait_for_each_other_at_a_shuffle)
{
    /* A while loop of different length before every exchange: lanes arrive one by one, the sum is complete. */
    rig_load(r, PTX("mov.u32 %r20, %r0;\n"
                    "mov.u32 %r21, 16;\n"
                    "STEP:\n"
                    "mov.u32 %r10, 0;\n"
                    "setp.gt.u32 %p1, %r3, 20;\n"
                    "@%p1 bra EXCHANGE;\n"
                    "WORK:\n"
                    "add.u32 %r10, %r10, 1;\n"
                    "setp.lt.u32 %p2, %r10, %r3;\n"
                    "@%p2 bra WORK;\n"
                    "EXCHANGE:\n"
                    "shfl.sync.bfly.b32 %r11, %r20, %r21, 31, -1;\n"
                    "add.u32 %r20, %r20, %r11;\n"
                    "shr.u32 %r21, %r21, 1;\n"
                    "setp.ne.u32 %p3, %r21, 0;\n"
                    "@%p3 bra STEP;\n"
                    "st.global.u32 [%d2], %r20;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i < 32 ? 496 : 496 + 1024);
}

BEHAVIOUR(both_sides_of_a_branch_may_shuffle_among_themselves)
{
    rig_load(r, PTX("setp.lt.u32 %p1, %r3, 12;\n"
                    "@%p1 bra LOW;\n"
                    "shfl.sync.idx.b32 %r10, %r0, 20, 31, 0xfffff000; // @high\n"
                    "bra END;\n"
                    "LOW:\n"
                    "shfl.sync.idx.b32 %r10, %r0, 3, 31, 0x00000fff; // @low\n"
                    "END:\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i / 32 * 32 + (i % 32 < 12 ? 3 : 20));
}

BEHAVIOUR(a_shuffle_does_not_wait_for_lanes_that_exited)
{
    rig_load(r, PTX("setp.gt.u32 %p1, %r3, 9;\n"
                    "@%p1 exit;\n"
                    "and.b32 %r11, %r3, 1;\n"
                    "setp.eq.u32 %p2, %r11, 1;\n"
                    "@%p2 bra NEXT;\n"
                    "add.u32 %r12, %r12, 1;\n"
                    "NEXT:\n"
                    "shfl.sync.idx.b32 %r10, %r0, 8, 31, -1;\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i % 32 > 9 ? 0 : i / 32 * 32 + 8);
}

/* ---- across the halves of 64 lanes: bits 6 and 7 of the last operand, which PTX leaves unused ---- */

BEHAVIOUR(a_shuffle_of_the_whole_warp_crosses_its_halves)
{
    rig_load(r, PTX("shfl.sync.down.b32 %r10, %r0, 40, 0xbf, -1;\nst.global.u32 [%d2], %r10;\n"
                    "shfl.sync.bfly.b32 %r10, %r0, 32, 0xbf, -1;\nst.global.u32 [%d2+256], %r10;\n"
                    "shfl.sync.up.b32 %r10, %r0, 40, 0x80, -1;\nst.global.u32 [%d2+512], %r10;\n"
                    "shfl.sync.idx.b32 %r10, %r0, 45, 0xbf, -1;\nst.global.u32 [%d2+768], %r10;\n"
                    "shfl.sync.idx.b32 %r10, %r0, 45, 0x20bf, -1;\nst.global.u32 [%d2+1024], %r10;\nret;\n"));
    uint32_t *out = rig_buffer(r, 5 * THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        bool whole = r->config.lanes == 64; /* a warp of 32 does not look at these bits */
        assert_int_equal(out[i], whole ? (i < 24 ? i + 40 : i) : i % 32 < 24 ? i + 8 : i);
        assert_int_equal(out[64 + i], whole ? i ^ 32 : i);
        assert_int_equal(out[128 + i], whole ? (i < 40 ? i : i - 40) : i % 32 < 8 ? i : i - 8);
        assert_int_equal(out[192 + i], whole ? 45 : i / 32 * 32 + 13);
        assert_int_equal(out[256 + i], i / 32 * 32 + 13);
    }
}

BEHAVIOUR(a_lane_sees_the_lowest_lane_of_the_other_half_that_takes_part)
{
    rig_load(r, PTX("mov.u32 %r10, 99;\nsetp.lt.u32 %p1, %r0, 7;\nsetp.gt.u32 %p2, %r0, 50;\nor.pred %p1, %p1, %p2;\n"
                    "@!%p1 bra SKIP;\nshfl.sync.idx.b32 %r10, %r0, 0, 0xc0, -1;\nSKIP:\nst.global.u32 [%d2], %r10;\n"
                    "mov.u32 %r10, 99;\n@%p2 shfl.sync.idx.b32 %r10, %r0, 0, 0xc0, -1;\n"
                    "st.global.u32 [%d2+256], %r10;\nret;\n"));
    uint32_t *out = rig_buffer(r, 2 * THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS && r->config.lanes == 64; i++) {
        assert_int_equal(out[i], i < 7 ? 51 : i > 50 ? 0 : 99);
        assert_int_equal(out[64 + i], i > 50 ? 0 : 99); /* the other half does not take part */
    }
}

/* ---- tiles: lanes of one warp that name different members in the same instruction ---- */

#define TILE_MASK "and.b32 %r10, %r3, 24;\nmov.u32 %r11, 255;\nshl.b32 %r12, %r11, %r10;\n"

BEHAVIOUR(tiles_of_a_warp_vote_each_for_themselves)
{
    rig_load(r, PTX(TILE_MASK "mul.lo.u32 %r13, %r0, %r0;\n"
                              "bfe.u32 %r13, %r13, 2, 1;\n"
                              "setp.eq.u32 %p1, %r13, 1;\n"
                              "vote.sync.ballot.b32 %r14, %p1, %r12;\n"
                              "vote.sync.any.pred %p2, %p1, %r12;\n"
                              "vote.sync.all.pred %p3, !%p1, %r12;\n"
                              "selp.u32 %r15, 256, 0, %p2;\n"
                              "selp.u32 %r16, 512, 0, %p3;\n"
                              "shr.u32 %r14, %r14, %r10;\n"
                              "add.u32 %r14, %r14, %r15;\n"
                              "add.u32 %r14, %r14, %r16;\n"
                              "st.global.u32 [%d2], %r14;\n"
                              "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t ballot = 0;
        for (uint32_t k = 0; k < 8; k++) {
            uint32_t other = i / 8 * 8 + k;
            ballot |= (other * other >> 2 & 1) << k;
        }
        assert_int_equal(out[i], ballot + (ballot ? 256 : 512));
    }
}

BEHAVIOUR(tiles_of_a_warp_reduce_each_for_themselves)
{
    rig_load(r, PTX(TILE_MASK "redux.sync.add.u32 %r13, %r0, %r12;\n"
                              "redux.sync.max.s32 %r14, %r0, %r12;\n"
                              "shl.b32 %r14, %r14, 16;\n"
                              "add.u32 %r13, %r13, %r14;\n"
                              "st.global.u32 [%d2], %r13;\n"
                              "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], (i / 8 * 8 * 8 + 28) + ((i / 8 * 8 + 7) << 16));
}

BEHAVIOUR(a_tile_waits_for_its_own_lanes_and_for_no_others)
{
    /* Lanes 4 to 11 come late: the first two tiles have to wait, the last two do not; and tile 3 sets what lane 4
     * spins for, after its shuffle. */
    rig_load(r, PTX(TILE_MASK "mov.u32 %r20, %r0;\n"
                              "sub.u32 %r13, %r3, 4;\n"
                              "setp.ge.u32 %p1, %r13, 8;\n"
                              "@%p1 bra SHUFFLE;\n"
                              "SPIN:\n"
                              "ld.volatile.global.u32 %r14, [%d1];\n"
                              "setp.eq.u32 %p2, %r14, 0;\n"
                              "@%p2 bra SPIN;\n"
                              "add.u32 %r20, %r20, 100;\n"
                              "SHUFFLE:\n"
                              "shfl.sync.bfly.b32 %r21, %r20, 4, 0x181f, %r12;\n"
                              "setp.eq.u32 %p3, %r3, 25;\n"
                              "@%p3 st.volatile.global.u32 [%d1], 1;\n"
                              "st.global.u32 [%d2], %r21;\n"
                              "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4), *in = rig_buffer(r, 4);
    RUN(r, 1, 32, P(out), P(in), 0);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t other = i ^ 4;
        assert_int_equal(out[i], other + (other >= 4 && other < 12 ? 100 : 0));
    }
}

/* ---- votes ---- */

BEHAVIOUR(votes_count_the_lanes_that_take_part)
{
    /* Lanes 3 to 28 vote; the predicate holds for threads below n. */
    rig_load(r, PTX("sub.u32 %r10, %r3, 3;\n"
                    "setp.ge.u32 %p1, %r10, 26;\n"
                    "@%p1 bra END;\n"
                    "setp.lt.u32 %p2, %r0, %r2;\n"
                    "vote.sync.ballot.b32 %r11, %p2, 0x1ffffff8;\n"
                    "vote.sync.all.pred %p3, %p2, 0x1ffffff8;\n"
                    "vote.sync.any.pred %p4, %p2, 0x1ffffff8;\n"
                    "vote.sync.uni.pred %p5, %p2, 0x1ffffff8;\n"
                    "activemask.b32 %r12;\n"
                    "mul.wide.u32 %d10, %r0, 20;\n"
                    "add.s64 %d11, %d0, %d10;\n"
                    "st.global.u32 [%d11], %r11;\n"
                    "selp.u32 %r13, 1, 0, %p3;\n"
                    "st.global.u32 [%d11+4], %r13;\n"
                    "selp.u32 %r13, 1, 0, %p4;\n"
                    "st.global.u32 [%d11+8], %r13;\n"
                    "selp.u32 %r13, 1, 0, %p5;\n"
                    "st.global.u32 [%d11+12], %r13;\n"
                    "st.global.u32 [%d11+16], %r12;\n"
                    "END:\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 20);
    for (uint32_t n = 0; n <= 70; n++) {
        memset(out, 0, THREADS * 20);
        RUN(r, 1, THREADS, P(out), 0, n);
        for (uint32_t i = 0; i < THREADS; i++) {
            uint32_t *got = &out[5 * i], ballot = 0;
            for (uint32_t k = 3; k <= 28; k++)
                ballot |= (i / 32 * 32 + k < n ? 1u : 0) << k;
            bool votes = i % 32 >= 3 && i % 32 <= 28, all = ballot == 0x1ffffff8;
            assert_int_equal(got[0], votes ? ballot : 0);
            assert_int_equal(got[1], votes && all);
            assert_int_equal(got[2], votes && ballot);
            assert_int_equal(got[3], votes && (all || !ballot));
            assert_int_equal(got[4], votes ? 0x1ffffff8 : 0);
        }
    }
}

BEHAVIOUR(the_active_mask_is_that_of_the_branch)
{
    rig_load(r, PTX("rem.u32 %r10, %r3, 3;\n"
                    "setp.eq.u32 %p1, %r10, 0;\n"
                    "@%p1 bra THIRD;\n"
                    "activemask.b32 %r11;\n"
                    "bra END;\n"
                    "THIRD:\n"
                    "activemask.b32 %r11;\n"
                    "END:\n"
                    "activemask.b32 %r12;\n"
                    "popc.b32 %r12, %r12;\n"
                    "add.u32 %r11, %r11, %r12;\n"
                    "st.global.u32 [%d2], %r11;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 50 * 4);
    RUN(r, 1, 50, P(out), 0, 0);
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t mask = 0, exists = i < 32 ? 32 : 18;
        for (uint32_t k = 0; k < exists; k++)
            mask |= (uint32_t)((k % 3 == 0) == (i % 32 % 3 == 0)) << k;
        assert_int_equal(out[i], mask + exists);
    }
}

/* ---- match and redux ---- */

BEHAVIOUR(matching_finds_the_lanes_with_the_same_value)
{
    rig_load(r, PTX("mul.wide.u32 %d10, %r0, 8;\n"
                    "add.s64 %d11, %d1, %d10;\n"
                    "ld.global.u64 %d12, [%d11];\n"
                    "cvt.u32.u64 %r10, %d12;\n"
                    "setp.lt.u32 %p1, %r3, 5;\n"
                    "@%p1 bra END;\n"
                    "match.any.sync.b32 %r11, %r10, 0xffffffe0;\n"
                    "match.any.sync.b64 %r12, %d12, 0xffffffe0;\n"
                    "match.all.sync.b32 %r13|%p2, %r10, 0xffffffe0;\n"
                    "match.all.sync.b64 %r14|%p3, %d12, 0xffffffe0;\n"
                    "mul.wide.u32 %d13, %r0, 24;\n"
                    "add.s64 %d14, %d0, %d13;\n"
                    "st.global.u32 [%d14], %r11;\n"
                    "st.global.u32 [%d14+4], %r12;\n"
                    "st.global.u32 [%d14+8], %r13;\n"
                    "st.global.u32 [%d14+12], %r14;\n"
                    "selp.u32 %r15, 1, 0, %p2;\n"
                    "st.global.u32 [%d14+16], %r15;\n"
                    "selp.u32 %r15, 1, 0, %p3;\n"
                    "st.global.u32 [%d14+20], %r15;\n"
                    "END:\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 24);
    uint64_t *in = rig_buffer(r, THREADS * 8);
    sl_random random = sl_random_seed(5);
    for (int round = 0; round < 30; round++) {
        for (uint32_t i = 0; i < THREADS; i++) {
            uint64_t low = round % 3 == 0 ? 7 : sl_random_u64(&random) % 5;
            in[i] = low | (round % 2 ? (uint64_t)(sl_random_u64(&random) % 3) << 32 : 0);
        }
        RUN(r, 1, THREADS, P(out), P(in), 0);
        for (uint32_t i = 0; i < THREADS; i++) {
            if (i % 32 < 5)
                continue;
            uint32_t same32 = 0, same64 = 0;
            for (uint32_t k = 5; k < 32; k++) {
                uint64_t other = in[i / 32 * 32 + k];
                same32 |= (uint32_t)((uint32_t)other == (uint32_t)in[i]) << k;
                same64 |= (uint32_t)(other == in[i]) << k;
            }
            bool all32 = same32 == 0xffffffe0, all64 = same64 == 0xffffffe0;
            uint32_t expected[6] = {same32, same64, all32 ? same32 : 0, all64 ? same64 : 0, all32, all64};
            rig_expect_u32(&out[6 * i], expected, 6);
        }
    }
}

static uint32_t reduce(const char *how, uint32_t a, uint32_t b)
{
    if (!strcmp(how, "add.u32") || !strcmp(how, "add.s32"))
        return a + b;
    if (!strcmp(how, "min.u32"))
        return a < b ? a : b;
    if (!strcmp(how, "max.u32"))
        return a < b ? b : a;
    if (!strcmp(how, "min.s32"))
        return (int32_t)a < (int32_t)b ? a : b;
    if (!strcmp(how, "max.s32"))
        return (int32_t)a < (int32_t)b ? b : a;
    return !strcmp(how, "and.b32") ? (a & b) : !strcmp(how, "or.b32") ? (a | b) : (a ^ b);
}

BEHAVIOUR(reductions_combine_the_named_lanes)
{
    static const char *const hows[] = {"add.u32", "add.s32", "min.u32", "max.u32", "min.s32",
                                       "max.s32", "and.b32", "or.b32",  "xor.b32"};
    uint32_t *out = rig_buffer(r, THREADS * 4), *in = rig_buffer(r, THREADS * 4);
    sl_random random = sl_random_seed(9);
    for (size_t how = 0; how < sizeof hows / sizeof *hows; how++) {
        char text[4096];
        snprintf(text, sizeof text,
                 "%s%s%sadd.s64 %%d10, %%d2, 0;\nsub.s64 %%d10, %%d10, %%d0;\nadd.s64 %%d10, %%d10, %%d1;\n"
                 "ld.global.u32 %%r10, [%%d10];\nand.b32 %%r11, %%r3, 3;\nsetp.eq.u32 %%p1, %%r11, 2;\n"
                 "@%%p1 bra END;\nredux.sync.%s %%r10, %%r10, 0xbbbbbbbb;\nst.global.u32 [%%d2], %%r10;\n"
                 "END:\nret;\n}\n",
                 PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n", PTX_REGS, PTX_START,
                 hows[how]);
        rig_load(r, text);
        for (uint32_t i = 0; i < THREADS; i++)
            in[i] = (uint32_t)sl_random_u64(&random);
        memset(out, 0, THREADS * 4);
        RUN(r, 1, THREADS, P(out), P(in), 0);
        for (uint32_t half = 0; half < THREADS; half += 32) {
            uint32_t expected = in[half];
            for (uint32_t k = 1; k < 32; k++)
                if (k % 4 != 2)
                    expected = reduce(hows[how], expected, in[half + k]);
            for (uint32_t k = 0; k < 32; k++)
                assert_int_equal(out[half + k], k % 4 == 2 ? 0 : expected);
        }
    }
}

BEHAVIOUR(the_lowest_member_is_elected)
{
    rig_load(r, PTX("setp.lt.u32 %p1, %r3, 6;\n"
                    "@%p1 bra END;\n"
                    "elect.sync %r10|%p2, 0xffffffc0;\n"
                    "selp.u32 %r11, 100, 0, %p2;\n"
                    "add.u32 %r10, %r10, %r11;\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "elect.sync _|%p3, 0xffffffc0;\n"
                    "@%p3 st.global.u32 [%d2], 7;\n"
                    "END:\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i % 32 < 6 ? 0 : i % 32 == 6 ? 7 : 6);
}

/* ---- bar.warp.sync ---- */

BEHAVIOUR(lanes_that_parted_run_together_after_a_warp_barrier)
{
    /* Without the barrier, the two ways would stay apart until the end of the kernel. */
    rig_load(r, PTX("and.b32 %r10, %r0, 1;\n"
                    "setp.eq.u32 %p1, %r10, 1;\n"
                    "setp.gt.u32 %p2, %r0, 999;\n"
                    "@%p1 bra ODD;\n"
                    "@%p2 bra OUT;\n"
                    "bra MEET;\n"
                    "ODD:\n"
                    "@%p2 bra MEET;\n"
                    "MEET:\n"
                    "bar.warp.sync -1; // @meet\n"
                    "st.global.u32 [%d2], 3; // @after\n"
                    "OUT:\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    uint64_t mask[4];
    assert_int_equal(rig_masks(r, "after", mask, 4), 1);
    assert_int_equal(mask[0], 0xffffffff);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 3);
}

BEHAVIOUR(lanes_hand_values_through_shared_memory_across_a_warp_barrier)
{
    /* The classic reduction of a half warp in which fewer lanes work in each step. */
    rig_load(r, PTX(".shared .align 4 .b8 s[256];\n"
                    "shl.b32 %r10, %r0, 2;\n"
                    "mov.u32 %r11, s;\n"
                    "add.u32 %r11, %r11, %r10;\n"
                    "st.shared.u32 [%r11], %r0;\n"
                    "bar.warp.sync 0xffffffff;\n"
                    "mov.u32 %r12, 16;\n"
                    "STEP:\n"
                    "setp.ge.u32 %p1, %r3, %r12;\n"
                    "@%p1 bra SKIP;\n"
                    "shl.b32 %r13, %r12, 2;\n"
                    "add.u32 %r14, %r11, %r13;\n"
                    "ld.shared.u32 %r15, [%r14];\n"
                    "ld.shared.u32 %r16, [%r11];\n"
                    "add.u32 %r16, %r16, %r15;\n"
                    "st.shared.u32 [%r11], %r16;\n"
                    "SKIP:\n"
                    "bar.warp.sync 0xffffffff;\n"
                    "shr.u32 %r12, %r12, 1;\n"
                    "setp.ne.u32 %p2, %r12, 0;\n"
                    "@%p2 bra STEP;\n"
                    "and.b32 %r17, %r0, 32;\n"
                    "shl.b32 %r17, %r17, 2;\n"
                    "mov.u32 %r18, s;\n"
                    "add.u32 %r18, %r18, %r17;\n"
                    "ld.shared.u32 %r19, [%r18];\n"
                    "st.global.u32 [%d2], %r19;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, THREADS * 4);
    RUN(r, 1, THREADS, P(out), 0, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i < 32 ? 496 : 496 + 1024);
}

BEHAVIOUR(a_warp_barrier_may_be_met_from_different_places)
{
    rig_load(r, PTX(".shared .align 4 .u32 word;\n"
                    "setp.ge.u32 %p1, %r3, 16;\n"
                    "@%p1 bra HIGH;\n"
                    "setp.eq.u32 %p2, %r3, 0;\n"
                    "@%p2 st.shared.u32 [word], 42;\n"
                    "bar.warp.sync -1;\n"
                    "mov.u32 %r10, 1;\n"
                    "bra END;\n"
                    "HIGH:\n"
                    "bar.warp.sync -1;\n"
                    "ld.shared.u32 %r10, [word];\n"
                    "END:\n"
                    "st.global.u32 [%d2], %r10;\n"
                    "ret;\n"));
    uint32_t *out = rig_buffer(r, 32 * 4);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 16 ? 1 : 42);
}

BEHAVIOUR(a_warp_barrier_that_names_lanes_that_never_come_is_an_error)
{
    rig_load(r, PTX("setp.ge.u32 %p1, %r3, 16;\n"
                    "@%p1 bra HIGH;\n"
                    "bar.warp.sync 0xfffff;\n"
                    "ret;\n"
                    "HIGH:\n"
                    "bar.sync 0;\n"
                    "ret;\n"));
    assert_int_equal(TRY(r, 1, 32, 0, 0, 0), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_BARRIER, "16 lanes of warp 0 wait at lanes of their warp");
    rig_expect_text(r, "16 lanes of warp 0 wait at barrier 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(shuffles_up_stop_at_the_lower_end_of_a_segment),
        IT(shuffles_down_stop_at_the_upper_end_of_a_segment),
        IT(butterfly_shuffles_exchange_lanes),
        IT(indexed_shuffles_read_one_lane_of_a_segment),
        IT(a_shuffle_may_overwrite_what_it_reads),
        IT(a_guarded_shuffle_leaves_the_other_lanes_alone),
        IT(a_shuffle_waits_for_the_lanes_that_come_later),
        IT(lanes_in_a_loop_wait_for_each_other_at_a_shuffle),
        IT(both_sides_of_a_branch_may_shuffle_among_themselves),
        IT(a_shuffle_does_not_wait_for_lanes_that_exited),
        IT(a_shuffle_of_the_whole_warp_crosses_its_halves),
        IT(a_lane_sees_the_lowest_lane_of_the_other_half_that_takes_part),
        IT(tiles_of_a_warp_vote_each_for_themselves),
        IT(tiles_of_a_warp_reduce_each_for_themselves),
        IT(a_tile_waits_for_its_own_lanes_and_for_no_others),
        IT(votes_count_the_lanes_that_take_part),
        IT(the_active_mask_is_that_of_the_branch),
        IT(matching_finds_the_lanes_with_the_same_value),
        IT(reductions_combine_the_named_lanes),
        IT(the_lowest_member_is_elected),
        IT(lanes_that_parted_run_together_after_a_warp_barrier),
        IT(lanes_hand_values_through_shared_memory_across_a_warp_barrier),
        IT(a_warp_barrier_may_be_met_from_different_places),
        IT(a_warp_barrier_that_names_lanes_that_never_come_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
