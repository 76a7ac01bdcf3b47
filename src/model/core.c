/* SPDX-License-Identifier: MIT */
#include "model/core.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "access/request.h"
#include "access/scalar.h"
#include "base/heap.h"

enum { NO_WARP = 0xffffffff };

typedef struct warp {
    sl_warp_walk walk;
    uint32_t block; /* slot of its block */
    uint32_t next_blocked;
    bool requesting; /* within a request that had to wait */
    uint32_t pieces, at;
    uint64_t insts, accesses;            /* so far */
    const sl_cache_decision *decision;   /* of the request */
    uint64_t done;                       /* of the request, so far */
    bool missed;                         /* the request: some line of it, so far */
    uint64_t done_at[SL_WALK_LOADS + 1]; /* of loads by rank; the last: nobody waits for it */
    uint64_t arrival[8];                 /* of its latest loads that missed, in a ring: for the limit per warp */
    uint32_t misses;
    sl_predictor *predictor;
    sl_access *ahead; /* of the walk */
    /* written before they are read; not cleared, since that would take longer than a short launch */
    sl_line_request piece[SL_MAX_LINE_REQUESTS];
    uint32_t waited[SL_MAX_LINE_REQUESTS]; /* sectors that were present when the request first had to wait */
} warp;

/* An entry of the queue: by time, then in order of arrival. */
typedef struct queued {
    uint64_t ready, order;
    uint32_t warp;
} queued;

typedef struct block_slot {
    uint32_t live, arrived; /* warps; arrived: at the barrier */
    uint64_t *waiting;      /* bitmap of warps at the barrier */
    uint32_t block;         /* of the launch */
} block_slot;

typedef struct core {
    const sl_core_config *config;
    sl_core_result *result;
    sl_l1 *l1;
    sl_access_shape shape;
    uint32_t slots; /* of blocks that are ever used: few in a small launch, whose warps cost more than their accesses */
    const sl_core_limits *limits;
    uint32_t warps; /* of a block */
    warp *warp;     /* [resident_blocks * warps] */
    block_slot *slot;
    queued *heap;
    uint32_t in_queue;
    uint64_t order, time, issued; /* issued: instructions that have not yet taken a whole step */
    uint32_t first_blocked, last_blocked;
    const uint32_t *block;
    size_t blocks, next_block;
    bool failed; /* memory ran out */
    sl_error *error;
    bool uses_pc; /* the policy of the first cache */
    sl_scalar_cache scalar;
} core;

/* ---- the queue ---- */

static inline bool sooner(const queued *a, const queued *b)
{
    return a->ready != b->ready ? a->ready < b->ready : a->order < b->order;
}

static void enqueue(core *c, uint32_t w, uint64_t ready)
{
    queued entry = {ready, c->order++, w};
    uint32_t at = c->in_queue++;
    for (; at && sooner(&entry, &c->heap[(at - 1) / 2]); at = (at - 1) / 2)
        c->heap[at] = c->heap[(at - 1) / 2];
    c->heap[at] = entry;
}

static uint32_t dequeue(core *c)
{
    uint32_t first = c->heap[0].warp;
    c->in_queue--;
    SL_HEAP_SINK(c->heap, c->in_queue, 0, c->heap[c->in_queue], sooner);
    return first;
}

/* ---- warps that wait for an MSHR, first come, first served ---- */

static void block_warp(core *c, uint32_t w)
{
    c->warp[w].next_blocked = NO_WARP;
    if (c->first_blocked == NO_WARP)
        c->first_blocked = w;
    else
        c->warp[c->last_blocked].next_blocked = w;
    c->last_blocked = w;
}

static uint32_t unblock_first(core *c)
{
    uint32_t w = c->first_blocked;
    c->first_blocked = c->warp[w].next_blocked;
    return w;
}

/* ---- continuing ---- */

static sl_status start_block(core *c, uint32_t slot);

