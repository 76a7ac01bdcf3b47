/* SPDX-License-Identifier: MIT */
/* --check=race: accesses of different warps of a block, or of the blocks of a cluster, to the same bytes of shared or
 * global memory, at least one of them a write, with nothing in between that orders them; lanes that store different
 * values to one address in one instruction; what copies and products access before somebody has waited for them; and
 * shuffles that read a lane that does not take part.
 *
 * Every warp has a vector clock. Barriers join the clocks of the warps that meet there. Atomics, barriers in shared
 * memory and strong or volatile accesses order, too, by what they access (locks and flags), and are not checked
 * themselves. Of each word the last write is known and the last reads of two warps; all is forgotten at a barrier of
 * all warps, but for what is under way. A write of what is there already is no race: many threads set a flag.
 *
 * Copies and products of a warp are agents of their own, whose clocks count groups: those of cp.async, of bulk copies
 * (what these read, and what they write), of wgmma, and the commits of tcgen05. Who waits for a group has seen the
 * agent's clock, and passes that on. A bulk copy that signals a barrier in shared memory is an access of that barrier,
 * whose clock counts phases. Generic writes that an asynchronous read follows need a fence.proxy.async in between:
 * warps have a clock of what is fenced, too.
 *
 * Left out: lanes of one warp in different instructions, other clusters, tensor memory, and what bulk copies read in
 * global memory. Bulk groups are those of a warp, not of a thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/atomic.h"
#include "emu/bulk.h"
#include "emu/warp.h"

/* The parts of a clock: one entry of each for every warp, then the barriers. */
enum {
    OWN,
    FENCED, /* generic accesses that a fence.proxy.async has followed */
    AGENTS, /* sl_race_agent, from here on */
    PARTS = AGENTS + SL_RACE_AGENTS,
    BARRIERS = 256, /* that bulk copies signal */
};

typedef struct site {
    uint32_t agent_plus; /* which entry of a clock; 0: none */
    uint32_t clock, inst;
    uint16_t warp;
    uint8_t lane, bytes; /* which of the word: a bit each */
} site;

typedef struct word {
    uint64_t key; /* address / 4, plus 1; shared memory: SHARED as well. 0: free */
    site write, read[2];
} word;

typedef struct lock {
    uint64_t key;    /* as above */
    uint32_t *clock; /* [width] */
    /* a barrier that asynchronous work signals */
    uint32_t number_plus, phases; /* that are complete */
    uint32_t *commits[2];         /* [warps]: of tcgen05, by the phase that they signal; NULL: none */
} lock;

#define SHARED (UINT64_C(1) << 63)

struct sl_race {
    uint32_t warps, width;              /* warps of all blocks; entries of a clock */
    uint32_t (*groups)[SL_RACE_AGENTS]; /* [warps]: that were committed */
    uint32_t *clock;                    /* [warps][width]: what of each other warp a warp has seen */
    bool async;                         /* the kernel has instructions that read shared memory asynchronously */
    word *word;                         /* hash tables of 2^n entries */
    size_t words, word_room;
    lock *lock;
    size_t locks, lock_room;
    lock rest; /* when there are too many to distinguish */
    uint32_t barriers;
};

static size_t slot_of(uint64_t key, size_t room)
{
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (room - 1);
}

static void forget_all(sl_race *race)
{
    memset(race->word, 0, race->word_room * sizeof *race->word);
    race->words = 0;
}

/* Number of a warp among those of all blocks. */
static uint32_t number_of(const sl_warp *warp)
{
    return warp->block->rank * warp->block->warps + warp->index;
}

static uint32_t *clock_of(const sl_race *race, uint32_t warp)
{
    return race->clock + (size_t)warp * race->width;
}

static uint32_t entry_of(const sl_race *race, uint32_t part, uint32_t warp)
{
    return part * race->warps + warp;
}

static bool is_async(const sl_race *race, const site *s)
{
    return s->agent_plus > AGENTS * race->warps;
}

