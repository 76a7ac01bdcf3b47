/* SPDX-License-Identifier: MIT */
/* Instructions that only advise caches and schedulers change no value; wide accesses move every byte; sums of halves
 * and words are rounded once. */
#include "harness.h"

BEHAVIOUR(hints_fences_and_pauses_change_nothing)
{
    rig_load(r, PTX("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n"
                    "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %d10, [%d1], 64, 128;\n"
                    "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d11, 0.5;\n"
                    "createpolicy.cvt.L2.b64 %d12, 0x10F0000000000000;\n"
                    "applypriority.global.L2::evict_normal [%d1], 128;\n"
                    "prefetch.global.L1 [%d1];\nprefetch.L2 [%d1];\nprefetchu.L1 [%d1];\n"
                    "prefetch.global.L2::evict_last [%d1];\nprefetch.param.tensormap [out];\n"
                    "fence.sc.cta;\nfence.acq_rel.cluster;\nfence.acquire.gpu;\nfence.release.sys;\n"
                    "fence.mbarrier_init.release.cluster;\nfence.proxy.alias;\nfence.proxy.async.shared::cta;\n"
                    "fence.proxy.tensormap::generic.release.gpu;\nmembar.gl;\nmembar.proxy.alias;\n"
                    "nanosleep.u32 20;\nsetmaxnreg.inc.sync.aligned.u32 40;\n"
                    "ld.global.L1::evict_last.L2::cache_hint.u32 %r10, [%d1], %d11;\n"
                    "st.global.L2::cache_hint.u32 [%d2], %r10, %d12;\nret;\n"));
    uint32_t *out = rig_buffer(r, 64 * 4), *in = rig_buffer(r, 256);
    in[0] = 77;
    RUN(r, 1, 64, P(out), P(in), 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 77);
}

BEHAVIOUR(wide_accesses_move_every_byte)
{
    rig_load(
        r, PTX(".reg .b128 %q<2>;\nmul.wide.u32 %d10, %r0, 64;\nadd.u64 %d11, %d1, %d10;\nadd.u64 %d12, %d0, %d10;\n"
               "ld.global.v8.b32 {%r10, %r11, %r12, %r13, %r14, %r15, _, %r17}, [%d11];\n"
               "st.global.v8.b32 [%d12], {%r17, %r15, %r14, %r13, %r12, %r11, %r10, 9};\n"
               "ld.global.b128 %q0, [%d11+32];\nst.global.b128 [%d12+32], %q0;\n"
               "ld.relaxed.gpu.global.b128 %q1, [%d11+48];\nmov.b128 {%d20, %d21}, %q1;\nmov.b128 %q0, {%d21, %d20};\n"
               "st.relaxed.gpu.global.b128 [%d12+48], %q0;\nret;\n"));
    uint32_t *out = rig_buffer(r, 40 * 64), *in = rig_buffer(r, 40 * 64);
    for (uint32_t i = 0; i < 40 * 16; i++)
        in[i] = 1000 + i;
    RUN(r, 1, 40, P(out), P(in), 0);
    for (uint32_t i = 0; i < 40; i++) {
        const uint32_t *x = in + 16 * i;
        const uint32_t expected[16] = {x[7], x[5], x[4],  x[3],  x[2],  x[1],  x[0],  9,
                                       x[8], x[9], x[10], x[11], x[14], x[15], x[12], x[13]};
        rig_expect_u32(out + 16 * i, expected, 16);
    }
}

BEHAVIOUR(sums_of_halves_and_words_are_words)
{
    /* 0x3e00: 1.5 as f16; 0x4000: 2 as bf16 and as f16; 0x3f80: 1 as bf16 */
    rig_load(r, PTX("mov.b16 %h0, 0x3e00;\nmov.b16 %h1, 0x4000;\nmov.b16 %h2, 0x3f80;\nmov.f32 %f0, 0f33800000;\n"
                    "add.rn.f32.f16 %f1, %h0, 0f3e800000;\nsub.rn.f32.bf16 %f2, %h1, 0f3f000000;\n"
                    "fma.rn.f32.f16 %f3, %h0, %h1, 0f3f000000;\nadd.rz.f32.bf16 %f4, %h2, %f0;\n"
                    "add.rp.f32.bf16 %f5, %h2, %f0;\nadd.sat.f32.bf16 %f6, %h1, %f0;\n"
                    "st.global.v4.f32 [%d0], {%f1, %f2, %f3, %f4};\nst.global.v2.f32 [%d0+16], {%f5, %f6};\nret;\n"));
    float *out = rig_buffer(r, 64);
    const float expected[6] = {1.75f, 1.5f, 3.5f, 1, 1 + 0x1p-23f, 1};
    RUN(r, 1, 1, P(out), 0, 0);
    rig_expect_u32((const uint32_t *)out, (const uint32_t *)expected, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(hints_fences_and_pauses_change_nothing),
        IT(wide_accesses_move_every_byte),
        IT(sums_of_halves_and_words_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
