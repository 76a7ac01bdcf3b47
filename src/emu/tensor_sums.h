/* SPDX-License-Identifier: MIT */
/* Sums of products as tensor cores make them, of tiles of eight columns: sum[m][8] += a[m][k] * b[k][8].
 *
 * Products of floats are summed as the tensor cores of an H200 do it, to the bit (measured on one): exact products and
 * c are aligned to the largest exponent among them, each is cut off `kept` bits below it, and the sum is cut off to f32
 * or rounded to f16. Integer results are exact, wrapped or saturated.
 *
 * Every type of a factor is first turned into f32, which holds it exactly. Next to each number stands its exponent as
 * the format stores it: subnormals have the lowest one, and zeros one that is below any product's. The largest sum of
 * two such exponents says where a sum is cut off: a product times 2^(kept - largest), converted to an integer, is
 * aligned and cut off at once. */
#ifndef SL_EMU_TENSOR_SUMS_H
#define SL_EMU_TENSOR_SUMS_H

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "emu/exec_half.h"
#include "emu/half.h"
#include "emu/matrix.h"

#define SL_INLINE static inline __attribute__((always_inline))

enum {
    COLUMNS = 8,          /* of a tile */
    MAX_FACTOR = 16 * 64, /* elements */
    MAX_SUM = 256,
    KEPT = 25,           /* bits below the largest exponent */
    KEPT_OF_BYTES = 13,  /* the same of wgmma of eight-bit floats */
    ZERO = -12000,       /* the exponent of zero */
    NO_EXPONENT = -6000, /* any sum of two with one of these is below */
    /* Where products and sums are normal f32: what lies outside is summed one by one. */
    SMALLEST = -100,
    GREATEST = 120,
    /* Exponents next to the factor's greatest, in bytes: LEAST or less; none of a zero. */
    LEAST = -62,
    NONE = -128,
};

/* A factor: rows of k numbers, or k rows of eight columns. Eight-bit floats of mma are two factors of k / 2, one after
 * the other: they are multiplied in two steps. */
typedef struct numbers {
    _Alignas(64) f32 value[MAX_FACTOR];
    _Alignas(64) s16 exponent[MAX_FACTOR];
    _Alignas(64) s8 below[MAX_FACTOR]; /* the exponent less the greatest one */
    s32 greatest;
    bool finite;
} numbers;

/* A sum: words of 32 bits (f32 or s32) or of 64, in rows of eight, one tile of columns after the other. */
typedef union tile_sum {
    _Alignas(64) f32 f[MAX_SUM];
    s32 i[MAX_SUM];
    u32 bits[MAX_SUM];
    f64 wide[MAX_SUM];
} tile_sum;

/* Vectors are spelled out because compilers unroll loops of eight before they look for vectors. They are handed on by
 * address: the ABI of vectors as arguments depends on the instruction set. */
typedef f32 f32x8 __attribute__((vector_size(32), may_alias));
typedef s32 s32x8 __attribute__((vector_size(32), may_alias));
typedef u32 u32x8 __attribute__((vector_size(32), may_alias));
typedef s16 s16x8 __attribute__((vector_size(16), may_alias));
typedef f32 f32x4 __attribute__((vector_size(16), may_alias));
typedef s32 s32x4 __attribute__((vector_size(16), may_alias));
#define SL_AT(T, array, index) (*(T *)(void *)&(array)[index])
#define SL_OF(T, array, index) (*(const T *)(const void *)&(array)[index])

/* ---- factors ---- */

