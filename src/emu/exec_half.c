/* SPDX-License-Identifier: MIT */
/* Half precision (f16, bf16) and other small types.
 *
 * Every operation is rounded once, as IEEE 754 asks. Sums, differences and f16 products are computed in f32: it has
 * more than twice the precision of either format, so the second rounding changes nothing. bf16 products may fall below
 * the range of f32 and are computed in f64. A fused multiply-add has an exact product and an inexact sum: the sum is
 * rounded to odd, which keeps what the final rounding needs to know. NaN results are 0x7fff, the one that GPUs make,
 * and .ftz flushes what would be too small when rounded to as many bits without a lower bound, as they do.
 *
 * ex2 and tanh use the host's math library in f32 and cut its result off, which is what an H200 does. */
#include "emu/exec_half.h"
#include "emu/half.h"

static inline f64 odd_f64_u64(u64 x)
{
    return x >> 53 ? (f64)(x >> 11 | ((x & 0x7ff) != 0)) * 2048.0 : (f64)x;
}

/* ---- arithmetic ---- */

#define SL_HALF_SUM(T)                                                                                                 \
    static inline u32 add_##T(u32 a, u32 b)                                                                            \
    {                                                                                                                  \
        return T##_f32(f32_##T(a) + f32_##T(b));                                                                       \
    }                                                                                                                  \
    static inline u32 sub_##T(u32 a, u32 b)                                                                            \
    {                                                                                                                  \
        return T##_f32(f32_##T(a) - f32_##T(b));                                                                       \
    }
SL_HALF_SUM(f16)
SL_HALF_SUM(bf16)

static inline u32 mul_f16(u32 a, u32 b)
{
    return f16_f32(f32_f16(a) * f32_f16(b));
}

static inline u32 mul_bf16(u32 a, u32 b)
{
    return bf16_f64((f64)f32_bf16(a) * (f64)f32_bf16(b));
}

/* Sums rounded to odd: the error of the rounded sum says on which side the exact one lies. */
static inline f32 add_odd_f32(f32 a, f32 b)
{
    f32 sum = a + b, back = sum - a, error = (a - (sum - back)) + (b - back);
    u32 bits = bits_f32(sum);
    u32 toward = (error > 0) == (sum > 0) ? 1u : ~0u;
    return from_bits_f32((error < 0 || error > 0) && !(bits & 1) ? bits + toward : bits);
}

static inline f64 add_odd_f64(f64 a, f64 b)
{
    f64 sum = a + b, back = sum - a, error = (a - (sum - back)) + (b - back);
    u64 bits = bits_f64(sum);
    u64 toward = (error > 0) == (sum > 0) ? 1u : ~(u64)0;
    return from_bits_f64((error < 0 || error > 0) && !(bits & 1) ? bits + toward : bits);
}

static inline u32 fma_f16(u32 a, u32 b, u32 c)
{
    return f16_f32(add_odd_f32(f32_f16(a) * f32_f16(b), f32_f16(c)));
}

static inline u32 fma_bf16(u32 a, u32 b, u32 c)
{
    return bf16_f64(add_odd_f64((f64)f32_bf16(a) * (f64)f32_bf16(b), (f64)f32_bf16(c)));
}

static inline u32 round_ftz_f16(f32 x)
{
    /* too small when it would be, rounded with as many bits but no lower bound */
    return from_bits_f32(bits_f32(x) & 0x7fffffff) < 0x1.ffep-15f ? bits_f32(x) >> 16 & 0x8000 : f16_f32(x);
}

static inline u32 mul_ftz_f16(u32 a, u32 b)
{
    return round_ftz_f16(f32_f16(a) * f32_f16(b));
}

static inline u32 fma_ftz_f16(u32 a, u32 b, u32 c)
{
    return round_ftz_f16(add_odd_f32(f32_f16(a) * f32_f16(b), f32_f16(c)));
}

/* A number that orders like the value: -0 comes right before +0. */
static inline s32 rank_half(u32 a)
{
    return a & 0x8000 ? -(s32)(a & 0x7fff) - 1 : (s32)a;
}

/* Cut off to the format: rounding toward zero. */
static inline u32 cut_f16(f32 x)
{
    u32 rounded = f16_f32(x);
    return (rounded & 0x7fff) <= 0x7c00 && fabsf(f32_f16(rounded)) > fabsf(x) ? rounded - 1 : rounded;
}

static inline u32 cut_bf16(f32 x)
{
    return x != x ? 0x7fff : bits_f32(x) >> 16;
}

