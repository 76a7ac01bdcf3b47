/* SPDX-License-Identifier: MIT */
/* Sums of products as tensor cores make them, of tiles whose sums lie in the registers of 32 lanes.
 *
 * Products of f16, bf16 and tf32 are summed as the tensor cores of an H200 do it, to the bit (measured on one): exact
 * products and c are aligned to the largest exponent among them, each is cut off 25 bits below it, and the sum is cut
 * off to f32 or rounded to f16. Eight-bit floats of mma take two such steps and a plain addition of c. f64 is a chain
 * of fused multiply-adds with k ascending. Integer results are exact, wrapped or saturated. */
#ifndef SL_EMU_EXEC_TENSOR_H
#define SL_EMU_EXEC_TENSOR_H

#include "emu/exec_access.h"
#include "emu/exec_half.h"
#include "emu/half.h"
#include "emu/matrix.h"

enum { HALVES = SL_LANES / 32, MAX_FACTOR = 16 * 256, MAX_TENSOR = 32 * 16, MAX_SUM = 256 };

typedef struct shape {
    int m, n, k;
} shape;

static inline shape unpack_shape(u64 packed)
{
    return (shape){(int)(packed & 0xffff), (int)(packed >> 16 & 0xffff), (int)(packed >> 32 & 0xffff)};
}

static inline int bits_of(u32 type)
{
    static const u8 bits[SL_MATRIX_TYPES] = {16, 16, 32, 32, 64, 8, 8, 4, 4, 1, 8, 8, 32};
    return bits[type];
}

static inline int elements_per_register(u32 type)
{
    return (type == SL_MATRIX_F64 ? 64 : 32) / bits_of(type);
}

/* Element e of a lane's register as a number. */
static inline __attribute__((always_inline)) f64 element(u32 type, const void *reg, int lane, int e)
{
    if (type == SL_MATRIX_F64)
        return ((const f64 *)reg)[lane];
    u32 word = ((const u32 *)reg)[lane];
    switch (type) {
    case SL_MATRIX_F16:
        return f32_f16(word >> 16 * e & 0xffff);
    case SL_MATRIX_BF16:
        return f32_bf16(word >> 16 * e & 0xffff);
    case SL_MATRIX_TF32:
        return from_bits_f32(word & ~0x1fffu);
    case SL_MATRIX_F32:
        return from_bits_f32(word);
    case SL_MATRIX_S8:
        return (s8)(word >> 8 * e);
    case SL_MATRIX_U8:
        return (u8)(word >> 8 * e);
    case SL_MATRIX_S4:
        return (s32)(word << (28 - 4 * e)) >> 28;
    case SL_MATRIX_U4:
        return word >> 4 * e & 15;
    case SL_MATRIX_B1:
        return word >> e & 1;
    case SL_MATRIX_E4M3:
        return f32_f16(sl_e4m3_to_f16((u8)(word >> 8 * e)));
    case SL_MATRIX_E5M2:
        return f32_f16(sl_e5m2_to_f16((u8)(word >> 8 * e)));
    default:
        return (s32)word;
    }
}

static inline void sum_spot(const shape *s, int item, int lane, int *row, int *col)
{
    int tile = item >> 2, g = lane >> 2, t = lane & 3;
    *row = g + 8 * (item >> 1 & 1);
    *col = 2 * t + (item & 1);
    if (s->n == 32) { /* 8 x 32: a 32 x 8 turned over */
        int turned = *col;
        *col = *row + 16 * tile;
        *row = turned;
    } else if (s->n == 16) {
        *col += 8 * tile;
    } else {
        *row += 16 * tile;
    }
}

/* Where the item lies in a sum of rows of n. */
static inline int sum_index(const shape *s, int item, int lane)
{
    if (s->n == 8) /* all shapes of mma: the lanes of a row follow one another */
        return 64 * (item >> 1) + 2 * lane + (item & 1);
    int row, col;
    sum_spot(s, item, lane, &row, &col);
    return row * s->n + col;
}

static inline int sum_items(const shape *s)
{
    return s->m * s->n / 32;
}

static void gather_sum(const sl_warp *w, const u32 *refs, int half, u32 type, const shape *s, f64 *out)
{
    int items = sum_items(s), per = elements_per_register(type);
    for (int i = 0; i < items; i++) {
        const u8 *reg = (const u8 *)sl_operand(w, refs[i / per]) + 32 * half * (type == SL_MATRIX_F64 ? 8 : 4);
        if (type == SL_MATRIX_F32) /* the usual type has a specialised loop, here and below */
            for (int lane = 0; lane < 32; lane++)
                out[sum_index(s, i, lane)] = element(SL_MATRIX_F32, reg, lane, 0);
        else
            for (int lane = 0; lane < 32; lane++)
                out[sum_index(s, i, lane)] = element(type, reg, lane, i % per);
    }
}

