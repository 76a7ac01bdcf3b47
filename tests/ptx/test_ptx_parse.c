/* SPDX-License-Identifier: MIT */
/* What the parser makes of PTX: variables, parameters, scopes, operands, labels. */
#include "ptx_test.h"

static const sl_ptx_operand *operand_of(const sl_ptx_module *module, uint32_t inst, uint32_t operand)
{
    const sl_ptx_func *func = kernel_of(module);
    assert_true(inst < func->insts && operand < func->inst[inst].operands);
    return &func->inst[inst].operand[operand];
}

static const char *reg_name(const sl_ptx_module *module, const sl_ptx_operand *operand)
{
    assert_int_equal(operand->kind, SL_OPD_REG);
    return kernel_of(module)->reg[operand->reg].name;
}

static void the_header_is_read(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(".version 8.7\n.target sm_100a, texmode_independent, debug\n.address_size 32\n"
                   ".file 1 \"a.cu\"\n.file 7 \"dir/b.h\", 12, 34\n.file 8 \"/dir\" \"c.py\"\n.alias f, g;\n");
    assert_int_equal(m->version_major, 8);
    assert_int_equal(m->version_minor, 7);
    assert_string_equal(m->target, "sm_100a, texmode_independent, debug");
    assert_int_equal(m->sm, 100);
    assert_int_equal(m->address_size, 32);
    assert_int_equal(m->files, 3);
    assert_int_equal(m->file[1].number, 7);
    assert_string_equal(m->file[1].name, "dir/b.h");
    assert_string_equal(m->file[2].name, "/dir/c.py");
    assert_int_equal(m->aliases, 1);
    assert_string_equal(m->alias[0].name, "f");
    assert_string_equal(m->alias[0].target, "g");
    sl_ptx_free(m);
}

static void a_trailing_nul_is_ignored(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD;
    sl_ptx_module *m;
    sl_error error;
    assert_int_equal(sl_ptx_parse(text, sizeof text, "t", &m, &error), SL_OK);
    sl_ptx_free(m);
}

static void parameters_lie_at_their_natural_alignment(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_HEAD ".entry k(.param .u8 a, .param .u32 b, .param .align 8 .b8 c[20], "
                            ".param .u16 d, .param .u64 .ptr .global .align 16 e, .param .v4 .f32 f)\n{}");
    const sl_ptx_func *k = kernel_of(m);
    static const uint32_t offsets[] = {0, 4, 8, 28, 32, 48}, bytes[] = {1, 4, 20, 2, 8, 16};
    assert_int_equal(k->params, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(k->param[i]->offset, offsets[i]);
        assert_int_equal(k->param[i]->bytes, bytes[i]);
        assert_int_equal(k->param[i]->index, i);
        assert_ptr_equal(k->param[i]->owner, k);
    }
    assert_int_equal(k->param_bytes, 64);
    assert_string_equal(k->param[4]->pointee, ".ptr .global .align 16");
    assert_int_equal(k->param[4]->align, 8);
    sl_ptx_free(m);
}

static void performance_directives_are_read(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_HEAD ".entry k() .maxntid 256 .minnctapersm 4 .maxnreg 32 {}\n"
                                           ".entry j() .reqntid 8, 4, 2 {}\n.func f() .noreturn {}\n");
    const sl_ptx_func *k = kernel_of(m), *j = sl_ptx_find(m, "j");
    assert_int_equal(k->maxntid[0], 256);
    assert_int_equal(k->maxntid[1], 1);
    assert_int_equal(k->maxntid[2], 1);
    assert_int_equal(k->minnctapersm, 4);
    assert_int_equal(k->maxnreg, 32);
    assert_int_equal(k->directives, 3);
    assert_string_equal(k->directive[0], ".maxntid 256");
    assert_int_equal(j->reqntid[1], 4);
    assert_int_equal(j->maxntid[0], 0);
    assert_true(sl_ptx_find(m, "f")->noreturn);
    sl_ptx_free(m);
}

