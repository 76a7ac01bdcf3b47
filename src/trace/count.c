/* SPDX-License-Identifier: MIT */
/* Counting what a launch executed and accessed. Warp instructions are those of the trace's listing (PTX, or SASS for
 * imported traces); a request is a warp instruction with at least one active lane, per memory space that its lanes
 * reach. */
#include "trace/count.h"

#include <stdlib.h>
#include <string.h>

#include "access/coalesce.h"
#include "access/lanes.h"
#include "base/array.h"
#include "trace/codec.h"
#include "trace/sparse_set.h"

enum { GLOBAL, SHARED, LOCAL, TEXTURE, SPACES };
enum { ACCESSES = SL_MEM_ACCESSES };

typedef struct tally {
    uint64_t requests, amount; /* amount: sectors, or passes over the banks, or bytes (matrices) */
    uint64_t bytes;            /* of active lanes; global memory */
} tally;

/* Some of 64 neighbouring sectors: numbers 64 * word and up. */
typedef struct sector_word {
    uint64_t word, bits;
    uint32_t group;
} sector_word;

/* How the lanes of a shared access lay last time: at these distances passes are the same wherever they start. */
typedef struct bank_memo {
    uint64_t mask;
    uint32_t passes;
    uint32_t distance[SL_MAX_LANES];
} bank_memo;

enum { RECENT = 512 };

/* What a part has besides: it is emptied after every block, so that what it holds is found without a search. */
typedef struct part_state {
    uint32_t touched;                  /* tallies that are not zero */
    uint32_t *touch;                   /* [SPACES * mem_slots]: which; slot * SPACES + space */
    bank_memo *memo;                   /* [mem_slots] */
    sector_word recent[RECENT];        /* a cache, by word and group */
    uint16_t used[RECENT], used_count; /* entries of it with bits */
    SL_ARRAY(sector_word) older;       /* what was displaced from it */
    bool failed;                       /* memory ran out */
    bool avx2;                         /* the CPU has it */
} part_state;

struct sl_launch_counter {
    const sl_trace_kernel *kernel;
    const sl_trace_launch *launch;
    unsigned log2_sector;
    bool footprint, no_shared;
    uint64_t warp_insts, thread_insts, blocks;
    sl_predictor *predictor;  /* [mem_slots]: scratch of the decoder */
    tally (*tallies)[SPACES]; /* [mem_slots] */
    const uint32_t *group;    /* [mem_slots]: which array the instruction accesses; a part's is that of the whole */
    uint32_t groups;
    sl_sparse_set *accessed; /* [groups] */
    /* made by sl_launch_counter_result */
    sl_counts *slot_counts;
    sl_array_footprint *arrays;
    const sl_trace_range *range; /* allocations of the launch */
    size_t ranges;
    part_state *part; /* NULL: this is not a part */
};

#define C(name) (SL_COUNTER_##name + 1)
/* Which counters an access adds to, plus one; 0: none. */
static const struct {
    uint8_t requests, amount, bytes;
} counters_of[SPACES][ACCESSES] = {
    [GLOBAL][SL_ACCESS_LOAD] = {C(ld_requests), C(ld_sectors), C(ld_bytes)},
    [GLOBAL][SL_ACCESS_STORE] = {C(st_requests), C(st_sectors), C(st_bytes)},
    [GLOBAL][SL_ACCESS_ATOMIC] = {C(atom_requests), C(atom_sectors), 0},
    [GLOBAL][SL_ACCESS_REDUCTION] = {C(red_requests), C(red_sectors), 0},
    [GLOBAL][SL_ACCESS_ASYNC_COPY] = {C(async_requests), C(async_sectors), C(async_bytes)},
    [GLOBAL][SL_ACCESS_BULK_LOAD] = {C(bulk_ld_requests), C(bulk_ld_sectors), 0},
    [GLOBAL][SL_ACCESS_BULK_STORE] = {C(bulk_st_requests), C(bulk_st_sectors), 0},
    [GLOBAL][SL_ACCESS_BULK_REDUCTION] = {C(bulk_red_requests), C(bulk_red_sectors), 0},
    [SHARED][SL_ACCESS_MATRIX] = {C(matrix_requests), C(matrix_wavefronts), 0},
    [LOCAL][SL_ACCESS_LOAD] = {C(local_ld_requests), C(local_ld_sectors), 0},
    [LOCAL][SL_ACCESS_STORE] = {C(local_st_requests), C(local_st_sectors), 0},
    [SHARED][SL_ACCESS_LOAD] = {C(shared_ld_requests), C(shared_ld_wavefronts), 0},
    [SHARED][SL_ACCESS_STORE] = {C(shared_st_requests), C(shared_st_wavefronts), 0},
    [SHARED][SL_ACCESS_ATOMIC] = {C(shared_atom_requests), 0, 0},
    [SHARED][SL_ACCESS_REDUCTION] = {C(shared_atom_requests), 0, 0},
    [TEXTURE][SL_ACCESS_LOAD] = {C(tex_requests), 0, 0},
};
#undef C

