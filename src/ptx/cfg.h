/* SPDX-License-Identifier: MIT */
/* Control flow of one function: basic blocks, and where lanes that diverge run together again.
 *
 * A block is a straight run of instructions that is entered at its first and left at its last. Besides labels that
 * something refers to and branches, blocks end after calls and block-wide barriers, and a warp-synchronising
 * instruction starts one: a warp may have to wait there, so a warp only ever waits between blocks.
 */
#ifndef SL_PTX_CFG_H
#define SL_PTX_CFG_H

#include "ptx/module.h"

enum { SL_BB_EXIT = -1 }; /* the virtual block after the last: leaving the function */

/* Lanes that go to `to` from here will not reach `join` before its branch is run again. */
typedef struct sl_leave {
    int32_t to, join;
} sl_leave;

typedef struct sl_bb {
    uint32_t first, count; /* instructions [first, first + count) of the function */
    uint32_t succs;
    const int32_t *succ; /* block indices or SL_BB_EXIT; for a conditional branch or exit: taken first, then fall
                            through. brx.idx: one per target-table entry, in order (duplicates kept), then, when
                            it is guarded, fall through */
    uint32_t joins;      /* where lanes that part at its end meet again, the innermost first */
    const int32_t *join;
    uint32_t leaves; /* edges out of it that leave the region of a join, for good */
    const sl_leave *leave;
    bool back_edge_target; /* some successor edge from a block at or after it leads here */
} sl_bb;

typedef struct sl_cfg {
    uint32_t blocks;
    sl_bb *block;
    uint32_t *block_of; /* instruction index -> block index */
} sl_cfg;

/* Allocates in `arena`. Fails on branches to labels that are not defined. */
sl_status sl_cfg_build(const sl_ptx_module *module, const sl_ptx_func *func, sl_arena *arena, sl_cfg *cfg,
                       sl_error *error);

/* joins.c: fills in joins and leaves; false: out of memory. */
bool sl_cfg_find_joins(sl_cfg *cfg, sl_arena *arena);

/* Which loops of a function ptxas unrolls. */

enum { SL_UNROLLED = 4 }; /* iterations that become one; those that are left become two and one */

/* Marks instructions that branch back to the start of an unrolled loop; `closes` has an entry for each instruction. */
void sl_ptx_find_unrolled(const sl_ptx_func *func, bool *closes);

/* By how much the address of a memory instruction grows from one iteration of its loop to the next, where that is a
 * constant that the code shows. */

/* One entry per instruction of `func`, in bytes, allocated in `arena`. 0: not a memory instruction with one register as
 * its address, not in a loop, the same address each time, or not known. A loop is the shortest stretch of blocks with
 * a branch from its end to its start. */
sl_status sl_ptx_steps(const sl_ptx_func *func, const sl_cfg *cfg, sl_arena *arena, int64_t **steps, sl_error *error);

#endif
