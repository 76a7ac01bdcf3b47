/* SPDX-License-Identifier: MIT */
/* The load/store unit of a core: from a warp's memory instruction to requests, and these one by one to the first level.
 * A request that stalls there stalls those behind it. Where the policy of the first level wants several queues,
 * requests go to them by their warp, and one queue is drained before the next. */
#include <string.h>

#include "access/atomics.h"
#include "access/coalesce.h"
#include "access/request.h"
#include "policy/line_counts.h"
#include "sim/bank.h"
#include "sim/core.h"
#include "sim/data_observer.h"
#include "sim/l1_requests.h"
#include "sim/lines.h"

/* ---- memops: memory instructions in flight ---- */

static uint32_t alloc_memop(sl_sim_core *core)
{
    if (core->memop_free == SL_NONE) {
        uint32_t old = core->memop_capacity, capacity = old ? 2 * old : 64;
        sl_memop *memop = realloc(core->memop, capacity * sizeof *memop);
        if (!memop)
            return SL_NONE;
        core->memop = memop;
        core->memop_capacity = capacity;
        for (uint32_t i = old; i < capacity; i++)
            memop[i].next = i + 1 < capacity ? i + 1 : SL_NONE;
        core->memop_free = old;
    }
    uint32_t number = core->memop_free;
    core->memop_free = core->memop[number].next;
    return number;
}

/* ---- requests ---- */

/* The granules of which a store writes every byte. */
static uint32_t whole_granules(const sl_sim *sim, const sl_line_request *piece, const uint64_t bytes[2])
{
    uint64_t granule = sim->log2_granule >= 6 ? UINT64_MAX : (UINT64_C(1) << (1u << sim->log2_granule)) - 1;
    uint32_t whole = 0, granule_bytes = 1u << sim->log2_granule;
    for (uint32_t left = piece->sectors; left; left &= left - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(left), at = u * granule_bytes;
        bool all = granule_bytes > 64 ? bytes[0] == UINT64_MAX && bytes[1] == UINT64_MAX
                                      : (bytes[at / 64] >> (at % 64) & granule) == granule;
        whole |= all ? 1u << u : 0;
    }
    return whole;
}

/* Words of a line that a store writes completely (`whole`), or that a load reads some of. */
static uint32_t words_of(const uint64_t bytes[2], bool whole)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t word = (uint32_t)(bytes[i / 16] >> i % 16 * SL_WORD_BYTES) & 0xf;
        words |= (whole ? word == 0xf : word != 0) ? 1u << i : 0;
    }
    return words;
}

/* Sets whole granules and words of a request. Loads need words where lines may hold stored words only. */
static void find_bytes(const sl_sim *sim, const sl_bank *bank, const sl_access_shape *shape, const sl_inst *inst,
                       sl_access *access, const sl_line_request *piece, sl_request *r)
{
    bool store = r->kind == SL_REQUEST_STORE;
    uint64_t bytes[2];
    r->whole = r->words = 0;
    if (store && inst->space == SL_MEM_LOCAL)
        r->whole = piece->sectors; /* the lanes of a warp write whole lines of local memory */
    if (inst->space != SL_MEM_GLOBAL || shape->log2_line > 7 ||
        !(store || (r->kind == SL_REQUEST_LOAD && bank->stored)))
        return;
    sl_line_bytes(shape, inst, access, piece->line, bytes);
    if (store)
        r->whole = whole_granules(sim, piece, bytes);
    if (shape->log2_line == 7 && sim->machine.level[0].write == SL_WRITE_ALLOCATE && !sim->options.data_observer &&
        (!store || r->whole != r->granules))
        r->words = words_of(bytes, store);
}

/* Of an atomic in a line. */
static uint32_t passes_of(const sl_sim *sim, const sl_inst *inst, sl_access *access, uint64_t addr)
{
    uint32_t passes = sl_atomic_line_passes(access, sim->machine.lanes, addr, 1u << sim->log2_line);
    return passes | (sl_atomic_is_float(sim->program->kernel, inst) ? SL_ATOMIC_FLOATS : 0);
}

/* first: nothing of the instruction was counted before */
static void count_request(sl_sim *sim, const sl_inst *inst, const sl_line_request *piece, uint32_t pieces, bool first)
{
    sl_slot_stats *s = &sim->slot[inst->mem_slot];
    s->requests += first;
    s->lines += pieces;
    for (uint32_t i = 0; i < pieces; i++)
        s->sectors += sl_sectors(piece[i].sectors, sim->sector_granules);
}

