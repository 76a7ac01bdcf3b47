/* SPDX-License-Identifier: MIT */
/* How a warp runs its kernel: one basic block after another, with lanes that diverge and reconverge.
 *
 * Lanes that run together are a split. A divergent branch makes reconvergence points at its joins (ptx/joins.c) and one
 * split per direction; a split that reaches such a block waits there until all lanes of the point that are still alive
 * and on their way to it have arrived. Splits are taken like a stack, so that without waiting the order is that of a
 * reconvergence stack. Two things differ from such a stack, and give every lane progress: splits that wait (at a
 * barrier, for lanes of the warp) let the others run, and a split in a spinning loop yields to the others, in the end
 * also to lanes that already wait at its reconvergence point: those continue without it. So do lanes whose
 * reconvergence point cannot be reached because the rest of its lanes are at a barrier. Splits that find themselves at
 * the same block with the same reconvergence point merge again. */
#include <stdlib.h>
#include <string.h>

#include "emu/warp.h"
#include "emu/warp_mask.h"

enum {
    SPIN_TURNS = 64,     /* back edges of a spinning loop before it gives way */
    PAUSE_TURNS = 4096,  /* …of any loop before the warp pauses */
    STUCK_PAUSES = 4096, /* pauses before any loop is taken to be spinning */
    PATIENCE = 8,        /* idle turns of the block before lanes that wait for a spinning split continue */
    FIRST_SLICE = 16,    /* instructions of the first turn behind a barrier; each further turn is twice as long */
    WAIT_CYCLES = 4096,  /* that pass per turn of a loop that waits for a time to come */
    FIRST_RECONVERGENCES = 16,
};

const void *sl_warp_operand(const sl_warp *warp, uint32_t ref)
{
    return warp->area[ref >> SL_AREA_SHIFT] + (ref & SL_AREA_MASK);
}

void sl_warp_set_mask(sl_warp *warp, uint64_t mask)
{
    set_mask(warp, mask);
}

/* ---- splits and reconvergence points ---- */

void sl_warp_push(sl_warp *warp, sl_warp_split split)
{
    warp->split[warp->splits++] = split;
}

void sl_warp_enter_frame(sl_warp *warp)
{
    warp->area[SL_AREA_FRAME] = warp->registers + warp->now.frame;
    warp->local_base = warp->now.local;
}

/* Both are about to run the same block, for the same reconvergence point. */
ALWAYS bool same_location(const sl_warp_split *a, const sl_warp_split *b)
{
    return a->bb == b->bb && a->reconvergence == b->reconvergence && a->frame == b->frame && a->local == b->local &&
           a->state == SL_SPLIT_READY && b->state == SL_SPLIT_READY && !a->ops_done && !b->ops_done && !a->released &&
           !b->released;
}

ALWAYS void merge_into_now(sl_warp *warp)
{
    for (uint32_t i = warp->splits; i-- > 0;) {
        if (!same_location(&warp->now, &warp->split[i]))
            continue;
        warp->now.mask |= warp->split[i].mask;
        sl_warp_remove_split(warp, i);
    }
}

void sl_warp_merge(sl_warp *warp)
{
    for (uint32_t i = 0; i < warp->splits; i++) {
        for (uint32_t k = warp->splits; k-- > i + 1;) {
            if (!same_location(&warp->split[i], &warp->split[k]))
                continue;
            warp->split[i].mask |= warp->split[k].mask;
            sl_warp_remove_split(warp, k);
        }
    }
}

ALWAYS void make_current(sl_warp *warp, uint32_t index)
{
    warp->now = warp->split[index];
    sl_warp_remove_split(warp, index);
    warp->has_now = true;
    merge_into_now(warp);
    set_mask(warp, warp->now.mask);
    sl_warp_enter_frame(warp);
}