/* The warp walks to its next event and queues up for it: after what it has to wait for, and the instructions on the
 * way. */
static sl_status go_on(core *c, uint32_t number, uint64_t from)
{
    warp *w = &c->warp[number];
    sl_status status = sl_warp_walk_next(&w->walk, c->error);
    if (status)
        return status;
    w->insts += w->walk.insts;
    if (!c->config->no_divergence) {
        for (uint64_t left = w->walk.waits; left; left &= left - 1) {
            uint64_t done = w->done_at[__builtin_ctzll(left)];
            from = done > from ? done : from;
        }
        from += (uint64_t)w->walk.insts * c->limits->instruction_cycles;
    }
    enqueue(c, number, from);
    return SL_OK;
}

static sl_status release_barrier(core *c, uint32_t slot)
{
    block_slot *b = &c->slot[slot];
    sl_status status = SL_OK;
    b->arrived = 0;
    for (uint32_t w = 0; w < c->warps && !status; w++)
        if (b->waiting[w / 64] >> (w % 64) & 1) {
            b->waiting[w / 64] &= ~(UINT64_C(1) << (w % 64));
            status = go_on(c, slot * c->warps + w, c->time);
        }
    return status;
}

static sl_status arrive(core *c, uint32_t number)
{
    uint32_t slot = c->warp[number].block, w = number % c->warps;
    block_slot *b = &c->slot[slot];
    b->waiting[w / 64] |= UINT64_C(1) << (w % 64);
    return ++b->arrived == b->live ? release_barrier(c, slot) : SL_OK;
}

static void add_warp(sl_warps_work *work, const warp *w, uint32_t block, uint32_t index)
{
    work->insts += w->insts;
    work->accesses += w->accesses;
    if (w->insts > work->longest_warp) {
        work->longest_warp = w->insts;
        work->longest_block = block;
        work->longest_index = index;
    }
    work->longest_accesses = w->accesses > work->longest_accesses ? w->accesses : work->longest_accesses;
}

static sl_status end_warp(core *c, uint32_t number)
{
    uint32_t slot = c->warp[number].block;
    block_slot *b = &c->slot[slot];
    add_warp(&c->result->work, &c->warp[number], b->block, number % c->warps);
    if (!--b->live)
        return start_block(c, slot);
    return b->arrived == b->live ? release_barrier(c, slot) : SL_OK;
}

/* ---- requests ---- */

static void send_below(core *c, uint64_t line, uint32_t sectors, sl_mem_access kind, bool counted, uint32_t slot)
{
    if (!c->config->wants_traffic || !sectors)
        return;
    sl_traffic *t = sl_large_array_add(&c->result->traffic, sizeof *t);
    if (t)
        *t = (sl_traffic){c->time, line, (uint16_t)sectors, (uint8_t)kind, counted, slot};
    else
        c->failed = true;
}

/* The same for caches of other sizes; the order of accesses is theirs only where nothing depends on hits and misses. */
static void load_stacks(const core *c, const sl_line_request *p, const sl_cache_decision *decision, bool counted)
{
    if (decision->allocate)
        sl_stacks_load(c->config->stacks, p->line, p->sectors, counted);
    else if (counted)
        sl_stacks_bypass(c->config->stacks, p->line, p->sectors, decision->lookup);
}

