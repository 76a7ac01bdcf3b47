/* SPDX-License-Identifier: MIT */
#include "access/lanes.h"

#include <stdlib.h>

void sl_access_addresses(const sl_access *a, uint32_t lanes, uint64_t *addr)
{
    uint32_t column = a->phase;
    uint64_t row_start = a->base;
    for (uint32_t i = 0; i < lanes; i++, column++) {
        if (column == a->row_lanes) {
            column = 0;
            row_start += (uint64_t)a->row;
        }
        addr[i] = row_start + column * (uint64_t)a->stride;
    }
}

void sl_access_expand(sl_access *a, uint32_t lanes)
{
    if (a->affine)
        sl_access_addresses(a, lanes, a->addr);
}

/* The lanes in `mask` of `from`, at offsets from the start of their window. */
static void select_window(const sl_access *from, uint64_t mask, uint64_t window, sl_access *to)
{
    to->mask = mask;
    if (!mask)
        return;
    to->slot = from->slot;
    to->inst = from->inst;
    to->affine = false;
    for (uint64_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        to->addr[lane] = from->addr[lane] - window;
    }
}

void sl_generic_split(const sl_access *access, const sl_trace_launch *launch, sl_generic_access *split)
{
    sl_access *a = &split->global;
    uint64_t shared = 0, local = 0;
    *a = *access;
    sl_access_expand(a, launch->lanes);
    for (uint64_t left = a->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        shared |= (uint64_t)(a->addr[lane] - launch->shared_window < launch->window_bytes) << lane;
        local |= (uint64_t)(a->addr[lane] - launch->local_window < launch->window_bytes) << lane;
    }
    select_window(a, shared, launch->shared_window, &split->shared);
    select_window(a, local, launch->local_window, &split->local);
    if (shared | local) { /* else it keeps its closed form */
        a->mask &= ~(shared | local);
        a->affine = false;
    }
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

uint32_t sl_local_sectors(const sl_access *access, uint32_t lanes, uint32_t width, uint64_t base, unsigned log2_sector,
                          uint64_t sector[SL_LOCAL_SECTORS])
{
    uint64_t expanded[SL_MAX_LANES];
    const uint64_t *addr = access->addr;
    uint32_t count = 0, different = 0;
    if (access->affine) {
        sl_access_addresses(access, lanes, expanded);
        addr = expanded;
    }
    for (uint64_t left = access->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        uint64_t first = addr[lane] / 4, words = (addr[lane] % 4 + width + 3) / 4;
        for (uint64_t w = 0; w < words && w < SL_LOCAL_WORDS; w++)
            sector[count++] = (base + sl_local_interleave((first + w) * 4, lane, lanes)) >> log2_sector;
    }
    qsort(sector, count, sizeof *sector, compare);
    for (uint32_t i = 0; i < count; i++)
        if (!i || sector[i] != sector[different - 1])
            sector[different++] = sector[i];
    return different;
}
