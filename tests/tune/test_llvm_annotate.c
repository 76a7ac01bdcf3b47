/* SPDX-License-Identifier: MIT */
/* Modes as marks on loads of LLVM IR, and what they are in the assembly for AMD GPUs. */
#include "tune/llvm_test.h"

/* Four vector loads, of arrays a to d. The stores keep them from being joined. */
static const char FOUR[] = HEAD "define amdgpu_kernel void @k(float addrspace(1)* %a, float addrspace(1)* %b, "
                                "float addrspace(1)* %c, float addrspace(1)* %d) {\n"
                                "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                                "  %pa = getelementptr float, float addrspace(1)* %a, i32 %i\n"
                                "  %pb = getelementptr float, float addrspace(1)* %b, i32 %i\n"
                                "  %pc = getelementptr float, float addrspace(1)* %c, i32 %i\n"
                                "  %pd = getelementptr float, float addrspace(1)* %d, i32 %i\n"
                                "  %w = load float, float addrspace(1)* %pa\n"
                                "  %x = load float, float addrspace(1)* %pb\n"
                                "  %y = load float, float addrspace(1)* %pc\n"
                                "  %z = load float, float addrspace(1)* %pd\n"
                                "  %s = fadd float %w, %x\n"
                                "  %t = fadd float %y, %z\n"
                                "  %u = fmul float %s, %t\n"
                                "  store float %u, float addrspace(1)* %pa\n"
                                "  ret void\n}\n";

static const uint8_t EACH_MODE[] = {SL_BYPASS_NONE, SL_BYPASS_L1, SL_BYPASS_L2, SL_BYPASS_BOTH};

/* The line of `text` in which a value is loaded, as a copy. */
static char *line_of(const char *text, const char *value)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "  %%%s = load", value);
    const char *at = strstr(text, wanted);
    assert_non_null(at);
    return strndup(at, strcspn(at, "\n"));
}

static void expect_marks(const char *text, const char *value, bool is_volatile, bool nontemporal)
{
    char *line = line_of(text, value);
    assert_int_equal(strstr(line, "load volatile") != NULL, is_volatile);
    assert_int_equal(strstr(line, "!nontemporal") != NULL, nontemporal);
    free(line);
}

static void modes_become_volatile_and_nontemporal(void **state)
{
    (void)state;
    read_code(FOUR);
    annotate(EACH_MODE);
    char *text = text_of();
    expect_marks(text, "w", false, false);
    expect_marks(text, "x", true, false);
    expect_marks(text, "y", false, true);
    expect_marks(text, "z", true, true);
    assert_non_null(strstr(text, "{i32 1}"));
    free(text);
    close_code();
}

static void only_chosen_loads_change_and_marks_can_be_taken_back(void **state)
{
    (void)state;
    read_code(FOUR);
    char *before = text_of();
    annotate((const uint8_t[]){0, SL_BYPASS_L1, 0, 0});
    char *after = text_of();
    /* One word more, and every other byte the same. */
    char *word = strstr(after, "volatile ");
    assert_non_null(word);
    memmove(word, word + strlen("volatile "), strlen(word + strlen("volatile ")) + 1);
    assert_string_equal(after, before);
    free(after);
    annotate((const uint8_t[]){0, 0, 0, 0});
    after = text_of();
    assert_string_equal(after, before);
    free(before);
    free(after);
    close_code();
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    read_code(FOUR);
    annotate(EACH_MODE);
    for (int bitcode = 0; bitcode < 2; bitcode++) {
        char *data = NULL;
        size_t bytes = 0;
        assert_int_equal(sl_llvm_write(code, bitcode, &data, &bytes, &error), SL_OK);
        sl_llvm_free(code);
        assert_int_equal(sl_llvm_read(llvm, data, bytes, "again", &(sl_llvm_options){0}, &code, &error), SL_OK);
        free(data);
        assert_int_equal(load_at(0)->flags, 0);
        assert_int_equal(load_at(1)->flags, SL_LOAD_VOLATILE);
        assert_int_equal(load_at(2)->flags, SL_LOAD_OPERATOR);
        assert_int_equal(load_at(3)->flags, SL_LOAD_VOLATILE);
    }
    close_code();
}

