/* SPDX-License-Identifier: MIT */
/* Counting while a block runs, without a trace in between. */
#include <stdlib.h>
#include <string.h>

#include "access/coalesce.h"
#include "access/lanes.h"
#include "trace/count_state.h"

sl_status sl_launch_counter_part(const sl_launch_counter *whole, sl_launch_counter **part, sl_error *error)
{
    size_t slots = whole->kernel->mem_slots ? whole->kernel->mem_slots : 1;
    sl_launch_counter *c = calloc(1, sizeof *c);
    sl_part_state *state = calloc(1, sizeof *state);
    if (!c || !state) {
        free(c);
        free(state);
        return sl_fail_memory(error);
    }
    *c = (sl_launch_counter){.kernel = whole->kernel,
                             .launch = whole->launch,
                             .log2_sector = whole->log2_sector,
                             .footprint = whole->footprint,
                             .no_shared = whole->no_shared,
                             .slot = whole->slot,
                             .part = state};
    c->tallies = calloc(slots, sizeof *c->tallies);
#if defined(__x86_64__)
    state->avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif
    state->emptied = 1;
    state->tallied = calloc(slots * SL_IN_SPACES, sizeof *state->tallied);
    state->last = calloc(whole->groups + 1, sizeof *state->last);
    state->far = calloc(whole->groups + 1, sizeof *state->far);
    state->sectors = state->spare = calloc(whole->groups + 1, SL_MAX_LANES * sizeof *state->sectors);
    state->memo = c->no_shared ? NULL : calloc(slots, sizeof *state->memo);
    if (!c->tallies || !state->tallied || !state->last || !state->far || !state->sectors ||
        (!state->memo && !c->no_shared)) {
        sl_launch_counter_destroy(c);
        return sl_fail_memory(error);
    }
    for (uint32_t g = 0; g < whole->groups; g++)
        state->last[g].sector = state->sectors + (size_t)(g + 1) * SL_MAX_LANES;
    *part = c;
    return SL_OK;
}

/* ---- counting while a block runs ---- */

/* Everything here is compiled twice: loops over lanes are several times faster with vectors of 64-bit numbers. */
#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void add(sl_launch_counter *c, uint32_t slot, int space, uint64_t amount)
{
    sl_tally *t = &c->tallies[slot][space];
    if (!t->requests++)
        c->part->tallied[c->part->tallied_count++] = slot * SL_IN_SPACES + (uint32_t)space;
    t->amount += amount;
}

/* Another word takes the entry. */
static __attribute__((noinline)) void displace(sl_part_state *p, sl_sector_word *entry, uint32_t group, uint64_t word,
                                               uint64_t bits)
{
    if (entry->bits)
        p->failed |= !sl_array_push(&p->older, *entry);
    else
        p->used[p->used_count++] = (uint16_t)(entry - p->recent);
    *entry = (sl_sector_word){word, bits, group};
}

ALWAYS sl_sector_word *recent_word(sl_part_state *p, uint32_t group, uint64_t word)
{
    return &p->recent[(word ^ word >> 9 ^ group * UINT64_C(73)) % SL_RECENT_WORDS];
}

ALWAYS bool has_word(const sl_sector_word *entry, uint32_t group, uint64_t word)
{
    return entry->word == word && entry->group == group && entry->bits;
}

ALWAYS void note_word(sl_part_state *p, uint32_t group, uint64_t word, uint64_t bits)
{
    sl_sector_word *entry = recent_word(p, group, word);
    if (has_word(entry, group, word))
        entry->bits |= bits;
    else
        displace(p, entry, group, word, bits);
}

ALWAYS void note_span(sl_part_state *p, uint32_t group, uint64_t first, uint64_t last)
{
    for (; first / 64 != last / 64; first = (first | 63) + 1)
        note_word(p, group, first / 64, UINT64_MAX << first % 64);
    note_word(p, group, first / 64, UINT64_MAX >> (63 - (last - first)) << first % 64);
}

