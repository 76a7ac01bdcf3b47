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
    uint32_t access; /* memory instructions: which one of its basic block it is in the trace */
    uint16_t reg[SL_INST_REGS];
} sl_step;

/* A basic block that may be a loop of which the compiler makes several iterations one, and of what is left two. */
typedef struct sl_loop {
    uint32_t factor;   /* iterations; 0: it is no such loop */
    uint32_t block;    /* of these; behind it that of two */
    uint32_t accesses; /* memory instructions of one */
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
    uint32_t *order;    /* [steps]: the instruction of a step */
    uint32_t blocks;    /* those of the kernel, behind them those of unrolled loops */
    sl_trace_bb *block; /* [blocks]: of steps */
    sl_loop *loop;      /* [kernel->bbs] */
    sl_chain *chain;    /* [kernel->bbs]; NULL: nothing was hoisted */
    uint32_t registers;
    uint32_t held; /* max accesses of a warp that are read before they issue */
    uint32_t interval[SL_UNITS];
} sl_program;

/* The instruction of a step. */
static inline const sl_inst *sl_program_inst(const sl_program *program, uint32_t step)
{
    return &program->kernel->inst[program->order[step]];
}

/* Whether a step loads data that nobody changes while the kernel runs. */
bool sl_program_is_constant_load(const sl_program *program, uint32_t step);

sl_status sl_program_init(sl_program *program, const sl_machine *machine, const sl_trace_kernel *kernel,
                          sl_error *error);
void sl_program_fini(sl_program *program); /* zeroes are fine */

#endif
