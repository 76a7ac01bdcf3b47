/* SPDX-License-Identifier: MIT */
/* Forms that ptxas still takes but compilers of today do not write: vectors in registers, values that calls pass in
 * registers, variables of modules and functions where the ABI has none, votes without masks. */
#include "harness.h"

#define OLD_HEAD ".version 6.3\n.target sm_60\n.address_size 64\n"

BEHAVIOUR(a_vector_register_is_packed_and_unpacked_whole)
{
    rig_load(r, PTX(".reg .v2 .b16 %v;\n.reg .v4 .u16 %w;\nmov.b32 %r10, 0x11112222;\nmov.b32 %v, %r10;\n"
                    "mov.b16 %h1, %v.x;\nmov.b16 %h2, %v.y;\ncvt.u32.u16 %r11, %h1;\ncvt.u32.u16 %r12, %h2;\n"
                    "mov.b32 %r13, %v;\nmov.b64 %d10, 0x4444333322221111;\nmov.b64 %w, %d10;\nmov.b64 %d11, %w;\n"
                    "cvt.u32.u16 %r14, %w.z;\nshr.u64 %d11, %d11, 32;\ncvt.u32.u64 %r15, %d11;\n"
                    "st.global.v4.u32 [%d0], {%r11, %r12, %r13, %r14};\nst.global.u32 [%d0+16], %r15;\nret;\n"));
    uint32_t *out = rig_buffer(r, 64);
    RUN(r, 1, 1, P(out), 0, 0);
    rig_expect_u32(out, (const uint32_t[]){0x2222, 0x1111, 0x11112222, 0x3333, 0x44443333}, 5);
}

BEHAVIOUR(vectors_are_moved_element_by_element)
{
    rig_load(r,
             PTX(".reg .v4 .u32 %v, %w;\n.reg .v2 .u32 %u;\nld.global.v4.u32 %v, [%d1];\nmov.v4.u32 %w, %v;\n"
                 "mov.v2.u32 %u, {%w.y, %w.x};\nmov.v2.u32 {%r10, %r11}, %u;\nmov.v2.u32 {%r10, %r11}, {%r11, %r10};\n"
                 "mov.v4.u32 %v, %ntid;\nst.global.v2.u32 [%d0], {%r10, %r11};\nst.global.v4.u32 [%d0+16], %w;\n"
                 "st.global.v4.u32 [%d0+32], %v;\nret;\n"));
    uint32_t *out = rig_buffer(r, 64), *in = rig_buffer(r, 16);
    for (uint32_t i = 0; i < 4; i++)
        in[i] = 10 + i;
    RUN(r, 1, 7, P(out), P(in), 0);
    rig_expect_u32(out, (const uint32_t[]){10, 11, 0, 0, 10, 11, 12, 13, 7, 1, 1, 0}, 12);
}

BEHAVIOUR(a_whole_vector_register_is_no_scalar_operand)
{
    rig_load(r, PTX(".reg .v2 .u32 %v;\nadd.u32 %r10, %v, 1;\nret;\n"));
    assert_int_not_equal(TRY(r, 1, 1, 0, 0, 0), SL_OK);
    rig_expect_text(r, "an operand has a form that this instruction does not take");
}

BEHAVIOUR(calls_pass_values_in_registers)
{
    rig_load(r, OLD_HEAD ".func (.reg .u32 sum, .reg .u64 wide) f (.reg .u32 a, .reg .u32 b, .reg .f32 c)\n{\n"
                         ".reg .pred %p;\n.reg .u32 %x;\ncvt.rzi.u32.f32 %x, c;\nadd.u32 sum, a, b;\n"
                         "add.u32 sum, sum, %x;\ncvt.u64.u32 wide, a;\nsetp.gt.u32 %p, a, 1;\n@%p ret;\n"
                         "add.u32 sum, sum, 1000;\n}\n" KERNEL(
                             "call (%r10, %d10), f, (%r0, 100, 0f41200000);\ncvt.u32.u64 %r11, %d10;\n"
                             "add.u32 %r10, %r10, %r11;\nsetp.eq.u32 %p1, %r0, 3;\n"
                             "@%p1 call (%r10, _), f, (5, %tid.x, 0f00000000);\nst.global.u32 [%d2], %r10;\nret;\n"));
    uint32_t *out = rig_buffer(r, 128);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i == 3 ? 8 : i + 100 + 10 + (i > 1 ? 0 : 1000) + i);
}

