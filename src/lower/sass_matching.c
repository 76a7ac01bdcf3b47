/* SPDX-License-Identifier: MIT */
#include "lower/sass_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "trace/loaded.h"

enum { MAX_LENGTH_RATIO = 3, LENGTH_SLACK = 64 }; /* of lengths: some instructions move to blocks before and behind */
enum { MAX_SPAN = SL_MAX_BB_COPIES, MAX_TABLE = 1 << 22, NOWHERE = 0xffffffff, IMPOSSIBLE = -(1 << 28) };

/* What a match is worth. An access outweighs all else. */
enum {
    PER_ANCHOR = 16,
    BOTH_LOOP = 8,
    SIMILAR = 4,
    BOTH_END = 2,
    MORE_BLOCKS = -2,  /* each block beyond the first */
    ENTERED = -4,      /* each of these that is entered from elsewhere */
    PTX_ALONE = -3,    /* a block that nothing matches, */
    PER_ALONE = -8,    /* and each of its accesses */
    MACHINE_ALONE = -1 /* the same of machine code */
};

/* ---- what blocks have in common ---- */

enum { ANCHOR_BARRIER = 1, ANCHOR_SHUFFLE = 2, ANCHOR_ACCESS = 3 };

static uint32_t anchor_of_access(uint32_t space, uint32_t access, uint32_t width)
{
    if (access == SL_ACCESS_REDUCTION)
        access = SL_ACCESS_ATOMIC;
    if (space == SL_MEM_GENERIC)
        space = SL_MEM_GLOBAL;
    if (space == SL_MEM_SHARED || (access != SL_ACCESS_LOAD && access != SL_ACCESS_STORE))
        width = 0;
    return ANCHOR_ACCESS + (space * SL_MEM_ACCESSES + access) * 32 + (width < 32 ? width : 31);
}

uint32_t sl_anchor_of_ptx(const sl_trace_kernel *kernel, const sl_inst *inst)
{
    if (inst->mem_slot != UINT32_MAX && inst->space != SL_MEM_CONST)
        return anchor_of_access(inst->space, inst->access, inst->width);
    if (sl_inst_is_block_barrier(kernel, inst))
        return ANCHOR_BARRIER;
    return !strncmp(kernel->strings + inst->opcode, "shfl", 4) ? ANCHOR_SHUFFLE : 0;
}

uint32_t sl_anchor_of_sass(const sl_sass_inst *inst, bool local)
{
    bool never = inst->guard == SL_SASS_ALWAYS && inst->guard_not;
    if (never || inst->space == SL_MEM_CONST || (inst->space == SL_MEM_LOCAL && !local) ||
        inst->access == SL_ACCESS_PREFETCH)
        return 0;
    if (inst->access != SL_ACCESS_NONE)
        return anchor_of_access(inst->space, inst->access, inst->width);
    return sl_sass_is(inst, "BAR") ? ANCHOR_BARRIER : sl_sass_is(inst, "SHFL") ? ANCHOR_SHUFFLE : 0;
}

bool sl_uses_local(const sl_trace_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->insts; i++)
        if (kernel->inst[i].space == SL_MEM_LOCAL)
            return true;
    return false;
}

/* Sums of the hashes of anchors: equal for equal anchors in any order, and those of several blocks add up. Neighboring
 * accesses to shared memory become a wider one: it is their bytes that count. */
typedef struct side {
    uint64_t hash;
    uint32_t anchors; /* in words */
    uint32_t insts;
    bool ends;     /* the warp is at its end */
    bool loops;    /* machine code */
    uint32_t back; /* PTX: the block before, or itself, that its branch leads to */
    uint32_t accesses;
    uint32_t entered_from, entered_to; /* PTX: the first and the last block whose branches lead here */
} side;

typedef struct matching {
    const sl_program *program;
    const sl_sass_code *code;
    uint32_t n, m;
    side *ptx, *machine;
    int32_t *best; /* [(n + 1) * (m + 1)]: of the blocks from these on */
    int32_t *open; /* [m + 2], scratch: the same within versions of a loop */
} matching;

static void add_anchor(side *s, uint32_t anchor, uint32_t space, uint32_t width)
{
    uint32_t weight = sl_anchor_words(space, width);
    s->anchors += anchor ? weight : 0;
    s->hash += anchor ? sl_hash_mix(anchor) * weight : 0;
}