/* A NaN that is converted from f64 keeps its sign and the top of its fraction. */
static inline u32 keep_nan_f16(f64 x, u32 result)
{
    u64 bits = bits_f64(x);
    return x != x ? (u32)(bits >> 48 & 0x8000) | 0x7e00 | (u32)(bits >> 42 & 0x3ff) : result;
}

static inline u32 keep_nan_bf16(f64 x, u32 result)
{
    u64 bits = bits_f64(x);
    return x != x ? (u32)(bits >> 48 & 0x8000) | 0x7fc0 | (u32)(bits >> 45 & 0x7f) : result;
}

#define SL_HALF_RANGE(T, INFINITY_BITS, ONE, LARGEST)                                                                  \
    static inline bool is_nan_##T(u32 a)                                                                               \
    {                                                                                                                  \
        return (a & 0x7fff) > INFINITY_BITS;                                                                           \
    }                                                                                                                  \
    static inline u32 abs_##T(u32 a)                                                                                   \
    {                                                                                                                  \
        return is_nan_##T(a) ? 0x7fff : a & 0x7fff;                                                                    \
    }                                                                                                                  \
    static inline u32 neg_##T(u32 a)                                                                                   \
    {                                                                                                                  \
        return is_nan_##T(a) ? 0x7fff : a ^ 0x8000;                                                                    \
    }                                                                                                                  \
    static inline u32 xorsign_##T(u32 a, u32 b)                                                                        \
    {                                                                                                                  \
        return is_nan_##T(b) ? 0x7fff : (a & 0x8000) | (b & 0x7fff);                                                   \
    }                                                                                                                  \
    static inline u32 min_##T(u32 a, u32 b)                                                                            \
    {                                                                                                                  \
        u32 low = rank_half(a) < rank_half(b) ? a : b;                                                                 \
        return is_nan_##T(a) ? (is_nan_##T(b) ? 0x7fff : b) : is_nan_##T(b) ? a : low;                                 \
    }                                                                                                                  \
    static inline u32 max_##T(u32 a, u32 b)                                                                            \
    {                                                                                                                  \
        u32 high = rank_half(a) > rank_half(b) ? a : b;                                                                \
        return is_nan_##T(a) ? (is_nan_##T(b) ? 0x7fff : b) : is_nan_##T(b) ? a : high;                                \
    }                                                                                                                  \
    static inline u32 min_nan_##T(u32 a, u32 b)                                                                        \
    {                                                                                                                  \
        return is_nan_##T(a) || is_nan_##T(b) ? 0x7fff : rank_half(a) < rank_half(b) ? a : b;                          \
    }                                                                                                                  \
    static inline u32 max_nan_##T(u32 a, u32 b)                                                                        \
    {                                                                                                                  \
        return is_nan_##T(a) || is_nan_##T(b) ? 0x7fff : rank_half(a) > rank_half(b) ? a : b;                          \
    }                                                                                                                  \
    static inline u32 ftz_##T(u32 a)                                                                                   \
    {                                                                                                                  \
        return a & INFINITY_BITS ? a : a & 0x8000;                                                                     \
    }                                                                                                                  \
    static inline u32 sat_##T(u32 a)                                                                                   \
    {                                                                                                                  \
        return a & 0x8000 || is_nan_##T(a) ? 0 : a > ONE ? ONE : a;                                                    \
    }                                                                                                                  \
    static inline u32 relu_##T(u32 a)                                                                                  \
    {                                                                                                                  \
        return is_nan_##T(a) ? 0x7fff : a & 0x8000 ? 0 : a;                                                            \
    }                                                                                                                  \
    static inline u32 satfinite_##T(u32 a)                                                                             \
    {                                                                                                                  \
        return (a & 0x7fff) == INFINITY_BITS ? (a & 0x8000) | LARGEST : a;                                             \
    }                                                                                                                  \
    static inline u32 ex2_##T(u32 a)                                                                                   \
    {                                                                                                                  \
        return cut_##T(exp2f(f32_##T(a)));                                                                             \
    }                                                                                                                  \
    static inline u32 tanh_##T(u32 a)                                                                                  \
    {                                                                                                                  \
        return cut_##T(tanhf(f32_##T(a)));                                                                             \
    }                                                                                                                  \
    /* directed rounding; aux is the C rounding mode; imm: a NaN keeps what it can, else it is the usual one */        \
    SL_HANDLER(cvt_round_##T##_f64)                                                                                    \
    {                                                                                                                  \
        u16 *d = sl_operand(w, o->d);                                                                                  \
        const f64 *a = sl_operand(w, o->a);                                                                            \
        SL_EACH_ACTIVE(w, i)                                                                                           \
        {                                                                                                              \
            u32 rounded = sl_f64_to_##T(a[i], (int)o->aux);                                                            \
            d[i] = (u16)(o->imm ? keep_nan_##T(a[i], rounded) : rounded);                                              \
        }                                                                                                              \
    }
SL_HALF_RANGE(f16, 0x7c00u, 0x3c00u, 0x7bffu)
SL_HALF_RANGE(bf16, 0x7f80u, 0x3f80u, 0x7f7fu)

/* ---- tf32: f32 with ten bits of fraction ---- */

static inline u32 tf32_rna(u32 a) /* a NaN keeps its sign and the top of its fraction */
{
    return ((a & 0x7fffffff) < 0x7f800000 ? a + 0x1000 : a) & ~0x1fffu;
}

static inline u32 tf32_rz(u32 a)
{
    return (a & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : a & ~0x1fffu;
}

static inline f32 relu_f32(f32 a)
{
    return a <= 0 ? 0 : a; /* also for -0; NaN stays */
}

/* ---- pairs of 16-bit integers ---- */

static inline u32 pair(u32 low, u32 high)
{
    return (low & 0xffff) | high << 16;
}

static inline u32 add_u16(u32 a, u32 b)
{
    return a + b;
}

static inline u32 min_u16(u32 a, u32 b)
{
    return (a & 0xffff) < (b & 0xffff) ? a : b;
}

static inline u32 max_u16(u32 a, u32 b)
{
    return (a & 0xffff) > (b & 0xffff) ? a : b;
}

static inline u32 min_s16(u32 a, u32 b)
{
    return (s16)a < (s16)b ? a : b;
}

static inline u32 max_s16(u32 a, u32 b)
{
    return (s16)a > (s16)b ? a : b;
}

#define SL_OP1_HALF SL_DEFINE1
#define SL_OP2_HALF SL_DEFINE2
#define SL_OP3_HALF SL_DEFINE3
#include "emu/exec_family.h"

/* aux: the bits of a target, +0x100 when it is signed. c: what is shifted up to make room. */
SL_HANDLER(cvt_pack)
{
    u32 *d = sl_operand(w, o->d);
    const s32 *a = sl_operand(w, o->a), *b = sl_operand(w, o->b);
    const u32 *c = sl_operand(w, o->c);
    u32 bits = o->aux & 0xff, mask = (1u << bits) - 1;
    s32 low = o->aux & 0x100 ? -(1 << (bits - 1)) : 0, high = o->aux & 0x100 ? (1 << (bits - 1)) - 1 : (s32)mask;
    SL_WRITE_LANES(w, d, ({
                       u32 x = (u32)(a[i] < low ? low : a[i] > high ? high : a[i]) & mask;
                       u32 y = (u32)(b[i] < low ? low : b[i] > high ? high : b[i]) & mask;
                       (bits == 16 ? 0 : c[i] << 2 * (bits & 15)) | x << bits | y;
                   }));
}

/* aux: 1 max (else min), 2 NaN wins, 4 of the absolute values. b: member mask. */
SL_HANDLER(redux_f32)
{
    u32 *d = sl_operand(w, o->d);
    const u32 *a = sl_operand(w, o->a), *members = sl_operand(w, o->b);
    for (int half = 0; half < SL_LANES / 32; half++) {
        u32 active = (u32)(w->mask >> 32 * half);
        if (!active)
            continue;
        u32 group = active & members[32 * half + __builtin_ctz(active)], result = 0x7fffffff;
        bool any = false, nan = false;
        for (u32 left = group; left; left &= left - 1) {
            u32 x = a[32 * half + __builtin_ctz(left)];
            x = o->aux & 4 ? x & 0x7fffffff : x;
            if ((x & 0x7fffffff) > 0x7f800000) {
                nan = true;
                continue;
            }
            s32 rank = x >> 31 ? (s32) ~(x & 0x7fffffff) : (s32)x;
            s32 best = result >> 31 ? (s32) ~(result & 0x7fffffff) : (s32)result;
            if (!any || (o->aux & 1 ? rank > best : rank < best))
                result = x;
            any = true;
        }
        if (nan && o->aux & 2)
            result = 0x7fffffff;
        for (u32 left = active; left; left &= left - 1)
            d[32 * half + __builtin_ctz(left)] = result;
    }
}