/* Rounding toward zero. */
static inline f32 cut_f32(f64 x)
{
    f32 rounded = (f32)x;
    return fabs((f64)rounded) > fabs(x) && !isinf(rounded) ? from_bits_f32(bits_f32(rounded) - 1) : rounded;
}

/* A result as the bits of its register (f16: of its half). */
static inline u64 result_bits(f64 x, u32 type, bool saturate)
{
    switch (type) {
    case SL_MATRIX_F64:
        return bits_f64(x);
    case SL_MATRIX_F16:
        return f16_f64(x);
    case SL_MATRIX_S32:
        if (saturate)
            x = x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
        return (u32)(s64)x;
    default:
        return x != x ? 0x7fffffff : bits_f32(cut_f32(x));
    }
}

static void scatter_f32(const sl_warp *w, const u32 *refs, int half, const shape *s, const f64 *in)
{
    _Alignas(64) u32 bits[MAX_SUM];
    u32 active = (u32)(w->mask >> 32 * half);
    for (int i = 0; i < s->m * s->n; i++)
        bits[i] = (u32)result_bits(in[i], SL_MATRIX_F32, false);
    for (int i = 0; i < sum_items(s); i++) {
        u32 *reg = (u32 *)sl_operand(w, refs[i]) + 32 * half;
        for (int lane = 0; lane < 32; lane++)
            reg[lane] = active >> lane & 1 ? bits[sum_index(s, i, lane)] : reg[lane];
    }
}

static void scatter_sum(const sl_warp *w, const u32 *refs, int half, u32 type, const shape *s, const f64 *in,
                        bool saturate)
{
    int items = sum_items(s), per = elements_per_register(type);
    for (int i = 0; i < items; i += per) {
        void *reg = sl_operand(w, refs[i / per]);
        for (u32 left = (u32)(w->mask >> 32 * half); left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            u64 bits = 0;
            for (int e = 0; e < per; e++)
                bits |= result_bits(in[sum_index(s, i + e, lane)], type, saturate) << 16 * e;
            if (type == SL_MATRIX_F64)
                ((u64 *)reg)[32 * half + lane] = bits;
            else
                ((u32 *)reg)[32 * half + lane] = (u32)bits;
        }
    }
}

/* sum[m][n] += a[m][k] * b[k][n]. */
static void multiply(const shape *s, const f64 *restrict a, const f64 *restrict b, f64 *restrict sum, bool fused)
{
    for (int row = 0; row < s->m; row++)
        for (int first = 0; first < s->n; first += 8) {
            f64 part[8];
            for (int j = 0; j < 8; j++)
                part[j] = sum[row * s->n + first + j];
            for (int k = 0; k < s->k; k++) {
                f64 x = a[row * s->k + k];
                const f64 *y = &b[k * s->n + first];
                if (fused) {
                    for (int j = 0; j < 8; j++)
                        part[j] = __builtin_fma(x, y[j], part[j]);
                } else {
                    for (int j = 0; j < 8; j++)
                        part[j] += x * y[j];
                }
            }
            for (int j = 0; j < 8; j++)
                sum[row * s->n + first + j] = part[j];
        }
}

/* ---- sums of tensor cores ---- */

enum {
    KEPT = 25,        /* bits below the largest exponent */
    LOWEST = -100000, /* less than any exponent, and so is anything below NO_EXPONENT: a sum of two with one of these */
    NO_EXPONENT = -50000,
};

/* Numbers as mantissa * 2^(exponent - 10), with the exponent that the format stores: subnormals have the lowest one,
 * and zeros one that is below any product's. */
typedef struct parts {
    _Alignas(64) s32 mantissa[MAX_TENSOR];
    _Alignas(64) s32 exponent[MAX_TENSOR];
} parts;

static void split(const f64 *x, int count, int min, parts *out)
{
    for (int i = 0; i < count; i++) {
        u64 bits = bits_f64(x[i]);
        s32 exponent = (s32)(bits >> 52 & 0x7ff) - 1023, mantissa = (s32)(bits >> 42 & 0x3ff) | 0x400;
        s32 below = min - exponent;
        mantissa = below > 0 ? mantissa >> (below > 31 ? 31 : below) : mantissa;
        out->mantissa[i] = (s64)bits < 0 ? -mantissa : mantissa;
        out->exponent[i] = !mantissa ? LOWEST : below > 0 ? min : exponent;
    }
}

