/* SPDX-License-Identifier: MIT */
/* What the files exec_*.c share. Each of them is compiled once per instruction set and warp width (SL_EXEC_VARIANT,
 * SL_LANES) and holds the bodies of one family of instructions.
 *
 * A handler works on all lanes at once: plain loops over arrays that the compiler turns into vector code. When some
 * live lanes are inactive the same loop runs with a blend (warp->lanes holds all ones or zeros per lane). */
#ifndef SL_EMU_EXEC_H
#define SL_EMU_EXEC_H

#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "emu/warp.h"

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef uint32_t pr; /* predicate lane: 0 or ~0 */

enum { HALVES = SL_LANES / 32 }; /* warps of a GPU in one of ours */

#define SL_PASTE2(a, b) a##_##b
#define SL_PASTE(a, b)  SL_PASTE2(a, b)
#define SL_FN(name)     SL_PASTE(sl_exec_##name, SL_EXEC_VARIANT)

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* some loops call the math library: fine */
#define SL_VECTORS  _Pragma("clang loop vectorize(assume_safety)")
#define SL_ROLLED   _Pragma("clang loop unroll(disable)")
#define SL_UNROLLED _Pragma("clang loop vectorize(disable) unroll_count(4)")
#else
#define SL_VECTORS  _Pragma("GCC ivdep")
#define SL_ROLLED   _Pragma("GCC unroll 1")
#define SL_UNROLLED _Pragma("GCC unroll 4")
#endif
#define SL_LOOP(count) SL_VECTORS for (int i = 0; i < (count); i++)
#define SL_LANES_LOOP  SL_LOOP(SL_LANES)
/* Lanes eight by eight, without those of which none is active. (Compilers make vector code of a short loop when they do
 * not unroll it first.) */
#define SL_SOME_LANES(warp)                                                                                            \
    for (u64 some_ = (warp)->mask; some_;)                                                                             \
        for (u64 from_ = (u64)__builtin_ctzll(some_) / 8 * 8, once_ = 1; once_;                                        \
             once_ = 0, some_ &= ~((u64)255 << from_))                                                                 \
    SL_VECTORS SL_ROLLED for (int i = (int)from_; i < (int)from_ + 8; i++)
