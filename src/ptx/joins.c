/* SPDX-License-Identifier: MIT */
/* Where lanes that diverge run together again, as ptxas places convergence barriers for GPUs since Volta.
 *
 * Every block where ways merge is a join, and so is every block that a loop is left to. A join belongs to the branch
 * above it: its immediate dominator, or, where that lies in a loop that the join is outside of, the dominator of that
 * loop. Its region is what lies between the two: the blocks that reach the join without passing that branch again.
 * Lanes that part inside of the region meet at the join, except for those that leave the region another way (they break
 * out of a loop, continue with its next turn, return, trap): nobody waits for them. So a return that is never taken
 * costs nothing, unlike with immediate post-dominators.
 *
 * Dominators follow Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm"; loops are natural loops. In
 * graphs that are not reducible regions may overlap: lanes then meet later than they could. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "ptx/cfg.h"

#define NONE     UINT32_MAX
#define ON_STACK (UINT32_MAX - 1)

enum { WORK_PER_BLOCK = 512 }; /* blocks and edges of regions, per block; what goes beyond has no joins */

typedef struct join {
    uint32_t block, above; /* the join and the block it belongs to; NONE: the start of the function */
    uint32_t first, size;  /* its region in graph.region */
} join;

typedef struct graph {
    sl_cfg *cfg;
    sl_arena arena; /* what only this file needs */
    uint32_t blocks;
    uint32_t *first_pred, *pred; /* the blocks that lead to b: pred[first_pred[b] .. first_pred[b + 1]) */
    uint32_t *order, ordered;    /* blocks that can be reached, in post-order from the first */
    uint32_t *rank;              /* block -> position in `order`; NONE: cannot be reached */
    uint32_t *idom;              /* NONE: the first block, or not known yet */
    uint32_t *loop;              /* header of the innermost loop around it, of a header: of the next loop; or NONE */
    uint32_t *outer;             /* the same, or of a loop further out */
    bool *header;
    struct subtree {
        uint32_t number, size; /* in pre-order; of its subtree */
    } * dominated, *nested;    /* in the trees that idom and loop make */
    uint32_t *stack, *cursor;
    uint32_t *mark; /* number of the join, plus 1, whose region was last found to hold it */
    SL_ARRAY(uint32_t) region;
    SL_ARRAY(join) joins;
    uint64_t work; /* left */
} graph;

/* ---- dominators ---- */

static bool set_up(graph *g)
{
    uint32_t n = g->blocks, edges = 0;
    for (uint32_t i = 0; i < n; i++)
        edges += g->cfg->block[i].succs;
    g->first_pred = sl_arena_array(&g->arena, uint32_t, n + 2);
    g->pred = sl_arena_array(&g->arena, uint32_t, edges + 1);
    g->order = sl_arena_array(&g->arena, uint32_t, n);
    g->rank = sl_arena_array(&g->arena, uint32_t, n);
    g->idom = sl_arena_array(&g->arena, uint32_t, n);
    g->loop = sl_arena_array(&g->arena, uint32_t, n);
    g->outer = sl_arena_array(&g->arena, uint32_t, n);
    g->header = sl_arena_array(&g->arena, bool, n);
    g->dominated = sl_arena_array(&g->arena, struct subtree, n);
    g->nested = sl_arena_array(&g->arena, struct subtree, n);
    g->stack = sl_arena_array(&g->arena, uint32_t, n);
    g->cursor = sl_arena_array(&g->arena, uint32_t, n + 1);
    g->mark = sl_arena_array(&g->arena, uint32_t, n);
    if (!g->first_pred || !g->pred || !g->order || !g->rank || !g->idom || !g->loop || !g->outer || !g->header ||
        !g->dominated || !g->nested || !g->stack || !g->cursor || !g->mark)
        return false;
    memset(g->rank, 0xff, n * sizeof *g->rank);
    memset(g->idom, 0xff, n * sizeof *g->idom);
    memset(g->loop, 0xff, n * sizeof *g->loop);
    memset(g->outer, 0xff, n * sizeof *g->outer);
    return true;
}