/* Lanes in any order. Sectors close to each other are marked in a bitmap, others compared all with all. */
ALWAYS uint32_t count_different(const uint64_t *sector, uint32_t count, bool *near, uint64_t *base, uint64_t *bits)
{
    enum { WORDS = 32 };
    uint64_t lowest = UINT64_MAX, highest = 0, map[WORDS] = {0};
    uint32_t different = 0;
    for (uint32_t i = 0; i < count; i++) {
        lowest = sector[i] < lowest ? sector[i] : lowest;
        highest = sector[i] > highest ? sector[i] : highest;
    }
    lowest &= ~UINT64_C(63);
    *near = highest - lowest < 64;
    if (highest - lowest < WORDS * 64) {
        for (uint32_t i = 0; i < count; i++)
            map[(sector[i] - lowest) / 64] |= UINT64_C(1) << sector[i] % 64;
        for (uint64_t i = 0; i <= (highest - lowest) / 64; i++)
            different += (uint32_t)__builtin_popcountll(map[i]);
        *base = lowest;
        *bits = map[0];
        return different;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t seen = 0;
        for (uint32_t j = 0; j < i; j++)
            seen |= sector[j] == sector[i];
        different += !seen;
    }
    return different;
}

/* Whether the array was last accessed at the same sectors. */
ALWAYS bool same_sectors(const sl_part_state *p, const sl_sector_memo *last, const uint64_t *sector, uint32_t count)
{
    uint64_t differ = 0;
    if (last->emptied != p->emptied || last->count != count || last->sector[0] != sector[0])
        return false;
    for (uint32_t i = 0; i < count; i++)
        differ |= last->sector[i] ^ sector[i];
    return !differ;
}

/* Of neighboring instructions, most lanes access the same sector: four that do are left out at once. */
ALWAYS void note_changed(sl_part_state *p, uint32_t group, const sl_sector_memo *last, const uint64_t *sector,
                         uint32_t count)
{
    const uint64_t *noted = last->sector;
    uint32_t known = last->emptied == p->emptied ? last->count : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i % 4 == 0 && i + 4 <= known && i + 4 <= count &&
            !((sector[i] ^ noted[i]) | (sector[i + 1] ^ noted[i + 1]) | (sector[i + 2] ^ noted[i + 2]) |
              (sector[i + 3] ^ noted[i + 3])))
            i += 3;
        else if ((i >= known || sector[i] != noted[i]) && (!i || sector[i] != sector[i - 1]))
            note_word(p, group, sector[i] / 64, UINT64_C(1) << sector[i] % 64);
    }
}

/* Neighboring lanes mostly access ascending sectors: those that differ from the one before are counted. `sector` is
 * sl_part_state.spare. */
ALWAYS void access_sectors(sl_launch_counter *c, uint32_t slot, uint64_t *sector, uint32_t count)
{
    uint32_t group = c->slot[slot].group;
    uint64_t down = 0, changes = 0, base = 0, bits = 0;
    sl_sector_memo *last = &c->part->last[group];
    if (same_sectors(c->part, last, sector, count)) {
        add(c, slot, SL_IN_GLOBAL, last->different);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint64_t step = sector[i] - sector[i - 1];
        down |= step;
        changes += step != 0;
    }
    bool ascending = !(down >> 63), near = false;
    uint32_t different = ascending ? (uint32_t)changes + 1 : count_different(sector, count, &near, &base, &bits);
    add(c, slot, SL_IN_GLOBAL, different);
    if (c->footprint && near) {
        note_word(c->part, group, base / 64, bits);
    } else if (c->footprint && ascending && sector[count - 1] - sector[0] == changes) {
        note_span(c->part, group, sector[0], sector[count - 1]);
        return; /* as fast as a look at the last ones */
    } else if (c->footprint) {
        note_changed(c->part, group, last, sector, count);
    }
    last->emptied = c->part->emptied;
    last->count = count;
    last->different = different;
    c->part->spare = last->sector;
    last->sector = sector;
}

ALWAYS void list_access(sl_access *a, uint32_t slot, uint64_t mask, const uint64_t *addr, uint32_t lanes)
{
    a->slot = slot; /* the rest is for other kinds of access */
    a->mask = mask;
    a->affine = a->bulk = false;
    memcpy(a->addr, addr, lanes * sizeof *addr);
}

/* Lanes that may need more than one sector. */
static __attribute__((noinline)) void access_straddling(sl_launch_counter *c, uint32_t slot, uint64_t mask,
                                                        const uint64_t *addr, uint32_t width)
{
    sl_access a;
    sl_sector_span spans[SL_MAX_LANES];
    uint32_t lanes = c->launch->lanes;
    list_access(&a, slot, mask, addr, lanes);
    uint32_t count = sl_coalesce_spans(&a, lanes, width, c->log2_sector, spans);
    add(c, slot, SL_IN_GLOBAL, sl_span_sectors(spans, count));
    for (uint32_t i = 0; i < count && c->footprint; i++)
        note_span(c->part, c->slot[slot].group, spans[i].first, spans[i].last);
}

