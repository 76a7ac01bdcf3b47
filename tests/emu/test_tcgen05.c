/* SPDX-License-Identifier: MIT */
/* Tensor memory, products in it, and the rest of what Blackwell brought, against results computed by hand. */
#include <stdio.h>

#include "emu/tensor_map.h"
#include "harness.h"

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"
#define REGS                                                                                                           \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"                                           \
    ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<64>;\n.reg .b64 %d<24>;\n.reg .b128 %q<2>;\n"                   \
    ".shared .align 1024 .b8 s[8192];\n.shared .align 16 .b8 bar[64];\n"                                               \
    "mov.u32 %r0, %tid.x;\nld.param.u64 %d0, [out];\nld.param.u64 %d1, [in];\nld.param.u32 %r2, [n];\n"                \
    "mov.u32 %r10, s;\nmov.u32 %r11, bar;\nmov.u32 %r12, %cluster_ctarank;\nmov.u32 %r13, %ntid.x;\n"                  \
    "setp.eq.u32 %p1, %r0, 0;\nsetp.lt.u32 %p3, %r0, 32;\n"
#define ALLOC                                                                                                          \
    "@%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11+16], 64;\n"                                    \
    "@%p1 mbarrier.init.shared.b64 [%r11], 1;\nbar.sync 0;\nld.shared.u32 %r20, [%r11+16];\n"
/* Copies 8192 bytes for each block of the cluster. */
#define FILL                                                                                                           \
    "mul.wide.u32 %d2, %r12, 8192;\nadd.u64 %d1, %d1, %d2;\nshl.b32 %r14, %r0, 2;\nshl.b32 %r15, %r13, 2;\n"           \
    "FILL:\ncvt.u64.u32 %d2, %r14;\nadd.u64 %d2, %d1, %d2;\nld.global.u32 %r16, [%d2];\nadd.u32 %r17, %r10, %r14;\n"   \
    "st.shared.u32 [%r17], %r16;\nadd.u32 %r14, %r14, %r15;\nsetp.lt.u32 %p2, %r14, 8192;\n@%p2 bra FILL;\n"           \
    "bar.sync 0;\n"
/* Descriptors of the matrices at 0 and at 4096 of s: 128 bytes between chunks of a line, 256 between groups of lines.
 */
#define DESCRIPTORS                                                                                                    \
    "and.b32 %r21, %r10, 0x3ffff;\nshr.u32 %r21, %r21, 4;\ncvt.u64.u32 %d4, %r21;\nor.b64 %d4, %d4, 0x4010"            \
    "00080000;\nadd.u64 %d5, %d4, 256;\n"
#define WAIT "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p4, [%r11], 0;\n@!%p4 bra WAIT;\n"
/* Eight columns of the thread's lane, into out[thread of the cluster * 8]. */
#define SHOW                                                                                                           \
    "shr.u32 %r22, %r0, 5;\nshl.b32 %r22, %r22, 21;\nadd.u32 %r23, %r20, %r22;\n"                                      \
    "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37}, [%r23];\n"                \
    "tcgen05.wait::ld.sync.aligned;\nmad.lo.u32 %r24, %r12, %r13, %r0;\nmad.wide.u32 %d6, %r24, 32, %d0;\n"            \
    "st.global.v4.u32 [%d6], {%r30, %r31, %r32, %r33};\nst.global.v4.u32 [%d6+16], {%r34, %r35, %r36, %r37};\n"
#define FREE "bar.sync 0;\n@%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 64;\nret;\n}\n"

static uint32_t f16_of(int x) /* of whole numbers up to 2048 */
{
    uint32_t sign = x < 0 ? 0x8000 : 0, magnitude = (uint32_t)(x < 0 ? -x : x), top = 0;
    if (!x)
        return 0;
    while (magnitude >> (top + 1))
        top++;
    return sign | (top + 15) << 10 | (magnitude << (10 - top) & 0x3ff);
}

