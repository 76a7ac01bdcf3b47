/* SPDX-License-Identifier: MIT */
/* The lines of a bank and what is in flight to them: tags, masks of ways, MSHRs. */
#ifndef SL_SIM_LINES_H
#define SL_SIM_LINES_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <string.h>

#include "sim/bank.h"

static inline uint32_t sl_set_of(const sl_bank *b, uint64_t addr)
{
    const sl_level *level = b->level;
    uint64_t line = addr >> b->log2_line;
    bool all = b->sets == level->sets;
    if (!all && (level->index == SL_INDEX_MODULO || level->index == SL_INDEX_ROTATE)) {
        uint64_t chunk = sl_divide(sl_divide(addr, b->chunk_bytes), b->chunk_banks); /* of those of the bank */
        line = chunk * (b->chunk_bytes.by >> b->log2_line) + (sl_modulo(addr, b->chunk_bytes) >> b->log2_line);
        if (level->index == SL_INDEX_ROTATE)
            return (uint32_t)sl_rotate(line, b->sets);
    } else if (level->index == SL_INDEX_MIX) {
        line = sl_modulo(sl_hash_mix(line), b->level_sets);
    } else if (level->index != SL_INDEX_MODULO) {
        line = sl_level_set(level, addr);
    }
    return (uint32_t)sl_modulo(line, b->by_sets);
}

/* ---- tags ---- */

/* State of a set: masks of ways with a line and of ways with granules in flight, and a fingerprint of each tag: one
 * byte of its hash. */
static inline uint64_t *sl_used_ways(const sl_bank *b, uint32_t set)
{
    return &b->set_state[(size_t)set * b->set_words];
}
static inline uint64_t *sl_ways_in_flight(const sl_bank *b, uint32_t set)
{
    return sl_used_ways(b, set) + b->mask_words;
}
static inline uint8_t *sl_fingerprints(const sl_bank *b, uint32_t set)
{
    return (uint8_t *)(sl_ways_in_flight(b, set) + b->mask_words);
}

static inline uint8_t sl_tag_fingerprint(uint64_t line)
{
    uint8_t fingerprint = (uint8_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 56);
    return fingerprint ? fingerprint : 1; /* 0: empty */
}

enum { SL_FINGERPRINTS_AT_ONCE = 32 };

/* Mask of the 32 fingerprints that equal `wanted`. */
static inline uint32_t sl_fingerprints_equal(const uint8_t *hint, uint8_t wanted)
{
#ifdef __SSE2__
    const __m128i *two = (const __m128i *)(const void *)hint, same = _mm_set1_epi8((char)wanted);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(two[0], same)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(two[1], same)) << 16;
#else
    uint32_t equal = 0;
    for (uint32_t i = 0; i < SL_FINGERPRINTS_AT_ONCE; i++)
        equal |= (uint32_t)(hint[i] == wanted) << i;
    return equal;
#endif
}

/* The way of a line in its set, or SL_NO_WAY. Fingerprints rule out most ways, 32 at a time. */
static inline uint32_t sl_way_of(const sl_bank *b, uint32_t set, uint64_t line)
{
    const sl_line *of_set = &b->line[(size_t)set * b->ways];
    const uint8_t *hint = sl_fingerprints(b, set), wanted = sl_tag_fingerprint(line);
    for (uint32_t first = 0; first < b->ways; first += SL_FINGERPRINTS_AT_ONCE)
        for (uint32_t equal = sl_fingerprints_equal(hint + first, wanted); equal; equal &= equal - 1) {
            uint32_t w = first + (uint32_t)__builtin_ctz(equal);
            if (of_set[w].tag == line + 1)
                return w;
        }
    return SL_NO_WAY;
}

/* The same, with the last failed search cached: a stalled request searches again and again. */
static inline uint32_t sl_way_again(sl_bank *b, uint32_t set, uint64_t line)
{
    if (b->absent == line + 1 && b->absent_since == b->tag_writes)
        return SL_NO_WAY;
    uint32_t way = sl_way_of(b, set, line);
    if (way == SL_NO_WAY) {
        b->absent = line + 1;
        b->absent_since = b->tag_writes;
    }
    return way;
}

