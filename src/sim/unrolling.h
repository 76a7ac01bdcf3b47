/* SPDX-License-Identifier: MIT */
#ifndef SL_SIM_UNROLLING_H
#define SL_SIM_UNROLLING_H

#include "sim/program.h"

enum { SL_MAX_UNROLLED_ACCESSES = 32 };

/* Adds blocks for loops that the compiler unrolls: of several iterations, and of two. Their results have registers of
 * their own, and counters and addresses are counted once. */
sl_status sl_program_unroll(sl_program *program, sl_error *error);

#endif