static uint32_t f32_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Chunks of 16 bytes as DESCRIPTORS has them. */
static void put_half(uint8_t *matrix, uint32_t line, uint32_t k, uint32_t half)
{
    uint32_t at = line / 8 * 256 + k / 8 * 128 + line % 8 * 16 + k % 8 * 2;
    matrix[at] = (uint8_t)half;
    matrix[at + 1] = (uint8_t)(half >> 8);
}

/* ---- moving words ---- */

BEHAVIOUR(every_shape_spreads_words_over_the_warp_as_documented)
{
    /* lane l, column c holds 100 * l + c */
    rig_load(r, HEAD REGS ALLOC
             "mul.lo.u32 %r30, %r0, 100;\nadd.u32 %r31, %r30, 1;\nadd.u32 %r32, %r30, 2;\nadd.u32 %r33, %r30, 3;\n"
             "add.u32 %r34, %r30, 4;\nadd.u32 %r35, %r30, 5;\nadd.u32 %r36, %r30, 6;\nadd.u32 %r37, %r30, 7;\n"
             "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r20], {%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37};\n"
             "tcgen05.wait::st.sync.aligned;\n"
             "tcgen05.ld.sync.aligned.16x256b.x1.b32 {%r40, %r41, %r42, %r43}, [%r20];\n"
             "tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r44, %r45}, [%r20+4];\n"
             "tcgen05.ld.sync.aligned.16x64b.x2.b32 {%r46, %r47}, [%r20];\n"
             "add.u32 %r25, %r20, 0x100000;\n"
             "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%r48, %r49}, [%r25], 4;\n"
             "tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%r50, %r51}, [%r20];\n"
             "mad.wide.u32 %d6, %r0, 48, %d0;\nst.global.v4.u32 [%d6], {%r40, %r41, %r42, %r43};\n"
             "st.global.v4.u32 [%d6+16], {%r44, %r45, %r46, %r47};\nst.global.v4.u32 [%d6+32], {%r48, %r49, %r50, "
             "%r51};\n" FREE);
    uint32_t *out = rig_buffer(r, 32 * 48);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t g = t / 4, q = t % 4, pair = t / 2 % 2, odd = t % 2, row = t % 16 + 16, half = t / 16 * 4;
        const uint32_t want[12] = {100 * g + 2 * q,
                                   100 * g + 2 * q + 1,
                                   100 * (g + 8) + 2 * q,
                                   100 * (g + 8) + 2 * q + 1,
                                   100 * g + 4 + q,
                                   100 * (g + 8) + 4 + q,
                                   100 * (g + 8 * odd) + pair,
                                   100 * (g + 8 * odd) + 2 + pair,
                                   100 * row + half,
                                   100 * row + half + 1,
                                   100 * t | (100 * t + 1) << 16,
                                   (100 * t + 2) | (100 * t + 3) << 16};
        for (uint32_t i = 0; i < 12; i++)
            if (out[t * 12 + i] != want[i])
                fail_msg("thread %u, register %u: %u, not %u", t, i, out[t * 12 + i], want[i]);
    }
}

BEHAVIOUR(tensor_memory_that_is_not_allocated_is_not_accessed)
{
    rig_load(r, HEAD REGS ALLOC
             "add.u32 %r20, %r20, %r2;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 %r30, [%r20];\nret;\n}\n");
    RUN(r, 1, 32, 0, 0, 63);
    assert_int_not_equal(TRY(r, 1, 32, 0, 0, 64), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "columns 64 to 64 of tensor memory, which are not all allocated");
    assert_int_not_equal(TRY(r, 1, 32, 0, 0, 0x200000), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "lane 32 of tensor memory is not one that warp 0");
    rig_load(r, HEAD REGS "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], %r2;\n"
                          "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], %r2;\nret;\n}\n");
    RUN(r, 1, 32, 0, 0, 256);
    assert_int_not_equal(TRY(r, 1, 32, 0, 0, 512), SL_OK);
    rig_expect_text(r, "512 columns of tensor memory that waits forever");
    assert_int_not_equal(TRY(r, 1, 32, 0, 0, 48), SL_OK);
    rig_expect_text(r, "only 32, 64, 128, 256 and 512 can be allocated");
    rig_load(r, HEAD REGS ALLOC "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 32;\nret;\n}\n");
    assert_int_not_equal(TRY(r, 1, 32, 0, 0, 0), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "freed that was not allocated so");
}

