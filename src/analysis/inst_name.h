/* SPDX-License-Identifier: MIT */
/* Memory instructions as reports name them: by source location, opcode and array. */
#ifndef SL_ANALYSIS_INST_NAME_H
#define SL_ANALYSIS_INST_NAME_H

#include <stdbool.h>

#include "sluice/trace.h"

typedef struct sl_inst_name {
    const char *opcode, *source_file, *array; /* empty: unknown */
    uint32_t pc, ptx_line, source_line;       /* the source: the user's own, of what was inlined from a library */
    /* Where it is itself, and by which calls it came there (trace.h); tables of the kernel. */
    const char *inner_file, *strings;
    uint32_t inner_line, inlined;
    const sl_trace_call *calls;
    uint32_t bb;    /* its basic block */
    uint32_t which; /* of the instructions with its source line, opcode and array; copies of one have the same number */
    uint16_t width; /* bytes per lane */
    uint8_t access, space;
    /* What the array is in all launches, where it is only known as a parameter; NULL or "": unknown. */
    const char *allocation;
    uint64_t allocation_bytes;
    bool shares_line; /* other instructions of the kernel have its source line: the PTX line tells them apart */
} sl_inst_name;

/* A memory instruction of a kernel. `strings` and `calls` are the kernel's tables or copies of them; what is returned
 * points into them. */
sl_inst_name sl_inst_named(const sl_trace_kernel *kernel, uint32_t slot, const char *strings,
                           const sl_trace_call *calls);
/* Whether two are the same instruction. */
bool sl_inst_same(const sl_inst_name *a, const sl_inst_name *b);
/* Whether two have the same location, opcode and array. */
bool sl_inst_same_location(const sl_inst_name *a, const sl_inst_name *b);
/* …and are the same of that line's, of which an unrolled loop has many copies: one row of a table. */
bool sl_inst_same_row(const sl_inst_name *a, const sl_inst_name *b);
/* The same for all instructions of one location, opcode and array: to look them up. */
uint64_t sl_inst_location_hash(const sl_inst_name *name);
/* Finds out which of a kernel are copies of one, and which share their source line with others. What is fewest in a
 * basic block is one iteration, where the others have a multiple of it; in one block alone, more than
 * SL_MAX_COPIES_APART are copies. False: out of memory. */
enum { SL_MAX_COPIES_APART = 8 };
bool sl_insts_distinguish(sl_inst_name *inst, uint32_t count);
/* Its location, for people: "spmv.cu:17", "spmv.cu:17, PTX 34", "PTX line 34". Returns `buffer`. */
const char *sl_inst_location(const sl_inst_name *name, char *buffer, size_t size);

/* The line of a library that its location has called: " (block_load.cuh:86)"; "": the location is its own. Returns
 * `buffer`. */
const char *sl_inst_library(const sl_inst_name *name, char *buffer, size_t size);

/* The calls by which it was inlined, from itself to the kernel: "block_load.cuh:86 < block_load.cuh:830 < sums.cu:15";
 * "": it was not inlined. With the whole paths for programs. Returns `buffer`. */
const char *sl_inst_inlined(const sl_inst_name *name, bool paths, char *buffer, size_t size);

/* The array, for people: "A", "param_0 (alloc 3 in main, 64.0 MiB)"; "": unknown. Where in a function the allocation
 * was made is left out. Returns `buffer`. */
const char *sl_inst_array(const sl_inst_name *name, char *buffer, size_t size);

/* Its source line, else its PTX line, else its address; returns the file: "unknown", "PTX" or "addresses" where it has
 * none. */
const char *sl_inst_line(const sl_inst_name *name, uint32_t *line);
/* Its source, for programs: "spmv.cu:17", "line 17", "spmv.cu"; "": unknown. Returns `buffer`. */
const char *sl_inst_source(const sl_inst_name *name, char *buffer, size_t size);

#endif
