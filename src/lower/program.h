/* SPDX-License-Identifier: MIT */
/* A kernel as an SM issues it: the stand-in for ptxas.
 *
 * Traces record PTX; a GPU runs what ptxas makes of it. A program is the list of uops that the simulated SMs issue for
 * a kernel on a machine: how many machine instructions each PTX instruction becomes, in which order they issue, and
 * how long they take. Where a kernel carries SASS for the machine, and its blocks can be matched with basic blocks of
 * PTX, the uops are those of the SASS.
 *
 * The passes, in order (passes.h): instruction counts, SASS, unrolling, hoisting, load batching. */
#ifndef SL_LOWER_PROGRAM_H
#define SL_LOWER_PROGRAM_H

#include "machine/machine.h"
#include "sluice/trace.h"

typedef enum sl_uop_kind {
    SL_UOP_PLAIN,      /* arithmetic: a functional unit of the scheduler, for a fixed time */
    SL_UOP_SHARED,     /* shared memory: as many wavefronts as bank conflicts need */
    SL_UOP_MEMORY,     /* through the load/store unit to L1 */
    SL_UOP_BARRIER,    /* waits for the other warps of the CTA */
    SL_UOP_FENCE,      /* waits for all loads and stores of the warp */
    SL_UOP_WAIT_ASYNC, /* waits for all asynchronous copies of the warp: the trace does not say for how many */
} sl_uop_kind;

/* Functional units of a scheduler. Integers and their products have units of their own in machine code only. */
typedef enum sl_unit {
    SL_UNIT_ALU,
    SL_UNIT_F64,
    SL_UNIT_SFU,
    SL_UNIT_TENSOR,
    SL_UNIT_INT,
    SL_UNIT_IMAD,
    SL_UNITS
} sl_unit;

/* What an instruction asks of the unit that multiplies in tensor memory. */
enum { SL_TENSOR_NOTHING, SL_TENSOR_PRODUCT, SL_TENSOR_ALL_DONE };

/* Scoreboards (dependency barriers) that the control fields of SASS name. */
enum { SL_SCOREBOARDS = 6, SL_NO_SCOREBOARD = 7 };

/* A lowered instruction. */
typedef struct sl_uop {
    uint8_t kind, unit;
    bool queued;                  /* goes through the queue of the load/store unit */
    bool index;                   /* integers, moves and branches: it moves and computes no data, as a rule */
    bool slow_path;               /* has a branch or call for rare operands: nothing moves across it */
    uint8_t tensor;               /* SL_TENSOR_PRODUCT… */
    uint8_t dsts, regs;           /* reg[0 .. dsts) are written, reg[dsts .. regs) are read */
    uint8_t issues;               /* machine instructions; 0: folded into another one */
    uint8_t atomic_wavefronts;    /* of an atomic on one word of shared memory: more than 1 if it is a CAS loop */
    uint8_t extra_address_cycles; /* of a load of constant memory: for each further address of the warp */
    uint8_t issue_gap;            /* cycles between its machine instructions */
    uint32_t cycles;              /* from the (last) issue to the result; SL_UOP_SHARED: without conflicts */
    uint32_t access;              /* memory instructions: number of its access in its basic block, or region */
    uint8_t bb_copy;              /* accesses and barriers of a region: iteration * blocks of the region + block */
    /* SASS has no registers here: its control fields say when the next instruction issues and what it waits for. */
    bool sass;
    uint8_t stall;                             /* stall count, in cycles */
    uint8_t write_scoreboard, read_scoreboard; /* released when its result is there, when its operands were read */
    uint8_t wait_mask;                         /* scoreboards that it waits for */
    uint16_t reg[SL_INST_REGS];
} sl_uop;

enum { SL_MAX_VERSIONS = 6, SL_MAX_BB_COPIES = 64, SL_MAX_REGION_ACCESSES = 64 };

/* A basic block, and the region that starts with it: consecutive basic blocks that ptxas merges into one, some of which
 * may be skipped at run time (predicated), or several iterations of a loop (unrolled). An unrolled loop has a version
 * for each of several numbers of iterations. */
typedef struct sl_region {
    uint32_t accesses;           /* memory instructions of the basic block */
    bool sass;                   /* the basic block is replaced by SASS */
    uint32_t blocks;             /* basic blocks of the region */
    uint32_t factor;             /* max iterations; 0: no region starts here */
    uint32_t iteration_accesses; /* of an iteration, `lead_accesses` included */
    uint32_t tail;               /* of a loop: the region that also executes its remaining iterations; 0: none */
    uint32_t lead, lead_blocks, lead_accesses; /* of a tail: max iterations, blocks of one, accesses of all */
    uint32_t versions;
    struct {
        uint32_t iterations, block;
    } version[SL_MAX_VERSIONS]; /* by iterations, descending; the last has one */
} sl_region;

/* Consecutive basic blocks, every second of which may be skipped, with a hoisted copy (hoisting.c). */
enum { SL_MAX_CHAIN = 9 };
typedef struct sl_chain {
    uint32_t blocks;                     /* 0: none starts here */
    uint32_t block;                      /* first of the added blocks: all as they are, then all after hoisting */
    uint32_t first_access[SL_MAX_CHAIN]; /* of each block, the number of its first access */
} sl_chain;

typedef struct sl_program {
    const sl_trace_kernel *kernel;
    uint32_t uops;
    sl_uop *uop;        /* in issue order */
    uint32_t *inst_of;  /* [uops]: PTX instruction of a uop; SL_NO_INST: SASS that accesses no memory */
    uint32_t blocks;    /* those of the kernel, then those that passes added */
    sl_trace_bb *block; /* [blocks]: ranges of uops */
    sl_region *region;  /* [kernel->bbs] */
    sl_chain *chain;    /* [kernel->bbs]; NULL: nothing was hoisted */
    uint32_t registers;
    uint32_t read_ahead; /* max accesses of a warp that are read from the trace before they issue */
    uint32_t interval[SL_UNITS];
    sl_inst no_inst;
} sl_program;

enum { SL_NO_INST = 0xffffffff };

/* Whether instructions of a class compute addresses and indices, or lead from one instruction to another. */
static inline bool sl_class_is_index(uint8_t op_class)
{
    return op_class == SL_CLASS_INT || op_class == SL_CLASS_INT_MUL || op_class == SL_CLASS_INT_DIV ||
           op_class == SL_CLASS_MOVE || op_class == SL_CLASS_CONTROL;
}

/* The PTX instruction of a uop. */
static inline const sl_inst *sl_program_inst(const sl_program *program, uint32_t uop)
{
    uint32_t inst = program->inst_of[uop];
    return inst == SL_NO_INST ? &program->no_inst : &program->kernel->inst[inst];
}

/* The kernel must outlive the program. After a failure, too, the caller calls sl_program_fini. */
sl_status sl_program_init(sl_program *program, const sl_machine *machine, const sl_trace_kernel *kernel,
                          sl_error *error);
void sl_program_fini(sl_program *program); /* zeroes are fine */

/* The order in which the instructions of each basic block issue, as ptxas batches loads: [insts], to be freed by the
 * caller. NULL: as in the trace. Machine code and unrolled loops are left out. */
sl_status sl_program_order(const sl_machine *machine, const sl_trace_kernel *kernel, uint32_t **order, sl_error *error);

#endif