/* ---- life ---- */

/* Numbers the base arrays of the kernel in order of first use. */
static void group_slots(sl_launch_counter *c, uint32_t *group)
{
    const sl_trace_kernel *k = c->kernel;
    for (uint32_t s = 0; s < k->mem_slots; s++) {
        uint32_t before = 0, array = k->inst[k->mem_inst[s]].array;
        while (before < s && k->inst[k->mem_inst[before]].array != array)
            before++;
        group[s] = before < s ? group[before] : c->groups++;
    }
}

sl_status sl_launch_counter_create(const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                                   const sl_count_options *options, sl_launch_counter **counter, sl_error *error)
{
    uint32_t sector = options->sector_bytes ? options->sector_bytes : 32;
    if (sector & (sector - 1))
        return sl_fail(error, SL_INVALID, "a sector of %u bytes: the size must be a power of two", sector);
    sl_launch_counter *c = calloc(1, sizeof *c);
    if (!c)
        return sl_fail_memory(error);
    size_t slots = kernel->mem_slots ? kernel->mem_slots : 1;
    c->kernel = kernel;
    c->launch = launch;
    c->log2_sector = (unsigned)__builtin_ctz(sector);
    c->footprint = options->footprint;
    c->no_shared = options->no_shared;
    uint32_t *group = calloc(slots, sizeof *group);
    c->group = group;
    c->predictor = malloc(slots * sizeof *c->predictor);
    c->tallies = calloc(slots, sizeof *c->tallies);
    c->accessed = calloc(slots, sizeof *c->accessed);
    if (!c->predictor || !c->tallies || !c->group || !c->accessed) {
        sl_launch_counter_destroy(c);
        return sl_fail_memory(error);
    }
    group_slots(c, group);
    *counter = c;
    return SL_OK;
}

sl_status sl_launch_counter_part(const sl_launch_counter *whole, sl_launch_counter **part, sl_error *error)
{
    size_t slots = whole->kernel->mem_slots ? whole->kernel->mem_slots : 1;
    sl_launch_counter *c = calloc(1, sizeof *c);
    part_state *state = calloc(1, sizeof *state);
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
                             .group = whole->group,
                             .part = state};
    c->tallies = calloc(slots, sizeof *c->tallies);
#if defined(__x86_64__)
    state->avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
#endif
    state->touch = calloc(slots * SPACES, sizeof *state->touch);
    state->memo = c->no_shared ? NULL : calloc(slots, sizeof *state->memo);
    if (!c->tallies || !state->touch || (!state->memo && !c->no_shared)) {
        sl_launch_counter_destroy(c);
        return sl_fail_memory(error);
    }
    *part = c;
    return SL_OK;
}

void sl_launch_counter_destroy(sl_launch_counter *c)
{
    if (!c)
        return;
    for (uint32_t g = 0; g < c->groups; g++)
        sl_sparse_set_fini(&c->accessed[g]);
    if (c->part) {
        free(c->part->touch);
        free(c->part->memo);
        sl_array_free(&c->part->older);
        free(c->part);
    } else {
        free((void *)(uintptr_t)c->group);
    }
    free(c->predictor);
    free(c->tallies);
    free(c->accessed);
    free(c->slot_counts);
    free(c->arrays);
    free(c);
}

/* ---- accesses ---- */

