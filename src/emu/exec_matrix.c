/* SPDX-License-Identifier: MIT */
/* Matrices spread over the 32 lanes of a warp (a 64-lane warp holds two such sets side by side).
 *
 * Fragments lie as the PTX ISA says for mma; those of wmma, which it does not define, lie as the same products would
 * need them. With g = lane / 4 and t = lane % 4, and registers that hold `per` neighbouring elements along k: a factor
 * in tiles of 16 lines   register r holds line g + 8 * (r & 1), k = (r / 2) * 4 * per + t * per … a factor in tiles of
 * 8 lines    register r holds line g,               k = r * 4 * per + t * per … a sum in tiles of 16 x 8        item i
 * is row g + 8 * (i / 2), column 2 * t + (i & 1) (a line is a row of A or a column of B).
 *
 * Products of f16, bf16 and tf32 are summed as the tensor cores of an H200 do it, to the bit (measured on one): exact
 * products and c are aligned to the largest exponent among them, each is cut off 25 bits below it, and the sum is cut
 * off to f32 or rounded to f16. Eight-bit floats take two such steps and a plain addition of c. f64 is a chain of fused
 * multiply-adds with k ascending. Integer results are exact, wrapped or saturated. */
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

/* ---- where elements lie ---- */

typedef struct factor {
    int lines, k, per; /* per: elements in a register */
    bool wide;         /* tiles of 16 lines, else of 8 */
} factor;

static inline factor factor_of(const shape *s, bool is_a, bool wmma, u32 type)
{
    int lines = is_a ? s->m : s->n;
    bool wide = wmma && !is_a ? lines == 32 : is_a && lines >= 16;
    return (factor){lines, s->k, elements_per_register(type), wide};
}

static inline int tile_registers(const factor *f)
{
    return (f->wide ? 16 : 8) * f->k / 32 / f->per;
}

static inline int factor_registers(const factor *f)
{
    return tile_registers(f) * f->lines / (f->wide ? 16 : 8);
}

