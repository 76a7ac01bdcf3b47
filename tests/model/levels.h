/* SPDX-License-Identifier: MIT */
/* Made-up levels for the tests of the model. */
#ifndef TESTS_MODEL_LEVELS_H
#define TESTS_MODEL_LEVELS_H

#include "machine/machine.h"

/* Lines of 128 bytes without sectors, set by set, LRU, hits at once, any number of MSHRs. */
static inline sl_level plain_level(uint32_t sets, uint32_t ways)
{
    return (sl_level){
        .name = "L1",
        .size_bytes = (uint64_t)sets * ways * 128,
        .line_bytes = 128,
        .sector_bytes = 128,
        .ways = ways,
        .sets = sets,
        .index = SL_INDEX_MODULO,
        .cores_per_instance = 1,
        .replacement = "lru",
        .write = SL_WRITE_EVICT,
        .fill_bytes = 128,
    };
}

/* The same with sectors of 32 bytes. */
static inline sl_level sectored_level(uint32_t sets, uint32_t ways)
{
    sl_level level = plain_level(sets, ways);
    level.sector_bytes = level.fill_bytes = 32;
    return level;
}

#endif