static inline void sl_set_tag(sl_bank *b, uint32_t set, uint32_t way, uint64_t tag, bool plain)
{
    uint64_t *state = sl_used_ways(b, set), *used = state + way / 64, bit = UINT64_C(1) << (way % 64);
    uint8_t *hint = (uint8_t *)(state + 2 * b->mask_words);
    b->line[(size_t)set * b->ways + way].tag = tag;
    b->tag_writes++;
    hint[way] = tag ? sl_tag_fingerprint(tag - 1) : 0;
    *used = tag ? *used | bit : *used & ~bit;
    if (plain)
        return;
    if (b->first_ways)
        b->first_ways[(size_t)set * b->mask_words + way / 64] &= ~bit;
    if (b->last_ways)
        b->last_ways[(size_t)set * b->mask_words + way / 64] &= ~bit;
}

/* Allocates a mask of the ways of each set when it is first needed; false: out of memory. */
static inline bool sl_have_ways(const sl_bank *b, uint64_t **ways)
{
    if (!*ways)
        *ways = calloc((size_t)b->sets * b->mask_words, sizeof **ways);
    return *ways;
}

/* Sets or clears evict-first priority of a line; false: out of memory. */
static inline bool sl_set_first(sl_bank *b, uint32_t set, uint32_t way, bool first)
{
    if (!sl_have_ways(b, &b->first_ways))
        return false;
    b->plain = false;
    uint64_t *ways = &b->first_ways[(size_t)set * b->mask_words + way / 64], bit = UINT64_C(1) << (way % 64);
    *ways = first ? *ways | bit : *ways & ~bit;
    return true;
}

/* Sets evict-last priority of a line; false: out of memory. */
static inline bool sl_set_last(sl_bank *b, uint32_t set, uint32_t way)
{
    if (!sl_have_ways(b, &b->last_ways))
        return false;
    b->plain = false;
    b->last_ways[(size_t)set * b->mask_words + way / 64] |= UINT64_C(1) << (way % 64);
    return true;
}

static inline bool sl_is_first(const sl_bank *b, uint32_t set, uint32_t way)
{
    return b->first_ways[(size_t)set * b->mask_words + way / 64] >> (way % 64) & 1;
}

/* The request asks for evict-first priority. */
static inline bool sl_evicts_first(const sl_bank *b, const sl_request *r)
{
    return r->priority >> b->number & 1;
}

/* The request asks for evict-last priority, which copies of other partitions' lines do not get. */
static inline bool sl_evicts_last(const sl_bank *b, const sl_request *r)
{
    return r->priority >> (SL_EVICT_LAST_BITS + b->number) & 1 && sl_hop_of(b, r->addr) == b->number;
}

/* Marks the way of a line with the priority of a request. */
static inline void sl_mark_priority(sl_sim *sim, sl_bank *b, uint32_t set, uint32_t way, const sl_request *r)
{
    if (!r->priority)
        return;
    if (sl_evicts_first(b, r))
        sim->failed |= !sl_set_first(b, set, way, true);
    if (sl_evicts_last(b, r))
        sim->failed |= !sl_set_last(b, set, way);
}

static inline void sl_set_in_flight(sl_bank *b, uint32_t set, uint32_t way, uint32_t granules)
{
    uint64_t *in_flight = sl_ways_in_flight(b, set) + way / 64, bit = UINT64_C(1) << (way % 64);
    b->line[(size_t)set * b->ways + way].in_flight = granules;
    *in_flight = granules ? *in_flight | bit : *in_flight & ~bit;
}

/* Where sets can grow, ways that they have not yet: closed ones count as used and in flight, and so are neither filled
 * nor replaced. */
