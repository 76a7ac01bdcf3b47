/* SPDX-License-Identifier: MIT */
/* Names of the atomic operations, shared by the decoder and the handlers. */
#ifndef SL_EMU_ATOMIC_H
#define SL_EMU_ATOMIC_H

#include <stdint.h>

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

#endif
