/* SPDX-License-Identifier: MIT */
/* From the addresses of a warp's lanes to the aligned pieces of memory (sectors, lines, pages) they access. */
#ifndef SL_ACCESS_COALESCE_H
#define SL_ACCESS_COALESCE_H

#include "sluice/trace.h"

/* How many different pieces of 1 << log2_bytes bytes the active lanes access, each lane `width` bytes from its address;
 * a lane that crosses a boundary accesses both sides. */
uint32_t sl_coalesce_count(const sl_access *access, uint32_t lanes, uint32_t width, unsigned log2_bytes);

/* The same pieces themselves, in ascending order, as piece numbers (address >> log2_bytes). Writes at most `capacity`
 * of them and returns how many there are; lanes * ((width - 1 >> log2_bytes) + 2) are always enough. */
uint32_t sl_coalesce_list(const sl_access *access, uint32_t lanes, uint32_t width, unsigned log2_bytes, uint64_t *piece,
                          uint32_t capacity);

typedef struct sl_sector_span {
    uint64_t first, last; /* piece numbers, inclusive */
} sl_sector_span;

/* The same pieces as spans, their ends ascending; neighboring spans may share pieces. Returns how many spans. */
uint32_t sl_coalesce_spans(const sl_access *access, uint32_t lanes, uint32_t width, unsigned log2_bytes,
                           sl_sector_span spans[SL_MAX_LANES]);

/* How many pieces spans cover, those that several share counted once. */
static inline uint32_t sl_span_sectors(const sl_sector_span *spans, uint32_t count)
{
    uint64_t next = 0, pieces = 0; /* next: the first piece not counted yet */
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = spans[i].first > next ? spans[i].first : next;
        if (spans[i].last >= from) {
            pieces += spans[i].last - from + 1;
            next = spans[i].last + 1;
        }
    }
    return (uint32_t)pieces;
}

/* Passes that 32 banks of 4 bytes need for the active lanes' shared-memory offsets: different words of one bank
 * conflict; accesses of 8 and 16 bytes are split into half and quarter warps. */
uint32_t sl_bank_passes(const sl_access *access, uint32_t lanes, uint32_t width);
/* The same for atomics: lanes on the same word conflict, too. */
uint32_t sl_atomic_passes(const sl_access *access, uint32_t lanes);
/* Different addresses, which constant memory serves one after the other. */
uint32_t sl_constant_passes(const sl_access *access, uint32_t lanes);

#endif
