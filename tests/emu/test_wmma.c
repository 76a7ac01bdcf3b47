/* SPDX-License-Identifier: MIT */
/* wmma: load, multiply, store, against plain triple loops. The layout of fragments is not seen here. */
#include "emu/fragments.h"
#include "emu/recording.h"
#include "emu/run_ptx.h"

typedef struct wmma_case {
    int m, n, k;
    const char *factor, *sum;   /* types */
    const char *types;          /* of wmma.mma, as written */
    int regs_a, regs_b, regs_c; /* as documented */
} wmma_case;

static int type_size(const char *type)
{
    return !strcmp(type, "f64") ? 8 : strstr(type, "32") ? 4 : strstr(type, "16") ? 2 : 1;
}

static void put_number(void *memory, size_t index, const char *type, double x)
{
    if (!strcmp(type, "f16") || !strcmp(type, "bf16"))
        ((uint16_t *)memory)[index] = (uint16_t)half_bits(x, *type == 'f' ? &F16 : &BF16);
    else if (!strcmp(type, "f64"))
        ((double *)memory)[index] = x;
    else if (type_size(type) == 1)
        ((uint8_t *)memory)[index] = (uint8_t)(int)x;
    else if (!strcmp(type, "s32"))
        ((int32_t *)memory)[index] = (int32_t)x;
    else
        ((float *)memory)[index] = (float)x;
}

static double get_number(const void *memory, size_t index, const char *type)
{
    return !strcmp(type, "f16")   ? value_of(((const uint16_t *)memory)[index], &F16)
           : !strcmp(type, "f64") ? ((const double *)memory)[index]
           : !strcmp(type, "s32") ? (double)((const int32_t *)memory)[index]
                                  : (double)((const float *)memory)[index];
}

static void wmma_kernel(char *text, size_t size, const wmma_case *w, bool a_col, bool b_col, bool c_col, bool shared)
{
    const char *space = shared ? ".shared" : ".global", *bits = type_size(w->sum) == 8 ? "f64" : "b32";
    size_t used = add_text(
        text, 0, size,
        ".version 8.6\n.target sm_90\n.address_size 64\n.shared .align 32 .b8 room[8192];\n"
        ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n"
        ".reg .%s %%a<16>, %%b<16>, %%c<16>, %%d<16>; .reg .b64 %%p<8>; .reg .b32 %%i<4>; .reg .pred %%q;\n"
        "ld.param.u64 %%p0, [pa]; ld.param.u64 %%p1, [pb]; ld.param.u64 %%p2, [pc]; ld.param.u64 %%p3, [pd];\n",
        bits);
    if (shared) /* the first 4 KB of a and b are copied by each warp; the values are the same */
        used = add_text(
            text, used, size,
            "mov.u32 %%i0, 0;\nmov.u64 %%p4, room;\nLOOP:\n"
            "cvt.u64.u32 %%p5, %%i0; add.u64 %%p6, %%p0, %%p5; ld.global.u32 %%i1, [%%p6]; add.u64 %%p6, %%p4, %%p5;"
            "st.shared.u32 [%%p6], %%i1;\nadd.u64 %%p6, %%p1, %%p5; ld.global.u32 %%i1, [%%p6]; add.u64 %%p6, %%p4, "
            "%%p5;"
            "st.shared.u32 [%%p6+4096], %%i1;\nadd.u32 %%i0, %%i0, 4; setp.lt.u32 %%q, %%i0, 4096; @%%q bra LOOP;\n"
            "mov.u64 %%p0, %%p4; add.u64 %%p1, %%p4, 4096;\n");
    const char *pattern = "wmma.%s.%c.sync.aligned.%s.m%dn%dk%d%s.%s ";
    for (int i = 0; i < 3; i++) {
        int regs = i == 0 ? w->regs_a : i == 1 ? w->regs_b : w->regs_c;
        bool col = i == 0 ? a_col : i == 1 ? b_col : c_col;
        used = add_text(text, used, size, pattern, "load", "abc"[i], col ? "col" : "row", w->m, w->n, w->k,
                        i < 2 ? space : "", i < 2 ? w->factor : w->sum);
        used = add_registers(text, used, size, "abc"[i], regs);
        used = add_text(text, used, size, i < 2 ? ", [%%p%d], 40;\n" : ", [%%p%d], 48;\n", i);
    }
    used = add_text(text, used, size, "wmma.mma.sync.aligned.%s.%s.m%dn%dk%d.%s ", a_col ? "col" : "row",
                    b_col ? "col" : "row", w->m, w->n, w->k, w->types);
    for (int i = 0; i < 4; i++) {
        used = add_registers(text, used, size, "dabc"[i], i == 1 ? w->regs_a : i == 2 ? w->regs_b : w->regs_c);
        used = add_text(text, used, size, i < 3 ? ", " : ";\n");
    }
    used =
        add_text(text, used, size, pattern, "store", 'd', c_col ? "col" : "row", w->m, w->n, w->k, ".global", w->sum);
    used = add_text(text, used, size, "[%%p3], ");
    used = add_registers(text, used, size, 'd', w->regs_c);
    add_text(text, used, size, ", 48;\nret;\n}\n");
}