sl_race *sl_race_create(uint32_t warps)
{
    enum { FIRST = 1024 };
    sl_race *race = calloc(1, sizeof *race);
    if (!race)
        return NULL;
    race->warps = warps;
    race->width = PARTS * warps + BARRIERS;
    race->word_room = race->lock_room = FIRST;
    race->clock = calloc((size_t)warps * race->width, sizeof *race->clock);
    race->word = calloc(FIRST, sizeof *race->word);
    race->lock = calloc(FIRST, sizeof *race->lock);
    race->rest.clock = calloc(race->width, sizeof *race->rest.clock);
    race->groups = calloc(warps, sizeof *race->groups);
    if (race->clock && race->word && race->lock && race->rest.clock && race->groups)
        return race;
    sl_race_destroy(race);
    return NULL;
}

static void free_locks(sl_race *race)
{
    for (size_t i = 0; race->lock && i < race->lock_room; i++) {
        free(race->lock[i].clock);
        free(race->lock[i].commits[0]);
        free(race->lock[i].commits[1]);
        race->lock[i] = (lock){0};
    }
    race->locks = race->barriers = 0;
}

void sl_race_destroy(sl_race *race)
{
    if (!race)
        return;
    free_locks(race);
    free(race->clock);
    free(race->word);
    free(race->lock);
    free(race->rest.clock);
    free(race->groups);
    free(race);
}

/* Whether an instruction reads shared memory after it was issued. */
static bool reads_later(const sl_ptx_inst *inst)
{
    return (inst->op == SL_OP_WGMMA && sl_ptx_has(inst, SL_MOD_MMA_ASYNC)) || inst->op == SL_OP_TCGEN05 ||
           (inst->op == SL_OP_CP && sl_ptx_has(inst, SL_MOD_BULK) && sl_bulk_way(inst) == SL_BULK_STORE);
}

void sl_race_start(sl_race *race, const sl_code *code)
{
    memset(race->clock, 0, (size_t)race->warps * race->width * sizeof *race->clock);
    for (uint32_t w = 0; w < race->warps; w++)
        clock_of(race, w)[w] = 1;
    memset(race->rest.clock, 0, race->width * sizeof *race->rest.clock);
    memset(race->groups, 0, race->warps * sizeof *race->groups);
    race->async = false;
    for (uint32_t i = 0; i < code->insts && !race->async; i++)
        race->async = reads_later(code->inst[i]);
    forget_all(race);
    free_locks(race);
}

static _Noreturn void no_memory(sl_warp *warp, const sl_op *op)
{
    sl_fault_raise(warp, op->inst, -1, SL_FAULT_RACE, "no memory to look for races");
}

static word *find_word(sl_warp *warp, const sl_op *op, uint64_t key)
{
    sl_race *race = warp->race;
    if (race->words * 2 >= race->word_room) {
        size_t room = race->word_room * 2;
        word *grown = calloc(room, sizeof *grown);
        if (!grown)
            no_memory(warp, op);
        for (size_t i = 0; i < race->word_room; i++) {
            size_t at = slot_of(race->word[i].key, room);
            while (race->word[i].key && grown[at].key)
                at = (at + 1) & (room - 1);
            if (race->word[i].key)
                grown[at] = race->word[i];
        }
        free(race->word);
        race->word = grown;
        race->word_room = room;
    }
    size_t at = slot_of(key, race->word_room);
    while (race->word[at].key && race->word[at].key != key)
        at = (at + 1) & (race->word_room - 1);
    race->words += !race->word[at].key;
    race->word[at].key = key;
    return &race->word[at];
}

static void join(uint32_t *to, const uint32_t *from, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (from[i] > to[i])
            to[i] = from[i];
}