/* Counts the sectors of the piece that the load has to fetch, and sends them on. */
static void load_piece(core *c, uint32_t number, const sl_inst *inst)
{
    warp *w = &c->warp[number];
    const sl_line_request *p = &w->piece[w->at];
    bool counted = inst->space == SL_MEM_GLOBAL || inst->space == SL_MEM_GENERIC;
    sl_slot_loads *slot = &c->result->slot[inst->mem_slot];
    sl_l1_outcome outcome;
    if (!w->decision->allocate) {
        sl_l1_bypass(c->l1, c->time, p->line, p->sectors, w->decision->lookup, &outcome);
    } else {
        uint64_t bytes[2];
        bool parts = sl_l1_has_parts(c->l1, p->line);
        if (parts)
            sl_line_bytes(&c->shape, inst, w->walk.access, p->line, bytes);
        if (__builtin_expect(c->uses_pc, false))
            sl_l1_by(c->l1, inst->mem_slot);
        sl_l1_load(c->l1, c->time, number, p->line, p->sectors, w->requesting ? w->waited[w->at] : 0,
                   parts ? bytes : NULL, &outcome);
    }
    if (c->config->stacks && !sl_inst_is_bulk(inst))
        load_stacks(c, p, w->decision, counted);
    uint32_t fetched = 0;
    for (int k = 0; k < SL_LOAD_CLASSES; k++) {
        if (!outcome.sectors[k])
            continue;
        if (counted)
            slot->sectors[k] += sl_sector_count(outcome.sectors[k]);
        if (k != SL_LOAD_HIT && k != SL_LOAD_PENDING)
            fetched |= outcome.sectors[k];
    }
    w->missed |= fetched && w->decision->allocate;
    c->result->work.load_lines++;
    c->result->work.load_sectors += sl_sector_count(p->sectors);
    c->result->work.fill_sectors += sl_sector_count(fetched);
    send_below(c, p->line, fetched, sl_inst_is_bulk(inst) ? SL_ACCESS_BULK_LOAD : SL_ACCESS_LOAD, counted,
               inst->mem_slot);
    w->done = outcome.done > w->done ? outcome.done : w->done;
}

static void count_passes(core *c, warp *w, const sl_inst *inst, uint64_t line)
{
    const sl_machine *machine = c->config->machine;
    uint32_t line_bytes = c->config->l1->line_bytes;
    uint64_t addr = line * line_bytes;
    uint32_t passes = sl_atomic_line_passes(w->walk.access, c->shape.launch->lanes, addr, line_bytes);
    sl_atomic_load_add(c->result->atomics, &machine->level[machine->levels - 1], addr, passes,
                       sl_atomic_is_float(sl_loaded_kernel(c->config->loaded), inst));
}

static void store_piece(core *c, warp *w, const sl_inst *inst)
{
    const sl_line_request *p = &w->piece[w->at];
    uint64_t bytes[2];
    bool wanted = c->config->l1->write == SL_WRITE_ALLOCATE && inst->space == SL_MEM_GLOBAL;
    if (wanted)
        sl_line_bytes(&c->shape, inst, w->walk.access, p->line, bytes);
    bool atomic = sl_inst_is_atomic(inst);
    if (__builtin_expect(c->uses_pc, false))
        sl_l1_by(c->l1, inst->mem_slot);
    uint32_t sent = p->sectors;
    if (atomic)
        sl_l1_invalidate(c->l1, c->time, p->line);
    else
        sent = sl_l1_store(c->l1, c->time, p->line, p->sectors, wanted ? bytes : NULL,
                           &(sl_l1_sender){(uint32_t)(w - c->warp), w->pieces <= SL_JOINED_LINES,
                                           c->time + w->pieces + c->config->l1->join_cycles});
    sl_warps_work *work = &c->result->work;
    uint32_t sectors = sl_sector_count(p->sectors);
    *(atomic ? &work->atomic_lines : &work->store_lines) += 1;
    *(atomic ? &work->atomic_sectors : &work->store_sectors) += sectors;
    work->partial_stores += !atomic && sectors * c->config->l1->sector_bytes < c->config->l1->line_bytes;
    if (c->result->atomics && atomic && !sl_inst_is_bulk(inst))
        count_passes(c, w, inst, p->line);
    if (c->config->stacks && atomic)
        sl_stacks_invalidate(c->config->stacks, p->line);
    else if (c->config->stacks)
        sl_stacks_store(c->config->stacks, p->line, p->sectors);
    send_below(c, p->line, sent, atomic ? SL_ACCESS_ATOMIC : SL_ACCESS_STORE, false, inst->mem_slot);
}

