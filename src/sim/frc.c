/* SPDX-License-Identifier: MIT */
#include "sim/evict.h"

#include "sim/data_observer.h"
#include "sim/lines.h"

static const uint64_t PARKED = UINT64_MAX; /* the tag of an entry from which a victim is evicted */

static uint32_t first_of_set(const sl_bank *b, uint64_t line)
{
    /* Neighboring lines are in neighboring sets, as in the bank. */
    return sl_set_of(b, line << b->log2_line) % b->frc_sets * b->level->frc_ways;
}

static uint32_t find_tag(const sl_bank *b, uint64_t line, uint64_t tag)
{
    uint32_t first = first_of_set(b, line);
    const sl_line *entry = &b->line[sl_first_entry(b) + first];
    for (uint32_t i = 0; i < b->level->frc_ways; i++)
        if (entry[i].tag == tag)
            return first + i;
    return SL_NO_ENTRY;
}

uint32_t sl_frc_find(const sl_bank *b, uint64_t line)
{
    return find_tag(b, line, line + 1);
}

uint32_t sl_frc_alloc(sl_bank *b, const sl_cache_access *access)
{
    uint32_t entry = find_tag(b, access->line, 0);
    if (entry != SL_NO_ENTRY) {
        b->line[sl_first_entry(b) + entry] = (sl_line){.tag = access->line + 1};
        b->frc[entry] = (sl_frc_entry){.kind = (uint8_t)access->kind, .pc = access->pc};
    }
    return entry;
}

bool sl_frc_has_room(const sl_bank *b, uint64_t line)
{
    return find_tag(b, line, 0) != SL_NO_ENTRY;
}

void sl_frc_free(sl_bank *b, uint32_t entry)
{
    b->line[sl_first_entry(b) + entry] = (sl_line){0};
    b->changed = true;
}

bool sl_frc_park_victim(sl_bank *b, uint64_t line, uint32_t record)
{
    uint32_t entry = find_tag(b, line, 0);
    if (entry == SL_NO_ENTRY)
        return false;
    b->line[sl_first_entry(b) + entry].tag = PARKED;
    b->eviction[record].entry = entry;
    return true;
}

/* Moves an entry's line into a way, whose line has been evicted. */
static void move(sl_sim *sim, sl_bank *b, uint32_t entry, const sl_cache_access *access, uint32_t way)
{
    sl_line *from = &b->line[sl_first_entry(b) + entry], *to = &b->line[(size_t)access->set * b->ways + way];
    sl_set_tag(b, access->set, way, from->tag, false);
    to->valid = from->valid;
    to->dirty = from->dirty;
    to->mark = from->mark;
    if (b->frc[entry].first)
        sim->failed |= !sl_set_first(b, access->set, way, true);
    SL_OBSERVE_DATA(sim, on_move, b, sl_first_entry(b) + entry, (size_t)access->set * b->ways + way);
    sl_policy_fill(&b->replacement, access, way);
    if (b->bypass.ops)
        sl_policy_fill(&b->bypass, access, way);
}

void sl_frc_swap_in(sl_sim *sim, sl_bank *b, uint32_t entry)
{
    sl_line *line = &b->line[sl_first_entry(b) + entry];
    sl_frc_entry *e = &b->frc[entry];
    if (!line->valid && !line->dirty) { /* a store has invalidated all of it */
        b->frc_filled -= e->filled;
        e->filled = false;
        sl_frc_free(b, entry);
        return;
    }
    sl_cache_access access = {.line = line->tag - 1,
                              .set = sl_set_of(b, (line->tag - 1) << b->log2_line),
                              .pc = e->pc,
                              .kind = (sl_mem_access)e->kind,
                              .now = sim->now};
    uint32_t way = sl_free_way(b, access.set, false), record = SL_NONE;
    if (way == SL_NO_WAY && b->level->frc_keeps_victims)
        way = sl_open_way(b, access.set);
    if (way == SL_NO_WAY) {
        sl_way_mask mask;
        if (!sl_offer_victims(b, access.set, &mask, false)) {
            b->frc_filled += !e->filled;
            e->filled = true;
            return;
        }
        way = sl_policy_victim(&b->replacement, &access, &mask);
        record = sl_line_evict(sim, b, access.set, way, false);
    }
    b->frc_filled -= e->filled;
    e->filled = false;
    move(sim, b, entry, &access, way);
    if (record == SL_NONE) {
        sl_frc_free(b, entry);
    } else {
        *line = (sl_line){.tag = PARKED};
        b->eviction[record].entry = entry;
    }
}

void sl_frc_swap_in_filled(sl_sim *sim, sl_bank *b)
{
    for (uint32_t i = 0; b->frc_filled && i < b->level->frc_entries; i++)
        if (b->frc[i].filled && !b->line[sl_first_entry(b) + i].in_flight) /* else more of it was requested since */
            sl_frc_swap_in(sim, b, i);
}