static lock *find_lock(sl_warp *warp, const sl_op *op, uint64_t key)
{
    sl_race *race = warp->race;
    size_t at = slot_of(key, race->lock_room);
    while (race->lock[at].key && race->lock[at].key != key)
        at = (at + 1) & (race->lock_room - 1);
    lock *l = &race->lock[at];
    if (l->key)
        return l;
    if (race->locks * 2 >= race->lock_room)
        return &race->rest;
    if (!(l->clock = calloc(race->width, sizeof *l->clock)))
        no_memory(warp, op);
    l->key = key;
    race->locks++;
    return l;
}

/* An access that orders: the warp sees what those before it at this address saw, and leaves what it has seen. */
static void synchronise(sl_warp *warp, lock *l)
{
    sl_race *race = warp->race;
    uint32_t number = number_of(warp), *mine = clock_of(race, number);
    join(mine, l->clock, race->width);
    memcpy(l->clock, mine, race->width * sizeof *mine);
    mine[number]++;
}

static bool orders(const sl_ptx_inst *inst)
{
    return inst->op == SL_OP_ATOM || inst->op == SL_OP_RED || inst->op == SL_OP_MBARRIER ||
           sl_ptx_has(inst, SL_MOD_VOLATILE) || sl_ptx_has(inst, SL_MOD_RELAXED) || sl_ptx_has(inst, SL_MOD_ACQUIRE) ||
           sl_ptx_has(inst, SL_MOD_RELEASE) || sl_ptx_has(inst, SL_MOD_MMIO);
}

static bool is_race(const sl_race *race, const site *before, uint32_t warp, uint8_t bytes)
{
    return before->agent_plus && before->bytes & bytes && before->clock > clock_of(race, warp)[before->agent_plus - 1];
}

/* Whether any warp has waited for it. */
static bool waited_for(const sl_race *race, const site *s)
{
    for (uint32_t w = 0; w < race->warps; w++)
        if (clock_of(race, w)[s->agent_plus - 1] >= s->clock)
            return true;
    return false;
}

typedef enum order { BARRIER_MISSING, FENCE_MISSING } order; /* what an access lacks */

static _Noreturn void report(sl_warp *warp, const sl_op *op, int lane, uint64_t key, bool store, const site *before,
                             bool before_stored, order lacks)
{
    const sl_code *code = warp->code;
    const sl_ptx_inst *inst = code->inst[before->inst];
    const sl_code_function *function = &code->function[code->inst_function[before->inst]];
    const uint32_t *dim = warp->worker->run->launch->block;
    uint32_t rank = before->warp / warp->block->warps;
    uint32_t thread = before->warp % warp->block->warps * code->lanes + before->lane;
    const uint32_t *block = warp->block->cluster->block[rank].id;
    bool async = is_async(warp->race, before);
    char opcode[96], source[200] = "", where[64] = "";
    if (rank != warp->block->rank)
        snprintf(where, sizeof where, " of block (%u,%u,%u)", block[0], block[1], block[2]);
    for (uint32_t i = 0; inst->loc_line && i < function->module->files; i++)
        if (function->module->file[i].number == inst->loc_file)
            snprintf(source, sizeof source, ", %s:%u", function->module->file[i].name, inst->loc_line);
    sl_fault_raise(warp, op->inst, lane, SL_FAULT_RACE,
                   "race on %s memory at 0x%llx: a %s after a %s by thread (%u,%u,%u)%s in %s (line %u%s), %s,",
                   key & SHARED ? "shared" : "global", (unsigned long long)((key & ~SHARED) - 1) * 4,
                   store ? "write" : "read",
                   !before_stored ? "read"
                   : async        ? "copy"
                                  : "write",
                   thread % dim[0], thread / dim[0] % dim[1], thread / dim[0] / dim[1], where,
                   sl_ptx_inst_text(inst, opcode, sizeof opcode), inst->line, source,
                   lacks == FENCE_MISSING                     ? "with no fence.proxy.async in between"
                   : async && !waited_for(warp->race, before) ? "which was not waited for"
                                                              : "with no barrier in between");
}

