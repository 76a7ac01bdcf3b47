/* SPDX-License-Identifier: MIT */
/* Which products and sums become one fma: as ptxas 13.0 compiles the same PTX for sm_90, read from its SASS. */
#include <math.h>
#include <stdio.h>

#include "harness.h"

/* %f0 … %f3 are numbers, %p0 is true in odd threads; results go to %f10 … %f13. */
#define HEAD                                                                                                           \
    PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n" PTX_REGS PTX_START               \
             "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d1];\n"                                                         \
             "and.b32 %r10, %r0, 1;\nsetp.eq.u32 %p0, %r10, 1;\n"                                                      \
             "mov.f32 %f10, 0f00000000;\nmov.f32 %f11, %f10;\nmov.f32 %f12, %f10;\nmov.f32 %f13, %f10;\n"
#define TAIL                                                                                                           \
    "mul.wide.u32 %d3, %r1, 16;\nadd.s64 %d3, %d0, %d3;\nst.global.v4.f32 [%d3], {%f10, %f11, %f12, %f13};\nret;\n}\n"

/* The numbers of every thread. */
static const float a = 0x1.40dd24p+0f, b = 0x1.01078cp+0f, c = -0x1.7a2f36p-1f, d = 0x1.4e9b04p+0f;

typedef struct expected {
    float odd[4], even[4];
} expected;

static void run_and_compare(rig *r, const char *body, const expected *e)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s\n%s", HEAD, body, TAIL);
    rig_load(r, text);
    float *in = rig_buffer(r, 16), *out = rig_buffer(r, 32 * 16);
    memcpy(in, (const float[4]){a, b, c, d}, 16);
    RUN(r, 1, 32, P(out), P(in), 0);
    for (uint32_t i = 0; i < 32; i++)
        for (uint32_t k = 0; k < 4; k++) {
            float want = i % 2 ? e->odd[k] : e->even[k], got = out[4 * i + k];
            if (memcmp(&want, &got, sizeof want))
                fail_msg("%s\nthread %u: %%f%u is %a, expected %a", body, i, 10 + k, (double)got, (double)want);
        }
}

/* The same results in all threads. */
#define EXPECT(body, ...)                                                                                              \
    do {                                                                                                               \
        const float want_[4] = {__VA_ARGS__};                                                                          \
        expected e_;                                                                                                   \
        memcpy(e_.odd, want_, sizeof want_);                                                                           \
        memcpy(e_.even, want_, sizeof want_);                                                                          \
        run_and_compare(r, body, &e_);                                                                                 \
    } while (0)

/* Products and sums that a compiler of this test does not see through. */
static float mul(float x, float y)
{
    volatile float p = x * y;
    return p;
}

BEHAVIOUR(the_numbers_of_these_tests_tell_an_fma_from_two_roundings)
{
    (void)r;
    assert_true(fmaf(a, b, c) != mul(a, b) + c && fmaf(a, b, d) != mul(a, b) + d);
    assert_true(fmaf(c, d, a) != mul(c, d) + a && fmaf(a, b, mul(c, d)) != mul(a, b) + mul(c, d));
    assert_true(fmaf(c, d, mul(a, b)) != mul(a, b) + mul(c, d) && fmaf(c, d, mul(a, b)) != fmaf(a, b, mul(c, d)));
}

BEHAVIOUR(a_product_and_a_sum_become_one_fma)
{
    EXPECT("mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2;", fmaf(a, b, c));
    EXPECT("mul.f32 %f4, %f0, %f1; add.f32 %f10, %f2, %f4;", fmaf(a, b, c));
    EXPECT("mul.f32 %f4, %f0, %f1; sub.f32 %f10, %f4, %f2;", fmaf(a, b, -c));
    EXPECT("mul.f32 %f4, %f0, %f1; sub.f32 %f10, %f2, %f4;", fmaf(-a, b, c));
    EXPECT("mul.f32 %f4, %f0, 0f40490FDB; add.f32 %f10, %f4, %f2;", fmaf(a, 0x1.921fb6p+1f, c));
    EXPECT("mul.f32 %f4, %f0, %f1; sub.f32 %f10, 0f3F800000, %f4;", fmaf(-a, b, 1));
    EXPECT("mul.f32 %f4, 0f40490FDB, %f1; sub.f32 %f10, %f4, 0f3F800000;", fmaf(0x1.921fb6p+1f, b, -1));
    EXPECT("mul.ftz.f32 %f4, %f0, %f1; add.ftz.f32 %f10, %f4, %f2;", fmaf(a, b, c));
    EXPECT("mul.f32 %f4, %f0, %f1; add.sat.f32 %f10, %f4, %f2;", fmaf(a, b, c));
}