/* Depth-first from the first block; what cannot be reached takes no part in anything. */
static void order_blocks(graph *g)
{
    uint32_t depth = 0;
    g->stack[depth++] = 0;
    g->rank[0] = ON_STACK;
    while (depth) {
        uint32_t block = g->stack[depth - 1];
        const sl_bb *bb = &g->cfg->block[block];
        if (g->cursor[block] < bb->succs) {
            int32_t next = bb->succ[g->cursor[block]++];
            if (next >= 0 && g->rank[next] == NONE) {
                g->rank[next] = ON_STACK;
                g->stack[depth++] = (uint32_t)next;
            }
        } else {
            g->rank[block] = g->ordered;
            g->order[g->ordered++] = block;
            depth--;
        }
    }
}

static void find_predecessors(graph *g)
{
    for (uint32_t i = 0; i < g->blocks; i++)
        for (uint32_t k = 0; g->rank[i] != NONE && k < g->cfg->block[i].succs; k++)
            if (g->cfg->block[i].succ[k] >= 0)
                g->first_pred[g->cfg->block[i].succ[k] + 1]++;
    for (uint32_t n = 0; n < g->blocks; n++)
        g->first_pred[n + 1] += g->first_pred[n];
    memcpy(g->cursor, g->first_pred, g->blocks * sizeof *g->cursor);
    for (uint32_t i = 0; i < g->blocks; i++)
        for (uint32_t k = 0; g->rank[i] != NONE && k < g->cfg->block[i].succs; k++)
            if (g->cfg->block[i].succ[k] >= 0)
                g->pred[g->cursor[g->cfg->block[i].succ[k]]++] = i;
}

static uint32_t intersect(const graph *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (g->rank[a] < g->rank[b])
            a = g->idom[a];
        while (g->rank[b] < g->rank[a])
            b = g->idom[b];
    }
    return a;
}

static void find_dominators(graph *g)
{
    bool changed = true;
    g->idom[0] = 0;
    while (changed) {
        changed = false;
        for (uint32_t i = g->ordered - 1; i-- > 0;) {
            uint32_t block = g->order[i], meet = NONE;
            for (uint32_t k = g->first_pred[block]; k < g->first_pred[block + 1]; k++) {
                uint32_t pred = g->pred[k];
                if (g->idom[pred] != NONE)
                    meet = meet == NONE ? pred : intersect(g, pred, meet);
            }
            changed |= meet != g->idom[block];
            g->idom[block] = meet;
        }
    }
    g->idom[0] = NONE;
}

/* Numbers the trees that `parent` makes, so that who is below whom can be told at once. Parents have higher ranks. */
static void number_trees(graph *g, const uint32_t *parent, struct subtree *tree)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < g->ordered; i++) {
        uint32_t block = g->order[i];
        tree[block].size++;
        if (parent[block] != NONE)
            tree[parent[block]].size += tree[block].size;
    }
    for (uint32_t i = g->ordered; i-- > 0;) { /* cursor: the next number below a block */
        uint32_t block = g->order[i], *next = parent[block] == NONE ? &roots : &g->cursor[parent[block]];
        tree[block].number = *next;
        g->cursor[block] = *next + 1;
        *next += tree[block].size;
    }
}

static bool below(const struct subtree *tree, uint32_t above, uint32_t block)
{
    return tree[block].number - tree[above].number < tree[above].size;
}

static bool dominates(const graph *g, uint32_t above, uint32_t block)
{
    return below(g->dominated, above, block);
}

/* ---- loops ---- */

/* The outermost loop found so far that has the block in it; the block itself where there is none. */
static uint32_t outermost(const graph *g, uint32_t block)
{
    while (g->outer[block] != NONE) {
        uint32_t next = g->outer[block];
        if (g->outer[next] != NONE)
            g->outer[block] = g->outer[next];
        block = next;
    }
    return block;
}