/* What lane 0 stores; those of other lanes follow *stride bytes apart. NULL: that is not known, or not one register. */
static const uint8_t *stored_values(const sl_warp *warp, const sl_op *op, uint32_t *stride)
{
    const sl_ptx_inst *inst = warp->code->inst[op->inst];
    const sl_ptx_func *func = warp->code->function[warp->code->inst_function[op->inst]].func;
    if (op->count != 1 || inst->operands < 2 || inst->operand[1].kind != SL_OPD_REG)
        return NULL;
    *stride = sl_ptx_type_bytes(func->reg[inst->operand[1].reg].type);
    if (*stride != (op->size == 1 ? 2 : op->size)) /* it may have been converted first */
        return NULL;
    return sl_warp_operand(warp, op->d);
}

/* Whether a store of one register leaves memory as it is. */
static bool changes_nothing(const sl_warp *warp, const sl_op *op, int lane, uint64_t addr, bool shared)
{
    uint32_t stride;
    const uint8_t *values = stored_values(warp, op, &stride), *value = values + (size_t)lane * stride;
    if (!values)
        return false;
    const sl_heap *heap = warp->worker->run->emu->heap;
    if (shared) {
        uint64_t offset;
        const sl_block *block = sl_shared_block(warp, addr, &offset);
        return block && offset + op->size <= block->shared_bytes && !memcmp(block->shared + offset, value, op->size);
    }
    return sl_heap_contains(heap, addr, op->size) && !memcmp(sl_heap_host(heap, addr), value, op->size);
}

/* Two lanes store different values to one address. */
static void check_lanes(sl_warp *warp, const sl_op *op, const uint64_t *addr)
{
    uint32_t stride;
    const uint8_t *values = stored_values(warp, op, &stride);
    for (uint64_t left = values ? warp->mask : 0; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        bool generic = op->space == SL_SPACE_NONE;
        bool local = generic && addr[lane] - SL_LOCAL_WINDOW < SL_WINDOW_BYTES;
        bool shared = op->space == SL_SPACE_SHARED || (generic && addr[lane] - SL_SHARED_WINDOW < SL_WINDOW_BYTES);
        for (uint64_t others = local ? 0 : left & (left - 1); others; others &= others - 1) {
            int other = __builtin_ctzll(others);
            if (addr[lane] == addr[other] &&
                memcmp(values + (size_t)lane * stride, values + (size_t)other * stride, op->size) != 0)
                sl_fault_raise(
                    warp, op->inst, other, SL_FAULT_RACE,
                    "race on %s memory at 0x%llx: lanes %d and %d store different values in one instruction,",
                    shared ? "shared" : "global", (unsigned long long)addr[lane], lane, other);
        }
    }
}

/* One access of a lane. `agent`: the entry of a clock that it is counted by. */
typedef struct noted {
    sl_warp *warp;
    const sl_op *op;
    int lane;
    uint32_t agent, clock;
    bool store, same; /* same: it writes what is there */
} noted;

static noted generic_access(sl_warp *warp, const sl_op *op, int lane, bool store)
{
    uint32_t w = number_of(warp);
    return (noted){warp, op, lane, w, clock_of(warp->race, w)[w], store, false};
}

/* An access by the group that is open, which the agent of the warp makes later. */
static noted later_access(sl_warp *warp, const sl_op *op, int lane, sl_race_agent agent, bool store)
{
    uint32_t w = number_of(warp), groups = warp->race->groups[w][agent];
    return (noted){warp, op, lane, entry_of(warp->race, AGENTS + agent, w), groups + 1, store, false};
}

