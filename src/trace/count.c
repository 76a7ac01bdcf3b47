/* SPDX-License-Identifier: MIT */
/* Counting what a launch executed and accessed. Warp instructions are those of the trace's listing (PTX, or SASS for
 * imported traces); a request is a warp instruction with at least one active lane, per memory space that its lanes
 * reach. */
#include <stdlib.h>

#include "access/coalesce.h"
#include "access/lanes.h"
#include "trace/count_state.h"

enum { ACCESSES = SL_MEM_ACCESSES };

#define C(name) (SL_COUNTER_##name + 1)
/* Which counters an access adds to, plus one; 0: none. */
static const struct {
    uint8_t requests, amount, bytes;
} counters_of[SL_IN_SPACES][ACCESSES] = {
    [SL_IN_GLOBAL][SL_ACCESS_LOAD] = {C(ld_requests), C(ld_sectors), C(ld_bytes)},
    [SL_IN_GLOBAL][SL_ACCESS_STORE] = {C(st_requests), C(st_sectors), C(st_bytes)},
    [SL_IN_GLOBAL][SL_ACCESS_ATOMIC] = {C(atom_requests), C(atom_sectors), 0},
    [SL_IN_GLOBAL][SL_ACCESS_REDUCTION] = {C(red_requests), C(red_sectors), 0},
    [SL_IN_GLOBAL][SL_ACCESS_ASYNC_COPY] = {C(async_requests), C(async_sectors), C(async_bytes)},
    [SL_IN_GLOBAL][SL_ACCESS_BULK_LOAD] = {C(bulk_ld_requests), C(bulk_ld_sectors), 0},
    [SL_IN_GLOBAL][SL_ACCESS_BULK_STORE] = {C(bulk_st_requests), C(bulk_st_sectors), 0},
    [SL_IN_GLOBAL][SL_ACCESS_BULK_REDUCTION] = {C(bulk_red_requests), C(bulk_red_sectors), 0},
    [SL_IN_SHARED][SL_ACCESS_MATRIX] = {C(matrix_requests), C(matrix_wavefronts), 0},
    [SL_IN_LOCAL][SL_ACCESS_LOAD] = {C(local_ld_requests), C(local_ld_sectors), 0},
    [SL_IN_LOCAL][SL_ACCESS_STORE] = {C(local_st_requests), C(local_st_sectors), 0},
    [SL_IN_SHARED][SL_ACCESS_LOAD] = {C(shared_ld_requests), C(shared_ld_wavefronts), 0},
    [SL_IN_SHARED][SL_ACCESS_STORE] = {C(shared_st_requests), C(shared_st_wavefronts), 0},
    [SL_IN_SHARED][SL_ACCESS_ATOMIC] = {C(shared_atom_requests), 0, 0},
    [SL_IN_SHARED][SL_ACCESS_REDUCTION] = {C(shared_atom_requests), 0, 0},
    [SL_IN_TEXTURE][SL_ACCESS_LOAD] = {C(tex_requests), 0, 0},
};
#undef C

/* ---- life ---- */

/* Base arrays of the kernel are numbered in order of first use. */
static void know_slots(sl_launch_counter *c, sl_slot_facts *slot)
{
    const sl_trace_kernel *k = c->kernel;
    for (uint32_t s = 0; s < k->mem_slots; s++) {
        const sl_inst *inst = &k->inst[k->mem_inst[s]];
        uint32_t before = 0;
        while (before < s && k->inst[k->mem_inst[before]].array != inst->array)
            before++;
        slot[s] = (sl_slot_facts){.group = before < s ? slot[before].group : c->groups++,
                                  .width = inst->width ? inst->width : 1,
                                  .space = inst->space,
                                  .access = inst->access};
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
    sl_slot_facts *slot = calloc(slots, sizeof *slot);
    c->slot = slot;
    c->predictor = malloc(slots * sizeof *c->predictor);
    c->tallies = calloc(slots, sizeof *c->tallies);
    c->accessed = calloc(slots, sizeof *c->accessed);
    if (!c->predictor || !c->tallies || !c->slot || !c->accessed) {
        sl_launch_counter_destroy(c);
        return sl_fail_memory(error);
    }
    know_slots(c, slot);
    *counter = c;
    return SL_OK;
}

void sl_launch_counter_destroy(sl_launch_counter *c)
{
    if (!c)
        return;
    for (uint32_t g = 0; g < c->groups; g++)
        sl_sparse_set_fini(&c->accessed[g]);
    if (c->part) {
        free(c->part->tallied);
        free(c->part->memo);
        free(c->part->last);
        free(c->part->far);
        free(c->part->sectors);
        sl_array_free(&c->part->older);
        free(c->part);
    } else {
        free((void *)(uintptr_t)c->slot);
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
    sl_tally *t = &c->tallies[a->slot][SL_IN_GLOBAL];
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
            if (!sl_sparse_set_add(&c->accessed[c->slot[a->slot].group], spans[i].first, spans[i].last))
                return false;
    return true;
}

/* Rows: every piece counts the sectors it accesses, once for each block that receives it. */
static bool count_rows(sl_launch_counter *c, const sl_access *access)
{
    sl_access a = *access;
    bool shared = c->kernel->inst[a.inst].space == SL_MEM_SHARED, fits = true;
    sl_tally *t = &c->tallies[a.slot][shared ? SL_IN_SHARED : SL_IN_GLOBAL];
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
            fits = !c->footprint || sl_sparse_set_add(&c->accessed[c->slot[a.slot].group], first, last);
        }
    } while (fits && sl_access_more(&a));
    if (shared)
        t->amount += bytes;
    return fits;
}

