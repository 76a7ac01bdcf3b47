/* SPDX-License-Identifier: MIT */
#include "trace/what_if_look.h"

#include <stdlib.h>
#include <string.h>

#include "trace/access_shapes.h"
#include "trace/sparse_set.h"

enum { ROWS = 512, MAX_ROWS = 1 << 18, ATOMIC_BLOCKS = 4, LOG2_LINE = 7, LOG2_SECTOR = 5 };

/* ---- reading accesses ---- */

typedef struct reading {
    sl_access_rows rows;
    uint32_t lanes;
    sl_sparse_set seen; /* lines, or sectors of a block */
    uint64_t words;     /* that lanes access */
    uint64_t block;     /* of `seen`, where it is of one */
    uint64_t updates;   /* by atomics, of which */
    uint64_t first;     /* were the first of a sector in their block */
} reading;

/* Words of the request, lanes on one counted once, and the lines that they are in. */
static bool add_gather(reading *r, size_t row, const uint64_t *addr)
{
    uint32_t count = (uint32_t)__builtin_popcountll(r->rows.mask[row]);
    bool fits = true;
    for (uint32_t i = 0, j; i < count && fits; i++) {
        for (j = 0; j < i && addr[j] != addr[i];)
            j++;
        r->words += j == i;
        fits = j < i || sl_sparse_set_add(&r->seen, addr[i] >> LOG2_LINE, addr[i] >> LOG2_LINE);
    }
    return fits;
}

static void end_block(reading *r)
{
    r->first += sl_sparse_set_count(&r->seen);
    sl_sparse_set_fini(&r->seen);
    r->seen = (sl_sparse_set){0};
}

static bool add_update(reading *r, size_t row, const uint64_t *addr)
{
    uint32_t count = (uint32_t)__builtin_popcountll(r->rows.mask[row]);
    bool fits = true;
    if (r->rows.block[row] != r->block)
        end_block(r);
    r->block = r->rows.block[row];
    for (uint32_t i = 0; i < count && fits; i++)
        fits = sl_sparse_set_add(&r->seen, addr[i] >> LOG2_SECTOR, addr[i] >> LOG2_SECTOR);
    r->updates += count;
    return fits;
}

/* Accesses of one memory instruction in blocks of a launch; what the trace has lost is left out. */
static sl_status read_slot(const sl_trace *trace, uint32_t launch, uint64_t blocks, uint32_t slot,
                           bool add(reading *, size_t, const uint64_t *), reading *r, sl_error *error)
{
    sl_access_reader *reader = NULL;
    sl_status status = sl_access_reader_create(trace, launch, 0, blocks, &slot, 1, &reader, error);
    for (size_t all = 0; !status && all < MAX_ROWS; all += r->rows.count) {
        status = sl_access_reader_next(reader, &r->rows, error);
        const uint64_t *addr = r->rows.addr;
        for (size_t i = 0; i < r->rows.count; i++) {
            if (!add(r, i, addr)) {
                sl_access_reader_destroy(reader);
                return sl_fail_memory(error);
            }
            addr += __builtin_popcountll(r->rows.mask[i]);
        }
        if (status == SL_CORRUPT)
            status = SL_OK;
        else if (r->rows.count < r->rows.capacity)
            break;
    }
    sl_access_reader_destroy(reader);
    return status == SL_NO_MEMORY ? status : SL_OK;
}

static sl_status reading_init(reading *r, uint32_t lanes, sl_error *error)
{
    *r = (reading){.lanes = lanes, .block = UINT64_MAX, .rows = {.capacity = ROWS}};
    r->rows.block = calloc(ROWS, sizeof *r->rows.block);
    r->rows.mask = calloc(ROWS, sizeof *r->rows.mask);
    r->rows.addr = calloc((size_t)ROWS * lanes, sizeof *r->rows.addr);
    return r->rows.block && r->rows.mask && r->rows.addr ? SL_OK : sl_fail_memory(error);
}

