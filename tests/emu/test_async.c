/* SPDX-License-Identifier: MIT */
/* Stores and reductions that tell a barrier in shared memory of their bytes; multicast memory on one device. */
#include "harness.h"

BEHAVIOUR(an_asynchronous_reduction_tells_the_barrier_of_its_bytes)
{
    rig_load(r, PTX(".shared .align 8 .u64 bar;\n.shared .align 8 .b8 data[24];\n"
                    "mov.u32 %r10, bar;\nmov.u32 %r11, data;\nmov.u64 %d4, 0x100000001;\n"
                    "mbarrier.init.shared.b64 [bar], 1;\nst.shared.u32 [data], 5;\nst.shared.u32 [data+4], 7;\n"
                    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 20;\n"
                    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r11], 9, "
                    "[%r10];\n"
                    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r11+4], -3, "
                    "[%r10];\n"
                    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [%r11+4], 6, "
                    "[%r10];\n"
                    "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\nselp.u32 %r12, 1, 0, %p1;\n"
                    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r11+8], %d4, "
                    "[%r10];\n"
                    "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\nselp.u32 %r13, 1, 0, %p2;\n"
                    "ld.shared.u32 %r14, [data];\nld.shared.u32 %r15, [data+4];\nld.shared.u32 %r16, [data+12];\n"
                    "st.global.v4.u32 [%d0], {%r12, %r13, %r14, %r15};\nst.global.u32 [%d0+16], %r16;\nret;\n"));
    uint32_t *out = rig_buffer(r, 64);
    const uint32_t expected[5] = {0, 1, 6, 7 ^ 6, 1};
    RUN(r, 1, 1, P(out), 0, 0);
    rig_expect_u32(out, expected, 5);
}

BEHAVIOUR(multicast_memory_of_one_device_is_its_memory)
{
    rig_load(r, PTX("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%f0, %f1, %f2, %f3}, [%d1];\n"
                    "multimem.st.relaxed.sys.global.v4.f32 [%d0], {%f3, %f2, %f1, %f0};\n"
                    "multimem.ld_reduce.weak.global.min.u32 %r10, [%d1+4];\n"
                    "multimem.red.release.gpu.global.add.u32 [%d0+16], %r10;\n"
                    "multimem.red.relaxed.sys.global.add.v2.f32 [%d0+24], {%f1, %f2};\nret;\n"));
    float in[4] = {1, 2, 3, 4}, *from = rig_buffer(r, 16), *out = rig_buffer(r, 64);
    uint32_t two;
    memcpy(from, in, sizeof in);
    memcpy(&two, &in[1], 4);
    RUN(r, 1, 1, P(out), P(from), 0);
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == in[3 - i]);
    assert_int_equal(((uint32_t *)out)[4], two);
    assert_true(out[6] == 2 && out[7] == 3);
}

/* Halves: 1 is 0x3c00, 2 0x4000, 3 0x4200, -1 0xbc00; bf16: 1 is 0x3f80, 2 0x4000, 3 0x4040. */
BEHAVIOUR(vectors_of_16_bit_floats_are_reduced)
{
    rig_load(r, PTX("mov.u32 %r10, 0x3c004200;\nmov.u32 %r11, 0x4000bc00;\nmov.u32 %r12, 0x40403f80;\n"
                    "mov.b32 {%h1, %h2}, %r10;\nmov.b32 {%h3, %h4}, %r11;\n"
                    "red.global.max.noftz.v2.f16x2 [%d0], {%r10, %r11};\n"
                    "red.relaxed.gpu.global.min.noftz.v4.f16x2 [%d0+8], {%r10, %r11, %r10, %r11};\n"
                    "red.global.max.noftz.v2.bf16x2 [%d0+24], {%r12, %r12};\n"
                    "red.global.min.noftz.v8.f16 [%d0+32], {%h1, %h2, %h3, %h4, %h4, %h3, %h2, %h1};\n"
                    "red.global.add.noftz.v4.f16 [%d0+48], {%h1, %h2, %h3, %h4};\n"
                    "atom.global.max.noftz.v2.f16 {%h5, %h6}, [%d0+56], {%h1, %h2};\nmov.b32 %r13, {%h5, %h6};\n"
                    "st.global.u32 [%d0+60], %r13;\nret;\n"));
    uint32_t *out = rig_buffer(r, 64);
    for (int i = 0; i < 16; i++)
        out[i] = i >= 6 && i < 8 ? 0x40004000 : 0x3c003c00;
    RUN(r, 1, 1, P(out), 0, 0);
    static const uint32_t EXPECTED[] = {
        0x3c004200, 0x40003c00,                         /* max */
        0x3c003c00, 0x3c00bc00, 0x3c003c00, 0x3c00bc00, /* min */
        0x40404000, 0x40404000,                         /* max of bf16 */
        0x3c003c00, 0x3c00bc00, 0xbc003c00, 0x3c003c00, /* min of 1 and 3, 1, -1, 2, 2, -1, 1, 3 */
        0x40004400, 0x42000000,                         /* 1 plus 3, 1, -1, 2 */
        0x3c004200, 0x3c003c00,
    };
    rig_expect_u32(out, EXPECTED, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(an_asynchronous_reduction_tells_the_barrier_of_its_bytes),
        IT(multicast_memory_of_one_device_is_its_memory),
        IT(vectors_of_16_bit_floats_are_reduced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