static void check_wmma(const wmma_case *w, const machine *machine_, int form, int check)
{
    enum { LINE = 40, SUM_LINE = 48, ROOM = 48 * 48 };
    bool a_col = form & 1, b_col = form & 2, c_col = form & 4, shared = form & 8;
    static double ma[32][32], mb[32][32], mc[32][32];
    char text[8192];
    session s;
    uint64_t state = 41;
    wmma_kernel(text, sizeof text, w, a_col, b_col, c_col, shared);
    if (!session_open_checked(&s, machine_, text, NULL, check))
        return;
    void *a = device_memory(&s, NULL, ROOM * 8), *b = device_memory(&s, NULL, ROOM * 8);
    void *c = device_memory(&s, NULL, ROOM * 8), *d = device_memory(&s, NULL, ROOM * 8);
    bool is_unsigned = *w->factor == 'u';
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) {
            ma[i][j] = is_unsigned ? (int)(next_random(&state) % 256) : small_number(&state);
            mb[i][j] = is_unsigned ? (int)(next_random(&state) % 256) : small_number(&state);
            mc[i][j] = small_number(&state);
            if (i < w->m && j < w->k)
                put_number(a, (size_t)(a_col ? j * LINE + i : i * LINE + j), w->factor, ma[i][j]);
            if (i < w->k && j < w->n)
                put_number(b, (size_t)(b_col ? j * LINE + i : i * LINE + j), w->factor, mb[i][j]);
            if (i < w->m && j < w->n)
                put_number(c, (size_t)(c_col ? j * SUM_LINE + i : i * SUM_LINE + j), w->sum, mc[i][j]);
        }
    uint64_t params[4] = {(uintptr_t)a, (uintptr_t)b, (uintptr_t)c, (uintptr_t)d};
    session_run(&s, "k", 1, machine_->lanes, params, sizeof params);
    for (int i = 0; i < w->m; i++)
        for (int j = 0; j < w->n; j++) {
            double want = mc[i][j];
            for (int k = 0; k < w->k; k++)
                want += ma[i][k] * mb[k][j];
            double got = get_number(d, (size_t)(c_col ? j * SUM_LINE + i : i * SUM_LINE + j), w->sum);
            if (got != want)
                fail_msg("m%dn%dk%d %s, form %d: row %d, column %d is %g, not %g", w->m, w->n, w->k, w->types, form, i,
                         j, got, want);
        }
    session_close(&s);
}

static const wmma_case wmma_cases[] = {
    {16, 16, 16, "f16", "f32", "f32.f32", 8, 8, 8},
    {16, 16, 16, "f16", "f16", "f16.f16", 8, 8, 4},
    {32, 8, 16, "f16", "f32", "f32.f32", 8, 8, 8},
    {8, 32, 16, "f16", "f32", "f32.f32", 8, 8, 8},
    {8, 32, 16, "f16", "f16", "f16.f16", 8, 8, 4},
    {16, 16, 16, "bf16", "f32", "f32.bf16.bf16.f32", 4, 4, 8},
    {32, 8, 16, "bf16", "f32", "f32.bf16.bf16.f32", 8, 2, 8},
    {8, 32, 16, "bf16", "f32", "f32.bf16.bf16.f32", 2, 8, 8},
    {16, 16, 16, "s8", "s32", "s32.s8.s8.s32", 2, 2, 8},
    {16, 16, 16, "u8", "s32", "s32.u8.u8.s32", 2, 2, 8},
    {32, 8, 16, "s8", "s32", "s32.s8.s8.s32", 4, 1, 8},
    {8, 32, 16, "s8", "s32", "s32.s8.s8.s32", 1, 4, 8},
    {16, 16, 8, "tf32", "f32", "f32.tf32.tf32.f32", 4, 4, 8},
    {8, 8, 4, "f64", "f64", "rn.f64.f64.f64.f64", 1, 1, 2},
};

