/* SPDX-License-Identifier: MIT */
/* Blocks that follow each other with a short block between each two that a branch may jump over, as loops with an `if`
 * have when the compiler has unrolled them. ptxas moves what does not depend on the short blocks, and loads of data
 * that nobody changes (ld.global.nc), before the first of the branches: read off the machine code of sssp. */
#ifndef SL_SIM_HOISTING_H
#define SL_SIM_HOISTING_H

#include "sim/program.h"

/* Finds them, and adds their blocks twice: as they are, and after hoisting. Accesses are numbered over all of them. */
sl_status sl_program_hoist(sl_program *program, sl_error *error);

#endif
