/* SPDX-License-Identifier: MIT */
#include "ptx/uniform.h"

#include <string.h>

#include "base/array.h"
#include "sluice/trace.h"

enum { MAX_BLOCKS = 4096 }; /* of functions with more, no load is found uniform */

typedef struct flow {
    const sl_ptx_func *func;
    const sl_cfg *cfg;
    const sl_base_set *sets;
    bool *parts;          /* [regs]: may differ between lanes */
    uint8_t *definitions; /* [regs]: 0, 1, or 2 for more */
    bool *branched;       /* [blocks]: reached by some lanes of a branch, and left to where the others meet them */
    bool *seen;           /* [blocks]: its branch has been followed */
    bool *side, *leads;   /* [blocks]: of the branch that is being followed */
    uint32_t *stack;      /* [blocks] */
    bool changed;
    bool any_written; /* something in the kernel may write any array */
    SL_ARRAY(sl_base) written;
} flow;

/* ---- values ---- */

static bool is_of_lane(uint16_t special)
{
    switch (special) {
    case SL_SREG_TID:
    case SL_SREG_TID_X:
    case SL_SREG_TID_Y:
    case SL_SREG_TID_Z:
    case SL_SREG_LANEID:
    case SL_SREG_LANEMASK_EQ:
    case SL_SREG_LANEMASK_LE:
    case SL_SREG_LANEMASK_LT:
    case SL_SREG_LANEMASK_GE:
    case SL_SREG_LANEMASK_GT:
        return true;
    default:
        return false;
    }
}

static bool parts(const flow *f, const sl_ptx_operand *o)
{
    if (o->kind == SL_OPD_REG && f->parts[o->reg])
        return true;
    if (o->kind == SL_OPD_SPECIAL && is_of_lane(o->special))
        return true;
    for (uint32_t i = 0; i < o->count; i++)
        if (parts(f, &o->items[i]))
            return true;
    return false;
}

static bool any_parts(const flow *f, const sl_ptx_inst *inst, uint32_t first)
{
    for (uint32_t i = first; i < inst->operands; i++)
        if (parts(f, &inst->operand[i]))
            return true;
    return false;
}

/* Whether an access is to one memory that all lanes have, and to one array of it. A pointer that is a parameter does
 * not lead to memory of the block or the lane. */
static bool is_global(const flow *f, uint32_t i)
{
    const sl_base_set *set = &f->sets[i];
    sl_ptx_space space = sl_ptx_inst_space(&f->func->inst[i]);
    bool named = space == SL_SPACE_GLOBAL && set->item[0].kind == SL_BASE_SYMBOL;
    return set->count == 1 && !set->more && (space == SL_SPACE_GLOBAL || space == SL_SPACE_NONE) &&
           (named || set->item[0].kind == SL_BASE_PARAM);
}

/* Whether what an instruction makes differs between lanes, wherever it stands. */
static bool makes_parting(const flow *f, uint32_t i)
{
    const sl_ptx_inst *inst = &f->func->inst[i];
    uint16_t flags = sl_ptx_inst_flags(inst);
    uint8_t class = sl_ptx_inst_class(inst);
    uint32_t dsts = sl_ptx_inst_dsts(inst);
    if (flags & SL_OPF_CALL || class == SL_CLASS_WARP || class == SL_CLASS_TENSOR)
        return true;
    if (flags & SL_OPF_MEMORY) {
        sl_ptx_space space = sl_ptx_inst_space(inst);
        bool one_memory = space == SL_SPACE_GLOBAL || space == SL_SPACE_CONST || is_global(f, i);
        if (inst->op != SL_OP_LD || !one_memory)
            return true;
    }
    return any_parts(f, inst, sl_ptx_inst_updates(inst) ? 0 : dsts);
}

/* The registers that an operand names: `visit` for each. */
static void count_definition(flow *f, const sl_ptx_operand *o)
{
    if (o->kind == SL_OPD_REG && f->definitions[o->reg] < 2)
        f->definitions[o->reg]++;
    for (uint32_t i = 0; i < o->count; i++)
        count_definition(f, &o->items[i]);
}