static void reading_fini(reading *r)
{
    free(r->rows.block);
    free(r->rows.mask);
    free(r->rows.addr);
    sl_sparse_set_fini(&r->seen);
}

/* ---- what it says ---- */

/* A kernel, its launch with most blocks, and how its lanes lie to each other there. */
typedef struct looked {
    const sl_trace *trace;
    const sl_trace_kernel *kernel;
    uint32_t launch;
    uint64_t blocks;
    const sl_access_shape_sums *shape; /* [mem_slots] */
} looked;

static const sl_inst *inst_of(const looked *l, uint32_t slot)
{
    return &l->kernel->inst[l->kernel->mem_inst[slot]];
}

/* Sorted, a gather's words are as far apart as the lines that it accesses in all have room for them: what is accessed
 * once cannot become fewer sectors. */
static sl_status look_at_gather(const looked *l, uint32_t slot, sl_what_if_slot *s, sl_error *error)
{
    reading r;
    uint32_t width = inst_of(l, slot)->width;
    sl_status status = reading_init(&r, sl_trace_launch_at(l->trace, l->launch)->lanes, error);
    if (!status)
        status = read_slot(l->trace, l->launch, l->blocks, slot, add_gather, &r, error);
    if (!status && r.words && width) {
        uint64_t room = (sl_sparse_set_count(&r.seen) << LOG2_LINE) / r.words / width * width;
        s->measure.spacing = (uint32_t)(room < 1 << LOG2_LINE ? room : 1 << LOG2_LINE);
    }
    reading_fini(&r);
    return status;
}

/* Where each warp of a block updates a sector again and again, one of them can do it once. Elsewhere as many updates
 * are left as blocks have sectors. */
static sl_status look_at_atomic(const looked *l, uint32_t slot, sl_what_if_slot *s, sl_error *error)
{
    reading r;
    const sl_trace_launch *launch = sl_trace_launch_at(l->trace, l->launch);
    uint64_t blocks = l->blocks < ATOMIC_BLOCKS ? l->blocks : ATOMIC_BLOCKS;
    sl_status status = reading_init(&r, launch->lanes, error);
    if (!status)
        status = read_slot(l->trace, l->launch, blocks, slot, add_update, &r, error);
    end_block(&r);
    if (!status && r.updates && r.updates < r.first * 2 * sl_launch_warps(launch))
        s->measure.kept = (uint32_t)((r.first << SL_KEPT_LOG2) / r.updates);
    reading_fini(&r);
    return status;
}

/* Instructions of one line on one array take turns: loads of an unrolled loop. */
static uint32_t copies_of(const looked *l, uint32_t slot)
{
    const sl_inst *one = inst_of(l, slot);
    uint32_t copies = 0;
    for (uint32_t s = 0; s < l->kernel->mem_slots; s++) {
        const sl_inst *i = inst_of(l, s);
        copies += i->source_line == one->source_line && i->array == one->array && i->access == one->access &&
                  i->width == one->width && (i->source_line || s == slot);
    }
    return copies;
}

/* Whether its lanes read or write rows of their own, of as many elements as a warp has lanes. */
static bool shares_rows(const looked *l, uint32_t slot)
{
    uint32_t lanes = sl_trace_launch_at(l->trace, l->launch)->lanes;
    return sl_access_walk_length(&l->shape[slot], inst_of(l, slot)->width, copies_of(l, slot)) >= lanes;
}

static bool changes_together(const looked *l, uint32_t changed, uint32_t other)
{
    const sl_inst *a = inst_of(l, changed), *b = inst_of(l, other);
    const sl_access_shape_sums *sa = &l->shape[changed], *sb = &l->shape[other];
    if (shares_rows(l, changed) && shares_rows(l, other))
        return true;
    if (!sl_access_is_strided(sa, a->width) || !sl_access_is_strided(sb, b->width) || sa->stride != sb->stride)
        return false;
    const char *strings = l->kernel->strings;
    bool same = a->array && b->array && !strcmp(strings + a->array, strings + b->array);
    return same || llabs(sa->stride) > SL_MAX_ELEMENT_BYTES;
}

