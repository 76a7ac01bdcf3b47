/* SPDX-License-Identifier: MIT */
#include "lower/passes.h"

#include <stdlib.h>
#include <string.h>

enum { NO_UOP = 0xffffffff, ALL_BEFORE = 0xffffffff, MAX_READ_AHEAD = 32, MAX_EDGES = 3 * SL_INST_REGS + 2 };
enum { WAITS = 1u << 31 };   /* of an edge: not only for its turn, but for its result */
enum { LOAD_CYCLES = 4096 }; /* more than arithmetic between loads takes */

/* A stretch of a basic block without instructions that cannot be moved. Instructions are numbered from its start. */
typedef struct stretch {
    sl_program *program;
    uint32_t first, count;
    uint32_t *edge;   /* [count * MAX_EDGES]: what has to come before; WAITS */
    uint32_t *edges;  /* [count]; ALL_BEFORE: more than MAX_EDGES, so all before it */
    uint32_t *depth;  /* [count]: loads that it waits for, one after the other */
    uint32_t *height; /* [count]: cycles from its issue to the end */
    uint32_t *writer; /* [registers]: the last one; NO_UOP: none in the stretch */
    uint32_t *reader; /* [registers]: the last one since then */
    uint32_t *before; /* [count * SL_INST_REGS]: of an operand, the reader of the same register before */
    uint8_t *needed;  /* [count] */
    uint8_t *done;    /* [count] */
    uint32_t *order;  /* [count]: numbers, as they come out */
    uint32_t emitted;
} stretch;

static const sl_uop *uop_at(const stretch *s, uint32_t i)
{
    return &s->program->uop[s->first + i];
}

static const sl_inst *inst_at(const stretch *s, uint32_t i)
{
    return sl_program_inst(s->program, s->first + i);
}

static bool uses_memory(const stretch *s, uint32_t i)
{
    return inst_at(s, i)->mem_slot != UINT32_MAX;
}

/* ---- dependences ---- */

static bool is_load(const stretch *s, uint32_t i)
{
    const sl_inst *inst = inst_at(s, i);
    return uop_at(s, i)->kind == SL_UOP_MEMORY && inst->access == SL_ACCESS_LOAD;
}

static void add_edge(stretch *s, uint32_t i, uint32_t to, bool waits)
{
    if (to == NO_UOP || to == i)
        return;
    uint32_t depth = s->depth[to] + (waits && is_load(s, to));
    s->depth[i] = depth > s->depth[i] ? depth : s->depth[i];
    if (s->edges[i] == ALL_BEFORE)
        return;
    if (s->edges[i] == MAX_EDGES)
        s->edges[i] = ALL_BEFORE;
    else
        s->edge[(size_t)i * MAX_EDGES + s->edges[i]++] = to | (waits ? WAITS : 0);
}

static void add_reads(stretch *s, uint32_t i)
{
    const sl_uop *uop = uop_at(s, i);
    for (uint32_t k = uop->dsts; k < uop->regs; k++) {
        uint16_t r = uop->reg[k];
        add_edge(s, i, s->writer[r], true);
        s->before[(size_t)i * SL_INST_REGS + k] = s->reader[r];
        s->reader[r] = i;
    }
}

/* Write-after-write and write-after-read dependences. */
static void add_writes(stretch *s, uint32_t i)
{
    const sl_uop *uop = uop_at(s, i);
    for (uint32_t d = 0; d < uop->dsts; d++) {
        uint16_t r = uop->reg[d];
        add_edge(s, i, s->writer[r], false);
        for (uint32_t at = s->reader[r]; at != NO_UOP;) {
            const sl_uop *other = uop_at(s, at);
            uint32_t k = other->dsts;
            add_edge(s, i, at, false);
            while (k + 1u < other->regs && other->reg[k] != r)
                k++;
            at = s->before[(size_t)at * SL_INST_REGS + k];
        }
        s->writer[r] = i;
        s->reader[r] = NO_UOP;
    }
}

static void reset_registers(stretch *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const sl_uop *uop = uop_at(s, i);
        for (uint32_t k = 0; k < uop->regs; k++)
            s->writer[uop->reg[k]] = s->reader[uop->reg[k]] = NO_UOP;
    }
}

/* Accesses to other memory than shared. */
typedef struct global_accesses {
    uint32_t volatile_load, store; /* the last volatile load, and the last access that is no load */
    uint32_t before;               /* the last of the latter before a run of stores with the same address register */
    uint32_t address, writer;      /* of that run: the register, and what wrote it; NO_UOP: there is none */
} global_accesses;

/* Stores stay behind the accesses before them, and loads behind stores, but that they may come before those with the
 * same address register: were the addresses equal, the compiler would have used the stored value. */