/* out[k][8] = in[8][k] */
static void turn_halves(const u16 *in, int k, u16 *out)
{
    for (int i = 0; i < k; i += 8) {
        s16x8 pairs[8], quads[8];
        for (int j = 0; j < 4; j++) { /* lines j and j + 4 */
            const s16x8 *x = &SL_OF(s16x8, in, j * k + i), *y = &SL_OF(s16x8, in, (j + 4) * k + i);
            pairs[2 * j] = __builtin_shufflevector(*x, *y, 0, 8, 1, 9, 2, 10, 3, 11);
            pairs[2 * j + 1] = __builtin_shufflevector(*x, *y, 4, 12, 5, 13, 6, 14, 7, 15);
        }
        for (int j = 0; j < 4; j++) { /* lines j, j + 2, j + 4, j + 6 */
            const s16x8 *x = &pairs[j], *y = &pairs[j + 4];
            quads[2 * j] = __builtin_shufflevector(*x, *y, 0, 8, 1, 9, 2, 10, 3, 11);
            quads[2 * j + 1] = __builtin_shufflevector(*x, *y, 4, 12, 5, 13, 6, 14, 7, 15);
        }
        for (int j = 0; j < 4; j++) {
            const s16x8 *x = &quads[j], *y = &quads[j + 4];
            SL_AT(s16x8, out, 8 * (i + 2 * j)) = __builtin_shufflevector(*x, *y, 0, 8, 1, 9, 2, 10, 3, 11);
            SL_AT(s16x8, out, 8 * (i + 2 * j + 1)) = __builtin_shufflevector(*x, *y, 4, 12, 5, 13, 6, 14, 7, 15);
        }
    }
}

static void turn_values(const f32 *in, int k, f32 *out)
{
    for (int line = 0; line < COLUMNS; line += 4)
        for (int i = 0; i < k; i += 4) {
            const f32x4 *row[4];
            for (int j = 0; j < 4; j++)
                row[j] = &SL_OF(f32x4, in, (line + j) * k + i);
            f32x4 low01 = __builtin_shufflevector(*row[0], *row[1], 0, 4, 1, 5);
            f32x4 low23 = __builtin_shufflevector(*row[2], *row[3], 0, 4, 1, 5);
            f32x4 high01 = __builtin_shufflevector(*row[0], *row[1], 2, 6, 3, 7);
            f32x4 high23 = __builtin_shufflevector(*row[2], *row[3], 2, 6, 3, 7);
            f32 *to = &out[i * COLUMNS + line];
            SL_AT(f32x4, to, 0) = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
            SL_AT(f32x4, to, COLUMNS) = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
            SL_AT(f32x4, to, 2 * COLUMNS) = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
            SL_AT(f32x4, to, 3 * COLUMNS) = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
        }
}

static inline bool is_byte_float(u32 type)
{
    return type == SL_MATRIX_E4M3 || type == SL_MATRIX_E5M2;
}

static inline bool is_float(u32 type)
{
    return type <= SL_MATRIX_TF32 || is_byte_float(type);
}

/* f16 of eight-bit floats; e4m3 has no infinity, and one NaN of each sign. */
static void halves_of_bytes(u32 type, const u8 *restrict byte, int count, u16 *restrict half)
{
    if (type == SL_MATRIX_E5M2) {
        SL_LOOP(count) half[i] = (u16)(byte[i] << 8);
        return;
    }
    SL_LOOP(count)
    {
        s16 magnitude = byte[i] & 0x7f, sign = (s16)((byte[i] & 0x80) << 8);
        s16 normal = (s16)((magnitude << 7) + (8 << 10)); /* f16 has exponents that are 8 larger */
        s16 small = (s16)(magnitude * 0x1800);            /* 0 and 2^-9 */
        small = magnitude > 1 ? (s16)(0x1800 + magnitude * 0x200) : small;
        small = magnitude > 3 ? (s16)(0x1c00 + magnitude * 0x100) : small;
        s16 finite = magnitude < 8 ? small : normal;
        half[i] = (u16)(sign | (magnitude == 0x7f ? (s16)0x7fff : finite));
    }
}

/* Numbers from halves: f16 (ten bits of fraction) or bf16 (seven). `lowest`: the exponent that subnormals have. */
SL_INLINE void split_halves(const u16 *half, int count, int fraction, s16 lowest, f32 *value, s16 *exponent,
                            bool *finite)
{
    const s16 infinity = fraction == 10 ? 0x7c00 : 0x7f80, bias = fraction == 10 ? 15 : 127;
    s16 largest = 0;
    if (fraction == 7) {
        SL_LOOP(count) value[i] = f32_bf16(half[i]);
    } else {
#ifdef __F16C__
        for (int i = 0; i < count; i += 8)
            SL_AT(f32x8, value, i) = (f32x8)_mm256_cvtph_ps(SL_OF(__m128i, half, i));
#else
        SL_LOOP(count) value[i] = f32_f16(half[i]);
#endif
    }
    SL_LOOP(count)
    {
        s16 magnitude = (s16)(half[i] & 0x7fff), found = (s16)((magnitude >> fraction) - bias);
        found = found > lowest ? found : lowest;
        exponent[i] = magnitude ? found : (s16)ZERO;
        largest = largest > magnitude ? largest : magnitude;
    }
    *finite = *finite && largest < infinity;
}