static void note_word(const noted *a, uint64_t key, uint8_t bytes)
{
    sl_warp *warp = a->warp;
    sl_race *race = warp->race;
    word *at = find_word(warp, a->op, key);
    uint32_t w = number_of(warp), before = at->write.agent_plus - 1;
    bool async = a->agent >= AGENTS * race->warps;
    bool again = async && before == a->agent && at->write.clock == a->clock && at->write.inst == a->op->inst &&
                 a->store; /* lanes that copy the same */
    if (is_race(race, &at->write, w, bytes) && !a->same && !again)
        report(warp, a->op, a->lane, key, a->store, &at->write, true, BARRIER_MISSING);
    for (int i = 0; i < 2 && a->store && !a->same; i++)
        if (is_race(race, &at->read[i], w, bytes))
            report(warp, a->op, a->lane, key, a->store, &at->read[i], false, BARRIER_MISSING);
    if (async && !a->store && at->write.agent_plus && before < race->warps && at->write.bytes & bytes &&
        at->write.clock > clock_of(race, w)[entry_of(race, FENCED, before)])
        report(warp, a->op, a->lane, key, a->store, &at->write, true, FENCE_MISSING);
    site now = {a->agent + 1, a->clock, a->op->inst, (uint16_t)w, (uint8_t)a->lane, bytes};
    if (a->store) {
        at->write = now;
    } else {
        if (at->read[0].agent_plus != now.agent_plus)
            at->read[1] = at->read[0];
        else
            now.bytes |= at->read[0].clock == now.clock ? at->read[0].bytes : 0;
        at->read[0] = now;
    }
}

/* An address in shared memory that is the same for all blocks of the cluster. */
static uint64_t shared_address(const sl_warp *warp, uint64_t addr)
{
    uint64_t offset;
    const sl_block *block = sl_shared_block(warp, addr, &offset);
    return block ? (uint64_t)block->rank << SL_RANK_BIT | offset : addr;
}

static void note_bytes(const noted *a, uint64_t tag, uint64_t at, uint64_t size)
{
    for (uint64_t first = at, end = at + size; first < end;) {
        uint64_t next = (first / 4 + 1) * 4, last = next < end ? next : end;
        uint8_t bytes = (uint8_t)(((1u << (last - first)) - 1) << first % 4);
        note_word(a, tag | (first / 4 + 1), bytes);
        first = last;
    }
}

/* Where a lane accesses. False: in local memory. */
static bool tracked_address(const sl_op *op, uint64_t *at, bool *shared)
{
    *shared = op->space == SL_SPACE_SHARED;
    if (op->space == SL_SPACE_NONE && *at - SL_LOCAL_WINDOW < SL_WINDOW_BYTES)
        return false;
    if (op->space == SL_SPACE_NONE && *at - SL_SHARED_WINDOW < SL_WINDOW_BYTES) {
        *shared = true;
        *at -= SL_SHARED_WINDOW;
    }
    return true;
}

/* ---- barriers in shared memory ---- */

static uint64_t block_key(const sl_block *block, uint64_t offset)
{
    return SHARED | (((uint64_t)block->rank << SL_RANK_BIT | offset) / 4 + 1);
}

/* The lock of a barrier. Every change of its phase is followed by a call here before the next change. */
static lock *barrier_lock(sl_warp *warp, const sl_op *op, const sl_block *block, uint64_t offset)
{
    lock *l = find_lock(warp, op, block_key(block, offset));
    uint64_t state;
    if (offset + sizeof state <= block->shared_bytes) {
        memcpy(&state, block->shared + offset, sizeof state);
        l->phases += (l->phases ^ (uint32_t)(state >> SL_BARRIER_PHASE_BIT)) & 1;
    }
    return l;
}