static bool count_global(sl_launch_counter *c, const sl_access *a, uint32_t width)
{
    tally *t = &c->tallies[a->slot][GLOBAL];
    sl_sector_span spans[SL_MAX_LANES];
    t->requests++;
    t->bytes += (uint64_t)__builtin_popcountll(a->mask) * width;
    if (!a->affine) {
        t->amount += sl_coalesce_count(a, c->launch->lanes, width, c->log2_sector);
        if (!c->footprint)
            return true;
    }
    uint32_t count = 0;
    if (a->affine) {
        count = sl_coalesce_spans(a, c->launch->lanes, width, c->log2_sector, spans);
        t->amount += sl_span_sectors(spans, count);
    } else {
        for (uint64_t left = a->mask; left; left &= left - 1) { /* in any order */
            uint64_t addr = a->addr[__builtin_ctzll(left)], end = addr + width - 1;
            spans[count++] =
                (sl_sector_span){addr >> c->log2_sector, (end < addr ? UINT64_MAX : end) >> c->log2_sector};
        }
    }
    if (c->footprint)
        for (uint32_t i = 0; i < count; i++)
            if (!sl_sparse_set_add(&c->accessed[c->group[a->slot]], spans[i].first, spans[i].last))
                return false;
    return true;
}

/* Rows: every piece counts the sectors it touches, once for each block that receives it. */
static bool count_rows(sl_launch_counter *c, const sl_access *access)
{
    sl_access a = *access;
    bool shared = c->kernel->inst[a.inst].space == SL_MEM_SHARED, fits = true;
    tally *t = &c->tallies[a.slot][shared ? SHARED : GLOBAL];
    uint64_t bytes = 0;
    t->requests++;
    do {
        for (uint64_t left = a.mask; left && fits; left &= left - 1) {
            uint64_t addr = a.addr[__builtin_ctzll(left)], end = addr + a.width - 1;
            uint64_t first = addr >> c->log2_sector, last = (end < addr ? UINT64_MAX : end) >> c->log2_sector;
            bytes += a.width;
            if (shared)
                continue;
            t->amount += (last - first + 1) * a.blocks;
            fits = !c->footprint || sl_sparse_set_add(&c->accessed[c->group[a.slot]], first, last);
        }
    } while (fits && sl_access_more(&a));
    if (shared)
        t->amount += bytes;
    return fits;
}

/* Words of neighbouring lanes lie side by side: when all lanes use the same offset, each of its words is one row of
 * lanes * 4 bytes. */
static void count_local(sl_launch_counter *c, const sl_access *a, uint32_t width)
{
    tally *t = &c->tallies[a->slot][LOCAL];
    uint32_t lanes = c->launch->lanes;
    t->requests++;
    if (a->affine && !a->stride && a->row_lanes >= lanes) {
        sl_access row = {.mask = a->mask, .affine = true, .stride = 4, .row_lanes = lanes};
        t->amount += (a->base % 4 + width + 3) / 4 * sl_coalesce_count(&row, lanes, 4, c->log2_sector);
    } else {
        uint64_t sector[SL_LOCAL_SECTORS];
        t->amount += sl_local_sectors(a, lanes, width, 0, c->log2_sector, sector);
    }
}

static void count_shared(sl_launch_counter *c, const sl_access *a, uint32_t width)
{
    if (c->no_shared)
        return;
    tally *t = &c->tallies[a->slot][SHARED];
    t->requests++;
    if (!counters_of[SHARED][c->kernel->inst[a->inst].access].amount)
        return; /* atomics: nobody asks for their passes */
    uint32_t lanes = c->launch->lanes;
    bool line = a->affine && a->row_lanes >= lanes;
    if (line && width == 4 && lanes == 32 && a->base % 4 == 0 && (a->stride == 0 || a->stride == 4))
        t->amount++; /* one word for all, or neighbouring words: no bank is asked twice */
    else
        t->amount += sl_bank_passes(a, lanes, width);
}

static bool count_generic(sl_launch_counter *c, const sl_access *access, uint32_t width)
{
    sl_generic_access a;
    sl_generic_split(access, c->launch, &a);
    if (a.shared.mask)
        count_shared(c, &a.shared, width);
    if (a.local.mask)
        count_local(c, &a.local, width);
    return !a.global.mask || count_global(c, &a.global, width);
}