/* The bank of tags of a line. Of four banks each bit is the parity of some bits of the line number: fitted to the rates
 * of 4-byte loads in papers/h200-micro/strides.csv; those of 8 and 16 bytes are then within 1 % on average. Higher
 * bits, and other numbers of banks, are folded. */
static uint32_t tag_bank(uint64_t line, uint32_t banks, uint32_t bits)
{
    static const uint32_t low = 0x7ab5, high = 0x55da;
    enum { KNOWN_BITS = 15 };
    uint32_t bank = 0;
    if (banks == 4) {
        bank = (uint32_t)__builtin_parity((uint32_t)line & low) | (uint32_t)__builtin_parity((uint32_t)line & high)
                                                                      << 1;
        line >>= KNOWN_BITS;
    }
    for (; bits && line; line >>= bits)
        bank ^= (uint32_t)line & (banks - 1);
    return bank;
}

/* Cycles that an access takes a first level with banks of tags and of data: lines in one bank of tags are looked up one
 * after the other, as different words in one bank of data are read. */
static uint32_t l1_wavefronts(const sl_sim *sim, const sl_inst *inst, const sl_access *access,
                              const sl_line_request *piece, uint32_t pieces)
{
    const sl_level *level = &sim->machine.level[0];
    uint32_t lines[SL_MAX_TAG_BANKS] = {0}, bits = (uint32_t)__builtin_ctz(level->banks), wavefronts = 1;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t bank = tag_bank(piece[i].line, level->banks, bits);
        wavefronts = ++lines[bank] > wavefronts ? lines[bank] : wavefronts;
    }
    uint32_t words =
        inst->space == SL_MEM_LOCAL || access->bulk ? 1 : sl_bank_passes(access, sim->machine.lanes, inst->width);
    return words > wavefronts ? words : wavefronts;
}

/* Combines what the cache operator of an instruction and the plan ask of the caches. */
static sl_sim_hint hint_of(const sl_sim *sim, const sl_inst *inst, sl_request_kind kind,
                           const sl_cache_decision *decision)
{
    uint8_t last = (uint8_t)(1u << (sim->machine.levels - 1));
    bool bypasses = kind == SL_REQUEST_LOAD || kind == SL_REQUEST_STORE;
    sl_sim_hint hint = {0};
    if (sim->plan && bypasses)
        hint = sim->plan[inst->mem_slot];
    if (bypasses && !decision->allocate)
        hint.bypass |= 1;
    if (kind == SL_REQUEST_STORE)
        hint.bypass &= sim->machine.level[0].write == SL_WRITE_ALLOCATE;
    if (decision->l2 == SL_EVICT_FIRST && kind == SL_REQUEST_LOAD)
        hint.bypass |= last & sim->evict_first_levels;
    hint.first |= (uint8_t)(decision->l1 == SL_EVICT_FIRST) | (decision->l2 == SL_EVICT_FIRST ? last : 0);
    hint.last |= (uint8_t)(decision->l1 == SL_EVICT_LAST) | (decision->l2 == SL_EVICT_LAST ? last : 0);
    hint.half |= decision->half;
    if (decision->log2_fetch > hint.log2_fetch)
        hint.log2_fetch = decision->log2_fetch;
    hint.first &= sim->priorities;
    hint.last &= sim->priorities;
    return hint;
}

/* The priority of the line of a request. `half`: an address hash chooses the lines. */
static uint8_t priority_of(const sl_sim *sim, const sl_sim_hint *hint, const sl_request *r)
{
    uint8_t by_hint = r->evict_hint & sim->evict_first_levels;
    if (hint->half && sl_hash_mix(r->addr >> sim->log2_line) & 1)
        return by_hint;
    return (uint8_t)(by_hint | hint->first | hint->last << SL_EVICT_LAST_BITS);
}

/* Of a scalar load, the lines that its cache lacks stay in `piece`; returns how many. What is there comes after the
 * latency of that cache. */
static uint32_t scalar_load(sl_sim *sim, sl_sim_core *core, uint32_t w, uint32_t inst_number, sl_line_request *piece,
                            uint32_t pieces)
{
    sl_slot_stats *s = &sim->slot[sl_program_inst(sim->program, inst_number)->mem_slot];
    const sl_uop *uop = &sim->program->uop[inst_number];
    uint32_t missing = 0;
    for (uint32_t i = 0; i < pieces; i++)
        if (!sl_scalar_cache_access(&core->scalar, piece[i].line))
            piece[missing++] = piece[i];
    s->scalar++;
    s->scalar_lines += pieces;
    s->scalar_hits += pieces - missing;
    for (uint32_t d = 0; d < uop->dsts; d++)
        core->ready_at[(size_t)w * sim->program->registers + uop->reg[d]] =
            (uint32_t)(sim->now + sim->machine.core.scalar_cycles);
    return missing;
}

