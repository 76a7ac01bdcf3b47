/* SPDX-License-Identifier: MIT */
/* Which loads of LLVM IR are loads from global memory, which array each reads, and which belong together. */
#include "tune/llvm_test.h"

static void expect_arrays(const char *const *array)
{
    uint32_t count = 0;
    for (; array[count]; count++) {
        if (count == sl_llvm_graph(code)->loads)
            fail_msg("there is no load of %s", array[count]);
        const char *got = load_at(count)->array;
        assert_string_equal(got ? got : "?", array[count]);
    }
    assert_int_equal(sl_llvm_graph(code)->loads, count);
}

static void arrays_are_found_through_address_arithmetic_and_casts(void **state)
{
    (void)state;
    read_code(HEAD "define amdgpu_kernel void @k(float addrspace(1)* %a, i32 addrspace(1)* %b, float* %c) {\n"
                   "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "  %p = getelementptr float, float addrspace(1)* %a, i32 %i\n"
                   "  %x = load float, float addrspace(1)* %p\n"
                   "  %q = bitcast i32 addrspace(1)* %b to float addrspace(1)*\n"
                   "  %r = getelementptr float, float addrspace(1)* %q, i32 %i\n"
                   "  %y = load float, float addrspace(1)* %r\n"
                   "  %f = addrspacecast float addrspace(1)* %r to float*\n"
                   "  %z = load float, float* %f\n"
                   "  %g = getelementptr float, float* %c, i32 %i\n"
                   "  %w = load float, float* %g\n"
                   "  %s = fadd float %x, %y\n"
                   "  %t = fadd float %s, %z\n"
                   "  %u = fadd float %t, %w\n"
                   "  store float %u, float addrspace(1)* %p\n"
                   "  ret void\n}\n");
    expect_arrays((const char *[]){"a", "b", "b", "c", NULL});
    assert_string_equal(load_at(0)->opcode, "load float");
    assert_int_equal(load_at(0)->width, 4);
    assert_int_equal(load_at(0)->flags & SL_LOAD_GENERIC, 0);
    assert_true(load_at(3)->flags & SL_LOAD_GENERIC);
    close_code();
}

static void pointers_that_change_places_are_of_both_arrays(void **state)
{
    (void)state;
    read_code(HEAD "define amdgpu_kernel void @k(float addrspace(1)* %a, float addrspace(1)* %b, i1 %c) {\n"
                   "start:\n"
                   "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "  br label %loop\n"
                   "loop:\n"
                   "  %from = phi float addrspace(1)* [ %b, %start ], [ %to, %loop ]\n"
                   "  %to = phi float addrspace(1)* [ %a, %start ], [ %from, %loop ]\n"
                   "  %p = getelementptr float, float addrspace(1)* %from, i32 %i\n"
                   "  %x = load float, float addrspace(1)* %p\n"
                   "  %q = getelementptr float, float addrspace(1)* %to, i32 %i\n"
                   "  store float %x, float addrspace(1)* %q\n"
                   "  br i1 %c, label %loop, label %end\n"
                   "end:\n"
                   "  %one = select i1 %c, float addrspace(1)* %b, float addrspace(1)* %b\n"
                   "  %y = load volatile float, float addrspace(1)* %one\n"
                   "  ret void\n}\n");
    expect_arrays((const char *[]){"a|b", "b", NULL});
    assert_int_equal(load_at(0)->block, 1);
    assert_int_equal(load_at(1)->block, 2);
    close_code();
}

static void structs_by_value_and_loaded_pointers_name_their_fields_and_places(void **state)
{
    (void)state;
    read_code(HEAD "%s = type { float addrspace(1)*, i32 }\n"
                   "define amdgpu_kernel void @k(%s %v, float addrspace(1)* addrspace(1)* %table) {\n"
                   "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "  %a = extractvalue %s %v, 0\n"
                   "  %p = getelementptr float, float addrspace(1)* %a, i32 %i\n"
                   "  %x = load float, float addrspace(1)* %p\n"
                   "  %b = load float addrspace(1)*, float addrspace(1)* addrspace(1)* %table\n"
                   "  %q = getelementptr float, float addrspace(1)* %b, i32 %i\n"
                   "  %y = load float, float addrspace(1)* %q\n"
                   "  %z = fadd float %x, %y\n"
                   "  store float %z, float addrspace(1)* %p\n"
                   "  ret void\n}\n");
    expect_arrays((const char *[]){"v.0", "table", "loaded_4", NULL});
    close_code();
}

