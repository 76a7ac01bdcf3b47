/* SPDX-License-Identifier: MIT */
/* A launch of a trace in memory: its streams stay encoded, and any warp of any block can be read at any time, by
 * several threads at once. This is what everything that interleaves warps reads. */
#ifndef SL_TRACE_LOADED_H
#define SL_TRACE_LOADED_H

#include "base/pool.h"
#include "base/progress.h"
#include "trace/codec.h"

typedef struct sl_loaded sl_loaded;

/* The trace must outlive what is loaded from it. Damage of the file is a failure here: a part of a launch has another
 * order than the whole. */
sl_status sl_loaded_create(const sl_trace *trace, uint32_t launch, sl_pool *pool, sl_loaded **loaded, sl_error *error);
void sl_loaded_destroy(sl_loaded *loaded); /* NULL is fine */

/* The same launch with only some of its blocks, which are read from the whole: it must outlive the part. */
typedef struct sl_part {
    const uint32_t *block; /* indices of the whole, in this order */
    size_t blocks;
    uint64_t
        warp_insts; /* a warp ends after the basic block in which it has executed so many; UINT64_MAX: at its end */
    bool lone;      /* only one warp of each block does anything */
    uint32_t warp;  /* this one */
} sl_part;
sl_status sl_loaded_part(const sl_loaded *whole, const sl_part *part, sl_loaded **made, sl_error *error);
/* Instructions that were read from the part so far. */
uint64_t sl_loaded_part_insts(const sl_loaded *loaded);

const sl_trace_kernel *sl_loaded_kernel(const sl_loaded *loaded);
const sl_trace_launch *sl_loaded_launch(const sl_loaded *loaded);
/* Blocks that were recorded: 0 … count - 1 stand for them in the order of their numbers. */
uint64_t sl_loaded_blocks(const sl_loaded *loaded);
uint64_t sl_loaded_bytes(const sl_loaded *loaded); /* of the encoded streams */
/* Where what is derived from it goes if it is large; NULL: to memory. */
const char *sl_loaded_spill(const sl_loaded *loaded);
/* Of one block: a measure of how long it runs. */
uint64_t sl_loaded_block_bytes(const sl_loaded *loaded, uint64_t index);

/* Whether the warps of a block wait for each other at the instruction. */
bool sl_inst_is_block_barrier(const sl_trace_kernel *kernel, const sl_inst *inst);

/* Reads one warp from its start to its end, across the parts of its block. */
typedef struct sl_warp_reader {
    sl_warp_cursor cursor; /* bb, mask, access: where it is */
    const sl_loaded *loaded;
    sl_predictor *predictor;
    uint64_t left; /* instructions that it may still read; UINT64_MAX: any number */
    uint32_t next; /* part to come; UINT32_MAX: none */
    uint32_t warp;
    bool started;
    /* of a what-if that fills lanes */
    uint64_t full, steps, seed; /* lanes of the warp, its steps so far, and what tells it from others */
} sl_warp_reader;

/* `block` is an index below sl_loaded_blocks; `predictor` is scratch of kernel->mem_slots entries (at least 1) that
 * only this reader uses. */
void sl_warp_reader_init(sl_warp_reader *reader, const sl_loaded *loaded, uint64_t block, uint32_t warp,
                         sl_predictor *predictor);
/* As sl_warp_cursor_step. */
sl_status sl_warp_reader_step(sl_warp_reader *reader, bool *more, sl_error *error);
/* As sl_warp_cursor_access; of a view of a trace (what_if.h), the access as that makes it. */
sl_status sl_warp_reader_access(sl_warp_reader *reader, bool *more, sl_error *error);

#endif
