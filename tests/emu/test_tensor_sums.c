/* SPDX-License-Identifier: MIT */
/* mma and wgmma against the rules of tensor cores written down one number at a time (tensor_reference.h): on numbers of
 * every magnitude, subnormals, zeros, infinities, NaN, and sums that cancel. */
#include "emu/fragments.h"
#include "emu/tensor_reference.h"

enum { THREADS = 256, SETS = THREADS / 32, ROUNDS = 6 };

typedef enum kind { ANY_BITS, USUAL, SUBNORMAL, SPARSE, CANCELLING, HUGE_RANGE, SPECIAL, KINDS } kind;

/* One element's bits of a kind, of a float with that many bits of exponent and fraction. */
static uint32_t float_bits(uint64_t *state, kind what, int exponents, int fraction)
{
    uint32_t bits = next_random(state), sign = bits >> 31 << (exponents + fraction);
    uint32_t last = (1u << exponents) - 1, mantissa = bits & ((1u << fraction) - 1);
    uint32_t exponent = next_random(state) % last, middle = last / 2;
    switch (what) {
    case USUAL:
    case CANCELLING:
        exponent = middle - 2 + next_random(state) % 4;
        break;
    case SUBNORMAL:
        exponent = next_random(state) % 3;
        break;
    case SPARSE:
        exponent = middle;
        if (next_random(state) % 4)
            return sign;
        break;
    case HUGE_RANGE:
        exponent = next_random(state) % 2 ? last - 1 : 1;
        break;
    case SPECIAL:
        exponent = next_random(state) % 16 ? middle : last;
        mantissa = next_random(state) % 2 ? 0 : mantissa;
        break;
    default:
        break;
    }
    return sign | exponent << fraction | mantissa;
}

static uint32_t word_of(uint64_t *state, kind what, reference_type type)
{
    switch (type) {
    case R_F16:
        return float_bits(state, what, 5, 10) | float_bits(state, what, 5, 10) << 16;
    case R_BF16:
        return float_bits(state, what, 8, 7) | float_bits(state, what, 8, 7) << 16;
    case R_TF32:
    case R_F32:
        return float_bits(state, what, 8, 23);
    case R_E4M3:
    case R_E5M2: {
        uint32_t word = 0;
        for (int i = 0; i < 4; i++)
            word |= (type == R_E4M3 ? float_bits(state, what, 4, 3) : float_bits(state, what, 5, 2)) << 8 * i;
        return word;
    }
    default:
        return what == SPECIAL ? (next_random(state) & 1 ? 0x80808080 : 0x7f7f7f7f) : next_random(state);
    }
}

typedef struct mma_form {
    const char *instruction;
    int m, k;
    reference_type a, b, d;
    bool saturates;
} mma_form;

static const mma_form forms[] = {
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 16, R_F16, R_F16, R_F32, false},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 16, 8, R_F16, R_F16, R_F32, false},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16, 16, R_F16, R_F16, R_F16, false},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 16, 8, R_F16, R_F16, R_F16, false},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, R_BF16, R_BF16, R_F32, false},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, R_BF16, R_BF16, R_F32, false},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, R_TF32, R_TF32, R_F32, false},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, R_TF32, R_TF32, R_F32, false},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 32, R_E4M3, R_E5M2, R_F32, false},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", 16, 32, R_E5M2, R_E4M3, R_F32, false},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", 16, 32, R_E4M3, R_E4M3, R_F16, false},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 16, 32, R_S8, R_U8, R_S32, false},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32", 16, 16, R_S8, R_S8, R_S32, true},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32", 8, 16, R_U8, R_U8, R_S32, true},
    {"mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32", 16, 64, R_S4, R_U4, R_S32, true},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", 16, 32, R_U4, R_S4, R_S32, false},
    {"mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 8, 32, R_S4, R_S4, R_S32, false},
};

typedef struct mma_data {
    uint32_t a[THREADS * 8], b[THREADS * 4], c[THREADS * 4], d[THREADS * 4];
} mma_data;

/* The words of a line, as the fragments of 32 lanes have them. */
static void line_of(const uint32_t *reg, int regs, int words, int line, bool tall, uint32_t *out)
{
    for (int i = 0; i < words; i++) {
        int r = i / 4 * (tall ? 2 : 1) + (tall && line >= 8), lane = line % 8 * 4 + i % 4;
        out[i] = reg[lane * regs + r];
    }
}