/* ---- products ---- */

static int a_number(uint32_t row, uint32_t k)
{
    return (int)((row * 3 + k * 5) % 7) - 3;
}

static int b_number(uint32_t col, uint32_t k)
{
    return (int)((col * 2 + k * 3) % 5) - 2;
}

static float product_of(uint32_t row, uint32_t col)
{
    int sum = 0;
    for (uint32_t k = 0; k < 16; k++)
        sum += a_number(row, k) * b_number(col, k);
    return (float)sum;
}

#define MULTIPLY(group) "@%p1 tcgen05.mma.cta_group::" group ".kind::f16 [%r20], %d4, %d5, %r2, %p5;\n"
enum { F32_SUMS = 1 << 4, OF_8 = 1 << 17, OF_64 = 4 << 24, OF_128 = 8 << 24 };

BEHAVIOUR(a_product_of_64_rows_lies_in_half_of_the_lanes)
{
    rig_load(r, HEAD REGS ALLOC FILL DESCRIPTORS "setp.ne.u32 %p5, %r0, %r0;\n" MULTIPLY(
                    "1") "setp.eq.u32 %p5, %r0, %r0;\n" MULTIPLY("1") /* once more, added */
             "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11];\n" WAIT
             "tcgen05.fence::after_thread_sync;\n" SHOW FREE);
    uint8_t *in = rig_buffer(r, 8192);
    uint32_t *out = rig_buffer(r, 128 * 32);
    for (uint32_t k = 0; k < 16; k++) {
        for (uint32_t row = 0; row < 64; row++)
            put_half(in, row, k, f16_of(a_number(row, k)));
        for (uint32_t col = 0; col < 8; col++)
            put_half(in + 4096, col, k, f16_of(b_number(col, k)));
    }
    RUN(r, 1, 128, P(out), P(in), F32_SUMS | OF_8 | OF_64);
    for (uint32_t row = 0; row < 64; row++)
        for (uint32_t col = 0; col < 8; col++)
            assert_int_equal(out[(row / 16 * 32 + row % 16) * 8 + col], f32_of(2 * product_of(row, col)));
    assert_int_equal(out[16 * 8], 0);
    assert_int_not_equal(TRY(r, 1, 128, P(out), P(in), F32_SUMS | OF_64), SL_OK);
    rig_expect_text(r, "a shape that the instruction does not have");
    assert_int_not_equal(TRY(r, 1, 128, P(out), P(in), F32_SUMS | OF_8 * 32 | OF_64), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "columns 64 to 71 of tensor memory, which are not all allocated");
    assert_int_not_equal(TRY(r, 1, 128, P(out), P(in), F32_SUMS | OF_8 | OF_64 | 1 << 2), SL_OK);
    rig_expect_text(r, "sparse factors");
    assert_int_not_equal(TRY(r, 1, 128, P(out), P(in), F32_SUMS | OF_8 | OF_64 | 7 << 7), SL_OK);
    rig_expect_text(r, "types of factors that the instruction does not have");
    rig_load(r,
             HEAD REGS ALLOC DESCRIPTORS "or.b64 %d4, %d4, 0x3ff0;\nsetp.ne.u32 %p5, %r0, %r0;\n" MULTIPLY("1") FREE);
    assert_int_not_equal(TRY(r, 1, 128, 0, 0, F32_SUMS | OF_8 | OF_64), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "illegal 16-byte read at shared offset");
    rig_load(r, HEAD REGS ALLOC DESCRIPTORS
             "or.b64 %d5, %d5, 0x2000000000000;\nsetp.ne.u32 %p5, %r0, %r0;\n" MULTIPLY("1") FREE);
    assert_int_not_equal(TRY(r, 1, 128, 0, 0, F32_SUMS | OF_8 | OF_64), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "has a base offset");
}