static void begin_request(core *c, warp *w)
{
    uint32_t slots = c->config->resident_blocks * c->warps;
    uint64_t local_bytes = (uint64_t)sl_loaded_kernel(c->config->loaded)->local_bytes * c->shape.launch->lanes;
    uint32_t number = (uint32_t)(w - c->warp);
    c->shape.local_base =
        (UINT64_C(1) << 62) + ((uint64_t)c->config->core * slots + number) * ((local_bytes + 127) & ~127ull);
    w->pieces = sl_line_requests(&c->shape, w->walk.inst, w->walk.access, w->piece);
    w->at = 0;
    if (!w->walk.access->first)
        return;
    w->accesses++;
    w->done = c->time;
    w->missed = false;
    w->decision = sl_cache_decide(w->walk.inst, c->config->machine->core.cached_volatile);
    c->result->slot[w->walk.inst->mem_slot].requests++;
}

/* Whether the load misses and must not yet: then none of it is requested, or with mshr_lines not its next line. */
static bool has_to_wait(core *c, uint32_t number)
{
    const warp *w = &c->warp[number];
    uint32_t end = c->config->l1->mshr_lines && w->at < w->pieces ? w->at + 1 : w->pieces;
    if (!w->decision->allocate || sl_l1_may_miss(c->l1, c->time, number))
        return false;
    for (uint32_t i = w->at; i < end; i++)
        if (sl_l1_needs_mshr(c->l1, c->time, w->piece[i].line, w->piece[i].sectors))
            return true;
    return false;
}

/* The request waits: at the limit per warp until a load of the warp that missed has ended, otherwise for any MSHR. */
static void wait_for_mshr(core *c, uint32_t number)
{
    warp *w = &c->warp[number];
    if (!w->requesting)
        for (uint32_t i = w->at; i < w->pieces; i++)
            w->waited[i] = sl_l1_present(c->l1, c->time, w->piece[i].line);
    w->requesting = true;
    c->time++;
    if (!sl_l1_mshr_free(c->l1, c->time)) {
        block_warp(c, number);
        return;
    }
    uint64_t soonest = UINT64_MAX;
    for (uint32_t i = 0; i < 8 && i < w->misses; i++)
        if (w->arrival[i] >= c->time && w->arrival[i] < soonest)
            soonest = w->arrival[i];
    enqueue(c, number, soonest == UINT64_MAX ? c->time : soonest);
}

/* What has missed, the load or a line of it, counts for the warp's limit until it ends. */
static void count_miss(core *c, uint32_t number)
{
    warp *w = &c->warp[number];
    if (!w->missed)
        return;
    w->missed = false;
    w->arrival[w->misses++ % 8] = w->done;
    sl_l1_missed(c->l1, number, w->done);
}

/* A scalar load, all at once: it takes no time of the first level. */
static sl_status scalar_load(core *c, uint32_t number)
{
    warp *w = &c->warp[number];
    const sl_inst *inst = w->walk.inst;
    const sl_machine *machine = c->config->machine;
    sl_slot_loads *slot = &c->result->slot[inst->mem_slot];
    begin_request(c, w);
    slot->requests--;
    slot->scalar++;
    for (uint32_t i = 0; i < w->pieces; i++) {
        bool hit = sl_scalar_cache_access(&c->scalar, w->piece[i].line);
        slot->scalar_lines++;
        slot->scalar_hits += hit;
        w->done = c->time + (hit || c->config->no_latency ? 0 : machine->memory.latency_cycles);
        if (!hit)
            send_below(c, w->piece[i].line, w->piece[i].sectors, SL_ACCESS_LOAD, true, inst->mem_slot);
    }
    w->done_at[w->walk.rank] = w->done;
    return go_on(c, number, c->limits->stall_on_use || c->config->no_divergence ? c->time : w->done);
}