static uint32_t reference_of(const mma_form *f, const mma_data *x, const fragments *regs, int set, int row, int col)
{
    int words = f->k * reference_bits(f->a) / 32, item = (row >= 8) * 2 + (col & 1);
    int lane = 32 * set + row % 8 * 4 + col / 2;
    uint32_t a[16], b[16], c;
    line_of(&x->a[32 * set * regs->a], regs->a, words, row, f->m == 16, a);
    line_of(&x->b[32 * set * regs->b], regs->b, words, col, false, b);
    c = f->d == R_F16 ? x->c[lane * regs->c + item / 2] >> 16 * (item & 1) & 0xffff : x->c[lane * regs->c + item];
    return reference_element(f->a, f->b, f->d, a, b, f->k, c, false, f->saturates);
}

static void compare(const mma_form *f, kind what, const mma_data *x, const fragments *regs, uint32_t lanes)
{
    for (int i = 0; i < SETS * f->m * 8; i++) {
        int set = i / (f->m * 8), row = i / 8 % f->m, col = i % 8, item = (row >= 8) * 2 + (col & 1);
        const uint32_t *d = &x->d[(32 * set + row % 8 * 4 + col / 2) * regs->d];
        uint32_t got = f->d == R_F16 ? d[item / 2] >> 16 * (item & 1) & 0xffff : d[item];
        uint32_t want = reference_of(f, x, regs, set, row, col);
        if (got != want)
            fail_msg("%s, numbers of kind %d, row %d, column %d: 0x%08x, not 0x%08x (%u lanes)", f->instruction,
                     (int)what, row, col, got, want, lanes);
    }
}

static void fill(const mma_form *f, kind what, const fragments *regs, uint64_t *state, mma_data *x)
{
    for (int i = 0; i < THREADS * regs->a; i++)
        x->a[i] = word_of(state, what, f->a);
    for (int i = 0; i < THREADS * regs->b; i++)
        x->b[i] = word_of(state, what, f->b);
    for (int i = 0; i < THREADS * regs->c; i++)
        x->c[i] = what == SPARSE && i % 3 ? 0 : word_of(state, what, f->d);
}

static void products_are_summed_as_tensor_cores_do(void **unused)
{
    (void)unused;
    static mma_data x;
    uint64_t state = 1;
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) {
        const mma_form *f = &forms[n];
        int bits = reference_bits(f->a), sums = f->m / 4 / (f->d == R_F16 ? 2 : 1);
        fragments regs = {sums, f->m * f->k * bits / 1024, 8 * f->k * bits / 1024, sums, false};
        for (int what = 0; what < KINDS; what++)
            for (int round = 0; round < ROUNDS; round++) {
                const machine *m = &machines[round];
                fill(f, (kind)what, &regs, &state, &x);
                run_mma(m, f->instruction, &regs, THREADS, x.a, x.b, x.c, x.d);
                if (x.d[0] == 0xeeeeeeee && x.d[1] == 0xeeeeeeee)
                    continue;             /* not on this CPU */
                if (what == CANCELLING) { /* once more, with c the opposite of the product */
                    memcpy(x.c, x.d, sizeof x.c);
                    for (int i = 0; i < THREADS * regs.c; i++)
                        x.c[i] ^= f->d == R_S32 ? 0 : f->d == R_F16 ? 0x80008000 : 0x80000001;
                    run_mma(m, f->instruction, &regs, THREADS, x.a, x.b, x.c, x.d);
                }
                compare(f, (kind)what, &x, &regs, m->lanes);
            }
    }
}

/* ---- wgmma: both factors in shared memory, without a swizzle ---- */

typedef struct group_form {
    const char *types, *more;
    int k;
    reference_type a, b, d;
} group_form;

static const group_form group_forms[] = {
    {"k16.f32.f16.f16", ", 1, 1, 0, 0", 16, R_F16, R_F16, R_F32},
    {"k16.f16.f16.f16", ", 1, 1, 0, 0", 16, R_F16, R_F16, R_F16},
    {"k16.f32.bf16.bf16", ", 1, 1, 0, 0", 16, R_BF16, R_BF16, R_F32},
    {"k8.f32.tf32.tf32", ", 1, 1", 8, R_TF32, R_TF32, R_F32},
    {"k32.f32.e4m3.e5m2", ", 1, 1", 32, R_E4M3, R_E5M2, R_F32},
    {"k32.f16.e5m2.e4m3", ", 1, 1", 32, R_E5M2, R_E4M3, R_F16},
    {"k32.f32.e4m3.e4m3", ", 1, 1", 32, R_E4M3, R_E4M3, R_F32},
    {"k32.s32.s8.u8", "", 32, R_S8, R_U8, R_S32},
};

