/* SPDX-License-Identifier: MIT */
#include "trace/what_if.h"
#include "trace/inlined.h"

#include <stdlib.h>

#include "access/coalesce.h"
#include "access/request.h"
#include "base/hash.h"
#include "base/suggest.h"
#include "trace/file.h"
#include "trace/what_if_look.h"

enum { SECTOR = 32, LOG2_SECTOR = 5 };

const sl_what_if_info sl_what_if_infos[SL_WHAT_IFS] = {
#define SL_WHAT_IF(id, name, kind, changes, becomes, summary) {name, summary, SL_WHAT_IF_##kind},
#include "trace/what_if.def"
};

/* The instructions of each kernel that a view changes. */
struct sl_trace_view {
    sl_what_if what_if;
    sl_what_if_slot **slot; /* [kernels][mem_slots] */
    bool *rows;             /* [kernels] */
    uint8_t **steps;        /* [kernels][bbs] */
};

/* ---- which memory instructions ---- */

static bool is_global_load(const sl_inst *inst)
{
    return sl_inst_is_global_load(inst) || (inst->access == SL_ACCESS_ASYNC_COPY && inst->space == SL_MEM_GLOBAL);
}

static bool is_global_store(const sl_inst *inst)
{
    return inst->access == SL_ACCESS_STORE && (inst->space == SL_MEM_GLOBAL || inst->space == SL_MEM_GENERIC);
}

static bool is_load_or_store(const sl_inst *inst)
{
    return (is_global_load(inst) && inst->access == SL_ACCESS_LOAD) || is_global_store(inst);
}

static bool is_shared(const sl_inst *inst)
{
    return inst->space == SL_MEM_SHARED && !sl_inst_is_bulk(inst) && inst->access != SL_ACCESS_MATRIX;
}

static bool is_local(const sl_inst *inst)
{
    return inst->space == SL_MEM_LOCAL;
}

static bool is_global_atomic(const sl_inst *inst)
{
    return (inst->access == SL_ACCESS_ATOMIC || inst->access == SL_ACCESS_REDUCTION) &&
           (inst->space == SL_MEM_GLOBAL || inst->space == SL_MEM_GENERIC);
}

static bool is_free_of_barriers(const sl_inst *inst)
{
    return inst->op_class != SL_CLASS_BARRIER;
}

static bool is_any(const sl_inst *inst)
{
    (void)inst;
    return true;
}

/* ---- what becomes of an access ---- */

/* Lanes that are `stride` apart read word `column` of as many structures: the words of these structures lie one column
 * after the other instead, within the same bytes. Each byte keeps one address, so reuse stays what it was. */
static uint64_t transposed(uint64_t first, uint64_t stride, uint64_t units, uint64_t width)
{
    uint64_t column = first % stride / width;
    return first - first % stride + column * units * width;
}

static int64_t size_of(int64_t step)
{
    return step < 0 ? -step : step;
}

/* Of lanes in one row. */
static void coalesce_row(sl_access *a, uint32_t lanes, uint32_t width)
{
    uint64_t stride = (uint64_t)size_of(a->stride);
    uint64_t first = a->stride < 0 ? a->base - (lanes - 1) * stride : a->base;
    a->base = transposed(first, stride, lanes, width);
    a->stride = width;
}

/* Distinct addresses in no order become neighbors of the first lane's, or as near as words are that are accessed once.
 * Lanes that each walk along a row of their own read on behind what the access before has got instead: what the warp
 * reads in all is then as large as what its lanes ask for. state[0]: where that ended, state[1]: the first lane's
 * address in it. */
static void coalesce_gather(sl_access *a, const sl_what_if_warp *w, uint32_t width)
{
    uint64_t from[SL_MAX_LANES], to[SL_MAX_LANES];
    uint32_t count = 0, step = w->measure.spacing > width ? w->measure.spacing : width;
    sl_access_expand(a, w->lanes);
    uint64_t first = a->addr[__builtin_ctzll(a->mask)];
    bool walks = w->state[0] && first > w->state[1] && first - w->state[1] <= SECTOR;
    uint64_t next = walks ? w->state[0] : first;
    for (uint64_t left = a->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left), i = 0;
        while (i < count && from[i] != a->addr[lane])
            i++;
        if (i == count) {
            from[count] = a->addr[lane];
            to[count++] = next;
            next += step;
        }
        a->addr[lane] = to[i];
    }
    a->affine = false;
    w->state[0] = next;
    w->state[1] = first;
}

