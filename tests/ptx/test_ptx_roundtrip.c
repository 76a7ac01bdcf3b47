/* SPDX-License-Identifier: MIT */
/* Parse, print, parse: over everything in tests/data/ptx and over the odd forms. */
#include <dirent.h>

#include "ptx_test.h"

static int is_ptx(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && !strcmp(entry->d_name + length - 4, ".ptx");
}

static void every_file_of_the_corpus_survives_printing(void **state)
{
    (void)state;
    struct dirent **names;
    int count = scandir(SL_TEST_DATA "/ptx", &names, is_ptx, alphasort);
    assert_true(count >= 14);
    for (int i = 0; i < count; i++) {
        char path[512];
        size_t length;
        snprintf(path, sizeof path, "%s/ptx/%s", SL_TEST_DATA, names[i]->d_name);
        char *text = read_file(path, &length);
        assert_round_trip(text, length, names[i]->d_name);
        free(text);
        free(names[i]);
    }
    free(names);
}

static void compilers_use_no_opcode_and_no_modifier_of_one_that_runs_that_the_tables_lack(void **state)
{
    (void)state;
    struct dirent **names;
    int count = scandir(SL_TEST_DATA "/ptx", &names, is_ptx, alphasort);
    for (int i = 0; i < count; i++) {
        char path[512];
        size_t length;
        sl_ptx_module *module;
        sl_error error;
        snprintf(path, sizeof path, "%s/ptx/%s", SL_TEST_DATA, names[i]->d_name);
        char *text = read_file(path, &length);
        assert_int_equal(sl_ptx_parse(text, length, path, &module, &error), SL_OK);
        for (uint32_t f = 0; f < module->funcs; f++)
            for (uint32_t k = 0; k < module->func[f]->insts; k++) {
                const sl_ptx_inst *inst = &module->func[f]->inst[k];
                char opcode[256];
                sl_ptx_inst_text(inst, opcode, sizeof opcode);
                if (inst->op == SL_OP_UNKNOWN)
                    fail_msg("%s:%u: %s is not in the table", names[i]->d_name, inst->line, opcode);
                for (uint32_t m = 0; m < inst->mods && !(sl_ptx_inst_flags(inst) & SL_OPF_REFUSED); m++)
                    if (inst->mod[m].id == SL_MOD_OTHER)
                        fail_msg("%s:%u: .%s is not in the table", names[i]->d_name, inst->line, inst->mod[m].text);
            }
        sl_ptx_free(module);
        free(text);
        free(names[i]);
    }
    free(names);
}

static void round_trip(const char *text)
{
    assert_round_trip(text, strlen(text), "text");
}

static void unknown_instructions_and_directives_survive(void **state)
{
    (void)state;
    round_trip(PTX_HEAD ".future 1, 2, \"three\";\n.other {a b {c} d}\n.bare word\n.list 1,\n 2\n.func f() {\n"
                        ".strange (1, 2) x;\nfrobnicate.async.v9.zz _, {1, 2}, [3];\n.marker\nret;\n}\n");
    round_trip(PTX_KERNEL("nothing;\nhop.skip %r1|%p1, !%p2, -%r3, [%rd1, {%r1, %r2}, 4];"));
}

static void text_on_one_line_survives(void **state)
{
    (void)state;
    round_trip(".version 8.0 .target sm_90 .address_size 64 .file 1 \"a\" .pragma \"x\"; .global .u32 a;"
               ".entry k(.param .u64 p) .maxntid 32 .pragma \"nounroll\"; { .reg .b32 %r<3>; .loc 1 2 3 mov.u32 %r1, a;"
               "l: { .loc 1 3 4, function_name x+4, inlined_at 1 2 3 bra l; } ret; }");
}

static void declarations_without_bodies_survive(void **state)
{
    (void)state;
    round_trip(PTX_HEAD ".extern .func f;\n.func (.param .b32 r) g (.param .b32 a, .param .b8 rest[]);\n"
                        ".weak .func h () .noreturn;\n.extern .entry e (.param .u64 .odd .ptr .align (2*4) a);\n"
                        ".func .attribute(.unified(1, 2)) (.reg .b32 r) u (.reg .b32 a) .abi_preserve 4;\n"
                        ".alias f, f2;\n.func f2() {\nret;\n}\n.visible .func f();\n");
}

static void function_directives_survive(void **state)
{
    (void)state;
    round_trip(PTX_HEAD
               ".entry k() .maxntid 128,1,1 .minnctapersm 2 .reqnctapercluster 2, 1, 1 .explicitcluster "
               ".maxclusterrank 8 .maxnreg 40 .pragma \"a b\"; .blocksareclusters .abi_preserve_control 3 {}\n");
}