static void wmma_multiplies_matrices_in_memory_in_every_layout(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof wmma_cases / sizeof *wmma_cases; i++)
        for (int form = 0; form < 16; form++)
            check_wmma(&wmma_cases[i], &machines[i % 2 ? 4 : 5], form, 0);
}

/* A matrix is moved as a whole, or element by element where each is checked. */
static void wmma_finds_the_same_where_each_element_is_checked(void **unused)
{
    enum { ADDRESS = 1, UNINIT };
    (void)unused;
    for (size_t i = 0; i < sizeof wmma_cases / sizeof *wmma_cases; i++)
        for (int form = 0; form < 16; form += 5)
            check_wmma(&wmma_cases[i], &machines[i % 2 ? 5 : 4], form, form % 2 ? UNINIT : ADDRESS);
}

static void a_wmma_load_is_recorded_as_each_byte_of_the_matrix_once(void **unused)
{
    (void)unused;
    char text[8192];
    session s;
    static recording r;
    sl_launch_sink sink = recording_sink(&r);
    wmma_kernel(text, sizeof text, &wmma_cases[0], false, false, false, false);
    assert_true(session_open(&s, &machines[4], text, &sink));
    char *memory[4];
    uint64_t params[4];
    for (int i = 0; i < 4; i++) {
        memory[i] = device_memory(&s, NULL, 4096);
        params[i] = (uintptr_t)memory[i];
    }
    session_run(&s, "k", 1, 32, params, sizeof params);
    assert_int_equal(r.count, 4); /* a, b, c, d */
    for (int i = 0; i < 4; i++) {
        const sl_inst *inst = &r.kernel->inst[r.access[i].inst];
        int line = i < 2 ? 80 : 192, row = i < 2 ? 32 : 64, share = row / 2;
        assert_int_equal(inst->width, share);
        assert_int_equal(inst->access, i == 3 ? SL_ACCESS_STORE : SL_ACCESS_LOAD);
        assert_int_equal(inst->space, i == 2 ? SL_MEM_GENERIC : SL_MEM_GLOBAL);
        assert_int_equal(r.access[i].mask, UINT32_MAX);
        for (int lane = 0; lane < 32; lane++)
            assert_true(r.access[i].addr[lane] == params[i] + (uint64_t)(lane / 2 * line + lane % 2 * share));
    }
    session_close(&s);
}

static void a_wmma_load_outside_of_memory_is_an_error(void **unused)
{
    (void)unused;
    char text[8192];
    session s;
    wmma_kernel(text, sizeof text, &wmma_cases[0], false, false, false, false);
    assert_true(session_open(&s, &machines[4], text, NULL));
    uint64_t params[4];
    for (int i = 0; i < 4; i++)
        params[i] = (uintptr_t)device_memory(&s, NULL, i == 1 ? 1000 : 4096); /* b needs 15 * 80 + 32 bytes */
    assert_int_equal(session_try(&s, "k", 1, 32, params, sizeof params), SL_FAULT);
    assert_int_equal(sl_emu_last_fault(s.emu), SL_FAULT_ILLEGAL_ADDRESS);
    assert_non_null(strstr(s.error.text, "wmma.load.b"));
    session_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wmma_multiplies_matrices_in_memory_in_every_layout),
        cmocka_unit_test(wmma_finds_the_same_where_each_element_is_checked),
        cmocka_unit_test(a_wmma_load_is_recorded_as_each_byte_of_the_matrix_once),
        cmocka_unit_test(a_wmma_load_outside_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
