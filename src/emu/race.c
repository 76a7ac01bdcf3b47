/* SPDX-License-Identifier: MIT */
/* --check=race: accesses of different warps of a block, or of the blocks of a cluster, to the same bytes of shared or
 * global memory, at least one of them a write, with nothing in between that orders them; lanes that store different
 * values to one address in one instruction; accesses to what cp.async copies before it was waited for; and shuffles
 * that read a lane that does not take part.
 *
 * Every warp has a vector clock. Barriers join the clocks of the warps that meet there. Atomics, barriers in shared
 * memory and strong or volatile accesses order, too, by what they access (locks and flags), and are not checked
 * themselves. Of each word the last write is known and the last reads of two warps; all is forgotten at a barrier of
 * all warps, but for copies that are under way. A write of what is there already is no race: many threads set a flag.
 *
 * A copy is a write by its warp when that waits for it. Copies are distinguished by the group that they are committed
 * to, counted per warp.
 *
 * Left out: lanes of one warp in different instructions, other clusters, bulk copies and matrix loads and stores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/warp.h"

typedef struct site {
    uint32_t warp_plus; /* 0: none */
    uint32_t clock, inst;
    uint32_t copy_plus;  /* 1 + the group of a cp.async; 0: none */
    uint8_t lane, bytes; /* which of the word: a bit each */
} site;

typedef struct word {
    uint64_t key; /* address / 4, plus 1; shared memory: SHARED as well. 0: free */
    site write, read[2];
} word;

typedef struct lock {
    uint64_t key;    /* as above */
    uint32_t *clock; /* [warps] */
} lock;

#define SHARED (UINT64_C(1) << 63)

enum { WAITS = 64 }; /* groups of copies whose wait is remembered */