/* `merges`: lanes may keep another definition's value. */
static void mark(flow *f, const sl_ptx_operand *o, bool all, bool merges)
{
    if (o->kind == SL_OPD_REG && !f->parts[o->reg] && (all || (merges && f->definitions[o->reg] > 1)))
        f->changed = f->parts[o->reg] = true;
    for (uint32_t i = 0; i < o->count; i++)
        mark(f, &o->items[i], all, merges);
}

static void define_all(flow *f)
{
    for (uint32_t i = 0; i < f->func->insts; i++) {
        const sl_ptx_inst *inst = &f->func->inst[i];
        uint32_t dsts = sl_ptx_inst_dsts(inst);
        bool all = makes_parting(f, i);
        bool merges = f->branched[f->cfg->block_of[i]] || (inst->guarded && f->parts[inst->guard]);
        for (uint32_t d = 0; (all || merges) && d < dsts && d < inst->operands; d++)
            mark(f, &inst->operand[d], all, merges);
    }
}

/* ---- branches ---- */

static bool is_join(const sl_bb *branch, int32_t block)
{
    for (uint32_t i = 0; i < branch->joins; i++)
        if (branch->join[i] == block)
            return true;
    return false;
}

/* What lanes that take one side reach before they meet the others, without passing the branch again. */
static void walk_side(flow *f, uint32_t branch, int32_t from)
{
    const sl_bb *b = &f->cfg->block[branch];
    uint32_t depth = 0;
    if (from < 0 || (uint32_t)from == branch || is_join(b, from) || f->side[from])
        return;
    f->side[from] = true;
    f->stack[depth++] = (uint32_t)from;
    while (depth) {
        const sl_bb *at = &f->cfg->block[f->stack[--depth]];
        for (uint32_t s = 0; s < at->succs; s++) {
            int32_t to = at->succ[s];
            if (to < 0 || (uint32_t)to == branch || is_join(b, to) || f->side[to])
                continue;
            f->side[to] = true;
            f->stack[depth++] = (uint32_t)to;
        }
    }
}

/* Of these, the blocks from which lanes come to where they meet the others: not the body of a loop that is only left at
 * the branch, in which all lanes that are left take the same turns. */
static void find_branched(flow *f, uint32_t branch)
{
    const sl_bb *b = &f->cfg->block[branch];
    memset(f->leads, 0, f->cfg->blocks * sizeof *f->leads);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = f->cfg->blocks; i-- > 0;) {
            const sl_bb *at = &f->cfg->block[i];
            bool leads = !b->joins;
            for (uint32_t s = 0; s < at->succs && !leads; s++)
                leads = is_join(b, at->succ[s]) || (at->succ[s] >= 0 && f->side[at->succ[s]] && f->leads[at->succ[s]]);
            if (!f->side[i] || !leads || f->leads[i])
                continue;
            more = f->leads[i] = true;
            f->changed |= !f->branched[i];
            f->branched[i] = true;
        }
    }
}

static void follow_branches(flow *f)
{
    for (uint32_t i = 0; i < f->cfg->blocks; i++) {
        const sl_bb *b = &f->cfg->block[i];
        const sl_ptx_inst *last = b->count ? &f->func->inst[b->first + b->count - 1] : NULL;
        if (f->seen[i] || b->succs < 2 || !last || !(sl_ptx_inst_flags(last) & SL_OPF_BRANCH))
            continue;
        if (!(last->guarded && f->parts[last->guard]) && !any_parts(f, last, 0))
            continue;
        f->seen[i] = true;
        memset(f->side, 0, f->cfg->blocks * sizeof *f->side);
        for (uint32_t s = 0; s < b->succs; s++)
            walk_side(f, i, b->succ[s]);
        find_branched(f, i);
    }
}

/* ---- loads ---- */

static bool same_base(const sl_base *a, const sl_base *b)
{
    return a->kind == b->kind &&
           (a->kind == SL_BASE_PARAM ? a->index == b->index && a->offset == b->offset : !strcmp(a->name, b->name));
}