static void add_global_access(stretch *s, uint32_t i, global_accesses *o)
{
    const sl_inst *inst = inst_at(s, i);
    const sl_uop *uop = uop_at(s, i);
    bool is_volatile = inst->cache_op == SL_CACHE_VOLATILE;
    bool global = inst->space == SL_MEM_GLOBAL && uop->regs > uop->dsts && !is_volatile;
    uint32_t address = global ? uop->reg[uop->dsts] : NO_UOP;
    bool same = global && o->address == address && o->writer == s->writer[address];
    if (inst->access == SL_ACCESS_LOAD) {
        bool constant = sl_program_is_constant_load(s->program, s->first + i);
        add_edge(s, i, constant ? NO_UOP : same ? o->before : o->store, false);
        add_edge(s, i, is_volatile ? o->volatile_load : NO_UOP, false);
        o->volatile_load = is_volatile ? i : o->volatile_load;
        return;
    }
    for (uint32_t j = o->store == NO_UOP ? 0 : o->store; j < i; j++)
        add_edge(s, i, j == o->store || is_load(s, j) ? j : NO_UOP, false);
    if (inst->access != SL_ACCESS_STORE || !same) {
        o->before = o->store;
        o->address = inst->access == SL_ACCESS_STORE ? address : NO_UOP;
        o->writer = global ? s->writer[address] : NO_UOP;
    }
    o->store = i;
}

static void find_edges(stretch *s)
{
    uint32_t shared = NO_UOP;
    global_accesses o = {NO_UOP, NO_UOP, NO_UOP, NO_UOP, NO_UOP};
    reset_registers(s);
    memset(s->edges, 0, s->count * sizeof *s->edges);
    memset(s->depth, 0, s->count * sizeof *s->depth);
    for (uint32_t i = 0; i < s->count; i++) {
        uint8_t space = inst_at(s, i)->space;
        if (uses_memory(s, i) && (space == SL_MEM_SHARED || space == SL_MEM_GENERIC)) {
            add_edge(s, i, shared, false);
            shared = i;
        }
        if (uses_memory(s, i) && space != SL_MEM_SHARED)
            add_global_access(s, i, &o);
        add_reads(s, i);
        add_writes(s, i);
    }
    reset_registers(s);
}

static void raise_height(stretch *s, uint32_t i, uint32_t height)
{
    s->height[i] = height > s->height[i] ? height : s->height[i];
}

static uint32_t cycles_of(const stretch *s, uint32_t i)
{
    const sl_uop *uop = uop_at(s, i);
    return is_load(s, i) ? LOAD_CYCLES : uop->issues ? uop->cycles + uop->issue_gap * (uop->issues - 1u) : 0;
}

static void find_heights(stretch *s)
{
    memset(s->height, 0, s->count * sizeof *s->height);
    for (uint32_t i = s->count; i-- > 0;) {
        for (uint32_t e = 0; s->edges[i] != ALL_BEFORE && e < s->edges[i]; e++) {
            uint32_t edge = s->edge[(size_t)i * MAX_EDGES + e], to = edge & ~WAITS;
            raise_height(s, to, s->height[i] + (edge & WAITS ? cycles_of(s, to) : 0));
        }
        for (uint32_t to = 0; s->edges[i] == ALL_BEFORE && to < i; to++)
            raise_height(s, to, s->height[i]);
    }
}

/* ---- the order ---- */

static void emit(stretch *s, uint32_t i)
{
    s->done[i] = 1;
    s->order[s->emitted++] = i;
}

/* An instruction and all that has to come before it. */
static void emit_with_dependences(stretch *s, uint32_t last)
{
    uint32_t first = last;
    s->needed[last] = 1;
    for (uint32_t i = last + 1; i-- > 0;) {
        if (!s->needed[i] || s->done[i])
            continue;
        first = i;
        if (s->edges[i] == ALL_BEFORE)
            memset(s->needed, 1, i);
        else
            for (uint32_t e = 0; e < s->edges[i]; e++)
                s->needed[s->edge[(size_t)i * MAX_EDGES + e] & ~WAITS] = 1;
    }
    for (uint32_t i = first; i <= last; i++)
        if (s->needed[i] && !s->done[i])
            emit(s, i);
}

static void emit_rest(stretch *s, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++)
        if (!s->done[i])
            emit(s, i);
}

static bool is_moved(const stretch *s, uint32_t i)
{
    return uses_memory(s, i) && inst_at(s, i)->access != SL_ACCESS_STORE;
}

/* What comes next of instructions `from` to `end`: as the compiler has it, that on which the longest chain of loads
 * and arithmetic depends; of equals one that waits for a load itself. */
static uint32_t next_load(const stretch *s, uint32_t from, uint32_t end)
{
    uint32_t next = NO_UOP;
    for (uint32_t i = from; i < end; i++)
        if (is_moved(s, i) && !s->done[i] &&
            (next == NO_UOP || s->height[i] > s->height[next] ||
             (s->height[i] == s->height[next] && s->depth[i] > s->depth[next])))
            next = i;
    return next;
}

static void emit_loads(stretch *s, uint32_t from, uint32_t end)
{
    for (uint32_t i; (i = next_load(s, from, end)) != NO_UOP;)
        emit_with_dependences(s, i);
}

