/* SPDX-License-Identifier: MIT */
#include "lower/passes.h"

#include <stdlib.h>
#include <string.h>

#include "lower/sass_blocks.h"

enum { FENCE_OF_BLOCK = 0 };
enum { HALF_RATE = 2 }; /* 16 of 32 lanes a cycle (CUDA C programming guide, throughput of native instructions) */

static uint32_t latency(const sl_core_limits *core, const sl_sass_inst *inst)
{
    static const struct {
        const char *name;
        uint32_t cycles;
    } table[] = {
#define SL_SASS_LATENCY(name, cycles) {name, cycles},
#include "lower/sass_latencies.def"
#undef SL_SASS_LATENCY
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (sl_sass_is(inst, table[i].name))
            return table[i].cycles;
    return inst->space == SL_MEM_LOCAL || inst->space == SL_MEM_SHARED ? core->shared_cycles : core->alu_cycles;
}

/* Comparisons and choices of floats are integer work. */
static bool is_choice(const sl_sass_inst *inst)
{
    static const char *const names[] = {"FMNMX", "FSEL", "FSET", "FSETP", "SEL", "PRMT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sl_sass_is(inst, names[i]))
            return true;
    return false;
}

static uint8_t unit_of(const sl_sass_inst *inst)
{
    bool slow = sl_sass_is(inst, "MUFU") || sl_sass_is(inst, "POPC") || sl_sass_is(inst, "FLO");
    bool uniform = inst->name[0] == 'U'; /* of a warp's lanes together */
    return inst->op_class == SL_CLASS_F64                      ? SL_UNIT_F64
           : inst->op_class == SL_CLASS_TENSOR                 ? SL_UNIT_TENSOR
           : slow                                              ? SL_UNIT_SFU
           : uniform                                           ? SL_UNIT_ALU
           : inst->op_class == SL_CLASS_INT_MUL                ? SL_UNIT_IMAD
           : inst->op_class == SL_CLASS_INT || is_choice(inst) ? SL_UNIT_INT
                                                               : SL_UNIT_ALU;
}

static uint8_t kind_of(const sl_sass_inst *inst)
{
    if (sl_sass_is(inst, "BAR"))
        return SL_UOP_BARRIER;
    if (sl_sass_is(inst, "DEPBAR"))
        return SL_UOP_WAIT_ASYNC;
    return sl_sass_is(inst, "MEMBAR") && inst->scope != FENCE_OF_BLOCK ? SL_UOP_FENCE : SL_UOP_PLAIN;
}

/* ---- which loads addresses come from ----
 *
 * Accesses of one kind are distinguished by how many loads of the same blocks, one after the other, their addresses
 * come from, and by whether other addresses come from them: a[i], x[a[i]] and y[i] are three. */

enum { MAX_LOADS = 64, MAX_DEPTH = 63, MACHINE_REGISTERS = 256 };

typedef struct flow {
    uint64_t *loads; /* [registers]: mask of those that a register's value comes from */
    uint32_t count;
    uint8_t depth[MAX_LOADS];
    uint64_t leads; /* mask of those that addresses come from */
} flow;

typedef struct position {
    uint8_t depth, load; /* load: its number, or MAX_LOADS */
} position;

/* The position of an access whose address comes from these loads. */
static position add_access(flow *f, uint64_t from, bool loads)
{
    position at = {.load = MAX_LOADS};
    f->leads |= from;
    for (; from; from &= from - 1) {
        uint8_t d = f->depth[__builtin_ctzll(from)];
        at.depth = d >= at.depth && d < MAX_DEPTH ? d + 1 : at.depth;
    }
    if (loads && f->count < MAX_LOADS) {
        at.load = (uint8_t)f->count++;
        f->depth[at.load] = at.depth;
    }
    return at;
}

static uint64_t load_mask(position at)
{
    return at.load < MAX_LOADS ? UINT64_C(1) << at.load : 0;
}

/* One number for the position, when all accesses are known. */
static uint8_t rank(const flow *f, position at)
{
    return (uint8_t)(2 * at.depth + ((f->leads & load_mask(at)) != 0));
}

static position follow_ptx(flow *f, const sl_uop *s, const sl_inst *inst)
{
    uint64_t from = 0;
    position at = {.load = MAX_LOADS};
    bool access = inst->mem_slot != UINT32_MAX && inst->space != SL_MEM_CONST;
    for (uint32_t k = s->dsts; k < s->regs && !(access && k > s->dsts); k++) /* the first one is the address */
        from |= f->loads[s->reg[k]];
    if (access) {
        at = add_access(f, from, s->dsts);
        from = load_mask(at);
    }
    for (uint32_t k = 0; k < s->dsts; k++)
        f->loads[s->reg[k]] = from;
    return at;
}

static position follow_machine(flow *f, const sl_sass_inst *inst, bool access)
{
    uint64_t from = 0;
    position at = {.load = MAX_LOADS};
    for (uint32_t k = 0; k < inst->srcs; k++) {
        from |= f->loads[inst->src[k]];
        if (access && inst->space != SL_MEM_SHARED && inst->src[k] + 1 < MACHINE_REGISTERS - 1)
            from |= f->loads[inst->src[k] + 1];
    }
    if (access) {
        at = add_access(f, from, inst->dsts);
        from = load_mask(at);
    }
    for (uint32_t k = 0; k < inst->dsts && inst->dst + k < MACHINE_REGISTERS - 1; k++)
        f->loads[inst->dst + k] = from;
    return at;
}

/* An access, exchange or barrier of PTX, of one of the iterations. */
typedef struct anchor {
    uint32_t kind, inst, access;
    uint8_t bb_copy;
    uint8_t words, rank;
    position at;
    bool claimed;
} anchor;

typedef struct placing {
    sl_program *program;
    const sl_core_limits *core;
    sl_sass_code code;
    bool local; /* the kernel accesses local memory by itself */
    anchor *anchor;
    uint32_t anchors, from; /* from: those before have been taken */
    uint64_t *loads;        /* [registers of PTX], scratch */
    position *position;     /* [instructions of machine code], scratch */
    bool *matched;          /* [blocks of machine code] */
} placing;

/* ---- accesses of the trace ---- */

static void add_anchors(placing *p, flow *f, uint32_t b, uint32_t bb_copy, uint32_t *access)
{
    const sl_trace_kernel *k = p->program->kernel;
    for (uint32_t i = k->bb[b].first; i < k->bb[b].first + k->bb[b].count; i++) {
        const sl_inst *inst = &k->inst[i];
        uint32_t kind = sl_anchor_of_ptx(k, inst);
        position at = follow_ptx(f, &p->program->uop[i], inst);
        if (kind)
            p->anchor[p->anchors++] = (anchor){.kind = kind,
                                               .inst = i,
                                               .access = *access + p->program->uop[i].access,
                                               .bb_copy = (uint8_t)bb_copy,
                                               .words = (uint8_t)sl_anchor_words(inst->space, inst->width),
                                               .at = at};
    }
    *access += p->program->region[b].accesses;
}

static void find_anchors(placing *p, const sl_match *m)
{
    uint32_t access = 0, bb_copy = 0;
    memset(p->loads, 0, p->program->registers * sizeof *p->loads);
    flow f = {.loads = p->loads};
    p->anchors = p->from = 0;
    for (uint32_t n = 0; n < m->lead; n++)
        for (uint32_t b = 0; b < m->lead_blocks; b++)
            add_anchors(p, &f, m->first - m->lead_blocks + b, bb_copy++, &access);
    for (uint32_t n = 0; n < m->iterations; n++)
        for (uint32_t b = 0; b < m->blocks; b++)
            add_anchors(p, &f, m->first + b, bb_copy++, &access);
    for (uint32_t i = 0; i < p->anchors; i++)
        p->anchor[i].rank = rank(&f, p->anchor[i].at);
}

/* The first one of a kind and rank that was not taken; else of any rank. */
static anchor *find_anchor(placing *p, uint32_t kind, uint8_t wanted)
{
    anchor *other = NULL;
    while (p->from < p->anchors && p->anchor[p->from].claimed)
        p->from++;
    for (uint32_t i = p->from; i < p->anchors; i++) {
        anchor *a = &p->anchor[i];
        if (a->claimed || a->kind != kind)
            continue;
        if (a->rank == wanted)
            return a;
        other = other ? other : a;
    }
    return other;
}

/* Takes it, and those that become one with it; NULL: there is none. */
static const anchor *claim_anchor(placing *p, uint32_t kind, uint8_t wanted, uint32_t words)
{
    const anchor *first = NULL;
    for (anchor *a; words && (a = find_anchor(p, kind, wanted));) {
        a->claimed = true;
        first = first ? first : a;
        words -= a->words < words ? a->words : words;
    }
    return first;
}

/* ---- blocks ---- */

static void add_uop(placing *p, const sl_sass_inst *inst, uint8_t wanted)
{
    sl_program *to = p->program;
    sl_uop *s = &to->uop[to->uops];
    uint32_t kind = sl_anchor_of_sass(inst, p->local);
    const anchor *a = kind ? claim_anchor(p, kind, wanted, sl_anchor_words(inst->space, inst->width)) : NULL;
    bool memory = a && to->kernel->inst[a->inst].mem_slot != UINT32_MAX;
    *s = (sl_uop){.kind = kind_of(inst),
                  .unit = unit_of(inst),
                  .index = sl_class_is_index(inst->op_class),
                  .issues = 1,
                  .atomic_wavefronts = 1,
                  .cycles = latency(p->core, inst),
                  .sass = true,
                  .stall = inst->stall ? inst->stall : 1,
                  .write_scoreboard = inst->write_barrier,
                  .read_scoreboard = inst->read_barrier,
                  .wait_mask = inst->waits};
    if (a)
        s->bb_copy = a->bb_copy;
    else if (s->kind == SL_UOP_BARRIER)
        s->kind = SL_UOP_PLAIN;
    if (memory) {
        const sl_uop *ptx = &to->uop[a->inst];
        s->kind = ptx->kind;
        s->queued = ptx->queued;
        s->atomic_wavefronts = ptx->atomic_wavefronts;
        s->cycles = ptx->cycles;
        s->access = a->access;
    }
    to->inst_of[to->uops++] = memory ? a->inst : SL_NO_INST;
}

static bool has_anchors(const placing *p, uint32_t b)
{
    const sl_sass_block *block = &p->code.block[b];
    for (uint32_t i = block->first; i < block->first + block->count; i++)
        if (sl_anchor_of_sass(&p->code.inst[p->code.at[i]], p->local))
            return true;
    return false;
}

/* Instructions of a block, and of those behind it that are no block of PTX and only lead into a loop. */
static uint32_t count_with_glue(const placing *p, uint32_t b)
{
    const sl_sass_block *block = p->code.block;
    uint32_t first = block[b].first, last = b;
    bool loops = block[b].loops;
    while (!loops && last + 1 < p->code.blocks && !p->matched[last + 1] && !block[last + 1].loops &&
           !has_anchors(p, last + 1))
        last++;
    if (last + 1 == p->code.blocks || !block[last + 1].loops || !p->matched[last + 1])
        last = b;
    return block[last].first + block[last].count - first;
}

static uint32_t add_block(placing *p, const sl_match *m)
{
    sl_program *to = p->program;
    find_anchors(p, m);
    uint32_t first = to->uops, count = count_with_glue(p, m->block);
    const uint32_t *at = &p->code.at[p->code.block[m->block].first];
    uint64_t loads[MACHINE_REGISTERS] = {0};
    flow f = {.loads = loads};
    for (uint32_t i = 0; i < count; i++) {
        const sl_sass_inst *inst = &p->code.inst[at[i]];
        p->position[i] =
            follow_machine(&f, inst, inst->op_class == SL_CLASS_MEMORY && sl_anchor_of_sass(inst, p->local));
    }
    for (uint32_t i = 0; i < count; i++)
        add_uop(p, &p->code.inst[at[i]], rank(&f, p->position[i]));
    to->block[to->blocks] = (sl_trace_bb){first, to->uops - first};
    return to->blocks++;
}

/* An iteration as it is estimated from PTX, for what is left where machine code has none for single ones. */
static uint32_t add_estimate(placing *p, const sl_match *m)
{
    sl_program *to = p->program;
    uint32_t first = to->uops, access = 0;
    for (uint32_t b = 0; b < m->blocks; b++) {
        const sl_trace_bb *bb = &to->kernel->bb[m->first + b];
        for (uint32_t i = bb->first; i < bb->first + bb->count; i++) {
            to->uop[to->uops] = to->uop[i];
            to->uop[to->uops].access += access;
            to->uop[to->uops].bb_copy = (uint8_t)b;
            to->inst_of[to->uops++] = i;
        }
        access += to->region[m->first + b].accesses;
    }
    to->block[to->blocks] = (sl_trace_bb){first, to->uops - first};
    return to->blocks++;
}

/* The first one of so many iterations counts. */
static void add_version(sl_region *region, uint32_t iterations, uint32_t block)
{
    uint32_t at = 0;
    while (at < region->versions && region->version[at].iterations > iterations)
        at++;
    if (region->versions == SL_MAX_VERSIONS || (at < region->versions && region->version[at].iterations == iterations))
        return;
    memmove(&region->version[at + 1], &region->version[at], (region->versions - at) * sizeof *region->version);
    region->version[at].iterations = iterations;
    region->version[at].block = block;
    region->versions++;
}

static void place_region(placing *p, const sl_match *m, uint32_t versions)
{
    sl_program *to = p->program;
    sl_region *region = &to->region[m->first];
    bool single = false;
    region->blocks = m->blocks;
    if (m->lead) {
        uint32_t before = m->first - m->lead_blocks;
        to->region[before].tail = m->first;
        region->lead = m->lead;
        region->lead_blocks = m->lead_blocks;
        region->lead_accesses = region->iteration_accesses = m->lead * to->region[before].iteration_accesses;
    }
    for (uint32_t b = 0; b < m->blocks; b++) {
        to->region[m->first + b].sass = true;
        region->iteration_accesses += to->region[m->first + b].accesses;
    }
    for (uint32_t v = 0; v < versions; v++) {
        bool one = m[v].iterations == 1;
        if (one || region->versions + 1 < SL_MAX_VERSIONS) /* one is left for single ones */
            add_version(region, m[v].iterations, add_block(p, &m[v]));
        single |= one;
    }
    if (!single)
        add_version(region, 1, add_estimate(p, m));
    region->factor = region->version[0].iterations;
    uint32_t held = region->factor * region->iteration_accesses;
    to->read_ahead = held > to->read_ahead ? held : to->read_ahead;
}

/* Blocks that only end the kernel: machine code does it where it comes to its end. */
static void fold_exits(sl_program *program)
{
    const sl_trace_kernel *k = program->kernel;
    for (uint32_t b = 0; b < k->bbs; b++)
        if (k->bb[b].count == 1 && !strcmp(k->strings + k->inst[k->bb[b].first].opcode, "ret"))
            program->uop[k->bb[b].first].issues = 0;
}

sl_status sl_pass_use_sass(sl_program *program, const sl_core_limits *core, sl_error *error)
{
    placing p = {.program = program, .core = core, .local = sl_uses_local(program->kernel)};
    uint32_t matches = 0;
    if (sl_sass_blocks_read(program->kernel, &p.code, NULL))
        return SL_OK;
    sl_match *match = calloc(p.code.blocks + 1u, sizeof *match);
    p.anchor = calloc((size_t)program->kernel->insts * SL_MAX_BB_COPIES + 1, sizeof *p.anchor);
    p.loads = calloc(program->registers, sizeof *p.loads);
    p.position = calloc(p.code.insts + 1u, sizeof *p.position);
    p.matched = calloc(p.code.blocks + 1u, sizeof *p.matched);
    sl_status status = match && p.anchor && p.loads && p.position && p.matched
                           ? sl_match_blocks(program, &p.code, match, &matches, error)
                           : sl_fail_memory(error);
    if (!status)
        status = sl_program_reserve(program, 2 * p.code.insts + program->kernel->insts,
                                    p.code.blocks + program->kernel->bbs, error);
    for (uint32_t i = 0; i < matches; i++)
        p.matched[match[i].block] = true;
    if (matches)
        fold_exits(program);
    for (sl_unit unit = SL_UNIT_INT; unit <= SL_UNIT_IMAD; unit++)
        program->interval[unit] = core->alu_interval > HALF_RATE ? core->alu_interval : HALF_RATE;
    for (uint32_t i = 0, versions; i < matches && !status; i += versions) {
        for (versions = 1; i + versions < matches && match[i + versions].first == match[i].first;)
            versions++;
        place_region(&p, &match[i], versions);
    }
    free(match);
    free(p.anchor);
    free(p.loads);
    free(p.position);
    free(p.matched);
    sl_sass_blocks_fini(&p.code);
    return status;
}