static void every_kind_of_initialiser_survives(void **state)
{
    (void)state;
    round_trip(PTX_HEAD
               ".global .b8 z[4] = {0xFF(z), 0xFF00(generic(z)+4), 0xFF0000(z-8), 7};\n"
               ".global .u64 f[] = {k, generic(z)+1, z+-2, 0, -1};\n.entry k(){ret;}\n"
               ".global .f32 m[2][2] = {{1.0}, {0f3F800000, -2e3}};\n.global .f32 flat[2][2] = {1.0, 2.0, 3.0};\n"
               ".global .v2 .u16 v = {1, 2};\n.global .v2 .u16 w[2] = {{1, 2}, {3}};\n"
               ".global .samplerref s = {addr_mode_0 = wrap, filter_mode = linear, array_size = 3};\n"
               ".global .u32 e = (1 + 2) * 3 % 4 > 1 ? 0x10 : ~7;\n");
}

static void every_kind_of_operand_survives(void **state)
{
    (void)state;
    round_trip(PTX_KERNEL(
        ".reg .v4 .f32 %v;\n.shared .b8 s[16];\nmov.u32 %r1, %tid;\nmov.u32 %r1, %tid.x;\nmov.u32 %r1, %clock_hi;\n"
        "mov.u32 %r1, WARP_SZ;\nadd.u32 %r1, %r2, WARP_SZ * 2 - 1;\nmov.f32 %v.x, %v.w;\nmov.f32 %v.r, %v.a;\n"
        "mov.u32 %r1, -(.s64)5;\nmov.u32 %r1, 5 % 3;\nmov.f32 %f1, 1.5;\nmov.f32 %f1, .5;\nmov.f32 %f1, -0f3F800000;\n"
        "mov.u32 %r1, s;\nmov.u32 %r1, s+4;\nmov.u32 %r1, s[3];\nld.shared.u32 %r1, s[1];\nld.u32 %r1, [16];\n"
        "ld.u32 %r1, [%rd1];\nld.u32 %r1, [%rd1+-4];\nld.u32 %r1, [%rd1 - 4];\nld.u32 %r1, [s + 2*4];\n"
        "setp.eq.u32 %p1|%p2, 1, 2;\nsetp.eq.u32 _|%p2, 1, 2;\nsetp.eq.and.u32 %p1, 1, 2, !%p3;\n"
        "tex.2d.v4.f32.f32 {%f1, _, _, %f2}, [%rd1, {%f1, %f2}];\n"
        "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];"
        "\nvadd.u32.u32.u32 %r1, %r2.b3, %r3.h0, -%r4;\ntensor.0d {};\nld.global.u32 %r1, [%rd1+4].unified, "
        "%rd2;\nret.uni;"));
}

static void a_function_of_a_hundred_thousand_instructions_is_read(void **state)
{
    (void)state;
    /* 100,000 instructions, about 4 MB */
    static const char lines[] = "add.s32 %r1, %r2, %r3;\nld.global.f32 %f1, [%rd1+16];\n@%p1 bra L;\nfma.rn.f32 %f1, "
                                "%f2, %f3, 0f3F800000;\n";
    static const char head[] = PTX_HEAD ".entry k() {.reg .pred %p<9>;.reg .b32 %r<30>;.reg .b64 %rd<30>;.reg .f32 "
                                        "%f<30>;\nL:\n";
    size_t capacity = sizeof head + 25000 * sizeof lines + 16;
    char *text = malloc(capacity), *end = text;
    assert_non_null(text);
    end = stpcpy(end, head);
    for (int i = 0; i < 25000; i++)
        end = stpcpy(end, lines);
    end = stpcpy(end, "ret;}");
    sl_ptx_module *module = parse_text(text);
    assert_int_equal(kernel_of(module)->insts, 100001);
    assert_int_equal(kernel_of(module)->regs, 8);
    sl_ptx_free(module);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_of_the_corpus_survives_printing),
        cmocka_unit_test(compilers_use_no_opcode_and_no_modifier_of_one_that_runs_that_the_tables_lack),
        cmocka_unit_test(unknown_instructions_and_directives_survive),
        cmocka_unit_test(text_on_one_line_survives),
        cmocka_unit_test(declarations_without_bodies_survive),
        cmocka_unit_test(function_directives_survive),
        cmocka_unit_test(every_kind_of_initialiser_survives),
        cmocka_unit_test(every_kind_of_operand_survives),
        cmocka_unit_test(a_function_of_a_hundred_thousand_instructions_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