static int32_t reconvergence_block(const sl_warp *warp, int32_t reconvergence)
{
    if (reconvergence < 0)
        return SL_NO_RECONVERGENCE;
    return warp->reconvergence[reconvergence].call ? SL_BB_EXIT : warp->reconvergence[reconvergence].bb;
}

int32_t sl_warp_new_reconvergence(sl_warp *warp, uint32_t inst)
{
    int32_t parent = warp->now.reconvergence;
    int32_t index = warp->free_reconvergence;
    if (index >= 0) {
        warp->free_reconvergence = warp->reconvergence[index].parent;
    } else {
        if (warp->reconvergences == warp->reconvergence_capacity) {
            uint32_t capacity = warp->reconvergence_capacity ? 2 * warp->reconvergence_capacity : FIRST_RECONVERGENCES;
            sl_reconvergence *grown = realloc(warp->reconvergence, capacity * sizeof *grown);
            if (!grown)
                sl_fault_raise(warp, inst, -1, SL_FAULT_STACK, "too many levels of calls and divergence");
            warp->reconvergence = grown;
            warp->reconvergence_capacity = capacity;
        }
        index = (int32_t)warp->reconvergences++;
    }
    warp->reconvergence[index] = (sl_reconvergence){
        .mask = warp->now.mask, .parent = parent, .frame = warp->now.frame, .local = warp->now.local, .used = true};
    if (parent >= 0)
        warp->reconvergence[parent].inner++;
    return index;
}

static void free_reconvergence(sl_warp *warp, int32_t index)
{
    sl_reconvergence *freed = &warp->reconvergence[index];
    if (freed->parent >= 0)
        warp->reconvergence[freed->parent].inner--;
    freed->used = false;
    freed->parent = warp->free_reconvergence;
    warp->free_reconvergence = index;
}

static void exit_lanes(sl_warp *warp, uint64_t mask)
{
    warp->live &= ~mask;
    sl_block_exited(warp->block, (uint32_t)__builtin_popcountll(mask));
}

/* The first reconvergence point from `index` outwards that waits for any of the lanes; -1: none does. */
static int32_t awaited_at(const sl_warp *warp, int32_t index, uint64_t mask)
{
    while (index >= 0 && !(warp->reconvergence[index].mask & mask))
        index = warp->reconvergence[index].parent;
    return index;
}

/* Lets lanes continue from a reconvergence point when all that are left have come; then the same for its parent where
 * that follows. */
static void settle(sl_warp *warp, int32_t index)
{
    while (index >= 0) {
        const sl_reconvergence *reconvergence = &warp->reconvergence[index];
        if (reconvergence->inner || reconvergence->mask & warp->live & ~reconvergence->arrived)
            return;
        uint64_t mask = reconvergence->arrived & warp->live;
        int32_t outer = reconvergence->parent, parent = awaited_at(warp, outer, mask);
        free_reconvergence(warp, index); /* all but its parent is still there */
        if (mask && reconvergence->call)
            sl_warp_return_values(warp, reconvergence, mask);
        bool at_exit = mask && !reconvergence->call && reconvergence->bb == SL_BB_EXIT;
        bool at_parent = mask && parent >= 0 && (at_exit || reconvergence->bb == reconvergence_block(warp, parent));
        if (mask && at_parent)
            warp->reconvergence[parent].arrived |= mask;
        else if (at_exit)
            exit_lanes(warp, mask);
        else if (mask)
            sl_warp_push(warp, (sl_warp_split){.mask = mask,
                                               .bb = reconvergence->bb,
                                               .reconvergence = parent,
                                               .reconverge = reconvergence_block(warp, parent),
                                               .frame = reconvergence->frame,
                                               .local = reconvergence->local});
        index = outer;
    }
}

/* The running split stops running (its lanes have arrived, exited or were given to others). */
static void retire_split(sl_warp *warp)
{
    warp->has_now = false;
}