static void parameters_without_names_are_called_by_their_number(void **state)
{
    (void)state;
    read_code(HEAD "define amdgpu_kernel void @k(float addrspace(1)* %0, float addrspace(1)* %out.coerce) {\n"
                   "  %2 = load float, float addrspace(1)* %0\n"
                   "  %3 = load float, float addrspace(1)* %out.coerce\n"
                   "  %4 = fadd float %2, %3\n"
                   "  store float %4, float addrspace(1)* %out.coerce\n"
                   "  ret void\n}\n");
    expect_arrays((const char *[]){"param_0", "out", NULL});
    close_code();
}

static void shared_private_and_launch_memory_is_not_global_but_constant_memory_is(void **state)
{
    (void)state;
    read_code(HEAD "@tile = internal addrspace(3) global [64 x float] undef\n"
                   "@factor = addrspace(4) constant [64 x float] zeroinitializer\n"
                   "@count = addrspace(1) global i32 0\n"
                   "declare i8 addrspace(4)* @llvm.amdgcn.implicitarg.ptr()\n"
                   "define amdgpu_kernel void @k(float addrspace(1)* %out) {\n"
                   "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "  %mine = alloca float, addrspace(5)\n"
                   "  store volatile float 1.0, float addrspace(5)* %mine\n"
                   "  %a = load volatile float, float addrspace(5)* %mine\n"
                   "  %flat = addrspacecast float addrspace(5)* %mine to float*\n"
                   "  %b = load volatile float, float* %flat\n"
                   "  %s = getelementptr [64 x float], [64 x float] addrspace(3)* @tile, i32 0, i32 %i\n"
                   "  %c = load float, float addrspace(3)* %s\n"
                   "  %sf = addrspacecast float addrspace(3)* %s to float*\n"
                   "  %d = load float, float* %sf\n"
                   "  %l = call i8 addrspace(4)* @llvm.amdgcn.implicitarg.ptr()\n"
                   "  %lp = getelementptr i8, i8 addrspace(4)* %l, i64 12\n"
                   "  %li = bitcast i8 addrspace(4)* %lp to i16 addrspace(4)*\n"
                   "  %e = load i16, i16 addrspace(4)* %li\n"
                   "  %t = getelementptr [64 x float], [64 x float] addrspace(4)* @factor, i32 0, i32 %i\n"
                   "  %f = load float, float addrspace(4)* %t\n"
                   "  %g = load i32, i32 addrspace(1)* @count\n"
                   "  %h = sitofp i32 %g to float\n"
                   "  %sum = fadd float %f, %h\n"
                   "  store float %sum, float addrspace(1)* %out\n"
                   "  ret void\n}\n");
    expect_arrays((const char *[]){"factor", "count", NULL});
    close_code();
}

static void barriers_fences_and_calls_end_a_group(void **state)
{
    (void)state;
    read_code(HEAD "declare void @llvm.amdgcn.s.barrier()\n"
                   "declare void @other()\n"
                   "declare float @llvm.fabs.f32(float)\n"
                   "define amdgpu_kernel void @k(float addrspace(1)* %a, float addrspace(1)* %b) {\n"
                   "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "  %p = getelementptr float, float addrspace(1)* %a, i32 %i\n"
                   "  %q = getelementptr float, float addrspace(1)* %b, i32 %i\n"
                   "  %a0 = load float, float addrspace(1)* %p\n"
                   "  %b0 = load float, float addrspace(1)* %q\n"
                   "  %m = call float @llvm.fabs.f32(float %b0)\n"
                   "  store float %m, float addrspace(1)* %q\n"
                   "  %a1 = load float, float addrspace(1)* %p\n"
                   "  call void @llvm.amdgcn.s.barrier()\n"
                   "  %a2 = load float, float addrspace(1)* %p\n"
                   "  fence acquire\n"
                   "  %a3 = load float, float addrspace(1)* %p\n"
                   "  call void @other()\n"
                   "  %a4 = load float, float addrspace(1)* %p\n"
                   "  store volatile float %a0, float addrspace(1)* %q\n"
                   "  store volatile float %a1, float addrspace(1)* %q\n"
                   "  store volatile float %a2, float addrspace(1)* %q\n"
                   "  store volatile float %a3, float addrspace(1)* %q\n"
                   "  store volatile float %a4, float addrspace(1)* %q\n"
                   "  ret void\n}\n");
    const sl_load_graph *graph = sl_llvm_graph(code);
    expect_arrays((const char *[]){"a", "b", "a", "a", "a", "a", NULL});
    assert_int_equal(sl_load_groups_of_loads(graph), 5);
    assert_int_equal(graph->load[0].group, graph->load[2].group);
    assert_int_not_equal(graph->load[2].group, graph->load[3].group);
    assert_int_not_equal(graph->load[3].group, graph->load[4].group);
    assert_int_not_equal(graph->load[4].group, graph->load[5].group);
    close_code();
}

