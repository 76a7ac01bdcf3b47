/* SPDX-License-Identifier: MIT */
#include "access/atomics.h"
#include "base/hash.h"
#include "model/core.h"

static void add_sector(sl_atomic_load *load, uint64_t sector, uint64_t passes)
{
    uint32_t at = (uint32_t)(sl_hash_mix(sector) % SL_FLOAT_SECTORS);
    if (load->floats[at].sector == sector) {
        load->floats[at].passes += passes;
    } else if (load->floats[at].passes < passes) {
        load->floats[at].passes = passes - load->floats[at].passes;
        load->floats[at].sector = sector;
    } else {
        load->floats[at].passes -= passes;
    }
}

void sl_atomic_load_add(sl_atomic_load *load, const sl_level *level, uint64_t line_addr, uint32_t passes, bool floats)
{
    load->passes[sl_atomic_unit(level, line_addr)] += sl_atomic_pass_count(passes);
    for (uint32_t s = 0; floats && s < SL_ATOMIC_LINE_SECTORS; s++) {
        uint32_t of_sector = passes >> s * SL_ATOMIC_PASS_BITS & SL_ATOMIC_PASSES;
        if (of_sector)
            add_sector(load, line_addr / SL_ATOMIC_SECTOR_BYTES + s, of_sector);
    }
}

void sl_atomic_load_merge(sl_atomic_load *into, const sl_atomic_load *from)
{
    for (uint32_t i = 0; i < SL_ATOMIC_UNITS; i++)
        into->passes[i] += from->passes[i];
    for (uint32_t i = 0; i < SL_FLOAT_SECTORS; i++)
        if (from->floats[i].passes)
            add_sector(into, from->floats[i].sector, from->floats[i].passes);
}

sl_hot_atomics sl_atomic_load_max(const sl_atomic_load *load)
{
    sl_hot_atomics hot = {0};
    for (uint32_t i = 0; i < SL_ATOMIC_UNITS; i++)
        hot.passes = load->passes[i] > hot.passes ? load->passes[i] : hot.passes;
    for (uint32_t i = 0; i < SL_FLOAT_SECTORS; i++)
        hot.float_passes = load->floats[i].passes > hot.float_passes ? load->floats[i].passes : hot.float_passes;
    return hot;
}
