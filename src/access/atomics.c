/* SPDX-License-Identifier: MIT */
#include "access/atomics.h"

#include <string.h>

#include "base/hash.h"

enum { WORD_BYTES = 4, MAX_PASSES = 64 };

uint32_t sl_atomic_line_passes(sl_access *a, uint32_t lanes, uint64_t line_addr, uint32_t line_bytes)
{
    uint8_t word[SL_ATOMIC_LINE_SECTORS * SL_ATOMIC_SECTOR_BYTES / WORD_BYTES] = {0};
    uint8_t most[SL_ATOMIC_LINE_SECTORS] = {0};
    uint32_t passes = 0;
    sl_access_expand(a, lanes);
    for (uint64_t left = a->mask; left; left &= left - 1) {
        uint64_t offset = a->addr[__builtin_ctzll(left)] - line_addr;
        if (offset >= line_bytes || offset >= sizeof word * WORD_BYTES)
            continue;
        uint8_t lanes_of_word = ++word[offset / WORD_BYTES], *sector = &most[offset / SL_ATOMIC_SECTOR_BYTES];
        *sector = lanes_of_word > *sector ? lanes_of_word : *sector;
    }
    for (uint32_t s = 0; s < SL_ATOMIC_LINE_SECTORS; s++)
        passes |= (uint32_t)(most[s] < MAX_PASSES ? most[s] : MAX_PASSES) << s * SL_ATOMIC_PASS_BITS;
    return passes;
}

/* ".f32", ".bf16x2"; "RED.E.ADD.F32.FTZ.RN" */
bool sl_atomic_is_float(const sl_trace_kernel *kernel, const sl_inst *inst)
{
    const char *opcode = kernel->strings + inst->opcode;
    return strstr(opcode, ".f16") || strstr(opcode, ".f32") || strstr(opcode, ".f64") || strstr(opcode, ".bf16") ||
           strstr(opcode, ".F16") || strstr(opcode, ".F32") || strstr(opcode, ".F64") || strstr(opcode, ".BF16");
}

/* Measured (`two` in atomics.csv): of four neighboring chunks of 256 bytes the first and third share a slice, and the
 * second and fourth another one; which ones is a hash. */
uint32_t sl_atomic_unit(const sl_level *level, uint64_t addr)
{
    uint32_t banks = level->banks ? level->banks : 1, units = banks < SL_ATOMIC_UNITS ? banks : SL_ATOMIC_UNITS;
    uint64_t chunk = addr / (level->bank_interleave ? level->bank_interleave : level->line_bytes);
    return (uint32_t)((sl_hash_mix(chunk / 4) + chunk % 2 * (units / 2)) % units);
}