BEHAVIOUR(rounding_modes_and_unlike_modifiers_keep_them_apart)
{
    EXPECT("mul.rn.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2;", mul(a, b) + c);
    EXPECT("mul.f32 %f4, %f0, %f1; add.rn.f32 %f10, %f4, %f2;", mul(a, b) + c);
    EXPECT("mul.ftz.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2;", mul(a, b) + c);
    EXPECT("mul.f32 %f4, %f0, %f1; add.ftz.f32 %f10, %f4, %f2;", mul(a, b) + c);
    EXPECT("mul.sat.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2;", 1 + c);
}

BEHAVIOUR(a_product_of_several_sums_is_computed_in_each)
{
    EXPECT("mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2; add.f32 %f11, %f4, %f3; sub.f32 %f12, %f4, %f0;",
           fmaf(a, b, c), fmaf(a, b, d), fmaf(a, b, -a));
    EXPECT("mul.f32 %f4, %f0, %f1; add.f32 %f5, %f4, %f2; add.f32 %f10, %f5, %f4;", fmaf(a, b, fmaf(a, b, c)));
}

BEHAVIOUR(a_product_that_is_needed_otherwise_is_kept)
{
    EXPECT("mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2; mov.f32 %f11, %f4;", mul(a, b) + c, mul(a, b));
    EXPECT("mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2; mul.f32 %f11, %f4, %f3;", mul(a, b) + c, mul(mul(a, b), d));
    EXPECT("mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2; setp.gt.f32 %p1, %f4, %f3; selp.f32 %f11, 1.0, 2.0, %p1;",
           mul(a, b) + c, 2);
    EXPECT("mul.f32 %f4, %f0, %f1; fma.rn.f32 %f10, %f4, %f2, %f3;", fmaf(mul(a, b), c, d));
    EXPECT("mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f4;", 2 * mul(a, b));
    EXPECT("mul.f32 %f4, %f0, %f1; neg.f32 %f6, %f4; add.f32 %f10, %f6, %f2; mov.f32 %f11, %f6;", -mul(a, b) + c,
           -mul(a, b));
    EXPECT("mul.f32 %f4, %f0, %f1; abs.f32 %f6, %f4; add.f32 %f10, %f6, %f2;", mul(a, b) + c);
}

BEHAVIOUR(a_product_passes_through_mov_and_neg)
{
    EXPECT("mul.f32 %f4, %f0, %f1; mov.f32 %f6, %f4; add.f32 %f10, %f6, %f2;", fmaf(a, b, c));
    EXPECT("mul.f32 %f4, %f0, %f1; mov.b32 %r11, %f4; mov.b32 %f6, %r11; add.f32 %f10, %f6, %f2;", fmaf(a, b, c));
    EXPECT("mul.f32 %f4, %f0, %f1; neg.f32 %f6, %f4; add.f32 %f10, %f6, %f2; add.f32 %f11, %f4, %f3;", fmaf(-a, b, c),
           fmaf(a, b, d));
    EXPECT("mul.f32 %f4, %f0, %f1; neg.f32 %f6, %f4; neg.f32 %f7, %f6; sub.f32 %f10, %f7, %f2;", fmaf(a, b, -c));
}

