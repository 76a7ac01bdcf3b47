/* SPDX-License-Identifier: MIT */
#include "sim/bank.h"

#include <stdlib.h>

#include "sim/engine.h"

static bool alloc_stored(sl_sim *sim, sl_bank *b)
{
    if (!b->stored)
        b->stored = calloc((size_t)b->sets * b->ways, sizeof *b->stored);
    b->plain = false;
    sim->failed |= !b->stored;
    return b->stored;
}

/* The words of a granule of a line. */
static uint32_t words_of(const sl_sim *sim, uint32_t granule)
{
    uint32_t words = (1u << sim->log2_granule) / SL_WORD_BYTES;
    return (words < 32 ? (1u << words) - 1 : UINT32_MAX) << granule * words;
}

/* The granules that contain none of the lacking words. */
static uint32_t fully_stored(const sl_sim *sim, uint32_t lacking, uint32_t granules)
{
    uint32_t found = 0;
    for (; granules; granules &= granules - 1)
        found |= lacking & words_of(sim, (uint32_t)__builtin_ctz(granules)) ? 0 : granules & -granules;
    return found;
}

uint32_t sl_stored_granules(const sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t words, uint32_t granules)
{
    return words ? fully_stored(sim, words & ~b->stored[line_slot].words, granules) : 0;
}

static void write_granule(sl_bank *b, size_t line_slot, const sl_request *r, uint32_t granule, uint32_t all)
{
    sl_stored *s = &b->stored[line_slot];
    sl_line *line = &b->line[line_slot];
    uint32_t written = r->words & all, waiting = s->waiting & all;
    if (waiting && r->merges && s->warp == r->warp) {
        written |= waiting;
        line->valid |= written == all ? granule & ~line->in_flight : 0;
    } else if (waiting && waiting != written && !(line->in_flight & granule)) {
        line->valid &= ~granule;
        s->words &= ~all;
    }
    s->words |= written;
    s->waiting = (s->waiting & ~all) | written;
}

/* All words that a store writes. */
static uint32_t written_by(const sl_sim *sim, const sl_request *r)
{
    uint32_t words = r->words;
    for (uint32_t granules = r->whole; granules; granules &= granules - 1)
        words |= words_of(sim, (uint32_t)__builtin_ctz(granules));
    return words;
}

uint32_t sl_stored_merge(sl_sim *sim, sl_bank *b, size_t line_slot, const sl_request *r)
{
    const sl_stored *s = b->stored ? &b->stored[line_slot] : NULL;
    uint32_t at = s ? s->position - b->sent : SL_NONE;
    if (!b->level->join_cycles || at >= b->out.count || !r->merges || s->warp != r->warp)
        return SL_NONE;
    sl_request *first = sl_request_at(sim, sl_queue_at(&b->out, at));
    if (first->kind != SL_REQUEST_STORE || first->addr != r->addr || !first->words)
        return SL_NONE;
    uint32_t words = written_by(sim, first) | written_by(sim, r);
    first->granules |= r->granules;
    first->whole = fully_stored(sim, ~words, first->granules);
    first->words = first->whole == first->granules ? 0 : words;
    return at;
}

void sl_stored_write(sl_sim *sim, sl_bank *b, size_t line_slot, const sl_request *r, uint32_t granules)
{
    if (!alloc_stored(sim, b))
        return;
    sl_stored *s = &b->stored[line_slot];
    if ((int32_t)(s->position - b->sent) < 0)
        s->waiting = 0;
    for (; granules; granules &= granules - 1)
        write_granule(b, line_slot, r, granules & -granules, words_of(sim, (uint32_t)__builtin_ctz(granules)));
    s->warp = r->warp;
    s->position = b->sent + b->out.count;
}

uint32_t sl_stored_add(sl_sim *sim, sl_bank *b, size_t line_slot, uint32_t words, uint32_t granules)
{
    if (!alloc_stored(sim, b))
        return 0;
    b->stored[line_slot].words |= words;
    return fully_stored(sim, ~b->stored[line_slot].words, granules);
}
