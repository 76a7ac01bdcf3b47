/* SPDX-License-Identifier: MIT */
/* The machine code of a kernel as blocks of instructions. What hardly ever runs is left out: calls of the slow paths
 * of divisions and roots, and what is for lanes that have parted at an instruction of the whole warp. The code before
 * and behind is one block then. */
#ifndef SL_SIM_MACHINE_CODE_H
#define SL_SIM_MACHINE_CODE_H

#include "ptx/sass.h"

typedef struct sl_machine_block {
    uint32_t first, count; /* of `at` */
    bool loops;            /* the branch at its end leads to its start */
} sl_machine_block;

typedef struct sl_machine_code {
    uint32_t insts;
    sl_sass_inst *inst;
    uint32_t *at; /* instructions of the blocks, one block after the other */
    uint32_t blocks;
    sl_machine_block *block; /* in the order of the code */
} sl_machine_code;

/* SL_CORRUPT, SL_UNSUPPORTED: as sl_sass_decode. */
sl_status sl_machine_code_read(const sl_trace_kernel *kernel, sl_machine_code *code, sl_error *error);
void sl_machine_code_fini(sl_machine_code *code); /* zeroes are fine */

#endif