/* Takes lanes out of the reconvergence points from `first` up to, but not including, `end`. */
static void stop_waiting(sl_warp *warp, uint64_t mask, int32_t first, int32_t end)
{
    for (int32_t j = first; j != end; j = warp->reconvergence[j].parent)
        warp->reconvergence[j].mask &= ~mask;
}

/* Lanes that return arrive at the reconvergence point of their call, whatever they would have reached before. */
static int32_t arrive_at_call(sl_warp *warp, uint64_t mask, int32_t first)
{
    int32_t call = first;
    while (!warp->reconvergence[call].call)
        call = warp->reconvergence[call].parent;
    stop_waiting(warp, mask, first, call);
    warp->reconvergence[call].arrived |= mask;
    return call;
}

/* A split goes from `bb` to `target`: the joins that it will not reach that way no longer wait for it. Returns the
 * innermost point, to be settled when the split is where it goes; -1: nothing changed. */
static int32_t leave_regions(sl_warp *warp, const sl_code_bb *bb, sl_warp_split *split, int32_t target)
{
    const uint32_t *leave = &warp->code->list[bb->leave];
    sl_reconvergence *at = warp->reconvergence;
    int32_t first = split->reconvergence, left = -1;
    for (int32_t j = first; j >= 0 && !at[j].call; j = at[j].parent) {
        for (uint32_t i = 0; i < bb->leaves; i++) {
            if (leave[2 * i] != (uint32_t)target || leave[2 * i + 1] != (uint32_t)at[j].bb)
                continue;
            at[j].mask &= ~split->mask;
            left = first;
        }
    }
    if (left >= 0) {
        split->reconvergence = awaited_at(warp, first, split->mask);
        split->reconverge = reconvergence_block(warp, split->reconvergence);
    }
    return left;
}

/* Sends the running split to a block; `bb` is the one that it leaves, NULL when that was done already. */
static void go(sl_warp *warp, const sl_code_bb *bb, int32_t target)
{
    sl_warp_split *now = &warp->now;
    int32_t left = bb && bb->leaves ? leave_regions(warp, bb, now, target) : -1;
    int32_t reconvergence = now->reconvergence, call = -1;
    if (target == now->reconverge) {
        warp->reconvergence[reconvergence].arrived |= now->mask;
        retire_split(warp);
    } else if (target == SL_BB_EXIT && now->frame) {
        call = arrive_at_call(warp, now->mask, reconvergence);
        retire_split(warp);
    } else if (target == SL_BB_EXIT) { /* the end of the kernel */
        uint64_t mask = now->mask;
        retire_split(warp);
        exit_lanes(warp, mask);
    } else {
        now->bb = target;
        if (left >= 0)
            settle(warp, left);
        return;
    }
    /* from the inside out: settling one may settle those around it */
    if (left >= 0)
        settle(warp, left);
    if (reconvergence >= 0 && warp->reconvergence[reconvergence].used)
        settle(warp, reconvergence);
    if (call >= 0 && warp->reconvergence[call].used)
        settle(warp, call);
}

/* Makes the running split head for a new reconvergence point at `bb`, which all its lanes will reach. */
int32_t sl_warp_part_ways(sl_warp *warp, int32_t bb)
{
    sl_warp_split *now = &warp->now;
    if (bb == now->reconverge || (bb == SL_BB_EXIT && now->reconvergence < 0))
        return now->reconvergence; /* the reconvergence point is there already, or leaving needs none */
    int32_t index = sl_warp_new_reconvergence(warp, warp->code->bb[now->bb].first_inst);
    warp->reconvergence[index].bb = bb;
    now->reconvergence = index;
    now->reconverge = bb;
    return index;
}

/* Lanes that part at the end of `bb` will meet at its joins: how many of the innermost have no point yet. */
ALWAYS uint32_t missing_joins(const sl_warp *warp, const sl_code_bb *bb)
{
    const uint32_t *join = &warp->code->list[bb->join];
    const sl_reconvergence *at = warp->reconvergence;
    for (int32_t j = warp->now.reconvergence; j >= 0 && !at[j].call; j = at[j].parent)
        for (uint32_t i = 0; i < bb->joins; i++)
            if (join[i] == (uint32_t)at[j].bb)
                return i;
    return bb->joins;
}

