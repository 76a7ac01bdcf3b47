/* SPDX-License-Identifier: MIT */
/* Tensor memory: 128 lanes of 512 columns of 32 bits for each block, and what the decoder tells the handlers of
 * tcgen05.
 *
 * An address has the lane in its upper half and the column in its lower one. Blocks allocate columns, in powers of two
 * from 32 on; an access outside of what is allocated ends the launch. On a GPU the blocks of a multiprocessor share its
 * tensor memory, and an allocation waits until there is room; here every block has all of it. */
#ifndef SL_EMU_TENSOR_MEMORY_H
#define SL_EMU_TENSOR_MEMORY_H

#include "emu/warp.h"

enum {
    SL_TENSOR_LANES = 128,
    SL_TENSOR_COLUMNS = 512,
    SL_TENSOR_UNIT = 32, /* columns are allocated in multiples of it */
    SL_TENSOR_UNITS = SL_TENSOR_COLUMNS / SL_TENSOR_UNIT,
};

struct sl_tensor_memory {
    uint8_t units[SL_TENSOR_UNITS]; /* of the allocation that begins there; 0: none does */
    bool used[SL_TENSOR_UNITS];
    bool relinquished;
    uint32_t word[SL_TENSOR_LANES][SL_TENSOR_COLUMNS];
};

/* How tcgen05.ld and tcgen05.st spread words over a warp. sl_op.aux; sl_op.imm: columns between the halves of 16x32bx2.
 */
enum {
    SL_SPREAD_32X32,
    SL_SPREAD_16X64,
    SL_SPREAD_16X128,
    SL_SPREAD_16X256,
    SL_SPREAD_16X32X2,
    SL_SPREAD_SHAPES = 7,
    SL_SPREAD_PACKED = 8, /* a register has the lower halves of two columns */
};

/* tcgen05.cp, tcgen05.shift, tcgen05.commit: sl_op.aux */
enum {
    SL_TENSOR_COPY_128X256,
    SL_TENSOR_COPY_4X256,
    SL_TENSOR_COPY_128X128,
    SL_TENSOR_COPY_64X128_02_13,
    SL_TENSOR_COPY_64X128_01_23,
    SL_TENSOR_COPY_32X128,
    SL_TENSOR_COPY_SHAPES = 7,
    SL_TENSOR_PAIR = 8, /* .cta_group::2: of this block and the next one of the cluster */
    SL_TENSOR_MULTICAST =
        16, /* commit: b are the blocks whose barriers arrive; try_cancel: all blocks of the cluster */
};

/* tcgen05.mma: sl_op.aux */
enum {
    SL_TENSOR_F16_KIND,
    SL_TENSOR_TF32_KIND,
    SL_TENSOR_F8F6F4,
    SL_TENSOR_I8,
    SL_TENSOR_MXF8F6F4,
    SL_TENSOR_MXF4,
    SL_TENSOR_MXF4NVF4,
    SL_TENSOR_KINDS = 7,
    SL_TENSOR_A_IN_TENSOR_MEMORY = 16,
    SL_TENSOR_WS = 32,           /* .ws */
    SL_TENSOR_SCALES_SHIFT = 8,  /* 1, 2 or 4 factors along k for each row of A and column of B; 0: none */
    SL_TENSOR_WEAKEN_SHIFT = 12, /* scale-input-d: d is divided by this power of two before the sum */
};

/* sl_op.list of tcgen05.mma; SL_REF_NONE for what is not there. */
enum {
    /* 8-byte lanes */
    SL_TENSOR_A, /* a descriptor, or (in 4-byte lanes) an address in tensor memory: SL_TENSOR_A_ADDRESS */
    SL_TENSOR_B,
    SL_TENSOR_WIDE,
    /* 4-byte lanes */
    SL_TENSOR_D = SL_TENSOR_WIDE,
    SL_TENSOR_A_ADDRESS,
    SL_TENSOR_FORM,  /* the instruction descriptor */
    SL_TENSOR_KEEPS, /* a predicate: d is added */
    SL_TENSOR_SCALE_A,
    SL_TENSOR_SCALE_B,
    SL_TENSOR_DISABLED, /* eight words: lanes of d that are left alone */
    SL_TENSOR_REFS = SL_TENSOR_DISABLED + 8,
};

void sl_tensor_alloc(sl_warp *warp, const sl_op *op);
void sl_tensor_dealloc(sl_warp *warp, const sl_op *op);
void sl_tensor_relinquish(sl_warp *warp, const sl_op *op);
void sl_tensor_shift(sl_warp *warp, const sl_op *op);
void sl_tensor_commit(sl_warp *warp, const sl_op *op);
/* st.bulk, and clusterlaunchcontrol.try_cancel, which never cancels a cluster. */
void sl_shared_fill(sl_warp *warp, const sl_op *op);
void sl_launch_cancel(sl_warp *warp, const sl_op *op);

/* The words of `lanes` lanes from `lane` on in `columns` columns, all of which are allocated: of lane `lane`, or what
 * is wrong ends the launch. Lanes are SL_TENSOR_COLUMNS words apart. */
uint32_t *sl_tensor_words(sl_warp *warp, const sl_op *op, const sl_block *block, uint32_t lane, uint32_t lanes,
                          uint32_t column, uint32_t columns);
/* The block of the pair with that place (0 or 1), of instructions with .cta_group::2; else the warp's own. */
sl_block *sl_tensor_block(sl_warp *warp, const sl_op *op, bool pair, uint32_t place);
/* Frees the tensor memory of a block; NULL is fine. */
void sl_tensor_memory_free(struct sl_tensor_memory *memory);
/* A new block starts. */
void sl_tensor_memory_start(struct sl_tensor_memory *memory);

#endif
