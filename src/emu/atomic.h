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
    SL_ATOM_ADDRESS_32 = 0x100, /* flag: the address register has 32-bit lanes */
} sl_atomic;

/* Sums of packed half-precision numbers (half.c); used where single values are needed, not lanes. */
uint32_t sl_add_f16x2(uint32_t a, uint32_t b);
uint32_t sl_add_bf16x2(uint32_t a, uint32_t b);

#endif
