/* SPDX-License-Identifier: MIT */
/* What the opcode of a SASS instruction says about it: class, memory space, access, width and cache operator. */
#ifndef SL_TRACE_SASS_H
#define SL_TRACE_SASS_H

#include "sluice/trace.h"

/* Fills op_class, space, access, cache_op and width of `inst` from "LDG.E.64.STRONG.GPU". `addressed`: the trace gives
 * it addresses, so it is an access even when the opcode is not known as one. */
void sl_sass_describe(const char *opcode, bool addressed, sl_inst *inst);

#endif