/* Makes points for the joins from `first` up to, but not including, `end`. */
static void expect_joins(sl_warp *warp, const sl_code_bb *bb, uint32_t first, uint32_t end)
{
    for (; end > first; end--)
        sl_warp_part_ways(warp, (int32_t)warp->code->list[bb->join + end - 1]);
}

/* Sends some of the lanes that were together to a block; the rest of them is still to be sent, so that nothing settles
 * yet. */
static void send_part(sl_warp *warp, const sl_code_bb *bb, uint64_t mask, int32_t target)
{
    if (!bb->leaves && target == warp->now.reconverge) {
        warp->reconvergence[warp->now.reconvergence].arrived |= mask;
        warp->now.mask &= ~mask;
        return;
    }
    sl_warp_split *part = &warp->split[warp->splits]; /* made where it will be */
    *part = warp->now;
    part->mask = mask;
    part->bb = target;
    warp->now.mask &= ~mask;
    if (bb->leaves)
        leave_regions(warp, bb, part, target);
    if (target == part->reconverge)
        warp->reconvergence[part->reconvergence].arrived |= mask;
    else if (target == SL_BB_EXIT && part->frame)
        arrive_at_call(warp, mask, part->reconvergence);
    else if (target == SL_BB_EXIT)
        exit_lanes(warp, mask);
    else
        warp->splits++;
}

/* The same where it mostly stays in its region. */
ALWAYS void move(sl_warp *warp, const sl_code_bb *bb, int32_t target)
{
    if (!bb->leaves && target >= 0 && target != warp->now.reconverge)
        warp->now.bb = target;
    else
        go(warp, bb, target);
}

/* What a block does but for its end. */
ALWAYS void run_ops(sl_warp *warp, const sl_code_bb *bb)
{
    for (const sl_op *op = bb->op, *end = op + bb->ops; op < end; op++)
        op->run(warp, op);
}

ALWAYS uint64_t guarded_mask(const sl_warp *warp, const sl_code_bb *bb)
{
    if (bb->guard == SL_REF_NONE)
        return warp->mask;
    uint64_t bits = bits_of(warp, bb->guard);
    return warp->mask & (bb->guard_negated ? ~bits : bits);
}

/* What lanes that part have run. */
typedef struct parted {
    uint64_t insts, thread_insts, blocks;
} parted;

ALWAYS int32_t follow(parted *ran, sl_arm arm, uint32_t lanes)
{
    ran->insts += arm.insts;
    ran->thread_insts += (uint64_t)arm.insts * lanes;
    ran->blocks += arm.blocks;
    return arm.to;
}

/* Runs `ways` that end where lanes meet, the last of them first; branches on the way make further ones. */
typedef struct way {
    uint64_t mask;
    int32_t from, to;
} way;

ALWAYS void run_ways(sl_warp *warp, way *ways, uint32_t left, parted *ran)
{
    const sl_code_bb *bbs = warp->code->bb;
    while (left) {
        way now = ways[--left];
        while (now.from != now.to) {
            const sl_code_bb *bb = &bbs[now.from];
            if (now.mask != warp->mask)
                set_mask(warp, now.mask);
            uint32_t lanes = warp->active;
            ran->insts += bb->insts;
            ran->thread_insts += (uint64_t)bb->insts * lanes;
            ran->blocks++;
            run_ops(warp, bb);
            uint64_t taken = bb->term == SL_TERM_BRANCH ? guarded_mask(warp, bb) : 0;
            if (!taken || taken == now.mask) {
                now.from = follow(ran, bb->arm[taken || bb->term == SL_TERM_JUMP], lanes);
                continue;
            }
            uint32_t parting = (uint32_t)__builtin_popcountll(taken);
            ways[left++] = (way){now.mask, bb->meet, now.to};
            ways[left++] = (way){now.mask & ~taken, follow(ran, bb->arm[0], lanes - parting), bb->meet};
            now = (way){taken, follow(ran, bb->arm[1], parting), bb->meet};
        }
    }
}

