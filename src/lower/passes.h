/* SPDX-License-Identifier: MIT */
/* The passes of sl_program_init, in the order in which they run. */
#ifndef SL_LOWER_PASSES_H
#define SL_LOWER_PASSES_H

#include "lower/program.h"

enum { SL_MAX_UNROLLED_ACCESSES = 32 };

/* Sets how many machine instructions ptxas makes of each PTX instruction: many of a division
 * (instruction_counts.def), none of what is folded into another one (IMAD, LEA, LOP3, FFMA, address offsets). Leaves
 * traces of SASS alone. */
sl_status sl_pass_count_instructions(sl_program *program, sl_error *error);

/* Replaces basic blocks by SASS where the kernel carries it and its blocks can be matched (sass_blocks.h): number and
 * order of instructions, which loads issue before the first one waits, and the control fields. Addresses are those of
 * the trace. SASS that cannot be decoded changes nothing. */
sl_status sl_pass_use_sass(sl_program *program, const sl_core_limits *core, sl_error *error);

/* Adds blocks for loops that ptxas unrolls: one of several iterations, and one of two for the rest. Results of
 * iterations get registers of their own; counters and addresses are computed once. */
sl_status sl_pass_unroll(sl_program *program, sl_error *error);

/* Finds basic blocks with a short block between each two that a branch may skip, as loops that contain an `if` have
 * after unrolling. ptxas moves read-only loads (ld.global.nc), and what does not depend on the short blocks, before the
 * first branch (seen in the SASS of sssp). Adds the blocks twice: as they are, and after hoisting; accesses are
 * numbered over all of them. */
sl_status sl_pass_hoist(sl_program *program, sl_error *error);

/* Reorders the uops of all blocks. In PTX a load stands right before its first use; ptxas hoists loads, and what
 * computes their addresses, so that latencies overlap. Accesses to shared memory stay in order, and so do all others;
 * nothing moves across barriers and fences. `max`: loads of a batch. */
sl_status sl_pass_batch_loads(sl_program *program, uint32_t max, sl_error *error);

/* ---- helpers of passes ---- */

/* Makes room for more uops and blocks at the end. */
sl_status sl_program_reserve(sl_program *program, uint32_t uops, uint32_t blocks, sl_error *error);
/* Whether a uop loads data that does not change while the kernel runs. */
bool sl_program_is_constant_load(const sl_program *program, uint32_t uop);

#endif
