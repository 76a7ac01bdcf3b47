/* SPDX-License-Identifier: MIT */
/* What a kernel says cannot make the emulator leave its operands: code that would is refused before it runs, and memory
 * that is not the kernel's faults. */
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"

static void refused(rig *r, const char *ptx, const char *text)
{
    rig_load(r, ptx);
    uint32_t *out = rig_buffer(r, 4096);
    assert_int_equal(TRY(r, 1, 32, P(out), P(out), 5), SL_UNSUPPORTED);
    rig_expect_text(r, text);
}

BEHAVIOUR(elements_of_scalar_registers_are_refused)
{
    refused(r, PTX("mov.b64 %d5.w, 1; ret;"), "register %d5 has no element 3");
    refused(r, PTX("mov.b64 %d5, %d6.z; st.global.u64 [%d0], %d5; ret;"), "register %d6 has no element 2");
}

BEHAVIOUR(vectors_are_not_loaded_into_scalars)
{
    refused(r, PTX("ld.global.v4.u32 %r9, [%d0]; ret;"), "1 registers for a vector of 4");
    refused(r, PTX("ld.global.v8.u32 %r9, [%d0]; ret;"), "1 registers for a vector of 8");
    refused(r, PTX("st.global.v2.u64 [%d0], %d9; ret;"), "1 registers for a vector of 2");
}

BEHAVIOUR(elements_of_vector_registers_are_executed)
{
    rig_load(r, PTX(".reg .v4 .u32 %v; mov.u32 %v.x, 1; mov.u32 %v.w, 4; mov.u32 %r9, %v.w; st.global.u32 [%d2], %r9; "
                    "ret;"));
    uint32_t *out = rig_buffer(r, 4096), expected[1] = {4};
    RUN(r, 1, 1, P(out), P(out), 5);
    rig_expect_u32(out, expected, 1);
}

BEHAVIOUR(wide_operations_need_wide_registers)
{
    refused(r, PTX("mov.b128 %h0, %h1; ret;"), "must be a 128-bit register");
    refused(r, PTX("mov.b128 {%d5, %d6}, %h1; ret;"), "must be a 128-bit register");
    refused(r, PTX("atom.global.cas.b128 %h0, [%d0], %h1, %h2; ret;"), "must be a 128-bit register");
    refused(r, PTX("ld.global.b128 %d5, [%d0]; ret;"), "must be a 128-bit register");
}

BEHAVIOUR(loads_stay_within_their_parameter)
{
    refused(r, PTX("ld.param.u32 %r9, [out+-4]; ret;"), "it reads outside of parameter out of 8 bytes");
    refused(r, PTX("ld.param.u32 %r9, [n+4]; ret;"), "it reads outside of parameter n of 4 bytes");
    refused(r, PTX("ld.param.v2.u32 {%r9, %r10}, [n]; ret;"), "it reads outside of parameter n of 4 bytes");
}

BEHAVIOUR(frames_that_do_not_fit_are_refused)
{
    refused(r,
            PTX_HEAD ".func (.param .b64 r) f(.param .b64 x) { ret; }\n" KERNEL(
                ".param .b8 pad[4294967288]; .param .b64 a; .param .b64 b; call (b), f, (a); ret;"),
            "pad does not fit local memory of 524288 bytes");
    refused(r, PTX(".local .b8 large[600000]; ret;"), "large does not fit local memory of 524288 bytes");
}

/* References to registers have thirty bits. */
BEHAVIOUR(registers_beyond_what_references_hold_are_refused)
{
    enum { REGISTERS = 300000 };
    char *text = malloc(REGISTERS * 10 + 1024), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n");
    for (int i = 0; i < REGISTERS; i++)
        at += sprintf(at, "%sw%d", i ? "," : ".reg .v4 .b64 ", i);
    sprintf(at, ";\nmov.b64 w%d.w, 1; ret;\n}\n", REGISTERS - 1);
    refused(r, text, "its registers take more than 268435456 bytes");
    free(text);
}

/* The parser leaves modules alone that are newer than its table of modifiers; the kernel that is launched is checked.
 */
#define NEWER_PTX(body) ".version 9.9\n.target sm_90\n.address_size 64\n" KERNEL(body)

BEHAVIOUR(modifiers_of_newer_ptx_are_refused_when_they_are_used)
{
    refused(
        r,
        NEWER_PTX("mma.sync.aligned.m16n8k24.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r9, %r10, %r11, %r12}, "
                  "{%r9, %r10}, {%f0, %f1, %f2, %f3}; ret;"),
        "mma has no modifier .m16n8k24");
    refused(
        r,
        NEWER_PTX("mma.sync.aligned.m16n8k16.row.col.s32.f16.f16.s32 {%r0, %r1, %r2, %r3}, {%r9, %r10, %r11, %r12}, "
                  "{%r9, %r10}, {%r0, %r1, %r2, %r3}; ret;"),
        "takes no .f16 here");
    refused(r, NEWER_PTX("add.sta.s32 %r0, %r0, 1; ret;"), "add has no modifier .sta; did you mean '.sat'?");
}

/* ---- memory ---- */