static void loads_are_joined_before_they_are_listed(void **state)
{
    (void)state;
    read_code(HEAD "define amdgpu_kernel void @k(float addrspace(1)* noalias %a, float addrspace(1)* noalias %b) {\n"
                   "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "  %j = shl i32 %i, 1\n"
                   "  %w = zext i32 %j to i64\n"
                   "  %p = getelementptr inbounds float, float addrspace(1)* %a, i64 %w\n"
                   "  %x = load float, float addrspace(1)* %p, align 8\n"
                   "  %q = getelementptr inbounds float, float addrspace(1)* %p, i64 1\n"
                   "  %y = load float, float addrspace(1)* %q, align 4\n"
                   "  %z = fadd float %x, %y\n"
                   "  %r = getelementptr inbounds float, float addrspace(1)* %b, i64 %w\n"
                   "  store float %z, float addrspace(1)* %r\n"
                   "  ret void\n}\n");
    sl_llvm_facts facts = sl_llvm_facts_of(code);
    expect_arrays((const char *[]){"a", NULL});
    assert_string_equal(load_at(0)->opcode, "load <2 x float>");
    assert_int_equal(load_at(0)->width, 8);
    assert_int_equal(facts.loads_before, 2);
    assert_int_equal(facts.loads_joined, 1);
    close_code();
}

static void loads_have_the_line_of_the_file_and_of_the_source(void **state)
{
    (void)state;
    read_code(AMD "\n"
                  "define amdgpu_kernel void @k(float addrspace(1)* %a) !dbg !4 { ; %no = load this\n"
                  "  ; %no = load that\n"
                  "  %x = load float, float addrspace(1)* %a, !dbg !5\n"
                  "\n"
                  "  store float %x, float addrspace(1)* %a\n"
                  "  %y = load volatile float, float addrspace(1)* %a\n"
                  "  ret void\n}\n"
                  "!llvm.dbg.cu = !{!0}\n"
                  "!llvm.module.flags = !{!2}\n"
                  "!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: LineTablesOnly)\n"
                  "!1 = !DIFile(filename: \"k.cu\", directory: \".\")\n"
                  "!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
                  "!3 = !DISubroutineType(types: !{})\n"
                  "!4 = distinct !DISubprogram(name: \"k\", file: !1, line: 3, type: !3, unit: !0)\n"
                  "!5 = !DILocation(line: 7, column: 3, scope: !4)\n");
    assert_int_equal(load_at(0)->line, 5);
    assert_string_equal(load_at(0)->source, "k.cu");
    assert_int_equal(load_at(0)->source_line, 7);
    assert_int_equal(load_at(1)->line, 8);
    assert_null(load_at(1)->source);
    assert_int_equal(load_at(0)->inst, 0);
    assert_int_equal(load_at(1)->inst, 2);
    char *text = text_of();
    assert_null(strstr(text, "sluice.line"));
    free(text);
    close_code();
}

static void text_and_bitcode_of_a_module_have_one_hash(void **state)
{
    static const char text[] = HEAD "define amdgpu_kernel void @k(float addrspace(1)* %a) {\n"
                                    "  %x = load float, float addrspace(1)* %a\n"
                                    "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                                    "  store float %x, float addrspace(1)* %a\n"
                                    "  ret void\n}\n";
    (void)state;
    read_code(text);
    uint64_t hash = sl_llvm_facts_of(code).hash;
    char *data = NULL;
    size_t bytes = 0;
    assert_int_equal(sl_llvm_write(code, true, &data, &bytes, &error), SL_OK);
    sl_llvm_free(code);
    assert_int_equal(sl_llvm_read(llvm, data, bytes, "other.bc", &(sl_llvm_options){0}, &code, &error), SL_OK);
    assert_int_equal(sl_llvm_facts_of(code).hash, hash);
    assert_int_equal(load_at(0)->line, 0);
    free(data);
    sl_llvm_free(code);
    assert_int_equal(try_code(HEAD "define amdgpu_kernel void @k(float addrspace(1)* %a) {\n  ret void\n}\n", NULL),
                     SL_OK);
    assert_int_not_equal(sl_llvm_facts_of(code).hash, hash);
    assert_int_equal(sl_llvm_graph(code)->loads, 0);
    close_code();
}