/* Lanes one by one, in order, active ones only. */
#define SL_EACH_ACTIVE(warp, i)                                                                                        \
    for (u64 left_ = (warp)->mask; left_; left_ &= left_ - 1)                                                          \
        for (int i = __builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

static inline void *sl_operand(const sl_warp *warp, u32 ref)
{
    return __builtin_assume_aligned(warp->area[ref >> SL_AREA_SHIFT] + (ref & SL_AREA_MASK), 64);
}

/* Runs `expr` for every lane i into d[i]. */
#define SL_WRITE_LANES(warp, d, expr)                                                                                  \
    do {                                                                                                               \
        if ((warp)->full) {                                                                                            \
            SL_LANES_LOOP(d)[i] = (expr);                                                                              \
        } else {                                                                                                       \
            const u32 *on_ = __builtin_assume_aligned((warp)->lanes, 64);                                              \
            SL_SOME_LANES(warp)                                                                                        \
            { /* all lanes are computed: that is cheaper than loads of some */                                         \
                const __typeof__((d)[0]) new_ = (expr), old_ = (d)[i];                                                 \
                (d)[i] = on_[i] ? new_ : old_;                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

/* The same where compilers make no vector code of it: inactive lanes cost nothing. */
#define SL_WRITE_EACH(warp, d, expr)                                                                                   \
    do {                                                                                                               \
        if ((warp)->full) {                                                                                            \
            for (int i = 0; i < SL_LANES; i++)                                                                         \
                (d)[i] = (expr);                                                                                       \
        } else {                                                                                                       \
            SL_EACH_ACTIVE(warp, i)(d)[i] = (expr);                                                                    \
        }                                                                                                              \
    } while (0)

#define SL_HANDLER(name)                                                                                               \
    void SL_FN(name)(sl_warp * w, const sl_op *o);                                                                     \
    void SL_FN(name)(sl_warp * w, const sl_op *o)

/* Handlers from the lines of handlers.def; WRITE is one of the above. */
#define SL_DEFINE1_BY(WRITE, name, D, A, expr)                                                                         \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        D *d_ = sl_operand(w, o->d);                                                                                   \
        const A *a_ = sl_operand(w, o->a);                                                                             \
        WRITE(w, d_, ({                                                                                                \
                  const A a = a_[i];                                                                                   \
                  (void)a;                                                                                             \
                  (D)(expr);                                                                                           \
              }));                                                                                                     \
    }
#define SL_DEFINE2_BY(WRITE, name, D, A, B, expr)                                                                      \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        D *d_ = sl_operand(w, o->d);                                                                                   \
        const A *a_ = sl_operand(w, o->a);                                                                             \
        const B *b_ = sl_operand(w, o->b);                                                                             \
        WRITE(w, d_, ({                                                                                                \
                  const A a = a_[i];                                                                                   \
                  const B b = b_[i];                                                                                   \
                  (void)a, (void)b;                                                                                    \
                  (D)(expr);                                                                                           \
              }));                                                                                                     \
    }
#define SL_DEFINE3_BY(WRITE, name, D, A, B, C, expr)                                                                   \
    SL_HANDLER(name)                                                                                                   \
    {                                                                                                                  \
        D *d_ = sl_operand(w, o->d);                                                                                   \
        const A *a_ = sl_operand(w, o->a);                                                                             \
        const B *b_ = sl_operand(w, o->b);                                                                             \
        const C *c_ = sl_operand(w, o->c);                                                                             \
        WRITE(w, d_, ({                                                                                                \
                  const A a = a_[i];                                                                                   \
                  const B b = b_[i];                                                                                   \
                  const C c = c_[i];                                                                                   \
                  (void)a, (void)b, (void)c;                                                                           \
                  (D)(expr);                                                                                           \
              }));                                                                                                     \
    }
#define SL_DEFINE1(name, D, A, expr)       SL_DEFINE1_BY(SL_WRITE_LANES, name, D, A, expr)
#define SL_DEFINE2(name, D, A, B, expr)    SL_DEFINE2_BY(SL_WRITE_LANES, name, D, A, B, expr)
#define SL_DEFINE3(name, D, A, B, C, expr) SL_DEFINE3_BY(SL_WRITE_LANES, name, D, A, B, C, expr)
#define SL_EACH1(...)                      SL_DEFINE1_BY(SL_WRITE_EACH, __VA_ARGS__)
#define SL_EACH2(...)                      SL_DEFINE2_BY(SL_WRITE_EACH, __VA_ARGS__)

/* The lanes whose predicate holds, as a bit mask. */
static inline u64 sl_pred_bits(const pr *p)
{
    _Alignas(64) static const u32 bit[32] = {
        1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
        1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
        1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
    u32 low = 0, high = 0;
    for (int i = 0; i < 32; i++)
        low |= p[i] & bit[i];
#if SL_LANES == 64
    for (int i = 0; i < 32; i++)
        high |= p[32 + i] & bit[i];
#endif
    return (u64)high << 32 | low;
}

/* The host's rounding mode around a loop over lanes. fesetround would set that of the x87 unit, too, and cost more than
 * the loop. */

#if defined(__SSE2__)

/* `mode` is a FE_* constant; returns what sl_rounding_end takes. */
static inline unsigned sl_rounding_begin(int mode)
{
    enum { ROUNDING = 0x6000, SHIFT = 3 }; /* the bits, and how far they are from those of the constants */
    unsigned before = _mm_getcsr();
    _mm_setcsr((before & ~(unsigned)ROUNDING) | (unsigned)mode << SHIFT);
    return before;
}

static inline void sl_rounding_end(unsigned before)
{
    _mm_setcsr(before);
}
#else
static inline unsigned sl_rounding_begin(int mode)
{
    unsigned before = (unsigned)fegetround();
    fesetround(mode);
    return before;
}

static inline void sl_rounding_end(unsigned before)
{
    fesetround((int)before);
}
#endif

#endif