/* The same of f32 with ten bits of fraction. */
static void split_words(const u32 *word, int count, f32 *value, s16 *exponent, bool *finite)
{
    s32 largest = 0;
    SL_LOOP(count)
    {
        s32 magnitude = (s32)(word[i] & 0x7fffe000), found = (magnitude >> 23) - 127;
        found = found > -126 ? found : -126;
        value[i] = from_bits_f32(word[i] & ~0x1fffu);
        exponent[i] = (s16)(magnitude ? found : ZERO);
        largest = largest > magnitude ? largest : magnitude;
    }
    *finite = *finite && largest < 0x7f800000;
}

/* Exponents next to the greatest of them. */
static void compare_exponents(numbers *x, int count)
{
    s16 greatest = ZERO;
    SL_LOOP(count) greatest = greatest > x->exponent[i] ? greatest : x->exponent[i];
    greatest = greatest == ZERO ? 0 : greatest;
    x->greatest = greatest;
    SL_LOOP(count)
    {
        s16 exponent = x->exponent[i], below = (s16)(exponent - greatest);
        below = below > LEAST ? below : LEAST;
        x->below[i] = (s8)(exponent == ZERO ? NONE : below);
    }
}

/* What a factor is made of: its lines (rows of a, columns of b) follow one another in memory, k elements each; k is a
 * multiple of eight. */
typedef struct factor_form {
    u32 type;
    int lines, k;
    bool columns; /* b: eight lines that become columns */
    bool group;   /* of wgmma */
    bool negated; /* of floats */
} factor_form;

static inline int factor_steps(const factor_form *f)
{
    return is_byte_float(f->type) && !f->group ? 2 : 1;
}

static void read_halves(const factor_form *f, const u16 *half, int count, int k, numbers *out, int at)
{
    _Alignas(64) u16 turned[MAX_FACTOR], copy[MAX_FACTOR];
    f32 *value = out->value + at;
    s16 *exponent = out->exponent + at;
    for (int i = 0; i < count && f->negated; i++)
        copy[i] = half[i] ^ 0x8000;
    const u16 *from = f->negated ? copy : half;
    if (f->columns) {
        turn_halves(from, k, turned);
        from = turned;
    }
    if (f->type == SL_MATRIX_BF16)
        split_halves(from, count, 7, -126, value, exponent, &out->finite);
    else /* e4m3 has a higher smallest exponent, but mma converts it to f16 first */
        split_halves(from, count, 10, f->group && f->type == SL_MATRIX_E4M3 ? -6 : -14, value, exponent, &out->finite);
}

static void read_byte_floats(const factor_form *f, const void *memory, numbers *out)
{
    const int count = f->lines * f->k, steps = factor_steps(f), part = count / steps;
    const u8 *bytes = memory;
    const u16 *pairs = memory;
    _Alignas(64) u16 half[MAX_FACTOR], apart[MAX_FACTOR / 2];
    for (int step = 0; step < steps; step++) {
        if (steps == 2) { /* the lower, then the upper two bytes of every word */
            SL_LOOP(part / 2) apart[i] = pairs[2 * i + step];
            bytes = (const u8 *)apart;
        }
        halves_of_bytes(f->type, bytes, part, half);
        read_halves(f, half, part, f->k / steps, out, step * part);
    }
}

static void read_integers(const factor_form *f, const void *memory, numbers *out)
{
    const int count = f->lines * f->k;
    const u8 *bytes = memory;
    const s8 *signed_bytes = memory;
    _Alignas(64) f32 plain[MAX_FACTOR], *to = f->columns ? plain : out->value;
    _Alignas(64) s8 wide[MAX_FACTOR];
    if (f->type == SL_MATRIX_S4 || f->type == SL_MATRIX_U4) {
        u16 *both = (u16 *)(void *)wide;
        if (f->type == SL_MATRIX_S4)
            SL_LOOP(count / 2) both[i] = (u16)((u8)((s8)(bytes[i] << 4) >> 4) | (u8)((s8)bytes[i] >> 4) << 8);
        else
            SL_LOOP(count / 2) both[i] = (u16)((bytes[i] & 15) | (bytes[i] & 0xf0) << 4);
        signed_bytes = wide;
    }
    if (f->type == SL_MATRIX_U8)
        SL_LOOP(count) to[i] = (f32)(s32)bytes[i];
    else
        SL_LOOP(count) to[i] = (f32)(s32)signed_bytes[i];
    if (f->columns)
        turn_values(plain, f->k, out->value);
}