ALWAYS void access_global(sl_launch_counter *c, uint32_t slot, uint64_t mask, const uint64_t *addr, uint32_t width)
{
    uint64_t *restrict sector = c->part->spare, low = 0;
    const unsigned log2_sector = c->log2_sector;
    uint32_t count = 0, first = (uint32_t)__builtin_ctzll(mask);
    uint64_t run = mask >> first;
    if (!(run & (run + 1))) { /* neighbors */
        for (uint32_t end = (uint32_t)__builtin_popcountll(mask); count < end; count++) {
            low |= addr[first + count];
            sector[count] = addr[first + count] >> log2_sector;
        }
    } else {
        for (uint64_t left = mask; left; left &= left - 1) {
            low |= addr[__builtin_ctzll(left)];
            sector[count++] = addr[__builtin_ctzll(left)] >> log2_sector;
        }
    }
    c->tallies[slot][SL_IN_GLOBAL].bytes += (uint64_t)count * width;
    if (width <= 1u << c->log2_sector && !(width & (width - 1)) && !(low & (width - 1))) {
        access_sectors(c, slot, sector, count);
        return;
    }
    access_straddling(c, slot, mask, addr, width);
}

/* Nobody asks for the passes of atomics. */
ALWAYS bool counts_passes(const sl_launch_counter *c, uint32_t slot)
{
    unsigned access = c->slot[slot].access;
    return access == SL_ACCESS_LOAD || access == SL_ACCESS_STORE;
}

static __attribute__((noinline)) uint32_t passes(uint32_t slot, uint64_t mask, const uint64_t *addr, uint32_t lanes,
                                                 uint32_t width)
{
    sl_access a;
    list_access(&a, slot, mask, addr, lanes);
    return sl_bank_passes(&a, lanes, width);
}

ALWAYS void access_shared(sl_launch_counter *c, uint32_t slot, uint64_t mask, const uint64_t *addr, uint32_t width)
{
    if (c->no_shared)
        return;
    uint32_t lanes = c->launch->lanes;
    if (!counts_passes(c, slot)) {
        add(c, slot, SL_IN_SHARED, 0);
        return;
    }
    sl_bank_memo *memo = &c->part->memo[slot];
    uint64_t first = addr[__builtin_ctzll(mask)];
    uint32_t distance[SL_MAX_LANES], differ = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        distance[i] = mask >> i & 1 ? (uint32_t)(addr[i] - first) : 0;
        differ |= distance[i] ^ memo->distance[i];
    }
    /* whole banks: else it matters where in its bank the first lane starts */
    if (differ || mask != memo->mask || first % 4) {
        memo->passes = passes(slot, mask, addr, lanes, width);
        memcpy(memo->distance, distance, lanes * sizeof *distance);
        memo->mask = first % 4 ? 0 : mask;
    }
    add(c, slot, SL_IN_SHARED, memo->passes);
}

/* A sector has the same word of some neighboring lanes: of these, different words are counted. */
static __attribute__((noinline)) uint32_t local_sectors(const sl_launch_counter *c, uint64_t mask, const uint64_t *addr,
                                                        uint32_t width)
{
    uint32_t sectors = 0, together = (1u << c->log2_sector) / 4;
    if (!together || together > SL_MAX_LANES) {
        sl_access a;
        uint64_t sector[SL_LOCAL_SECTORS];
        list_access(&a, 0, mask, addr, c->launch->lanes);
        return sl_local_sectors(&a, c->launch->lanes, width, 0, c->log2_sector, sector);
    }
    for (uint32_t from = 0; from < c->launch->lanes; from += together) {
        uint64_t word[SL_LOCAL_SECTORS], group = mask >> from & sl_full_mask(together);
        uint32_t count = 0;
        for (; group; group &= group - 1) {
            uint64_t at = addr[from + (uint32_t)__builtin_ctzll(group)];
            uint64_t first = at / 4, words = (at % 4 + width + 3) / 4;
            for (uint64_t w = first; w < first + words && w < first + SL_LOCAL_WORDS; w++) {
                bool seen = false;
                for (uint32_t i = 0; i < count; i++)
                    seen |= word[i] == w;
                if (!seen)
                    word[count++] = w;
            }
        }
        sectors += count;
    }
    return sectors;
}

