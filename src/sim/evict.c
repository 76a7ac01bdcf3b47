/* SPDX-License-Identifier: MIT */
#include "sim/evict.h"

#include "sim/core.h"
#include "sim/data_observer.h"
#include "sim/lines.h"
#include "sim/network.h"

void sl_bank_expedite(sl_sim *sim, sl_bank *b)
{
    bool waits = sl_queue_ready_at(&b->out) > sim->now;
    sl_queue_expedite(&b->out, sim->now);
    b->merge_until = 0;
    if (waits)
        sl_network_offer(sim, b);
}

void sl_bank_send_mergeable(sl_sim *sim, sl_bank *b, uint32_t number)
{
    b->merge_until = sim->now + b->level->join_cycles;
    sl_bank_enqueue(sim, &b->out, b->merge_until, number);
    if (b->out.count == 1)
        sl_network_offer(sim, b);
}

void sl_line_invalidate(sl_bank *b, uint32_t set, uint32_t way)
{
    size_t line_slot = (size_t)set * b->ways + way;
    b->line[line_slot].valid = 0;
    if (b->stored)
        b->stored[line_slot] = (sl_stored){0};
    b->line[line_slot].stale |= b->line[line_slot].in_flight;
    if (!b->line[line_slot].in_flight) {
        sl_line_report_eviction(b, set, way, false);
        sl_line_clear(b, set, way);
    }
}

/* ---- levels above ---- */

/* Invalidates a line in a bank above; nothing of it is dirty there (sim.c checks that). */
static bool invalidate_in(sl_sim *sim, sl_bank *b, uint64_t addr)
{
    uint32_t set = sl_set_of(b, addr), way = sl_way_of(b, set, addr >> b->log2_line);
    uint32_t entry = way == SL_NO_WAY && b->frc ? sl_frc_find(b, addr >> b->log2_line) : SL_NO_ENTRY;
    if (way == SL_NO_WAY && entry == SL_NO_ENTRY)
        return false;
    size_t at = entry == SL_NO_ENTRY ? (size_t)set * b->ways + way : sl_first_entry(b) + entry;
    sl_line *line = &b->line[at];
    if (entry == SL_NO_ENTRY) {
        sl_line_invalidate(b, set, way);
    } else {
        line->valid = 0;
        line->stale |= line->in_flight;
    }
    b->changed = true;
    sl_bank_wake(sim, b, sim->now);
    if (!b->number)
        sl_core_unblock(sim, b->instance, false);
    return true;
}

/* Returns whether a level above held the line. */
static bool invalidate_above(sl_sim *sim, sl_bank *b, size_t line_slot)
{
    uint64_t addr = (b->line[line_slot].tag - 1) << b->log2_line;
    uint32_t cores = b->level->cores_per_instance, first = b->instance * cores;
    bool held = false;
    for (uint32_t i = 0; i < b->number; i++) {
        const sl_level *above = &sim->machine.level[i];
        for (uint32_t core = first; core < first + cores; core += above->cores_per_instance)
            for (uint32_t at = 0; at < b->level->line_bytes; at += above->line_bytes) {
                uint32_t index = sl_bank_for(sim, i, core, addr + at);
                held |= invalidate_in(sim, &sim->bank[i][index], addr + at);
            }
    }
    return held;
}

void sl_copies_invalidate(sl_sim *sim, const sl_bank *home, uint32_t core, uint64_t line, uint32_t granules)
{
    const sl_level *level = home->level;
    uint32_t banks = level->banks / level->partitions, set = sl_set_of(home, line << home->log2_line);
    for (uint32_t p = 0; p < level->partitions; p++) {
        sl_bank *b = &sim->bank[home->number][home->index - home->partition * banks + p * banks];
        if (b == home || !sl_is_sent_home(sim, b, core)) /* the core's own partition saw the request pass */
            continue;
        uint32_t way = sl_way_of(b, set, line), entry = way == SL_NO_WAY && b->frc ? sl_frc_find(b, line) : SL_NO_ENTRY;
        if (way == SL_NO_WAY && entry == SL_NO_ENTRY)
            continue;
        sl_line *copy = &b->line[way != SL_NO_WAY ? (size_t)set * b->ways + way : sl_first_entry(b) + entry];
        copy->valid &= ~granules;
        copy->stale |= copy->in_flight & granules;
    }
}

/* ---- eviction ---- */