/* Line and first k of a lane's register. */
static inline void factor_spot(const factor *f, int reg, int lane, int *line, int *k)
{
    int in_tile = tile_registers(f), tile = reg / in_tile, r = reg % in_tile, g = lane >> 2, t = lane & 3;
    *line = f->wide ? 16 * tile + g + 8 * (r & 1) : 8 * tile + g;
    *k = ((f->wide ? r >> 1 : r) * 4 + t) * f->per;
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

/* ---- products ---- */

static void gather(const sl_warp *w, const u32 *refs, int half, u32 type, const factor *f, f64 *out, int line_step,
                   int k_step)
{
    int regs = factor_registers(f);
    for (int r = 0; r < regs; r++) {
        const u8 *reg = (const u8 *)sl_operand(w, refs[r]) + 32 * half * (type == SL_MATRIX_F64 ? 8 : 4);
        for (int lane = 0; lane < 32; lane++) {
            int line, k;
            factor_spot(f, r, lane, &line, &k);
            for (int e = 0; e < f->per; e++)
                out[line * line_step + (k + e) * k_step] = element(type, reg, lane, e);
        }
    }
}

/* Elements of 16 bits as they are: the four lanes of a line hold eight neighbours along k. */
static void gather_halves(const sl_warp *w, const u32 *refs, int half, const factor *f, u16 *out, int line_step,
                          int k_step)
{
    int regs = factor_registers(f);
    for (int r = 0; r < regs; r++) {
        const u16 *reg = (const u16 *)sl_operand(w, refs[r]) + 64 * half;
        int line, k;
        factor_spot(f, r, 0, &line, &k);
        u16 *to = &out[line * line_step + k * k_step];
        for (int g = 0; g < 8; g++)
            for (int e = 0; e < 8; e++)
                to[g * line_step + e * k_step] = reg[8 * g + e];
    }
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

/* Counts of differing bits: of 0 and 1, the square of the difference. */
static void count_differences(const shape *s, const f64 *a, const f64 *b, f64 *sum)
{
    for (int row = 0; row < s->m; row++)
        for (int k = 0; k < s->k; k++)
            for (int col = 0; col < s->n; col++) {
                f64 difference = a[row * s->k + k] - b[k * s->n + col];
                sum[row * s->n + col] += difference * difference;
            }
}

/* list: the registers of d, a, b, c. aux, imm: see matrix.h. */
SL_HANDLER(mma)
{
    shape s = unpack_shape((u64)o->imm);
    u32 type_d = o->aux & 15, type_a = o->aux >> 4 & 15, type_b = o->aux >> 8 & 15, type_c = o->aux >> 12 & 15;
    bool wmma = o->aux & SL_MATRIX_WMMA;
    factor fa = factor_of(&s, true, wmma, type_a), fb = factor_of(&s, false, wmma, type_b);
    bool duplicated = wmma && type_a == SL_MATRIX_F16;
    int regs_d = sum_items(&s) / elements_per_register(type_d);
    int regs_a = duplicated ? 8 : factor_registers(&fa), regs_b = duplicated ? 8 : factor_registers(&fb);
    const u32 *d = &w->code->list[o->list], *a = d + regs_d, *b = a + regs_a, *c = b + regs_b;
    bool halves = type_a == SL_MATRIX_F16 || type_a == SL_MATRIX_BF16;
    _Alignas(64) f64 factor_a[MAX_FACTOR], factor_b[MAX_FACTOR], sum[MAX_SUM];
    u16 half_a[MAX_TENSOR], half_b[MAX_TENSOR];
    for (int half = 0; half < HALVES; half++) {
        if (!(u32)(w->mask >> 32 * half))
            continue;
        gather_sum(w, c, half, type_c, &s, sum);
        if (halves) {
            gather_halves(w, a, half, &fa, half_a, s.k, 1);
            gather_halves(w, b, half, &fb, half_b, 1, s.n);
        }
        if (!halves || !tensor_halves(&s, type_a, half_a, half_b, sum)) {
            gather(w, a, half, type_a, &fa, factor_a, s.k, 1);
            gather(w, b, half, type_b, &fb, factor_b, 1, s.n);
            if (o->aux & SL_MATRIX_XOR)
                count_differences(&s, factor_a, factor_b, sum);
            else
                multiply_typed(&s, type_a, factor_a, factor_b, sum);
        }
        if (type_d == SL_MATRIX_F32)
            scatter_f32(w, d, half, &s, sum);
        else
            scatter_sum(w, d, half, type_d, &s, sum, o->aux & SL_MATRIX_SATFINITE);
    }
}

/* mma.m8n8k4 of halves: each pair of quads (lanes q … q + 3 and q + 16 … q + 19) multiplies separate matrices. */
static inline void quad_sum_spot(u32 type, int lane, int i, int *row, int *col)
{
    int upper = lane & 16 ? 4 : 0;
    *row = type == SL_MATRIX_F16 ? (lane & 3) + upper : (lane & 1) + (i & 2) + upper;
    *col = type == SL_MATRIX_F16 ? i : (i & 4) + (lane & 2) + (i & 1);
}

static void multiply_quads(const sl_warp *w, const sl_op *o, int half, int quad)
{
    const shape s = {8, 8, 4};
    u32 type_d = o->aux & 15, type_c = o->aux >> 12 & 15;
    int per_d = elements_per_register(type_d), per_c = elements_per_register(type_c);
    const u32 *d = &w->code->list[o->list], *a = d + 8 / per_d, *b = a + 2, *c = b + 2;
    f64 factor_a[32], factor_b[32], sum[64];
    for (int k = 0; k < 8; k++) {
        int lane = 4 * quad + (k & 3) + (k & 4 ? 16 : 0), at = 32 * half + lane, x = lane & 3, upper = k & 4;
        for (int i = 0; i < 4; i++) {
            f64 va = element(SL_MATRIX_F16, sl_operand(w, a[i / 2]), at, i & 1);
            f64 vb = element(SL_MATRIX_F16, sl_operand(w, b[i / 2]), at, i & 1);
            factor_a[o->aux & SL_MATRIX_A_COL ? (i + upper) * 4 + x : (x + upper) * 4 + i] = va;
            factor_b[o->aux & SL_MATRIX_B_ROW ? x * 8 + i + upper : i * 8 + x + upper] = vb;
        }
        for (int i = 0; i < 8; i++) {
            int row, col;
            quad_sum_spot(type_c, lane, i, &row, &col);
            sum[row * 8 + col] = element(type_c, sl_operand(w, c[i / per_c]), at, i % per_c);
        }
    }
    multiply_typed(&s, SL_MATRIX_F16, factor_a, factor_b, sum);
    for (int k = 0; k < 8; k++) {
        int lane = 4 * quad + (k & 3) + (k & 4 ? 16 : 0), at = 32 * half + lane;
        for (int i = 0; i < 8 && w->mask >> at & 1; i += per_d) {
            u32 bits = 0;
            for (int e = 0; e < per_d; e++) {
                int row, col;
                quad_sum_spot(type_d, lane, i + e, &row, &col);
                bits |= (u32)result_bits(sum[row * 8 + col], type_d, false) << 16 * e;
            }
            ((u32 *)sl_operand(w, d[i / per_d]))[at] = bits;
        }
    }
}

SL_HANDLER(mma_quads)
{
    for (int half = 0; half < HALVES; half++)
        for (int quad = 0; quad < 4; quad++)
            multiply_quads(w, o, half, quad);
}

/* ---- wmma.load and wmma.store ---- */

typedef struct memory_matrix {
    shape s;
    u32 role, type;
    bool columns;
    int rows, cols, regs, per;
    factor f;
} memory_matrix;

static memory_matrix matrix_of(const sl_warp *w, const sl_op *o)
{
    const u32 *list = &w->code->list[o->list];
    memory_matrix m = {.s = unpack_shape((u64)list[1] << 32 | list[0]),
                       .role = o->aux >> SL_MATRIX_ROLE_SHIFT & 3,
                       .type = o->aux >> SL_MATRIX_TYPE_SHIFT & 15,
                       .columns = o->aux & SL_MATRIX_COLUMNS,
                       .regs = o->count};
    m.rows = m.role == 1 ? m.s.k : m.s.m;
    m.cols = m.role == 0 ? m.s.k : m.s.n;
    m.per = elements_per_register(m.type);
    m.f = factor_of(&m.s, m.role == 0, true, m.type);
    return m;
}

/* Row and column of element e of a register. Halves fill eight registers: what is left over repeats the first ones. */
static inline void matrix_spot(const memory_matrix *m, int reg, int e, int lane, int *row, int *col)
{
    if (m->role == 2) {
        sum_spot(&m->s, reg * m->per + e, lane, row, col);
        return;
    }
    int line, k;
    factor_spot(&m->f, reg % factor_registers(&m->f), lane, &line, &k);
    *row = m->role == 0 ? line : k + e;
    *col = m->role == 0 ? k + e : line;
}

/* The lanes share the bytes of the matrix evenly, row after row (or column after column): that is what is recorded. */
static void record_matrix(sl_warp *w, const sl_op *o, const memory_matrix *m, const u64 *base, const u32 *stride)
{
    if (!(w->stream || w->counter) || o->slot == UINT32_MAX)
        return;
    _Alignas(64) u64 addr[SL_LANES];
    u32 run = (u32)(m->columns ? m->rows : m->cols) * o->size; /* bytes that lie together */
    u32 share = (u32)(m->rows * m->cols) * o->size / 32;
    for (int i = 0; i < SL_LANES; i++) {
        u32 at = (u32)(i & 31) * share;
        addr[i] = base[i] + (u64)(at / run) * stride[i] * o->size + at % run;
    }
    sl_warp_record(w, o, w->mask, addr);
}

static void move_matrix(sl_warp *w, const sl_op *o, bool store)
{
    _Alignas(64) u64 base[SL_LANES];
    u32 stride[SL_LANES];
    memory_matrix m = matrix_of(w, o);
    const u32 *list = &w->code->list[o->list];
    bool check = w->worker->run->emu->config.check_uninit;
    addresses(w, o, base);
    memcpy(stride, sl_operand(w, list[2]), sizeof stride); /* the result may overwrite it */
    record_matrix(w, o, &m, base, stride);
    for (int reg = 0; reg < m.regs; reg++) {
        u8 *result = sl_operand(w, list[3 + reg]);
        SL_EACH_ACTIVE(w, i)
        {
            u8 *word = result + (size_t)i * (m.type == SL_MATRIX_F64 ? 8 : 4);
            for (int e = 0; e < m.per; e++) {
                int row, col;
                matrix_spot(&m, reg, e, i & 31, &row, &col);
                u64 index = m.columns ? (u64)col * stride[i] + (u64)row : (u64)row * stride[i] + (u64)col;
                u64 addr = base[i] + index * o->size;
                void *memory = sl_memory_resolve(w, o, i, addr, o->size, store);
                if (check && store)
                    sl_memory_mark_written(w, o, i, addr, o->size);
                if (check && !store)
                    sl_memory_check_read(w, o, i, addr, o->size);
                if (store)
                    memcpy(memory, word + e * o->size, o->size);
                else
                    memcpy(word + e * o->size, memory, o->size);
            }
        }
    }
}

SL_HANDLER(wmma_load)
{
    move_matrix(w, o, false);
}

SL_HANDLER(wmma_store)
{
    move_matrix(w, o, true);
}

/* ---- 8 x 8 matrices of 16 bits: lane l holds row l / 4, columns 2 * (l % 4) and the next ---- */

/* Row r of matrix j lies at the address of lane 8 * j + r: only these addresses count, and are recorded. */
static void matrix_rows(sl_warp *w, const sl_op *o, bool store, u8 *row[SL_LANES])
{
    _Alignas(64) u64 addr[SL_LANES];
    addresses(w, o, addr);
    u64 rows = o->count == 4 ? UINT32_MAX : ((u64)1 << 8 * o->count) - 1, used = w->mask & (rows | rows << 32);
    sl_warp_record(w, o, used, used ? addr : NULL);
    bool check = w->worker->run->emu->config.check_uninit;
    for (int i = 0; i < SL_LANES; i++) {
        row[i] = NULL;
        if (!(used >> i & 1))
            continue;
        row[i] = sl_memory_resolve(w, o, i, addr[i], 16, store);
        if (check && store)
            sl_memory_mark_written(w, o, i, addr[i], 16);
        if (check && !store)
            sl_memory_check_read(w, o, i, addr[i], 16);
    }
}

static inline u16 *matrix_item(u8 *const *row, int line, int col)
{
    return row[line] ? (u16 *)(void *)row[line] + col : NULL;
}

SL_HANDLER(ldmatrix)
{
    u8 *row[SL_LANES];
    matrix_rows(w, o, false, row);
    for (u32 j = 0; j < o->count; j++) {
        u32 *d = sl_operand(w, w->code->list[o->list + j]);
        SL_EACH_ACTIVE(w, i)
        {
            int first = (i & 32) + 8 * (int)j, r = (i & 31) >> 2, c = 2 * (i & 3);
            bool turned = o->aux & SL_MATRIX_TRANSPOSED;
            const u16 *low = turned ? matrix_item(row, first + c, r) : matrix_item(row, first + r, c);
            const u16 *high = turned ? matrix_item(row, first + c + 1, r) : matrix_item(row, first + r, c + 1);
            d[i] = (low ? *low : 0) | (u32)(high ? *high : 0) << 16;
        }
    }
}

SL_HANDLER(stmatrix)
{
    u8 *row[SL_LANES];
    matrix_rows(w, o, true, row);
    for (u32 j = 0; j < o->count; j++) {
        const u32 *a = sl_operand(w, w->code->list[o->list + j]);
        SL_EACH_ACTIVE(w, i)
        {
            int first = (i & 32) + 8 * (int)j, r = (i & 31) >> 2, c = 2 * (i & 3);
            bool turned = o->aux & SL_MATRIX_TRANSPOSED;
            u16 *low = turned ? matrix_item(row, first + c, r) : matrix_item(row, first + r, c);
            u16 *high = turned ? matrix_item(row, first + c + 1, r) : matrix_item(row, first + r, c + 1);
            if (low)
                *low = (u16)a[i];
            if (high)
                *high = (u16)(a[i] >> 16);
        }
    }
}

SL_HANDLER(movmatrix)
{
    u32 *d = sl_operand(w, o->d), source[SL_LANES];
    memcpy(source, sl_operand(w, o->a), sizeof source);
    SL_EACH_ACTIVE(w, i)
    {
        int r = (i & 31) >> 2, c = 2 * (i & 3), from = (i & 32) + 4 * c + r / 2, shift = 16 * (r & 1);
        d[i] = (source[from] >> shift & 0xffff) | (source[from + 4] >> shift & 0xffff) << 16;
    }
}