BEHAVIOUR(of_two_products_the_one_used_once_is_taken_then_the_first_operand)
{
    const float p = mul(a, b), q = mul(c, d);
#define TWO          "mul.f32 %f4, %f0, %f1; mul.f32 %f7, %f2, %f3; "
#define TWO_REVERSED "mul.f32 %f7, %f2, %f3; mul.f32 %f4, %f0, %f1; "
    EXPECT(TWO "add.f32 %f10, %f4, %f7;", fmaf(a, b, q));
    EXPECT(TWO_REVERSED "add.f32 %f10, %f4, %f7;", fmaf(a, b, q));
    EXPECT(TWO "add.f32 %f10, %f7, %f4;", fmaf(c, d, p));
    EXPECT(TWO "sub.f32 %f10, %f4, %f7;", fmaf(a, b, -q));
    EXPECT(TWO "sub.f32 %f10, %f4, %f7; mov.f32 %f11, %f4;", fmaf(-c, d, p), p);
    EXPECT(TWO "add.f32 %f10, %f4, %f2; add.f32 %f11, %f7, %f4;", p + c, fmaf(c, d, p));
    EXPECT(TWO "add.f32 %f10, %f4, %f2; add.f32 %f11, %f4, %f7;", p + c, fmaf(c, d, p));
    EXPECT(TWO "add.f32 %f11, %f4, %f7; add.f32 %f10, %f4, %f2;", p + c, fmaf(c, d, p));
    EXPECT(TWO "add.f32 %f10, %f4, %f0; add.f32 %f11, %f4, %f7; add.f32 %f12, %f7, %f1;", fmaf(a, b, a), fmaf(a, b, q),
           q + b);
    EXPECT(TWO_REVERSED "add.f32 %f12, %f7, %f1; add.f32 %f11, %f4, %f7; add.f32 %f10, %f4, %f0;", fmaf(a, b, a),
           fmaf(a, b, q), fmaf(c, d, b));
    EXPECT(TWO "add.f32 %f10, %f7, %f4; sub.f32 %f11, %f4, %f7;", fmaf(c, d, p), fmaf(-c, d, p));
    EXPECT(TWO "sub.f32 %f11, %f4, %f7; add.f32 %f10, %f7, %f4;", fmaf(a, b, q), fmaf(a, b, -q));
    EXPECT(TWO "neg.f32 %f5, %f4; add.f32 %f10, %f7, %f5; add.f32 %f11, %f7, %f0;", fmaf(-a, b, q), q + a);
    EXPECT("mul.f32 %f4, %f0, %f1; mul.f32 %f7, %f4, %f3; add.f32 %f10, %f4, %f7;", fmaf(p, d, p));
}

BEHAVIOUR(guards_are_those_of_the_sum)
{
    const float p = mul(a, b);
    const expected guarded_sum = {{fmaf(a, b, c)}, {d}}, guarded_product = {{p + c}, {d + c}};
    run_and_compare(r, "mul.f32 %f4, %f0, %f1; mov.f32 %f10, %f3; @%p0 add.f32 %f10, %f4, %f2;", &guarded_sum);
    run_and_compare(r, "mov.f32 %f4, %f3; @%p0 mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2;", &guarded_product);
}

BEHAVIOUR(straight_code_is_not_interrupted_by_barriers_and_jumps)
{
    EXPECT("mul.f32 %f4, %f0, %f1; bra L; L: add.f32 %f10, %f4, %f2;", fmaf(a, b, c));
    EXPECT("mul.f32 %f4, %f0, %f1; bar.sync 0; add.f32 %f10, %f4, %f2;", fmaf(a, b, c));
    EXPECT("mul.f32 %f4, %f0, %f1; shfl.sync.bfly.b32 %f9, %f2, 1, 31, -1; add.f32 %f10, %f4, %f9;", fmaf(a, b, c));
}

