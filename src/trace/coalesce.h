/* From the addresses of a warp's lanes to the aligned pieces of memory (sectors, lines, pages) they touch. */
#ifndef SL_TRACE_COALESCE_H
#define SL_TRACE_COALESCE_H

#include "sluice/trace.h"

/* How many different pieces of 1 << log2_bytes bytes the active lanes touch, each lane `width` bytes from its address;
 * a lane that crosses a boundary touches both sides. */
uint32_t sl_coalesce_count(const sl_access *access, uint32_t lanes, uint32_t width, unsigned log2_bytes);

/* The same pieces themselves, in ascending order, as piece numbers (address >> log2_bytes). Writes at most `capacity`
 * of them and returns how many there are; lanes * ((width - 1 >> log2_bytes) + 2) are always enough. */
uint32_t sl_coalesce_list(const sl_access *access, uint32_t lanes, uint32_t width, unsigned log2_bytes, uint64_t *piece,
                          uint32_t capacity);

/* Passes that 32 banks of 4 bytes need for the active lanes' shared-memory offsets: lanes that want different words of
 * one bank take turns; accesses of 8 and 16 bytes go by half and quarter warps. */
uint32_t sl_bank_passes(const sl_access *access, uint32_t lanes, uint32_t width);

/* Where byte `offset` of a lane's local memory lies in the warp's: words of neighbouring lanes are side by side. */
static inline uint64_t sl_local_interleave(uint64_t offset, uint32_t lane, uint32_t lanes)
{
    return offset / 4 * lanes * 4 + lane * 4 + offset % 4;
}

#endif
