/* SPDX-License-Identifier: MIT */
#include "profile/accesses.h"

#include <stdlib.h>

#include "access/coalesce.h"
#include "access/lanes.h"
#include "base/array.h"

#define NO_TIME UINT64_MAX

/* A line, from its first access on. */
typedef struct line {
    uint64_t last; /* time of its last access */
    uint32_t accesses;
    uint32_t first_slot, fill_slot; /* who accessed it first; who filled it last */
    bool hit;                       /* since then */
} line;

typedef struct core {
    const sl_trace_launch *launch;
    const sl_trace_kernel *kernel;
    const sl_profile_options *options;
    unsigned log2_sector, log2_line;
    uint64_t cache_lines;
    uint64_t local_base;       /* address of the core's local memory, above all global addresses */
    uint64_t local_warp_bytes; /* of a warp */
    sl_reuse *line_stack, *sector_stack;
    SL_ARRAY(line) lines; /* by the id of line_stack */
    uint64_t *piece;      /* scratch: sectors of one access */
    uint32_t capacity;
    sl_core_accesses *result;
} core;

/* ---- accesses ---- */

static bool access_line(core *c, uint32_t slot, uint64_t number)
{
    sl_profile_counts *counts = &c->result->slot[slot];
    uint64_t now = c->result->footprint.accesses;
    uint32_t id;
    uint64_t distance = sl_reuse_access_id(c->line_stack, number, &id);
    if (id == c->lines.count && !sl_array_push(&c->lines, ((line){.last = NO_TIME, .first_slot = slot})))
        return false;
    line *l = &c->lines.items[id];
    counts->line_accesses++;
    sl_distances_add(&counts->line_distance, distance);
    sl_distances_add(&counts->line_gap, l->last == NO_TIME ? SL_REUSE_NEVER : now - l->last - 1);
    sl_footprint_access(&c->result->footprint, l->last);
    if (distance >= c->cache_lines) {
        counts->fills++;
        if (l->accesses && !l->hit)
            c->result->slot[l->fill_slot].evicted_before_reuse++;
        l->fill_slot = slot;
    }
    l->hit = distance < c->cache_lines;
    l->last = now;
    l->accesses += l->accesses < UINT32_MAX;
    return sl_sparse_set_add(&c->result->lines, number, number);
}

/* The sectors of one access, ascending; more: of the same request as those before. */
static bool access_sectors(core *c, uint32_t slot, uint32_t count, bool more)
{
    sl_profile_counts *counts = &c->result->slot[slot];
    unsigned shift = c->log2_line - c->log2_sector;
    bool fits = true;
    counts->requests += !more;
    counts->sector_accesses += count;
    for (uint32_t i = 0; i < count && fits; i++) {
        sl_distances_add(&counts->sector_distance, sl_reuse_access(c->sector_stack, c->piece[i]));
        if (!i || c->piece[i] >> shift != c->piece[i - 1] >> shift)
            fits = access_line(c, slot, c->piece[i] >> shift);
    }
    return fits && !sl_reuse_failed(c->line_stack) && !sl_reuse_failed(c->sector_stack);
}

/* ---- accesses ---- */

static bool aligned(const sl_access *a, uint32_t width)
{
    uint64_t any = 0;
    if (a->affine)
        return !((a->base | (uint64_t)a->stride | (uint64_t)a->row) & (width - 1));
    for (uint64_t left = a->mask; left; left &= left - 1)
        any |= a->addr[__builtin_ctzll(left)];
    return !(any & (width - 1));
}

/* Distinct bytes that the lanes access. Aligned words are counted whole, which is faster. */
static uint64_t used_bytes(const core *c, const sl_access *a, uint32_t width)
{
    if (!(width & (width - 1)) && aligned(a, width))
        return (uint64_t)sl_coalesce_count(a, c->launch->lanes, width, (unsigned)__builtin_ctz(width)) * width;
    return sl_coalesce_count(a, c->launch->lanes, width, 0);
}

static bool access_global(core *c, const sl_access *a, uint32_t width)
{
    sl_profile_counts *counts = &c->result->slot[a->slot];
    counts->requested_bytes += (uint64_t)__builtin_popcountll(a->mask) * width;
    counts->used_bytes += used_bytes(c, a, width);
    return access_sectors(c, a->slot,
                          sl_coalesce_list(a, c->launch->lanes, width, c->log2_sector, c->piece, c->capacity),
                          a->bulk && !a->first);
}

/* Local memory of threads that have ended is reused by the threads that follow them. */
static bool access_local(core *c, const sl_access *a, uint32_t width, sl_order_slot position)
{
    uint64_t bytes = (uint64_t)__builtin_popcountll(a->mask) * width;
    uint64_t warp = (uint64_t)position.resident * sl_launch_warps(c->launch) + position.warp;
    uint64_t base = c->local_base + warp * c->local_warp_bytes;
    c->result->slot[a->slot].requested_bytes += bytes;
    c->result->slot[a->slot].used_bytes += bytes;
    return access_sectors(c, a->slot, sl_local_sectors(a, c->launch->lanes, width, base, c->log2_sector, c->piece),
                          false);
}