/* Lanes that part at the end of `bb` only to compute until they meet again run at once, one direction after the other:
 * no reconvergence point, and no split that waits for its turn. False: they do more, or somebody looks. */
ALWAYS bool compute_apart(sl_warp *warp, const sl_code_bb *bb, uint64_t taken)
{
    sl_worker *worker = warp->worker;
    way ways[SL_MAX_APART + 2];
    parted ran = {0};
    int32_t meet = bb->meet;
    if (meet < 0 || warp->stream || worker->clock + bb->apart >= warp->slice_end)
        return false;
    uint32_t missing = missing_joins(warp, bb), parting = (uint32_t)__builtin_popcountll(taken);
    if (!missing && meet != warp->now.reconverge) /* there is a point between */
        return false;
    expect_joins(warp, bb, 1, missing);
    ways[0] = (way){warp->now.mask & ~taken, follow(&ran, bb->arm[0], warp->active - parting), meet};
    ways[1] = (way){taken, follow(&ran, bb->arm[1], parting), meet};
    run_ways(warp, ways, 2, &ran);
    worker->clock += ran.insts;
    worker->thread_insts += ran.thread_insts;
    worker->steps += ran.blocks;
    warp->now.bb = meet;
    if (meet == warp->now.reconverge)
        go(warp, NULL, meet);
    else
        merge_into_now(warp);
    return true;
}

ALWAYS void diverge(sl_warp *warp, const sl_code_bb *bb, uint64_t taken_mask, int32_t taken, int32_t next)
{
    expect_joins(warp, bb, 0, missing_joins(warp, bb));
    send_part(warp, bb, taken_mask, taken);
    move(warp, bb, next);
    if (warp->has_now)
        set_mask(warp, warp->now.mask);
}

/* The lanes of `subset` continue to the terminator's work; the others wait for them at `next`. */
static void narrow(sl_warp *warp, uint64_t subset, int32_t next)
{
    uint64_t others = warp->now.mask & ~subset;
    if (!others)
        return;
    int32_t reconvergence = sl_warp_part_ways(warp, next);
    warp->reconvergence[reconvergence].arrived |= others;
    warp->now.mask = subset;
    set_mask(warp, subset);
}

/* ---- making way ---- */

static void park(sl_warp *warp, sl_split_state state)
{
    warp->now.state = (uint8_t)state;
    /* under the others: they run first */
    memmove(&warp->split[1], &warp->split[0], warp->splits * sizeof *warp->split);
    warp->split[0] = warp->now;
    warp->splits++;
    retire_split(warp);
}

/* Looks for lanes that wait at a reconvergence point of blocked or spinning lanes, from the innermost on: they continue
 * without those. */
static bool release_waiting(sl_warp *warp, int32_t first)
{
    for (int32_t j = first; j >= 0; j = warp->reconvergence[j].parent) {
        sl_reconvergence *reconvergence = &warp->reconvergence[j];
        uint64_t mask = reconvergence->arrived & warp->live;
        if (!mask)
            continue;
        reconvergence->mask &= ~mask;
        reconvergence->arrived = 0;
        if (!reconvergence->call && reconvergence->bb == SL_BB_EXIT) { /* a function ends at the point of its call */
            if (reconvergence->parent >= 0) {
                warp->reconvergence[reconvergence->parent].arrived |= mask;
                continue;
            }
            exit_lanes(warp, mask);
            return true;
        }
        if (reconvergence->call)
            sl_warp_return_values(warp, reconvergence, mask);
        int32_t parent = awaited_at(warp, reconvergence->parent, mask);
        sl_warp_push(warp, (sl_warp_split){.mask = mask,
                                           .bb = reconvergence->bb,
                                           .reconvergence = parent,
                                           .reconverge = reconvergence_block(warp, parent),
                                           .frame = reconvergence->frame,
                                           .local = reconvergence->local});
        return true;
    }
    return false;
}

