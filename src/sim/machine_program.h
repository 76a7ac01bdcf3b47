/* SPDX-License-Identifier: MIT */
/* Machine code in place of PTX, where a kernel comes with it and its blocks are found (matching.h): number and order of
 * instructions, which loads are issued before the first one waits, and the control fields that say when the next one
 * can issue. Accesses are those of the trace. */
#ifndef SL_SIM_MACHINE_PROGRAM_H
#define SL_SIM_MACHINE_PROGRAM_H

#include "sim/program.h"

/* Adds blocks of machine code, and marks the basic blocks whose place they take. Code that cannot be read changes
 * nothing. After lowering, and before the rest. */
sl_status sl_program_use_machine_code(sl_program *program, const sl_core_limits *core, sl_error *error);

#endif