static sl_status request(core *c, uint32_t number)
{
    warp *w = &c->warp[number];
    const sl_inst *inst = w->walk.inst;
    bool load = sl_inst_loads(inst), lines = c->config->l1->mshr_lines;
    if (!w->requesting && sl_access_is_scalar(c->config->machine, inst, w->walk.access))
        return scalar_load(c, number);
    if (!w->requesting)
        begin_request(c, w);
    do {
        if (load && has_to_wait(c, number)) {
            wait_for_mshr(c, number);
            return SL_OK;
        }
        for (; w->at < w->pieces; w->at++) {
            if (load && lines && has_to_wait(c, number)) {
                wait_for_mshr(c, number);
                return SL_OK;
            }
            if (load)
                load_piece(c, number, inst);
            else
                store_piece(c, w, inst);
            if (lines)
                count_miss(c, number);
            c->time++;
        }
    } while (sl_access_more(w->walk.access) && (begin_request(c, w), true));
    w->requesting = false;
    count_miss(c, number);
    uint64_t from = c->time;
    w->done_at[w->walk.rank] = w->done;
    if (!c->limits->stall_on_use && load && !c->config->no_divergence)
        from = w->done > from ? w->done : from;
    return go_on(c, number, from);
}

/* ---- running ---- */

static sl_status start_block(core *c, uint32_t slot)
{
    if (c->next_block == c->blocks)
        return SL_OK;
    uint32_t block = c->block[c->next_block++];
    c->slot[slot].live = c->warps;
    c->slot[slot].block = block;
    c->slot[slot].arrived = 0;
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < c->warps && !status; i++) {
        warp *w = &c->warp[slot * c->warps + i];
        w->block = slot;
        w->requesting = false;
        w->misses = 0;
        w->insts = w->accesses = 0;
        sl_warp_walk_init(&w->walk, c->config->plan, c->config->loaded, block, i, w->predictor, w->ahead);
        status = go_on(c, slot * c->warps + i, c->time);
    }
    return status;
}

static void spend_instructions(core *c, uint32_t insts)
{
    if (!c->limits->instruction_cycles)
        return;
    c->issued += insts;
    c->time += c->issued / c->limits->schedulers;
    c->issued %= c->limits->schedulers;
}

static sl_status step_warp(core *c, uint32_t number)
{
    warp *w = &c->warp[number];
    if (!w->requesting)
        spend_instructions(c, w->walk.insts);
    switch (w->walk.kind) {
    case SL_EVENT_REQUEST:
        return request(c, number);
    case SL_EVENT_BARRIER:
        return arrive(c, number);
    default:
        return end_warp(c, number);
    }
}

/* The next warp; NO_WARP: time has advanced until something may have changed. */
static uint32_t next_warp(core *c)
{
    uint64_t next = c->in_queue ? c->heap[0].ready : UINT64_MAX;
    if (c->first_blocked != NO_WARP) {
        if (sl_l1_mshr_free(c->l1, c->time)) {
            uint32_t first = unblock_first(c);
            if (next > c->time && c->first_blocked == NO_WARP)
                return first;
            enqueue(c, first, c->time); /* behind those that are ready; others that wait try too, one after the other */
            return NO_WARP;
        }
        uint64_t effect = sl_l1_next_effect(c->l1);
        if (effect <= next || next == UINT64_MAX) {
            c->time = effect > c->time && effect != UINT64_MAX ? effect : c->time + 1;
            if (next > c->time)
                return NO_WARP;
        }
    }
    if (next > c->time)
        c->time = next;
    return dequeue(c);
}