static void unoptimised_code_shows_its_arrays_after_optimising(void **state)
{
    static const char text[] = AMD "define amdgpu_kernel void @k(float addrspace(1)* %a) {\n"
                                   "  %v = alloca float addrspace(1)*, addrspace(5)\n"
                                   "  store float addrspace(1)* %a, float addrspace(1)* addrspace(5)* %v\n"
                                   "  %p = load float addrspace(1)*, float addrspace(1)* addrspace(5)* %v\n"
                                   "  %x = load float, float addrspace(1)* %p\n"
                                   "  %y = fadd float %x, 1.0\n"
                                   "  store float %y, float addrspace(1)* %p\n"
                                   "  ret void\n}\n";
    (void)state;
    read_code(text);
    assert_string_equal(load_at(0)->array, "loaded_2");
    sl_llvm_free(code);
    assert_int_equal(try_code(text, &(sl_llvm_options){.optimize = true}), SL_OK);
    expect_arrays((const char *[]){"a", NULL});
    close_code();
}

static void broken_code_is_refused_with_line_and_reason(void **state)
{
    (void)state;
    need_llvm();
    assert_int_equal(try_code(HEAD "define amdgpu_kernel void @k(float addrspace(1)* %a) {\n"
                                   "  %x = lod float, float addrspace(1)* %a\n"
                                   "  ret void\n}\n",
                              NULL),
                     SL_SYNTAX);
    assert_string_equal(error.file, "test.ll");
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 8);
    assert_string_equal(error.text, "LLVM cannot read it: expected instruction opcode");
    assert_int_equal(try_code("BC\xc0\xde rubbish", NULL), SL_SYNTAX);
    assert_int_equal(try_code("target triple = \"x86_64-pc-linux-gnu\"\n", NULL), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "x86_64-pc-linux-gnu"));
    assert_int_equal(try_code("", NULL), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "no target that it names"));
    sl_llvm_close(llvm);
}

static void a_missing_llvm_is_told_with_what_to_install(void **state)
{
    (void)state;
    assert_int_equal(sl_llvm_open("13", &llvm, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "14 to 19"));
    assert_int_equal(sl_llvm_open("./libLLVM-that-is-not-there.so", &llvm, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "libLLVM-that-is-not-there.so"));
    assert_int_equal(sl_llvm_open("libm.so.6", &llvm, &error), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "LLVMContextCreate"));
    for (int other = 14; other <= 19; other++) {
        char text[8];
        snprintf(text, sizeof text, "%d", other);
        if (!sl_llvm_open(text, &llvm, &error)) {
            sl_llvm_close(llvm);
            continue;
        }
        snprintf(text, sizeof text, "llvm%d", other);
        assert_non_null(strstr(error.text, "apt install lib"));
        assert_non_null(strstr(error.text, text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_found_through_address_arithmetic_and_casts),
        cmocka_unit_test(pointers_that_change_places_are_of_both_arrays),
        cmocka_unit_test(structs_by_value_and_loaded_pointers_name_their_fields_and_places),
        cmocka_unit_test(parameters_without_names_are_called_by_their_number),
        cmocka_unit_test(shared_private_and_launch_memory_is_not_global_but_constant_memory_is),
        cmocka_unit_test(barriers_fences_and_calls_end_a_group),
        cmocka_unit_test(loads_are_joined_before_they_are_listed),
        cmocka_unit_test(loads_have_the_line_of_the_file_and_of_the_source),
        cmocka_unit_test(text_and_bitcode_of_a_module_have_one_hash),
        cmocka_unit_test(unoptimised_code_shows_its_arrays_after_optimising),
        cmocka_unit_test(broken_code_is_refused_with_line_and_reason),
        cmocka_unit_test(a_missing_llvm_is_told_with_what_to_install),
    };
    return RUN_WITH_EACH_LLVM(tests);
}
