/* SPDX-License-Identifier: MIT */
#include "access/scalar.h"

#include <stdlib.h>
#include <string.h>

bool sl_access_is_scalar(const sl_machine *machine, const sl_inst *inst, const sl_access *access)
{
    if (!machine->core.scalar_bytes || !inst->uniform || access->bulk || !access->mask)
        return false;
    if (access->affine && !access->stride && !access->row)
        return true;
    uint64_t addr[SL_MAX_LANES], first = UINT64_MAX;
    if (access->affine)
        sl_access_addresses(access, machine->lanes, addr);
    for (uint64_t left = access->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        uint64_t at = access->affine ? addr[lane] : access->addr[lane];
        if (left != access->mask && at != first)
            return false;
        first = at;
    }
    return true;
}

sl_status sl_scalar_cache_start(sl_scalar_cache *cache, const sl_machine *machine, sl_error *error)
{
    uint32_t lines = (uint32_t)(machine->core.scalar_bytes / machine->level[0].line_bytes);
    cache->ways = machine->core.scalar_ways;
    cache->sets = lines / cache->ways;
    if (!cache->line)
        cache->line = malloc((size_t)lines * sizeof *cache->line);
    if (!cache->line)
        return sl_fail_memory(error);
    memset(cache->line, 0, (size_t)lines * sizeof *cache->line);
    return SL_OK;
}

void sl_scalar_cache_fini(sl_scalar_cache *cache)
{
    free(cache->line);
    cache->line = NULL;
}

bool sl_scalar_cache_access(sl_scalar_cache *cache, uint64_t line)
{
    uint64_t *way = &cache->line[line % cache->sets * cache->ways];
    uint32_t at = 0;
    while (at + 1 < cache->ways && way[at] != line + 1)
        at++;
    bool hit = way[at] == line + 1;
    memmove(way + 1, way, at * sizeof *way);
    way[0] = line + 1;
    return hit;
}