/* The last split that is ready runs next; false: there is none. */
ALWAYS bool choose_ready(sl_warp *warp)
{
    for (uint32_t i = warp->splits; i-- > 0;) {
        if (warp->split[i].state == SL_SPLIT_READY) {
            make_current(warp, i);
            return true;
        }
    }
    return false;
}

static __attribute__((noinline)) bool choose(sl_warp *warp)
{
    if (choose_ready(warp))
        return true;
    /* Lanes may have exited since others began to wait for them. */
    uint64_t parked = sl_warp_parked(warp);
    for (uint32_t i = warp->splits; i-- > 0 && parked;) {
        sl_warp_split *split = &warp->split[i];
        if (split->state != SL_SPLIT_WARP_SYNC)
            continue;
        if (!sl_warp_satisfied(warp, split, parked))
            continue;
        split->state = SL_SPLIT_READY;
        make_current(warp, i);
        return true;
    }
    /* All that are left are blocked: lanes that wait for them at a reconvergence point continue. */
    for (uint32_t i = warp->splits; i-- > 0;) {
        if (!release_waiting(warp, warp->split[i].reconvergence))
            continue;
        if (warp->split[warp->splits - 1].state != SL_SPLIT_READY)
            return choose(warp);
        make_current(warp, warp->splits - 1);
        return true;
    }
    return false;
}

static uint64_t ready_lanes(const sl_warp *warp)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < warp->splits; i++)
        if (warp->split[i].state == SL_SPLIT_READY)
            mask |= warp->split[i].mask;
    return mask;
}

/* After a back edge: true when the warp should stop running for now. */
static bool turn(sl_warp *warp, const sl_code_bb *bb, sl_warp_stop *stop)
{
    warp->turns++;
    if (bb->term == SL_TERM_JUMP || bb->term == SL_TERM_BRANCH)
        warp->calls = 0;
    warp->spin_turns += bb->spins;
    warp->worker->waited += bb->times ? WAIT_CYCLES : 0;
    bool spins = warp->spin_turns >= SPIN_TURNS;
    if (!spins && warp->turns < PAUSE_TURNS)
        return false;
    sl_warp_check_limit(warp, bb->first_inst);
    warp->turns = 0;
    *stop = SL_WARP_PAUSED;
    if (!spins && ++warp->pauses % STUCK_PAUSES)
        return true;
    warp->spin_turns = 0;
    warp->spun |= warp->now.mask;
    if (warp->block->cluster->idle_rounds >= PATIENCE)
        release_waiting(warp, warp->now.reconvergence);
    uint64_t others = ready_lanes(warp);
    if (others) /* to the bottom of the stack */
        park(warp, SL_SPLIT_READY);
    *stop = SL_WARP_SPINS;
    return !(others & ~warp->spun);
}

/* ---- running ---- */

static void branch_table(sl_warp *warp, const sl_code_bb *bb)
{
    const uint32_t *index = sl_warp_operand(warp, bb->pred), *target = &warp->code->list[bb->list];
    uint32_t inst = bb->first_inst + bb->insts - 1;
    int32_t to[SL_MAX_LANES];
    uint64_t left = warp->mask, chosen = guarded_mask(warp, bb);
    for (uint64_t m = left; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        bool jumps = chosen >> lane & 1;
        if (jumps && index[lane] >= bb->list_count)
            sl_fault_raise(warp, inst, lane, SL_FAULT_ILLEGAL_INSTRUCTION,
                           "branch index %u is outside of a table of %u", index[lane], bb->list_count);
        to[lane] = jumps ? (int32_t)target[index[lane]] : bb->next;
    }
    for (;;) {
        int32_t where = to[__builtin_ctzll(left)];
        uint64_t same = 0;
        for (uint64_t m = left; m; m &= m - 1)
            if (to[__builtin_ctzll(m)] == where)
                same |= m & -m;
        left &= ~same;
        if (!left) {
            set_mask(warp, same);
            go(warp, bb, where);
            return;
        }
        expect_joins(warp, bb, 0, missing_joins(warp, bb));
        send_part(warp, bb, same, where);
    }
}