static inline void read_factor(const factor_form *f, const void *memory, numbers *out)
{
    const int count = f->lines * f->k;
    _Alignas(64) u32 copy[MAX_FACTOR], turned[MAX_FACTOR];
    out->finite = true;
    if (is_byte_float(f->type)) {
        read_byte_floats(f, memory, out);
    } else if (f->type == SL_MATRIX_TF32) {
        const u32 *words = memory;
        for (int i = 0; i < count && f->negated; i++)
            copy[i] = words[i] ^ 0x80000000;
        words = f->negated ? copy : words;
        if (f->columns)
            turn_values((const f32 *)(const void *)words, f->k, (f32 *)(void *)turned);
        split_words(f->columns ? turned : words, count, out->value, out->exponent, &out->finite);
    } else if (is_float(f->type)) {
        read_halves(f, memory, count, f->k, out, 0);
    } else {
        read_integers(f, memory, out);
        return;
    }
    compare_exponents(out, count);
}

/* ---- floats ---- */

/* Rounding toward zero. */
static inline f32 cut_f32(f64 x)
{
    f32 rounded = (f32)x;
    return fabs((f64)rounded) > fabs(x) && !isinf(rounded) ? from_bits_f32(bits_f32(rounded) - 1) : rounded;
}

/* What is summed: m rows of eight columns. Sums end as f32, or as f32 whose last bit tells whether anything was cut
 * off, so that rounding to f16 is right. */
typedef struct sum_form {
    int m, k, kept;
    bool sticky;
} sum_form;

static inline f32 end_sum(f64 exact, bool sticky)
{
    if (exact != exact)
        return from_bits_f32(0x7fffffff);
    f32 cut = cut_f32(exact);
    return sticky && (f64)cut != exact && !isinf(cut) ? from_bits_f32(bits_f32(cut) | 1) : cut;
}

static inline f64 power_of_two(s32 exponent)
{
    return from_bits_f64((u64)(exponent + 1023) << 52);
}

/* One sum, whatever its numbers are. Infinities and NaN are what plain arithmetic makes of them. */
static f64 exact_sum(const f32 *a, const s16 *a_exponent, const f32 *b, const s16 *b_exponent, const sum_form *s, f32 c)
{
    s32 magnitude = (s32)(bits_f32(c) & 0x7fffffff);
    s32 largest = !magnitude ? ZERO : magnitude >> 23 ? (magnitude >> 23) - 127 : -126;
    f64 plain = c, total = 0;
    for (int k = 0; k < s->k; k++) {
        s32 exponent = a_exponent[k] + b_exponent[k * COLUMNS];
        plain += (f64)a[k] * (f64)b[k * COLUMNS];
        largest = exponent > largest ? exponent : largest;
    }
    if (plain - plain != 0)
        return plain;
    if (largest < NO_EXPONENT)
        return 0;
    f64 scale = power_of_two(s->kept - largest);
    for (int k = 0; k < s->k; k++)
        total += trunc((f64)a[k] * (f64)b[k * COLUMNS] * scale);
    total += trunc((f64)c * scale);
    return total * power_of_two(largest - s->kept);
}

/* The sums of a tile on their way. The parts of one are low + high, in units of 2^(largest - kept): one of them could
 * overflow. */
typedef struct partial {
    _Alignas(64) s16 largest[MAX_SUM];
    _Alignas(64) f32 scale[MAX_SUM], unit[MAX_SUM];
    _Alignas(64) s32 low[MAX_SUM], high[MAX_SUM];
} partial;

/* The largest exponents of products of two rows with eight columns. */
SL_INLINE void find_largest(const s16 *a, const s16 *b, int k_count, s16 *out)
{
    for (int row = 0; row < 2; row++) {
        s16x8 largest = (s16x8){0} + 2 * ZERO;
        for (int k = 0; k < k_count; k++) {
            s16x8 exponent = a[row * k_count + k] + SL_OF(s16x8, b, k * COLUMNS), larger = exponent > largest;
            largest = (exponent & larger) | (largest & ~larger);
        }
        SL_AT(s16x8, out, row * COLUMNS) = largest;
    }
}