BEHAVIOUR(memory_is_gone_when_it_was_freed)
{
    rig_load(r, PTX_HEAD
             ".extern .func (.param .b64 r) malloc(.param .b64 s);\n.extern .func free(.param .b64 p);\n" KERNEL(
                 "mov.u64 %d5, 64; mov.u32 %r9, 0;\n"
                 "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %d5; call (b), malloc, (a); "
                 "ld.param.b64 %d6, [b]; }\n"
                 "again: ld.global.u32 %r10, [%d6];\n"
                 "{ .param .b64 a; st.param.b64 [a], %d6; call free, (a); }\n"
                 "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 2; @%p1 bra again; ret;"));
    uint32_t *out = rig_buffer(r, 4096);
    assert_int_equal(TRY(r, 1, 1, P(out), P(out), 5), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "use after free: 4-byte read");
}

BEHAVIOUR(kernels_free_only_what_kernels_allocated)
{
    rig_load(r, PTX_HEAD ".extern .func free(.param .b64 p);\n" KERNEL(
                    "{ .param .b64 a; st.param.b64 [a], %d0; call free, (a); } ret;"));
    uint32_t *out = rig_buffer(r, 4096);
    assert_int_equal(TRY(r, 1, 1, P(out), P(out), 5), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "is not memory of kernels");
}

BEHAVIOUR(asynchronous_copies_stay_within_their_source)
{
    rig_load(r, PTX(".shared .align 16 .b8 s[16]; mov.u32 %r9, s; mov.u32 %r10, %r2;\n"
                    "cp.async.ca.shared.global [%r9], [%d0+48], 16, %r10; ret;"));
    uint32_t *out = rig_buffer(r, 56);
    assert_int_equal(TRY(r, 1, 1, P(out), P(out), 8), SL_OK);
    assert_int_equal(TRY(r, 1, 1, P(out), P(out), 9), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "illegal 9-byte read");
}

BEHAVIOUR(kernels_cannot_write_their_parameters)
{
    rig_load(r,
             PTX("mov.u64 %d5, n; ld.global.u32 %r9, [%d5]; st.global.u32 [%d0], %r9; st.global.u32 [%d5], %r9; ret;"));
    uint32_t *out = rig_buffer(r, 4096), expected[1] = {5};
    assert_int_equal(TRY(r, 1, 1, P(out), P(out), 5), SL_FAULT);
    rig_expect_fault(r, SL_FAULT_ILLEGAL_ADDRESS, "illegal 4-byte write");
    rig_expect_u32(out, expected, 1);
}

BEHAVIOUR(fields_of_printf_have_an_end)
{
    rig_load(r, PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                         ".global .align 8 .b8 format[14] = {37, 50, 49, 52, 55, 52, 56, 51, 54, 52, 55, 115, 10, 0};\n"
                         ".global .align 8 .b8 args[16] = {0};\n" KERNEL(
                             "mov.u64 %d5, format; mov.u64 %d6, args;\n"
                             "{ .param .b64 f; .param .b64 a; .param .b32 c; st.param.b64 [f], %d5; st.param.b64 [a], "
                             "%d6; call (c), vprintf, (f, a); } ret;"));
    uint32_t *out = rig_buffer(r, 4096);
    assert_int_equal(TRY(r, 1, 1, P(out), P(out), 5), SL_FAULT);
    rig_expect_text(r, "printf: a field of more than 4096 characters");
}

/* The proof that blocks are independent follows chains of definitions as long as the kernel. */
BEHAVIOUR(long_chains_of_definitions_take_no_host_stack)
{
    enum { ADDS = 20000 };
    static const char head[] = PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
                                        ".reg .b32 %r<20002>; .reg .b64 %d<4>;\n"
                                        "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [out];\n";
    size_t room = sizeof head + ADDS * 48 + 256;
    char *text = malloc(room), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", head);
    for (int i = 0; i < ADDS; i++)
        at += sprintf(at, "add.u32 %%r%d, %%r%d, 1;\n", i + 1, i);
    sprintf(at, "mul.wide.u32 %%d1, %%r0, 4; add.u64 %%d2, %%d0, %%d1; st.global.u32 [%%d2], %%r%d; ret;\n}\n", ADDS);
    rig_load(r, text);
    uint32_t *out = rig_buffer(r, 4096), expected[2] = {ADDS, ADDS + 1};
    RUN(r, 2, 2, P(out), P(out), 5);
    rig_expect_u32(out, expected, 2);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(elements_of_scalar_registers_are_refused),
        IT(vectors_are_not_loaded_into_scalars),
        IT(elements_of_vector_registers_are_executed),
        IT(wide_operations_need_wide_registers),
        IT(loads_stay_within_their_parameter),
        IT(frames_that_do_not_fit_are_refused),
        IT(registers_beyond_what_references_hold_are_refused),
        IT(modifiers_of_newer_ptx_are_refused_when_they_are_used),
        IT(memory_is_gone_when_it_was_freed),
        IT(kernels_free_only_what_kernels_allocated),
        IT(asynchronous_copies_stay_within_their_source),
        IT(kernels_cannot_write_their_parameters),
        IT(fields_of_printf_have_an_end),
        IT(long_chains_of_definitions_take_no_host_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