static void describe_ptx(matching *t)
{
    const sl_trace_kernel *k = t->program->kernel;
    for (uint32_t b = 0; b < t->n; b++)
        t->ptx[b].entered_from = NOWHERE;
    for (uint32_t b = 0; b < t->n; b++) {
        side *s = &t->ptx[b];
        uint32_t to = k->jump[b] ? k->jump[b] - 1 : NOWHERE;
        s->back = to <= b ? to : NOWHERE;
        s->accesses = t->program->region[b].accesses;
        for (uint32_t i = k->bb[b].first; i < k->bb[b].first + k->bb[b].count; i++) {
            s->insts += t->program->uop[i].issues;
            add_anchor(s, sl_anchor_of_ptx(k, &k->inst[i]), k->inst[i].space, k->inst[i].width);
        }
        const sl_inst *last = k->bb[b].count ? &k->inst[k->bb[b].first + k->bb[b].count - 1] : NULL;
        const char *opcode = last ? k->strings + last->opcode : "";
        s->ends = !strcmp(opcode, "ret") || !strcmp(opcode, "exit");
        if (to != NOWHERE) {
            side *target = &t->ptx[to];
            target->entered_from = b < target->entered_from ? b : target->entered_from;
            target->entered_to = b > target->entered_to ? b : target->entered_to;
        }
    }
}

static void describe_machine(matching *t)
{
    bool local = sl_uses_local(t->program->kernel);
    for (uint32_t b = 0; b < t->m; b++) {
        const sl_sass_block *block = &t->code->block[b];
        side *s = &t->machine[b];
        s->insts = block->count;
        s->loops = block->loops;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const sl_sass_inst *inst = &t->code->inst[t->code->at[i]];
            add_anchor(s, sl_anchor_of_sass(inst, local), inst->space, inst->width);
            s->ends = sl_sass_is(inst, "EXIT") && !inst->conditional;
        }
    }
}

/* ---- matches ---- */

/* Blocks of PTX in a row. */
typedef struct span {
    uint32_t first, blocks;
    side sum;
    uint32_t entered; /* of the blocks behind the first: entered from elsewhere */
    bool loop;        /* its end leads back to its start */
    bool whole;       /* it has no other loop, or part of one */
} span;

static void start_span(const matching *t, span *g, uint32_t first)
{
    *g = (span){.first = first, .blocks = 1, .sum = t->ptx[first], .whole = true};
    g->loop = g->sum.back == first;
}

/* False: the span cannot be longer. */
static bool extend_span(const matching *t, span *g)
{
    uint32_t at = g->first + g->blocks;
    if (g->blocks == MAX_SPAN || at >= t->n || t->ptx[at - 1].back != NOWHERE)
        return false;
    const side *more = &t->ptx[at];
    g->sum.hash += more->hash;
    g->sum.anchors += more->anchors;
    g->sum.insts += more->insts;
    g->sum.accesses += more->accesses;
    g->sum.ends = more->ends;
    g->blocks++;
    g->loop = more->back == g->first;
    g->whole &= more->back == NOWHERE || more->back <= g->first;
    g->entered +=
        more->entered_from < g->first || (more->entered_from != NOWHERE && more->entered_to >= g->first + MAX_SPAN);
    return g->whole;
}

/* What the estimate from PTX says is about as long as machine code. */
static bool similar(uint32_t a, uint32_t b, uint32_t factor, uint32_t slack)
{
    return factor * (a < b ? a : b) + slack >= (a < b ? b : a);
}

/* Iterations of the span that a block of machine code is; 0: it is none. */
static uint32_t iterations(const span *g, const side *s)
{
    if (s->loops && !g->loop)
        return 0;
    uint32_t n = 1;
    if (g->loop && g->sum.anchors)
        n = s->anchors / g->sum.anchors;
    bool fits = n && n * g->blocks <= SL_MAX_BB_COPIES && (n == 1 || n * g->sum.accesses <= SL_MAX_REGION_ACCESSES) &&
                g->sum.accesses <= SL_MAX_REGION_ACCESSES;
    return fits && g->sum.hash * n == s->hash && g->sum.anchors * n == s->anchors &&
                   similar(g->sum.insts * n, s->insts, MAX_LENGTH_RATIO, LENGTH_SLACK)
               ? n
               : 0;
}

/* The same for the first of the versions of a loop: one of several iterations is a loop itself. */
static uint32_t first_iterations(const span *g, const side *s)
{
    uint32_t n = iterations(g, s);
    return n > 1 && !s->loops ? 0 : n;
}

/* Iterations of a loop that a block of machine code has next to the blocks behind the loop; 0: it does not. */
static uint32_t led_by(const span *loop, const span *tail, const side *s)
{
    if (s->loops || tail->loop || !loop->sum.anchors || s->anchors <= tail->sum.anchors)
        return 0;
    uint32_t words = s->anchors - tail->sum.anchors, n = words / loop->sum.anchors;
    bool fits = n * loop->blocks + tail->blocks <= SL_MAX_BB_COPIES &&
                n * loop->sum.accesses + tail->sum.accesses <= SL_MAX_REGION_ACCESSES;
    return fits && n * loop->sum.anchors == words && loop->sum.hash * n + tail->sum.hash == s->hash ? n : 0;
}