static void loads_with_marks_of_their_own_take_no_mode(void **state)
{
    (void)state;
    read_code(HEAD "define amdgpu_kernel void @k(i32 addrspace(1)* %a) {\n"
                   "  %x = load volatile i32, i32 addrspace(1)* %a\n"
                   "  %y = load atomic i32, i32 addrspace(1)* %a acquire, align 4\n"
                   "  %z = load i32, i32 addrspace(1)* %a, !nontemporal !0\n"
                   "  store i32 %z, i32 addrspace(1)* %a\n"
                   "  ret void\n}\n"
                   "!0 = !{i32 1}\n");
    static const char *const why[] = {"volatile", "atomic", "nontemporal"};
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t mode[3] = {0};
        assert_int_equal(load_at(i)->modes, 1);
        assert_non_null(strstr(load_at(i)->fixed, why[i]));
        mode[i] = SL_BYPASS_L2;
        assert_int_equal(sl_llvm_annotate(code, mode, &error), SL_UNSUPPORTED);
        assert_non_null(strstr(error.text, why[i]));
        assert_int_equal(error.line, 4 + i);
    }
    annotate((const uint8_t[]){0, 0, 0});
    char *text = text_of();
    expect_marks(text, "x", true, false);
    expect_marks(text, "z", false, true);
    free(text);
    close_code();
}

static void stores_can_be_nontemporal(void **state)
{
    (void)state;
    read_code(HEAD "define amdgpu_kernel void @k(i32 addrspace(1)* %a, i32 addrspace(3)* %s) {\n"
                   "  %x = load i32, i32 addrspace(1)* %a\n"
                   "  store i32 %x, i32 addrspace(3)* %s\n"
                   "  store i32 %x, i32 addrspace(1)* %a\n"
                   "  ret void\n}\n");
    const sl_load_graph *graph = sl_llvm_graph(code);
    assert_int_equal(graph->loads, 1);
    assert_int_equal(graph->nodes, 2); /* not that of shared memory */
    assert_int_equal(graph->load[1].node, SL_NODE_STORE);
    assert_int_equal(graph->load[1].modes, 1 | 1u << SL_BYPASS_STORE_L2);
    assert_string_equal(graph->load[1].opcode, "store i32");
    sl_llvm_annotate_store(code, 1, SL_BYPASS_STORE_L2);
    char *text = text_of();
    const char *store = strstr(text, "addrspace(1)* %a, align 4, !nontemporal");
    assert_true(store || strstr(text, "addrspace(1) %a, align 4, !nontemporal"));
    free(text);
    close_code();
}

static void modes_of_nvidia_ir_become_inline_assembly(void **state)
{
    (void)state;
    read_code("target triple = \"nvptx64-nvidia-cuda\"\n"
              "define ptx_kernel void @k(float addrspace(1)* %a) {\n"
              "  %x = load float, float addrspace(1)* %a\n"
              "  store float %x, float addrspace(1)* %a\n"
              "  ret void\n}\n");
    assert_int_equal(sl_llvm_facts_of(code).arch, SL_LLVM_NVPTX);
    assert_string_equal(load_at(0)->array, "a");
    assert_int_equal(sl_llvm_annotate(code, (const uint8_t[]){SL_BYPASS_NC}, &error), SL_UNSUPPORTED);
    sl_llvm_annotate_store(code, 1, SL_BYPASS_STORE_CS);
    annotate((const uint8_t[]){SL_BYPASS_L1});
    char *text = text_of();
    assert_non_null(strstr(text, "asm sideeffect \"ld.global.L1::no_allocate.b32 $0, [$1];\", \"=r,l,~{memory}\""));
    assert_non_null(strstr(text, "asm sideeffect \"st.global.cs.b32 [$0], $1;\", \"l,r,~{memory}\""));
    assert_null(strstr(text, "load float"));
    free(text);
    close_code();
}

/* ---- assembly ---- */

static sl_llvm_check check[8];

static void compile_and_check(void)
{
    if (sl_llvm_check_code(code, check, &error))
        fail_msg("%s", error.text);
}

static void expect_fate(uint32_t load, sl_llvm_fate fate, const char *bits)
{
    assert_string_equal(check[load].got, bits);
    assert_int_equal(check[load].fate, fate);
}