static void initial_values_become_bits_of_the_type(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_HEAD ".global .f32 f[4] = {1.0, 0f40000000, -2, 0d3FF8000000000000};\n"
                                           ".global .f64 d[2] = {0f3F800000, 1.5};\n.global .s8 b[2] = {-1, 255};\n"
                                           ".global .u64 big = 0xFFFFFFFFFFFFFFFF;\n");
    const sl_ptx_var *f = var_of(m, "f"), *d = var_of(m, "d");
    assert_int_equal(f->init[0].bits, 0x3F800000);
    assert_int_equal(f->init[1].bits, 0x40000000);
    assert_int_equal(f->init[2].bits, 0xC0000000);
    assert_int_equal(f->init[3].bits, 0x3FC00000);
    assert_int_equal(d->init[0].bits, 0x3FF0000000000000);
    assert_int_equal(d->init[1].bits, 0x3FF8000000000000);
    assert_int_equal(var_of(m, "b")->init[0].bits & 0xff, 0xff);
    assert_int_equal(var_of(m, "big")->init[0].bits, UINT64_MAX);
    sl_ptx_free(m);
}

static void nested_braces_fill_whole_rows(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_HEAD ".global .u32 a[2][3] = {{1, 2}, {3}};\n.global .u32 b[][2] = {{1}, {2}, {3}};"
                            "\n.global .v2 .u32 c[2] = {{1}, {2, 3}};\n.global .b8 open[] = {1, 2, 3};");
    static const uint64_t expected[] = {1, 2, 0, 3, 0, 0};
    const sl_ptx_var *a = var_of(m, "a"), *b = var_of(m, "b"), *c = var_of(m, "c");
    assert_int_equal(a->inits, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(a->init[i].bits, expected[i]);
    assert_int_equal(b->dim[0], 3);
    assert_int_equal(b->bytes, 24);
    assert_int_equal(b->init[4].bits, 3);
    assert_int_equal(c->inits, 4);
    assert_int_equal(c->init[2].bits, 2);
    assert_int_equal(c->align, 8);
    assert_int_equal(var_of(m, "open")->bytes, 3);
    sl_ptx_free(m);
}

static void addresses_in_initialisers_keep_their_symbol(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_HEAD ".global .u64 a[2] = {a+8, generic(a)+-4};\n"
                                           ".global .b8 b[2] = {0xFF(a), 0xFF000000(generic(a)+12)};");
    const sl_ptx_init *a = var_of(m, "a")->init, *b = var_of(m, "b")->init;
    assert_string_equal(a[0].symbol, "a");
    assert_int_equal(a[0].bits, 8);
    assert_false(a[0].generic);
    assert_true(a[1].generic);
    assert_int_equal(a[1].bits, -4);
    assert_true(b[0].masked);
    assert_int_equal(b[0].mask_shift, 0);
    assert_int_equal(b[1].mask_shift, 3);
    assert_true(b[1].generic);
    assert_int_equal(b[1].bits, 12);
    sl_ptx_free(m);
}

static void linkage_spaces_and_attributes_of_variables_are_kept(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_HEAD ".extern .shared .align 16 .b8 dyn[];\n.visible .global .attribute(.managed) "
                            ".u32 mg;\n.weak .const .u32 w;\n.common .global .b8 c[4];\n.global .u16 s;");
    const sl_ptx_var *dyn = var_of(m, "dyn"), *mg = var_of(m, "mg");
    assert_int_equal(dyn->linkage, SL_LINK_EXTERN);
    assert_int_equal(dyn->space, SL_SPACE_SHARED);
    assert_int_equal(dyn->bytes, 0);
    assert_int_equal(dyn->align, 16);
    assert_true(dyn->align_written);
    assert_true(mg->managed);
    assert_int_equal(mg->linkage, SL_LINK_VISIBLE);
    assert_int_equal(var_of(m, "w")->linkage, SL_LINK_WEAK);
    assert_int_equal(var_of(m, "w")->space, SL_SPACE_CONST);
    assert_int_equal(var_of(m, "c")->linkage, SL_LINK_COMMON);
    assert_int_equal(var_of(m, "s")->align, 2);
    assert_null(var_of(m, "s")->owner);
    sl_ptx_free(m);
}