/* How sums are aligned. Returns whether vectors of f32 can make all of them. */
static bool align_sums(const sum_form *s, const f32 *c, partial *t)
{
    const s32 kept = s->kept;
    s32 outside = 0;
    SL_LOOP(s->m * COLUMNS)
    {
        s32 magnitude = (s32)(bits_f32(c[i]) & 0x7fffffff), exponent = (magnitude >> 23) - 127, largest = t->largest[i];
        exponent = exponent > -126 ? exponent : -126;
        exponent = magnitude ? exponent : 2 * ZERO;
        largest = largest > exponent ? largest : exponent;
        outside |= ((largest - SMALLEST) & (NO_EXPONENT - largest)) | (GREATEST - largest); /* its sign */
        largest = largest > SMALLEST ? largest : SMALLEST;
        t->scale[i] = from_bits_f32((u32)(127 + kept - largest) << 23);
        t->unit[i] = from_bits_f32((u32)(127 - kept + largest) << 23);
    }
    return outside >= 0;
}

/* Cuts off what is behind the point. */
SL_INLINE void to_integers(const f32x8 *x, s32x8 *out)
{
#ifdef __AVX__
    *out = __builtin_convertvector(*x, s32x8);
#else /* compilers do not make two of it */
    s32x4 low = __builtin_convertvector(__builtin_shufflevector(*x, *x, 0, 1, 2, 3), s32x4);
    s32x4 high = __builtin_convertvector(__builtin_shufflevector(*x, *x, 4, 5, 6, 7), s32x4);
    *out = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

/* Two rows of aligned products. */
SL_INLINE void add_aligned(const f32 *a, const f32 *b, int k_count, int kept, const f32 *c, partial *t, int at)
{
    s32x8 low[2], high[2] = {{0}, {0}};
    f32x8 scale[2];
    for (int r = 0; r < 2; r++) {
        scale[r] = SL_OF(f32x8, t->scale, at + r * COLUMNS);
        const f32x8 aligned = SL_OF(f32x8, c, at + r * COLUMNS) * scale[r];
        to_integers(&aligned, &low[r]);
    }
    for (int k = 0; k < k_count; k++) {
        const f32x8 *y = &SL_OF(f32x8, b, k * COLUMNS);
        for (int r = 0; r < 2; r++) {
            const f32x8 aligned = a[r * k_count + k] * *y * scale[r];
            s32x8 term;
            to_integers(&aligned, &term);
            if (k < 8 || kept < 20)
                low[r] += term;
            else
                high[r] += term;
        }
    }
    for (int r = 0; r < 2; r++) {
        SL_AT(s32x8, t->low, at + r * COLUMNS) = low[r];
        SL_AT(s32x8, t->high, at + r * COLUMNS) = high[r];
    }
}

/* Cuts sums to the bits that f32 has. Those below 2^31, as most are, are rounded to nearest and taken back by one where
 * that was up. */
SL_INLINE void cut_sums(int count, bool sticky, const partial *t, f32 *sum)
{
    s32 over = sticky ? -1 : 0;
    if (!sticky)
        SL_LOOP(count)
        {
            s32 low = t->low[i], total = (s32)((u32)low + (u32)t->high[i]), sign = total >> 31;
            s32 magnitude = (s32)(((u32)total ^ (u32)sign) - (u32)sign);
            over |= (~(low ^ t->high[i]) & (low ^ total)) | (s32)(0x7fffffbfu - (u32)magnitude);
            f32 nearest = (f32)magnitude;
            s32 up = (magnitude - (s32)nearest) >> 31; /* all ones */
            sum[i] = from_bits_f32((bits_f32(nearest) + (u32)up) | ((u32)sign & 0x80000000)) * t->unit[i];
        }
    if (over >= 0)
        return;
    SL_LOOP(count)
    {
        u64 bits = bits_f64((f64)t->low[i] + (f64)t->high[i]), cut = bits & ~(((u64)1 << 29) - 1);
        cut |= sticky && cut != bits ? (u64)1 << 29 : 0;
        sum[i] = (f32)from_bits_f64(cut) * t->unit[i];
    }
}

#ifdef __AVX2__
/* The same of usual numbers in one go: exponents are found in bytes, and nothing leaves the registers. */
enum { ROWS_AT_ONCE = 4 };

/* What shows that numbers are not usual. */
typedef struct doubts {
    __m256i least, greatest, over;
} doubts;

SL_INLINE s64 eight_bytes(const s8 *at)
{
    s64 bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* The largest exponents of products of four rows with eight columns, less those of both factors. */
SL_INLINE __m256i largest_below(const s8 *a, const s8 *b, int k_count)
{
    __m256i largest = _mm256_set1_epi8(NONE);
    for (int first = 0; first < k_count; first += 8) {
        const s8 *row = a + first;
        const __m256i rows = _mm256_set_epi64x(eight_bytes(row + 3 * k_count), eight_bytes(row + 2 * k_count),
                                               eight_bytes(row + k_count), eight_bytes(row));
        for (int k = 0; k < 8; k++) {
            const s64 both = 0x0101010101010101 * k;
            __m256i x = _mm256_shuffle_epi8(
                rows, _mm256_set_epi64x(both + 0x0808080808080808, both, both + 0x0808080808080808, both));
            __m256i y = _mm256_set1_epi64x(eight_bytes(b + (first + k) * COLUMNS));
            largest = _mm256_max_epi8(largest, _mm256_adds_epi8(x, y));
        }
    }
    return largest;
}

/* How a row is aligned: what is added to the exponents of products. */
SL_INLINE __m256i align_row(__m128i below, int kept, s32 greatest, const f32 *c, doubts *doubt)
{
    const __m256i found = _mm256_cvtepi8_epi32(below), bits = SL_OF(__m256i, c, 0);
    const __m256i some = _mm256_cmpgt_epi32(found, _mm256_set1_epi32(NONE));
    __m256i largest = _mm256_slli_epi32(_mm256_add_epi32(found, _mm256_set1_epi32(greatest + 127)), 23);
    largest = _mm256_and_si256(largest, some);
    largest = _mm256_max_epi32(largest, _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffffff)));
    doubt->least = _mm256_min_epu32(doubt->least, _mm256_sub_epi32(largest, _mm256_set1_epi32(1)));
    doubt->greatest = _mm256_max_epu32(doubt->greatest, largest);
    largest = _mm256_and_si256(largest, _mm256_set1_epi32(0x7f800000));
    largest = _mm256_max_epi32(largest, _mm256_set1_epi32((127 + SMALLEST) << 23));
    return _mm256_sub_epi32(_mm256_set1_epi32((127 + kept) << 23), largest);
}

