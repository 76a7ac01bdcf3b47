/* SPDX-License-Identifier: MIT */
/* Matrices spread over a warp: what the decoder tells the handlers about them.
 *
 * sl_op.imm holds the shape (sl_matrix_shape), sl_op.aux types and flags. Fragments are lists of registers; how their
 * elements lie in the matrix is said in exec_matrix.c. */
#ifndef SL_EMU_MATRIX_H
#define SL_EMU_MATRIX_H

#include "ptx/module.h"

typedef enum sl_matrix_type {
    SL_MATRIX_F16,
    SL_MATRIX_BF16,
    SL_MATRIX_TF32,
    SL_MATRIX_F32,
    SL_MATRIX_F64,
    SL_MATRIX_S8,
    SL_MATRIX_U8,
    SL_MATRIX_S4,
    SL_MATRIX_U4,
    SL_MATRIX_B1,
    SL_MATRIX_E4M3,
    SL_MATRIX_E5M2,
    SL_MATRIX_S32,
    SL_MATRIX_TYPES
} sl_matrix_type;

enum {
    /* sl_op.aux of mma: four types of four bits each, d lowest, then a, b, c; and flags */
    SL_MATRIX_SATFINITE = 1 << 16,
    SL_MATRIX_XOR = 1 << 17,   /* b1: count differing bits, else common ones */
    SL_MATRIX_WMMA = 1 << 18,  /* fragments as wmma lays them out */
    SL_MATRIX_A_COL = 1 << 19, /* m8n8k4 of halves: a is column-major, b row-major */
    SL_MATRIX_B_ROW = 1 << 20,
    /* and of wgmma, which has the types d, a, b, and SATFINITE */
    SL_WGMMA_A_REGISTERS = 1 << 18, /* a is a fragment, else a descriptor */
    SL_WGMMA_A_TRANSPOSED = 1 << 19,
    SL_WGMMA_B_TRANSPOSED = 1 << 20,
    SL_WGMMA_A_NEGATED = 1 << 21,
    SL_WGMMA_B_NEGATED = 1 << 22,
    /* sl_op.aux of ldmatrix and stmatrix, in addition to ADDRESS_32 */
    SL_MATRIX_TRANSPOSED = 2,
    /* and of wmma.load and wmma.store */
    SL_MATRIX_COLUMNS = 2,    /* column-major in memory */
    SL_MATRIX_ROLE_SHIFT = 4, /* 0 a, 1 b, 2 c or d */
    SL_MATRIX_TYPE_SHIFT = 8,
};

static inline int64_t sl_matrix_shape(uint32_t m, uint32_t n, uint32_t k)
{
    return (int64_t)m | (int64_t)n << 16 | (int64_t)k << 32;
}

/* Registers that the fragments of d, a, b and c of a product have, by the shape and types of its op. */
struct sl_op;
void sl_matrix_registers(const struct sl_op *op, uint32_t regs[4]);
/* The same of d and a of a wgmma. */
void sl_wgmma_registers(const struct sl_op *op, uint32_t regs[2]);
/* Bytes of memory per lane when the 32 lanes of a warp share a wmma.load or wmma.store evenly. */
uint32_t sl_wmma_bytes_per_lane(const sl_ptx_inst *inst);

#endif