static bool access_generic(core *c, const sl_access *access, uint32_t width, sl_order_slot position)
{
    sl_generic_access a;
    sl_generic_split(access, c->launch, &a);
    return (!a.global.mask || access_global(c, &a.global, width)) &&
           (!a.local.mask || access_local(c, &a.local, width, position));
}

static bool wants(void *context, const sl_inst *inst)
{
    const core *c = context;
    bool space = inst->space == SL_MEM_GLOBAL || inst->space == SL_MEM_LOCAL || inst->space == SL_MEM_GENERIC;
    if (c->options->loads_only)
        return space && (inst->access == SL_ACCESS_LOAD || inst->access == SL_ACCESS_ASYNC_COPY ||
                         inst->access == SL_ACCESS_BULK_LOAD);
    return space && inst->access != SL_ACCESS_PREFETCH && inst->access != SL_ACCESS_BULK_PREFETCH &&
           inst->access != SL_ACCESS_NONE;
}

static sl_status count_access(void *context, const sl_access *access, sl_order_slot position, sl_error *error)
{
    core *c = context;
    const sl_inst *inst = &c->kernel->inst[access->inst];
    uint32_t width = inst->width ? inst->width : 1;
    bool fits = true;
    if (access->bulk) {
        sl_access a = *access;
        do
            fits = access_global(c, &a, a.width);
        while (fits && sl_access_more(&a));
    } else if (inst->space == SL_MEM_LOCAL)
        fits = access_local(c, access, width, position);
    else if (inst->space == SL_MEM_GENERIC)
        fits = access_generic(c, access, width, position);
    else
        fits = access_global(c, access, width);
    return fits ? SL_OK : sl_fail_memory(error);
}

/* ---- a core's whole run ---- */

/* Lines as they are in the end: those still in the cache will not be accessed again. */
static void count_lines(core *c)
{
    for (size_t i = 0; i < c->lines.count; i++) {
        const line *l = &c->lines.items[i];
        sl_profile_counts *counts = &c->result->slot[l->first_slot];
        counts->lines++;
        counts->line_reuses[sl_reuse_bin(l->accesses - 1)]++;
        if (!l->hit && l->accesses > 1)
            c->result->slot[l->fill_slot].evicted_before_reuse++;
    }
}

static bool init(core *c, uint32_t number)
{
    const sl_trace_kernel *k = c->kernel;
    uint32_t lanes = c->launch->lanes, widest = 1;
    for (uint32_t s = 0; s < k->mem_slots; s++) {
        const sl_inst *inst = &k->inst[k->mem_inst[s]];
        uint32_t width = inst->access >= SL_ACCESS_BULK_LOAD ? 128 : inst->width; /* pieces of rows */
        widest = width > widest ? width : widest;
    }
    c->log2_sector = (unsigned)__builtin_ctz(c->options->sector_bytes);
    c->log2_line = (unsigned)__builtin_ctz(c->options->line_bytes);
    c->cache_lines = c->options->cache_bytes >> c->log2_line;
    /* Rows of words, in whole lines. A generic or imported access may lie beyond what the kernel declares. */
    c->local_warp_bytes = (UINT64_C(1) << 32) * lanes;
    c->local_base = (UINT64_C(1) << 63) + ((uint64_t)number << 52);
    c->capacity = lanes * (((widest - 1) >> c->log2_sector) + 2);
    if (c->capacity < SL_LOCAL_SECTORS)
        c->capacity = SL_LOCAL_SECTORS;
    c->piece = malloc(c->capacity * sizeof *c->piece);
    c->line_stack = sl_reuse_create();
    c->sector_stack = sl_reuse_create();
    c->result->slot = calloc(k->mem_slots ? k->mem_slots : 1, sizeof *c->result->slot);
    return sl_footprint_init(&c->result->footprint, c->options->windows) && c->piece && c->line_stack &&
           c->sector_stack && c->result->slot;
}

sl_status sl_core_accesses_run(const sl_loaded *loaded, const sl_walk_plan *plan, const sl_cta_lists *lists,
                               const sl_profile_options *options, uint32_t number, sl_core_accesses *result,
                               sl_error *error)
{
    *result = (sl_core_accesses){0};
    core c = {
        .launch = sl_loaded_launch(loaded), .kernel = sl_loaded_kernel(loaded), .options = options, .result = result};
    sl_order_observer observer = {.context = &c, .wants = wants, .access = count_access};
    sl_order_blocks blocks = {&lists->block[lists->first[number]], lists->first[number + 1] - lists->first[number],
                              options->blocks_per_core};
    sl_status status = init(&c, number) ? SL_OK : sl_fail_memory(error);
    if (!status)
        status = sl_order_run(loaded, plan, blocks, &observer, error);
    if (!status)
        count_lines(&c);
    free(c.piece);
    sl_array_free(&c.lines);
    sl_reuse_destroy(c.line_stack);
    sl_reuse_destroy(c.sector_stack);
    if (status)
        sl_core_accesses_fini(result);
    return status;
}

void sl_core_accesses_fini(sl_core_accesses *result)
{
    free(result->slot);
    sl_footprint_fini(&result->footprint);
    sl_sparse_set_fini(&result->lines);
    *result = (sl_core_accesses){0};
}
