/* SPDX-License-Identifier: MIT */
/* What a warp executes next, from the trace: basic blocks one by one, or several ahead where the compiler has made one
 * of them. */
#include "sim/core.h"

sl_status sl_warp_read_access(sl_sim_warp *warp, sl_error *error)
{
    bool more;
    sl_status status = sl_warp_reader_access(&warp->reader, &more, error);
    return !status && !more ? sl_fail(error, SL_CORRUPT, "the trace of a warp has no access for a memory instruction")
                            : status;
}

/* Reads blocks of a region ahead with their accesses, up to the end of an iteration. `bb_copy`, `from`: where those of
 * the iteration begin. */
static sl_status read_iteration(sl_sim_warp *warp, const sl_region *region, uint32_t first, uint32_t bb_copy,
                                sl_access *from, bool *more, sl_error *error)
{
    sl_warp_cursor *cursor = &warp->reader.cursor;
    sl_status status = SL_OK;
    uint32_t n = 0, next = 0;
    do {
        for (; n < next; n++)
            from += region[n].accesses;
        warp->bb_copies |= UINT64_C(1) << (bb_copy + n);
        for (uint32_t i = 0; i < region[n].accesses && !status; i++) {
            status = sl_warp_read_access(warp, error);
            from[i] = cursor->access;
        }
        if (!status)
            status = sl_warp_reader_step(&warp->reader, more, error);
        next = cursor->bb - first;
    } while (!status && *more && next > n && next < region->blocks);
    return status;
}

/* Reads a region ahead with its accesses, up to its max number of iterations. */
static sl_status read_region(const sl_sim *sim, sl_sim_core *core, uint32_t w, sl_error *error)
{
    sl_sim_warp *warp = &core->warp[w];
    const sl_region *regions = sim->program->region, *region = &regions[warp->reader.cursor.bb];
    const uint32_t *at = &warp->reader.cursor.bb;
    sl_access *ahead = core->read_ahead + (size_t)w * sim->program->read_ahead;
    sl_status status = SL_OK;
    bool more = true;
    warp->region = *at;
    warp->iterations = 0;
    warp->bb_copies = 0;
    warp->ahead_from = warp->ahead_count = warp->copies_from = warp->copies_count = 0;
    while (!status && more && *at == warp->region && warp->iterations < region->factor) {
        uint32_t n = warp->iterations++, bb_copy = region->lead * region->lead_blocks + n * region->blocks;
        status = read_iteration(warp, region, warp->region, bb_copy,
                                ahead + region->lead_accesses + n * region->iteration_accesses, &more, error);
    }
    const sl_region *tail = &regions[region->tail];
    if (!status && more && region->tail && *at == region->tail && warp->iterations <= tail->lead) {
        warp->region = *at;
        warp->iterations = 1;
        status = read_iteration(warp, tail, warp->region, tail->lead * tail->lead_blocks, ahead + tail->lead_accesses,
                                &more, error);
    }
    warp->at_next = more;
    return status;
}

/* Reads a chain ahead with its accesses, as far as the trace follows it. */
static sl_status read_chain(const sl_sim *sim, sl_sim_core *core, uint32_t w, sl_error *error)
{
    sl_sim_warp *warp = &core->warp[w];
    sl_warp_cursor *cursor = &warp->reader.cursor;
    const sl_chain *chain = &sim->program->chain[cursor->bb];
    uint64_t mask = cursor->mask;
    sl_status status = SL_OK;
    bool more = true;
    uint32_t n = 0;
    warp->region = cursor->bb;
    for (; n < chain->blocks && !status; n++) {
        bool here = more && cursor->bb == warp->region + n;
        if (n % 2 == 0 && !(here && cursor->mask == mask))
            break;
        if (!here)
            continue;
        warp->chained |= 1u << n;
        warp->chain_lanes[n] = (uint8_t)__builtin_popcountll(cursor->mask);
        for (uint32_t i = 0; i < sim->program->region[warp->region + n].accesses && !status; i++) {
            status = sl_warp_read_access(warp, error);
            core->read_ahead[(size_t)w * sim->program->read_ahead + chain->first_access[n] + i] = cursor->access;
        }
        if (!status)
            status = sl_warp_reader_step(&warp->reader, &more, error);
    }
    warp->hoisted = n == chain->blocks;
    warp->at_next = more;
    return status;
}

sl_status sl_warp_next_block(const sl_sim *sim, sl_sim_core *core, uint32_t w, bool *more, sl_error *error)
{
    sl_sim_warp *warp = &core->warp[w];
    *more = true;
    if (warp->iterations || warp->chained)
        return SL_OK;
    sl_status status = warp->at_next ? SL_OK : sl_warp_reader_step(&warp->reader, more, error);
    warp->at_next = false;
    if (!status && *more) {
        warp->next_lanes = (uint32_t)__builtin_popcountll(warp->reader.cursor.mask);
        if (sim->program->region[warp->reader.cursor.bb].factor)
            status = read_region(sim, core, w, error);
        else if (sim->program->chain && sim->program->chain[warp->reader.cursor.bb].blocks)
            status = read_chain(sim, core, w, error);
    }
    return status;
}

const sl_trace_bb *sl_warp_choose_block(const sl_program *p, sl_sim_warp *warp)
{
    if (warp->chained) {
        const sl_chain *chain = &p->chain[warp->region];
        uint32_t n = (uint32_t)__builtin_ctz(warp->chained);
        warp->chained &= warp->chained - 1;
        warp->next_lanes = warp->chain_lanes[n];
        warp->accesses = p->read_ahead;
        warp->ahead_from = warp->copies_from = 0;
        warp->bb_copies = UINT64_MAX;
        return &p->block[chain->block + n + (warp->hoisted ? chain->blocks : 0)];
    }
    if (!warp->iterations) {
        warp->accesses = warp->ahead_from = warp->ahead_count = warp->copies_from = 0;
        warp->bb_copies = UINT64_MAX;
        return &p->block[warp->reader.cursor.bb];
    }
    const sl_region *region = &p->region[warp->region];
    uint32_t v = 0;
    while (region->version[v].iterations > warp->iterations)
        v++;
    uint32_t done = region->version[v].iterations;
    warp->ahead_from += warp->ahead_count;
    warp->ahead_count = warp->accesses = done * region->iteration_accesses;
    warp->copies_from += warp->copies_count;
    warp->copies_count = done * region->blocks;
    warp->iterations -= done;
    return &p->block[region->version[v].block];
}