ALWAYS void access_local(sl_launch_counter *c, uint32_t slot, uint64_t mask, const uint64_t *addr, uint32_t width)
{
    uint64_t first = addr[__builtin_ctzll(mask)], differ = 0;
    for (uint64_t left = mask; left; left &= left - 1)
        differ |= addr[__builtin_ctzll(left)] ^ first;
    if (!differ && c->log2_sector == 5) { /* a sector has the same word of eight neighboring lanes */
        uint64_t groups = mask | mask >> 4;
        groups |= groups >> 2;
        groups = (groups | groups >> 1) & UINT64_C(0x0101010101010101);
        add(c, slot, SL_IN_LOCAL, (first % 4 + width + 3) / 4 * (uint64_t)__builtin_popcountll(groups));
        return;
    }
    add(c, slot, SL_IN_LOCAL, local_sectors(c, mask, addr, width));
}

static __attribute__((noinline)) void access_windows(sl_launch_counter *c, uint32_t slot, uint64_t mask,
                                                     const uint64_t *addr, uint32_t width)
{
    sl_access a;
    sl_generic_access split;
    list_access(&a, slot, mask, addr, c->launch->lanes);
    sl_generic_split(&a, c->launch, &split);
    if (split.shared.mask)
        access_shared(c, slot, split.shared.mask, split.shared.addr, width);
    if (split.local.mask)
        access_local(c, slot, split.local.mask, split.local.addr, width);
    if (split.global.mask)
        access_global(c, slot, split.global.mask, split.global.addr, width);
}

/* Whether any lane means shared or local memory. */
ALWAYS bool in_windows(const sl_launch_counter *c, uint64_t mask, const uint64_t *addr)
{
    bool any = false;
    for (uint64_t left = mask; left; left &= left - 1) {
        uint64_t at = addr[__builtin_ctzll(left)];
        any |= at - c->launch->shared_window < c->launch->window_bytes;
        any |= at - c->launch->local_window < c->launch->window_bytes;
    }
    return any;
}

