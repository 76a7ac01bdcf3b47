/* SPDX-License-Identifier: MIT */
/* Launches that are not simulated: the levels that all cores share get the lines that such a launch accesses, in the
 * order of its trace and without time. Counters do not change, and what a line evicts is written to memory by nobody.
 */
#include "sim/evict.h"
#include "sim/lines.h"
#include "trace/line_stream.h"

/* The way that the line gets, with what was there evicted. */
static uint32_t choose_way(sl_bank *b, const sl_cache_access *access)
{
    uint32_t set = access->set, way = sl_free_way(b, set, false);
    sl_way_mask mask;
    if (way == SL_NO_WAY) {
        if (!sl_offer_victims(b, set, &mask, false))
            return SL_NO_WAY;
        way = sl_policy_victim(&b->replacement, access, &mask);
        sl_line_report_eviction(b, set, way, false);
        sl_line_clear(b, set, way);
    }
    sl_set_tag(b, set, way, access->line + 1, false);
    sl_policy_fill(&b->replacement, access, way);
    if (b->bypass.ops)
        sl_policy_fill(&b->bypass, access, way);
    return way;
}

/* Granules of a line that a store makes valid: those that it writes whole, and at the level that keeps it (`kept`)
 * those of which all words have been stored by now. */
static uint32_t made_valid(sl_sim *sim, sl_bank *b, size_t line_slot, const sl_line_access *a, unsigned shift,
                           bool kept)
{
    uint32_t whole = a->whole << shift;
    return kept && a->words && b->log2_line == sim->log2_line
               ? whole | sl_stored_add(sim, b, line_slot, a->words, a->sectors << shift)
               : whole;
}

/* A load, store or atomic at a bank that allocates for it. `kept`: what is stored stays here, and is written to memory
 * some day. */
static void access_bank(sl_sim *sim, sl_bank *b, const sl_line_access *a, bool kept)
{
    uint64_t addr = a->line << sim->log2_line;
    const sl_cache_access access = {.line = addr >> b->log2_line, .set = sl_set_of(b, addr), .kind = a->kind};
    uint32_t way = sl_way_of(b, access.set, access.line);
    unsigned shift = sl_shift_of(sim, b, addr);
    if (way != SL_NO_WAY) {
        b->line[(size_t)access.set * b->ways + way].mark |= SL_LINE_REUSED;
        sl_policy_hit(&b->replacement, &access, way);
        if (b->bypass.ops)
            sl_policy_hit(&b->bypass, &access, way);
    } else if ((way = choose_way(b, &access)) == SL_NO_WAY) {
        return;
    }
    size_t line_slot = (size_t)access.set * b->ways + way;
    sl_line *line = &b->line[line_slot];
    line->valid |= a->kind == SL_ACCESS_STORE
                       ? made_valid(sim, b, line_slot, a, shift, kept)
                       : sl_widen(a->sectors << shift, b->fill_granules, 1u << (b->log2_line - sim->log2_granule));
    line->dirty |= kept ? a->sectors << shift : 0;
}

static void invalidate(const sl_sim *sim, sl_bank *b, const sl_line_access *a)
{
    uint64_t addr = a->line << sim->log2_line;
    uint32_t set = sl_set_of(b, addr), way = sl_way_of(b, set, addr >> b->log2_line);
    if (way != SL_NO_WAY)
        b->line[(size_t)set * b->ways + way].valid &= ~(a->sectors << sl_shift_of(sim, b, addr));
}

/* What a store or an atomic leaves: data at home, a copy of what is stored in the partition of the core, which it
 * passes, and none elsewhere. */
static void write(sl_sim *sim, sl_bank *home, sl_bank *near, const sl_line_access *a)
{
    uint64_t addr = a->line << sim->log2_line;
    sl_write_policy policy = home->level->write;
    if (near != home && a->kind == SL_ACCESS_STORE && policy != SL_WRITE_EVICT && a->whole)
        access_bank(sim, near, a, false);
    else if (near != home && a->kind != SL_ACCESS_STORE)
        invalidate(sim, near, a);
    if (home->level->partitions > 1)
        sl_copies_invalidate(sim, home, a->core, addr >> home->log2_line, a->sectors << sl_shift_of(sim, home, addr));
    if (policy == SL_WRITE_BACK)
        access_bank(sim, home, a, true);
    else if (policy == SL_WRITE_ALLOCATE && a->kind == SL_ACCESS_STORE)
        access_bank(sim, home, a, false);
    else if (policy == SL_WRITE_EVICT || a->kind == SL_ACCESS_ATOMIC)
        invalidate(sim, home, a);
}

static bool access_levels(void *to, const sl_line_access *a)
{
    sl_sim *sim = to;
    uint64_t addr = a->line << sim->log2_line;
    for (uint32_t number = 1; number < sim->machine.levels; number++) {
        if (sl_is_private(sim, number))
            continue;
        sl_bank *home = &sim->bank[number][sl_bank_home(sim, number, a->core, addr)];
        sl_bank *near = &sim->bank[number][sl_bank_for(sim, number, a->core, addr)];
        if (a->kind != SL_ACCESS_LOAD) {
            write(sim, home, near, a);
            continue;
        }
        if (near != home)
            access_bank(sim, near, a, false);
        access_bank(sim, home, a, false);
    }
    return !sim->failed;
}

bool sl_sim_can_warm(const sl_machine *machine)
{
    for (uint32_t i = 1; i < machine->levels; i++) {
        const sl_level *level = &machine->level[i];
        if (level->miss_handling != SL_MISS_OVERLAPPED || level->inclusive || level->keep)
            return false;
    }
    return !machine->level[0].keep;
}

sl_status sl_sim_warm(sl_sim *sim, const sl_trace *trace, uint32_t launch, sl_error *error)
{
    const sl_line_stream stream = {.machine = &sim->whole,
                                   .line_bytes = sim->whole.level[0].line_bytes,
                                   .sector_bytes = 1u << sim->log2_granule,
                                   .access = access_levels,
                                   .to = sim};
    return sl_line_stream_run(&stream, trace, launch, error);
}
