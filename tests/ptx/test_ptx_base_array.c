/* SPDX-License-Identifier: MIT */
#include "ptx/base_array.h"

#include "ptx_test.h"

/* The base of the last memory instruction of a kernel with parameters in (index 0), out (1), n (2). */
static const char *base_of(const char *body, char *text, size_t size)
{
    char source[4096];
    snprintf(source, sizeof source,
             PTX_HEAD
             ".global .b8 table[64];\n.shared .b8 tile[64];\n.func (.param .b64 r) g (.param .b64 a);\n"
             ".entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .align 8 .b8 s[32])\n{\n.reg .pred "
             "p; .reg .b32 %%r<20>; .reg .b64 %%rd<30>; .reg .f32 %%f<9>;\n%s\n}",
             body);
    sl_ptx_module *m = parse_text(source);
    sl_arena arena;
    sl_base *bases;
    sl_error error;
    sl_arena_init(&arena);
    const sl_ptx_func *k = kernel_of(m);
    assert_int_equal(sl_base_arrays(k, &arena, &bases, &error), SL_OK);
    sl_base base = {0};
    for (uint32_t i = 0; i < k->insts; i++) {
        bool memory = sl_ptx_inst_flags(&k->inst[i]) & SL_OPF_MEMORY;
        if (memory)
            base = bases[i];
        else
            assert_int_equal(bases[i].kind, SL_BASE_NONE);
    }
    switch ((sl_base_kind)base.kind) {
    case SL_BASE_NONE:
        snprintf(text, size, "none");
        break;
    case SL_BASE_PARAM:
        snprintf(text, size, "%s %u+%u", base.name, base.index, base.offset);
        break;
    case SL_BASE_SYMBOL:
        snprintf(text, size, "%s", base.name);
        break;
    case SL_BASE_LOADED:
        snprintf(text, size, "load in %u", k->inst[base.index].line);
        break;
    case SL_BASE_MANY:
        snprintf(text, size, "many");
        break;
    }
    sl_arena_fini(&arena);
    sl_ptx_free(m);
    return text;
}

static void expect_base(const char *body, const char *expected)
{
    char text[128];
    assert_string_equal(base_of(body, text, sizeof text), expected);
}

#define IN      "ld.param.u64 %rd1, [in];\ncvta.to.global.u64 %rd2, %rd1;\n"
#define OUT     "ld.param.u64 %rd3, [out];\ncvta.to.global.u64 %rd4, %rd3;\n"
#define INDEX   "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd5, %r1, 4;\n"
#define LOAD(a) "ld.global.f32 %f1, [" a "];"

static void an_indexed_parameter_is_the_base(void **state)
{
    (void)state;
    expect_base(IN INDEX "add.s64 %rd6, %rd2, %rd5;\n" LOAD("%rd6+8"), "in 0+0");
    expect_base(OUT INDEX "add.s64 %rd6, %rd5, %rd4;\nst.global.f32 [%rd6], %f1;", "out 1+0");
    expect_base(IN INDEX "mad.wide.s32 %rd6, %r1, 4, %rd2;\n" LOAD("%rd6"), "in 0+0");
    expect_base(IN OUT "mad.lo.s64 %rd6, %rd4, 4, %rd2;\n" LOAD("%rd6"), "in 0+0");
    expect_base(IN OUT "sub.s64 %rd6, %rd2, %rd4;\n" LOAD("%rd6"), "in 0+0");
}

static void members_of_a_struct_parameter_are_told_apart(void **state)
{
    (void)state;
    expect_base("ld.param.u64 %rd1, [s+16];\n" LOAD("%rd1"), "s 3+16");
    expect_base("ld.param.v2.u64 {%rd1, %rd2}, [s+8];\n" LOAD("%rd2"), "s 3+16");
    expect_base("ld.param.u64 %rd1, [s];\nld.param.u64 %rd2, [s+8];\nselp.b64 %rd3, %rd1, %rd2, p;\n" LOAD("%rd3"),
                "many");
}

static void symbols_are_bases_directly_and_through_registers(void **state)
{
    (void)state;
    expect_base(LOAD("table+4"), "table");
    expect_base("mov.u64 %rd1, table+8;\n" LOAD("%rd1"), "table");
    expect_base("mov.u32 %r2, tile;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r4, %r2, %r3;\nld.shared.f32 %f1, [%r4];", "tile");
    expect_base("mov.u64 %rd1, table;\ncvta.global.u64 %rd2, %rd1;\nld.f32 %f1, [%rd2];", "table");
}

static void a_pointer_from_memory_is_a_base_of_its_own(void **state)
{
    (void)state;
    expect_base(IN "ld.global.u64 %rd6, [%rd2];\nadd.s64 %rd7, %rd6, 8;\nld.f32 %f1, [%rd7];", "load in 12");
    expect_base(IN "ld.global.v2.u64 {%rd6, %rd7}, [%rd2];\nld.f32 %f1, [%rd7];", "load in 12");
    expect_base(IN "atom.global.exch.b64 %rd6, [%rd2], %rd1;\nld.f32 %f1, [%rd6];", "load in 12");
    expect_base("{ .param .b64 r; .param .b64 a;\ncall (r), g, (a);\nld.param.b64 %rd6, [r];\n}\nld.f32 %f1, [%rd6];",
                "load in 12");
}