/* Cuts a sum, rounded to nearest first, to the bits that f32 has: what was rounded up is taken back by one. */
SL_INLINE __m256 cut_row(__m256i low, __m256i high, __m256i unit, bool sticky, doubts *doubt)
{
    const __m256i total = _mm256_add_epi32(low, high);
    const __m256 nearest = _mm256_cvtepi32_ps(total);
    const __m256i lost = _mm256_sub_epi32(total, _mm256_cvttps_epi32(nearest));
    const __m256i up = _mm256_srai_epi32(_mm256_sign_epi32(lost, total), 31);
    __m256i bits = _mm256_add_epi32(_mm256_castps_si256(nearest), up);
    if (sticky)
        bits = _mm256_or_si256(
            bits, _mm256_andnot_si256(_mm256_cmpeq_epi32(lost, _mm256_setzero_si256()), _mm256_set1_epi32(1)));
    doubt->over =
        _mm256_or_si256(doubt->over, _mm256_andnot_si256(_mm256_xor_si256(low, high), _mm256_xor_si256(low, total)));
    return _mm256_mul_ps(_mm256_castsi256_ps(bits), _mm256_castsi256_ps(unit));
}

/* Adds one product to the sums of four rows. */
SL_INLINE void add_terms(const f32 *a, int stride, const __m256 *y, const __m256i *shift, __m256i *sum)
{
    for (int r = 0; r < ROWS_AT_ONCE; r++) {
        const __m256 product = _mm256_mul_ps(_mm256_broadcast_ss(&a[r * stride]), *y);
        const __m256i aligned = _mm256_add_epi32(_mm256_castps_si256(product), shift[r]);
        sum[r] = _mm256_add_epi32(sum[r], _mm256_cvttps_epi32(_mm256_castsi256_ps(aligned)));
    }
}

