/* SPDX-License-Identifier: MIT */
/* Conversions between numbers. Float to integer clamps to the target's range and turns NaN into 0. */
#include "emu/exec.h"

#define SL_RINT_f32(a)  __builtin_rintf(a)
#define SL_RINT_f64(a)  __builtin_rint(a)
#define SL_TRUNC_f32(a) __builtin_truncf(a)
#define SL_TRUNC_f64(a) __builtin_trunc(a)
#define SL_FLOOR_f32(a) __builtin_floorf(a)
#define SL_FLOOR_f64(a) __builtin_floor(a)
#define SL_CEIL_f32(a)  __builtin_ceilf(a)
#define SL_CEIL_f64(a)  __builtin_ceil(a)

static inline s32 sl_to_s32(f64 a)
{
    return a != a ? 0 : a <= -2147483648.0 ? INT32_MIN : a >= 2147483647.0 ? INT32_MAX : (s32)a;
}

static inline u32 sl_to_u32(f64 a)
{
    return a != a || a <= 0 ? 0 : a >= 4294967295.0 ? UINT32_MAX : (u32)a;
}

static inline s64 sl_to_s64(f64 a)
{
    return a != a ? 0 : a <= -0x1p63 ? INT64_MIN : a >= 0x1p63 ? INT64_MAX : (s64)a;
}

static inline u64 sl_to_u64(f64 a)
{
    return a != a || a <= 0 ? 0 : a >= 0x1p64 ? UINT64_MAX : (u64)a;
}

#define SL_OP1_CVT SL_DEFINE1
#include "emu/exec_family.h"

/* Saturation of integers: the bounds are 64-bit halves in the list. */
#define SL_CLAMP(name, T)                                                                                              \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        T *d = sl_operand(w, o->d);                                                                                    \
        const T *a = sl_operand(w, o->a);                                                                              \
        const u32 *bound = &w->code->list[o->list];                                                                    \
        T low = (T)((u64)bound[1] << 32 | bound[0]), high = (T)((u64)bound[3] << 32 | bound[2]);                       \
        SL_WRITE_LANES(w, d, (a[i] < low ? low : a[i] > high ? high : a[i]));                                          \
    }
SL_CLAMP(clamp_s64, s64)
SL_CLAMP(clamp_u64, u64)

/* Conversions with directed rounding; aux is the C rounding mode. */
#define SL_CONVERT_ROUNDED(name, D, A)                                                                                 \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        D *d = sl_operand(w, o->d);                                                                                    \
        const volatile A *a = sl_operand(w, o->a);                                                                     \
        D result[SL_LANES];                                                                                            \
        volatile D *r = result;                                                                                        \
        unsigned before = sl_rounding_begin((int)o->aux);                                                              \
        SL_EACH_ACTIVE(w, i) r[i] = (D)a[i];                                                                           \
        sl_rounding_end(before);                                                                                       \
        SL_EACH_ACTIVE(w, i) d[i] = r[i];                                                                              \
    }
#define SL_CONVERT_ROUNDED_INT(I)                                                                                      \
    SL_CONVERT_ROUNDED(cvt_round_f32_##I, f32, I)                                                                      \
    SL_CONVERT_ROUNDED(cvt_round_f64_##I, f64, I)
SL_CONVERT_ROUNDED_INT(u32)
SL_CONVERT_ROUNDED_INT(s32)
SL_CONVERT_ROUNDED_INT(u64)
SL_CONVERT_ROUNDED_INT(s64)
SL_CONVERT_ROUNDED(cvt_round_f32_f64, f32, f64)
