/* SPDX-License-Identifier: MIT */
/* Basic blocks and immediate post-dominators.
 *
 * Post-dominators follow Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", on the reversed graph. A
 * loop without a way out cannot reach the end of the function; its last block in the text is then taken to lead there,
 * so that branches inside the loop still reconverge. */
#include "ptx/cfg.h"

#include <string.h>

typedef struct builder {
    const sl_ptx_module *module;
    const sl_ptx_func *func;
    sl_arena *arena;
    sl_cfg *cfg;
    sl_error *error;
    bool *leader; /* [insts + 1] */
} builder;

/* ---- blocks ---- */

static void mark_targets(const builder *b, const sl_ptx_operand *operand)
{
    if (operand->kind == SL_OPD_SYMBOL && operand->label >= 0) {
        const sl_ptx_label *label = &b->func->label[operand->label];
        if (label->kind == SL_LABEL_CODE)
            b->leader[label->inst] = true;
    }
    for (uint32_t i = 0; i < operand->count; i++)
        mark_targets(b, &operand->items[i]);
}

/* Labels that nothing goes to (debug information is full of them) do not split blocks. */
static void mark_leaders(const builder *b)
{
    const sl_ptx_func *f = b->func;
    const uint16_t ends = SL_OPF_BRANCH | SL_OPF_EXIT | SL_OPF_CALL | SL_OPF_BARRIER;
    b->leader[0] = true;
    for (uint32_t i = 0; i < f->insts; i++) {
        uint16_t flags = sl_ptx_inst_flags(&f->inst[i]);
        if (flags & ends)
            b->leader[i + 1] = true;
        if (flags & SL_OPF_WARP_SYNC)
            b->leader[i] = true;
        for (uint32_t k = 0; k < f->inst[i].operands; k++)
            mark_targets(b, &f->inst[i].operand[k]);
    }
    for (uint32_t i = 0; i < f->labels; i++)
        for (uint32_t k = 0; f->label[i].target_label && k < f->label[i].targets; k++)
            b->leader[f->label[f->label[i].target_label[k]].inst] = true;
}

static sl_status make_blocks(const builder *b)
{
    uint32_t insts = b->func->insts, blocks = 0;
    for (uint32_t i = 0; i < insts; i++)
        blocks += b->leader[i];
    b->cfg->blocks = blocks;
    b->cfg->block = sl_arena_array(b->arena, sl_bb, blocks + 1);
    b->cfg->block_of = sl_arena_array(b->arena, uint32_t, insts + 1);
    if (!b->cfg->block || !b->cfg->block_of)
        return sl_fail_memory(b->error);
    blocks = 0;
    for (uint32_t i = 0; i < insts; i++) {
        if (b->leader[i])
            b->cfg->block[blocks++].first = i;
        b->cfg->block[blocks - 1].count++;
        b->cfg->block_of[i] = blocks - 1;
    }
    return SL_OK;
}

/* ---- edges ---- */

static int32_t block_at(const builder *b, uint32_t inst)
{
    return inst < b->func->insts ? (int32_t)b->cfg->block_of[inst] : SL_BB_EXIT;
}

static sl_status fail_target(const builder *b, const sl_ptx_inst *inst)
{
    const sl_ptx_operand *last = inst->operands ? &inst->operand[inst->operands - 1] : NULL;
    if (last && last->kind == SL_OPD_SYMBOL)
        return sl_fail_at(b->error, SL_SYNTAX, b->module->name, inst->line, inst->column,
                          "%s goes to %s, which is not a label of %s", inst->mnemonic, last->name, b->func->name);
    return sl_fail_at(b->error, SL_UNSUPPORTED, b->module->name, inst->line, inst->column,
                      "%s without a label to go to", inst->mnemonic);
}

/* The label or table that a branch names; NULL: none. */
static const sl_ptx_label *branch_label(const builder *b, const sl_ptx_inst *inst)
{
    if (!inst->operands)
        return NULL;
    const sl_ptx_operand *last = &inst->operand[inst->operands - 1];
    const sl_ptx_label *label = last->kind == SL_OPD_SYMBOL && last->label >= 0 ? &b->func->label[last->label] : NULL;
    uint8_t wanted = inst->op == SL_OP_BRX ? SL_LABEL_BRANCH_TARGETS : SL_LABEL_CODE;
    return label && label->kind == wanted ? label : NULL;
}