static int32_t score(const span *g, const side *s)
{
    uint32_t a = g->sum.insts, b = s->insts;
    int32_t w = (int32_t)s->anchors * PER_ANCHOR + (g->loop && s->loops ? BOTH_LOOP : 0);
    w += (int32_t)(g->blocks - 1) * MORE_BLOCKS + (int32_t)g->entered * ENTERED;
    if (!s->anchors)
        w += similar(a, b, 2, 2) ? SIMILAR : -SIMILAR;
    return w + (g->sum.ends && s->ends ? BOTH_END : 0);
}

static int32_t *best_at(const matching *t, uint32_t i, uint32_t j)
{
    return &t->best[(size_t)i * (t->m + 1) + j];
}

/* The best one of the spans behind a loop that a block with iterations of the loop can be. */
static int32_t best_tail(const matching *t, const span *loop, uint32_t j, span *tail)
{
    int32_t best = IMPOSSIBLE;
    span g;
    if (loop->first + loop->blocks >= t->n)
        return best;
    start_span(t, &g, loop->first + loop->blocks);
    do {
        int32_t w = g.whole && led_by(loop, &g, &t->machine[j])
                        ? score(&g, &t->machine[j]) + *best_at(t, g.first + g.blocks, j + 1)
                        : IMPOSSIBLE;
        if (w > best) {
            best = w;
            *tail = g;
        }
    } while (extend_span(t, &g));
    return best;
}

/* Of a loop: what the blocks of machine code from each one on are worth after one of its versions. */
static void open_versions(matching *t, const span *g)
{
    span tail;
    t->open[t->m] = *best_at(t, g->first + g->blocks, t->m);
    for (uint32_t j = t->m; j-- > 0;) {
        const side *s = &t->machine[j];
        int32_t w = *best_at(t, g->first + g->blocks, j), led = best_tail(t, g, j, &tail);
        w = led > w ? led : w;
        if (!s->anchors && t->open[j + 1] + MACHINE_ALONE > w)
            w = t->open[j + 1] + MACHINE_ALONE;
        if (g->sum.anchors && iterations(g, s) && t->open[j + 1] + score(g, s) > w)
            w = t->open[j + 1] + score(g, s);
        t->open[j] = w;
    }
}

static void better(int32_t *best, int32_t w)
{
    *best = w > *best ? w : *best;
}

static void fill_row(matching *t, uint32_t i)
{
    int32_t alone = PTX_ALONE + PER_ALONE * (int32_t)t->ptx[i].anchors;
    for (uint32_t j = t->m + 1; j-- > 0;)
        *best_at(t, i, j) = *best_at(t, i + 1, j) + alone;
    span g;
    start_span(t, &g, i);
    do {
        const int32_t *after = best_at(t, i + g.blocks, 0);
        if (g.loop) {
            open_versions(t, &g);
            after = t->open;
        }
        for (uint32_t j = 0; j < t->m && g.whole; j++)
            if (first_iterations(&g, &t->machine[j]))
                better(best_at(t, i, j), score(&g, &t->machine[j]) + after[j + 1]);
    } while (extend_span(t, &g));
    for (uint32_t j = t->m; j-- > 0;)
        better(best_at(t, i, j), *best_at(t, i, j + 1) + MACHINE_ALONE);
}

/* ---- the way through the table ---- */

static void add_match(const matching *t, const span *g, uint32_t j, sl_match *match, uint32_t *matches)
{
    match[(*matches)++] = (sl_match){g->first, g->blocks, iterations(g, &t->machine[j]), j, 0, 0};
}

/* The versions of a loop behind the first; moves to the blocks behind. */
static void follow_versions(matching *t, const span *g, uint32_t *i, uint32_t *at, sl_match *match, uint32_t *matches)
{
    uint32_t j = *at;
    span tail;
    *i = g->first + g->blocks;
    while (j < t->m && t->open[j] != *best_at(t, *i, j)) {
        const side *s = &t->machine[j];
        if (best_tail(t, g, j, &tail) == t->open[j]) {
            match[(*matches)++] = (sl_match){tail.first, tail.blocks, 1, j, led_by(g, &tail, s), g->blocks};
            *i += tail.blocks;
            j++;
            break;
        }
        if (g->sum.anchors && iterations(g, s) && t->open[j] == t->open[j + 1] + score(g, s))
            add_match(t, g, j, match, matches);
        j++;
    }
    *at = j;
}

