/* SPDX-License-Identifier: MIT */
/* Integer, logic and bit-field instructions against references written from the PTX ISA. */
#include <stdio.h>
#include <stdlib.h>

#include "vectors.h"

typedef __int128 s128;
typedef unsigned __int128 u128;

typedef struct shape {
    int bits;
    bool is_signed;
} shape;

static const shape shapes[] = {{16, false}, {16, true}, {32, false}, {32, true}, {64, false}, {64, true}};

static operand_kind kind_of(int bits)
{
    return bits == 16 ? INT16 : bits == 32 ? INT32 : INT64;
}

/* The mathematical value of an operand. */
static s128 value(uint64_t x, const shape *s)
{
    s128 v = (s128)(x & (s->bits == 64 ? UINT64_MAX : ((uint64_t)1 << s->bits) - 1));
    return s->is_signed && v >> (s->bits - 1) & 1 ? v - ((s128)1 << s->bits) : v;
}

#define REF(name, expr)                                                                                                \
    static uint64_t name(const uint64_t *in, const void *context)                                                      \
    {                                                                                                                  \
        const shape *s = context;                                                                                      \
        s128 a = value(in[0], s), b = value(in[1], s), c = value(in[2], s);                                            \
        (void)a, (void)b, (void)c;                                                                                     \
        return (uint64_t)(expr);                                                                                       \
    }

static s128 absolute(s128 x)
{
    return x < 0 ? -x : x;
}

/* Rounds towards zero by counting what fits, with the magnitudes. */
static s128 quotient(s128 a, s128 b)
{
    u128 left = (u128)absolute(a), by = (u128)absolute(b), q = 0;
    for (int bit = 64; bit >= 0; bit--)
        if (by << bit <= left && by << bit >> bit == by) {
            left -= by << bit;
            q |= (u128)1 << bit;
        }
    return (a < 0) != (b < 0) ? -(s128)q : (s128)q;
}

/* A division by zero has no defined result; this is what the hardware's own sequence gives. */
REF(ref_div, b == 0 ? -1 : quotient(a, b))
REF(ref_rem, b == 0 ? a : a - quotient(a, b) * b)
REF(ref_add, a + b)
REF(ref_sub, a - b)
REF(ref_mul_lo, (u128)a *(u128)b)
/* The upper half of a product of up to 128 bits, put together from four smaller ones. */
static uint64_t upper_half(s128 a, s128 b, int bits)
{
    if (bits < 64)
        return (uint64_t)(a * b >> bits);
    uint64_t x = (uint64_t)absolute(a), y = (uint64_t)absolute(b);
    uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    uint64_t low = x0 * y0, middle = x1 * y0 + (low >> 32), cross = x0 * y1 + (uint32_t)middle;
    uint64_t high = x1 * y1 + (middle >> 32) + (cross >> 32), lower = cross << 32 | (uint32_t)low;
    return (a < 0) != (b < 0) ? ~high + (lower == 0) : high;
}
REF(ref_mul_hi, upper_half(a, b, s->bits))
REF(ref_mad_lo, (u128)a *(u128)b + (u128)c)
REF(ref_mad_hi, upper_half(a, b, s->bits) + (uint64_t)c)
REF(ref_min, a < b ? a : b)
REF(ref_max, a < b ? b : a)
REF(ref_abs, absolute(a))
REF(ref_neg, -a)
REF(ref_sad, c + absolute(a - b))
REF(ref_and, ~(~a | ~b))
REF(ref_or, ~(~a & ~b))
REF(ref_xor, (a | b) - (a & b))
REF(ref_not, -1 - a)
REF(ref_cnot, a ? 0 : 1)

/* The rest of an instruction without a context, whose results must be equal. */
#define ALONE NULL, 0, NULL

static void try_shapes(bench *b, const char *op, reference expect, const char *types, int sources)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char type = shapes[i].is_signed ? 's' : 'u', text[100];
        if (!strchr(types, type) && !(strchr(types, 'b') && type == 'u'))
            continue;
        if (strchr(types, 'b'))
            type = 'b';
        snprintf(text, sizeof text, "@%s.%c%d $d, $a%s%s;", op, type, shapes[i].bits, sources > 1 ? ", $b" : "",
                 sources > 2 ? ", $c" : "");
        operand_kind kind = kind_of(shapes[i].bits);
        instruction one = {.ptx = text, .result = kind, .expect = expect, .context = &shapes[i]};
        for (int k = 0; k < sources; k++)
            one.source[k] = kind;
        bench_check(b, &one);
    }
}