/* Four rows. A power of two multiplies by an addition to the exponent: it is at least 1, and what a zero becomes is
 * below one. */
SL_INLINE void add_rows(const f32 *a, const f32 *b, int k_count, int kept, bool sticky, const __m256i *shift,
                        const f32 *c, f32 *sum, doubts *doubt)
{
    const __m256i one = _mm256_set1_epi32(127 << 23);
    const int half = kept < 20 ? k_count : 8;
    __m256i low[ROWS_AT_ONCE], high[ROWS_AT_ONCE];
    for (int r = 0; r < ROWS_AT_ONCE; r++) {
        const __m256 scale = _mm256_castsi256_ps(_mm256_add_epi32(shift[r], one));
        low[r] = _mm256_cvttps_epi32(_mm256_mul_ps(SL_OF(__m256, c, r * COLUMNS), scale));
        high[r] = _mm256_setzero_si256();
    }
#pragma GCC unroll 2 /* more need more registers than there are */
    for (int k = 0; k < half; k++)
        add_terms(a + k, k_count, &SL_OF(__m256, b, k * COLUMNS), shift, low);
#pragma GCC unroll 2
    for (int k = half; k < k_count; k++)
        add_terms(a + k, k_count, &SL_OF(__m256, b, k * COLUMNS), shift, high);
    for (int r = 0; r < ROWS_AT_ONCE; r++)
        SL_AT(__m256, sum, r * COLUMNS) = cut_row(low[r], high[r], _mm256_sub_epi32(one, shift[r]), sticky, doubt);
}

/* Returns whether all numbers were usual; if not, the sums are as before. */
SL_INLINE bool add_usual(const sum_form *s, int k, int kept, bool sticky, const numbers *a, const numbers *b, int from,
                         f32 *sum)
{
    const int at_a = from * s->m, at_b = from * COLUMNS;
    const s32 greatest = a->greatest + b->greatest;
    _Alignas(64) f32 out[MAX_SUM];
    __m256i rare = _mm256_setzero_si256(), shift[MAX_SUM / COLUMNS];
    doubts doubt = {_mm256_set1_epi32(-1), rare, rare};
    if (!a->finite || !b->finite || greatest < SMALLEST - LEAST || greatest > GREATEST)
        return false;
    for (int row = 0; row < s->m; row += ROWS_AT_ONCE) {
        const __m256i below = largest_below(&a->below[at_a + row * k], &b->below[at_b], k);
        rare = _mm256_or_si256(rare, _mm256_andnot_si256(_mm256_cmpeq_epi8(below, _mm256_set1_epi8(NONE)),
                                                         _mm256_cmpgt_epi8(_mm256_set1_epi8(LEAST + 1), below)));
        for (int r = 0; r < ROWS_AT_ONCE; r++) {
            const __m128i pair = r < 2 ? _mm256_castsi256_si128(below) : _mm256_extracti128_si256(below, 1);
            shift[row + r] = align_row(r & 1 ? _mm_unpackhi_epi64(pair, pair) : pair, kept, greatest,
                                       &sum[(row + r) * COLUMNS], &doubt);
        }
    }
    /* too small (but for zeros, which are the largest here), too large */
    const __m256i smallest = _mm256_set1_epi32(((127 + SMALLEST) << 23) - 1);
    const __m256i largest = _mm256_set1_epi32(((127 + kept + 1) << 23) - 1);
    rare = _mm256_or_si256(rare, _mm256_xor_si256(_mm256_max_epu32(doubt.least, smallest), doubt.least));
    rare = _mm256_or_si256(rare, _mm256_cmpgt_epi32(doubt.greatest, largest));
    if (!_mm256_testz_si256(rare, rare))
        return false;
    for (int row = 0; row < s->m; row += ROWS_AT_ONCE)
        add_rows(&a->value[at_a + row * k], &b->value[at_b], k, kept, sticky, &shift[row], &sum[row * COLUMNS],
                 &out[row * COLUMNS], &doubt);
    if (_mm256_movemask_ps(_mm256_castsi256_ps(doubt.over)))
        return false;
    for (int row = 0; row < s->m; row++)
        SL_AT(f32x8, sum, row * COLUMNS) = SL_OF(f32x8, out, row * COLUMNS);
    return true;
}
#endif

