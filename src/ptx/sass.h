/* SPDX-License-Identifier: MIT */
/* Machine code of NVIDIA GPUs since Volta (SASS): 16 bytes an instruction.
 *
 *   bits 0-8: which instruction (sass.def); 9-11: of what kind its operands are
 *   12-14: the predicate that guards it (7: none); 15: it is negated
 *   16-23: register of the result; 24-31, 64-71 and, if 9-11 are 1, 32-39: of operands, where it has them
 *   73-75: bytes of a load or store (1, 1, 2, 2, 4, 8, 16); 76-78: scope of a fence
 *   87-89: a further predicate of a branch; 91: it is BRA.DIV
 *   105-108: stall, the cycles until the warp's next instruction; 109: 0 asks the scheduler for another warp
 *   110-112: barrier that announces the result (7: none); 113-115: that the operands have been read
 *   116-121: barriers that it waits for; 122-125: operands that are kept for the next instruction
 *
 * Worked out from ptxas's output, and checked against nvdisasm and the tables of nv_isa_solver and CuAssembler. */
#ifndef SL_PTX_SASS_H
#define SL_PTX_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/error.h"
#include "sluice/trace.h"

enum { SL_SASS_BYTES = 16, SL_SASS_BARRIERS = 6, SL_SASS_NO_BARRIER = 7, SL_SASS_ALWAYS = 7, SL_SASS_NOWHERE = -1 };
enum { SL_SASS_OLDEST = 70, SL_SASS_NEWEST = 120 }; /* machines with this encoding */

typedef struct sl_sass_inst {
    const char *name; /* "LDG"; "?": not in the table */
    uint16_t opcode;  /* 12 bits */
    uint8_t op_class, space, access;
    uint8_t width;     /* of loads and stores, bytes of a lane; else 0 */
    uint8_t guard;     /* predicate; SL_SASS_ALWAYS */
    bool guard_not;    /* with SL_SASS_ALWAYS: it is never executed */
    bool conditional;  /* a branch that some lanes may not take */
    bool if_diverged;  /* a branch that is taken where lanes have parted (BRA.DIV) */
    uint8_t scope;     /* of a fence: 0 block, 2 GPU, 3 system */
    uint8_t dst, dsts; /* registers that it writes: dsts, from dst on; uniform ones and predicates are not among them */
    uint8_t src[3], srcs; /* and reads, as far as they are integers, addresses or loaded; 255 is zero */
    uint8_t stall;
    bool yields;
    uint8_t write_barrier, read_barrier; /* SL_SASS_NO_BARRIER */
    uint8_t waits;                       /* mask of barriers */
    uint8_t reuse;
    int32_t target; /* of a branch: number of an instruction; SL_SASS_NOWHERE: none, or not known */
} sl_sass_inst;

/* Decodes the code of a kernel: bytes / SL_SASS_BYTES instructions, which the caller has room for. SL_CORRUPT: no whole
 * number of them, or a branch out of the code; SL_UNSUPPORTED: a machine with another encoding. */
sl_status sl_sass_decode(uint32_t sm, const void *code, size_t bytes, sl_sass_inst *inst, sl_error *error);

static inline bool sl_sass_is(const sl_sass_inst *inst, const char *name)
{
    return !__builtin_strcmp(inst->name, name);
}

#endif