static void add_to_loop(graph *g, uint32_t header, uint32_t block, uint32_t *depth)
{
    block = outermost(g, block);
    if (block == header)
        return;
    g->loop[block] = g->outer[block] = header;
    g->stack[(*depth)++] = block;
}

/* Inner loops first: a block belongs to the first loop that takes it in, and stands for that loop from then on. */
static void find_loops(graph *g)
{
    for (uint32_t i = 0; i < g->ordered; i++) {
        uint32_t header = g->order[i], depth = 0;
        for (uint32_t k = g->first_pred[header]; k < g->first_pred[header + 1]; k++) {
            if (!dominates(g, header, g->pred[k]))
                continue;
            g->header[header] = true;
            add_to_loop(g, header, g->pred[k], &depth);
        }
        while (depth) {
            uint32_t block = g->stack[--depth];
            for (uint32_t k = g->first_pred[block]; k < g->first_pred[block + 1]; k++)
                add_to_loop(g, header, g->pred[k], &depth);
        }
    }
}

static uint32_t loop_of(const graph *g, uint32_t block)
{
    return g->header[block] ? block : g->loop[block];
}

static bool in_loop(const graph *g, uint32_t header, uint32_t block)
{
    return below(g->nested, header, block);
}

/* ---- joins ---- */

static uint32_t branch_above(graph *g, uint32_t block)
{
    uint32_t above = g->idom[block];
    while (above != NONE && g->work) {
        uint32_t loop = loop_of(g, above);
        if (loop == NONE || in_loop(g, loop, block)) /* then all loops around that one have the block in them, too */
            break;
        above = g->idom[loop];
        g->work--;
    }
    return above;
}

/* Ways merge in the block, or a loop is left to it. *from_within: a loop's next turn starts there from several
 * blocks. */
static bool is_join(const graph *g, uint32_t block, bool *from_within)
{
    uint32_t ahead = NONE, back = NONE;
    bool merges = false;
    *from_within = false;
    for (uint32_t k = g->first_pred[block]; k < g->first_pred[block + 1]; k++) {
        uint32_t pred = g->pred[k], loop = loop_of(g, pred);
        bool turns = dominates(g, block, pred);
        uint32_t *other = turns ? &back : &ahead;
        if (*other != NONE && *other != pred)
            *(turns ? from_within : &merges) = true;
        *other = pred;
        if (!turns && loop != NONE && !in_loop(g, loop, block))
            merges = true;
    }
    return merges || *from_within;
}

static bool add_to_region(graph *g, uint32_t block, uint32_t number)
{
    if (g->mark[block] == number + 1)
        return true;
    g->mark[block] = number + 1;
    return sl_array_push(&g->region, block);
}

/* Walks back from the join. False: out of memory. */
static bool find_region(graph *g, uint32_t block, bool from_within)
{
    uint32_t number = (uint32_t)g->joins.count;
    join found = {block, branch_above(g, block), (uint32_t)g->region.count, 0};
    g->mark[block] = number + 1;
    for (uint32_t k = g->first_pred[block]; k < g->first_pred[block + 1]; k++) {
        uint32_t pred = g->pred[k];
        if (pred != found.above && (from_within || !dominates(g, block, pred)) && !add_to_region(g, pred, number))
            return false;
    }
    for (size_t i = found.first; i < g->region.count; i++) {
        uint32_t at = g->region.items[i];
        for (uint32_t k = g->first_pred[at]; k < g->first_pred[at + 1]; k++)
            if (g->pred[k] != found.above && !add_to_region(g, g->pred[k], number))
                return false;
        uint64_t work = 1 + g->cfg->block[at].succs + g->first_pred[at + 1] - g->first_pred[at];
        if (work > g->work) { /* nobody meets there */
            g->region.count = found.first;
            return true;
        }
        g->work -= work;
    }
    found.size = (uint32_t)g->region.count - found.first;
    return sl_array_push(&g->joins, found);
}