static void constant_expressions_are_folded(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1+2*3", 7},     {"(1+2)*3", 9},      {"7/2", 3},
        {"-7/2", -3},     {"-7 % 3", -1},      {"1<<4|1", 17},
        {"~0", -1},       {"!5", 0},           {"-1>>1", -1},
        {"1<2", 1},       {"2>=3", 0},         {"1==1&&0!=1", 1},
        {"0||0", 0},      {"6^3", 5},          {"1?2:3", 2},
        {"0?2:1?4:5", 4}, {"0x10U", 16},       {"017", 15},
        {"0b101", 5},     {"(.u64)-1 > 0", 1}, {"-1 > 0", 0},
        {"(.s64)2.9", 2}, {"WARP_SZ*2", 64},   {"10-4-3", 3},
        {"1.5 < 2.5", 1}, {"- - 5", 5},        {"0xFFFFFFFFFFFFFFFF", -1},
        {"2&3==3", 0},    {"1<<2+1", 8},       {"-3/-1", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, PTX_HEAD ".global .s64 x = %s;", cases[i].text);
        sl_ptx_module *m = parse_text(text);
        if ((int64_t)var_of(m, "x")->init[0].bits != cases[i].value)
            fail_msg("%s is %lld", cases[i].text, (long long)var_of(m, "x")->init[0].bits);
        sl_ptx_free(m);
    }
}

static void immediates_keep_their_text_and_their_value(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_KERNEL("mov.u32 %r1, -0x10;\nmov.f32 %f1, 0fBF800000;\nmov.f32 %f1, 1.5;\n"
                                             "mov.f32 %f1, -0d3FF0000000000000;\nmov.u32 %r1, ( 1 + 2 )\n * 3;"));
    const sl_ptx_operand *operand = operand_of(m, 0, 1);
    assert_int_equal(operand->kind, SL_OPD_INT);
    assert_int_equal(operand->bits, -16);
    assert_string_equal(operand->text, "-0x10");
    assert_int_equal(operand_of(m, 1, 1)->kind, SL_OPD_F32);
    assert_int_equal(operand_of(m, 1, 1)->bits, 0xBF800000);
    assert_int_equal(operand_of(m, 2, 1)->kind, SL_OPD_F64);
    assert_int_equal(operand_of(m, 2, 1)->bits, 0x3FF8000000000000);
    assert_int_equal(operand_of(m, 3, 1)->bits, 0xBFF0000000000000);
    assert_int_equal(operand_of(m, 4, 1)->bits, 9);
    assert_string_equal(operand_of(m, 4, 1)->text, "( 1 + 2 ) * 3");
    sl_ptx_free(m);
}

static void addresses_have_a_base_and_an_offset(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_KERNEL("ld.u32 %r1, [%rd1+-4];\nld.param.u32 %r1, [n];\nld.param.u32 %r1, [in+4];\n"
                              "ld.u32 %r1, [64];\ntex.2d.v4.f32.f32 {%f1, _, %f2, _}, [%rd2, %rd3, "
                              "{%f1, %f2}];"));
    const sl_ptx_operand *a = operand_of(m, 0, 1);
    assert_int_equal(a->kind, SL_OPD_ADDRESS);
    assert_string_equal(reg_name(m, &a->items[0]), "%rd1");
    assert_int_equal(a->bits, -4);
    a = operand_of(m, 1, 1);
    assert_int_equal(a->items[0].kind, SL_OPD_SYMBOL);
    assert_ptr_equal(a->items[0].var, kernel_of(m)->param[2]);
    a = operand_of(m, 2, 1);
    assert_ptr_equal(a->items[0].var, kernel_of(m)->param[0]);
    assert_int_equal(a->bits, 4);
    assert_int_equal(a->items[0].bits, 0);
    assert_int_equal(operand_of(m, 3, 1)->items[0].kind, SL_OPD_INT);
    a = operand_of(m, 4, 1);
    assert_int_equal(a->count, 3);
    assert_string_equal(reg_name(m, &a->items[1]), "%rd3");
    assert_int_equal(a->items[2].kind, SL_OPD_VECTOR);
    assert_int_equal(operand_of(m, 4, 0)->items[1].kind, SL_OPD_DISCARD);
    sl_ptx_free(m);
}

static void special_registers_with_components_are_one_operand(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_KERNEL("mov.u32 %r1, %ctaid.y;\nmov.u32 %r1, %laneid;\nmov.u32 %r1, WARP_SZ;\n"
                                             ".reg .v4 .u32 %v;\nmov.v4.u32 %v, %tid;\nmov.u32 %r1, %v.z;"));
    assert_int_equal(operand_of(m, 0, 1)->kind, SL_OPD_SPECIAL);
    assert_int_equal(operand_of(m, 0, 1)->special, SL_SREG_CTAID_Y);
    assert_int_equal(operand_of(m, 1, 1)->special, SL_SREG_LANEID);
    assert_int_equal(operand_of(m, 2, 1)->special, SL_SREG_WARP_SZ);
    assert_int_equal(operand_of(m, 3, 1)->special, SL_SREG_TID);
    assert_int_equal(operand_of(m, 3, 0)->element, -1);
    assert_int_equal(operand_of(m, 4, 1)->element, 2);
    sl_ptx_free(m);
}