/* The same of 16-bit floats with `fraction` bits behind the point. False: there are infinities or NaN. */
static inline __attribute__((always_inline)) bool split_halves(const u16 *x, int count, int fraction, parts *out)
{
    s32 last = (1 << (15 - fraction)) - 1, special = 0;
    for (int i = 0; i < count; i++) {
        s32 bits = x[i], stored = bits >> fraction & last;
        s32 mantissa = ((bits & ((1 << fraction) - 1)) | (stored ? 1 << fraction : 0)) << (10 - fraction);
        special |= stored == last;
        out->mantissa[i] = bits >> 15 ? -mantissa : mantissa;
        out->exponent[i] = mantissa ? (stored ? stored : 1) - (last >> 1) : LOWEST;
    }
    return !special;
}

static inline f64 power_of_two(int exponent)
{
    return from_bits_f64((u64)(exponent + 1023) << 52);
}

/* Eight numbers side by side. */
typedef s32 s32x8 __attribute__((vector_size(32), may_alias));
typedef u32 u32x8 __attribute__((vector_size(32), may_alias));

/* sum += number * 2^left, whose magnitude is moved down to the largest exponent: what is moved out is cut off. */
static inline __attribute__((always_inline)) void add_aligned(s32x8 *sum, const s32x8 *number, int left,
                                                              const s32x8 *exponent, const s32x8 *largest)
{
    s32x8 sign = *number >> 31, distance = *largest - *exponent;
    u32x8 magnitude = (u32x8)((*number ^ sign) - sign) << left & (u32x8)(distance < 32);
    *sum += ((s32x8)(magnitude >> (u32x8)(distance & 31)) ^ sign) - sign;
}

/* Partial sums: c comes as parts, mantissa * 2^(exponent - 23), and the result is (low + high) * 2^(exponent -
 * KEPT), in two so that neither overflows. */
typedef struct sums {
    _Alignas(64) s32 low[MAX_SUM];
    _Alignas(64) s32 high[MAX_SUM];
    _Alignas(64) s32 exponent[MAX_SUM];
} sums;

/* Eight columns of one row: the sum of a[k] * b[k][j] and what *_j holds, for up to 16 k. The vectors are spelled out
 * because compilers unroll loops of eight before they look for vectors; plain loops took five times as long. */
static inline __attribute__((always_inline)) void align_and_add(const s32 *a, const s32 *a_exponent, const s32 *b,
                                                                const s32 *b_exponent, int k_count, int n, s32 *low_j,
                                                                s32 *high_j, s32 *exponent_j)
{
    s32x8 c = *(s32x8 *)(void *)low_j, c_exponent = *(s32x8 *)(void *)exponent_j, largest = c_exponent;
    s32x8 product[16], exponent[16], low = {0}, high = {0};
    for (int k = 0; k < k_count; k++) {
        product[k] = a[k] * *(const s32x8 *)(const void *)&b[k * n];
        exponent[k] = a_exponent[k] + *(const s32x8 *)(const void *)&b_exponent[k * n];
        s32x8 larger = exponent[k] > largest;
        largest = (exponent[k] & larger) | (largest & ~larger);
    }
    add_aligned(&low, &c, KEPT - 23, &c_exponent, &largest);
    for (int k = 0; k < k_count; k++)
        add_aligned(k < 8 ? &low : &high, &product[k], KEPT - 20, &exponent[k], &largest);
    *(s32x8 *)(void *)low_j = low;
    *(s32x8 *)(void *)high_j = high;
    *(s32x8 *)(void *)exponent_j = largest;
}

static inline bool all_finite(const f64 *x, int count)
{
    u64 special = 0;
    for (int i = 0; i < count; i++)
        special |= (bits_f64(x[i]) >> 52 & 0x7ff) == 0x7ff;
    return !special;
}

static inline __attribute__((always_inline)) void tensor_rows(const shape *s, int k, int n, parts *a, parts *b, sums *t)
{
    for (int row = 0; row < s->m; row++)
        for (int first = 0; first < n; first += 8) {
            int at = row * n + first;
            align_and_add(&a->mantissa[row * k], &a->exponent[row * k], &b->mantissa[first], &b->exponent[first], k, n,
                          &t->low[at], &t->high[at], &t->exponent[at]);
        }
}

