/* SPDX-License-Identifier: MIT */
/* Conversions of half precision inside lane loops, to nearest even. */
#ifndef SL_EMU_EXEC_HALF_H
#define SL_EMU_EXEC_HALF_H

#include "emu/exec.h"

static inline u32 bits_f32(f32 x)
{
    union {
        f32 f;
        u32 u;
    } v = {x};
    return v.u;
}

static inline f32 from_bits_f32(u32 x)
{
    union {
        u32 u;
        f32 f;
    } v = {x};
    return v.f;
}

static inline u64 bits_f64(f64 x)
{
    union {
        f64 f;
        u64 u;
    } v = {x};
    return v.u;
}

static inline f64 from_bits_f64(u64 x)
{
    union {
        u64 u;
        f64 f;
    } v = {x};
    return v.f;
}

/* Scaling by a power of two turns a subnormal f16 into a normal f32. */
static inline f32 f32_f16(u32 h)
{
    u32 rest = (h & 0x7fff) << 13;
    u32 scaled = bits_f32(from_bits_f32(rest) * 0x1p112f);
    return from_bits_f32(scaled | (rest >= 0x0f800000 ? 0x7f800000 : 0) | (h & 0x8000) << 16);
}

static inline f32 f32_bf16(u32 h)
{
    return from_bits_f32(h << 16);
}

static inline u32 f16_f32(f32 x)
{
    u32 bits = bits_f32(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    u32 normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    /* adding 0.5 puts a multiple of 2^-24, the smallest f16, in the low bits */
    u32 small = bits_f32(from_bits_f32(magnitude) + 0.5f) - 0x3f000000;
    u32 result = magnitude < 0x38800000 ? small : normal;
    result = magnitude >= 0x477ff000 ? 0x7c00 : result;
    return magnitude > 0x7f800000 ? 0x7fff : sign | result;
}

static inline u32 bf16_f32(f32 x)
{
    u32 bits = bits_f32(x);
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static inline u32 f16_f64(f64 x)
{
    u64 bits = bits_f64(x), magnitude = bits & 0x7fffffffffffffff;
    u32 sign = (u32)(bits >> 48) & 0x8000;
    u32 normal = (u32)((magnitude + 0x1ffffffffff + (magnitude >> 42 & 1) - ((u64)1008 << 52)) >> 42);
    u32 small = (u32)bits_f64(from_bits_f64(magnitude) + 0x1p28);
    u32 result = magnitude < 0x3f10000000000000 ? small : normal;
    result = magnitude >= 0x40effe0000000000 ? 0x7c00 : result;
    return magnitude > 0x7ff0000000000000 ? 0x7fff : sign | result;
}

static inline u32 bf16_f64(f64 x)
{
    u64 bits = bits_f64(x), magnitude = bits & 0x7fffffffffffffff;
    u32 sign = (u32)(bits >> 48) & 0x8000;
    u32 normal = (u32)((magnitude + 0xfffffffffff + (magnitude >> 45 & 1) - ((u64)896 << 52)) >> 45);
    u32 small = (u32)bits_f64(from_bits_f64(magnitude) + 0x1p-81);
    u32 result = magnitude < 0x3810000000000000 ? small : normal;
    result = magnitude >= 0x47eff00000000000 ? 0x7f80 : result;
    return magnitude > 0x7ff0000000000000 ? 0x7fff : sign | result;
}

#endif