enum { SL_GROWN_WAYS = 256 };
static inline uint32_t sl_ways_of(const sl_level *level)
{
    return level->frc_keeps_victims && level->ways < SL_GROWN_WAYS ? SL_GROWN_WAYS : level->ways;
}
static inline void sl_close_way(sl_bank *b, uint32_t set, uint32_t way)
{
    sl_used_ways(b, set)[way / 64] |= UINT64_C(1) << (way % 64);
    sl_ways_in_flight(b, set)[way / 64] |= UINT64_C(1) << (way % 64);
}
/* Opens the lowest that is closed, or SL_NO_WAY. */
static inline uint32_t sl_open_way(sl_bank *b, uint32_t set)
{
    uint64_t *used = sl_used_ways(b, set), *in_flight = sl_ways_in_flight(b, set);
    for (uint32_t way = b->level->ways; way < b->ways; way++) {
        uint64_t bit = UINT64_C(1) << (way % 64);
        if (b->line[(size_t)set * b->ways + way].tag || !(used[way / 64] & in_flight[way / 64] & bit))
            continue;
        used[way / 64] &= ~bit;
        in_flight[way / 64] &= ~bit;
        return way;
    }
    return SL_NO_WAY;
}

/* Words of a mask of ways; plain banks have one. */
static inline uint32_t sl_mask_words(const sl_bank *b, bool plain)
{
    return plain ? 1 : b->mask_words;
}

/* The lowest way without a line, or SL_NO_WAY. */
static inline uint32_t sl_free_way(const sl_bank *b, uint32_t set, bool plain)
{
    const uint64_t *used = sl_used_ways(b, set);
    for (uint32_t i = 0; i < sl_mask_words(b, plain); i++)
        if (~used[i]) {
            uint32_t w = 64 * i + (uint32_t)__builtin_ctzll(~used[i]);
            return w < b->ways ? w : SL_NO_WAY;
        }
    return SL_NO_WAY;
}

/* Mask of ways that are not in flight, with or without free ones; false: there is none. */
static inline bool sl_offer_ways(sl_bank *b, uint32_t set, bool free_too, sl_way_mask *mask, bool plain)
{
    const uint64_t *used = sl_used_ways(b, set), *in_flight = sl_ways_in_flight(b, set);
    uint64_t any = 0;
    for (uint32_t i = 0; i < sl_mask_words(b, plain); i++) {
        uint64_t all = b->ways - 64 * i < 64 ? (UINT64_C(1) << (b->ways - 64 * i)) - 1 : UINT64_MAX;
        b->offered[i] = (free_too ? all : used[i]) & ~in_flight[i];
        any |= b->offered[i];
    }
    *mask = (sl_way_mask){b->offered, b->ways};
    return any;
}

/* Ways from which the victim is chosen: where some are marked evict-first, only these; where not all are marked
 * evict-last, or too many, the others. False: there is none. */
static inline bool sl_offer_victims(sl_bank *b, uint32_t set, sl_way_mask *mask, bool plain)
{
    bool any = sl_offer_ways(b, set, false, mask, plain), first = false;
    if (plain)
        return any;
    const uint64_t *ways = b->first_ways ? &b->first_ways[(size_t)set * b->mask_words] : NULL;
    for (uint32_t i = 0; ways && i < b->mask_words; i++)
        first |= b->offered[i] & ways[i];
    for (uint32_t i = 0; first && i < b->mask_words; i++)
        b->offered[i] &= ways[i];
    const uint64_t *last = b->last_ways ? &b->last_ways[(size_t)set * b->mask_words] : NULL;
    uint32_t marked = 0;
    bool other = false;
    for (uint32_t i = 0; last && i < b->mask_words; i++) {
        other |= (b->offered[i] & ~last[i]) != 0;
        marked += (uint32_t)__builtin_popcountll(last[i]);
    }
    other &= !b->level->last_ways || marked <= b->level->last_ways;
    for (uint32_t i = 0; other && i < b->mask_words; i++)
        b->offered[i] &= ~last[i];
    return any;
}

/* Line slots: those of the sets, then the entries of FRC. */
static inline size_t sl_first_entry(const sl_bank *b)
{
    return (size_t)b->sets * b->ways;
}
static inline bool sl_is_entry(const sl_bank *b, size_t line_slot)
{
    return line_slot >= sl_first_entry(b);
}

