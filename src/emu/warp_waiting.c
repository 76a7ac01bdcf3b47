/* SPDX-License-Identifier: MIT */
/* How splits of a warp wait for each other at instructions that name lanes. */
#include "emu/warp.h"

/* How many products must be complete for wgmma.wait_group `left`. */
static uint32_t awaited_products(const sl_group_progress *g, uint32_t left)
{
    return g->commits > left && left < SL_GROUPS_KEPT ? g->committed[(g->commits - left - 1) % SL_GROUPS_KEPT] : 0;
}

/* Whether the four warps of a group have all issued the products that lanes at wgmma.wait_group wait for: the tensor
 * cores begin with them no sooner, and what they read is read by then. */
static bool group_is_ready(const sl_warp *warp, const sl_code_bb *bb, uint64_t mask)
{
    uint32_t halves = warp->code->lanes / 32, size = 4 / halves, first = warp->index / size * size, awaited = 0;
    if (!bb->group_wait)
        return true;
    for (uint32_t half = 0; half < halves; half++) {
        uint32_t own = (uint32_t)(mask >> 32 * half) ? awaited_products(&warp->group[half], bb->group_wait - 1u) : 0;
        awaited = own > awaited ? own : awaited;
    }
    for (uint32_t i = first; i < first + size && i < warp->block->warps; i++)
        for (uint32_t half = 0; half < halves; half++) {
            const sl_warp *other = &warp->block->warp[i];
            if ((uint32_t)(other->live >> 32 * half) && other->group[half].products < awaited)
                return false;
        }
    return true;
}

uint64_t sl_warp_satisfied(const sl_warp *warp, const sl_warp_split *split, uint64_t here)
{
    const sl_code_bb *bb = &warp->code->bb[split->bb];
    const uint8_t *frame = warp->registers + split->frame;
    uint64_t result = 0;
    if (!group_is_ready(warp, bb, split->mask))
        return 0;
    for (uint64_t left = split->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left), half = lane & 32, named = UINT32_MAX;
        const uint32_t *guard = bb->sync_guard == SL_REF_NONE ? NULL : (const uint32_t *)(frame + bb->sync_guard);
        if (bb->sync_uses_mask) {
            const uint8_t *area =
                bb->sync_mask >> SL_AREA_SHIFT == SL_AREA_FRAME ? frame : warp->area[bb->sync_mask >> SL_AREA_SHIFT];
            named = ((const uint32_t *)(area + (bb->sync_mask & SL_AREA_MASK)))[lane];
        }
        bool passes = guard && (guard[lane] != 0) == bb->sync_guard_negated;
        if (passes || !(((uint64_t)named << half) & warp->live & ~here))
            result |= left & -left;
    }
    return result;
}

uint64_t sl_warp_parked(const sl_warp *warp)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < warp->splits; i++)
        if (warp->split[i].state == SL_SPLIT_WARP_SYNC)
            mask |= warp->split[i].mask;
    return mask;
}

/* Takes the lanes of `mask` out of a split that waits, as a split that is ready. */
static sl_warp_split *release_part(sl_warp *warp, uint32_t index, uint64_t mask)
{
    sl_warp_split *split = &warp->split[index];
    if (mask != split->mask) {
        sl_warp_split part = *split;
        split->mask &= ~mask;
        part.mask = mask;
        sl_warp_push(warp, part);
        split = &warp->split[warp->splits - 1];
    }
    split->state = SL_SPLIT_READY;
    return split;
}

bool sl_warp_gather(sl_warp *warp)
{
    sl_warp_split *now = &warp->now;
    if (now->released)
        return true;
    if (now->mask == warp->live)
        return group_is_ready(warp, &warp->code->bb[now->bb], now->mask);
    uint64_t here = now->mask | sl_warp_parked(warp), ready = sl_warp_satisfied(warp, now, here);
    if (!ready)
        return false;
    uint64_t together = ready;
    for (uint32_t i = warp->splits; i-- > 0;) {
        if (warp->split[i].state != SL_SPLIT_WARP_SYNC)
            continue;
        uint64_t part = sl_warp_satisfied(warp, &warp->split[i], here);
        if (!part)
            continue;
        sl_warp_split *other = release_part(warp, i, part);
        bool same = other->bb == now->bb && other->frame == now->frame;
        other->ops_done = same;
        other->released = !same;
        if (same)
            together |= part;
    }
    if (ready != now->mask) { /* some name lanes that are not here yet */
        sl_warp_split rest = *now;
        rest.mask &= ~ready;
        rest.state = SL_SPLIT_WARP_SYNC;
        now->mask = ready;
        sl_warp_push(warp, rest);
    }
    /* From here on those with the same reconvergence point are one. */
    for (uint32_t i = warp->splits; i-- > 0;) {
        sl_warp_split *other = &warp->split[i];
        if (!other->ops_done || other->bb != now->bb || other->reconvergence != now->reconvergence ||
            other->frame != now->frame)
            continue;
        now->mask |= other->mask;
        sl_warp_remove_split(warp, i);
    }
    sl_warp_set_mask(warp, together);
    return true;
}

bool sl_warp_has_ready(const sl_warp *warp)
{
    if (warp->has_now)
        return true;
    for (uint32_t i = 0; i < warp->splits; i++)
        if (warp->split[i].state == SL_SPLIT_READY)
            return true;
    return sl_warp_parked(warp) != 0;
}