static void each_mode_has_its_bits_on_gfx1030(void **state)
{
    (void)state;
    read_code(FOUR);
    annotate(EACH_MODE);
    compile_and_check();
    expect_fate(0, SL_FATE_AS_ASKED, "");
    expect_fate(1, SL_FATE_AS_ASKED, "glc dlc");
    expect_fate(2, SL_FATE_AS_ASKED, "slc");
    expect_fate(3, SL_FATE_HIDDEN, "glc dlc");
    for (int i = 0; i < 4; i++) {
        assert_string_equal(check[i].instruction, "global_load_dword");
        assert_int_equal(check[i].instructions, 1);
    }
    close_code();
}

static void other_generations_have_bits_of_their_own(void **state)
{
    static const struct {
        const char *cpu, *l1, *l2, *both;
        int since;
    } cases[] = {{"gfx803", "glc", "glc slc", "glc", 14},
                 {"gfx900", "glc", "glc slc", "glc", 14},
                 {"gfx90a", "glc", "glc slc", "glc", 14},
                 {"gfx1010", "glc dlc", "slc", "glc dlc", 14},
                 {"gfx942", "sc0 sc1", "nt", "sc0 sc1", 19},
                 {"gfx1100", "glc dlc", "dlc slc", "glc dlc", 19},
                 {"gfx1200", "SCOPE_SYS", "TH_LOAD_NT", "TH_LOAD_NT SCOPE_SYS", 19}};
    (void)state;
    need_llvm();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (sl_llvm_version(llvm) < (uint32_t)cases[i].since)
            continue;
        assert_int_equal(try_code(FOUR, &(sl_llvm_options){.cpu = cases[i].cpu}), SL_OK);
        annotate(EACH_MODE);
        compile_and_check();
        expect_fate(0, SL_FATE_AS_ASKED, "");
        expect_fate(1, SL_FATE_AS_ASKED, cases[i].l1);
        expect_fate(2, SL_FATE_AS_ASKED, cases[i].l2);
        bool hidden = strcmp(cases[i].cpu, "gfx1200") != 0;
        expect_fate(3, hidden ? SL_FATE_HIDDEN : SL_FATE_AS_ASKED, cases[i].both);
        sl_llvm_free(code);
        code = NULL;
    }
    sl_llvm_close(llvm);
}

static void the_functions_own_cpu_counts(void **state)
{
    static const char own[] = HEAD "define amdgpu_kernel void @k(float addrspace(1)* %a) \"target-cpu\"=\"gfx900\" {\n"
                                   "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                                   "  %p = getelementptr float, float addrspace(1)* %a, i32 %i\n"
                                   "  %x = load float, float addrspace(1)* %p\n"
                                   "  %y = fadd float %x, 1.0\n"
                                   "  store float %y, float addrspace(1)* %p\n"
                                   "  ret void\n}\n";
    (void)state;
    read_code_as(own, &(sl_llvm_options){.cpu = "gfx1030"});
    assert_string_equal(sl_llvm_cpu(code, 0), "gfx900");
    annotate((const uint8_t[]){SL_BYPASS_L1});
    compile_and_check();
    expect_fate(0, SL_FATE_AS_ASKED, "glc");
    close_code();
}

static void scalar_loads_are_reported(void **state)
{
    (void)state;
    read_code("target triple = \"amdgcn-amd-amdhsa\"\n"
              "@table = addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n"
              "define amdgpu_kernel void @k(i32 addrspace(1)* noalias %a, i32 addrspace(1)* noalias %b, i32 %i) {\n"
              "  %p = getelementptr [4 x i32], [4 x i32] addrspace(4)* @table, i32 0, i32 %i\n"
              "  %x = load i32, i32 addrspace(4)* %p\n"
              "  %y = load i32, i32 addrspace(1)* %a\n"
              "  %z = add i32 %x, %y\n"
              "  store i32 %z, i32 addrspace(1)* %b\n"
              "  ret void\n}\n");
    annotate((const uint8_t[]){SL_BYPASS_L1, SL_BYPASS_L2});
    compile_and_check();
    expect_fate(0, SL_FATE_SCALAR, "");
    expect_fate(1, SL_FATE_SCALAR, "");
    assert_string_equal(check[0].instruction, "s_load_dword");
    assert_true(check[1].scalar);
    /* Volatile makes a vector load of it, unless it is constant memory. */
    annotate((const uint8_t[]){SL_BYPASS_NONE, SL_BYPASS_L1});
    compile_and_check();
    expect_fate(0, SL_FATE_AS_ASKED, "");
    expect_fate(1, SL_FATE_AS_ASKED, "glc dlc");
    close_code();
}

