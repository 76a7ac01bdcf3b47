/* SPDX-License-Identifier: MIT */
/* Bulk copies: what the decoder tells the handlers about them. */
#ifndef SL_EMU_BULK_H
#define SL_EMU_BULK_H

#include "ptx/module.h"

enum {
    /* sl_op.aux: where from and where to */
    SL_BULK_LOAD,     /* global to shared memory */
    SL_BULK_STORE,    /* shared to global memory */
    SL_BULK_WITHIN,   /* shared to shared memory of the cluster */
    SL_BULK_PREFETCH, /* global memory to L2 */
    SL_BULK_WAYS = 3,
    /* and flags */
    SL_BULK_REDUCES = 1 << 2,
    SL_BULK_TENSOR = 1 << 3,
    SL_BULK_IM2COL = 1 << 4,
    SL_BULK_ROWS = 1 << 5,   /* of a tensor: four rows, each with a coordinate of its own */
    SL_BULK_PAIR = 1 << 6,   /* .cta_group::2: the barrier may be that of the other block of a pair */
    SL_BULK_DIMS_SHIFT = 8,  /* of a tensor */
    SL_BULK_SIZE_SHIFT = 12, /* of a reduction: bytes of an element */
    SL_BULK_HOW_SHIFT = 16,  /* of a reduction: sl_atomic */
};

/* sl_op.list: references; SL_REF_NONE for what is not there. */
enum {
    /* 8-byte lanes: addresses. Of a tensor, TO or FROM is that of its map. */
    SL_BULK_TO,
    SL_BULK_FROM,
    SL_BULK_BARRIER,
    SL_BULK_ADDRESSES,
    /* 4-byte lanes */
    SL_BULK_BYTES = SL_BULK_ADDRESSES,
    SL_BULK_MASK,                            /* bytes of every 16 that are copied */
    SL_BULK_BLOCKS,                          /* of the cluster that receive it */
    SL_BULK_COORDINATE,                      /* five */
    SL_BULK_OFFSET = SL_BULK_COORDINATE + 5, /* three, of im2col */
    SL_BULK_REFS = SL_BULK_OFFSET + 3,
};

/* Which way an instruction copies. */
uint32_t sl_bulk_way(const sl_ptx_inst *inst);

#endif