static void pairs_negations_and_selectors_are_kept(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_KERNEL("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;\nshfl.sync.up.b32 _|%p1, %r1, 1, 0, "
                              "-1;\nvadd.u32.u32.u32 %r1, %r2.b3, -%r3.h0, 1;\n@!%p1 ret;"));
    const sl_ptx_operand *pair = operand_of(m, 0, 0);
    assert_int_equal(pair->kind, SL_OPD_PAIR);
    assert_string_equal(reg_name(m, &pair->items[1]), "%p2");
    assert_true(operand_of(m, 0, 3)->negated);
    assert_int_equal(operand_of(m, 1, 0)->items[0].kind, SL_OPD_DISCARD);
    assert_int_equal(operand_of(m, 2, 1)->element, 7);
    assert_int_equal(operand_of(m, 2, 2)->element, 8);
    assert_true(operand_of(m, 2, 2)->negated);
    assert_true(kernel_of(m)->inst[3].guarded && kernel_of(m)->inst[3].guard_negated);
    sl_ptx_free(m);
}

static void only_registers_that_are_used_take_part(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_HEAD ".entry k() {.reg .b32 %r<4000000000>; mov.b32 %r3999999999, %r7; ret;}");
    assert_int_equal(kernel_of(m)->regs, 2);
    assert_string_equal(kernel_of(m)->reg[0].name, "%r3999999999");
    sl_ptx_free(m);
}

static void inner_scopes_hide_outer_names_and_give_them_back(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_HEAD ".shared .b32 v;\n.entry k() {\n.reg .b32 %r<5>, x;\n"
                                           "mov.b32 x, %r1;\n"
                                           "{ .reg .f32 %r<3>; .reg .b64 x; mov.b32 x, %r1; mov.b32 x, %r4;\n"
                                           "  { .reg .f64 %r1; mov.b32 x, %r1; } mov.b32 x, %r1; }\n"
                                           "mov.b32 x, %r1;\n{ .local .b32 v; mov.b32 x, v; } mov.b32 x, v;\n}");
    const sl_ptx_func *k = kernel_of(m);
    static const uint8_t types[] = {SL_T_B32, SL_T_F32, SL_T_B32, SL_T_F64, SL_T_F32, SL_T_B32};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(k->reg[operand_of(m, i, 1)->reg].type, types[i]);
    assert_int_equal(operand_of(m, 0, 1)->reg, operand_of(m, 5, 1)->reg);
    assert_int_equal(operand_of(m, 1, 1)->reg, operand_of(m, 4, 1)->reg);
    assert_int_equal(operand_of(m, 0, 0)->reg, operand_of(m, 5, 0)->reg);
    assert_int_not_equal(operand_of(m, 0, 0)->reg, operand_of(m, 1, 0)->reg);
    assert_int_equal(operand_of(m, 6, 1)->var->space, SL_SPACE_LOCAL);
    assert_int_equal(operand_of(m, 7, 1)->var->space, SL_SPACE_SHARED);
    sl_ptx_free(m);
}

static void numbered_names_find_the_range_they_belong_to(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_HEAD ".entry k() {.reg .b32 %a<3>; .reg .f32 %a1<5>; .reg .b64 %a04;\n"
                                           "mov.b32 %a2, %a13; mov.b32 %a1, %a10; mov.b32 %a0, %a04;}");
    const sl_ptx_func *k = kernel_of(m);
    static const uint8_t types[3][2] = {{SL_T_B32, SL_T_F32}, {SL_T_B32, SL_T_F32}, {SL_T_B32, SL_T_B64}};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t n = 0; n < 2; n++)
            assert_int_equal(k->reg[operand_of(m, i, n)->reg].type, types[i][n]);
    sl_ptx_free(m);
}

