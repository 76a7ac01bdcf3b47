/* SPDX-License-Identifier: MIT */
/* Eviction of lines from a bank.
 *
 * Where misses are overlapped a line is evicted at once: dirty data goes to the miss queue. Otherwise the levels above
 * that hold the line first invalidate it (`inclusive`), which takes invalidate_cycles; dirty data is written back; and
 * the eviction is complete when the level below, or the queue of memory, has it. The level below may have to be
 * notified of clean victims (clean_evict_cycles). Until then the line cannot be hit and its way is not filled. Later
 * reads of memory are behind the write-back in the same queue.
 *
 * Which levels above hold a line is known exactly, as by a directory that is notified of every eviction above; with
 * `stale_sharers` it is notified of none, and every line that they requested is invalidated. */
#ifndef SL_SIM_EVICT_H
#define SL_SIM_EVICT_H

#include "sim/lines.h"
#include "sim/network.h"

/* Sends the stores in `out` that wait for others to merge with. */
void sl_bank_expedite(sl_sim *sim, sl_bank *bank);
/* Pushes a request to a queue of the bank. */
static inline void sl_bank_enqueue(sl_sim *sim, sl_queue *queue, uint64_t time, uint32_t number)
{
    if (!sl_queue_push(queue, time, number, 0))
        sim->failed = true;
}
/* Pushes a request to the miss queue. */
static inline void sl_bank_send(sl_sim *sim, sl_bank *b, uint32_t number)
{
    if (b->merge_until > sim->now)
        sl_bank_expedite(sim, b);
    sl_bank_enqueue(sim, &b->out, sim->now, number);
    if (!b->number && b->out.count == 1)
        sl_network_offer(sim, b);
}
/* The same for a store of L1, which waits join_cycles for others to merge with. */
void sl_bank_send_mergeable(sl_sim *sim, sl_bank *bank, uint32_t number);
/* Notifies the policies of an eviction; `clear` empties the way. */
static inline void sl_line_report_eviction(sl_bank *b, uint32_t set, uint32_t way, bool plain)
{
    bool reused = b->line[(size_t)set * b->ways + way].mark & SL_LINE_REUSED;
    sl_policy_evict(&b->replacement, set, way, reused);
    if (!plain && b->bypass.ops)
        sl_policy_evict(&b->bypass, set, way, reused);
}
static inline void sl_line_clear(sl_bank *b, uint32_t set, uint32_t way)
{
    size_t line_slot = (size_t)set * b->ways + way;
    sl_line *line = &b->line[line_slot];
    sl_set_tag(b, set, way, 0, false);
    line->valid = line->dirty = line->stale = line->mark = 0;
    if (b->stored)
        b->stored[line_slot] = (sl_stored){0};
}
/* Invalidates a line. Sectors in flight serve only requests that wait for them already. */
void sl_line_invalidate(sl_bank *bank, uint32_t set, uint32_t way);

/* Evicts a line that is dirty, or from a bank that is not plain; it has been counted and reported. */
uint32_t sl_line_evict_any(sl_sim *sim, sl_bank *bank, uint32_t set, uint32_t way);
/* Evicts a line from its way. Where misses are overlapped, that is all; otherwise returns the number of its record in
 * bank->eviction, or SL_NONE if the way is free at once. `plain`: for a miss at a plain bank, which fills the way. */
static inline uint32_t sl_line_evict(sl_sim *sim, sl_bank *b, uint32_t set, uint32_t way, bool plain)
{
    sl_line *line = &b->line[(size_t)set * b->ways + way];
    sl_sim_level_result *stats = &sim->result->level[b->number];
    stats->evictions++;
    stats->unused_evictions += !(line->mark & SL_LINE_REUSED);
    stats->unaccessed_evictions += !(line->mark & (SL_LINE_REUSED | SL_LINE_STORED));
    sl_line_report_eviction(b, set, way, plain);
    if (!plain || line->dirty)
        return sl_line_evict_any(sim, b, set, way);
    line->valid = line->stale = line->mark = 0; /* its tag is overwritten next */
    return SL_NONE;
}
/* Sends the request for a line below, once its victim has been evicted. */
void sl_line_fetch(sl_sim *sim, sl_bank *bank, size_t line_slot, uint32_t record, uint32_t number);
/* A core has written granules of a line at its home: invalidates the copies in other partitions. */
void sl_copies_invalidate(sl_sim *sim, const sl_bank *home, uint32_t core, uint64_t line, uint32_t granules);
/* A write-back has arrived below: completes the eviction. */
void sl_writeback_done(sl_sim *sim, const sl_request *writeback);
/* The queue of memory has accepted a request: if it is a write-back, that completes the eviction. */
void sl_writeback_accepted(sl_sim *sim, sl_request *request);
/* Continues evictions whose waiting time is over. */
void sl_evictions_tick(sl_sim *sim, sl_bank *bank);
/* Writes back all dirty lines of a bank, which stay valid; returns whether there were any. */
bool sl_bank_flush(sl_sim *sim, sl_bank *bank);
/* If more than `dirty_ways` lines of a set are dirty, writes back the next victim among them, which stays valid. */
void sl_set_clean(sl_sim *sim, sl_bank *bank, const sl_cache_access *access);
bool sl_line_in_eviction(const sl_bank *bank, uint64_t line);

/* ---- FRC (frc.c) ----
 *
 * The Fetch and Replacement Cache of a bank: set-associative entries into which lines are fetched while their victims
 * stay in the cache. A filled line is swapped with its victim, which is evicted from the entry. A miss that finds no
 * free entry in its set is handled as without FRC.
 *
 * After Candel, Petit, Valero, Sahuquillo: Improving GPU Cache Hierarchy Performance with a Fetch and Replacement Cache
 * (2018). A swap takes no time. With frc_keeps_victims victims are not evicted: sets grow (lines.h). */

enum { SL_NO_ENTRY = 0xffffffff };

/* The entry of a line, or SL_NO_ENTRY. */
uint32_t sl_frc_find(const sl_bank *bank, uint64_t line);
/* Allocates an entry for a line; SL_NO_ENTRY: its set has none free. */
uint32_t sl_frc_alloc(sl_bank *bank, const sl_cache_access *access);
void sl_frc_free(sl_bank *bank, uint32_t entry);
/* Whether the line's set has a free entry. */
bool sl_frc_has_room(const sl_bank *bank, uint64_t line);
/* Moves the victim of a line to a free entry of the line's set, from which it is evicted; false: there is none. */
bool sl_frc_park_victim(sl_bank *bank, uint64_t line, uint32_t record);
/* A filled entry swaps its line with a victim of the set, unless all ways of that are in flight. */
void sl_frc_swap_in(sl_sim *sim, sl_bank *bank, uint32_t entry);
/* Retries those that found all ways in flight. */
void sl_frc_swap_in_filled(sl_sim *sim, sl_bank *bank);

#endif