static bool count_access(sl_launch_counter *c, const sl_access *a)
{
    const sl_inst *inst = &c->kernel->inst[a->inst];
    uint32_t width = inst->width ? inst->width : 1;
    if (!a->mask || inst->access == SL_ACCESS_PREFETCH || inst->access == SL_ACCESS_BULK_PREFETCH)
        return true;
    if (a->bulk)
        return count_rows(c, a);
    switch (inst->space) {
    case SL_MEM_GLOBAL:
        return count_global(c, a, width);
    case SL_MEM_GENERIC:
        return count_generic(c, a, width);
    case SL_MEM_SHARED:
        count_shared(c, a, width);
        break;
    case SL_MEM_LOCAL:
        count_local(c, a, width);
        break;
    case SL_MEM_TEXTURE:
        c->tallies[a->slot][TEXTURE].requests++;
        break;
    }
    return true;
}

static sl_status count_warp(sl_launch_counter *c, const sl_warp_view *warp, sl_error *error)
{
    sl_warp_cursor cursor;
    sl_warp_cursor_init(&cursor, c->kernel, c->launch->lanes, warp, c->predictor);
    for (;;) {
        bool more;
        sl_status status = sl_warp_cursor_step(&cursor, &more, error);
        if (status || !more)
            return status;
        uint64_t insts = c->kernel->bb[cursor.bb].count;
        c->warp_insts += insts;
        c->thread_insts += insts * (uint64_t)__builtin_popcountll(cursor.mask);
        for (;;) {
            status = sl_warp_cursor_access(&cursor, &more, error);
            if (status)
                return status;
            if (!more)
                break;
            if (!count_access(c, &cursor.access))
                return sl_fail_memory(error);
        }
    }
}

sl_status sl_launch_counter_block(sl_launch_counter *c, const sl_block_view *block, sl_error *error)
{
    for (uint32_t w = 0; w < block->warps; w++) {
        sl_status status = count_warp(c, &block->warp[w], error);
        if (status)
            return status;
    }
    c->blocks += block->last;
    return SL_OK;
}

/* ---- counting while a block runs ---- */

/* Everything here is compiled twice: loops over lanes are several times faster with vectors of 64-bit numbers. */
#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void add(sl_launch_counter *c, uint32_t slot, int space, uint64_t amount)
{
    tally *t = &c->tallies[slot][space];
    if (!t->requests++)
        c->part->touch[c->part->touched++] = slot * SPACES + (uint32_t)space;
    t->amount += amount;
}

/* Another word takes the entry. */
static __attribute__((noinline)) void displace(part_state *p, sector_word *entry, sector_word by)
{
    if (entry->bits)
        p->failed |= !sl_array_push(&p->older, *entry);
    else
        p->used[p->used_count++] = (uint16_t)(entry - p->recent);
    *entry = by;
}

ALWAYS void note_word(part_state *p, uint32_t group, uint64_t word, uint64_t bits)
{
    sector_word *entry = &p->recent[(word ^ word >> 9 ^ group * UINT64_C(73)) % RECENT];
    if (entry->word == word && entry->group == group && entry->bits)
        entry->bits |= bits;
    else
        displace(p, entry, (sector_word){word, bits, group});
}

ALWAYS void note_span(part_state *p, uint32_t group, uint64_t first, uint64_t last)
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

/* Neighbouring lanes mostly access ascending sectors: those that differ from the one before are counted. */
ALWAYS void access_sectors(sl_launch_counter *c, uint32_t slot, const uint64_t *sector, uint32_t count)
{
    uint32_t group = c->group[slot];
    uint64_t down = 0, changes = 0, base = 0, bits = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint64_t step = sector[i] - sector[i - 1];
        down |= step;
        changes += step != 0;
    }
    bool ascending = !(down >> 63), near = false;
    if (ascending)
        add(c, slot, GLOBAL, changes + 1);
    else
        add(c, slot, GLOBAL, count_different(sector, count, &near, &base, &bits));
    if (!c->footprint)
        return;
    if (near) {
        note_word(c->part, group, base / 64, bits);
    } else if (ascending && sector[count - 1] - sector[0] == changes) {
        note_span(c->part, group, sector[0], sector[count - 1]);
    } else {
        for (uint32_t i = 0; i < count; i++)
            if (!i || sector[i] != sector[i - 1])
                note_word(c->part, group, sector[i] / 64, UINT64_C(1) << sector[i] % 64);
    }
}