static sl_status make_edges(const builder *b, sl_bb *block)
{
    uint32_t next = block->first + block->count;
    const sl_ptx_inst *last = &b->func->inst[next - 1];
    uint16_t flags = sl_ptx_inst_flags(last);
    const sl_ptx_label *label = NULL;
    uint32_t taken = 0;
    if (flags & SL_OPF_BRANCH) {
        label = branch_label(b, last);
        if (!label)
            return fail_target(b, last);
        taken = last->op == SL_OP_BRX ? label->targets : 1;
    } else if (flags & SL_OPF_EXIT) {
        taken = 1;
    }
    bool falls_through = !taken || last->guarded;
    int32_t *succ = sl_arena_array(b->arena, int32_t, taken + falls_through);
    if (!succ)
        return sl_fail_memory(b->error);
    for (uint32_t i = 0; i < taken; i++) {
        if (!label)
            succ[i] = SL_BB_EXIT;
        else if (label->kind == SL_LABEL_CODE)
            succ[i] = block_at(b, label->inst);
        else
            succ[i] = block_at(b, b->func->label[label->target_label[i]].inst);
    }
    if (falls_through)
        succ[taken] = block_at(b, next);
    block->succ = succ;
    block->succs = taken + falls_through;
    return SL_OK;
}

static void mark_back_edges(sl_cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->blocks; i++)
        for (uint32_t k = 0; k < cfg->block[i].succs; k++) {
            int32_t to = cfg->block[i].succ[k];
            if (to >= 0 && (uint32_t)to <= i)
                cfg->block[to].back_edge_target = true;
        }
}

/* ---- post-dominators ---- */

/* The reversed graph. Node `blocks` is the exit. */
typedef struct reversed {
    const sl_cfg *cfg;
    uint32_t exit;
    uint32_t *first, *from;   /* the blocks that lead to node n: from[first[n] .. first[n + 1]) */
    bool *leads_out;          /* taken to lead to the exit, see the top of the file */
    uint32_t *order, ordered; /* nodes in post-order from the exit */
    uint32_t *rank;           /* node -> position in `order`; UINT32_MAX: not there yet */
    uint32_t *idom;           /* UINT32_MAX: not known yet */
    uint32_t *stack, *cursor;
} reversed;

static uint32_t node_of(const reversed *r, int32_t block)
{
    return block == SL_BB_EXIT ? r->exit : (uint32_t)block;
}

static bool reverse(reversed *r, const sl_cfg *cfg, sl_arena *arena)
{
    uint32_t nodes = cfg->blocks + 1, edges = 0;
    for (uint32_t i = 0; i < cfg->blocks; i++)
        edges += cfg->block[i].succs;
    *r = (reversed){.cfg = cfg, .exit = cfg->blocks};
    r->first = sl_arena_array(arena, uint32_t, nodes + 1);
    r->from = sl_arena_array(arena, uint32_t, edges + 1);
    r->leads_out = sl_arena_array(arena, bool, nodes);
    r->order = sl_arena_array(arena, uint32_t, nodes);
    r->rank = sl_arena_array(arena, uint32_t, nodes);
    r->idom = sl_arena_array(arena, uint32_t, nodes);
    r->stack = sl_arena_array(arena, uint32_t, nodes);
    r->cursor = sl_arena_array(arena, uint32_t, nodes);
    if (!r->first || !r->from || !r->leads_out || !r->order || !r->rank || !r->idom || !r->stack || !r->cursor)
        return false;
    for (uint32_t i = 0; i < cfg->blocks; i++)
        for (uint32_t k = 0; k < cfg->block[i].succs; k++)
            r->first[node_of(r, cfg->block[i].succ[k]) + 1]++;
    for (uint32_t n = 0; n < nodes; n++)
        r->first[n + 1] += r->first[n];
    memcpy(r->cursor, r->first, nodes * sizeof *r->cursor);
    for (uint32_t i = 0; i < cfg->blocks; i++)
        for (uint32_t k = 0; k < cfg->block[i].succs; k++)
            r->from[r->cursor[node_of(r, cfg->block[i].succ[k])]++] = i;
    memcpy(r->cursor, r->first, nodes * sizeof *r->cursor);
    memset(r->rank, 0xff, nodes * sizeof *r->rank);
    memset(r->idom, 0xff, nodes * sizeof *r->idom);
    return true;
}