/* Loads that follow each other share one line in the assembly. */
static void loads_of_a_clause_are_told_apart_by_their_bits(void **state)
{
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   HEAD "define amdgpu_kernel void @k(float addrspace(1)* %%a) {\n"
                                        "  %%i = call i32 @llvm.amdgcn.workitem.id.x()\n");
    for (int i = 0; i < 4; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  %%j%d = add i32 %%i, %d\n"
                                 "  %%p%d = getelementptr float, float addrspace(1)* %%a, i32 %%j%d\n"
                                 "  %%x%d = load float, float addrspace(1)* %%p%d\n",
                                 i, i * 1000, i, i, i, i);
    snprintf(text + used, sizeof text - used,
             "  %%s = fadd float %%x0, %%x1\n  %%t = fadd float %%s, %%x2\n  %%u = fadd float %%t, %%x3\n"
             "  store float %%u, float addrspace(1)* %%p0\n  ret void\n}\n");
    (void)state;
    read_code(text);
    annotate((const uint8_t[]){SL_BYPASS_L2, SL_BYPASS_NONE, SL_BYPASS_NONE, SL_BYPASS_L2});
    compile_and_check();
    expect_fate(0, SL_FATE_AS_ASKED, "slc");
    expect_fate(1, SL_FATE_AS_ASKED, "");
    expect_fate(2, SL_FATE_AS_ASKED, "");
    expect_fate(3, SL_FATE_AS_ASKED, "slc");
    close_code();
}

static void wide_loads_in_several_parts_carry_the_bits_on_each(void **state)
{
    (void)state;
    read_code(HEAD "define amdgpu_kernel void @k(<8 x float> addrspace(1)* %a) {\n"
                   "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "  %p = getelementptr <8 x float>, <8 x float> addrspace(1)* %a, i32 %i\n"
                   "  %x = load <8 x float>, <8 x float> addrspace(1)* %p\n"
                   "  %y = fadd <8 x float> %x, %x\n"
                   "  store <8 x float> %y, <8 x float> addrspace(1)* %p\n"
                   "  ret void\n}\n");
    annotate((const uint8_t[]){SL_BYPASS_L2});
    compile_and_check();
    expect_fate(0, SL_FATE_AS_ASKED, "slc");
    assert_int_equal(check[0].instructions, 2);
    assert_string_equal(check[0].instruction, "global_load_dwordx4");
    close_code();
}

static void loads_that_the_back_end_removes_are_reported(void **state)
{
    (void)state;
    read_code(HEAD "define amdgpu_kernel void @k(float addrspace(1)* %a) {\n"
                   "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
                   "  %p = getelementptr float, float addrspace(1)* %a, i32 %i\n"
                   "  %x = load float, float addrspace(1)* %p\n"
                   "  ret void\n}\n");
    annotate((const uint8_t[]){SL_BYPASS_L2});
    compile_and_check();
    expect_fate(0, SL_FATE_MERGED, "");
    assert_int_equal(check[0].instructions, 0);
    close_code();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_become_volatile_and_nontemporal),
        cmocka_unit_test(only_chosen_loads_change_and_marks_can_be_taken_back),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(loads_with_marks_of_their_own_take_no_mode),
        cmocka_unit_test(stores_can_be_nontemporal),
        cmocka_unit_test(modes_of_nvidia_ir_become_inline_assembly),
        cmocka_unit_test(each_mode_has_its_bits_on_gfx1030),
        cmocka_unit_test(other_generations_have_bits_of_their_own),
        cmocka_unit_test(the_functions_own_cpu_counts),
        cmocka_unit_test(scalar_loads_are_reported),
        cmocka_unit_test(loads_of_a_clause_are_told_apart_by_their_bits),
        cmocka_unit_test(wide_loads_in_several_parts_carry_the_bits_on_each),
        cmocka_unit_test(loads_that_the_back_end_removes_are_reported),
    };
    return RUN_WITH_EACH_LLVM(tests);
}
