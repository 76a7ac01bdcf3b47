/* SPDX-License-Identifier: MIT */
/* Where inlined instructions come from. The innermost location of a load in CUB is a line of CUB; people ask which line
 * of their own called it. */
#ifndef SL_TRACE_INLINED_H
#define SL_TRACE_INLINED_H

#include <stdbool.h>

#include "sluice/trace.h"

/* The innermost location of an instruction that is in no such header, with its line and the call by which it was
 * inlined itself; the innermost location where there is no other. `strings` and `calls` are the kernel's. */
sl_trace_call sl_inst_own_location(const sl_inst *inst, const char *strings, const sl_trace_call *calls);

#endif