/* Requests with at most one sector more than their bytes need stay as they are: an array need not begin at a sector. */
static void make_coalesced(const sl_inst *inst, const sl_what_if_warp *w, sl_access *a)
{
    uint32_t width = inst->width ? inst->width : 4;
    uint64_t bytes = (uint64_t)__builtin_popcountll(a->mask) * width;
    if (sl_coalesce_count(a, w->lanes, width, LOG2_SECTOR) <= (bytes + SECTOR - 1) / SECTOR + 1)
        return;
    bool row = a->affine && a->row_lanes >= w->lanes && size_of(a->stride) > (int64_t)width;
    if (row)
        coalesce_row(a, w->lanes, width);
    else
        coalesce_gather(a, w, width);
}

static void make_conflict_free(const sl_inst *inst, const sl_what_if_warp *w, sl_access *a)
{
    uint32_t width = inst->width ? inst->width : 4;
    a->affine = true;
    a->base = 0;
    a->stride = width;
    a->row = 0;
    a->row_lanes = w->lanes;
    a->phase = 0;
}

static void make_absent(const sl_inst *inst, const sl_what_if_warp *w, sl_access *a)
{
    (void)inst;
    (void)w;
    a->mask = 0;
}

/* Whether an update is one of the share that is left: evenly spread over those of the warp. state[0]: their number. */
static bool is_kept(const sl_what_if_warp *w)
{
    uint32_t at = (uint32_t)(sl_hash_mix(w->seed) + w->state[0]++ * 0x9e3779b9u);
    return at >> (32 - SL_KEPT_LOG2) < w->measure.kept;
}

/* Each sector is updated by one warp of the block, for the first of its lanes that wants it: what the block has
 * combined of its words takes one pass. The warp remembers 64 sectors; sectors that share a place in what it remembers
 * count as one. */
static void make_once_per_block(const sl_inst *inst, const sl_what_if_warp *w, sl_access *a)
{
    uint64_t kept = 0;
    (void)inst;
    sl_access_expand(a, w->lanes);
    for (uint64_t left = a->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        uint64_t sector = a->addr[lane] / SECTOR, bit = UINT64_C(1) << sector / w->warps % 64;
        if (w->measure.kept ? !is_kept(w) : sector % w->warps != w->warp || *w->state & bit)
            continue;
        if (!w->measure.kept)
            *w->state |= bit;
        kept |= UINT64_C(1) << lane;
    }
    a->mask = kept;
    a->affine = false;
}

/* The addresses of the active lanes, in one number. */
static uint64_t address_hash(const sl_access *a)
{
    uint64_t hash = sl_hash_mix(a->mask);
    if (a->affine)
        return sl_hash_mix(hash ^ a->base) ^ sl_hash_mix((uint64_t)a->stride + a->phase) ^
               sl_hash_mix((uint64_t)a->row + a->row_lanes);
    for (uint64_t left = a->mask; left; left &= left - 1)
        hash = sl_hash_mix(hash ^ a->addr[__builtin_ctzll(left)]);
    return hash;
}

/* What the instruction loaded the last time is still in registers, and what it stored. state[0]: its addresses. */
static void make_new_only(const sl_inst *inst, const sl_what_if_warp *w, sl_access *a)
{
    uint64_t hash = address_hash(a) | 1;
    if (w->state[0] == hash && inst->cache_op != SL_CACHE_CV)
        a->mask = 0;
    w->state[0] = hash;
}

static void make_filled(const sl_inst *inst, const sl_what_if_warp *w, sl_access *a)
{
    (void)inst;
    (void)w;
    (void)a;
}

static void make_unchanged(const sl_inst *inst, const sl_what_if_warp *w, sl_access *a)
{
    (void)inst;
    (void)w;
    (void)a;
}

void sl_what_if_apply(sl_what_if_id id, const sl_inst *inst, const sl_what_if_warp *warp, sl_access *access)
{
    static void (*const become[SL_WHAT_IFS])(const sl_inst *, const sl_what_if_warp *, sl_access *) = {
#define SL_WHAT_IF(id, name, kind, changes, becomes, summary) make_##becomes,
#include "trace/what_if.def"
    };
    if (access->mask && !access->bulk)
        become[id](inst, warp, access);
}

/* ---- steps ---- */