/* 128 rows by 32 columns: each block has 64 rows of A and 16 columns of B; the upper half of its lanes has columns 16
 * on. */
BEHAVIOUR(a_pair_of_blocks_multiplies_together)
{
    rig_load(r, HEAD REGS
             "@%p3 tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r11+16], 64;\n"
             "@%p1 mbarrier.init.shared.b64 [%r11], 1;\nbar.sync 0;\nld.shared.u32 %r20, [%r11+16];\n" FILL DESCRIPTORS
             "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nsetp.ne.u32 %p5, %r0, %r0;\n"
             "setp.eq.and.u32 %p1, %r12, 0, %p1;\nmov.u16 %h1, 3;\n" MULTIPLY(
                 "2") "@%p1 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
                      "[%r11], %h1;\n" WAIT SHOW "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
                      "@%p3 tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r20, 64;\nret;\n}\n");
    uint8_t *in = rig_buffer(r, 2 * 8192);
    uint32_t *out = rig_buffer(r, 256 * 32);
    for (uint32_t block = 0; block < 2; block++)
        for (uint32_t k = 0; k < 16; k++) {
            for (uint32_t row = 0; row < 64; row++)
                put_half(in + 8192 * block, row, k, f16_of(a_number(64 * block + row, k)));
            for (uint32_t col = 0; col < 16; col++)
                put_half(in + 8192 * block + 4096, col, k, f16_of(b_number(16 * block + col, k)));
        }
    rig_run(r, "k", (rig_shape){.grid = {2, 1, 1}, .block = {128, 1, 1}, .cluster = {2, 1, 1}},
            RIG_ARGS(P(out), P(in), F32_SUMS | 4 * OF_8 | OF_128));
    for (uint32_t thread = 0; thread < 256; thread++)
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t row = thread / 128 * 64 + thread % 64, col = thread % 128 / 64 * 16 + i;
            if (out[thread * 8 + i] != f32_of(product_of(row, col)))
                fail_msg("thread %u, column %u", thread, i);
        }
    assert_int_not_equal(TRY(r, 1, 128, P(out), P(in), F32_SUMS | 4 * OF_8 | OF_128), SL_OK);
    rig_expect_text(r, "it needs pairs of blocks");
}

/* A and B are ones; the scale of row r is 2^(r % 4), that of column c is 2^-c. Scales come by tcgen05.cp: 32 rows of
 * four words, one for each 32 rows of A, of which the first byte is used. */
BEHAVIOUR(scales_multiply_blocks_of_elements)
{
    uint8_t *in = rig_buffer(r, 8192);
    uint32_t *out = rig_buffer(r, 128 * 32);
    memset(in, 0x38, 6144);                   /* 1.0 in e4m3 */
    for (uint32_t row = 0; row < 32; row++) { /* groups of eight rows are 256 bytes apart: those of B lie between */
        uint8_t *a = in + 6144 + row / 8 * 256 + row % 8 * 16, *b = a + 128;
        for (uint32_t i = 0; i < 4; i++) {
            a[4 * i] = (uint8_t)(127 + row % 4);
            b[4 * i] = (uint8_t)(127 - row);
        }
    }
    rig_load(r, HEAD REGS ALLOC FILL DESCRIPTORS
             "add.u64 %d7, %d4, 384;\nadd.u64 %d8, %d4, 392;\nadd.u32 %r26, %r20, 32;\nadd.u32 %r27, %r20, 36;\n"
             "@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r26], %d7;\n"
             "@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r27], %d8;\nsetp.ne.u32 %p5, %r0, %r0;\n"
             "@%p1 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r20], %d4, %d5, %r2, [%r26], "
             "[%r27], %p5;\n"
             "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11];\n" WAIT SHOW FREE);
    RUN(r, 1, 128, P(out), P(in), OF_8 | OF_128 | 1 << 23);
    for (uint32_t row = 0; row < 128; row++)
        for (uint32_t col = 0; col < 8; col++)
            assert_int_equal(out[row * 8 + col], f32_of(32.0f * (float)(1 << row % 4) / (float)(1 << col)));
}

