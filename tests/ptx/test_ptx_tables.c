/* SPDX-License-Identifier: MIT */
#include "ptx_test.h"
#include "sluice/trace.h"

/* The only instruction of a kernel, in static storage of the test's module. */
static sl_ptx_module *current;

static const sl_ptx_inst *inst_of(const char *text)
{
    char source[1024];
    sl_ptx_free(current);
    snprintf(source, sizeof source,
             PTX_HEAD ".func g();\n.entry k()\n{\n.reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<30>; .reg .b64 "
                      "%%rd<30>; .reg .f32 %%f<30>; .reg .f64 %%d<9>; .shared .b8 s[64]; .param .b32 ret;\n%s\n}",
             text);
    current = parse_text(source);
    assert_int_equal(kernel_of(current)->insts, 1);
    return &kernel_of(current)->inst[0];
}

static int release(void **state)
{
    (void)state;
    sl_ptx_free(current);
    current = NULL;
    return 0;
}

static uint8_t class_of(const char *text)
{
    return sl_ptx_inst_class(inst_of(text));
}

static uint32_t dsts_of(const char *text)
{
    return sl_ptx_inst_dsts(inst_of(text));
}

static uint16_t flags_of(const char *text)
{
    return sl_ptx_inst_flags(inst_of(text));
}

static void the_type_decides_which_unit_does_the_work(void **state)
{
    (void)state;
    assert_int_equal(class_of("add.s32 %r1, %r2, %r3;"), SL_CLASS_INT);
    assert_int_equal(class_of("add.f32 %f1, %f2, %f3;"), SL_CLASS_F32);
    assert_int_equal(class_of("add.rn.f64 %d1, %d2, %d3;"), SL_CLASS_F64);
    assert_int_equal(class_of("add.f16 %h1, %h2, %h3;"), SL_CLASS_F16);
    assert_int_equal(class_of("fma.rn.bf16x2 %r1, %r2, %r3, %r4;"), SL_CLASS_F16);
    assert_int_equal(class_of("mul.lo.s32 %r1, %r2, %r3;"), SL_CLASS_INT_MUL);
    assert_int_equal(class_of("mul.f32 %f1, %f2, %f3;"), SL_CLASS_F32);
    assert_int_equal(class_of("mad.wide.u32 %rd1, %r2, %r3, %rd1;"), SL_CLASS_INT_MUL);
    assert_int_equal(class_of("div.u32 %r1, %r2, %r3;"), SL_CLASS_INT_DIV);
    assert_int_equal(class_of("div.rn.f32 %f1, %f2, %f3;"), SL_CLASS_SFU);
    assert_int_equal(class_of("rem.s64 %rd1, %rd2, %rd3;"), SL_CLASS_INT_DIV);
    assert_int_equal(class_of("sqrt.rn.f64 %d1, %d2;"), SL_CLASS_SFU);
    assert_int_equal(class_of("setp.lt.f32 %p1, %f1, %f2;"), SL_CLASS_F32);
    assert_int_equal(class_of("set.lt.u32.f64 %r1, %d1, %d2;"), SL_CLASS_F64);
    assert_int_equal(class_of("min.f64 %d1, %d2, %d3;"), SL_CLASS_F64);
    assert_int_equal(class_of("selp.f32 %f1, %f2, %f3, %p1;"), SL_CLASS_INT);
    assert_int_equal(class_of("cvt.rn.f32.s32 %f1, %r1;"), SL_CLASS_CONVERT);
    assert_int_equal(class_of("mov.f64 %d1, %d2;"), SL_CLASS_MOVE);
    assert_int_equal(class_of("shfl.sync.up.b32 %r1, %r2, 1, 0, -1;"), SL_CLASS_WARP);
    assert_int_equal(class_of("bar.sync 0;"), SL_CLASS_BARRIER);
    assert_int_equal(class_of("membar.gl;"), SL_CLASS_FENCE);
    assert_int_equal(class_of("ret;"), SL_CLASS_CONTROL);
}

static void parameter_accesses_are_moves_and_other_accesses_are_memory(void **state)
{
    (void)state;
    assert_int_equal(class_of("ld.param.b32 %r1, [ret];"), SL_CLASS_MOVE);
    assert_int_equal(flags_of("st.param.b32 [ret], %r1;"), 0);
    assert_int_equal(class_of("ld.global.nc.f32 %f1, [%rd1];"), SL_CLASS_MEMORY);
    assert_int_equal(flags_of("ld.u8 %h1, [%rd1];"), SL_OPF_MEMORY);
    assert_int_equal(flags_of("st.shared.f32 [s], %f1;"), SL_OPF_MEMORY);
    assert_int_equal(flags_of("atom.add.u32 %r1, [%rd1], 1;"), SL_OPF_MEMORY);
    assert_int_equal(flags_of("red.add.u32 [%rd1], 1;"), SL_OPF_MEMORY);
    assert_int_equal(flags_of("prefetch.global.L2 [%rd1];"), SL_OPF_MEMORY);
    assert_int_equal(flags_of("cvta.to.global.u64 %rd1, %rd2;"), 0);
}