/* Returns from the function (or exits the kernel, with `exits`) where the guard holds. */
static void return_lanes(sl_warp *warp, const sl_code_bb *bb, bool exits)
{
    uint64_t mask = guarded_mask(warp, bb);
    if (!mask) {
        go(warp, bb, bb->next);
        return;
    }
    uint64_t rest = warp->mask & ~mask;
    if (exits) {
        int32_t reconvergence = warp->now.reconvergence;
        if (!rest)
            retire_split(warp);
        warp->now.mask = rest;
        exit_lanes(warp, mask);
        if (rest) {
            set_mask(warp, rest);
            go(warp, bb, bb->next);
        } else {
            settle(warp, reconvergence);
        }
        return;
    }
    if (!rest)
        go(warp, bb, SL_BB_EXIT);
    else
        diverge(warp, bb, mask, SL_BB_EXIT, bb->next);
}

ALWAYS void terminate(sl_warp *warp, const sl_code_bb *bb)
{
    switch ((sl_term_kind)bb->term) {
    case SL_TERM_FALL:
        move(warp, bb, bb->next);
        return;
    case SL_TERM_JUMP:
        move(warp, bb, bb->taken);
        return;
    case SL_TERM_BRANCH: {
        uint64_t taken = guarded_mask(warp, bb);
        if (taken == warp->mask)
            move(warp, bb, bb->taken);
        else if (!taken)
            move(warp, bb, bb->next);
        else if (!compute_apart(warp, bb, taken))
            diverge(warp, bb, taken, bb->taken, bb->next);
        else if (warp->has_now)
            set_mask(warp, warp->now.mask);
        return;
    }
    case SL_TERM_TABLE:
        branch_table(warp, bb);
        return;
    case SL_TERM_RETURN:
        return_lanes(warp, bb, false);
        return;
    case SL_TERM_EXIT:
        return_lanes(warp, bb, true);
        return;
    default:
        break;
    }
    uint64_t mask = guarded_mask(warp, bb);
    if (!mask) {
        go(warp, bb, bb->next);
        return;
    }
    if (bb->term == SL_TERM_TRAP)
        sl_fault_raise(warp, bb->first_inst + bb->insts - 1, __builtin_ctzll(mask), SL_FAULT_TRAP, "trap");
    narrow(warp, mask, bb->next);
    switch ((sl_term_kind)bb->term) {
    case SL_TERM_CALL:
        sl_warp_count_call(warp, bb);
        sl_warp_call(warp, bb, bb->call->function, bb->next);
        return;
    case SL_TERM_CALL_INDIRECT:
        sl_warp_count_call(warp, bb);
        sl_warp_call_indirect(warp, bb);
        return;
    case SL_TERM_CALL_BUILTIN:
        sl_warp_count_call(warp, bb);
        sl_builtin_call(warp, bb);
        go(warp, bb, bb->next);
        return;
    case SL_TERM_BARRIER: {
        warp->now.wait_bb = (int32_t)(bb - warp->code->bb);
        bool waits = sl_block_barrier(warp->block, warp, bb);
        /* Where it continues is settled first: a reconvergence point that follows the barrier is reached only after it.
         */
        if (waits) {
            warp->now.bb = bb->next;
            park(warp, SL_SPLIT_BARRIER);
        } else {
            go(warp, bb, bb->next);
            if (warp->has_now) {
                merge_into_now(warp); /* with those that were released */
                set_mask(warp, warp->now.mask);
            }
        }
        return;
    }
    default:
        return;
    }
}

