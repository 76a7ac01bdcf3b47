/* SPDX-License-Identifier: MIT */
/* The SASS of a kernel as basic blocks, and which of them are which basic blocks of PTX. */
#ifndef SL_LOWER_SASS_BLOCKS_H
#define SL_LOWER_SASS_BLOCKS_H

#include "lower/program.h"
#include "ptx/sass.h"

/* ---- blocks (sass_blocks.c) ----
 *
 * Code that hardly ever runs is left out: calls of the slow paths of divisions and roots, and code for lanes that
 * diverged before an instruction of the whole warp. The code before and behind it is one block then. */

typedef struct sl_sass_block {
    uint32_t first, count; /* of `at` */
    bool loops;            /* the branch at its end leads to its start */
} sl_sass_block;

typedef struct sl_sass_code {
    uint32_t insts;
    sl_sass_inst *inst;
    uint32_t *at; /* instructions of the blocks, one block after the other */
    uint32_t blocks;
    sl_sass_block *block; /* in the order of the code */
} sl_sass_code;

/* SL_CORRUPT, SL_UNSUPPORTED: as sl_sass_decode. */
sl_status sl_sass_blocks_read(const sl_trace_kernel *kernel, sl_sass_code *code, sl_error *error);
void sl_sass_blocks_fini(sl_sass_code *code); /* zeroes are fine */

/* ---- matching (sass_matching.c) ----
 *
 * ptxas keeps, as a rule, the order of basic blocks and what they access: loads, stores, barriers and shuffles (their
 * anchors). It merges blocks that a branch may skip, and iterations of a loop; such a loop may then have several
 * blocks, each with its number of iterations. Blocks without anchors are matched by position and length. */

typedef struct sl_match {
    uint32_t first, blocks; /* consecutive basic blocks of PTX */
    uint32_t iterations;    /* of the loop that they are; 1: no loop */
    uint32_t block;         /* of SASS */
    /* The SASS block also has this many predicated iterations of the preceding loop of `lead_blocks` blocks: its rest.
     */
    uint32_t lead, lead_blocks;
} sl_match;

/* The kind of an access, shuffle or barrier, equal for a PTX instruction and the SASS it becomes. 0: it is none. */
uint32_t sl_anchor_of_ptx(const sl_trace_kernel *kernel, const sl_inst *inst);
uint32_t sl_anchor_of_sass(const sl_sass_inst *inst, bool local);
/* Neighboring accesses to shared memory become a wider one, so anchors there count words. */
static inline uint32_t sl_anchor_words(uint32_t space, uint32_t width)
{
    return space == SL_MEM_SHARED && width > 4 ? width / 4 : 1;
}
/* Whether the PTX accesses local memory. Where it does not, local accesses of SASS are register spills. */
bool sl_uses_local(const sl_trace_kernel *kernel);

/* In the order of SASS; `match` has room for each of its blocks. Uops of `program` are those of PTX. */
sl_status sl_match_blocks(const sl_program *program, const sl_sass_code *code, sl_match *match, uint32_t *matches,
                          sl_error *error);

#endif