/* The span that a match at (i, j) begins with; false: there is none. */
static bool find_span(matching *t, uint32_t i, uint32_t j, span *g)
{
    const side *s = &t->machine[j];
    start_span(t, g, i);
    do {
        if (!g->whole || !first_iterations(g, s))
            continue;
        if (g->loop)
            open_versions(t, g);
        int32_t after = g->loop ? t->open[j + 1] : *best_at(t, i + g->blocks, j + 1);
        if (*best_at(t, i, j) == score(g, s) + after)
            return true;
    } while (extend_span(t, g));
    return false;
}

static void follow(matching *t, sl_match *match, uint32_t *matches)
{
    uint32_t i = 0, j = 0;
    while (i < t->n && j < t->m) {
        int32_t now = *best_at(t, i, j);
        span g;
        if (find_span(t, i, j, &g)) {
            add_match(t, &g, j++, match, matches);
            i += g.blocks;
            if (g.loop)
                follow_versions(t, &g, &i, &j, match, matches);
        } else if (now == *best_at(t, i, j + 1) + MACHINE_ALONE) {
            j++;
        } else {
            i++;
        }
    }
}

/* ---- loops that are matched in part ----
 *
 * Where a warp goes from machine code to PTX that accesses memory it has to wait for its loads. In an innermost loop
 * that would be for every iteration, so either all accesses of one are machine code or none. */

static bool is_innermost(const matching *t, uint32_t from, uint32_t to)
{
    for (uint32_t b = from; b <= to; b++)
        if (t->ptx[b].back != NOWHERE && t->ptx[b].back > from)
            return false;
    return true;
}

static bool covers(const sl_match *m, uint32_t from, uint32_t to)
{
    return m->first - m->lead_blocks <= to && m->first + m->blocks > from;
}

static bool is_whole(const matching *t, uint32_t from, uint32_t to, const sl_match *match, uint32_t matches)
{
    for (uint32_t b = from; b <= to; b++) {
        bool found = !t->ptx[b].anchors;
        for (uint32_t i = 0; i < matches && !found; i++)
            found = covers(&match[i], b, b);
        if (!found)
            return false;
    }
    return true;
}

static void drop_partial_loops(const matching *t, sl_match *match, uint32_t *matches)
{
    for (uint32_t b = 0; b < t->n; b++) {
        uint32_t from = t->ptx[b].back, kept = 0;
        if (from == NOWHERE || !is_innermost(t, from, b) || is_whole(t, from, b, match, *matches))
            continue;
        for (uint32_t i = 0; i < *matches; i++)
            if (!covers(&match[i], from, b))
                match[kept++] = match[i];
        b = kept < *matches ? UINT32_MAX : b; /* others may be in part now: from the start */
        *matches = kept;
    }
}

/* Whether half of the accesses were found: with fewer, what was found is more likely to be something else. */
static bool is_enough(const matching *t, const sl_match *match, uint32_t matches)
{
    uint64_t all = 0, found = 0;
    for (uint32_t b = 0; b < t->n; b++)
        all += t->ptx[b].anchors;
    for (uint32_t i = 0; i < matches; i++)
        for (uint32_t b = 0; b < match[i].blocks && !(i && match[i].first == match[i - 1].first); b++)
            found += t->ptx[match[i].first + b].anchors;
    return 2 * found >= all;
}

sl_status sl_match_blocks(const sl_program *program, const sl_sass_code *code, sl_match *match, uint32_t *matches,
                          sl_error *error)
{
    matching t = {.program = program, .code = code, .n = program->kernel->bbs, .m = code->blocks};
    *matches = 0;
    if (!program->kernel->jump || !t.n || !t.m || (uint64_t)(t.n + 1) * (t.m + 1) > MAX_TABLE)
        return SL_OK;
    t.ptx = calloc(t.n, sizeof *t.ptx);
    t.machine = calloc(t.m, sizeof *t.machine);
    t.best = calloc((size_t)(t.n + 1) * (t.m + 1), sizeof *t.best);
    t.open = calloc(t.m + 2u, sizeof *t.open);
    bool ok = t.ptx && t.machine && t.best && t.open;
    if (ok) {
        describe_ptx(&t);
        describe_machine(&t);
        for (uint32_t j = t.m; j-- > 0;)
            *best_at(&t, t.n, j) = *best_at(&t, t.n, j + 1) + MACHINE_ALONE;
        for (uint32_t i = t.n; i-- > 0;)
            fill_row(&t, i);
        follow(&t, match, matches);
        drop_partial_loops(&t, match, matches);
        if (!is_enough(&t, match, *matches))
            *matches = 0;
    }
    free(t.ptx);
    free(t.machine);
    free(t.best);
    free(t.open);
    return ok ? SL_OK : sl_fail_memory(error);
}
