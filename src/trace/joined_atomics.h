/* SPDX-License-Identifier: MIT */
/* Atomics that a compiler carries out once for a warp. Where the address is the same for all lanes by the code alone
 * (a parameter, a symbol, what is computed from them), ptxas adds up the lanes' values, lets one lane do the atomic and
 * gives each lane its part of the result. A trace of PTX has one access of all active lanes.
 *
 * Which, as machine code of ptxas 13.0 for sm_90 shows (docs/sim.md): integer sums of 32 bits; of 64 bits if the value
 * is the same for all lanes, too; minimum, maximum, and, or and xor of 32 bits whose result nobody uses. Not those of
 * floating-point numbers, exchanges, inc and dec. */
#ifndef SL_TRACE_JOINED_ATOMICS_H
#define SL_TRACE_JOINED_ATOMICS_H

#include "sluice/error.h"
#include "sluice/trace.h"

/* *joined[mem_slots], to be freed by the caller: 1 where one lane acts for all. NULL: nowhere. */
sl_status sl_joined_atomics(const sl_trace_kernel *kernel, uint8_t **joined, sl_error *error);

#endif