struct sl_race {
    uint32_t warps; /* of all blocks */
    struct copies {
        uint32_t open, waited; /* the group that copies go to; how many were waited for */
        uint32_t clock[WAITS]; /* of the warp when it waited for a group, modulo WAITS */
    } * copies;                /* [warps] */
    uint32_t *clock;           /* [warps][warps]: what of each other warp a warp has seen */
    word *word;                /* hash tables of 2^n entries */
    size_t words, word_room;
    lock *lock;
    size_t locks, lock_room;
    lock rest; /* when there are too many to distinguish */
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

/* Whether it is a copy that its warp has not waited for. */
static bool under_way(const sl_race *race, const site *s)
{
    return s->copy_plus && s->copy_plus > race->copies[s->warp_plus - 1].waited;
}

sl_race *sl_race_create(uint32_t warps)
{
    enum { FIRST = 1024 };
    sl_race *race = calloc(1, sizeof *race);
    if (!race)
        return NULL;
    race->warps = warps;
    race->word_room = race->lock_room = FIRST;
    race->clock = calloc((size_t)warps * warps, sizeof *race->clock);
    race->word = calloc(FIRST, sizeof *race->word);
    race->lock = calloc(FIRST, sizeof *race->lock);
    race->rest.clock = calloc(warps, sizeof *race->rest.clock);
    race->copies = calloc(warps, sizeof *race->copies);
    if (race->clock && race->word && race->lock && race->rest.clock && race->copies)
        return race;
    sl_race_destroy(race);
    return NULL;
}

static void free_locks(sl_race *race)
{
    for (size_t i = 0; race->lock && i < race->lock_room; i++) {
        free(race->lock[i].clock);
        race->lock[i] = (lock){0};
    }
    race->locks = 0;
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
    free(race->copies);
    free(race);
}

void sl_race_start(sl_race *race)
{
    memset(race->clock, 0, (size_t)race->warps * race->warps * sizeof *race->clock);
    for (uint32_t w = 0; w < race->warps; w++)
        race->clock[(size_t)w * race->warps + w] = 1;
    memset(race->rest.clock, 0, race->warps * sizeof *race->rest.clock);
    memset(race->copies, 0, race->warps * sizeof *race->copies);
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

static void join(uint32_t *to, const uint32_t *from, uint32_t warps)
{
    for (uint32_t i = 0; i < warps; i++)
        if (from[i] > to[i])
            to[i] = from[i];
}

/* An access that orders: the warp sees what those before it at this address saw, and leaves what it has seen. */
static void synchronise(sl_warp *warp, const sl_op *op, uint64_t key)
{
    sl_race *race = warp->race;
    uint32_t number = number_of(warp), *mine = &race->clock[(size_t)number * race->warps];
    size_t at = slot_of(key, race->lock_room);
    while (race->lock[at].key && race->lock[at].key != key)
        at = (at + 1) & (race->lock_room - 1);
    lock *l = &race->lock[at];
    if (!l->key && race->locks * 2 >= race->lock_room) {
        l = &race->rest;
    } else if (!l->key) {
        if (!(l->clock = calloc(race->warps, sizeof *l->clock)))
            no_memory(warp, op);
        l->key = key;
        race->locks++;
    }
    join(mine, l->clock, race->warps);
    memcpy(l->clock, mine, race->warps * sizeof *mine);
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
    if (!before->warp_plus || !(before->bytes & bytes))
        return false;
    if (under_way(race, before))
        return true;
    if (before->warp_plus == warp + 1)
        return false;
    const struct copies *copies = &race->copies[before->warp_plus - 1];
    uint32_t clock = before->clock, group = before->copy_plus - 1;
    if (before->copy_plus && copies->waited - group <= WAITS && copies->clock[group % WAITS] > clock)
        clock = copies->clock[group % WAITS];
    return clock > race->clock[(size_t)warp * race->warps + before->warp_plus - 1];
}

static _Noreturn void report(sl_warp *warp, const sl_op *op, int lane, uint64_t key, bool store, const site *before,
                             bool before_stored)
{
    const sl_code *code = warp->code;
    const sl_ptx_inst *inst = code->inst[before->inst];
    const sl_code_function *function = &code->function[code->inst_function[before->inst]];
    const uint32_t *dim = warp->worker->run->launch->block;
    uint32_t rank = (before->warp_plus - 1) / warp->block->warps;
    uint32_t thread = (before->warp_plus - 1) % warp->block->warps * code->lanes + before->lane;
    const uint32_t *block = warp->block->cluster->block[rank].id;
    bool copying = under_way(warp->race, before);
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
                   before->copy_plus ? "copy"
                   : before_stored   ? "write"
                                     : "read",
                   thread % dim[0], thread / dim[0] % dim[1], thread / dim[0] / dim[1], where,
                   sl_ptx_inst_text(inst, opcode, sizeof opcode), inst->line, source,
                   copying ? "which was not waited for" : "with no barrier in between");
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

static void note_word(sl_warp *warp, const sl_op *op, int lane, uint64_t key, uint8_t bytes, bool store, bool same,
                      uint32_t copy_plus)
{
    sl_race *race = warp->race;
    word *at = find_word(warp, op, key);
    uint32_t w = number_of(warp);
    if (is_race(race, &at->write, w, bytes) && !same)
        report(warp, op, lane, key, store, &at->write, true);
    for (int i = 0; i < 2 && store && !same; i++)
        if (is_race(race, &at->read[i], w, bytes))
            report(warp, op, lane, key, store, &at->read[i], false);
    site now = {w + 1, race->clock[(size_t)w * race->warps + w], op->inst, copy_plus, (uint8_t)lane, bytes};
    if (store) {
        at->write = now;
    } else {
        if (at->read[0].warp_plus != now.warp_plus)
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

static void note_bytes(sl_warp *warp, const sl_op *op, int lane, uint64_t tag, uint64_t at, uint32_t size, bool store,
                       bool same, uint32_t copy_plus)
{
    for (uint64_t first = at, end = at + size; first < end;) {
        uint64_t next = (first / 4 + 1) * 4, last = next < end ? next : end;
        uint8_t bytes = (uint8_t)(((1u << (last - first)) - 1) << first % 4);
        note_word(warp, op, lane, tag | (first / 4 + 1), bytes, store, same, copy_plus);
        first = last;
    }
}

void sl_race_note(sl_warp *warp, const sl_op *op, const uint64_t *addr)
{
    const sl_ptx_inst *inst = warp->code->inst[op->inst];
    /* what tells a barrier in shared memory of bytes is that barrier's access */
    bool store = inst->op == SL_OP_ST,
         ordering = orders(inst) || (sl_ptx_has(inst, SL_MOD_ASYNC) && op->slot == UINT32_MAX);
    if ((inst->op != SL_OP_LD && !store && !ordering) || op->space == SL_SPACE_LOCAL || op->space == SL_SPACE_CONST)
        return;
    uint32_t size = (uint32_t)op->size * op->count;
    if (store && !ordering && warp->active > 1)
        check_lanes(warp, op, addr);
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        uint64_t at = addr[lane];
        bool shared = op->space == SL_SPACE_SHARED;
        if (op->space == SL_SPACE_NONE && at - SL_LOCAL_WINDOW < SL_WINDOW_BYTES)
            continue;
        if (op->space == SL_SPACE_NONE && at - SL_SHARED_WINDOW < SL_WINDOW_BYTES) {
            shared = true;
            at -= SL_SHARED_WINDOW;
        }
        uint64_t tag = shared ? SHARED : 0, tracked = shared ? shared_address(warp, at) : at;
        if (ordering) {
            synchronise(warp, op, tag | (tracked / 4 + 1));
            continue;
        }
        bool same = store && changes_nothing(warp, op, lane, at, shared);
        note_bytes(warp, op, lane, tag, tracked, size, store, same, 0);
    }
}

void sl_race_copy(sl_warp *warp, const sl_op *op, const uint64_t *to)
{
    uint32_t group = warp->race->copies[number_of(warp)].open;
    for (uint64_t left = warp->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        note_bytes(warp, op, lane, SHARED, shared_address(warp, to[lane]), op->size, true, false, group + 1);
    }
}

void sl_race_copies(sl_warp *warp, sl_race_wait kind, uint32_t left)
{
    sl_race *race = warp->race;
    uint32_t w = number_of(warp), clock = race->clock[(size_t)w * race->warps + w];
    struct copies *copies = &race->copies[w];
    copies->open += kind != SL_RACE_WAIT_GROUP;
    if (kind == SL_RACE_COMMIT)
        return;
    uint32_t done = copies->open > left ? copies->open - left : 0;
    for (uint32_t group = copies->waited; group < done; group++)
        copies->clock[group % WAITS] = clock;
    if (done > copies->waited)
        copies->waited = done;
}

/* Forgets everything that is ordered before what comes; copies that are under way are not. */
static void forget_ordered(sl_race *race)
{
    size_t kept = 0;
    for (size_t i = 0; i < race->word_room; i++)
        kept += under_way(race, &race->word[i].write);
    word *copies = kept ? malloc(kept * sizeof *copies) : NULL;
    if (kept && !copies)
        return; /* what is kept is ordered: it is no race */
    kept = 0;
    for (size_t i = 0; i < race->word_room && copies; i++)
        if (under_way(race, &race->word[i].write))
            copies[kept++] = (word){.key = race->word[i].key, .write = race->word[i].write};
    forget_all(race);
    race->words = kept;
    for (size_t i = 0; i < kept; i++) {
        size_t at = slot_of(copies[i].key, race->word_room);
        while (race->word[at].key)
            at = (at + 1) & (race->word_room - 1);
        race->word[at] = copies[i];
    }
    free(copies);
}

void sl_race_barrier(sl_race *race, const sl_block *block, uint32_t blocks, const uint64_t *const *arrived)
{
    uint32_t *seen = race->clock, first = UINT32_MAX, warps = block->warps, base = block->rank * warps;
    bool all = blocks == block->cluster->blocks;
    for (uint32_t i = 0; i < blocks * warps; i++) {
        uint64_t here = arrived[i / warps][i % warps];
        all &= !(block[i / warps].warp[i % warps].live & ~here);
        if (!here)
            continue;
        if (first == UINT32_MAX)
            first = base + i;
        join(seen + (size_t)first * race->warps, seen + (size_t)(base + i) * race->warps, race->warps);
    }
    for (uint32_t i = 0; i < blocks * warps; i++) {
        uint32_t *mine = seen + (size_t)(base + i) * race->warps;
        if (arrived[i / warps][i % warps] && base + i != first)
            memcpy(mine, seen + (size_t)first * race->warps, race->warps * sizeof *mine);
    }
    for (uint32_t i = 0; i < blocks * warps; i++)
        if (arrived[i / warps][i % warps])
            seen[(size_t)(base + i) * race->warps + base + i]++;
    if (all)
        forget_ordered(race);
}
