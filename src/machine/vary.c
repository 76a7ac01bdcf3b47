/* SPDX-License-Identifier: MIT */
#include "machine/vary.h"

#include <string.h>

static void change_line(sl_level *level, uint32_t line_bytes)
{
    uint32_t old = level->line_bytes;
    if (level->bank_interleave == old)
        level->bank_interleave = 0;
    if (level->fill_bytes == level->sector_bytes || level->fill_bytes > line_bytes)
        level->fill_bytes = 0;
    if (level->sector_bytes == old || level->sector_bytes > line_bytes)
        level->sector_bytes = 0;
    level->line_bytes = line_bytes;
    for (uint32_t i = 0; i < SL_MAX_SET_BITS && level->set_bits[i]; i++) {
        for (uint32_t bytes = old; bytes < line_bytes; bytes *= 2)
            level->set_bits[i] <<= 1;
        for (uint32_t bytes = old; bytes > line_bytes; bytes /= 2)
            level->set_bits[i] >>= 1;
    }
}

/* The hash of another number of sets; the check finds what cannot be. */
static void change_sets(sl_level *level)
{
    uint64_t sets = level->size_bytes / level->line_bytes / level->ways;
    uint32_t bits = 0;
    if (level->index != SL_INDEX_BITS)
        return;
    for (; bits < SL_MAX_SET_BITS && (UINT64_C(1) << bits) < sets; bits++)
        if (!level->set_bits[bits])
            level->set_bits[bits] = (uint64_t)level->line_bytes << bits;
    memset(&level->set_bits[bits], 0, (SL_MAX_SET_BITS - bits) * sizeof *level->set_bits);
}

static void change_mshrs(sl_level *level, uint32_t mshrs)
{
    level->mshrs = mshrs;
    level->mshrs_per_warp = level->mshrs_per_warp < mshrs ? level->mshrs_per_warp : mshrs;
    if (!mshrs)
        level->mshr_merges = 0;
}

sl_status sl_machine_vary(sl_machine *machine, const sl_first_level *change, sl_error *error)
{
    sl_level *level = &machine->level[0];
    sl_core_limits *core = &machine->core;
    uint32_t line = change->line_bytes;
    if (change->size_bytes) {
        level->size_bytes = change->size_bytes;
        core->unified_bytes = core->carve_outs = core->carve_out_needs = 0;
    }
    if (change->ways)
        level->ways = change->ways;
    if (line & (line - 1))
        return sl_fail(error, SL_INVALID, "%s, %s: a line of %u bytes: it must be a power of two", machine->name,
                       level->name, line);
    if (line)
        change_line(level, line);
    if (line && machine->levels == 1 && machine->memory.channel_interleave % line)
        machine->memory.channel_interleave = line; /* memory right behind the level keeps lines whole */
    if (change->mshrs != SL_MSHRS_AS_THEY_ARE)
        change_mshrs(level, change->mshrs);
    level->sets = 0;
    change_sets(level);
    return sl_machine_check(machine, error);
}
