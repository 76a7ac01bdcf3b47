/* SPDX-License-Identifier: MIT */
#include "sim/stored.h"

#include <stdlib.h>

#include "sim/engine.h"

static bool have_stored(sl_sim *sim, sl_bank *b)
{
    if (!b->stored)
        b->stored = calloc((size_t)b->sets * b->ways, sizeof *b->stored);
    b->plain = false;
    sim->failed |= !b->stored;
    return b->stored;
}

/* The words of a unit of a line. */
static uint32_t words_of(const sl_sim *sim, uint32_t unit)
{
    uint32_t words = (1u << sim->log2_unit) / SL_WORD_BYTES;
    return (words < 32 ? (1u << words) - 1 : UINT32_MAX) << unit * words;
}

/* Of these units, those none of whose words lack. */
static uint32_t without(const sl_sim *sim, uint32_t lacking, uint32_t units)
{
    uint32_t found = 0;
    for (; units; units &= units - 1)
        found |= lacking & words_of(sim, (uint32_t)__builtin_ctz(units)) ? 0 : units & -units;
    return found;
}

uint32_t sl_stored_units(const sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t words, uint32_t units)
{
    return words ? without(sim, words & ~b->stored[line_slot].words, units) : 0;
}

static void keep_unit(sl_bank *b, size_t line_slot, const sl_request *r, uint32_t unit, uint32_t all)
{
    sl_stored *s = &b->stored[line_slot];
    sl_line *line = &b->line[line_slot];
    uint32_t written = r->words & all, waiting = s->waiting & all;
    if (waiting && r->merges && s->warp == r->warp) {
        written |= waiting;
        line->valid |= written == all ? unit & ~line->in_flight : 0;
    } else if (waiting && waiting != written && !(line->in_flight & unit)) {
        line->valid &= ~unit;
        s->words &= ~all;
    }
    s->words |= written;
    s->waiting = (s->waiting & ~all) | written;
}

/* All words that a store writes. */
static uint32_t written_by(const sl_sim *sim, const sl_request *r)
{
    uint32_t words = r->words;
    for (uint32_t units = r->whole; units; units &= units - 1)
        words |= words_of(sim, (uint32_t)__builtin_ctz(units));
    return words;
}

uint32_t sl_stored_join(sl_sim *sim, sl_bank *b, size_t line_slot, const sl_request *r)
{
    const sl_stored *s = b->stored ? &b->stored[line_slot] : NULL;
    uint32_t at = s ? s->place - b->sent : SL_NONE;
    if (!b->level->join_cycles || at >= b->out.count || !r->merges || s->warp != r->warp)
        return SL_NONE;
    sl_request *first = sl_request_at(sim, sl_queue_at(&b->out, at));
    if (first->kind != SL_REQUEST_STORE || first->addr != r->addr || !first->words)
        return SL_NONE;
    uint32_t words = written_by(sim, first) | written_by(sim, r);
    first->units |= r->units;
    first->whole = without(sim, ~words, first->units);
    first->words = first->whole == first->units ? 0 : words;
    return at;
}

void sl_stored_keep(sl_sim *sim, sl_bank *b, size_t line_slot, const sl_request *r, uint32_t units)
{
    if (!have_stored(sim, b))
        return;
    sl_stored *s = &b->stored[line_slot];
    if ((int32_t)(s->place - b->sent) < 0)
        s->waiting = 0;
    for (; units; units &= units - 1)
        keep_unit(b, line_slot, r, units & -units, words_of(sim, (uint32_t)__builtin_ctz(units)));
    s->warp = r->warp;
    s->place = b->sent + b->out.count;
}

uint32_t sl_stored_add(sl_sim *sim, sl_bank *b, size_t line_slot, uint32_t words, uint32_t units)
{
    if (!have_stored(sim, b))
        return 0;
    b->stored[line_slot].words |= words;
    return without(sim, ~b->stored[line_slot].words, units);
}
