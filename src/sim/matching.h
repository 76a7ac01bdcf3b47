/* SPDX-License-Identifier: MIT */
/* Which blocks of machine code are which basic blocks of PTX.
 *
 * A compiler keeps the order of blocks, as a rule, and what they access: loads, stores, barriers and exchanges within a
 * warp. It makes one block of several that a branch may jump over, and of several iterations of a loop; of a loop there
 * may be several blocks then, each of which has its number of iterations. Blocks without any of these are told by
 * their place between others and their lengths. */
#ifndef SL_SIM_MATCHING_H
#define SL_SIM_MATCHING_H

#include "sim/machine_code.h"
#include "sim/program.h"

typedef struct sl_match {
    uint32_t first, blocks;     /* basic blocks of PTX, which follow each other */
    uint32_t iterations;        /* of the loop that they are; 1 if they are none */
    uint32_t block;             /* of machine code */
    uint32_t lead, lead_blocks; /* it has so many iterations of the loop of so many blocks before, too: what is left of
                                   it, under predicates */
} sl_match;

/* Of an access, exchange or barrier: what it has in common with the one it became. 0: it is none. */
uint32_t sl_anchor_of_ptx(const sl_trace_kernel *kernel, const sl_inst *inst);
uint32_t sl_anchor_of_sass(const sl_sass_inst *inst, bool local);
/* Accesses to shared memory of several words take the place of as many of one. */
static inline uint32_t sl_anchor_words(uint32_t space, uint32_t width)
{
    return space == SL_MEM_SHARED && width > 4 ? width / 4 : 1;
}
/* Whether the kernel accesses local memory by itself. Where it does not, machine code spills registers there. */
bool sl_uses_local(const sl_trace_kernel *kernel);

/* In the order of machine code; `match` has room for each of its blocks. Steps of `program` are those of PTX. */
sl_status sl_match_blocks(const sl_program *program, const sl_machine_code *code, sl_match *match, uint32_t *matches,
                          sl_error *error);

#endif
