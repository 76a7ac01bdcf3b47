/* SPDX-License-Identifier: MIT */
/* From PTX to what a GPU executes: how many machine instructions a compiler makes of each PTX instruction. Divisions
 * and others are many (lowering.def); instructions that the hardware does together with another one are none. */
#ifndef SL_SIM_LOWERING_H
#define SL_SIM_LOWERING_H

#include "sim/program.h"

/* Sets `issues` of every step. Leaves those of traces of machine code alone. Before steps are put into another order.
 */
sl_status sl_program_lower(sl_program *program, sl_error *error);

#endif
