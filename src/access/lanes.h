/* SPDX-License-Identifier: MIT */
/* What the lanes of a warp address: their addresses one by one, the spaces that generic addresses mean, and where local
 * memory lies. */
#ifndef SL_ACCESS_LANES_H
#define SL_ACCESS_LANES_H

#include "sluice/trace.h"

enum {
    SL_LOCAL_WORDS = 9, /* of 32 bytes that start within a word, the maximum of a lane */
    SL_LOCAL_SECTORS = SL_MAX_LANES * SL_LOCAL_WORDS,
};

/* The lanes of a generic access by the space that their addresses mean, by the windows of the launch. Addresses of
 * shared and local lanes are offsets, as those of explicit accesses. An access without lanes (mask 0) is not there, and
 * the rest of it not set. */
typedef struct sl_generic_access {
    sl_access global, shared, local;
} sl_generic_access;
void sl_generic_split(const sl_access *access, const sl_trace_launch *launch, sl_generic_access *split);

/* Where byte `offset` of a lane's local memory lies in the warp's: words of neighboring lanes are side by side. */
static inline uint64_t sl_local_interleave(uint64_t offset, uint32_t lane, uint32_t lanes)
{
    return offset / 4 * lanes * 4 + lane * 4 + offset % 4;
}

/* Sectors (address >> log2_sector) of an access to local memory, ascending, each once; `base`: address of the warp's
 * local memory. Returns how many there are. */
uint32_t sl_local_sectors(const sl_access *access, uint32_t lanes, uint32_t width, uint64_t base, unsigned log2_sector,
                          uint64_t sector[SL_LOCAL_SECTORS]);

#endif