/* The same for a line in a way or in an entry of FRC. */
static inline void sl_set_in_flight_at(sl_bank *b, uint32_t set, size_t line_slot, uint32_t granules)
{
    if (b->frc && sl_is_entry(b, line_slot))
        b->line[line_slot].in_flight = granules;
    else
        sl_set_in_flight(b, set, (uint32_t)(line_slot - (size_t)set * b->ways), granules);
}

/* Shift from a request's mask to that of a line of this bank, which may be longer. */
static inline unsigned sl_shift_of(const sl_sim *sim, const sl_bank *b, uint64_t addr)
{
    return (unsigned)((addr & ((UINT64_C(1) << b->log2_line) - 1)) >> sim->log2_granule);
}

/* Whole pieces of `size` granules that cover the mask. */
static inline uint32_t sl_widen(uint32_t granules, uint32_t size, uint32_t line_granules)
{
    if (size >= line_granules)
        return line_granules >= 32 ? UINT32_MAX : (1u << line_granules) - 1;
    uint32_t piece = (1u << size) - 1, wide = 0;
    for (uint32_t at = 0; at < line_granules; at += size)
        if (granules >> at & piece)
            wide |= piece << at;
    return wide;
}

/* ---- MSHRs ---- */

static inline uint32_t sl_mshr_alloc(sl_bank *b)
{
    if (b->mshrs == b->mshr_capacity) {
        uint32_t capacity = b->mshr_capacity ? 2 * b->mshr_capacity : 16;
        sl_mshr *item = aligned_alloc(64, (capacity + 1) * sizeof *item);
        if (!item)
            return SL_NO_MSHR;
        if (b->mshr_item)
            memcpy(item, b->mshr_item, (b->mshr_capacity + 1) * sizeof *item);
        free(b->mshr_item);
        for (uint32_t i = b->mshr_capacity + 1; i <= capacity; i++)
            item[i].next = i < capacity ? i + 1 : SL_NO_MSHR;
        b->mshr_free = b->mshr_capacity + 1;
        b->mshr_item = item;
        b->mshr_capacity = capacity;
    }
    uint32_t number = b->mshr_free;
    b->mshr_free = b->mshr_item[number].next;
    b->mshrs++;
    return number;
}

static inline void sl_mshr_release(sl_bank *b, uint32_t number)
{
    b->mshr_item[number].next = b->mshr_free;
    b->mshr_free = number;
    b->mshrs--;
}

/* The MSHR of a line that fetches some of the granules; SL_NO_MSHR: none does. */
static inline uint32_t sl_mshr_find(const sl_bank *b, size_t line_slot, uint32_t granules)
{
    uint32_t m = b->line[line_slot].mshr;
    while (m != SL_NO_MSHR && !(b->mshr_item[m].asked & granules))
        m = b->mshr_item[m].next;
    return m;
}

static inline void sl_mshr_wait(sl_sim *sim, sl_bank *b, uint32_t m, uint32_t number)
{
    sl_request_push(sim->pool, &b->mshr_item[m].waiting, number);
    b->mshr_item[m].waiters++;
}

/* MSHRs in use by the request's warp, where these are limited. */
static inline uint32_t *sl_mshrs_of_warp(sl_bank *b, const sl_request *r)
{
    uint32_t core = r->core - b->instance * b->level->cores_per_instance;
    return &b->warp_mshrs[core * SL_CORE_WARPS + r->warp];
}

/* No MSHR is free, in the bank or in the warp's share. A request from another partition has its MSHR there. */
static inline bool sl_lacks_mshr(const sl_sim *sim, sl_bank *b, const sl_request *r)
{
    const sl_level *level = b->level;
    if (sl_is_sent_home(sim, b, r->core))
        return false;
    return (level->mshrs && b->mshrs >= level->mshrs) ||
           (!b->plain && b->warp_mshrs && r->slot != SL_NONE && *sl_mshrs_of_warp(b, r) >= level->mshrs_per_warp);
}

#endif