BEHAVIOUR(what_is_conditional_is_kept_apart)
{
    const float p = mul(a, b);
    const expected in_a_branch = {{d}, {p + c}}, merged = {{p + c}, {p + c}};
    run_and_compare(r,
                    "mul.f32 %f4, %f0, %f1; mov.f32 %f10, %f3; @%p0 bra L; add.f32 %f10, %f4, %f2; L:", &in_a_branch);
    run_and_compare(r, "mul.f32 %f4, %f0, %f1; @%p0 bra L; mov.f32 %f6, 1.0; L: add.f32 %f10, %f4, %f2;", &merged);
    EXPECT("mul.f32 %f4, %f0, %f1; setp.eq.u32 %p1, %r0, 99; @%p1 exit; add.f32 %f10, %f4, %f2;", p + c);
    EXPECT("mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2; setp.eq.u32 %p1, %r0, 99; @%p1 bra L; "
           "add.f32 %f11, %f4, %f3; L:",
           p + c, p + d);
    /* a register that is used for something else elsewhere is as good as any */
    EXPECT("mov.f32 %f4, %f3; @%p0 bra L; mov.f32 %f6, %f4; L: mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2;",
           fmaf(a, b, c));
}

BEHAVIOUR(a_loop_adds_its_product_with_one_rounding)
{
    float sum = c;
    for (int i = 0; i < 5; i++)
        sum = fmaf(a, b, sum);
    EXPECT("mov.f32 %f10, %f2; mov.u32 %r11, 0; L: mul.f32 %f4, %f0, %f1; add.f32 %f10, %f10, %f4; "
           "add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 5; @%p1 bra L;",
           sum);
}

BEHAVIOUR(factors_that_are_overwritten_leave_the_product_alone)
{
    EXPECT("mul.f32 %f0, %f0, %f1; add.f32 %f10, %f0, %f2;", mul(a, b) + c);
    EXPECT("mul.f32 %f4, %f0, %f1; mov.f32 %f0, %f3; add.f32 %f10, %f4, %f2; mov.f32 %f11, %f0;", mul(a, b) + c, d);
}

BEHAVIOUR(no_fma_spans_what_ptxas_expands_into_branches)
{
    static const char *const BETWEEN[] = {
        "rem.s32 %r11, %r0, %r5;",
        "div.s32 %r11, %r0, 7;",
        "rem.u64 %d10, %d0, 8;",
        "cvt.u16.u32 %h1, %r0;\ndiv.u16 %h1, %h1, 3;",
        "div.rn.f32 %f20, %f3, %f0;",
        "sqrt.rn.ftz.f32 %f20, %f0;",
        "cvt.f64.f32 %g1, %f0;\nrcp.rn.f64 %g1, %g1;",
        "bfind.s64 %r11, %d0;",
        "bfind.u64 %r11, %d0;",
        "@%p0 ld.global.f32 %f20, [%d1];",
        "@!%p0 st.global.f32 [%d0+16], %f3;",
        "@%p0 atom.global.add.f32 %f20, [%d0+16], %f3;",
        "@%p0 prefetch.global.L1 [%d1];",
        "@%p0 activemask.b32 %r11;",
        "@%p0 nanosleep.u32 20;",
        "membar.gl;",
        "fence.acq_rel.gpu;",
    };
    static const char *const WITHIN[] = {
        "rem.u32 %r11, %r0, %r5;",    "div.u32 %r11, %r0, 7;",      "div.full.f32 %f20, %f3, %f0;",
        "sqrt.approx.f32 %f20, %f0;", "rcp.approx.f32 %f20, %f0;",  "bar.sync 0;",
        "bfind.u32 %r11, %r0;",       "ld.global.f32 %f20, [%d1];", "@%p0 rcp.approx.f32 %f20, %f0;",
    };
    char body[256];
    for (size_t i = 0; i < sizeof BETWEEN / sizeof *BETWEEN; i++) {
        snprintf(body, sizeof body, "mul.f32 %%f4, %%f0, %%f1;\n%s\nadd.f32 %%f10, %%f4, %%f2;", BETWEEN[i]);
        EXPECT(body, mul(a, b) + c, 0, 0, 0);
    }
    for (size_t i = 0; i < sizeof WITHIN / sizeof *WITHIN; i++) {
        snprintf(body, sizeof body, "mul.f32 %%f4, %%f0, %%f1;\n%s\nadd.f32 %%f10, %%f4, %%f2;", WITHIN[i]);
        EXPECT(body, fmaf(a, b, c), 0, 0, 0);
    }
    /* a product that is also needed behind it is kept, with the sums in front of it */
    EXPECT("mul.f32 %f4, %f0, %f1;\nadd.f32 %f10, %f4, %f2;\nrem.s32 %r11, %r0, %r5;\nadd.f32 %f11, %f4, %f3;",
           mul(a, b) + c, mul(a, b) + d, 0, 0);
    EXPECT("mul.f32 %f4, %f0, %f1;\nadd.f32 %f10, %f4, %f2;\nrem.s32 %r11, %r0, %r5;", fmaf(a, b, c), 0, 0, 0);
}