ALWAYS void list_access(sl_access *a, uint32_t slot, uint64_t mask, const uint64_t *addr, uint32_t lanes)
{
    *a = (sl_access){.slot = slot, .mask = mask};
    memcpy(a->addr, addr, lanes * sizeof *addr);
}

ALWAYS void access_global(sl_launch_counter *c, uint32_t slot, uint64_t mask, const uint64_t *addr, uint32_t width)
{
    uint64_t sector[SL_MAX_LANES], low = 0;
    uint32_t lanes = c->launch->lanes, count = 0;
    if (mask == sl_full_mask(lanes)) {
        for (; count < lanes; count++) {
            low |= addr[count];
            sector[count] = addr[count] >> c->log2_sector;
        }
    } else {
        for (uint64_t left = mask; left; left &= left - 1) {
            low |= addr[__builtin_ctzll(left)];
            sector[count++] = addr[__builtin_ctzll(left)] >> c->log2_sector;
        }
    }
    c->tallies[slot][GLOBAL].bytes += (uint64_t)count * width;
    if (width <= 1u << c->log2_sector && !(width & (width - 1)) && !(low & (width - 1))) {
        access_sectors(c, slot, sector, count);
        return;
    }
    sl_access a;
    sl_sector_span spans[SL_MAX_LANES];
    list_access(&a, slot, mask, addr, lanes);
    count = sl_coalesce_spans(&a, lanes, width, c->log2_sector, spans);
    add(c, slot, GLOBAL, sl_span_sectors(spans, count));
    for (uint32_t i = 0; i < count && c->footprint; i++)
        note_span(c->part, c->group[slot], spans[i].first, spans[i].last);
}

ALWAYS void access_shared(sl_launch_counter *c, uint32_t slot, uint64_t mask, const uint64_t *addr, uint32_t width)
{
    if (c->no_shared)
        return;
    uint32_t lanes = c->launch->lanes;
    if (!counters_of[SHARED][c->kernel->inst[c->kernel->mem_inst[slot]].access].amount) {
        add(c, slot, SHARED, 0);
        return;
    }
    bank_memo *memo = &c->part->memo[slot];
    uint64_t first = addr[__builtin_ctzll(mask)];
    uint32_t distance[SL_MAX_LANES], differ = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        distance[i] = mask >> i & 1 ? (uint32_t)(addr[i] - first) : 0;
        differ |= distance[i] ^ memo->distance[i];
    }
    /* whole banks: else it matters where in its bank the first lane starts */
    if (differ || mask != memo->mask || first % 4) {
        sl_access a;
        list_access(&a, slot, mask, addr, lanes);
        memo->passes = sl_bank_passes(&a, lanes, width);
        memcpy(memo->distance, distance, lanes * sizeof *distance);
        memo->mask = first % 4 ? 0 : mask;
    }
    add(c, slot, SHARED, memo->passes);
}

/* A sector has the same word of some neighbouring lanes: of these, different words are counted. */
ALWAYS uint32_t local_sectors(const sl_launch_counter *c, uint64_t mask, const uint64_t *addr, uint32_t width)
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
    uint32_t lanes = c->launch->lanes;
    for (uint64_t left = mask; left; left &= left - 1)
        differ |= addr[__builtin_ctzll(left)] ^ first;
    if (!differ) { /* each word is one row of lanes * 4 bytes */
        sl_access a = {.mask = mask, .affine = true, .stride = 4, .row_lanes = lanes};
        add(c, slot, LOCAL, (first % 4 + width + 3) / 4 * sl_coalesce_count(&a, lanes, 4, c->log2_sector));
        return;
    }
    add(c, slot, LOCAL, local_sectors(c, mask, addr, width));
}

ALWAYS void access_generic(sl_launch_counter *c, uint32_t slot, uint64_t mask, const uint64_t *addr, uint32_t width)
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