BEHAVIOUR(a_shift_moves_rows_down_by_one)
{
    rig_load(r, HEAD REGS ALLOC "mov.u32 %r30, %r0;\nmov.u32 %r31, 7;\n"
                                "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r20], {%r30};\nbar.sync 0;\n"
                                "@%p1 tcgen05.shift.cta_group::1.down [%r20];\nbar.sync 0;\n" SHOW FREE);
    uint32_t *out = rig_buffer(r, 32 * 32);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(out[lane * 8], lane < 31 ? lane + 1 : 31);
}

/* Warp 0 signals one barrier, then another, and continues when they are complete. The other warps only watch: if it ran
 * ahead by two phases, they would wait for a phase that looks as if it were still to come. */
BEHAVIOUR(warps_that_only_watch_see_every_phase)
{
    rig_load(r, HEAD REGS
             "@%p1 mbarrier.init.shared.b64 [%r11], 1;\n@%p1 mbarrier.init.shared.b64 [%r11+8], 1;\nbar.sync 0;\n"
             "mov.u32 %r30, 0;\nLOOP:\nand.b32 %r31, %r30, 1;\n"
             "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11];\n"
             "FIRST:\nmbarrier.try_wait.parity.shared.b64 %p4, [%r11], %r31;\n@!%p4 bra FIRST;\n"
             "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11+8];\n"
             "SECOND:\nmbarrier.try_wait.parity.shared.b64 %p4, [%r11+8], %r31;\n@!%p4 bra SECOND;\n"
             "add.u32 %r30, %r30, 1;\nsetp.lt.u32 %p2, %r30, 9;\n@%p2 bra LOOP;\n"
             "mul.wide.u32 %d2, %r0, 4;\nadd.u64 %d2, %d0, %d2;\nst.global.u32 [%d2], %r30;\nret;\n}\n");
    uint32_t *out = rig_buffer(r, 512);
    RUN(r, 1, 128, P(out), 0, 0);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], 9);
}

/* ---- races ---- */

/* A product of what FILL has written; `between` comes after its commit. */
#define RACE(fence, between)                                                                                           \
    HEAD REGS ALLOC FILL DESCRIPTORS fence "bar.sync 0;\nsetp.ne.u32 %p5, %r0, %r0;\n" MULTIPLY(                       \
        "1") "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11];\n" between            \
             "ret;\n}\n"
#define PROXY     "fence.proxy.async.shared::cta;\n"
#define OVERWRITE "shl.b32 %r14, %r0, 2;\nadd.u32 %r14, %r10, %r14;\nst.shared.u32 [%r14], %r0;\n"

static void expect_race(const rig *like, const char *ptx, const char *text)
{
    rig *r = rig_open(&(rig_config){
        .lanes = like->config.lanes, .isa = like->config.isa, .threads = like->config.threads, .check_race = true});
    rig_load(r, ptx);
    uint32_t *out = rig_buffer(r, 128 * 32), *in = rig_buffer(r, 8192);
    sl_status status = TRY(r, 1, 128, P(out), P(in), F32_SUMS | OF_8 | OF_64);
    if (text) {
        assert_int_equal(status, SL_FAULT);
        rig_expect_fault(r, SL_FAULT_RACE, text);
    } else if (status) {
        fail_msg("%s", r->message);
    }
    rig_close(r);
}

BEHAVIOUR(what_a_product_reads_is_fenced_before_and_kept_until_its_commit_was_waited_for)
{
    expect_race(r, RACE(PROXY, WAIT OVERWRITE), NULL);
    expect_race(r, RACE(PROXY, "bar.sync 0;\n" OVERWRITE WAIT),
                "a write after a read by thread (0,0,0) in tcgen05.mma");
    expect_race(r, RACE(PROXY, "bar.sync 0;\n" OVERWRITE WAIT), "which was not waited for");
    expect_race(r, RACE("", WAIT), "with no fence.proxy.async in between, in tcgen05.mma");
}

