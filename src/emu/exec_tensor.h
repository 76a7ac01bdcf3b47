/* SPDX-License-Identifier: MIT */
/* Matrices in the registers of 32 lanes, and what tensor cores make of them (tensor_sums.h).
 *
 * A sum in tiles of 16 x 8, with g = lane / 4 and t = lane % 4: item i is row g + 8 * (i / 2), column 2 * t + (i & 1).
 * So two items of all lanes are a block of 8 x 8, and blocks follow one another. */
#ifndef SL_EMU_EXEC_TENSOR_H
#define SL_EMU_EXEC_TENSOR_H

#include "emu/exec_access.h"
#include "emu/tensor_sums.h"

enum { BLOCK = 64 /* elements */ };

typedef struct shape {
    int m, n, k;
} shape;

static inline shape unpack_shape(u64 packed)
{
    return (shape){(int)(packed & 0xffff), (int)(packed >> 16 & 0xffff), (int)(packed >> 32 & 0xffff)};
}

/* Elements in a register, as a power of two: nothing on the way to a product divides. */
static inline int packing_of(u32 type)
{
    static const u8 packing[SL_MATRIX_TYPES] = {1, 1, 0, 0, 0, 2, 2, 3, 3, 5, 2, 2, 0};
    return packing[type];
}

static inline int elements_per_register(u32 type)
{
    return 1 << packing_of(type);
}

static void gather_sum(const sl_warp *w, const u32 *refs, int half, u32 type, const shape *s, tile_sum *out)
{
    for (int block = 0; block < s->m * s->n / BLOCK; block++) {
        if (type == SL_MATRIX_F64) {
            for (int i = 0; i < BLOCK; i++)
                out->wide[block * BLOCK + i] =
                    ((const f64 *)sl_operand(w, refs[2 * block + (i & 1)]))[32 * half + i / 2];
            continue;
        }
        if (type == SL_MATRIX_F16) {
            const u16 *pairs = (const u16 *)sl_operand(w, refs[block]) + 64 * half;
            f32 *value = &out->f[block * BLOCK];
            SL_LOOP(BLOCK) value[i] = f32_f16(pairs[i]);
        } else {
            const u32 *even = (const u32 *)sl_operand(w, refs[2 * block]) + 32 * half;
            const u32 *odd = (const u32 *)sl_operand(w, refs[2 * block + 1]) + 32 * half;
            u64 *both = (u64 *)(void *)&out->bits[block * BLOCK];
            SL_LOOP(32) both[i] = (u64)odd[i] << 32 | even[i];
        }
    }
}

static void write_lanes(u32 *reg, const u32 *value, u32 active)
{
    if (active == UINT32_MAX)
        memcpy(reg, value, 32 * sizeof *reg);
    else
        for (u32 left = active; left; left &= left - 1)
            reg[__builtin_ctz(left)] = value[__builtin_ctz(left)];
}

static void scatter_sum(const sl_warp *w, const u32 *refs, int half, u32 type, const shape *s, tile_sum *in)
{
    const u32 active = (u32)(w->mask >> 32 * half);
    for (int block = 0; block < s->m * s->n / BLOCK; block++) {
        _Alignas(64) u32 even[32], odd[32];
        if (type == SL_MATRIX_F64) {
            for (int i = 0; i < BLOCK; i++)
                if (active >> i / 2 & 1)
                    ((f64 *)sl_operand(w, refs[2 * block + (i & 1)]))[32 * half + i / 2] = in->wide[block * BLOCK + i];
            continue;
        }
        if (type == SL_MATRIX_F16) {
            const f32 *value = &in->f[block * BLOCK];
            u16 *halves = (u16 *)(void *)even;
            SL_LOOP(BLOCK) halves[i] = (u16)f16_f32(value[i]);
            write_lanes((u32 *)sl_operand(w, refs[block]) + 32 * half, even, active);
        } else {
            const u64 *both = (const u64 *)(const void *)&in->bits[block * BLOCK];
            u32 *first = (u32 *)sl_operand(w, refs[2 * block]) + 32 * half;
            u32 *second = (u32 *)sl_operand(w, refs[2 * block + 1]) + 32 * half;
            const bool all = active == UINT32_MAX;
            u32 *to_even = all ? first : even, *to_odd = all ? second : odd;
            SL_LOOP(32) to_even[i] = (u32)both[i];
            SL_LOOP(32) to_odd[i] = (u32)(both[i] >> 32);
            if (!all) {
                write_lanes(first, even, active);
                write_lanes(second, odd, active);
            }
        }
    }
}

/* Eight-bit floats of mma: the lower two bytes of every register, then the upper two, then c. */
static void add_products_of_bytes(const sum_form *s, const numbers *a, const numbers *b, f32 *sum)
{
    const sum_form half = {s->m, s->k / 2, KEPT, false};
    _Alignas(64) f32 part[MAX_SUM] = {0};
    add_products(&half, a, b, 0, part);
    add_products(&half, a, b, half.k, part);
    SL_LOOP(s->m * COLUMNS)
    {
        f32 total = part[i] + sum[i];
        sum[i] = total == total ? total : from_bits_f32(0x7fffffff);
    }
}

/* sum += a * b of all types that become f32. */
static void add_factors(int m, int k, u32 type, const numbers *a, const numbers *b, u32 type_d, bool saturate,
                        tile_sum *total)
{
    sum_form form = {m, k, KEPT, type_d == SL_MATRIX_F16};
    if (is_byte_float(type))
        add_products_of_bytes(&form, a, b, total->f);
    else if (is_float(type))
        add_products(&form, a, b, 0, total->f);
    else
        add_integers(&form, a, b, saturate, total->i);
}

#endif