static void only_the_copies_of_cp_async_touch_memory(void **state)
{
    (void)state;
    assert_int_equal(flags_of("cp.async.ca.shared.global [s], [%rd1], 4;"), SL_OPF_MEMORY);
    assert_int_equal(flags_of("cp.async.commit_group;"), 0);
    assert_int_equal(flags_of("cp.async.wait_group 2;"), 0);
    assert_int_equal(class_of("cp.async.wait_all;"), SL_CLASS_FENCE);
    assert_true(flags_of("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;") & SL_OPF_MEMORY);
    assert_false(flags_of("cp.async.bulk.wait_group.read 0;") & SL_OPF_MEMORY);
}

static void only_sync_forms_wait_for_lanes(void **state)
{
    (void)state;
    assert_int_equal(flags_of("vote.ballot.b32 %r1, %p1;"), 0);
    assert_int_equal(flags_of("vote.sync.ballot.b32 %r1, %p1, -1;"), SL_OPF_WARP_SYNC);
    assert_int_equal(flags_of("shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;"), SL_OPF_WARP_SYNC);
    assert_int_equal(flags_of("shfl.idx.b32 %r1, %r2, 0, 31;"), 0);
    assert_int_equal(flags_of("activemask.b32 %r1;"), 0);
    assert_int_equal(flags_of("match.any.sync.b32 %r1, %r2, -1;"), SL_OPF_WARP_SYNC);
    assert_int_equal(flags_of("redux.sync.add.u32 %r1, %r2, -1;"), SL_OPF_WARP_SYNC);
}

static void warp_barriers_are_not_block_barriers(void **state)
{
    (void)state;
    assert_int_equal(flags_of("bar.sync 0;"), SL_OPF_BARRIER);
    assert_int_equal(flags_of("barrier.sync.aligned 0, 64;"), SL_OPF_BARRIER);
    assert_int_equal(flags_of("bar.warp.sync -1;"), SL_OPF_WARP_SYNC);
    assert_int_equal(flags_of("barrier.cluster.arrive.aligned;"), SL_OPF_BARRIER);
}

static void destinations_depend_on_the_form(void **state)
{
    (void)state;
    assert_int_equal(dsts_of("add.s32 %r1, %r2, %r3;"), 1);
    assert_int_equal(dsts_of("setp.lt.s32 %p1|%p2, %r1, %r2;"), 1);
    assert_int_equal(dsts_of("st.global.u32 [%rd1], %r1;"), 0);
    assert_int_equal(dsts_of("bar.sync 0;"), 0);
    assert_int_equal(dsts_of("bar.red.popc.u32 %r1, 0, %p1;"), 1);
    assert_int_equal(dsts_of("call g;"), 0);
    assert_int_equal(dsts_of("call g, (ret);"), 0);
    assert_int_equal(dsts_of("call (ret), g, (ret);"), 1);
    assert_int_equal(dsts_of("red.add.u32 [%rd1], 1;"), 0);
    assert_int_equal(dsts_of("atom.add.u32 %r1, [%rd1], 1;"), 1);
    assert_int_equal(dsts_of("mbarrier.arrive.shared.b64 %rd1, [s];"), 1);
    assert_int_equal(dsts_of("mbarrier.init.shared.b64 [s], 1;"), 0);
    assert_int_equal(dsts_of("wgmma.wait_group.sync.aligned 0;"), 0);
    assert_int_equal(
        dsts_of("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4}, %rd1, %rd2, 1, 1, 1;"), 1);
    assert_int_equal(dsts_of("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%rd1], {%f1, %f2}, %r1;"), 0);
}

static void what_needs_other_hardware_is_refused(void **state)
{
    (void)state;
    assert_int_equal(flags_of("tcgen05.wait::ld.sync.aligned;"), SL_OPF_WARP_SYNC);
    assert_int_equal(flags_of("tcgen05.cp.cta_group::1.128x128b [%r1], %rd1;"), SL_OPF_MEMORY);
    assert_true(flags_of("istypep.texref %p1, %rd1;") & SL_OPF_REFUSED);
    assert_int_equal(flags_of("suld.b.1d.b32.trap %r1, [%rd1, {%r2}];"), SL_OPF_MEMORY);
    assert_true(flags_of("frobnicate %r1;") & SL_OPF_REFUSED);
    assert_false(flags_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
                          "{%r5,%r6}, {%f1,%f2,%f3,%f4};") &
                 SL_OPF_REFUSED);
}