static void sibling_scopes_may_use_the_same_label(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_KERNEL("{ W: @%p1 bra D; bra W; D: }\n{ W: @%p1 bra D; bra W; D: }\nbra E;\nE: ret;"));
    const sl_ptx_func *k = kernel_of(m);
    static const uint32_t targets[] = {2, 0, 4, 2, 5}; /* instructions */
    for (uint32_t i = 0; i < 5; i++) {
        int32_t label = operand_of(m, i, 0)->label;
        assert_true(label >= 0);
        assert_int_equal(k->label[label].inst, targets[i]);
    }
    sl_ptx_free(m);
}

static void a_branch_prefers_the_label_of_its_own_scope_even_if_it_comes_later(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_KERNEL("L: mov.u32 %r1, 0;\n{ bra L; mov.u32 %r1, 1; L: mov.u32 %r1, 2; }\nbra L;"));
    const sl_ptx_func *k = kernel_of(m);
    assert_int_equal(k->label[operand_of(m, 1, 0)->label].inst, 3);
    assert_int_equal(k->label[operand_of(m, 4, 0)->label].inst, 0);
    sl_ptx_free(m);
}

static void tables_of_targets_and_prototypes_are_labels_without_a_place(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(
        PTX_HEAD
        ".func f1(.param .b32 a) {ret;}\n.func f2(.param .b32 a) {ret;}\n.entry k() {.reg .b32 %r<3>; .reg .b64 "
        "%rd<3>; .param .b32 a;\nt: .branchtargets B, A, B;\nbrx.idx %r1, t;\nA: ret;\nB: p: .callprototype "
        "(.param .b64 _) _ (.param .b32 _, .param .align 8 .b8 _[16]) .noreturn;\ncall %rd1, (a), p;\n"
        "c: .calltargets f1, f2;\ncall %rd1, (a), c;}");
    const sl_ptx_func *k = kernel_of(m);
    const sl_ptx_label *t = &k->label[operand_of(m, 0, 1)->label], *proto = &k->label[operand_of(m, 2, 2)->label],
                       *c = &k->label[operand_of(m, 3, 2)->label];
    assert_int_equal(t->kind, SL_LABEL_BRANCH_TARGETS);
    assert_int_equal(t->targets, 3);
    assert_int_equal(k->label[t->target_label[0]].inst, 2);
    assert_int_equal(k->label[t->target_label[1]].inst, 1);
    assert_int_equal(t->target_label[2], t->target_label[0]);
    assert_int_equal(proto->kind, SL_LABEL_CALL_PROTOTYPE);
    assert_int_equal(proto->prototype->returns, 1);
    assert_int_equal(proto->prototype->params, 2);
    assert_int_equal(proto->prototype->param_bytes, 24);
    assert_true(proto->prototype->noreturn);
    assert_int_equal(c->kind, SL_LABEL_CALL_TARGETS);
    assert_string_equal(c->target[1], "f2");
    sl_ptx_free(m);
}

static void calls_come_in_all_their_forms(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_HEAD ".func g(); .func h(.reg .b32 a); .func (.reg .b32 r) f (.reg .b32 a, .reg .b32 "
                            "b);\n.entry k() {.reg .b32 %r<9>; .reg .b64 %rd<3>;\ncall g;\ncall h, (%r1);\n"
                            "call.uni (%r1), f, (%r2, 5);\ncall (%r1), f;\n"
                            "P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
                            "call (%r1), %rd1, (%r2), P;\ncall (_), f, (%r1, %r2);}");
    static const uint8_t kinds[6][4] = {{SL_OPD_SYMBOL},
                                        {SL_OPD_SYMBOL, SL_OPD_LIST},
                                        {SL_OPD_LIST, SL_OPD_SYMBOL, SL_OPD_LIST},
                                        {SL_OPD_LIST, SL_OPD_SYMBOL},
                                        {SL_OPD_LIST, SL_OPD_REG, SL_OPD_LIST, SL_OPD_SYMBOL},
                                        {SL_OPD_LIST, SL_OPD_SYMBOL, SL_OPD_LIST}};
    static const uint32_t counts[] = {1, 2, 3, 2, 4, 3};
    const sl_ptx_func *k = kernel_of(m);
    uint32_t call = 0;
    for (uint32_t i = 0; i < k->insts; i++) {
        if (k->inst[i].op != SL_OP_CALL)
            continue;
        assert_int_equal(k->inst[i].operands, counts[call]);
        for (uint32_t n = 0; n < counts[call]; n++)
            assert_int_equal(operand_of(m, i, n)->kind, kinds[call][n]);
        call++;
    }
    assert_int_equal(call, 6);
    sl_ptx_free(m);
}