/* sum += a * b in one step, of s->k of the factors' elements from `from` on. */
SL_INLINE void add_in_vectors(const sum_form *s, int k, int kept, const numbers *a, const numbers *b, int from,
                              f32 *sum)
{
    const int at_a = from * s->m, at_b = from * COLUMNS;
    partial t;
#ifdef __AVX2__
    if (s->sticky ? add_usual(s, k, kept, true, a, b, from, sum) : add_usual(s, k, kept, false, a, b, from, sum))
        return;
#endif
    for (int row = 0; row < s->m; row += 2)
        find_largest(&a->exponent[at_a + row * k], &b->exponent[at_b], k, &t.largest[row * COLUMNS]);
    if (!align_sums(s, sum, &t) || !a->finite || !b->finite) {
        for (int i = 0; i < s->m * COLUMNS; i++) {
            int x = at_a + i / COLUMNS * k, y = at_b + i % COLUMNS;
            sum[i] =
                end_sum(exact_sum(&a->value[x], &a->exponent[x], &b->value[y], &b->exponent[y], s, sum[i]), s->sticky);
        }
        return;
    }
    for (int row = 0; row < s->m; row += 2)
        add_aligned(&a->value[at_a + row * k], &b->value[at_b], k, kept, sum, &t, row * COLUMNS);
    if (s->sticky)
        cut_sums(s->m * COLUMNS, true, &t, sum);
    else
        cut_sums(s->m * COLUMNS, false, &t, sum);
}

static void add_products(const sum_form *s, const numbers *a, const numbers *b, int from, f32 *sum)
{
    if (s->kept == KEPT_OF_BYTES)
        add_in_vectors(s, 32, KEPT_OF_BYTES, a, b, from, sum);
    else if (s->k == 16)
        add_in_vectors(s, 16, KEPT, a, b, from, sum);
    else
        add_in_vectors(s, 8, KEPT, a, b, from, sum);
}

/* ---- integers ---- */

/* Sums of products of up to eight bits are exact in f32: they are below 2^24. */
SL_INLINE void four_rows(const f32 *a, const f32 *b, int k_count, bool saturate, s32 *sum)
{
    f32x8 part[4] = {{0}, {0}, {0}, {0}};
    for (int k = 0; k < k_count; k++)
        for (int r = 0; r < 4; r++)
            part[r] += a[r * k_count + k] * SL_OF(f32x8, b, k * COLUMNS);
    for (int r = 0; r < 4; r++) {
        s32x8 c = SL_OF(s32x8, sum, r * COLUMNS), term = __builtin_convertvector(part[r], s32x8);
        s32x8 total = (s32x8)((u32x8)c + (u32x8)term), over = (~(c ^ term) & (c ^ total)) >> 31;
        s32x8 limit = (c >> 31) ^ INT32_MAX;
        over = saturate ? over : (s32x8){0};
        SL_AT(s32x8, sum, r * COLUMNS) = (limit & over) | (total & ~over);
    }
}

static void add_integers(const sum_form *s, const numbers *a, const numbers *b, bool saturate, s32 *sum)
{
    for (int row = 0; row < s->m; row += 4) {
        const f32 *x = &a->value[row * s->k];
        if (s->k == 32)
            four_rows(x, b->value, 32, saturate, &sum[row * COLUMNS]);
        else
            four_rows(x, b->value, s->k, saturate, &sum[row * COLUMNS]);
    }
}

/* Counts of bits that are set in both, or in one of them. */
static inline void add_bits(const sum_form *s, const u64 *a, const u64 *b, bool differing, bool saturate, s32 *sum)
{
    int words = s->k / 64;
    for (int i = 0; i < s->m * COLUMNS; i++) {
        const u64 *x = &a[i / COLUMNS * words], *y = &b[i % COLUMNS * words];
        s64 count = sum[i];
        for (int k = 0; k < words; k++)
            count += __builtin_popcountll(differing ? x[k] ^ y[k] : x[k] & y[k]);
        sum[i] = saturate && count > INT32_MAX ? INT32_MAX : (s32)(u32)count;
    }
}

#endif