/* Rows of A, then columns of B, as chunks of 16 bytes: both of a line, eight lines in a group of 256 bytes. */
static void group_kernel(char *text, size_t size, const group_form *f)
{
    int sums = f->d == R_F16 ? 4 : 8;
    size_t used =
        add_text(text, 0, size,
                 ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 room[2560];\n"
                 ".visible .entry k(.param .u64 in, .param .u64 sums)\n{\n"
                 ".reg .b32 %%d<8>, %%i<8>; .reg .b64 %%p<8>; .reg .pred %%q;\n"
                 "ld.param.u64 %%p0, [in]; ld.param.u64 %%p1, [sums]; mov.u32 %%i0, %%tid.x; mov.u32 %%i1, room;\n"
                 "mad.wide.u32 %%p1, %%i0, %d, %%p1; shl.b32 %%i2, %%i0, 2;\n"
                 "LOOP: cvt.u64.u32 %%p2, %%i2; add.u64 %%p2, %%p0, %%p2; ld.global.u32 %%i3, [%%p2]; add.u32 %%i4, "
                 "%%i1, %%i2;\n"
                 "st.shared.u32 [%%i4], %%i3; add.u32 %%i2, %%i2, 512; setp.lt.u32 %%q, %%i2, 2560; @%%q bra LOOP;\n"
                 "bar.sync 0; setp.eq.u32 %%q, %%i0, %%i0;\n",
                 sums * 4);
    for (int i = 0; i < sums; i++)
        used = add_text(text, used, size, "ld.global.b32 %%d%d, [%%p1+%d];\n", i, i * 4);
    /* 128 bytes between the chunks of a line, 256 between groups of lines */
    used = add_text(text, used, size,
                    "shr.u32 %%i2, %%i1, 4; cvt.u64.u32 %%p3, %%i2; or.b64 %%p3, %%p3, 0x1000080000;\n"
                    "add.u64 %%p4, %%p3, 128;\nwgmma.fence.sync.aligned;\n"
                    "wgmma.mma_async.sync.aligned.m64n16%s ",
                    f->types);
    used = add_registers(text, used, size, 'd', sums);
    used = add_text(text, used, size, ", %%p3, %%p4, %%q%s;\nwgmma.commit_group.sync.aligned;\n", f->more);
    used = add_text(text, used, size, "wgmma.wait_group.sync.aligned 0;\n");
    for (int i = 0; i < sums; i++)
        used = add_text(text, used, size, "st.global.b32 [%%p1+%d], %%d%d;\n", i * 4, i);
    add_text(text, used, size, "ret;\n}\n");
}

static void line_of_shared(const uint32_t *room, int line, uint32_t *out)
{
    for (int i = 0; i < 8; i++)
        out[i] = room[line / 8 * 64 + i / 4 * 32 + line % 8 * 4 + i % 4];
}

static void check_group(const group_form *f, kind what, const machine *m, uint64_t *state)
{
    char text[4096];
    session s;
    uint32_t room[640], c[128 * 8], a[8], b[8];
    int sums = f->d == R_F16 ? 4 : 8;
    for (int i = 0; i < 640; i++)
        room[i] = word_of(state, what, i < 512 ? f->a : f->b);
    for (int i = 0; i < 128 * sums; i++)
        c[i] = word_of(state, what, f->d);
    group_kernel(text, sizeof text, f);
    if (!session_open(&s, m, text, NULL))
        return;
    uint32_t *d = device_memory(&s, c, sizeof(uint32_t) * 128 * (size_t)sums);
    uint64_t params[2] = {(uintptr_t)device_memory(&s, room, sizeof room), (uintptr_t)d};
    session_run(&s, "k", 1, 128, params, sizeof params);
    for (int i = 0; i < 64 * 16; i++) {
        int row = i / 16, col = i % 16, lane = row / 16 * 32 + row % 8 * 4 + col % 8 / 2;
        int item = col / 8 * 4 + (row % 16 >= 8) * 2 + (col & 1);
        bool half = f->d == R_F16;
        int at = lane * sums + (half ? item / 2 : item), shift = half ? 16 * (item & 1) : 0;
        uint32_t mask = half ? 0xffff : UINT32_MAX;
        line_of_shared(room, row, a);
        line_of_shared(room + 512, col, b);
        uint32_t want = reference_element(f->a, f->b, f->d, a, b, f->k, c[at] >> shift & mask, true, false);
        if ((d[at] >> shift & mask) != want)
            fail_msg("%s, numbers of kind %d, row %d, column %d: 0x%08x, not 0x%08x (%u lanes)", f->types, (int)what,
                     row, col, d[at] >> shift & mask, want, m->lanes);
    }
    session_close(&s);
}

static void products_of_warp_groups_are_summed_as_tensor_cores_do(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    for (size_t n = 0; n < sizeof group_forms / sizeof *group_forms; n++)
        for (int what = 0; what < KINDS; what++)
            for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
                check_group(&group_forms[n], (kind)what, &machines[m], &state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_summed_as_tensor_cores_do),
        cmocka_unit_test(products_of_warp_groups_are_summed_as_tensor_cores_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