static void types_spaces_and_vectors_are_read_off_the_modifiers(void **state)
{
    (void)state;
    const sl_ptx_inst *inst = inst_of("cvt.rni.ftz.s64.f32 %rd1, %f1;");
    assert_int_equal(sl_ptx_inst_type(inst, 0), SL_T_S64);
    assert_int_equal(sl_ptx_inst_type(inst, 1), SL_T_F32);
    assert_int_equal(sl_ptx_inst_type(inst, 2), SL_T_NONE);
    assert_true(sl_ptx_has(inst, SL_MOD_FTZ));
    assert_false(sl_ptx_has(inst, SL_MOD_SAT));
    inst = inst_of("ld.volatile.shared::cta.v4.b32 {%r1, %r2, %r3, %r4}, [s];");
    assert_int_equal(sl_ptx_inst_space(inst), SL_SPACE_SHARED);
    assert_int_equal(sl_ptx_inst_vector(inst), 4);
    inst = inst_of("ld.b32 %r1, [%rd1];");
    assert_int_equal(sl_ptx_inst_space(inst), SL_SPACE_NONE);
    assert_int_equal(sl_ptx_inst_vector(inst), 1);
}

static void the_text_of_an_opcode_is_cut_to_the_buffer(void **state)
{
    (void)state;
    char text[32], small[8];
    const sl_ptx_inst *inst = inst_of("ld.global.nc.L1::no_allocate.f32 %f1, [%rd1];");
    assert_string_equal(sl_ptx_inst_text(inst, small, sizeof small), "ld.glob");
    assert_string_equal(sl_ptx_inst_text(inst, text, sizeof text), "ld.global.nc.L1::no_allocate.f3");
}

static void every_entry_of_the_tables_has_its_own_text(void **state)
{
    (void)state;
    for (uint16_t a = 1; a < SL_OP_COUNT; a++) {
        assert_true(*sl_ptx_op_info_of(a)->text && *sl_ptx_op_info_of(a)->summary);
        for (uint16_t b = 1; b < a; b++)
            assert_string_not_equal(sl_ptx_op_info_of(a)->text, sl_ptx_op_info_of(b)->text);
    }
    for (uint16_t a = 1; a < SL_MOD_COUNT; a++)
        for (uint16_t b = 1; b < a; b++)
            assert_string_not_equal(sl_ptx_mod_text(a), sl_ptx_mod_text(b));
    for (uint16_t a = 0; a < SL_SREG_COUNT; a++)
        assert_true(sl_ptx_special_type(a) != SL_T_NONE);
    assert_int_equal(sl_ptx_op_info_of(SL_OP_COUNT)->flags, SL_OPF_REFUSED);
}

static void types_have_the_sizes_of_the_manual(void **state)
{
    (void)state;
    assert_int_equal(sl_ptx_type_bytes(SL_T_B128), 16);
    assert_int_equal(sl_ptx_type_bytes(SL_T_F16X2), 4);
    assert_int_equal(sl_ptx_type_bytes(SL_T_F64), 8);
    assert_int_equal(sl_ptx_type_bytes(SL_T_S8), 1);
    assert_int_equal(sl_ptx_type_bytes(SL_T_PRED), 1);
    assert_string_equal(sl_ptx_type_text(SL_T_BF16X2), "bf16x2");
    assert_int_equal(sl_ptx_mod_type(SL_MOD_U16), SL_T_U16);
    assert_int_equal(sl_ptx_mod_type(SL_MOD_GLOBAL), SL_T_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_type_decides_which_unit_does_the_work),
        cmocka_unit_test(parameter_accesses_are_moves_and_other_accesses_are_memory),
        cmocka_unit_test(only_the_copies_of_cp_async_touch_memory),
        cmocka_unit_test(only_sync_forms_wait_for_lanes),
        cmocka_unit_test(warp_barriers_are_not_block_barriers),
        cmocka_unit_test(destinations_depend_on_the_form),
        cmocka_unit_test(what_needs_other_hardware_is_refused),
        cmocka_unit_test(types_spaces_and_vectors_are_read_off_the_modifiers),
        cmocka_unit_test(the_text_of_an_opcode_is_cut_to_the_buffer),
        cmocka_unit_test(every_entry_of_the_tables_has_its_own_text),
        cmocka_unit_test(types_have_the_sizes_of_the_manual),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