static bool is_written(const flow *f, const sl_base *array)
{
    for (size_t i = 0; i < f->written.count; i++)
        if (same_base(&f->written.items[i], array))
            return true;
    return f->any_written;
}

/* What the kernel may write; false: out of memory. */
static bool find_written(flow *f)
{
    for (uint32_t i = 0; i < f->func->insts; i++) {
        const sl_ptx_inst *inst = &f->func->inst[i];
        uint16_t flags = sl_ptx_inst_flags(inst);
        sl_ptx_space space = sl_ptx_inst_space(inst);
        f->any_written |= flags & SL_OPF_CALL;
        if (!(flags & SL_OPF_MEMORY) || inst->op == SL_OP_LD || space == SL_SPACE_SHARED || space == SL_SPACE_LOCAL)
            continue;
        const sl_base_set *set = &f->sets[i];
        f->any_written |= !set->count || set->more;
        for (uint32_t k = 0; k < set->count; k++) {
            const sl_base *b = &set->item[k];
            bool known = b->kind == SL_BASE_PARAM || b->kind == SL_BASE_SYMBOL;
            f->any_written |= !known;
            if (known && !is_written(f, b) && !sl_array_push(&f->written, *b))
                return false;
        }
    }
    return true;
}

static bool is_strong(const sl_ptx_inst *inst)
{
    return sl_ptx_has(inst, SL_MOD_VOLATILE) || sl_ptx_has(inst, SL_MOD_RELAXED) || sl_ptx_has(inst, SL_MOD_ACQUIRE) ||
           sl_ptx_has(inst, SL_MOD_MMIO);
}

static bool is_uniform_load(const flow *f, uint32_t i)
{
    const sl_ptx_inst *inst = &f->func->inst[i];
    if (inst->op != SL_OP_LD || !(sl_ptx_inst_flags(inst) & SL_OPF_MEMORY) || is_strong(inst) || !is_global(f, i))
        return false;
    return !any_parts(f, inst, sl_ptx_inst_dsts(inst)) &&
           (sl_ptx_has(inst, SL_MOD_NC) || !is_written(f, &f->sets[i].item[0]));
}

sl_status sl_ptx_uniform_loads(const sl_ptx_func *func, const sl_cfg *cfg, const sl_base_set *sets, sl_arena *arena,
                               bool **uniform, sl_error *error)
{
    flow f = {.func = func, .cfg = cfg, .sets = sets};
    bool *result = sl_arena_array(arena, bool, func->insts + 1);
    f.parts = sl_arena_array(arena, bool, func->regs + 1);
    f.definitions = sl_arena_array(arena, uint8_t, func->regs + 1);
    f.branched = sl_arena_array(arena, bool, cfg->blocks + 1);
    f.seen = sl_arena_array(arena, bool, cfg->blocks + 1);
    f.side = sl_arena_array(arena, bool, cfg->blocks + 1);
    f.leads = sl_arena_array(arena, bool, cfg->blocks + 1);
    f.stack = sl_arena_array(arena, uint32_t, cfg->blocks + 1);
    if (!result || !f.parts || !f.definitions || !f.branched || !f.seen || !f.side || !f.leads || !f.stack)
        return sl_fail_memory(error);
    *uniform = result;
    if (!func->entry || cfg->blocks > MAX_BLOCKS) /* parameters of other functions may be anything */
        return SL_OK;
    for (uint32_t i = 0; i < func->insts; i++)
        for (uint32_t d = 0; d < sl_ptx_inst_dsts(&func->inst[i]) && d < func->inst[i].operands; d++)
            count_definition(&f, &func->inst[i].operand[d]);
    do {
        f.changed = false;
        define_all(&f);
        follow_branches(&f);
    } while (f.changed);
    bool fits = find_written(&f);
    for (uint32_t i = 0; i < func->insts && fits; i++)
        result[i] = is_uniform_load(&f, i);
    sl_array_free(&f.written);
    return fits ? SL_OK : sl_fail_memory(error);
}