static sl_status queue_requests(sl_sim *sim, sl_sim_core *core, uint32_t w, uint32_t inst_number,
                                const sl_access_shape *shape, sl_error *error)
{
    const sl_bank *bank = &sim->bank[0][core->number / sim->machine.level[0].cores_per_instance];
    sl_sim_warp *warp = &core->warp[w];
    sl_access *access = warp->access;
    const sl_inst *inst = sl_program_inst(sim->program, inst_number);
    sl_line_request piece[SL_MAX_LINE_REQUESTS];
    uint32_t pieces = sl_line_requests(shape, inst, access, piece);
    bool scalar = pieces && sl_access_is_scalar(&sim->machine, inst, access);
    if (scalar)
        pieces = scalar_load(sim, core, w, inst_number, piece, pieces);
    if (!pieces)
        return SL_OK;
    bool loads = sl_inst_loads(inst) || inst->access == SL_ACCESS_NONE;
    sl_request_kind kind = loads                                      ? SL_REQUEST_LOAD
                           : inst->access == SL_ACCESS_BULK_STORE     ? SL_REQUEST_STORE
                           : inst->access == SL_ACCESS_BULK_REDUCTION ? SL_REQUEST_REDUCTION
                                                                      : (sl_request_kind)inst->access;
    bool answered = kind == SL_REQUEST_LOAD || kind == SL_REQUEST_ATOMIC;
    uint32_t memop = alloc_memop(core);
    if (memop == SL_NONE)
        return sl_fail_memory(error);
    core->memop[memop] =
        (sl_memop){.requests = pieces,
                   .inst = inst_number,
                   .warp = (uint8_t)w,
                   .async = inst->access == SL_ACCESS_ASYNC_COPY || inst->access == SL_ACCESS_BULK_LOAD};
    if (sim->machine.level[0].data_banks) {
        uint32_t wavefronts = l1_wavefronts(sim, inst, access, piece, pieces);
        core->memop[memop].wavefronts = (uint16_t)wavefronts;
        core->memop[memop].wavefront_requests = (uint16_t)((pieces + wavefronts - 1) / wavefronts);
    }
    core->instructions++;
    if (!scalar)
        count_request(sim, inst, piece, pieces, access->first);
    uint32_t q = w % core->queues;
    const sl_cache_decision *decision = sl_cache_decide(inst, sim->machine.core.cached_volatile);
    const sl_sim_hint hint = hint_of(sim, inst, kind, decision);
    uint8_t hints = kind == SL_REQUEST_LOAD ? sim->evict_hints : 0;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t number = sl_request_alloc(sim->pool, core->stock);
        if (number == SL_NONE)
            return sl_fail_memory(error);
        sl_request *r = sl_request_at(sim, number);
        r->addr = piece[i].line << sim->log2_line;
        r->granules = piece[i].sectors;
        r->memop = memop;
        r->slot = inst->mem_slot;
        r->core = (uint16_t)core->number;
        r->warp = (uint8_t)w;
        r->kind = (uint8_t)kind;
        find_bytes(sim, bank, shape, inst, access, &piece[i], r);
        if (kind == SL_REQUEST_ATOMIC || (kind == SL_REQUEST_REDUCTION && !access->bulk))
            r->words = passes_of(sim, inst, access, r->addr);
        r->no_allocate = (uint8_t)((hint.bypass & (uint8_t)~hints) | scalar);
        r->evict_hint = hint.bypass & hints;
        r->priority = priority_of(sim, &hint, r);
        r->log2_fetch = hint.log2_fetch & 0x1f;
        r->scalar = scalar;
        r->merges = kind == SL_REQUEST_STORE && pieces <= SL_JOINED_LINES;
        r->no_lookup = scalar || (!decision->lookup && !(hints & 1)); /* L1 alone */
        r->since = sim->now + 1;
        SL_OBSERVE_DATA(sim, on_issue, number);
        sl_request_push(sim->pool, &core->queue[q], number);
    }
    core->queued |= UINT64_C(1) << q;
    warp->queued += pieces;
    if (answered) {
        warp->loads++;
        core->loads++;
        warp->asyncs += core->memop[memop].async;
        warp->waits |= sim->machine.core.volatile_hints && sim->plan && sim->plan[inst->mem_slot].bypass & 1;
        const sl_uop *uop = &sim->program->uop[inst_number];
        for (uint32_t d = 0; d < uop->dsts; d++)
            core->ready_at[(size_t)w * sim->program->registers + uop->reg[d]] = SL_NONE;
        sl_warp_set_scoreboard(warp, uop);
    } else {
        warp->stores += pieces;
    }
    return SL_OK;
}