#define UNSEEN   UINT32_MAX
#define ON_STACK (UINT32_MAX - 1)

/* Depth-first along the reversed edges from `root`; appends to the post-order. */
static void visit(reversed *r, uint32_t root)
{
    uint32_t depth = 0;
    r->stack[depth++] = root;
    r->rank[root] = ON_STACK;
    while (depth) {
        uint32_t node = r->stack[depth - 1];
        if (r->cursor[node] < r->first[node + 1]) {
            uint32_t next = r->from[r->cursor[node]++];
            if (r->rank[next] == UNSEEN) {
                r->rank[next] = ON_STACK;
                r->stack[depth++] = next;
            }
        } else {
            r->rank[node] = r->ordered;
            r->order[r->ordered++] = node;
            depth--;
        }
    }
}

/* The exit comes last in the post-order: what cannot reach it is visited first, from the last block backwards. */
static void order_nodes(reversed *r)
{
    uint32_t nodes = r->exit + 1;
    visit(r, r->exit);
    bool complete = r->ordered == nodes;
    for (uint32_t i = r->exit; i-- > 0 && !complete;)
        if (r->rank[i] == UNSEEN) {
            r->leads_out[i] = true;
            visit(r, i);
        }
    if (complete)
        return;
    /* the pseudo-edges are part of the graph now: once more, with the exit's extra predecessors as further roots */
    r->ordered = 0;
    memset(r->rank, 0xff, nodes * sizeof *r->rank);
    memcpy(r->cursor, r->first, nodes * sizeof *r->cursor);
    r->rank[r->exit] = ON_STACK;
    for (uint32_t i = r->exit; i-- > 0;)
        if (r->leads_out[i] && r->rank[i] == UNSEEN)
            visit(r, i);
    visit(r, r->exit);
}

static uint32_t intersect(const reversed *r, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (r->rank[a] < r->rank[b])
            a = r->idom[a];
        while (r->rank[b] < r->rank[a])
            b = r->idom[b];
    }
    return a;
}

static uint32_t meet_of_successors(const reversed *r, uint32_t node)
{
    const sl_bb *block = &r->cfg->block[node];
    uint32_t meet = r->leads_out[node] ? r->exit : UINT32_MAX;
    for (uint32_t k = 0; k < block->succs; k++) {
        uint32_t succ = node_of(r, block->succ[k]);
        if (r->idom[succ] == UINT32_MAX)
            continue;
        meet = meet == UINT32_MAX ? succ : intersect(r, succ, meet);
    }
    return meet;
}

static void find_post_dominators(reversed *r)
{
    bool changed = true;
    r->idom[r->exit] = r->exit;
    while (changed) {
        changed = false;
        for (uint32_t i = r->ordered - 1; i-- > 0;) {
            uint32_t node = r->order[i], meet = meet_of_successors(r, node);
            if (meet != r->idom[node]) {
                r->idom[node] = meet;
                changed = true;
            }
        }
    }
}

sl_status sl_cfg_build(const sl_ptx_module *module, const sl_ptx_func *func, sl_arena *arena, sl_cfg *cfg,
                       sl_error *error)
{
    *cfg = (sl_cfg){0};
    builder b = {module, func, arena, cfg, error, sl_arena_array(arena, bool, func->insts + 1)};
    if (!b.leader)
        return sl_fail_memory(error);
    mark_leaders(&b);
    sl_status status = make_blocks(&b);
    for (uint32_t i = 0; i < cfg->blocks && status == SL_OK; i++)
        status = make_edges(&b, &cfg->block[i]);
    if (status != SL_OK)
        return status;
    mark_back_edges(cfg);
    reversed r;
    if (!reverse(&r, cfg, arena))
        return sl_fail_memory(error);
    order_nodes(&r);
    find_post_dominators(&r);
    for (uint32_t i = 0; i < cfg->blocks; i++)
        cfg->block[i].ipdom = r.idom[i] == r.exit ? SL_BB_EXIT : (int32_t)r.idom[i];
    return SL_OK;
}
