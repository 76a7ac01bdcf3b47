/* SPDX-License-Identifier: MIT */
/* Names of the atomic operations, shared by the decoder and the handlers. */
#ifndef SL_EMU_ATOMIC_H
#define SL_EMU_ATOMIC_H

#include <stdint.h>
#include <string.h>

#include "emu/half.h"

typedef enum sl_atomic {
    SL_ATOM_ADD,
    SL_ATOM_MIN_U,
    SL_ATOM_MAX_U,
    SL_ATOM_MIN_S,
    SL_ATOM_MAX_S,
    SL_ATOM_AND,
    SL_ATOM_OR,
    SL_ATOM_XOR,
    SL_ATOM_EXCH,
    SL_ATOM_CAS,
    SL_ATOM_INC,
    SL_ATOM_DEC,
    SL_ATOM_ADD_F32,
    SL_ATOM_ADD_F64,
    SL_ATOM_ADD_F16,
    SL_ATOM_ADD_BF16,
    SL_ATOM_ADD_F16X2,
    SL_ATOM_ADD_BF16X2,
    SL_ATOM_MIN_F16,
    SL_ATOM_MAX_F16,
    SL_ATOM_MIN_BF16,
    SL_ATOM_MAX_BF16,
    SL_ATOM_MIN_F16X2,
    SL_ATOM_MAX_F16X2,
    SL_ATOM_MIN_BF16X2,
    SL_ATOM_MAX_BF16X2,
    /* on barriers in shared memory (mbarrier); b is a count of arrivals, c of bytes */
    SL_ATOM_BARRIER_INIT,
    SL_ATOM_BARRIER_ARRIVE,
    SL_ATOM_BARRIER_DROP,
    SL_ATOM_ADDRESS_32 = 0x100, /* flag: the address register has 32-bit lanes */
} sl_atomic;

/* A barrier in shared memory, as the 64 bits that programs treat as opaque: the phase in the highest bit, then the
 * arrivals that a phase expects and those it still waits for (20 bits each), then the bytes of asynchronous copies it
 * still waits for (23 bits, signed: copies may end before they are announced). */
enum {
    SL_BARRIER_PHASE_BIT = 63,
    SL_BARRIER_EXPECTED_BIT = 43,
    SL_BARRIER_PENDING_BIT = 23,
    SL_BARRIER_COUNT_MASK = (1 << 20) - 1,
    SL_BARRIER_BYTES_MASK = (1 << 23) - 1,
};

static inline uint64_t sl_barrier_make(uint64_t phase, uint64_t expected, uint64_t pending, uint64_t bytes)
{
    expected &= SL_BARRIER_COUNT_MASK;
    pending &= SL_BARRIER_COUNT_MASK;
    bytes &= SL_BARRIER_BYTES_MASK;
    if (!pending && !bytes) { /* the phase is complete, and the next one begins */
        phase ^= 1;
        pending = expected;
    }
    return phase << SL_BARRIER_PHASE_BIT | expected << SL_BARRIER_EXPECTED_BIT | pending << SL_BARRIER_PENDING_BIT |
           bytes;
}

/* `arrivals` fewer to wait for, of which `dropped` do not come in later phases either, and `bytes` more. */
static inline uint64_t sl_barrier_after(uint64_t barrier, uint64_t arrivals, uint64_t dropped, uint64_t bytes)
{
    return sl_barrier_make(barrier >> SL_BARRIER_PHASE_BIT,
                           ((barrier >> SL_BARRIER_EXPECTED_BIT) & SL_BARRIER_COUNT_MASK) - dropped,
                           ((barrier >> SL_BARRIER_PENDING_BIT) & SL_BARRIER_COUNT_MASK) - arrivals,
                           (barrier & SL_BARRIER_BYTES_MASK) + bytes);
}

/* Handlers have faster ones. */
#ifndef SL_ADD_F16X2
#define SL_ADD_F16X2  sl_add_f16x2
#define SL_ADD_BF16X2 sl_add_bf16x2
#endif

/* What an atomic leaves in memory that holds `old`. Inline: where `aux` is known, the rest goes. */
#define SL_ATOMIC_RESULT static inline __attribute__((always_inline))

static inline uint32_t sl_bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float sl_f32_bits(uint32_t x)
{
    float f;
    memcpy(&f, &x, sizeof f);
    return f;
}

static inline uint64_t sl_bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double sl_f64_bits(uint64_t x)
{
    double f;
    memcpy(&f, &x, sizeof f);
    return f;
}

