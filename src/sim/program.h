/* SPDX-License-Identifier: MIT */
/* A kernel as cores issue it: per instruction what it needs, where it goes and how long it takes on a machine. */
#ifndef SL_SIM_PROGRAM_H
#define SL_SIM_PROGRAM_H

#include "machine/machine.h"
#include "sluice/trace.h"

typedef enum sl_step_kind {
    SL_STEP_PLAIN,      /* a unit of the scheduler, for a fixed time */
    SL_STEP_SHARED,     /* shared memory: as long as its banks take */
    SL_STEP_MEMORY,     /* the first level */
    SL_STEP_BARRIER,    /* waits for the other warps of the block */
    SL_STEP_FENCE,      /* waits for what the warp has loaded and stored */
    SL_STEP_WAIT_ASYNC, /* waits for the warp's asynchronous copies: all of them, the trace does not say how many */
} sl_step_kind;

typedef enum sl_unit { SL_UNIT_ALU, SL_UNIT_F64, SL_UNIT_SFU, SL_UNIT_TENSOR, SL_UNITS } sl_unit;

typedef struct sl_step {
    uint8_t kind, unit;
    bool queued;        /* goes through the queue of the load/store unit */
    bool branches;      /* has a path of its own for rare operands: nothing moves across it */
    uint8_t dsts, regs; /* regs: written ones first, then those that are read */
    uint8_t issues;     /* machine instructions; 0: another one does it, too */
    uint8_t passes;     /* of an atomic on one word of shared memory: several if it is a loop */
    uint8_t further;    /* cycles of each further address of constant memory */
    uint8_t gap;        /* cycles from one of them to the next */
    uint32_t cycles; /* from the (last) issue to the result, for SL_STEP_PLAIN and without conflicts SL_STEP_SHARED */
    uint32_t access; /* memory instructions: which one of its basic block it is in the trace, or of its unit */
    uint8_t part;    /* accesses and barriers of units: the iteration times blocks of the unit, plus the block */
    /* An instruction of machine code has no registers, but says itself when the next one can issue and what it has to
     * wait for. */
    bool machine;
    uint8_t stall;      /* cycles */
    uint8_t sets, read; /* barriers: its result is there, its operands have been read; SL_NO_BARRIER */
    uint8_t waits;      /* mask of barriers */
    uint16_t reg[SL_INST_REGS];
} sl_step;

enum { SL_BARRIERS = 6, SL_NO_BARRIER = 7 };

/* What is known of a basic block, and the unit that begins with it: blocks of which the compiler makes one, some of
 * which may be jumped over, or several iterations of a loop, of which there are versions for different numbers of them.
 */
enum { SL_MAX_VERSIONS = 6, SL_MAX_PARTS = 64, SL_MAX_UNIT_ACCESSES = 64 };
typedef struct sl_loop {
    uint32_t accesses;      /* memory instructions of the basic block */
    bool machine;           /* machine code takes the place of it */
    uint32_t blocks;        /* of the unit */
    uint32_t factor;        /* iterations, at most; 0: none begins here */
    uint32_t unit_accesses; /* of an iteration, `lead_accesses` included */
    uint32_t tail;          /* of a loop: the unit that has what is left of its iterations, too; 0: none */
    uint32_t lead, lead_blocks, lead_accesses; /* of that: iterations at most, blocks of one, accesses of all */
    uint32_t versions;
    struct {
        uint32_t iterations, block;
    } version[SL_MAX_VERSIONS]; /* the most iterations first; the last has one */
} sl_loop;

/* Blocks in a row, every second of which may be jumped over, and how they are after hoisting (hoisting.h). */
enum { SL_MAX_CHAIN = 9 };
typedef struct sl_chain {
    uint32_t blocks;             /* 0: none begins here */
    uint32_t block;              /* the first of those that were added: all as they are, then all after hoisting */
    uint32_t from[SL_MAX_CHAIN]; /* of each, the number of its first access */
} sl_chain;

typedef struct sl_program {
    const sl_trace_kernel *kernel;
    uint32_t steps;
    sl_step *step;      /* in the order in which they are issued */
    uint32_t *order;    /* [steps]: the instruction of a step; SL_NO_INST: machine code that accesses no memory */
    uint32_t blocks;    /* those of the kernel, behind them those of unrolled loops */
    sl_trace_bb *block; /* [blocks]: of steps */
    sl_loop *loop;      /* [kernel->bbs] */
    sl_chain *chain;    /* [kernel->bbs]; NULL: nothing was hoisted */
    uint32_t registers;
    uint32_t held; /* max accesses of a warp that are read before they issue */
    uint32_t interval[SL_UNITS];
    sl_inst no_inst;
} sl_program;

enum { SL_NO_INST = 0xffffffff };

/* The instruction of a step. */
static inline const sl_inst *sl_program_inst(const sl_program *program, uint32_t step)
{
    uint32_t inst = program->order[step];
    return inst == SL_NO_INST ? &program->no_inst : &program->kernel->inst[inst];
}

/* Adds room for steps and blocks behind those that there are. */
sl_status sl_program_reserve(sl_program *program, uint32_t steps, uint32_t blocks, sl_error *error);
/* Whether a step loads data that nobody changes while the kernel runs. */
bool sl_program_is_constant_load(const sl_program *program, uint32_t step);

sl_status sl_program_init(sl_program *program, const sl_machine *machine, const sl_trace_kernel *kernel,
                          sl_error *error);
void sl_program_fini(sl_program *program); /* zeroes are fine */

#endif
