/* SPDX-License-Identifier: MIT */
/* Which loops of a function ptxas unrolls. */
#ifndef SL_PTX_UNROLLING_H
#define SL_PTX_UNROLLING_H

#include "ptx/module.h"

enum { SL_UNROLLED = 4 }; /* iterations that become one; those that are left become two and one */

/* Marks instructions that branch back to the start of an unrolled loop; `closes` has an entry for each instruction. */
void sl_ptx_find_unrolled(const sl_ptx_func *func, bool *closes);

#endif