static void tensor_parts(const shape *s, parts *a, parts *b, f64 *sum)
{
    sums t;
    int count = s->m * s->n;
    for (int i = 0; i < count; i++) {
        u32 bits = bits_f32((f32)sum[i]);
        s32 stored = (s32)(bits >> 23 & 0xff), magnitude = (s32)(bits & 0x7fffff) | (stored ? 0x800000 : 0);
        t.low[i] = bits >> 31 ? -magnitude : magnitude;
        t.exponent[i] = magnitude ? (stored ? stored : 1) - 127 : LOWEST;
    }
    if (s->k == 16 && s->n == 8) /* the usual shape */
        tensor_rows(s, 16, 8, a, b, &t);
    else
        tensor_rows(s, s->k, s->n, a, b, &t);
    for (int i = 0; i < count; i++) {
        f64 exact = (f64)t.low[i] + (f64)t.high[i], unit = power_of_two(t.exponent[i] - KEPT);
        sum[i] = t.exponent[i] < NO_EXPONENT ? 0 : exact * unit;
    }
}

/* sum[m][n] += a[m][k] * b[k][n] in one step. */
static void tensor_step(const shape *s, const f64 *a, const f64 *b, f64 *sum, int min)
{
    parts pa, pb;
    f64 special[MAX_SUM];
    bool finite = all_finite(a, s->m * s->k) && all_finite(b, s->k * s->n) && all_finite(sum, s->m * s->n);
    if (!finite) { /* infinities and NaN are what plain arithmetic makes of them */
        memcpy(special, sum, (size_t)(s->m * s->n) * sizeof *sum);
        multiply(s, a, b, special, false);
    }
    split(a, s->m * s->k, min, &pa);
    split(b, s->k * s->n, min, &pb);
    tensor_parts(s, &pa, &pb, sum);
    for (int i = 0; i < s->m * s->n && !finite; i++)
        if (special[i] - special[i] != 0)
            sum[i] = special[i];
}

/* The same of f16 and bf16, the usual factors, without the way over f64. False: there are infinities or NaN, and
 * nothing was done. */
static bool tensor_halves(const shape *s, u32 type, const u16 *a, const u16 *b, f64 *sum)
{
    parts pa, pb;
    int count_a = s->m * s->k, count_b = s->k * s->n;
    bool finite = all_finite(sum, s->m * s->n);
    if (type == SL_MATRIX_F16)
        finite = finite && split_halves(a, count_a, 10, &pa) && split_halves(b, count_b, 10, &pb);
    else
        finite = finite && split_halves(a, count_a, 7, &pa) && split_halves(b, count_b, 7, &pb);
    if (finite)
        tensor_parts(s, &pa, &pb, sum);
    return finite;
}

/* Eight-bit floats: the lower two bytes of every register, then the upper two, then c. */
static void tensor_bytes(const shape *s, const f64 *a, const f64 *b, f64 *sum)
{
    const shape half = {s->m, s->n, s->k / 2};
    f64 c[MAX_SUM], part_a[MAX_TENSOR], part_b[MAX_TENSOR];
    memcpy(c, sum, (size_t)(s->m * s->n) * sizeof *c);
    for (int i = 0; i < s->m * s->n; i++)
        sum[i] = 0;
    for (int upper = 0; upper < 2; upper++) {
        for (int k = 0; k < half.k; k++) {
            int from = k / 2 * 4 + 2 * upper + (k & 1);
            for (int row = 0; row < s->m; row++)
                part_a[row * half.k + k] = a[row * s->k + from];
            for (int col = 0; col < s->n; col++)
                part_b[k * s->n + col] = b[from * s->n + col];
        }
        tensor_step(&half, part_a, part_b, sum, -14);
        for (int i = 0; i < s->m * s->n; i++)
            sum[i] = cut_f32(sum[i]);
    }
    for (int i = 0; i < s->m * s->n; i++)
        sum[i] = (f32)sum[i] + (f32)c[i];
}

/* sum += a * b as the type asks. */
static void multiply_typed(const shape *s, u32 type, const f64 *a, const f64 *b, f64 *sum)
{
    switch (type) {
    case SL_MATRIX_F16:
        tensor_step(s, a, b, sum, -14);
        return;
    case SL_MATRIX_BF16:
    case SL_MATRIX_TF32:
        tensor_step(s, a, b, sum, -126);
        return;
    case SL_MATRIX_E4M3:
    case SL_MATRIX_E5M2:
        tensor_bytes(s, a, b, sum);
        return;
    default:
        multiply(s, a, b, sum, type == SL_MATRIX_F64);
        return;
    }
}

#endif