/* Makes the write-back request of a line. */
static uint32_t write_back(sl_sim *sim, sl_bank *b, size_t line_slot)
{
    uint32_t core = b->instance * b->level->cores_per_instance;
    uint32_t number = sl_request_alloc(sim->pool, b->number ? &sim->stock : sim->core[core].stock);
    if (number == SL_NONE)
        return SL_NONE;
    sl_request *r = sl_request_at(sim, number);
    r->kind = SL_REQUEST_WRITEBACK;
    r->addr = (b->line[line_slot].tag - 1) << b->log2_line;
    r->granules = r->whole = b->line[line_slot].dirty;
    r->slot = SL_NONE;
    r->core = (uint16_t)core;
    r->warp = b->number;
    r->since = sim->now;
    sim->result->level[b->number].writebacks++;
    SL_OBSERVE_DATA(sim, on_writeback, b, line_slot, number);
    return number;
}

static uint32_t alloc_record(sl_bank *b)
{
    if (b->eviction_free == SL_NONE) {
        uint32_t old = b->eviction_capacity, capacity = old ? 2 * old : 16;
        sl_eviction *eviction = realloc(b->eviction, capacity * sizeof *eviction);
        if (!eviction)
            return SL_NONE;
        for (uint32_t i = old; i < capacity; i++)
            eviction[i] = (sl_eviction){.next = i + 1 < capacity ? i + 1 : SL_NONE};
        b->eviction = eviction;
        b->eviction_capacity = capacity;
        b->eviction_free = old;
    }
    uint32_t record = b->eviction_free;
    b->eviction_free = b->eviction[record].next;
    return record;
}

/* Continues a fill that waited for the eviction. A store that fetches nothing is complete. */
static void resume_fill(sl_sim *sim, sl_bank *b, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    uint32_t set = sl_set_of(b, r->addr), way = sl_way_of(b, set, r->addr >> b->log2_line);
    b->line[(size_t)set * b->ways + way].mark &= (uint8_t)~SL_LINE_TRANSIENT;
    if (r->kind != SL_REQUEST_LOAD)
        sl_bank_fill(sim, b, number);
    else
        sl_bank_send(sim, b, number);
}

static void finish_eviction(sl_sim *sim, sl_bank *b, uint32_t record)
{
    sl_eviction gone = b->eviction[record];
    b->eviction_slot[(gone.line - 1) % SL_EVICTION_SLOTS]--;
    b->eviction[record] = (sl_eviction){.next = b->eviction_free};
    b->eviction_free = record;
    b->evictions_in_flight--;
    sim->evictions_in_flight--;
    if (gone.entry != SL_NONE)
        sl_frc_free(b, gone.entry);
    while (gone.waiting.first != SL_NONE)
        resume_fill(sim, b, sl_request_pop(sim->pool, &gone.waiting));
    b->changed = true;
    sl_bank_wake(sim, b, sim->now);
}

static void send_writeback(sl_sim *sim, sl_bank *b, uint32_t record)
{
    uint32_t number = b->eviction[record].writeback;
    if (number == SL_NONE && b->level->clean_evict_cycles) {
        uint64_t time = sim->now + b->level->clean_evict_cycles;
        sl_bank_enqueue(sim, &b->notified, time, record);
        sl_bank_wake(sim, b, time);
        return;
    }
    if (number == SL_NONE) {
        finish_eviction(sim, b, record);
        return;
    }
    sl_request_at(sim, number)->memop = record;
    sl_bank_send(sim, b, number);
    sl_bank_wake(sim, b, sim->now);
}

void sl_writeback_done(sl_sim *sim, const sl_request *r)
{
    sl_bank *b = &sim->bank[r->warp][sl_bank_home(sim, r->warp, r->core, r->addr)];
    finish_eviction(sim, b, r->memop);
}

void sl_writeback_accepted(sl_sim *sim, sl_request *r)
{
    if (r->kind != SL_REQUEST_WRITEBACK || r->memop == SL_NONE)
        return;
    sl_writeback_done(sim, r);
    r->memop = SL_NONE;
}

void sl_evictions_tick(sl_sim *sim, sl_bank *b)
{
    while (sl_queue_ready_at(&b->invalidated) <= sim->now)
        send_writeback(sim, b, sl_queue_pop(&b->invalidated));
    while (sl_queue_ready_at(&b->notified) <= sim->now)
        finish_eviction(sim, b, sl_queue_pop(&b->notified));
}

