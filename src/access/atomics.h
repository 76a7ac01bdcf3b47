/* SPDX-License-Identifier: MIT */
/* What atomics take where they execute (papers/h200-micro/RESULTS.md): a slice of L2 carries out one sector of a warp's
 * request in a pass. Lanes on different words of a sector share a pass, lanes on one word need one each. Passes of
 * floating-point sums on one sector are further apart than others. Whether a compare-and-swap swaps, which takes a
 * second pass, a trace does not say. */
#ifndef SL_ACCESS_ATOMICS_H
#define SL_ACCESS_ATOMICS_H

#include "machine/machine.h"
#include "sluice/trace.h"

enum {
    SL_ATOMIC_SECTOR_BYTES = 32,
    SL_ATOMIC_LINE_SECTORS = 4,
    SL_ATOMIC_PASS_BITS = 8, /* of a sector, in what sl_atomic_line_passes returns, of which */
    SL_ATOMIC_PASSES = 0x7f, /* are passes */
    SL_ATOMIC_FLOATS = 0x80, /* and in the first: they are floating-point sums (set by the caller) */
    SL_ATOMIC_UNITS = 256    /* slices that are told apart */
};

/* Passes of the active lanes in a line of up to 128 bytes, 8 bits for each of its sectors. Expands the access. */
uint32_t sl_atomic_line_passes(sl_access *access, uint32_t lanes, uint64_t line_addr, uint32_t line_bytes);
/* Their sum. */
static inline uint32_t sl_atomic_pass_count(uint32_t passes)
{
    uint32_t sum = 0;
    for (; passes; passes >>= SL_ATOMIC_PASS_BITS)
        sum += passes & SL_ATOMIC_PASSES;
    return sum;
}

/* Whether an atomic or reduction adds or compares floating-point numbers, by its opcode. */
bool sl_atomic_is_float(const sl_trace_kernel *kernel, const sl_inst *inst);

/* The slice of an address, below the number of banks and SL_ATOMIC_UNITS. */
uint32_t sl_atomic_unit(const sl_level *level, uint64_t addr);

#endif