/* st.param.TYPE [VAR], …  or  ld.param.TYPE …, [VAR] */
static void assert_moves(sl_ptx_module *m, uint32_t i, uint16_t op, const char *type, const char *var)
{
    const sl_ptx_inst *inst = &kernel_of(m)->inst[i];
    assert_int_equal(inst->op, op);
    assert_string_equal(inst->mod[0].text, "param");
    assert_string_equal(inst->mod[1].text, type);
    assert_string_equal(operand_of(m, i, op == SL_OP_LD)->items[0].name, var);
}

static void what_a_call_passes_in_registers_goes_through_param_variables(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_HEAD ".func (.reg .b32 r) f (.reg .b32 a, .reg .b64 b);\n.entry k() {"
                                           ".reg .b32 %r<9>; .reg .pred %p;\n@%p call (%r1), f, (%r2, 5);\n}");
    assert_int_equal(kernel_of(m)->insts, 4);
    assert_int_equal(kernel_of(m)->vars, 3);
    assert_moves(m, 0, SL_OP_ST, "b32", "$param0");
    assert_moves(m, 1, SL_OP_ST, "b64", "$param1");
    assert_int_equal(operand_of(m, 1, 1)->bits, 5);
    assert_string_equal(operand_of(m, 2, 0)->items[0].name, "$param2");
    assert_string_equal(operand_of(m, 2, 2)->items[1].name, "$param1");
    assert_moves(m, 3, SL_OP_LD, "b32", "$param2");
    assert_false(kernel_of(m)->inst[0].guarded);
    assert_true(kernel_of(m)->inst[3].guarded);
    sl_ptx_free(m);
}

static void register_parameters_are_loaded_and_results_are_stored(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_HEAD ".func (.reg .f32 r) k (.reg .u32 a, .reg .b64 b)\n{ cvt.rn.f32.u32 r, a; ret; }");
    const sl_ptx_func *k = kernel_of(m);
    assert_int_equal(k->ret[0]->space, SL_SPACE_PARAM);
    assert_int_equal(k->insts, 5);
    assert_moves(m, 0, SL_OP_LD, "b32", "$in0");
    assert_moves(m, 1, SL_OP_LD, "b64", "$in1");
    assert_int_equal(operand_of(m, 2, 0)->reg, operand_of(m, 3, 1)->reg);
    assert_int_equal(operand_of(m, 2, 1)->reg, operand_of(m, 0, 0)->reg);
    assert_moves(m, 3, SL_OP_ST, "b32", "$out0");
    assert_int_equal(k->inst[4].op, SL_OP_RET);
    sl_ptx_free(m);
}

static void a_declaration_may_end_without_a_semicolon(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_HEAD ".visible .func f (.param .u64 p)\n.global .u32 counter;\n"
                                           ".func g ()\n.noreturn\n.entry k() { call g; }\n"
                                           ".visible .func f (.param .u64 p) { ret; }\n");
    assert_int_equal(m->funcs, 4);
    assert_int_equal(m->vars, 1);
    assert_true(m->func[1]->noreturn);
    assert_true(sl_ptx_find(m, "f")->has_body);
    sl_ptx_free(m);
}

static void a_sum_of_register_and_number_is_an_addition(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_KERNEL("mov.b64 %rd1, %rd0 + 8;\nmov.u32 %r1, %r2-4;"));
    const sl_ptx_inst *inst = kernel_of(m)->inst;
    assert_int_equal(inst[0].op, SL_OP_ADD);
    assert_string_equal(inst[0].mod[0].text, "u64");
    assert_int_equal(operand_of(m, 0, 2)->bits, 8);
    assert_int_equal(inst[1].op, SL_OP_ADD);
    assert_true((int64_t)operand_of(m, 1, 2)->bits == -4);
    sl_ptx_free(m);
}