void sl_race_note(sl_warp *warp, const sl_op *op, const uint64_t *addr)
{
    const sl_ptx_inst *inst = warp->code->inst[op->inst];
    /* what tells a barrier in shared memory of bytes is that barrier's access */
    bool store = inst->op == SL_OP_ST, tells = sl_ptx_has(inst, SL_MOD_ASYNC) && op->slot == UINT32_MAX;
    bool ordering = orders(inst) || tells;
    if ((inst->op != SL_OP_LD && !store && !ordering) || op->space == SL_SPACE_LOCAL || op->space == SL_SPACE_CONST)
        return;
    uint32_t size = (uint32_t)op->size * op->count;
    if (store && !ordering && warp->active > 1)
        check_lanes(warp, op, addr);
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        uint64_t at = addr[lane], offset;
        bool shared;
        if (!tracked_address(op, &at, &shared))
            continue;
        uint64_t tag = shared ? SHARED : 0, tracked = shared ? shared_address(warp, at) : at;
        if (ordering) {
            const sl_block *block = shared ? sl_shared_block(warp, at, &offset) : NULL;
            bool barrier = block && (inst->op == SL_OP_MBARRIER || tells);
            synchronise(warp,
                        barrier ? barrier_lock(warp, op, block, offset) : find_lock(warp, op, tag | (tracked / 4 + 1)));
            continue;
        }
        noted a = generic_access(warp, op, lane, store);
        a.same = store && changes_nothing(warp, op, lane, at, shared);
        note_bytes(&a, tag, tracked, size);
    }
}

void sl_race_range(sl_warp *warp, const sl_op *op, int lane, uint64_t addr, uint32_t bytes, bool store)
{
    bool shared;
    noted a = generic_access(warp, op, lane, store);
    if (tracked_address(op, &addr, &shared))
        note_bytes(&a, shared ? SHARED : 0, shared ? shared_address(warp, addr) : addr, bytes);
}

void sl_race_copy(sl_warp *warp, const sl_op *op, const uint64_t *to)
{
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        noted a = later_access(warp, op, lane, SL_RACE_COPIES, true);
        note_bytes(&a, SHARED, shared_address(warp, to[lane]), op->size);
    }
}

void sl_race_later(sl_warp *warp, const sl_op *op, int lane, sl_race_agent agent, const sl_block *block, uint64_t at,
                   uint32_t bytes)
{
    noted a = later_access(warp, op, lane, agent, agent == SL_RACE_BULK_WRITES);
    note_bytes(&a, block ? SHARED : 0, block ? (uint64_t)block->rank << SL_RANK_BIT | at : at, bytes);
}

void sl_race_rows(sl_warp *warp, const sl_op *op, int lane, sl_race_agent agent, const sl_block *block)
{
    for (size_t i = 0; i < warp->worker->rows.count; i++) {
        const sl_row *row = &warp->worker->rows.items[i];
        for (uint32_t k = 0; k < row->count; k++)
            sl_race_later(warp, op, lane, agent, block, row->addr + (uint64_t)row->step * k, row->bytes);
    }
}

void sl_race_signaled(sl_warp *warp, const sl_op *op, int lane, const sl_block *block, uint64_t at, uint32_t bytes,
                      const sl_block *of_barrier, uint64_t barrier)
{
    sl_race *race = warp->race;
    lock *l = barrier_lock(warp, op, of_barrier, barrier);
    if (l == &race->rest || (!l->number_plus && race->barriers == BARRIERS))
        return;
    if (!l->number_plus)
        l->number_plus = ++race->barriers;
    noted a = {warp, op, lane, PARTS * race->warps + l->number_plus - 1, l->phases + 1, true, false};
    note_bytes(&a, SHARED, (uint64_t)block->rank << SL_RANK_BIT | at, bytes);
}

void sl_race_committed(sl_warp *warp, const sl_op *op, const sl_block *block, uint64_t barrier)
{
    sl_race *race = warp->race;
    lock *l = barrier_lock(warp, op, block, barrier);
    uint32_t w = number_of(warp), **commits = &l->commits[l->phases & 1];
    if (l == &race->rest)
        return;
    if (!*commits && !(*commits = calloc(race->warps, sizeof **commits)))
        no_memory(warp, op);
    (*commits)[w] = race->groups[w][SL_RACE_TENSOR];
    join(l->clock, clock_of(race, w), race->width);
    clock_of(race, w)[w]++;
}

