/* SPDX-License-Identifier: MIT */
/* The lines of an Accel-Sim trace and the static instructions that can be learnt from them. */
#ifndef SL_TRACE_ACCELSIM_H
#define SL_TRACE_ACCELSIM_H

#include "base/arena.h"
#include "base/array.h"
#include "base/index.h"
#include "sluice/trace.h"

enum { SL_SASS_LANES = 32 };

/* One executed instruction. Pointers lead into the line. */
typedef struct sl_sass_line {
    uint32_t pc, mask, source_line;
    const char *key; /* from the number of destinations to the last source: identifies the instruction */
    size_t key_bytes;
    const char *opcode;
    size_t opcode_bytes;
    uint8_t dsts, srcs;
    uint16_t regs[SL_INST_REGS];
    bool addressed;               /* it has addresses, for the lanes of the mask */
    uint64_t addr[SL_SASS_LANES]; /* valid for these lanes */
} sl_sass_line;

typedef struct sl_sass_syntax {
    uint32_t version;  /* of the tracer; before 3, lines begin with block and warp */
    bool source_lines; /* lines begin with a source line */
} sl_sass_syntax;

/* Returns NULL, or what is wrong with the line. */
const char *sl_sass_parse(const char *line, const sl_sass_syntax *syntax, sl_sass_line *out);

/* ---- static instructions, learnt by looking at every executed one ---- */

enum { SL_SASS_NONE = UINT32_MAX, SL_SASS_MANY = UINT32_MAX - 1 };

typedef struct sl_accelsim_inst {
    uint32_t pc, source_line;
    const char *key, *opcode;
    size_t key_bytes;
    uint8_t dsts, srcs;
    uint16_t regs[SL_INST_REGS];
    bool addressed;
    uint32_t before, after; /* the only neighbors it was ever seen with under the same mask, or SL_SASS_MANY */
    /* known when the table is finished */
    uint32_t bb;
    bool leads;    /* first of its basic block */
    uint32_t slot; /* memory slot, or UINT32_MAX */
} sl_accelsim_inst;

typedef struct sl_sass_table {
    sl_arena arena;
    SL_ARRAY(sl_accelsim_inst) insts; /* in order of first execution */
    sl_index by_pc;
    sl_trace_kernel kernel; /* when finished; lives in the arena */
} sl_sass_table;

void sl_sass_table_init(sl_sass_table *table);
void sl_sass_table_fini(sl_sass_table *table);
/* The number of the line's instruction, which is added when it is new (`add`), or SL_SASS_NONE when it is not there or
 * memory ran out. */
uint32_t sl_sass_table_find(sl_sass_table *table, const sl_sass_line *line, bool add);
/* In a warp, `inst` ran after `before` (SL_SASS_NONE: first); `joined`: with the same mask. */
void sl_sass_table_follow(sl_sass_table *table, uint32_t before, uint32_t inst, bool joined);
/* `inst` was the last of a warp. */
void sl_sass_table_last(sl_sass_table *table, uint32_t inst);
/* Cuts the instructions into basic blocks and makes the kernel's static table. False when memory runs out. */
bool sl_sass_table_finish(sl_sass_table *table, const char *symbol, uint32_t registers, uint32_t shared_bytes);

/* What the opcode of a SASS instruction says about it: class, memory space, access, width and cache operator. */

/* Fills op_class, space, access, cache_op and width of `inst` from "LDG.E.64.STRONG.GPU". `addressed`: the trace gives
 * it addresses, so it is an access even when the opcode is not known as one. */
void sl_sass_describe(const char *opcode, bool addressed, sl_inst *inst);

#endif