static sl_status run(core *c)
{
    sl_status status = SL_OK;
    for (uint32_t s = 0; s < c->slots && !status; s++)
        status = start_block(c, s);
    while (!status && (c->in_queue || c->first_blocked != NO_WARP)) {
        uint32_t number = next_warp(c);
        if (number != NO_WARP)
            status = step_warp(c, number);
        if (!status && (c->failed || sl_l1_failed(c->l1)))
            status = sl_fail_memory(c->error);
    }
    c->result->steps = c->time;
    return status ? status : sl_l1_check(c->l1, c->error);
}

/* ---- life ---- */

static void destroy(core *c)
{
    if (c->warp) { /* the first has the storage of all */
        free(c->warp[0].predictor);
        free(c->warp[0].ahead);
    }
    if (c->slot)
        free(c->slot[0].waiting);
    free(c->warp);
    free(c->slot);
    free(c->heap);
    if (c->l1)
        memcpy(c->result->fit, sl_l1_fit(c->l1), sizeof c->result->fit);
    sl_l1_destroy(c->l1);
    sl_scalar_cache_fini(&c->scalar);
}

static bool make_warps(core *c)
{
    uint32_t count = c->slots * c->warps, words = (c->warps + 63) / 64;
    size_t slots = sl_loaded_kernel(c->config->loaded)->mem_slots, ahead = sl_walk_read_ahead(c->config->plan);
    slots = slots ? slots : 1;
    c->warp = malloc(count * sizeof *c->warp);
    for (uint32_t i = 0; c->warp && i < count; i++)
        memset(&c->warp[i], 0, offsetof(warp, piece));
    c->slot = calloc(c->slots, sizeof *c->slot);
    c->heap = malloc(count * sizeof *c->heap);
    if (!c->warp || !c->slot || !c->heap)
        return false;
    sl_predictor *predictors = malloc(count * slots * sizeof *predictors);
    c->warp[0].predictor = predictors;
    uint64_t *waiting = calloc((size_t)c->slots * words, sizeof *waiting);
    c->slot[0].waiting = waiting;
    sl_access *accesses = ahead ? malloc(count * ahead * sizeof *accesses) : NULL;
    c->warp[0].ahead = accesses;
    if (!predictors || !waiting || (ahead && !accesses))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        c->warp[i].predictor = &predictors[i * slots];
        c->warp[i].ahead = ahead ? &accesses[i * ahead] : NULL;
    }
    for (uint32_t i = 0; i < c->slots; i++)
        c->slot[i].waiting = &waiting[(size_t)i * words];
    return true;
}

sl_status sl_core_run(const sl_core_config *config, const uint32_t *block, size_t blocks, sl_core_result *result,
                      sl_error *error)
{
    const sl_trace_launch *launch = sl_loaded_launch(config->loaded);
    core c = {
        .config = config,
        .result = result,
        .limits = &config->machine->core,
        .warps = sl_launch_warps(launch),
        .slots = blocks < config->resident_blocks ? (uint32_t)blocks : config->resident_blocks,
        .first_blocked = NO_WARP,
        .block = block,
        .blocks = blocks,
        .error = error,
        .shape = sl_access_shape_of(config->machine, launch, config->l1->line_bytes, config->l1->sector_bytes),
    };
    sl_l1_config l1 = {
        .level = config->l1,
        .latency = config->machine->memory.latency_cycles,
        .sigma = config->machine->memory.latency_sigma,
        .warps = c.slots * c.warps,
        .no_latency = config->no_latency,
        .no_associativity = config->no_associativity,
        .no_mshr = config->no_mshr,
        .spill = sl_loaded_spill(config->loaded),
        .seed = config->seed,
    };
    sl_status status = sl_l1_create(&l1, &c.l1, error);
    c.uses_pc = !status && sl_l1_uses_pc(c.l1);
    if (!status && config->machine->core.scalar_bytes)
        status = sl_scalar_cache_start(&c.scalar, config->machine, error);
    if (!status)
        status = make_warps(&c) ? run(&c) : sl_fail_memory(error);
    destroy(&c);
    return status;
}