/* Steps are chosen evenly by a sequence of low discrepancy, from another start in each warp and basic block. */
bool sl_what_if_executes(uint64_t seed, uint32_t bb, uint64_t number, uint32_t active, uint32_t all)
{
    uint32_t at = (uint32_t)(sl_hash_mix(seed ^ (uint64_t)bb << 40) + number * 0x9e3779b9u);
    return (uint64_t)at * all < (uint64_t)active << 32;
}

/* Lanes along a line continue it. Others access a sector behind one that an active lane accesses. */
void sl_what_if_fill(sl_access *a, uint64_t full)
{
    uint32_t lane[SL_MAX_LANES], active = 0, added = 0;
    if (!a->mask || a->bulk)
        return;
    if (a->affine) {
        a->mask = full;
        return;
    }
    for (uint64_t left = a->mask; left; left &= left - 1)
        lane[active++] = (uint32_t)__builtin_ctzll(left);
    for (uint64_t left = full & ~a->mask; left; left &= left - 1, added++)
        a->addr[__builtin_ctzll(left)] = a->addr[lane[added % active]] + (1 + added / active) * (uint64_t)SECTOR;
    a->mask = full;
}

/* ---- views ---- */

static bool is_changed(const sl_what_if *what_if, const sl_trace_kernel *kernel, const sl_inst *inst)
{
    static bool (*const changes[SL_WHAT_IFS])(const sl_inst *) = {
#define SL_WHAT_IF(id, name, kind, changes, becomes, summary) is_##changes,
#include "trace/what_if.def"
    };
    uint32_t source_line = sl_inst_own_location(inst, kernel->strings, kernel->call).source_line;
    uint32_t line = source_line ? source_line : inst->ptx_line;
    return (!what_if->line || what_if->line == line) && changes[what_if->id](inst);
}

/* The kernel with an operator that bypasses L1 at the instructions that change. */
static const sl_trace_kernel *bypassing(sl_arena *arena, const sl_trace_kernel *kernel, const sl_what_if_slot *slot)
{
    sl_trace_kernel *copy = sl_arena_new(arena, sl_trace_kernel);
    sl_inst *inst = sl_arena_array(arena, sl_inst, kernel->insts + 1u);
    if (!copy || !inst)
        return NULL;
    memcpy(inst, kernel->inst, kernel->insts * sizeof *inst);
    for (uint32_t s = 0; s < kernel->mem_slots; s++)
        if (slot[s].changed)
            inst[kernel->mem_inst[s]].cache_op = SL_CACHE_L1_NO_ALLOCATE;
    *copy = *kernel;
    copy->inst = inst;
    return copy;
}

/* Basic blocks all of whose instructions may change, of which one is at the line. */
static sl_status change_steps(sl_trace *view, const sl_trace_kernel *kernel, uint32_t number, size_t *insts,
                              sl_error *error)
{
    const sl_what_if all = {view->view->what_if.id, 0};
    uint8_t *steps = sl_arena_array(&view->arena, uint8_t, kernel->bbs + 1u);
    if (!steps)
        return sl_fail_memory(error);
    for (uint32_t b = 0; b < kernel->bbs; b++) {
        bool good = true, at_line = false;
        for (uint32_t i = kernel->bb[b].first; i < kernel->bb[b].first + kernel->bb[b].count; i++) {
            good &= is_changed(&all, kernel, &kernel->inst[i]);
            at_line |= is_changed(&view->view->what_if, kernel, &kernel->inst[i]);
        }
        steps[b] = good && at_line;
        *insts += steps[b];
    }
    view->view->steps[number] = steps;
    return SL_OK;
}

static sl_status change_kernel(sl_trace *view, const sl_trace *trace, uint32_t number, size_t *insts, sl_error *error)
{
    const sl_trace_kernel *kernel = view->kernels.items[number];
    const sl_what_if *what_if = &view->view->what_if;
    size_t found = 0;
    if (!kernel)
        return SL_OK;
    sl_what_if_slot *slot = sl_arena_array(&view->arena, sl_what_if_slot, kernel->mem_slots + 1u);
    if (!slot)
        return sl_fail_memory(error);
    if (sl_what_if_infos[what_if->id].kind == SL_WHAT_IF_STEP)
        return change_steps(view, kernel, number, insts, error);
    for (uint32_t s = 0; s < kernel->mem_slots; s++)
        found += slot[s].changed = is_changed(what_if, kernel, &kernel->inst[kernel->mem_inst[s]]);
    if (!found)
        return SL_OK;
    *insts += found;
    view->view->slot[number] = slot;
    if (what_if->id == SL_WHAT_IF_NO_REUSE)
        view->kernels.items[number] = bypassing(&view->arena, kernel, slot);
    sl_status status = sl_what_if_look(trace, number, what_if, slot, &view->view->rows[number], error);
    if (status)
        return status;
    return view->kernels.items[number] ? SL_OK : sl_fail_memory(error);
}