void sl_race_waited(sl_warp *warp, const sl_op *op, int lane, uint64_t addr)
{
    sl_race *race = warp->race;
    uint64_t offset;
    const sl_block *block = sl_cluster_locate(warp, op->inst, lane, addr, &offset);
    const lock *l = barrier_lock(warp, op, block, offset);
    uint32_t *mine = clock_of(race, number_of(warp));
    if (l->number_plus)
        mine[PARTS * race->warps + l->number_plus - 1] = l->phases;
    if (l->phases && l->commits[(l->phases - 1) & 1])
        join(mine + entry_of(race, AGENTS + SL_RACE_TENSOR, 0), l->commits[(l->phases - 1) & 1], race->warps);
}

void sl_race_fence(sl_warp *warp)
{
    sl_race *race = warp->race;
    uint32_t w = number_of(warp), *mine = clock_of(race, w);
    join(mine + entry_of(race, FENCED, 0), mine, race->warps);
    mine[w]++;
}

void sl_race_groups(sl_warp *warp, sl_race_agent agent, sl_race_wait kind, uint32_t left)
{
    sl_race *race = warp->race;
    uint32_t w = number_of(warp), *groups = &race->groups[w][agent];
    *groups += kind != SL_RACE_WAIT_GROUP;
    uint32_t done = kind == SL_RACE_COMMIT || *groups < left ? 0 : *groups - left;
    uint32_t *seen = &clock_of(race, w)[entry_of(race, AGENTS + agent, w)];
    *seen = done > *seen ? done : *seen;
}

/* What must be known of a word when all warps have met: what is under way, and what is not fenced. */
static bool is_kept(const sl_race *race, const word *at, const uint32_t *clock)
{
    bool kept = false;
    const site *sites[] = {&at->write, &at->read[0], &at->read[1]};
    for (int i = 0; i < 3; i++)
        kept |= sites[i]->agent_plus && is_async(race, sites[i]) && sites[i]->clock > clock[sites[i]->agent_plus - 1];
    uint32_t writer = at->write.agent_plus - 1;
    return kept || (race->async && at->key & SHARED && at->write.agent_plus && writer < race->warps &&
                    at->write.clock > clock[entry_of(race, FENCED, writer)]);
}

/* Forgets everything that is ordered before what comes, for a warp that has seen all others. */
static void forget_ordered(sl_race *race, const uint32_t *clock)
{
    size_t kept = 0;
    for (size_t i = 0; i < race->word_room; i++)
        kept += is_kept(race, &race->word[i], clock);
    word *words = kept ? malloc(kept * sizeof *words) : NULL;
    if (kept && !words)
        return; /* what is kept is ordered: it is no race */
    kept = 0;
    for (size_t i = 0; i < race->word_room && words; i++)
        if (is_kept(race, &race->word[i], clock))
            words[kept++] = race->word[i];
    forget_all(race);
    race->words = kept;
    for (size_t i = 0; i < kept; i++) {
        size_t at = slot_of(words[i].key, race->word_room);
        while (race->word[at].key)
            at = (at + 1) & (race->word_room - 1);
        race->word[at] = words[i];
    }
    free(words);
}

void sl_race_barrier(sl_race *race, const sl_block *block, uint32_t blocks, const uint64_t *const *arrived)
{
    uint32_t first = UINT32_MAX, warps = block->warps, base = block->rank * warps;
    bool all = blocks == block->cluster->blocks;
    for (uint32_t i = 0; i < blocks * warps; i++) {
        uint64_t here = arrived[i / warps][i % warps];
        all &= !(block[i / warps].warp[i % warps].live & ~here);
        if (!here)
            continue;
        if (first == UINT32_MAX)
            first = base + i;
        join(clock_of(race, first), clock_of(race, base + i), race->width);
    }
    for (uint32_t i = 0; i < blocks * warps; i++)
        if (arrived[i / warps][i % warps] && base + i != first)
            memcpy(clock_of(race, base + i), clock_of(race, first), race->width * sizeof *race->clock);
    if (all && first != UINT32_MAX)
        forget_ordered(race, clock_of(race, first));
    for (uint32_t i = 0; i < blocks * warps; i++)
        if (arrived[i / warps][i % warps])
            clock_of(race, base + i)[base + i]++;
}