ALWAYS void access_lanes(sl_launch_counter *c, uint32_t slot, uint64_t mask, const uint64_t *addr)
{
    const sl_inst *inst = &c->kernel->inst[c->kernel->mem_inst[slot]];
    uint32_t width = inst->width ? inst->width : 1;
    if (!mask || inst->access == SL_ACCESS_PREFETCH)
        return;
    switch (inst->space) {
    case SL_MEM_GLOBAL:
        access_global(c, slot, mask, addr, width);
        break;
    case SL_MEM_GENERIC:
        access_generic(c, slot, mask, addr, width);
        break;
    case SL_MEM_SHARED:
        access_shared(c, slot, mask, addr, width);
        break;
    case SL_MEM_LOCAL:
        access_local(c, slot, mask, addr, width);
        break;
    case SL_MEM_TEXTURE:
        add(c, slot, TEXTURE, 0);
        break;
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,popcnt"))) static void access_avx2(sl_launch_counter *c, uint32_t slot, uint64_t mask,
                                                                   const uint64_t *addr)
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

sl_status sl_launch_counter_take(sl_launch_counter *whole, sl_launch_counter *part, uint64_t warp_insts,
                                 uint64_t thread_insts, bool block_ends, sl_error *error)
{
    part_state *p = part->part;
    whole->warp_insts += warp_insts;
    whole->thread_insts += thread_insts;
    whole->blocks += block_ends;
    for (uint32_t i = 0; i < p->touched; i++) {
        tally *from = &part->tallies[p->touch[i] / SPACES][p->touch[i] % SPACES];
        tally *to = &whole->tallies[p->touch[i] / SPACES][p->touch[i] % SPACES];
        to->requests += from->requests;
        to->amount += from->amount;
        to->bytes += from->bytes;
        *from = (tally){0};
    }
    p->touched = 0;
    for (uint32_t i = 0; i < p->used_count; i++) {
        sector_word *w = &p->recent[p->used[i]];
        p->failed |= !sl_sparse_set_add_word(&whole->accessed[w->group], w->word, w->bits);
        w->bits = 0;
    }
    p->used_count = 0;
    for (size_t i = 0; i < p->older.count; i++) {
        const sector_word *w = &p->older.items[i];
        p->failed |= !sl_sparse_set_add_word(&whole->accessed[w->group], w->word, w->bits);
    }
    p->older.count = 0;
    return p->failed ? sl_fail_memory(error) : SL_OK;
}

size_t sl_launch_counter_bytes(const sl_launch_counter *part)
{
    return part->part->older.count * sizeof *part->part->older.items;
}

/* ---- results ---- */

sl_status sl_launch_counter_merge(sl_launch_counter *into, const sl_launch_counter *from, sl_error *error)
{
    into->warp_insts += from->warp_insts;
    into->thread_insts += from->thread_insts;
    into->blocks += from->blocks;
    for (uint32_t s = 0; s < into->kernel->mem_slots; s++)
        for (int space = 0; space < SPACES; space++) {
            into->tallies[s][space].requests += from->tallies[s][space].requests;
            into->tallies[s][space].amount += from->tallies[s][space].amount;
            into->tallies[s][space].bytes += from->tallies[s][space].bytes;
        }
    for (uint32_t g = 0; g < into->groups; g++)
        if (!sl_sparse_set_merge(&into->accessed[g], &from->accessed[g]))
            return sl_fail_memory(error);
    return SL_OK;
}

/* Adds to the counters that an access of this kind in this space has, which are known from then on. */
static void add_tally(const sl_launch_counter *c, sl_counts *counts, tally t, int space, unsigned access)
{
    if (space == SHARED && c->no_shared)
        return;
    unsigned requests = counters_of[space][access].requests, amount = counters_of[space][access].amount;
    unsigned bytes = counters_of[space][access].bytes;
    if (requests)
        sl_counts_add(counts, (sl_counter)(requests - 1), t.requests);
    if (amount)
        sl_counts_add(counts, (sl_counter)(amount - 1), t.amount);
    if (bytes)
        sl_counts_add(counts, (sl_counter)(bytes - 1), t.bytes);
}

/* The space that an instruction's counters belong to even when it never ran. */
static int declared_space(const sl_inst *inst)
{
    switch (inst->space) {
    case SL_MEM_SHARED:
        return SHARED;
    case SL_MEM_LOCAL:
        return LOCAL;
    case SL_MEM_TEXTURE:
        return TEXTURE;
    case SL_MEM_GLOBAL:
    case SL_MEM_GENERIC:
        return GLOBAL;
    }
    return SPACES;
}

static void fill_slot(const sl_launch_counter *c, uint32_t slot, sl_counts *counts)
{
    const sl_inst *inst = &c->kernel->inst[c->kernel->mem_inst[slot]];
    if (inst->access >= ACCESSES)
        return;
    for (int space = 0; space < SPACES; space++) {
        tally t = c->tallies[slot][space];
        if (inst->access == SL_ACCESS_MATRIX) /* bytes; matrices lie so that no bank is asked twice */
            t.amount = (t.amount + 127) / 128;
        if (t.requests || space == declared_space(inst))
            add_tally(c, counts, t, space, inst->access);
    }
}

void sl_launch_counter_allocations(sl_launch_counter *c, const sl_trace_range *range, size_t ranges)
{
    c->range = range;
    c->ranges = ranges;
}

/* Of an array, by its first sector. */
static void name_allocation(const sl_launch_counter *c, const sl_sparse_set *accessed, sl_array_footprint *array)
{
    uint64_t first = sl_sparse_set_first(accessed) << c->log2_sector, last = first + (1u << c->log2_sector) - 1;
    array->allocation = "";
    for (size_t i = 0; i < c->ranges; i++) {
        const sl_trace_range *range = &c->range[i];
        if (range->label && range->base <= last && first < range->base + range->bytes) {
            array->allocation = range->label;
            array->allocation_bytes = range->bytes;
        }
    }
}

static sl_status fill_footprint(sl_launch_counter *c, sl_launch_counts *counts, sl_error *error)
{
    sl_sparse_set all = {0};
    free(c->arrays);
    c->arrays = calloc(c->groups ? c->groups : 1, sizeof *c->arrays);
    if (!c->arrays)
        return sl_fail_memory(error);
    for (uint32_t slot = c->kernel->mem_slots; slot-- > 0;)
        c->arrays[c->group[slot]].name = c->kernel->strings + c->kernel->inst[c->kernel->mem_inst[slot]].array;
    size_t used = 0;
    bool fits = true;
    for (uint32_t g = 0; g < c->groups && fits; g++) {
        uint64_t bytes = sl_sparse_set_count(&c->accessed[g]) << c->log2_sector;
        fits = sl_sparse_set_merge(&all, &c->accessed[g]);
        if (bytes) {
            sl_array_footprint array = {.name = c->arrays[g].name, .bytes = bytes};
            name_allocation(c, &c->accessed[g], &array);
            c->arrays[used++] = array;
        }
    }
    sl_counts_add(&counts->total, SL_COUNTER_footprint_bytes, sl_sparse_set_count(&all) << c->log2_sector);
    sl_sparse_set_fini(&all);
    counts->arrays = used;
    counts->array = c->arrays;
    return fits ? SL_OK : sl_fail_memory(error);
}

sl_status sl_launch_counter_result(sl_launch_counter *c, sl_launch_counts *counts, sl_error *error)
{
    const sl_trace_kernel *k = c->kernel;
    *counts = (sl_launch_counts){.slots = k->mem_slots, .blocks = c->blocks};
    free(c->slot_counts);
    c->slot_counts = calloc(k->mem_slots ? k->mem_slots : 1, sizeof *c->slot_counts);
    if (!c->slot_counts)
        return sl_fail_memory(error);
    counts->slot = c->slot_counts;
    for (int space = 0; space < SPACES; space++) /* what did not occur is known to be none */
        for (unsigned access = 0; access < ACCESSES; access++)
            add_tally(c, &counts->total, (tally){0}, space, access);
    for (uint32_t s = 0; s < k->mem_slots; s++) {
        fill_slot(c, s, &c->slot_counts[s]);
        sl_counts_merge(&counts->total, &c->slot_counts[s]);
    }
    sl_counts_add(&counts->total, SL_COUNTER_warp_insts, c->warp_insts);
    sl_counts_add(&counts->total, SL_COUNTER_thread_insts, c->thread_insts);
    return c->footprint ? fill_footprint(c, counts, error) : SL_OK;
}