/* ---- the rest ---- */

BEHAVIOUR(shared_memory_is_filled_and_no_cluster_is_canceled)
{
    rig_load(
        r, HEAD REGS
        "st.shared.u32 [%r10+60], 5;\nst.shared.u32 [%r10+64], 6;\nst.shared.u32 [%r11+16], 1;\n"
        "mbarrier.init.shared.b64 [%r11], 1;\nmbarrier.arrive.expect_tx.shared.b64 _, [%r11], 16;\n"
        "cvt.u64.u32 %d2, %r2;\nst.bulk.weak.shared::cta [%r10], %d2, 0;\n"
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r11+16], [%r11];\n" WAIT
        "ld.shared.v2.u64 {%d3, %d4}, [%r11+16];\nmov.b128 %q0, {%d3, %d4};\n"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p5, %q0;\nselp.u32 %r30, 1, 0, %p5;\n"
        "ld.shared.u32 %r31, [%r10+60];\nld.shared.u32 %r32, [%r10+64];\n"
        "st.global.u32 [%d0], %r30;\nst.global.u32 [%d0+4], %r31;\nst.global.u32 [%d0+8], %r32;\nret;\n}\n");
    uint32_t *out = rig_buffer(r, 16);
    out[0] = 9;
    RUN(r, 1, 1, P(out), 0, 64);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[2], 6);
    assert_int_not_equal(TRY(r, 1, 1, P(out), 0, 1 << 20), SL_OK);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "shared offset");
}

BEHAVIOUR(four_rows_of_a_matrix_are_gathered_and_scattered)
{
    rig_load(
        r, HEAD REGS
        "setp.ne.u32 %p2, %r0, 0;\n@%p2 bra DONE;\nmbarrier.init.shared.b64 [%r11], 1;\n"
        "mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 256;\nmov.u32 %r30, 4;\nmov.u32 %r31, 9;\nmov.u32 %r32, 2;\n"
        "mov.u32 %r33, 0;\nmov.u32 %r34, 15;\n"
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r10], "
        "[%d1, {%r30, %r31, %r32, %r33, %r34}], [%r11];\n" WAIT "mov.u32 %r33, 7;\nmov.u32 %r30, 32;\n"
        "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
        "[%d1, {%r30, %r34, %r33, %r32, %r31}], [%r10];\nDONE:\nret;\n}\n");
    uint32_t *in = rig_buffer(r, 16 * 256);
    sl_tensor_map *map = rig_buffer(r, sizeof *map);
    for (uint32_t i = 0; i < 16 * 64; i++)
        in[i] = i;
    *map = (sl_tensor_map){.type = SL_TENSOR_U32,
                           .rank = 2,
                           .element_stride = {1, 1},
                           .address = P(in),
                           .stride = {256},
                           .last = {63, 15},
                           .box = {16, 1}};
    RUN(r, 1, 32, 0, P(map), 0);
    static const uint32_t from[4] = {9, 2, 0, 15}, to[4] = {15, 7, 2, 9};
    for (uint32_t row = 0; row < 4; row++)
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(in[to[row] * 64 + 32 + i], from[row] * 64 + 4 + i);
    assert_int_equal(in[0 * 64 + 32], 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(every_shape_spreads_words_over_the_warp_as_documented),
        IT(tensor_memory_that_is_not_allocated_is_not_accessed),
        IT(a_product_of_64_rows_lies_in_half_of_the_lanes),
        IT(a_pair_of_blocks_multiplies_together),
        IT(scales_multiply_blocks_of_elements),
        IT(a_shift_moves_rows_down_by_one),
        IT(warps_that_only_watch_see_every_phase),
        IT(what_a_product_reads_is_fenced_before_and_kept_until_its_commit_was_waited_for),
        IT(shared_memory_is_filled_and_no_cluster_is_canceled),
        IT(four_rows_of_a_matrix_are_gathered_and_scattered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