sl_status sl_lsu_issue(sl_sim *sim, sl_sim_core *core, uint32_t w, uint32_t inst_number, sl_error *error)
{
    sl_access_shape shape = sim->shape;
    shape.local_base = core->warp[w].local_base;
    sl_status status;
    do
        status = queue_requests(sim, core, w, inst_number, &shape, error);
    while (!status && sl_access_more(core->warp[w].access));
    return status;
}

sl_status sl_lsu_issue_shared(sl_sim *sim, sl_sim_core *core, uint32_t w, uint32_t inst, uint32_t wavefronts,
                              sl_error *error)
{
    const sl_uop *uop = &sim->program->uop[inst];
    uint32_t memop = alloc_memop(core), number = memop == SL_NONE ? SL_NONE : sl_request_alloc(sim->pool, core->stock);
    if (number == SL_NONE)
        return sl_fail_memory(error);
    core->memop[memop] = (sl_memop){.requests = 1, .inst = inst, .warp = (uint8_t)w};
    core->instructions++;
    sl_request *r = sl_request_at(sim, number);
    r->kind = SL_REQUEST_SHARED;
    r->slot = sl_program_inst(sim->program, inst)->mem_slot;
    r->granules = wavefronts;
    r->memop = memop;
    r->warp = (uint8_t)w;
    uint32_t q = w % core->queues;
    sl_request_push(sim->pool, &core->queue[q], number);
    core->queued |= UINT64_C(1) << q;
    core->warp[w].queued++;
    core->warp[w].loads++;
    for (uint32_t d = 0; d < uop->dsts; d++)
        core->ready_at[(size_t)w * sim->program->registers + uop->reg[d]] = SL_NONE;
    sl_warp_set_scoreboard(&core->warp[w], uop);
    return SL_OK;
}

/* ---- to the first level ---- */

static void count_outcome(sl_sim *sim, uint32_t slot, uint32_t granules, sl_bank_outcome outcome)
{
    sl_slot_stats *s = &sim->slot[slot];
    uint32_t sectors = sl_sectors(granules, sim->sector_granules);
    switch (outcome) {
    case SL_BANK_PENDING:
        s->pending += sectors;
        s->hits += sectors;
        break;
    case SL_BANK_HIT:
        s->hits += sectors;
        break;
    case SL_BANK_BYPASS:
        s->bypasses++;
        s->bypassed += sectors;
        s->misses += sectors;
        break;
    default:
        s->misses += sectors;
    }
}

/* Records requests to L1. */
static bool record(sl_sim *sim, const sl_bank *bank, uint64_t addr, sl_bank_outcome outcome)
{
    sl_line_counts *counts = sim->options.record_counts;
    sl_l1_requests *requests = sim->options.record_requests;
    if (!counts && !requests)
        return true;
    uint64_t line = addr >> bank->log2_line;
    sl_l1_request_outcome l1_outcome = outcome == SL_BANK_BYPASS ? SL_L1_BYPASS
                                       : outcome == SL_BANK_MISS ? SL_L1_MISS
                                                                 : SL_L1_HIT;
    return (!counts || sl_line_counts_add(counts, bank->index, line)) &&
           (!requests || sl_l1_requests_add(requests, bank->index, line, sl_set_of(bank, addr), l1_outcome));
}

/* Of a request that misses or bypasses, the sectors that are valid count as hits: only the rest is fetched. */
static sl_bank_outcome access_first(sl_sim *sim, sl_bank *bank, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    uint64_t addr = r->addr;
    uint32_t granules = r->granules, slot = r->slot, missing = granules;
    bool load = r->kind == SL_REQUEST_LOAD && !r->scalar;
    sl_bank_outcome outcome = sl_bank_access(sim, bank, number);
    if (outcome == SL_BANK_STALL || !load)
        return outcome;
    if (outcome == SL_BANK_MISS || outcome == SL_BANK_BYPASS)
        missing &= r->granules;
    count_outcome(sim, slot, missing, outcome);
    if (granules & ~missing)
        count_outcome(sim, slot, granules & ~missing, SL_BANK_HIT);
    if (!record(sim, bank, addr, outcome))
        sim->failed = true;
    return outcome;
}