static void instructions_know_the_last_loc_before_them(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_KERNEL("mov.u32 %r1, 0;\n.loc 1 20 3\nmov.u32 %r1, 1;\nmov.u32 %r1, 2;\n"
                                             ".loc 2 7 9, function_name X, inlined_at 1 20 3\n  mov.u32 %r1, 3;"));
    const sl_ptx_inst *inst = kernel_of(m)->inst;
    assert_int_equal(inst[0].loc_file, 0);
    assert_int_equal(inst[1].loc_line, 20);
    assert_int_equal(inst[2].loc_line, 20);
    assert_int_equal(inst[3].loc_file, 2);
    assert_int_equal(inst[3].loc_line, 7);
    assert_int_equal(inst[3].loc_column, 9);
    assert_int_equal(inst[3].line, 15);
    assert_int_equal(inst[3].column, 3);
    sl_ptx_free(m);
}

static void functions_and_variables_may_be_used_before_they_are_declared(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_HEAD ".entry k() {.reg .b64 %rd<3>; mov.u64 %rd1, later; call g; ret;}\n"
                                           ".global .u32 later;\n.func g() {ret;}");
    assert_ptr_equal(operand_of(m, 0, 1)->var, var_of(m, "later"));
    assert_int_equal(operand_of(m, 1, 0)->label, -1);
    sl_ptx_free(m);
}

static void a_definition_wins_over_its_declaration(void **state)
{
    (void)state;
    sl_ptx_module *m =
        parse_text(PTX_HEAD ".func k();\n.extern .global .u32 g;\n.func k() {.reg .b64 %rd<2>; mov.u64 %rd1, "
                            "g; ret;}\n.func k();\n.global .u32 g = 3;\n"
                            ".func j() {.reg .b64 %rd<2>; mov.u64 %rd1, g;}\n");
    assert_true(kernel_of(m)->has_body);
    assert_int_equal(sl_ptx_find(m, "j")->inst[0].operand[1].var->inits, 1);
    sl_ptx_free(m);
}

static void equal_names_are_equal_pointers(void **state)
{
    (void)state;
    sl_ptx_module *m = parse_text(PTX_KERNEL("mov.u64 %rd1, v;\nmov.u64 %rd2, v;\n") ".global .u32 v;");
    assert_ptr_equal(operand_of(m, 0, 1)->name, operand_of(m, 1, 1)->name);
    assert_ptr_equal(operand_of(m, 0, 1)->name, var_of(m, "v")->name);
    sl_ptx_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_is_read),
        cmocka_unit_test(a_trailing_nul_is_ignored),
        cmocka_unit_test(parameters_lie_at_their_natural_alignment),
        cmocka_unit_test(performance_directives_are_read),
        cmocka_unit_test(initial_values_become_bits_of_the_type),
        cmocka_unit_test(nested_braces_fill_whole_rows),
        cmocka_unit_test(addresses_in_initialisers_keep_their_symbol),
        cmocka_unit_test(linkage_spaces_and_attributes_of_variables_are_kept),
        cmocka_unit_test(constant_expressions_are_folded),
        cmocka_unit_test(immediates_keep_their_text_and_their_value),
        cmocka_unit_test(addresses_have_a_base_and_an_offset),
        cmocka_unit_test(special_registers_with_components_are_one_operand),
        cmocka_unit_test(pairs_negations_and_selectors_are_kept),
        cmocka_unit_test(only_registers_that_are_used_take_part),
        cmocka_unit_test(inner_scopes_hide_outer_names_and_give_them_back),
        cmocka_unit_test(numbered_names_find_the_range_they_belong_to),
        cmocka_unit_test(sibling_scopes_may_use_the_same_label),
        cmocka_unit_test(a_branch_prefers_the_label_of_its_own_scope_even_if_it_comes_later),
        cmocka_unit_test(tables_of_targets_and_prototypes_are_labels_without_a_place),
        cmocka_unit_test(calls_come_in_all_their_forms),
        cmocka_unit_test(what_a_call_passes_in_registers_goes_through_param_variables),
        cmocka_unit_test(register_parameters_are_loaded_and_results_are_stored),
        cmocka_unit_test(a_declaration_may_end_without_a_semicolon),
        cmocka_unit_test(a_sum_of_register_and_number_is_an_addition),
        cmocka_unit_test(instructions_know_the_last_loc_before_them),
        cmocka_unit_test(functions_and_variables_may_be_used_before_they_are_declared),
        cmocka_unit_test(a_definition_wins_over_its_declaration),
        cmocka_unit_test(equal_names_are_equal_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