static void sums_differences_and_products(void **state)
{
    try_shapes(*state, "add", ref_add, "us", 2);
    try_shapes(*state, "sub", ref_sub, "us", 2);
    try_shapes(*state, "mul.lo", ref_mul_lo, "us", 2);
    try_shapes(*state, "mul.hi", ref_mul_hi, "us", 2);
    try_shapes(*state, "mad.lo", ref_mad_lo, "us", 3);
    try_shapes(*state, "mad.hi", ref_mad_hi, "us", 3);
}

static void quotients_and_remainders(void **state)
{
    try_shapes(*state, "div", ref_div, "us", 2);
    try_shapes(*state, "rem", ref_rem, "us", 2);
}

static void least_greatest_and_magnitudes(void **state)
{
    try_shapes(*state, "min", ref_min, "us", 2);
    try_shapes(*state, "max", ref_max, "us", 2);
    try_shapes(*state, "abs", ref_abs, "s", 1);
    try_shapes(*state, "neg", ref_neg, "s", 1);
    try_shapes(*state, "sad", ref_sad, "us", 3);
}

static void logic(void **state)
{
    try_shapes(*state, "and", ref_and, "b", 2);
    try_shapes(*state, "or", ref_or, "b", 2);
    try_shapes(*state, "xor", ref_xor, "b", 2);
    try_shapes(*state, "not", ref_not, "b", 1);
    try_shapes(*state, "cnot", ref_cnot, "b", 1);
}

/* ---- wide ---- */

REF(ref_mul_wide, a *b)
static uint64_t ref_mad_wide(const uint64_t *in, const void *context)
{
    const shape *s = context;
    return (uint64_t)(value(in[0], s) * value(in[1], s)) + in[2];
}

static void wide_products(void **state)
{
    for (size_t i = 0; i < 4; i++) {
        const shape *s = &shapes[i];
        char text[100], type = s->is_signed ? 's' : 'u';
        operand_kind from = kind_of(s->bits), to = kind_of(2 * s->bits);
        snprintf(text, sizeof text, "@mul.wide.%c%d $d, $a, $b;", type, s->bits);
        bench_check(*state, &(instruction){text, to, {from, from}, ref_mul_wide, s, SAME_BITS, NULL});
        snprintf(text, sizeof text, "@mad.wide.%c%d $d, $a, $b, $c;", type, s->bits);
        bench_check(*state, &(instruction){text, to, {from, from, to}, ref_mad_wide, s, SAME_BITS, NULL});
    }
}

/* ---- 24 bits, saturation ---- */

static s128 clamp32(s128 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}

static s128 low24(uint64_t x, bool is_signed)
{
    s128 v = (s128)(x & 0xffffff);
    return is_signed && v & 0x800000 ? v - 0x1000000 : v;
}

static uint64_t ref_24(const uint64_t *in, const void *context)
{
    const char *how = context; /* "us" type, "hl" part, "a" add, "S" saturate */
    bool is_signed = strchr(how, 's') != NULL;
    s128 product = low24(in[0], is_signed) * low24(in[1], is_signed);
    s128 part = strchr(how, 'h') ? product >> 16 : product;
    uint32_t cut = (uint32_t)part;
    if (!strchr(how, 'a'))
        return cut;
    if (strchr(how, 'S'))
        return (uint64_t)clamp32((s128)(int32_t)cut + (int32_t)in[2]);
    return cut + in[2];
}