static int by_size(const void *a, const void *b)
{
    const join *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->block > y->block ? -1 : x->block < y->block;
}

/* Two or more ways lead on from the block inside of the marked region. */
static bool parts(const graph *g, const sl_bb *bb, uint32_t mark)
{
    int32_t first = SL_BB_EXIT;
    for (uint32_t k = 0; k < bb->succs; k++) {
        int32_t to = bb->succ[k];
        if (to < 0 || g->mark[to] != mark)
            continue;
        if (first >= 0 && to != first)
            return true;
        first = to;
    }
    return false;
}

/* What a join means for a block of its region, or for the one above: counted first, stored in a second pass. */
static void note(const graph *g, const join *at, uint32_t mark, uint32_t block, bool above, bool store)
{
    sl_bb *bb = &g->cfg->block[block];
    bool meets = parts(g, bb, mark);
    if (meets) {
        if (store)
            ((int32_t *)bb->join)[bb->joins] = (int32_t)at->block;
        bb->joins++;
    }
    for (uint32_t k = 0; (meets || !above) && k < bb->succs; k++) {
        if (bb->succ[k] < 0 || g->mark[bb->succ[k]] == mark)
            continue;
        if (store)
            ((sl_leave *)bb->leave)[bb->leaves] = (sl_leave){bb->succ[k], (int32_t)at->block};
        bb->leaves++;
    }
}

static void note_all(graph *g, bool store)
{
    memset(g->mark, 0, g->blocks * sizeof *g->mark);
    for (uint32_t j = 0; j < g->joins.count; j++) {
        const join *at = &g->joins.items[j];
        const uint32_t *region = &g->region.items[at->first];
        g->mark[at->block] = j + 1;
        for (uint32_t i = 0; i < at->size; i++)
            g->mark[region[i]] = j + 1;
        for (uint32_t i = 0; i < at->size; i++)
            note(g, at, j + 1, region[i], false, store);
        if (at->above != NONE)
            note(g, at, j + 1, at->above, true, store);
    }
}

static bool keep(graph *g, sl_arena *arena)
{
    note_all(g, false);
    for (uint32_t i = 0; i < g->blocks; i++) {
        sl_bb *bb = &g->cfg->block[i];
        bb->join = bb->joins ? sl_arena_array(arena, int32_t, bb->joins) : NULL;
        bb->leave = bb->leaves ? sl_arena_array(arena, sl_leave, bb->leaves) : NULL;
        if ((bb->joins && !bb->join) || (bb->leaves && !bb->leave))
            return false;
        bb->joins = bb->leaves = 0;
    }
    note_all(g, true);
    return true;
}

bool sl_cfg_find_joins(sl_cfg *cfg, sl_arena *arena)
{
    if (!cfg->blocks)
        return true;
    graph g = {.cfg = cfg, .blocks = cfg->blocks, .work = (uint64_t)WORK_PER_BLOCK * cfg->blocks};
    sl_arena_init(&g.arena);
    bool ok = set_up(&g);
    if (ok) {
        order_blocks(&g);
        find_predecessors(&g);
        find_dominators(&g);
        number_trees(&g, g.idom, g.dominated);
        find_loops(&g);
        number_trees(&g, g.loop, g.nested);
    }
    for (uint32_t i = 0; i < g.blocks && ok; i++) {
        bool from_within;
        if (g.rank[i] != NONE && is_join(&g, i, &from_within))
            ok = find_region(&g, i, from_within);
    }
    if (ok && g.joins.count) {
        qsort(g.joins.items, g.joins.count, sizeof *g.joins.items, by_size);
        ok = keep(&g, arena);
    }
    sl_array_free(&g.region);
    sl_array_free(&g.joins);
    sl_arena_fini(&g.arena);
    return ok;
}