/* What words of 32 and of 64 bits have alike. */
#define SL_ATOMIC_INTEGERS(S)                                                                                          \
    case SL_ATOM_ADD:                                                                                                  \
        return old + b;                                                                                                \
    case SL_ATOM_MIN_U:                                                                                                \
        return old < b ? old : b;                                                                                      \
    case SL_ATOM_MAX_U:                                                                                                \
        return old > b ? old : b;                                                                                      \
    case SL_ATOM_MIN_S:                                                                                                \
        return (S)old < (S)b ? old : b;                                                                                \
    case SL_ATOM_MAX_S:                                                                                                \
        return (S)old > (S)b ? old : b;                                                                                \
    case SL_ATOM_AND:                                                                                                  \
        return old & b;                                                                                                \
    case SL_ATOM_OR:                                                                                                   \
        return old | b;                                                                                                \
    case SL_ATOM_XOR:                                                                                                  \
        return old ^ b;                                                                                                \
    case SL_ATOM_EXCH:                                                                                                 \
        return b;                                                                                                      \
    case SL_ATOM_CAS:                                                                                                  \
        return old == b ? c : old;

/* Both halves of a word by a function of 16-bit numbers. */
#define SL_BY_HALVES(function, a, b)                                                                                   \
    ((uint32_t)function((uint16_t)((a) >> 16), (uint16_t)((b) >> 16)) << 16 | function((uint16_t)(a), (uint16_t)(b)))

SL_ATOMIC_RESULT uint32_t sl_atomic_result_32(uint32_t aux, uint32_t old, uint32_t b, uint32_t c)
{
    switch (aux) {
        SL_ATOMIC_INTEGERS(int32_t)
    case SL_ATOM_INC:
        return old >= b ? 0 : old + 1;
    case SL_ATOM_DEC:
        return old == 0 || old > b ? b : old - 1;
    case SL_ATOM_ADD_F32:
        return sl_bits_f32(sl_f32_bits(old) + sl_f32_bits(b));
    case SL_ATOM_ADD_F16X2:
        return SL_ADD_F16X2(old, b);
    case SL_ATOM_ADD_BF16X2:
        return SL_ADD_BF16X2(old, b);
    case SL_ATOM_MIN_F16X2:
        return SL_BY_HALVES(sl_lesser_f16, old, b);
    case SL_ATOM_MAX_F16X2:
        return SL_BY_HALVES(sl_greater_f16, old, b);
    case SL_ATOM_MIN_BF16X2:
        return SL_BY_HALVES(sl_lesser_bf16, old, b);
    case SL_ATOM_MAX_BF16X2:
        return SL_BY_HALVES(sl_greater_bf16, old, b);
    default:
        return old;
    }
}

SL_ATOMIC_RESULT uint64_t sl_atomic_result_64(uint32_t aux, uint64_t old, uint64_t b, uint64_t c)
{
    switch (aux) {
        SL_ATOMIC_INTEGERS(int64_t)
    case SL_ATOM_ADD_F64:
        return sl_bits_f64(sl_f64_bits(old) + sl_f64_bits(b));
    case SL_ATOM_BARRIER_INIT:
        return (b & SL_BARRIER_COUNT_MASK) << SL_BARRIER_EXPECTED_BIT | (b & SL_BARRIER_COUNT_MASK)
                                                                            << SL_BARRIER_PENDING_BIT;
    case SL_ATOM_BARRIER_ARRIVE:
        return sl_barrier_after(old, b, 0, c);
    case SL_ATOM_BARRIER_DROP:
        return sl_barrier_after(old, b, b, c);
    default:
        return old;
    }
}

SL_ATOMIC_RESULT uint16_t sl_atomic_result_16(uint32_t aux, uint16_t old, uint16_t b, uint16_t c)
{
    switch (aux) {
    case SL_ATOM_CAS:
        return old == b ? c : old;
    case SL_ATOM_EXCH:
        return b;
    case SL_ATOM_ADD_F16:
        return (uint16_t)SL_ADD_F16X2(old, b);
    case SL_ATOM_ADD_BF16:
        return (uint16_t)SL_ADD_BF16X2(old, b);
    case SL_ATOM_MIN_F16:
        return sl_lesser_f16(old, b);
    case SL_ATOM_MAX_F16:
        return sl_greater_f16(old, b);
    case SL_ATOM_MIN_BF16:
        return sl_lesser_bf16(old, b);
    case SL_ATOM_MAX_BF16:
        return sl_greater_bf16(old, b);
    default:
        return old;
    }
}

#endif