BEHAVIOUR(doubles_and_halves_are_contracted_too)
{
    const double x = a, y = b, z = c;
    EXPECT("cvt.f64.f32 %g0, %f0; cvt.f64.f32 %g1, %f1; cvt.f64.f32 %g2, %f2; div.rn.f64 %g0, %g0, 0d4008000000000000; "
           "mul.f64 %g3, %g0, %g1; add.f64 %g4, %g3, %g2; fma.rn.f64 %g5, %g0, %g1, %g2; sub.f64 %g6, %g4, %g5; "
           "cvt.rn.f32.f64 %f10, %g6; mul.rn.f64 %g7, %g0, %g1; add.f64 %g8, %g7, %g2; sub.f64 %g9, %g8, %g5; "
           "mul.f64 %g9, %g9, 0d4330000000000000; cvt.rn.f32.f64 %f11, %g9;",
           0, (float)(((x / 3) * y + z - fma(x / 3, y, z)) * 0x1p52));
    EXPECT("cvt.rn.f16.f32 %h0, %f0; cvt.rn.f16.f32 %h1, %f1; cvt.rn.f16.f32 %h2, %f2; mul.f16 %h3, %h0, %h1; "
           "sub.f16 %h4, %h3, %h2; neg.f16 %h5, %h2; fma.rn.f16 %h6, %h0, %h1, %h5; cvt.f32.f16 %f4, %h4; "
           "cvt.f32.f16 %f5, %h6; sub.f32 %f10, %f4, %f5;",
           0);
    EXPECT("cvt.rn.f16x2.f32 %r11, %f0, %f1; cvt.rn.f16x2.f32 %r12, %f2, %f3; mul.f16x2 %r13, %r11, %r12; "
           "sub.f16x2 %r14, %r12, %r13; neg.f16x2 %r15, %r11; fma.rn.f16x2 %r16, %r15, %r12, %r12; "
           "xor.b32 %r17, %r14, %r16; mov.b32 %f10, %r17;",
           0);
}

BEHAVIOUR(contraction_can_be_switched_off)
{
    rig *other = rig_open(&(rig_config){.lanes = r->config.lanes, .threads = 1, .fp_contract_off = true});
    const expected apart = {{mul(a, b) + c}, {mul(a, b) + c}};
    run_and_compare(other, "mul.f32 %f4, %f0, %f1; add.f32 %f10, %f4, %f2;", &apart);
    rig_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IT(the_numbers_of_these_tests_tell_an_fma_from_two_roundings),
        IT(a_product_and_a_sum_become_one_fma),
        IT(rounding_modes_and_unlike_modifiers_keep_them_apart),
        IT(a_product_of_several_sums_is_computed_in_each),
        IT(a_product_that_is_needed_otherwise_is_kept),
        IT(a_product_passes_through_mov_and_neg),
        IT(of_two_products_the_one_used_once_is_taken_then_the_first_operand),
        IT(guards_are_those_of_the_sum),
        IT(straight_code_is_not_interrupted_by_barriers_and_jumps),
        IT(what_is_conditional_is_kept_apart),
        IT(a_loop_adds_its_product_with_one_rounding),
        IT(factors_that_are_overwritten_leave_the_product_alone),
        IT(no_fma_spans_what_ptxas_expands_into_branches),
        IT(doubles_and_halves_are_contracted_too),
        IT(contraction_can_be_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