/* The record waits for the levels above, or for the write-back. */
static uint32_t begin_eviction(sl_sim *sim, sl_bank *b, uint64_t line, bool held, uint32_t writeback)
{
    uint32_t record = alloc_record(b);
    if (record == SL_NONE) {
        sim->failed = true;
        return SL_NONE;
    }
    b->eviction[record] =
        (sl_eviction){.line = line + 1, .writeback = writeback, .entry = SL_NONE, .waiting = SL_EMPTY_LIST};
    b->eviction_slot[line % SL_EVICTION_SLOTS]++;
    b->evictions_in_flight++;
    sim->evictions_in_flight++;
    if (held && b->level->invalidate_cycles) {
        uint64_t time = sim->now + b->level->invalidate_cycles;
        sl_bank_enqueue(sim, &b->invalidated, time, record);
        sl_bank_wake(sim, b, time);
    } else {
        send_writeback(sim, b, record);
    }
    return record;
}

uint32_t sl_line_evict_any(sl_sim *sim, sl_bank *b, uint32_t set, uint32_t way)
{
    size_t line_slot = (size_t)set * b->ways + way;
    bool lent = b->level->stale_sharers && b->line[line_slot].mark & SL_LINE_LENT;
    bool held = b->level->inclusive && (invalidate_above(sim, b, line_slot) || lent);
    uint32_t writeback = b->line[line_slot].dirty ? write_back(sim, b, line_slot) : SL_NONE;
    uint64_t line = b->line[line_slot].tag - 1;
    sl_line_clear(b, set, way);
    if (b->level->miss_handling == SL_MISS_OVERLAPPED) {
        if (writeback != SL_NONE) {
            sl_bank_send(sim, b, writeback);
            sl_bank_wake(sim, b, sim->now);
        }
        return SL_NONE;
    }
    bool at_once = writeback == SL_NONE && !(held && b->level->invalidate_cycles) && !b->level->clean_evict_cycles;
    return at_once ? SL_NONE : begin_eviction(sim, b, line, held, writeback);
}

static uint32_t find_record(const sl_sim *sim, const sl_bank *b, size_t line_slot)
{
    for (uint32_t i = 0; i < b->eviction_capacity; i++) {
        uint32_t first = b->eviction[i].line ? b->eviction[i].waiting.first : SL_NONE;
        if (first == SL_NONE)
            continue;
        uint64_t addr = sim->request[first].addr;
        uint32_t set = sl_set_of(b, addr);
        if ((size_t)set * b->ways + sl_way_of(b, set, addr >> b->log2_line) == line_slot)
            return i;
    }
    return SL_NONE;
}

void sl_line_fetch(sl_sim *sim, sl_bank *b, size_t line_slot, uint32_t record, uint32_t number)
{
    if (record == SL_NONE && b->line[line_slot].mark & SL_LINE_TRANSIENT)
        record = find_record(sim, b, line_slot);
    if (record == SL_NONE) {
        sl_bank_send(sim, b, number);
        return;
    }
    b->line[line_slot].mark |= SL_LINE_TRANSIENT;
    sl_request_push(sim->pool, &b->eviction[record].waiting, number);
}

bool sl_bank_flush(sl_sim *sim, sl_bank *b)
{
    bool any = false;
    for (size_t line_slot = 0; line_slot < sl_first_entry(b); line_slot++) {
        if (!b->line[line_slot].dirty)
            continue;
        uint32_t number = write_back(sim, b, line_slot);
        if (number != SL_NONE)
            sl_bank_send(sim, b, number);
        b->line[line_slot].dirty = 0;
        any = true;
    }
    if (any)
        sl_bank_wake(sim, b, sim->now + 1);
    return any;
}

void sl_set_clean(sl_sim *sim, sl_bank *b, const sl_cache_access *access)
{
    const size_t first = (size_t)access->set * b->ways;
    const uint64_t *in_flight = sl_ways_in_flight(b, access->set);
    uint32_t dirty = 0;
    memset(b->offered, 0, b->mask_words * sizeof *b->offered);
    for (uint32_t way = 0; way < b->ways; way++)
        if (b->line[first + way].dirty && !(in_flight[way / 64] >> way % 64 & 1)) {
            b->offered[way / 64] |= UINT64_C(1) << way % 64;
            dirty++;
        }
    if (dirty <= b->level->dirty_ways || b->out.count >= b->level->miss_queue)
        return;
    uint32_t way = sl_policy_victim(&b->replacement, access, &(sl_way_mask){b->offered, b->ways});
    uint32_t number = write_back(sim, b, first + way);
    if (number != SL_NONE)
        sl_bank_send(sim, b, number);
    b->line[first + way].dirty = 0;
}

bool sl_line_in_eviction(const sl_bank *b, uint64_t line)
{
    if (!b->evictions_in_flight || !b->eviction_slot[line % SL_EVICTION_SLOTS])
        return false;
    for (uint32_t i = 0; i < b->eviction_capacity; i++)
        if (b->eviction[i].line == line + 1)
            return true;
    return false;
}