ALWAYS void access_lanes(sl_launch_counter *c, uint32_t slot, uint64_t mask, const uint64_t *addr)
{
    uint32_t width = c->slot[slot].width;
    if (!mask || c->slot[slot].access == SL_ACCESS_PREFETCH)
        return;
    switch (c->slot[slot].space) {
    case SL_MEM_GLOBAL:
        access_global(c, slot, mask, addr, width);
        break;
    case SL_MEM_GENERIC:
        if (in_windows(c, mask, addr))
            access_windows(c, slot, mask, addr, width);
        else
            access_global(c, slot, mask, addr, width);
        break;
    case SL_MEM_SHARED:
        access_shared(c, slot, mask, addr, width);
        break;
    case SL_MEM_LOCAL:
        access_local(c, slot, mask, addr, width);
        break;
    case SL_MEM_TEXTURE:
        add(c, slot, SL_IN_TEXTURE, 0);
        break;
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2,popcnt"))) static void access_avx2(sl_launch_counter *c, uint32_t slot,
                                                                        uint64_t mask, const uint64_t *addr)
{
    access_lanes(c, slot, mask, addr);
}
#endif

void sl_launch_counter_access(sl_launch_counter *c, uint32_t slot, uint64_t mask, const uint64_t *addr)
{
#if defined(__x86_64__)
    if (c->part->avx2) {
        access_avx2(c, slot, mask, addr);
        return;
    }
#endif
    access_lanes(c, slot, mask, addr);
}

/* ---- lanes at the same distances again ---- */

typedef enum shape_kind {
    SHAPE_NEW,
    SHAPE_DENSE,  /* ascending, and every sector between the first and the last is accessed */
    SHAPE_GROUPS, /* sectors in a few groups */
    SHAPE_FAR,    /* neighboring lanes at one distance, all at the same offset in their sector */
    SHAPE_BANKS,  /* shared memory */
    SHAPE_ANY,    /* lane by lane */
} shape_kind;

static __attribute__((noinline)) void access_each(sl_launch_counter *c, uint32_t slot, const sl_shape_counts *shape,
                                                  const uint64_t *distance, uint64_t at)
{
    uint64_t addr[SL_MAX_LANES];
    for (uint32_t i = 0; i < c->launch->lanes; i++)
        addr[i] = at + distance[i];
    sl_launch_counter_access(c, slot, shape->mask, addr);
}

/* Which sectors an access at `at` has, in lane order: false if these are not a few ascending groups. */
static bool find_sectors(const sl_launch_counter *c, sl_shape_counts *shape, const uint64_t *distance, uint64_t at)
{
    uint64_t lowest = (at + (uint64_t)shape->lowest) >> c->log2_sector;
    shape->at = at;
    shape->groups = shape->sectors = 0;
    for (uint64_t left = shape->mask; left; left &= left - 1) {
        uint64_t sector = ((at + distance[__builtin_ctzll(left)]) >> c->log2_sector) - lowest;
        uint32_t last = shape->groups - 1;
        if (!shape->groups || sector - shape->group[last].from >= 64) {
            if (shape->groups == SL_SHAPE_GROUPS || (shape->groups && sector < shape->group[last].from)) {
                shape->groups = 0;
                return false;
            }
            last = shape->groups++;
            shape->group[last].from = sector;
            shape->group[last].bits = 0;
        }
        uint64_t bit = UINT64_C(1) << (sector - shape->group[last].from);
        shape->sectors += !(shape->group[last].bits & bit);
        shape->group[last].bits |= bit;
    }
    return true;
}

static shape_kind kind_in_global(const sl_launch_counter *c, sl_shape_counts *shape, const uint64_t *distance,
                                 uint64_t at)
{
    uint64_t sector = UINT64_C(1) << c->log2_sector, before = 0, offset_mask = 0;
    uint64_t run = shape->mask >> __builtin_ctzll(shape->mask);
    bool dense = true, line = !(run & (run + 1));
    shape->stride = run > 1 ? distance[__builtin_ctzll(shape->mask) + 1] : 0;
    for (uint64_t left = shape->mask & (shape->mask - 1); left; left &= left - 1) {
        uint64_t now = distance[__builtin_ctzll(left)];
        dense &= now - before <= sector;
        line &= now - before == shape->stride;
        offset_mask |= now;
        before = now;
    }
    shape->offset_mask = offset_mask & (sector - 1) ? sector - 1 : 0;
    if (dense)
        return SHAPE_DENSE;
    if (find_sectors(c, shape, distance, at))
        return SHAPE_GROUPS;
    shape->sectors = (uint32_t)__builtin_popcountll(shape->mask);
    return line && !shape->offset_mask ? SHAPE_FAR : SHAPE_ANY;
}

static __attribute__((noinline)) void meet_shape(sl_launch_counter *c, uint32_t slot, sl_shape_counts *shape,
                                                 const uint64_t *distance, uint64_t at)
{
    const sl_slot_facts *facts = &c->slot[slot];
    bool whole = facts->width && !(facts->width & (facts->width - 1)) && facts->width <= 1u << c->log2_sector;
    shape->bytes = (uint32_t)__builtin_popcountll(shape->mask) * facts->width;
    shape->kind = SHAPE_ANY;
    if (facts->space == SL_MEM_SHARED && c->no_shared) {
        shape->kind = SHAPE_BANKS;
    } else if (facts->space == SL_MEM_SHARED && counts_passes(c, slot) && at % 4 == 0) {
        sl_access a;
        uint64_t addr[SL_MAX_LANES];
        for (uint32_t i = 0; i < c->launch->lanes; i++)
            addr[i] = at + distance[i];
        list_access(&a, slot, shape->mask, addr, c->launch->lanes);
        shape->sectors = sl_bank_passes(&a, c->launch->lanes, facts->width);
        shape->kind = SHAPE_BANKS;
    } else if ((facts->space == SL_MEM_GLOBAL || facts->space == SL_MEM_GENERIC) && whole) {
        shape->kind = (uint8_t)kind_in_global(c, shape, distance, at);
    }
}

/* Lanes far from each other mostly stay in their sectors for a while: these are noted once. */
static void note_far(sl_launch_counter *c, uint32_t group, const sl_shape_counts *shape, const uint64_t *distance,
                     uint64_t at)
{
    sl_far_memo *last = &c->part->far[group];
    sl_far_memo now = {at >> c->log2_sector, shape->stride, shape->sectors};
    if (now.first == last->first && now.stride == last->stride && now.count == last->count)
        return;
    *last = now;
    for (uint64_t left = shape->mask; left; left &= left - 1) {
        uint64_t sector = (at + distance[__builtin_ctzll(left)]) >> c->log2_sector;
        note_word(c->part, group, sector / 64, UINT64_C(1) << sector % 64);
    }
}

static __attribute__((noinline)) void any_shape(sl_launch_counter *c, uint32_t slot, sl_shape_counts *shape,
                                                const uint64_t *distance, uint64_t at)
{
    if (shape->kind == SHAPE_NEW)
        meet_shape(c, slot, shape, distance, at);
    uint32_t group = c->slot[slot].group;
    uint64_t first = (at + (uint64_t)shape->lowest) >> c->log2_sector;
    uint64_t last = (at + (uint64_t)shape->highest) >> c->log2_sector;
    if (shape->kind == SHAPE_BANKS && (c->no_shared || at % 4 == 0)) {
        if (!c->no_shared)
            add(c, slot, SL_IN_SHARED, shape->sectors);
        return;
    }
    if (shape->kind == SHAPE_GROUPS && (at ^ shape->at) & shape->offset_mask && !find_sectors(c, shape, distance, at))
        shape->kind = SHAPE_ANY;
    if (shape->kind >= SHAPE_BANKS) {
        access_each(c, slot, shape, distance, at);
        return;
    }
    c->tallies[slot][SL_IN_GLOBAL].bytes += shape->bytes;
    add(c, slot, SL_IN_GLOBAL, shape->kind == SHAPE_DENSE ? last - first + 1 : shape->sectors);
    if (c->footprint && shape->kind == SHAPE_DENSE)
        note_span(c->part, group, first, last);
    else if (c->footprint && shape->kind == SHAPE_FAR)
        note_far(c, group, shape, distance, at);
    for (uint32_t i = 0; i < shape->groups && c->footprint; i++) {
        uint64_t from = first + shape->group[i].from, bits = shape->group[i].bits;
        note_word(c->part, group, from / 64, bits << from % 64);
        if (from % 64 && bits >> (64 - from % 64))
            note_word(c->part, group, from / 64 + 1, bits >> (64 - from % 64));
    }
}

/* Most have few neighboring sectors: a short way for these. */
void sl_launch_counter_shape(sl_launch_counter *c, uint32_t slot, sl_shape_counts *shape, const uint64_t *distance,
                             uint64_t at)
{
    uint64_t first = (at + (uint64_t)shape->lowest) >> c->log2_sector;
    uint64_t last = (at + (uint64_t)shape->highest) >> c->log2_sector;
    if (shape->kind != SHAPE_DENSE || last / 64 != first / 64 || !c->footprint) {
        any_shape(c, slot, shape, distance, at);
        return;
    }
    c->tallies[slot][SL_IN_GLOBAL].bytes += shape->bytes;
    add(c, slot, SL_IN_GLOBAL, last - first + 1);
    note_word(c->part, c->slot[slot].group, first / 64, UINT64_MAX >> (63 - (last - first)) << first % 64);
}

sl_status sl_launch_counter_collect(sl_launch_counter *whole, sl_launch_counter *part, uint64_t warp_insts,
                                    uint64_t thread_insts, bool block_ends, sl_error *error)
{
    sl_part_state *p = part->part;
    whole->warp_insts += warp_insts;
    whole->thread_insts += thread_insts;
    whole->blocks += block_ends;
    for (uint32_t i = 0; i < p->tallied_count; i++) {
        sl_tally *from = &part->tallies[p->tallied[i] / SL_IN_SPACES][p->tallied[i] % SL_IN_SPACES];
        sl_tally *to = &whole->tallies[p->tallied[i] / SL_IN_SPACES][p->tallied[i] % SL_IN_SPACES];
        to->requests += from->requests;
        to->amount += from->amount;
        to->bytes += from->bytes;
        *from = (sl_tally){0};
    }
    p->tallied_count = 0;
    for (uint32_t i = 0; i < p->used_count; i++) {
        sl_sector_word *w = &p->recent[p->used[i]];
        p->failed |= !sl_sparse_set_add_word(&whole->accessed[w->group], w->word, w->bits);
        w->bits = 0;
    }
    p->used_count = 0;
    for (size_t i = 0; i < p->older.count; i++) {
        const sl_sector_word *w = &p->older.items[i];
        p->failed |= !sl_sparse_set_add_word(&whole->accessed[w->group], w->word, w->bits);
    }
    p->older.count = 0;
    p->emptied++;
    return p->failed ? sl_fail_memory(error) : SL_OK;
}

size_t sl_launch_counter_bytes(const sl_launch_counter *part)
{
    return part->part->older.count * sizeof *part->part->older.items;
}