static sl_status change_kernels(sl_trace *view, const sl_trace *trace, const sl_what_if *what_if, sl_error *error)
{
    size_t kernels = trace->kernels.count, insts = 0;
    sl_status status = SL_OK;
    view->view = sl_arena_new(&view->arena, struct sl_trace_view);
    view->kernels.items = calloc(kernels + 1, sizeof *view->kernels.items);
    if (!view->view || !view->kernels.items ||
        !(view->view->slot = sl_arena_array(&view->arena, sl_what_if_slot *, kernels + 1)) ||
        !(view->view->rows = sl_arena_array(&view->arena, bool, kernels + 1)) ||
        !(view->view->steps = sl_arena_array(&view->arena, uint8_t *, kernels + 1)))
        return sl_fail_memory(error);
    memcpy(view->kernels.items, trace->kernels.items, kernels * sizeof *view->kernels.items);
    view->view->what_if = *what_if;
    for (uint32_t i = 0; i < kernels && !status; i++)
        status = change_kernel(view, trace, i, &insts, error);
    if (status || insts)
        return status;
    char line[32] = "";
    if (what_if->line)
        snprintf(line, sizeof line, " at line %u", what_if->line);
    return sl_fail(error, SL_INVALID, "the kernels have no %s%s that '%s' would change",
                   sl_what_if_infos[what_if->id].kind == SL_WHAT_IF_STEP ? "basic block" : "memory instruction", line,
                   sl_what_if_infos[what_if->id].name);
}

sl_status sl_trace_what_if(const sl_trace *trace, const sl_what_if *what_if, sl_trace **made, sl_error *error)
{
    sl_trace *view = malloc(sizeof *view);
    *made = NULL;
    if (!view)
        return sl_fail_memory(error);
    *view = *trace;
    view->view = NULL;
    view->kernels.items = NULL;
    sl_arena_init(&view->arena);
    sl_status status = change_kernels(view, trace, what_if, error);
    if (status)
        sl_trace_what_if_destroy(view);
    else
        *made = view;
    return status;
}

void sl_trace_what_if_destroy(sl_trace *view)
{
    if (!view)
        return;
    free(view->kernels.items);
    sl_arena_fini(&view->arena);
    free(view);
}

sl_kernel_what_if sl_trace_kernel_what_if(const sl_trace *trace, uint32_t kernel)
{
    const struct sl_trace_view *view = trace->view;
    return view ? (sl_kernel_what_if){view->what_if.id, view->slot[kernel], view->steps[kernel]}
                : (sl_kernel_what_if){0};
}

bool sl_trace_what_if_rows(const sl_trace *trace, uint32_t kernel)
{
    return trace->view && trace->view->rows[kernel];
}

/* ---- names ---- */

sl_status sl_what_if_parse(const char *text, sl_what_if *what_if, sl_error *error)
{
    const char *names[SL_WHAT_IFS + 1] = {0}, *at = strchr(text, '@');
    size_t length = at ? (size_t)(at - text) : strlen(text);
    *what_if = (sl_what_if){SL_WHAT_IFS, 0};
    for (int i = 0; i < SL_WHAT_IFS; i++) {
        names[i] = sl_what_if_infos[i].name;
        if (strlen(names[i]) == length && !memcmp(names[i], text, length))
            what_if->id = (sl_what_if_id)i;
    }
    if (what_if->id == SL_WHAT_IFS) {
        char name[64], hint[96];
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
        return sl_fail(error, SL_INVALID, "no what-if '%s'%s", name,
                       sl_did_you_mean(name, names, SL_WHAT_IFS, "", hint, sizeof hint));
    }
    if (!at)
        return SL_OK;
    char *end;
    unsigned long line = strtoul(at + 1, &end, 10);
    if (at[1] < '0' || at[1] > '9' || *end || !line || line > UINT32_MAX)
        return sl_fail(error, SL_INVALID, "'%s': a what-if is RULE or RULE@LINE, with the number of a line", text);
    what_if->line = (uint32_t)line;
    return SL_OK;
}