static void choose_order(stretch *s, uint32_t max)
{
    uint32_t together = 0, from = 0;
    memset(s->needed, 0, s->count);
    memset(s->done, 0, s->count);
    s->emitted = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (is_moved(s, i) && ++together == max) {
            emit_loads(s, from, i + 1);
            emit_rest(s, i);
            from = i + 1;
            together = 0;
        }
    emit_loads(s, from, s->count);
    emit_rest(s, s->count);
}

/* Max accesses that are read from the trace before they issue. Those of a stretch are consecutive in the trace. */
static uint32_t count_read_ahead(const stretch *s)
{
    uint32_t max = 0, known = 0, missing = 0, base = NO_UOP;
    for (uint32_t i = 0; i < s->count; i++)
        if (uses_memory(s, i) && base == NO_UOP)
            base = uop_at(s, i)->access;
    memset(s->needed, 0, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        if (!uses_memory(s, s->order[i]))
            continue;
        uint32_t at = uop_at(s, s->order[i])->access - base;
        s->needed[at] = 1;
        known = at + 1 > known ? at + 1 : known;
        max = known - missing > max ? known - missing : max;
        while (missing < known && s->needed[missing])
            missing++;
    }
    return max > 1 ? max : 0;
}

static void batch_stretch(stretch *s, uint32_t max, sl_uop *uops, uint32_t *numbers)
{
    sl_program *p = s->program;
    if (s->count < 3)
        return;
    find_edges(s);
    find_heights(s);
    choose_order(s, max);
    uint32_t ahead = count_read_ahead(s);
    if (ahead > MAX_READ_AHEAD)
        return;
    p->read_ahead = ahead > p->read_ahead ? ahead : p->read_ahead;
    for (uint32_t i = 0; i < s->count; i++) {
        uops[i] = p->uop[s->first + s->order[i]];
        numbers[i] = p->inst_of[s->first + s->order[i]];
    }
    memcpy(&p->uop[s->first], uops, s->count * sizeof *uops);
    memcpy(&p->inst_of[s->first], numbers, s->count * sizeof *numbers);
}

/* Whether no instruction can be moved across this one. */
static bool is_scheduling_barrier(const sl_program *p, uint32_t at)
{
    const sl_inst *inst = sl_program_inst(p, at);
    uint8_t kind = p->uop[at].kind;
    return p->uop[at].sass || kind == SL_UOP_BARRIER || kind == SL_UOP_FENCE || kind == SL_UOP_WAIT_ASYNC ||
           inst->op_class == SL_CLASS_CONTROL || inst->op_class == SL_CLASS_WARP || p->uop[at].slow_path ||
           (uint32_t)inst->dsts + inst->srcs > SL_INST_REGS;
}

static uint32_t longest_block(const sl_program *p)
{
    uint32_t max = 1;
    for (uint32_t b = 0; b < p->blocks; b++)
        max = p->block[b].count > max ? p->block[b].count : max;
    return max;
}

static void batch_blocks(stretch *s, uint32_t max, sl_uop *uops, uint32_t *numbers)
{
    const sl_program *p = s->program;
    for (uint32_t b = 0; b < p->blocks; b++) {
        uint32_t end = p->block[b].first + p->block[b].count;
        s->first = p->block[b].first;
        for (uint32_t at = s->first; at < end; at++)
            if (is_scheduling_barrier(s->program, at)) {
                s->count = at - s->first;
                batch_stretch(s, max, uops, numbers);
                s->first = at + 1;
            }
        s->count = end - s->first;
        batch_stretch(s, max, uops, numbers);
    }
}

sl_status sl_pass_batch_loads(sl_program *program, uint32_t max, sl_error *error)
{
    uint32_t longest = longest_block(program);
    sl_uop *uops = malloc(longest * sizeof *uops);
    uint32_t *numbers = malloc(longest * sizeof *numbers);
    stretch s = {.program = program,
                 .edge = malloc((size_t)longest * MAX_EDGES * sizeof *s.edge),
                 .edges = malloc(longest * sizeof *s.edges),
                 .depth = malloc(longest * sizeof *s.depth),
                 .height = malloc(longest * sizeof *s.height),
                 .writer = malloc(program->registers * sizeof *s.writer),
                 .reader = malloc(program->registers * sizeof *s.reader),
                 .before = malloc((size_t)longest * SL_INST_REGS * sizeof *s.before),
                 .needed = malloc(longest),
                 .done = malloc(longest),
                 .order = malloc(longest * sizeof *s.order)};
    bool ok = uops && numbers && s.edge && s.edges && s.depth && s.height && s.writer && s.reader && s.before &&
              s.needed && s.done && s.order;
    if (ok)
        batch_blocks(&s, max, uops, numbers);
    free(uops);
    free(numbers);
    free(s.edge);
    free(s.edges);
    free(s.depth);
    free(s.height);
    free(s.writer);
    free(s.reader);
    free(s.before);
    free(s.needed);
    free(s.done);
    free(s.order);
    return ok ? SL_OK : sl_fail_memory(error);
}