/* Elements of structures that are stored, too, and accesses by the same order of indices, or to rows. */
static void add_partners(const looked *l, sl_what_if_slot *slot)
{
    for (uint32_t s = 0; s < l->kernel->mem_slots; s++) {
        const sl_inst *i = inst_of(l, s);
        bool plain = (i->access == SL_ACCESS_LOAD || i->access == SL_ACCESS_STORE) &&
                     (i->space == SL_MEM_GLOBAL || i->space == SL_MEM_GENERIC);
        for (uint32_t c = 0; c < l->kernel->mem_slots && plain && !slot[s].changed; c++)
            slot[s].partner |= slot[c].changed && changes_together(l, c, s);
    }
    for (uint32_t s = 0; s < l->kernel->mem_slots; s++)
        slot[s].changed |= slot[s].partner;
}

static sl_status look_at_lanes(const looked *l, sl_what_if_slot *slot, bool all, bool *rows, sl_error *error)
{
    uint64_t walking = 0, apart = 0;
    sl_status status = SL_OK;
    for (uint32_t s = 0; s < l->kernel->mem_slots && !status; s++) {
        const sl_access_shape_sums *sums = &l->shape[s];
        uint32_t width = inst_of(l, s)->width;
        bool gather = sums->gathers * 2 > sums->requests;
        if (!slot[s].changed || (!gather && !sl_access_is_strided(sums, width)))
            continue;
        apart += sums->requests;
        walking += shares_rows(l, s) ? sums->requests : 0;
        if (gather && sl_access_walk_length(sums, width, copies_of(l, s)) <= 0)
            status = look_at_gather(l, s, &slot[s], error);
    }
    *rows = walking * 2 > apart;
    if (!status && all)
        add_partners(l, slot);
    return status;
}

/* Its launch with most blocks; false: it has none. */
static bool largest_launch(const sl_trace *trace, uint32_t kernel, uint32_t *launch, uint64_t *blocks)
{
    *blocks = 0;
    for (uint32_t n = 0; n < sl_trace_launches(trace); n++) {
        const sl_trace_launch *l = sl_trace_launch_at(trace, n);
        uint64_t has = l->kernel == kernel ? (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] : 0;
        if (has > *blocks) {
            *launch = n;
            *blocks = has;
        }
    }
    return *blocks;
}

sl_status sl_what_if_look(const sl_trace *trace, uint32_t number, const sl_what_if *what_if, sl_what_if_slot *slot,
                          bool *rows, sl_error *error)
{
    looked l = {.trace = trace, .kernel = trace->kernels.items[number]};
    bool atomics = what_if->id == SL_WHAT_IF_HOT_ATOMICS;
    bool lanes = what_if->id == SL_WHAT_IF_UNCOALESCED_LOADS || what_if->id == SL_WHAT_IF_STRIDED_STORES;
    *rows = false;
    if ((!lanes && !atomics) || !largest_launch(trace, number, &l.launch, &l.blocks))
        return SL_OK;
    sl_status status = SL_OK;
    for (uint32_t s = 0; s < l.kernel->mem_slots && atomics && !status; s++)
        if (slot[s].changed)
            status = look_at_atomic(&l, s, &slot[s], error);
    if (atomics)
        return status;
    sl_access_shape_sums *shape = calloc(l.kernel->mem_slots + 1u, sizeof *shape);
    if (!shape)
        return sl_fail_memory(error);
    l.shape = shape;
    status = sl_access_shapes_read(trace, l.launch, shape, error);
    if (!status)
        status = look_at_lanes(&l, slot, !what_if->line, rows, error);
    free(shape);
    return status;
}