static void products_of_24_bits(void **state)
{
    static const struct {
        const char *ptx, *how;
    } ops[] = {{"@mul24.lo.u32 $d, $a, $b;", "ul"},          {"@mul24.lo.s32 $d, $a, $b;", "sl"},
               {"@mul24.hi.u32 $d, $a, $b;", "uh"},          {"@mul24.hi.s32 $d, $a, $b;", "sh"},
               {"@mad24.lo.u32 $d, $a, $b, $c;", "ula"},     {"@mad24.lo.s32 $d, $a, $b, $c;", "sla"},
               {"@mad24.hi.u32 $d, $a, $b, $c;", "uha"},     {"@mad24.hi.s32 $d, $a, $b, $c;", "sha"},
               {"@mad24.hi.sat.s32 $d, $a, $b, $c;", "shaS"}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        bench_check(*state, &(instruction){ops[i].ptx, INT32, {INT32, INT32, INT32}, ref_24, ops[i].how, 0, NULL});
}

REF(ref_add_sat, clamp32(a + b))
REF(ref_sub_sat, clamp32(a - b))
REF(ref_mad_hi_sat, clamp32((a * b >> 32) + c))

static void saturated_sums(void **state)
{
    static const shape s32 = {32, true};
    bench_check(*state, &(instruction){"@add.sat.s32 $d, $a, $b;", INT32, {INT32, INT32}, ref_add_sat, &s32, 0, NULL});
    bench_check(*state, &(instruction){"@sub.sat.s32 $d, $a, $b;", INT32, {INT32, INT32}, ref_sub_sat, &s32, 0, NULL});
    bench_check(
        *state,
        &(instruction){"@mad.hi.sat.s32 $d, $a, $b, $c;", INT32, {INT32, INT32, INT32}, ref_mad_hi_sat, &s32, 0, NULL});
}

/* ---- carries: wide arithmetic out of narrow parts ---- */

static uint64_t ref_add64(const uint64_t *in, const void *context)
{
    (void)context;
    return in[0] + in[1];
}

static uint64_t ref_sub64(const uint64_t *in, const void *context)
{
    (void)context;
    return in[0] - in[1];
}

static uint64_t ref_carry_out(const uint64_t *in, const void *context)
{
    (void)context;
    return (uint64_t)(((u128)in[0] + in[1]) >> 64);
}

static uint64_t ref_borrow_out(const uint64_t *in, const void *context)
{
    (void)context;
    return in[0] < in[1] ? UINT32_MAX : 0;
}

static uint64_t ref_no_borrow(const uint64_t *in, const void *context)
{
    (void)context;
    return in[0] >= in[1];
}

static uint64_t ref_no_carry(const uint64_t *in, const void *context)
{
    (void)context;
    return (uint64_t)(((u128)in[0] + in[1]) >> 64) ? 0 : UINT32_MAX;
}

static uint64_t ref_mul64(const uint64_t *in, const void *context)
{
    (void)context;
    return in[0] * in[1];
}

static uint64_t ref_mul64_hi(const uint64_t *in, const void *context)
{
    static const shape u64 = {64, false};
    (void)context;
    return upper_half(value(in[0], &u64), value(in[1], &u64), 64);
}

static uint64_t ref_mad64_parts(const uint64_t *in, const void *context)
{
    /* hi:lo = a * b + c:0, the upper word */
    static const shape u64 = {64, false};
    (void)context;
    return upper_half(value(in[0], &u64), value(in[1], &u64), 64) + (in[0] * in[1] + in[2] < in[2]);
}

#define HALVES "mov.b64 {%r0, %r1}, $a;\nmov.b64 {%r2, %r3}, $b;\n"

static void carries_pass_from_part_to_part(void **state)
{
    const instruction ops[] = {
        {HALVES "@add.cc.u32 %r4, %r0, %r2;\n@addc.u32 %r5, %r1, %r3;\n@mov.b64 $d, {%r4, %r5};",
         INT64,
         {INT64, INT64},
         ref_add64,
         ALONE},
        {HALVES "@add.cc.s32 %r4, %r0, %r2;\n@addc.cc.s32 %r5, %r1, %r3;\n@addc.u32 $d, 0, 0;",
         INT32,
         {INT64, INT64},
         ref_carry_out,
         ALONE},
        {HALVES "@sub.cc.u32 %r4, %r0, %r2;\n@subc.u32 %r5, %r1, %r3;\n@mov.b64 $d, {%r4, %r5};",
         INT64,
         {INT64, INT64},
         ref_sub64,
         ALONE},
        {HALVES "@sub.cc.u32 %r4, %r0, %r2;\n@subc.cc.u32 %r5, %r1, %r3;\n@subc.u32 $d, 0, 0;",
         INT32,
         {INT64, INT64},
         ref_borrow_out,
         ALONE},
        {"@add.cc.u64 %l0, $a, $b;\n@addc.u64 %l1, 0, 0;\n@cvt.u32.u64 $d, %l1;",
         INT32,
         {INT64, INT64},
         ref_carry_out,
         ALONE},
        {"@sub.cc.s64 %l0, $a, $b;\n@subc.s64 %l1, 0, 0;\n@cvt.u32.u64 $d, %l1;",
         INT32,
         {INT64, INT64},
         ref_borrow_out,
         ALONE},
        /* the flag is the adder's carry, whatever sets and reads it */
        {HALVES "@sub.cc.u32 %r4, %r0, %r2;\n@subc.cc.u32 %r5, %r1, %r3;\n@addc.u32 $d, 0, 0;",
         INT32,
         {INT64, INT64},
         ref_no_borrow,
         ALONE},
        {"@add.cc.u64 %l0, $a, $b;\n@subc.u64 %l1, 0, 0;\n@cvt.u32.u64 $d, %l1;",
         INT32,
         {INT64, INT64},
         ref_no_carry,
         ALONE},
        {HALVES "@mul.lo.u32 %r4, %r0, %r2;\n@mul.hi.u32 %r5, %r0, %r2;\n@mad.lo.u32 %r5, %r1, %r2, %r5;\n"
                "@mad.lo.u32 %r5, %r0, %r3, %r5;\n@mov.b64 $d, {%r4, %r5};",
         INT64,
         {INT64, INT64},
         ref_mul64,
         ALONE},
        /* the schoolbook product, with mad.cc and madc */
        {HALVES "@mul.lo.u32 %r4, %r0, %r2;\n@mul.hi.u32 %r5, %r0, %r2;\n"
                "@mad.lo.cc.u32 %r5, %r1, %r2, %r5;\n@madc.hi.u32 %r6, %r1, %r2, 0;\n"
                "@mad.lo.cc.u32 %r5, %r0, %r3, %r5;\n@madc.hi.cc.u32 %r6, %r0, %r3, %r6;\n@addc.u32 %r7, 0, 0;\n"
                "@mad.lo.cc.u32 %r6, %r1, %r3, %r6;\n@madc.hi.u32 %r7, %r1, %r3, %r7;\n@mov.b64 $d, {%r6, %r7};",
         INT64,
         {INT64, INT64},
         ref_mul64_hi,
         ALONE},
        {"@mad.lo.cc.u64 %l0, $a, $b, $c;\n@madc.hi.u64 $d, $a, $b, 0;",
         INT64,
         {INT64, INT64, INT64},
         ref_mad64_parts,
         ALONE},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        bench_check(*state, &ops[i]);
}

/* ---- shifts ---- */

static uint64_t ref_shift(const uint64_t *in, const void *context)
{
    const char *how = context; /* 'l' left, 'u' right, 's' right with sign; then the size in decimal */
    shape s = {atoi(how + 1), *how == 's'};
    s128 x = value(in[0], &s);
    uint64_t amount = in[1];
    for (; amount && x != 0 && x != -1; amount--)
        x = *how == 'l' ? (s128)((u128)x << 1 & (((u128)1 << s.bits) - 1)) : x >> 1;
    return (uint64_t)(x == -1 && *how == 'l' ? (s128)((u128)-1 << amount) : x);
}

static void shifts_beyond_the_word_shift_everything_out(void **state)
{
    static const struct {
        const char *ptx, *how;
    } ops[] = {{"@shl.b16 $d, $a, $b;", "l16"}, {"@shl.b32 $d, $a, $b;", "l32"}, {"@shl.b64 $d, $a, $b;", "l64"},
               {"@shr.b16 $d, $a, $b;", "u16"}, {"@shr.b32 $d, $a, $b;", "u32"}, {"@shr.b64 $d, $a, $b;", "u64"},
               {"@shr.u16 $d, $a, $b;", "u16"}, {"@shr.u32 $d, $a, $b;", "u32"}, {"@shr.u64 $d, $a, $b;", "u64"},
               {"@shr.s16 $d, $a, $b;", "s16"}, {"@shr.s32 $d, $a, $b;", "s32"}, {"@shr.s64 $d, $a, $b;", "s64"}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        operand_kind kind = kind_of(atoi(ops[i].how + 1));
        bench_check(*state, &(instruction){ops[i].ptx, kind, {kind, SMALL}, ref_shift, ops[i].how, 0, NULL});
    }
}

static uint64_t ref_funnel(const uint64_t *in, const void *context)
{
    const char *how = context; /* "lw" left wrap … "rc" right clamp */
    uint32_t n = how[1] == 'w' ? in[2] % 32 : in[2] > 32 ? 32 : (uint32_t)in[2];
    u128 both = (u128)in[1] << 32 | in[0];
    return (uint32_t)(how[0] == 'l' ? both << n >> 32 : both >> n);
}

static void funnel_shifts_wrap_or_clamp(void **state)
{
    static const struct {
        const char *ptx, *how;
    } ops[] = {{"@shf.l.wrap.b32 $d, $a, $b, $c;", "lw"},
               {"@shf.l.clamp.b32 $d, $a, $b, $c;", "lc"},
               {"@shf.r.wrap.b32 $d, $a, $b, $c;", "rw"},
               {"@shf.r.clamp.b32 $d, $a, $b, $c;", "rc"}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        bench_check(*state, &(instruction){ops[i].ptx, INT32, {INT32, INT32, SMALL}, ref_funnel, ops[i].how, 0, NULL});
}

/* ---- bits ---- */

static bool bit(uint64_t x, uint64_t at)
{
    return x >> at & 1;
}

static uint64_t ref_popc(const uint64_t *in, const void *context)
{
    int count = 0;
    for (int i = 0; i < *(const int *)context; i++)
        count += bit(in[0], (uint64_t)i);
    return (uint64_t)count;
}

static uint64_t ref_clz(const uint64_t *in, const void *context)
{
    int bits = *(const int *)context, count = 0;
    while (count < bits && !bit(in[0], (uint64_t)(bits - 1 - count)))
        count++;
    return (uint64_t)count;
}

static uint64_t ref_brev(const uint64_t *in, const void *context)
{
    uint64_t r = 0, bits = (uint64_t) * (const int *)context;
    for (uint64_t i = 0; i < bits; i++)
        r |= (uint64_t)bit(in[0], i) << (bits - 1 - i);
    return r;
}

static uint64_t ref_bfind(const uint64_t *in, const void *context)
{
    const char *how = context; /* 'u' or 's', size, '+' for shiftamt */
    int bits = atoi(how + 1), found = -1;
    bool flip = *how == 's' && bit(in[0], (uint64_t)bits - 1);
    for (int i = 0; i < bits; i++)
        if (bit(in[0], (uint64_t)i) != flip)
            found = i;
    return (uint32_t)(strchr(how, '+') && found >= 0 ? bits - 1 - found : found);
}

static void counting_and_finding_bits(void **state)
{
    static const int sizes[] = {32, 64};
    static const char *const finds[] = {"u32", "s32", "u64", "s64", "u32+", "s32+", "u64+", "s64+"};
    for (int i = 0; i < 2; i++) {
        char text[60];
        operand_kind kind = kind_of(sizes[i]);
        snprintf(text, sizeof text, "@popc.b%d $d, $a;", sizes[i]);
        bench_check(*state, &(instruction){text, INT32, {kind}, ref_popc, &sizes[i], 0, NULL});
        snprintf(text, sizeof text, "@clz.b%d $d, $a;", sizes[i]);
        bench_check(*state, &(instruction){text, INT32, {kind}, ref_clz, &sizes[i], 0, NULL});
        snprintf(text, sizeof text, "@brev.b%d $d, $a;", sizes[i]);
        bench_check(*state, &(instruction){text, kind, {kind}, ref_brev, &sizes[i], 0, NULL});
    }
    for (size_t i = 0; i < sizeof finds / sizeof *finds; i++) {
        char text[60];
        snprintf(text, sizeof text, "@bfind%s.%.3s $d, $a;", strchr(finds[i], '+') ? ".shiftamt" : "", finds[i]);
        bench_check(*state, &(instruction){text, INT32, {kind_of(atoi(finds[i] + 1))}, ref_bfind, finds[i], 0, NULL});
    }
}

static uint64_t ref_bfe(const uint64_t *in, const void *context)
{
    const char *how = context;
    uint64_t msb = (uint64_t)atoi(how + 1) - 1, pos = in[1] & 0xff, len = in[2] & 0xff, r = 0;
    bool sbit = false;
    if (*how == 's' && len)
        sbit = bit(in[0], pos + len - 1 < msb ? pos + len - 1 : msb);
    for (uint64_t i = 0; i <= msb; i++)
        r |= (uint64_t)(i < len && pos + i <= msb ? bit(in[0], pos + i) : sbit) << i;
    return r;
}

static uint64_t ref_bfi(const uint64_t *in, const void *context)
{
    uint64_t msb = (uint64_t) * (const int *)context - 1, pos = in[2] & 0xff, len = in[3] & 0xff, r = in[1];
    for (uint64_t i = 0; i < len && pos + i <= msb; i++)
        r = (r & ~((uint64_t)1 << (pos + i))) | (uint64_t)bit(in[0], i) << (pos + i);
    return r;
}

static void bit_fields(void **state)
{
    static const char *const extracts[] = {"u32", "s32", "u64", "s64"};
    static const int sizes[] = {32, 64};
    for (size_t i = 0; i < 4; i++) {
        char text[60];
        operand_kind kind = kind_of(atoi(extracts[i] + 1));
        snprintf(text, sizeof text, "@bfe.%s $d, $a, $b, $c;", extracts[i]);
        bench_check(*state, &(instruction){text, kind, {kind, SMALL, SMALL}, ref_bfe, extracts[i], 0, NULL});
    }
    bench_check(*state,
                &(instruction){
                    "@bfi.b32 $d, $a, $b, $c, $e;", INT32, {INT32, INT32, SMALL, SMALL}, ref_bfi, &sizes[0], 0, NULL});
    bench_check(*state,
                &(instruction){
                    "@bfi.b64 $d, $a, $b, $c, $e;", INT64, {INT64, INT64, SMALL, SMALL}, ref_bfi, &sizes[1], 0, NULL});
}

static uint64_t ref_bmsk(const uint64_t *in, const void *context)
{
    bool wrap = *(const char *)context == 'w';
    uint64_t pos = wrap ? in[0] & 31 : in[0], width = wrap ? in[1] & 31 : in[1], r = 0;
    for (uint64_t i = pos; i < 32 && i - pos < width; i++)
        r |= (uint64_t)1 << i;
    return r;
}

static uint64_t ref_szext(const uint64_t *in, const void *context)
{
    const char *how = context; /* 'w' or 'c', 'u' or 's' */
    uint64_t n = how[0] == 'w' ? in[1] & 31 : in[1] > 32 ? 32 : in[1], r = 0;
    for (uint64_t i = 0; i < 32; i++)
        r |= (uint64_t)(i < n ? bit(in[0], i) : how[1] == 's' && n && bit(in[0], n - 1)) << i;
    return r;
}

static uint64_t ref_fns(const uint64_t *in, const void *context)
{
    uint32_t mask = (uint32_t)in[0], base = (uint32_t)in[1] & 31;
    int32_t offset = context ? (int32_t)in[2] >> 29 : (int32_t)in[2];
    if (offset == 0)
        return bit(mask, base) ? base : UINT32_MAX;
    uint32_t seen = 0, wanted = offset > 0 ? (uint32_t)offset : -(uint32_t)offset;
    for (int64_t pos = base; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1)
        if (bit(mask, (uint64_t)pos) && ++seen == wanted)
            return (uint64_t)pos;
    return UINT32_MAX;
}

static void masks_extensions_and_the_nth_bit(void **state)
{
    bench_check(*state, &(instruction){"@bmsk.clamp.b32 $d, $a, $b;", INT32, {SMALL, SMALL}, ref_bmsk, "c", 0, NULL});
    bench_check(*state, &(instruction){"@bmsk.wrap.b32 $d, $a, $b;", INT32, {SMALL, SMALL}, ref_bmsk, "w", 0, NULL});
    bench_check(*state,
                &(instruction){"@szext.clamp.u32 $d, $a, $b;", INT32, {INT32, SMALL}, ref_szext, "cu", 0, NULL});
    bench_check(*state,
                &(instruction){"@szext.clamp.s32 $d, $a, $b;", INT32, {INT32, SMALL}, ref_szext, "cs", 0, NULL});
    bench_check(*state, &(instruction){"@szext.wrap.u32 $d, $a, $b;", INT32, {INT32, SMALL}, ref_szext, "wu", 0, NULL});
    bench_check(*state, &(instruction){"@szext.wrap.s32 $d, $a, $b;", INT32, {INT32, SMALL}, ref_szext, "ws", 0, NULL});
    /* the base must be a position */
    bench_check(
        *state,
        &(instruction){
            "and.b32 %r0, $b, 31;\n@fns.b32 $d, $a, %r0, $c;", INT32, {INT32, SMALL, INT32}, ref_fns, NULL, 0, NULL});
    bench_check(*state, &(instruction){"and.b32 %r0, $b, 31;\nshr.s32 %r1, $c, 29;\n@fns.b32 $d, $a, %r0, %r1;",
                                       INT32,
                                       {INT32, SMALL, INT32},
                                       ref_fns,
                                       "small",
                                       0,
                                       NULL});
}

/* ---- permutations ---- */

static uint64_t ref_prmt(const uint64_t *in, const void *context)
{
    /* the table of the ISA: which byte (of b:a) each mode takes for result bytes 3, 2, 1, 0 */
    static const struct {
        const char *mode, *bytes[4];
    } modes[] = {{"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
                 {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
                 {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};
    uint8_t byte[8];
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        byte[i] = (uint8_t)(in[0] >> 8 * i);
        byte[4 + i] = (uint8_t)(in[1] >> 8 * i);
    }
    for (int i = 0; i < 4; i++) {
        uint32_t pick = in[2] >> 4 * i & 15, value;
        if (context) {
            for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
                if (!strcmp(modes[m].mode, context))
                    pick = (uint32_t)(modes[m].bytes[in[2] & 3][3 - i] - '0');
        }
        value = byte[pick & 7];
        if (pick & 8)
            value = value & 0x80 ? 0xff : 0;
        r |= value << 8 * i;
    }
    return r;
}

static void byte_permutations_in_every_mode(void **state)
{
    static const char *const modes[] = {NULL, "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char text[60];
        snprintf(text, sizeof text, "@prmt.b32%s%s $d, $a, $b, $c;", modes[i] ? "." : "", modes[i] ? modes[i] : "");
        bench_check(*state,
                    &(instruction){text, INT32, {INT32, INT32, modes[i] ? SMALL : INT32}, ref_prmt, modes[i], 0, NULL});
    }
}

static uint64_t ref_lop3(const uint64_t *in, const void *context)
{
    uint32_t table = *(const uint32_t *)context, r = 0;
    for (uint64_t i = 0; i < 32; i++)
        r |= (table >> (bit(in[0], i) * 4 + bit(in[1], i) * 2 + bit(in[2], i)) & 1) << i;
    return r;
}

static void every_logic_function_of_three(void **state)
{
    for (uint32_t table = 0; table < 256; table++) {
        char text[60];
        snprintf(text, sizeof text, "@lop3.b32 $d, $a, $b, $c, 0x%x;", table);
        bench_check(*state, &(instruction){text, INT32, {INT32, INT32, INT32}, ref_lop3, &table, 0, NULL});
    }
}

/* ---- dot products ---- */

static int64_t byte_of(uint64_t word, int i, bool is_signed)
{
    return is_signed ? (int8_t)(word >> 8 * i) : (uint8_t)(word >> 8 * i);
}

static uint64_t ref_dp4a(const uint64_t *in, const void *context)
{
    const char *how = context;
    int64_t sum = (int64_t)in[2];
    for (int i = 0; i < 4; i++)
        sum += byte_of(in[0], i, how[0] == 's') * byte_of(in[1], i, how[1] == 's');
    return (uint64_t)sum;
}

static uint64_t ref_dp2a(const uint64_t *in, const void *context)
{
    const char *how = context;
    int64_t sum = (int64_t)in[2];
    for (int i = 0; i < 2; i++) {
        int64_t half = how[0] == 's' ? (int16_t)(in[0] >> 16 * i) : (uint16_t)(in[0] >> 16 * i);
        sum += half * byte_of(in[1], how[2] == 'h' ? i + 2 : i, how[1] == 's');
    }
    return (uint64_t)sum;
}

static void dot_products_of_bytes(void **state)
{
    static const char *const hows[] = {"uul", "usl", "sul", "ssl", "uuh", "ush", "suh", "ssh"};
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        char text[80];
        snprintf(text, sizeof text, "@dp2a.%s.%c32.%c32 $d, $a, $b, $c;", hows[i][2] == 'h' ? "hi" : "lo", hows[i][0],
                 hows[i][1]);
        bench_check(*state, &(instruction){text, INT32, {INT32, INT32, INT32}, ref_dp2a, hows[i], 0, NULL});
        if (i >= 4)
            continue;
        snprintf(text, sizeof text, "@dp4a.%c32.%c32 $d, $a, $b, $c;", hows[i][0], hows[i][1]);
        bench_check(*state, &(instruction){text, INT32, {INT32, INT32, INT32}, ref_dp4a, hows[i], 0, NULL});
    }
}

/* ---- moves ---- */

static uint64_t ref_same(const uint64_t *in, const void *context)
{
    (void)context;
    return in[0];
}

static uint64_t ref_pair32(const uint64_t *in, const void *context)
{
    (void)context;
    return in[1] << 32 | in[0];
}

static uint64_t ref_pair16(const uint64_t *in, const void *context)
{
    (void)context;
    return in[1] << 16 | in[0];
}

static uint64_t ref_four16(const uint64_t *in, const void *context)
{
    (void)context;
    return in[3] << 48 | in[2] << 32 | in[1] << 16 | in[0];
}

static uint64_t ref_swap(const uint64_t *in, const void *context)
{
    (void)context;
    return in[0] << 32 | in[0] >> 32;
}

static uint64_t ref_reverse(const uint64_t *in, const void *context)
{
    (void)context;
    uint64_t x = in[0];
    return x << 48 | (x >> 16 & 0xffff) << 32 | (x >> 32 & 0xffff) << 16 | x >> 48;
}

static uint64_t ref_constant(const uint64_t *in, const void *context)
{
    (void)in;
    return *(const uint64_t *)context;
}

static void moves_pack_and_unpack(void **state)
{
    static const uint64_t negative = (uint64_t)-5, f32 = 0x3fc00000, f64 = 0xc00c000000000000;
    const instruction ops[] = {
        {"@mov.b16 $d, $a;", INT16, {INT16}, ref_same, NULL, 0, NULL},
        {"@mov.u32 $d, $a;", INT32, {INT32}, ref_same, NULL, 0, NULL},
        {"@mov.f32 $d, $a;", INT32, {INT32}, ref_same, NULL, 0, NULL},
        {"@mov.s64 $d, $a;", INT64, {INT64}, ref_same, NULL, 0, NULL},
        {"@mov.f64 $d, $a;", INT64, {INT64}, ref_same, NULL, 0, NULL},
        {"@mov.pred $d, $a;", PREDICATE, {PREDICATE}, ref_same, NULL, 0, NULL},
        {"@mov.b64 $d, {$a, $b};", INT64, {INT32, INT32}, ref_pair32, NULL, 0, NULL},
        {"@mov.b32 $d, {$a, $b};", INT32, {INT16, INT16}, ref_pair16, NULL, 0, NULL},
        {"@mov.b64 $d, {$a, $b, $c, $e};", INT64, {INT16, INT16, INT16, INT16}, ref_four16, NULL, 0, NULL},
        {"@mov.b64 {%r0, %r1}, $a;\n@mov.b64 $d, {%r1, %r0};", INT64, {INT64}, ref_swap, NULL, 0, NULL},
        {"@mov.b64 {%h0, %h1, %h2, %h3}, $a;\n@mov.b64 $d, {%h3, %h2, %h1, %h0};", INT64, {INT64}, ref_reverse, ALONE},
        {"@mov.b64 {%r0, _}, $a;\n@mov.b64 {_, %r1}, $a;\n@mov.b64 $d, {%r0, %r1};", INT64, {INT64}, ref_same, ALONE},
        {"@mov.s16 $d, -5;", INT16, {INT16}, ref_constant, &negative, 0, NULL},
        {"@mov.s32 $d, -5;", INT32, {INT32}, ref_constant, &negative, 0, NULL},
        {"@mov.s64 $d, -5;", INT64, {INT32}, ref_constant, &negative, 0, NULL},
        {"@mov.f32 $d, 0f3FC00000;", INT32, {INT32}, ref_constant, &f32, 0, NULL},
        {"@mov.f32 $d, 1.5;", INT32, {INT32}, ref_constant, &f32, 0, NULL},
        {"@mov.f64 $d, 0dC00C000000000000;", INT64, {INT32}, ref_constant, &f64, 0, NULL},
        {"@mov.f64 $d, -3.5;", INT64, {INT32}, ref_constant, &f64, 0, NULL},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        bench_check(*state, &ops[i]);
}

static uint64_t ref_immediate(const uint64_t *in, const void *context)
{
    (void)context;
    return (in[0] - 3) * 7 + (in[0] & 0xf0) + 9;
}

static void immediate_operands(void **state)
{
    bench_check(*state, &(instruction){"@add.s32 %r0, $a, -3;\n@mul.lo.s32 %r0, %r0, 7;\n@and.b32 %r1, $a, 0xF0;\n"
                                       "@add.u32 %r0, %r0, %r1;\n@add.u32 $d, 9, %r0;",
                                       INT32,
                                       {INT32},
                                       ref_immediate,
                                       ALONE});
    bench_check(*state, &(instruction){"@add.s64 %l0, $a, -3;\n@mul.lo.s64 %l0, %l0, 7;\n@and.b64 %l1, $a, 240;\n"
                                       "@add.u64 %l0, %l0, %l1;\n@add.u64 $d, 011, %l0;",
                                       INT64,
                                       {INT64},
                                       ref_immediate,
                                       ALONE});
    bench_check(*state, &(instruction){"@add.s16 %h0, $a, -3;\n@mul.lo.s16 %h0, %h0, 7;\n@and.b16 %h1, $a, 0xF0U;\n"
                                       "@add.u16 %h0, %h0, %h1;\n@add.u16 $d, 0b1001, %h0;",
                                       INT16,
                                       {INT16},
                                       ref_immediate,
                                       ALONE});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARITHMETIC(sums_differences_and_products),
        ARITHMETIC(quotients_and_remainders),
        ARITHMETIC(least_greatest_and_magnitudes),
        ARITHMETIC(logic),
        ARITHMETIC(wide_products),
        ARITHMETIC(products_of_24_bits),
        ARITHMETIC(saturated_sums),
        ARITHMETIC(carries_pass_from_part_to_part),
        ARITHMETIC(shifts_beyond_the_word_shift_everything_out),
        ARITHMETIC(funnel_shifts_wrap_or_clamp),
        ARITHMETIC(counting_and_finding_bits),
        ARITHMETIC(bit_fields),
        ARITHMETIC(masks_extensions_and_the_nth_bit),
        ARITHMETIC(byte_permutations_in_every_mode),
        ARITHMETIC(every_logic_function_of_three),
        ARITHMETIC(dot_products_of_bytes),
        ARITHMETIC(moves_pack_and_unpack),
        ARITHMETIC(immediate_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