static void all_definitions_of_a_register_count(void **state)
{
    (void)state;
    expect_base(IN OUT "mov.u64 %rd6, %rd2;\n@p mov.u64 %rd6, %rd4;\n" LOAD("%rd6"), "many");
    expect_base(IN "mov.u64 %rd6, %rd2;\nL: " LOAD("%rd6") "\nadd.s64 %rd6, %rd6, 4;\n@p bra L;", "in 0+0");
    expect_base(IN LOAD("%rd6") "\nmov.u64 %rd6, %rd2;", "in 0+0");
}

static void numbers_have_no_base(void **state)
{
    (void)state;
    expect_base("mov.u64 %rd1, 64;\n" LOAD("%rd1"), "none");
    expect_base(LOAD("128"), "none");
    expect_base(IN "shl.b64 %rd6, %rd2, 1;\n" LOAD("%rd6"), "none");
    expect_base(IN "cvt.u32.u64 %r1, %rd2;\ncvt.u64.u32 %rd6, %r1;\n" LOAD("%rd6"), "none");
}

static void masks_keep_the_base(void **state)
{
    (void)state;
    expect_base(IN "and.b64 %rd6, %rd2, -16;\nor.b64 %rd7, %rd6, 4;\n" LOAD("%rd7"), "in 0+0");
}

static void an_offset_is_not_taken_for_a_second_base(void **state)
{
    (void)state;
    /* a byte offset that is itself a 64-bit parameter, or was loaded */
    expect_base(IN "ld.param.u64 %rd6, [out];\nadd.s64 %rd7, %rd2, %rd6;\n" LOAD("%rd7"), "in 0+0");
    expect_base(IN "ld.global.u64 %rd6, [%rd2];\nadd.s64 %rd7, %rd6, %rd2;\n" LOAD("%rd7"), "in 0+0");
    /* the conversion may come further down in the text than the sum */
    expect_base("bra B;\nA: add.s64 %rd7, %rd2, %rd6;\n" LOAD("%rd7") "\nret;\nB: ld.param.u64 %rd6, [out];\n" IN
                                                                      "bra A;",
                "in 0+0");
    /* nothing tells which of the two is the pointer */
    expect_base("ld.param.u64 %rd1, [in];\nld.param.u64 %rd6, [out];\nadd.s64 %rd7, %rd1, %rd6;\nld.f32 %f1, [%rd7];",
                "many");
}

static void an_asynchronous_copy_is_about_its_source(void **state)
{
    (void)state;
    expect_base(IN "mov.u32 %r2, tile;\ncp.async.ca.shared.global [%r2], [%rd2], 4;", "in 0+0");
}

static void a_texture_is_named_by_its_handle(void **state)
{
    (void)state;
    expect_base("ld.param.u64 %rd1, [in];\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", "in 0+0");
}

/* nvcc names parameters after the kernel; a tensor map is used by the address of its parameter. */
static void parameters_are_named_without_the_kernel(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_HEAD ".entry k(.param .u64 k_param_0, .param .align 64 .b8 k_param_1[128])\n{\n"
                            ".reg .b64 %rd<3>; .reg .f32 %f1;\nld.param.u64 %rd1, [k_param_0];\n"
                            "ld.global.f32 %f1, [%rd1];\nmov.b64 %rd2, k_param_1;\nld.f32 %f1, [%rd2];\n}");
    static const char *const names[] = {"param_0", "param_1"};
    const sl_ptx_func *k = kernel_of(m);
    size_t found = 0;
    char text[64];
    sl_arena arena;
    sl_base *bases;
    sl_arena_init(&arena);
    assert_int_equal(sl_base_arrays(k, &arena, &bases, NULL), SL_OK);
    for (uint32_t i = 0; i < k->insts; i++)
        if (bases[i].kind)
            assert_string_equal(sl_base_text(k, &bases[i], text, sizeof text), names[found++]);
    assert_int_equal(found, 2);
    sl_arena_fini(&arena);
    sl_ptx_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_indexed_parameter_is_the_base),
        cmocka_unit_test(members_of_a_struct_parameter_are_told_apart),
        cmocka_unit_test(symbols_are_bases_directly_and_through_registers),
        cmocka_unit_test(a_pointer_from_memory_is_a_base_of_its_own),
        cmocka_unit_test(all_definitions_of_a_register_count),
        cmocka_unit_test(numbers_have_no_base),
        cmocka_unit_test(masks_keep_the_base),
        cmocka_unit_test(an_offset_is_not_taken_for_a_second_base),
        cmocka_unit_test(an_asynchronous_copy_is_about_its_source),
        cmocka_unit_test(a_texture_is_named_by_its_handle),
        cmocka_unit_test(parameters_are_named_without_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