/* An L1 with data banks accepts one instruction after the other, wavefront by wavefront. */
static bool has_wavefront(const sl_sim *sim, sl_sim_core *core, sl_memop *memop)
{
    if (!memop->begun) {
        if (core->wavefronts_end > sim->now)
            return false;
        memop->begun = true;
        core->wavefronts_end = sim->now + memop->wavefronts;
    }
    if (core->wavefront_at != sim->now) {
        core->wavefront_at = sim->now;
        core->wavefront_accepted = 0;
    }
    return core->wavefront_accepted < memop->wavefront_requests;
}

/* Whether the head of a queue can be accepted in this cycle. */
static bool has_port(sl_sim *sim, sl_sim_core *core, sl_bank *bank, uint32_t number)
{
    if (sim->machine.core.one_pipeline && core->shared_free > sim->now)
        return false;
    if (sim->machine.level[0].data_banks && sl_request_at(sim, number)->kind != SL_REQUEST_SHARED)
        return has_wavefront(sim, core, &core->memop[sl_request_at(sim, number)->memop]);
    if (bank->accepted_at != sim->now) {
        bank->accepted_at = sim->now;
        bank->accepted = 0;
    }
    return bank->accepted < bank->level->ports * bank->level->banks;
}

/* Whether the head of the queue is sure to stall in the next cycle unless something changes. False: unknown. */
static bool foresees_stall(sl_sim *sim, const sl_sim_core *core, sl_bank *bank)
{
    const sl_machine *m = &sim->machine;
    return core->queues == 1 && m->level[0].cores_per_instance == 1 && !m->level[0].data_banks &&
           (!m->core.one_pipeline || core->shared_free <= sim->now + 1) && sl_bank_is_full(bank) &&
           sl_bank_foresees_stall(sim, bank, core->queue[0].first);
}

void sl_lsu_end_stall(sl_sim *sim, sl_sim_core *core)
{
    if (core->stalled) {
        sim->result->level[0].stall_cycles[core->stall] += sim->now - core->stalled_since;
        if (core->stalled_slot < sim->program->kernel->mem_slots)
            sim->slot[core->stalled_slot].stall_cycles += sim->now - core->stalled_since;
    }
    core->stalled = false;
}

bool sl_lsu_tick(sl_sim *sim, sl_sim_core *core)
{
    sl_bank *bank = &sim->bank[0][core->number / sim->machine.level[0].cores_per_instance];
    if (core->stalled && !core->unblocked && sim->machine.level[0].cores_per_instance == 1)
        return false; /* nothing has changed for it */
    sl_lsu_end_stall(sim, core);
    core->unblocked = false;
    while (core->queued) {
        uint32_t at = core->queued >> core->queue_at & 1 ? core->queue_at : (uint32_t)__builtin_ctzll(core->queued);
        sl_request_list *queue = &core->queue[at];
        if (!has_port(sim, core, bank, queue->first))
            break;
        core->queue_at = at;
        uint32_t number = queue->first, memop = sl_request_at(sim, number)->memop,
                 next = sl_request_at(sim, number)->next;
        bool answered = sl_request_is_answered(sl_request_at(sim, number));
        if (next != SL_NONE)
            __builtin_prefetch(sl_request_at(sim, next));
        uint32_t w = sl_request_at(sim, number)->warp;
        if (sl_request_at(sim, number)->kind == SL_REQUEST_SHARED) {
            sl_core_shared(sim, core, &core->memop[memop], sl_request_at(sim, number)->granules);
            sl_request_free(sim->pool, core->stock, number);
        } else if ((sl_bank_is_full(bank) && sl_bank_foresees_stall(sim, bank, number)) ||
                   access_first(sim, bank, number) == SL_BANK_STALL) {
            core->stalled = true;
            core->stalled_since = sim->now;
            core->stalled_slot = sl_request_at(sim, number)->slot;
            core->stall = bank->stall;
            return false;
        }
        bank->accepted++;
        core->wavefront_accepted++;
        queue->first = next; /* the bank may have linked it elsewhere */
        if (core->queues > 1 && !--core->warp[w].queued)
            sl_core_drained(sim, core, w);
        if (next == SL_NONE)
            core->queued &= ~(UINT64_C(1) << core->queue_at);
        if (next == SL_NONE ||
            sl_request_at(sim, next)->memop != memop) { /* the requests of an instruction are consecutive */
            core->instructions--;
            if (!answered) { /* no answer refers to the memop */
                core->memop[memop].next = core->memop_free;
                core->memop_free = memop;
            }
        }
    }
    if (core->queued && foresees_stall(sim, core, bank)) {
        core->stalled = true;
        core->stalled_since = sim->now + 1;
        core->stalled_slot = sl_request_at(sim, core->queue[0].first)->slot;
        core->stall = bank->stall;
        return false;
    }
    return core->queued;
}