/* Words of neighboring lanes are adjacent: when all lanes use the same offset, each of its words is one row of
 * lanes * 4 bytes. */
static void count_local(sl_launch_counter *c, const sl_access *a, uint32_t width)
{
    sl_tally *t = &c->tallies[a->slot][SL_IN_LOCAL];
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
    sl_tally *t = &c->tallies[a->slot][SL_IN_SHARED];
    t->requests++;
    if (!counters_of[SL_IN_SHARED][c->kernel->inst[a->inst].access].amount)
        return; /* atomics: nobody asks for their passes */
    uint32_t lanes = c->launch->lanes;
    bool line = a->affine && a->row_lanes >= lanes;
    if (line && width == 4 && lanes == 32 && a->base % 4 == 0 && (a->stride == 0 || a->stride == 4))
        t->amount++; /* one word for all, or neighboring words: no bank is asked twice */
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
        c->tallies[a->slot][SL_IN_TEXTURE].requests++;
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

/* ---- results ---- */

sl_status sl_launch_counter_merge(sl_launch_counter *into, const sl_launch_counter *from, sl_error *error)
{
    into->warp_insts += from->warp_insts;
    into->thread_insts += from->thread_insts;
    into->blocks += from->blocks;
    for (uint32_t s = 0; s < into->kernel->mem_slots; s++)
        for (int space = 0; space < SL_IN_SPACES; space++) {
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
static void add_tally(const sl_launch_counter *c, sl_counts *counts, sl_tally t, int space, unsigned access)
{
    if (space == SL_IN_SHARED && c->no_shared)
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
        return SL_IN_SHARED;
    case SL_MEM_LOCAL:
        return SL_IN_LOCAL;
    case SL_MEM_TEXTURE:
        return SL_IN_TEXTURE;
    case SL_MEM_GLOBAL:
    case SL_MEM_GENERIC:
        return SL_IN_GLOBAL;
    }
    return SL_IN_SPACES;
}

static void fill_slot(const sl_launch_counter *c, uint32_t slot, sl_counts *counts)
{
    const sl_inst *inst = &c->kernel->inst[c->kernel->mem_inst[slot]];
    if (inst->access >= ACCESSES)
        return;
    for (int space = 0; space < SL_IN_SPACES; space++) {
        sl_tally t = c->tallies[slot][space];
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
        c->arrays[c->slot[slot].group].name = c->kernel->strings + c->kernel->inst[c->kernel->mem_inst[slot]].array;
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
    for (int space = 0; space < SL_IN_SPACES; space++) /* what did not occur is known to be none */
        for (unsigned access = 0; access < ACCESSES; access++)
            add_tally(c, &counts->total, (sl_tally){0}, space, access);
    for (uint32_t s = 0; s < k->mem_slots; s++) {
        fill_slot(c, s, &c->slot_counts[s]);
        sl_counts_merge(&counts->total, &c->slot_counts[s]);
    }
    sl_counts_add(&counts->total, SL_COUNTER_warp_insts, c->warp_insts);
    sl_counts_add(&counts->total, SL_COUNTER_thread_insts, c->thread_insts);
    return c->footprint ? fill_footprint(c, counts, error) : SL_OK;
}
