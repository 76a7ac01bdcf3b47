/* SPDX-License-Identifier: MIT */
/* Single and double precision arithmetic.
 *
 * add, sub, mul, fma, div and sqrt are IEEE and bit-exact in every rounding mode. The approximate instructions (rcp,
 * rsqrt, sin, cos, ex2, lg2, tanh) use the host's math library, which is well within the error the PTX ISA allows them.
 * Saturation is a separate op, added by the decoder, and so is flushing of subnormals (.ftz), except for f32 sums and
 * products, which programs compiled with -use_fast_math are full of. */
#include "emu/exec.h"

#define SL_FMA_f32(a, b, c) __builtin_fmaf(a, b, c)
#define SL_FMA_f64(a, b, c) __builtin_fma(a, b, c)
#define SL_SQRT_f32(a)      __builtin_sqrtf(a)
#define SL_SQRT_f64(a)      __builtin_sqrt(a)

static const u32 sl_exponent_f32 = 0x7f800000u;
static const u64 sl_exponent_f64 = 0x7ff0000000000000u;

static inline f32 sl_flush(f32 x)
{
    union {
        f32 f;
        u32 u;
    } bits = {x};
    bits.u = (bits.u & sl_exponent_f32) ? bits.u : bits.u & 0x80000000u;
    return bits.f;
}

static inline f32 sl_nan_f32(void)
{
    return __builtin_nanf("0x3fffff"); /* 0x7fffffff, the NaN that GPUs make */
}

static inline f64 sl_nan_f64(void)
{
    return __builtin_nan("");
}

/* min and max give the number when the other operand is NaN, and order -0 below +0. */
#define SL_MIN_MAX(T, U)                                                                                               \
    static inline T sl_min_##T(T a, T b)                                                                               \
    {                                                                                                                  \
        union {                                                                                                        \
            T f;                                                                                                       \
            U u;                                                                                                       \
        } x = {a}, y = {b}, z;                                                                                         \
        z.u = x.u | y.u; /* equal: only zeros differ, and the sign bit wins */                                         \
        return a == b ? z.f : a != a ? (b != b ? sl_nan_##T() : b) : b != b ? a : a < b ? a : b;                       \
    }                                                                                                                  \
    static inline T sl_max_##T(T a, T b)                                                                               \
    {                                                                                                                  \
        union {                                                                                                        \
            T f;                                                                                                       \
            U u;                                                                                                       \
        } x = {a}, y = {b}, z;                                                                                         \
        z.u = x.u & y.u;                                                                                               \
        return a == b ? z.f : a != a ? (b != b ? sl_nan_##T() : b) : b != b ? a : a > b ? a : b;                       \
    }
SL_MIN_MAX(f32, u32)
SL_MIN_MAX(f64, u64)

static inline f32 sl_rsqrt_f32(f32 a)
{
    return (f32)(1.0 / __builtin_sqrt((f64)a));
}

static inline f64 sl_rsqrt_f64(f64 a)
{
    return 1.0 / __builtin_sqrt(a);
}

/* The .ftz.f64 approximations work on the upper word alone. */
static inline f64 sl_high_word(f64 a)
{
    union {
        f64 f;
        u64 u;
    } x = {a};
    x.u &= 0xffffffff00000000u;
    return x.f;
}

#define SL_OP1_FLT      SL_DEFINE1
#define SL_OP2_FLT      SL_DEFINE2
#define SL_OP3_FLT      SL_DEFINE3
#define SL_OP1_FLT_EACH SL_EACH1
#include "emu/exec_family.h"

/* Directed rounding: the host's rounding mode is changed around the loop. Operands go through volatile reads so that
 * nothing is computed ahead of the change. */
#define SL_ROUNDED(name, T, expr)                                                                                      \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        T *d = sl_operand(w, o->d);                                                                                    \
        const volatile T *a_ = sl_operand(w, o->a), *b_ = sl_operand(w, o->b), *c_ = sl_operand(w, o->c);              \
        T result[SL_LANES];                                                                                            \
        volatile T *r = result;                                                                                        \
        unsigned before = sl_rounding_begin((int)o->aux);                                                              \
        SL_EACH_ACTIVE(w, i)                                                                                           \
        {                                                                                                              \
            T a = a_[i], b = b_[i], c = c_[i];                                                                         \
            (void)b, (void)c;                                                                                          \
            r[i] = (expr);                                                                                             \
        }                                                                                                              \
        sl_rounding_end(before);                                                                                       \
        SL_EACH_ACTIVE(w, i) d[i] = r[i];                                                                              \
    }
#define SL_ROUNDED_BOTH(T)                                                                                             \
    SL_ROUNDED(add_round_##T, T, a + b)                                                                                \
    SL_ROUNDED(sub_round_##T, T, a - b)                                                                                \
    SL_ROUNDED(mul_round_##T, T, a *b)                                                                                 \
    SL_ROUNDED(div_round_##T, T, a / b)                                                                                \
    SL_ROUNDED(rcp_round_##T, T, (T)1 / a)                                                                             \
    SL_ROUNDED(sqrt_round_##T, T, SL_SQRT_##T(a))                                                                      \
    SL_ROUNDED(fma_round_##T, T, SL_FMA_##T(a, b, c))
SL_ROUNDED_BOTH(f32)
SL_ROUNDED_BOTH(f64)