static bool takes_turns(const sl_warp *warp)
{
    return warp->block->warps > 1 || warp->block->cluster->blocks > 1;
}

void sl_warp_past_barrier(sl_warp *warp)
{
    if (!takes_turns(warp))
        return;
    warp->slice = FIRST_SLICE;
    warp->slice_end = warp->worker->clock + warp->slice;
}

void sl_warp_yield(sl_warp *warp)
{
    if (!takes_turns(warp))
        return;
    warp->slice = FIRST_SLICE;
    warp->slice_end = warp->worker->clock;
}

void sl_warp_start(sl_warp *warp)
{
    const sl_code_function *kernel = &warp->code->function[0];
    warp->splits = warp->reconvergences = 0;
    warp->turns = warp->spin_turns = warp->pauses = 0;
    warp->calls = 0;
    warp->ran = 0;
    memset(warp->group, 0, sizeof warp->group);
    warp->slice = warp->code->has_barriers && takes_turns(warp) ? FIRST_SLICE : UINT64_MAX / 2;
    warp->free_reconvergence = -1;
    warp->live = warp->exists;
    warp->lanes = warp->lane_words;
    warp->now = (sl_warp_split){
        .mask = warp->live, .bb = (int32_t)kernel->entry_bb, .reconvergence = -1, .reconverge = SL_NO_RECONVERGENCE};
    warp->has_now = true;
    set_mask(warp, warp->live);
    sl_warp_enter_frame(warp);
    sl_warp_zero_registers(warp, kernel);
}

ALWAYS sl_warp_stop run_warp(sl_warp *warp)
{
    const sl_code *code = warp->code;
    sl_worker *worker = warp->worker;
    warp->spun = 0;
    warp->slice_end = worker->clock + warp->slice;
    warp->resumed = worker->clock;
    sl_warp_check_limit(warp, UINT32_MAX);
    for (;;) {
        if (!warp->has_now && !choose_ready(warp) && !choose(warp))
            return warp->live ? SL_WARP_WAITING : SL_WARP_DONE;
        int32_t index = warp->now.bb;
        if (index == warp->now.reconverge || index == SL_BB_EXIT) { /* a barrier was right in front of it */
            go(warp, NULL, index);
            continue;
        }
        const sl_code_bb *bb = &code->bb[index];
        if (!warp->now.ops_done) {
            if (bb->warp_sync && !sl_warp_gather(warp)) {
                park(warp, SL_SPLIT_WARP_SYNC);
                continue;
            }
            if (warp->stream)
                sl_warp_stream_step(warp->stream, (uint32_t)index, warp->mask);
            worker->clock += bb->insts;
            worker->thread_insts += (uint64_t)warp->active * bb->insts;
            run_ops(warp, bb);
            if (warp->mask != warp->now.mask)
                set_mask(warp, warp->now.mask);
        }
        warp->now.ops_done = warp->now.released = false;
        worker->steps++;
        terminate(warp, bb);
        sl_warp_stop stop;
        if (warp->has_now && warp->now.bb <= index && turn(warp, bb, &stop))
            return stop;
        if (worker->clock >= warp->slice_end && warp->has_now) {
            warp->slice *= 2;
            return SL_WARP_PAUSED;
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2,popcnt"))) static sl_warp_stop run_avx2(sl_warp *warp)
{
    return run_warp(warp);
}
#endif

static sl_warp_stop run_best(sl_warp *warp)
{
#if defined(__x86_64__)
    if (warp->worker->run->emu->handlers->avx2)
        return run_avx2(warp);
#endif
    return run_warp(warp);
}

sl_warp_stop sl_warp_run(sl_warp *warp)
{
    sl_warp_stop stop = run_best(warp);
    warp->ran += warp->worker->clock - warp->resumed;
    return stop;
}