BEHAVIOUR(a_local_variable_of_a_module_is_one_per_thread_for_all_functions)
{
    rig_load(r, OLD_HEAD ".local .u32 pad[3], state[2];\n.func step ()\n{\n.reg .u32 %a;\n.local .u32 own[8];\n"
                         "ld.local.u32 %a, [state+4];\nst.local.u32 [own], %a;\nadd.u32 %a, %a, 5;\n"
                         "st.local.u32 [state+4], %a;\nret;\n}\n" KERNEL(
                             ".local .u32 mine[4];\nst.local.u32 [mine], %r0;\nst.local.u32 [state+4], %r0;\n"
                             "call step, ();\ncall step;\nmov.u64 %d10, state;\ncvta.local.u64 %d10, %d10;\n"
                             "ld.u32 %r10, [%d10+4];\nld.local.u32 %r11, [mine];\nadd.u32 %r10, %r10, %r11;\n"
                             "st.global.u32 [%d2], %r10;\nret;\n"));
    uint32_t *out = rig_buffer(r, 128);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 2 * i + 10);
}

BEHAVIOUR(functions_have_global_and_constant_variables_of_their_own)
{
    rig_load(r, OLD_HEAD ".global .u32 g = 7;\n.func (.param .u32 x) f ()\n{\n.global .u32 g = 20;\n.reg .u32 %a;\n"
                         "ld.global.u32 %a, [g];\nst.param.u32 [x], %a;\nret;\n}\n" KERNEL(
                             "ld.global.u32 %r10, [g];\n{\n.const .u32 g[2] = {1, 300};\nld.const.u32 %r11, [g+4];\n}\n"
                             ".param .u32 x;\ncall (x), f, ();\nld.param.u32 %r12, [x];\nadd.u32 %r10, %r10, %r11;\n"
                             "add.u32 %r10, %r10, %r12;\nst.global.u32 [%d0], %r10;\nret;\n"));
    uint32_t *out = rig_buffer(r, 4);
    RUN(r, 1, 1, P(out), 0, 0);
    assert_int_equal(out[0], 327);
}

BEHAVIOUR(a_vote_without_a_mask_is_of_the_lanes_that_are_there)
{
    rig_load(r, OLD_HEAD KERNEL("mov.u32 %r10, 0;\nsetp.lt.u32 %p1, %r0, 8;\n@!%p1 bra END;\n"
                                "setp.ne.u32 %p2, %r0, 3;\nvote.ballot.b32 %r10, %p2;\nvote.all.pred %p3, %p2;\n"
                                "vote.any.pred %p4, !%p2;\nvote.uni.pred %p5, %p2;\n@%p3 add.u32 %r10, %r10, 0x1000;\n"
                                "@%p4 add.u32 %r10, %r10, 0x2000;\n@%p5 add.u32 %r10, %r10, 0x4000;\nEND:\n"
                                "st.global.u32 [%d2], %r10;\nret;\n"));
    uint32_t *out = rig_buffer(r, 128);
    RUN(r, 1, 32, P(out), 0, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 8 ? 0xf7 + 0x2000 : 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(a_vector_register_is_packed_and_unpacked_whole),
        IT(vectors_are_moved_element_by_element),
        IT(a_whole_vector_register_is_no_scalar_operand),
        IT(calls_pass_values_in_registers),
        IT(a_local_variable_of_a_module_is_one_per_thread_for_all_functions),
        IT(functions_have_global_and_constant_variables_of_their_own),
        IT(a_vote_without_a_mask_is_of_the_lanes_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
