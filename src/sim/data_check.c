/* SPDX-License-Identifier: MIT */
#include "sim/data_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lines.h"

enum { UNITS = 32, STEP = 1 << 10, RELATIVE = 1 << 30 };

/* Of a unit of memory: what a load that is issued now must see, and what memory holds. */
typedef struct unit_state {
    uint64_t unit; /* its number + 1; 0: free */
    uint32_t last, memory;
} unit_state;

/* Of a request, by the lowest bits of the numbers of units: what travels with it, what its core must see, and what it
 * saw at each level. */
typedef struct of_request {
    uint32_t with[UNITS], wanted[UNITS], seen[SL_MAX_LEVELS][UNITS];
} of_request;

struct sl_data_check {
    unit_state *unit;
    size_t units, capacity; /* capacity: a power of two */
    of_request *request;
    uint32_t requests;
    uint32_t **line[SL_MAX_LEVELS]; /* by bank, then line slot and unit */
    uint32_t stores;
    sl_error wrong; /* the first; status SL_OK: none was */
};

/* ---- where they are ---- */

static bool grow(sl_data_check *v)
{
    size_t capacity = v->capacity ? 2 * v->capacity : 1024;
    unit_state *unit = calloc(capacity, sizeof *unit);
    if (!unit)
        return false;
    for (size_t i = 0; i < v->capacity; i++) {
        size_t at = (v->unit[i].unit * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
        while (v->unit[i].unit && unit[at].unit)
            at = (at + 1) & (capacity - 1);
        if (v->unit[i].unit)
            unit[at] = v->unit[i];
    }
    free(v->unit);
    v->unit = unit;
    v->capacity = capacity;
    return true;
}

/* NULL: memory ran out. */
static unit_state *state_of(sl_sim *sim, uint64_t unit)
{
    sl_data_check *v = sim->data_check;
    if (2 * (v->units + 1) > v->capacity && !grow(v)) {
        sim->failed = true;
        return NULL;
    }
    size_t at = ((unit + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (v->capacity - 1);
    while (v->unit[at].unit && v->unit[at].unit != unit + 1)
        at = (at + 1) & (v->capacity - 1);
    v->units += !v->unit[at].unit;
    v->unit[at].unit = unit + 1;
    return &v->unit[at];
}

static of_request *of(sl_sim *sim, uint32_t number)
{
    sl_data_check *v = sim->data_check;
    if (number >= v->requests) {
        of_request *request = realloc(v->request, sim->pool->capacity * sizeof *request);
        if (!request) {
            sim->failed = true;
            return v->request;
        }
        v->request = request;
        v->requests = sim->pool->capacity;
    }
    return &v->request[number];
}

static uint32_t *line_at(sl_sim *sim, const sl_bank *b, size_t line_slot)
{
    sl_data_check *v = sim->data_check;
    size_t line_slots = (size_t)b->sets * b->ways + b->level->frc_entries;
    if (!v->line[b->number])
        v->line[b->number] = calloc(sim->banks[b->number], sizeof *v->line[b->number]);
    uint32_t **bank = v->line[b->number] ? &v->line[b->number][b->index] : NULL;
    if (bank && !*bank)
        *bank = calloc(line_slots * UNITS, sizeof **bank);
    if (!bank || !*bank)
        sim->failed = true;
    return bank && *bank ? *bank + line_slot * UNITS : NULL;
}

static uint64_t first_unit(const sl_sim *sim, const sl_bank *b, uint64_t line)
{
    return line << b->log2_line >> sim->log2_unit;
}

/* ---- life ---- */

sl_status sl_data_check_create(sl_sim *sim, sl_error *error)
{
    sim->data_check = calloc(1, sizeof *sim->data_check);
    return sim->data_check ? SL_OK : sl_fail_memory(error);
}

void sl_data_check_empty(sl_sim *sim, uint32_t level)
{
    sl_data_check *v = sim->data_check;
    for (uint32_t i = 0; v->line[level] && i < sim->banks[level]; i++) {
        const sl_bank *b = &sim->bank[level][i];
        for (size_t line_slot = 0; v->line[level][i] && line_slot < sl_first_entry(b); line_slot++)
            for (uint32_t left = b->line[line_slot].dirty; left; left &= left - 1) {
                uint32_t u = (uint32_t)__builtin_ctz(left);
                unit_state *state = state_of(sim, first_unit(sim, b, b->line[line_slot].tag - 1) + u);
                if (state)
                    state->memory = v->line[level][i][line_slot * UNITS + u];
            }
        free(v->line[level][i]);
    }
    free(v->line[level]);
    v->line[level] = NULL;
}

void sl_data_check_destroy(sl_sim *sim)
{
    sl_data_check *v = sim->data_check;
    if (!v)
        return;
    for (uint32_t level = 0; level < sim->machine.levels; level++)
        sl_data_check_empty(sim, level);
    free(v->unit);
    free(v->request);
    free(v);
    sim->data_check = NULL;
}

sl_status sl_data_check_result(const sl_sim *sim, sl_error *error)
{
    if (sim->data_check && sim->data_check->wrong.status)
        *error = sim->data_check->wrong;
    return sim->data_check ? sim->data_check->wrong.status : SL_OK;
}

/* ---- what happens to them ---- */

static bool changes(sl_request_kind kind)
{
    return kind == SL_REQUEST_ATOMIC || kind == SL_REQUEST_REDUCTION;
}

void sl_data_check_issue(sl_sim *sim, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    of_request *v = of(sim, number);
    sim->data_check->stores += r->kind == SL_REQUEST_STORE;
    for (uint32_t left = r->units; left && v; left &= left - 1) {
        uint64_t unit = (r->addr >> sim->log2_unit) + (uint32_t)__builtin_ctz(left);
        unit_state *state = state_of(sim, unit);
        if (!state)
            return;
        if (r->kind == SL_REQUEST_STORE)
            state->last = sim->data_check->stores * STEP;
        else if (changes(r->kind))
            state->last++;
        v->with[unit % UNITS] = v->wanted[unit % UNITS] = state->last;
    }
}

void sl_data_check_access(sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t number, uint32_t units,
                          sl_request_kind kind)
{
    uint32_t *line = line_at(sim, b, line_slot);
    of_request *v = of(sim, number);
    uint64_t first = first_unit(sim, b, b->line[line_slot].tag - 1);
    uint32_t place = sl_place_of(b, (b->line[line_slot].tag - 1) << b->log2_line);
    for (uint32_t left = units; left && line && v; left &= left - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(left), at = (uint32_t)((first + u) % UNITS);
        if (kind == SL_REQUEST_STORE || kind == SL_REQUEST_WRITEBACK)
            line[u] = v->with[at];
        else
            v->seen[place][at] = line[u];
        line[u] += changes(kind);
    }
}

void sl_data_check_request(sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t asked)
{
    uint32_t *line = line_at(sim, b, line_slot);
    for (uint32_t left = asked & ~b->line[line_slot].dirty; left && line; left &= left - 1)
        line[__builtin_ctz(left)] = RELATIVE;
}

static void settle(uint32_t *version, uint32_t came)
{
    if (*version & RELATIVE)
        *version = came + (*version & ~(uint32_t)RELATIVE);
}

/* Of a unit that has come, what those saw who asked for the line and wait for some of it. */
static void settle_waiting(sl_sim *sim, uint32_t place, uint32_t first, const sl_mshr *mshr, uint32_t at, uint32_t came)
{
    settle(&of(sim, first)->seen[place][at], came);
    for (uint32_t n = mshr->waiting.first; n != SL_NONE; n = sl_request_at(sim, n)->next)
        settle(&of(sim, n)->seen[place][at], came);
}

void sl_data_check_fill(sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t with, const sl_mshr *done)
{
    uint32_t *line = line_at(sim, b, line_slot), came[UNITS];
    uint64_t first = first_unit(sim, b, b->line[line_slot].tag - 1);
    if (!line || !of(sim, with))
        return;
    uint32_t place = sl_place_of(b, (b->line[line_slot].tag - 1) << b->log2_line);
    memcpy(came, of(sim, with)->with, sizeof came);
    for (uint32_t left = done->asked; left; left &= left - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(left), at = (uint32_t)((first + u) % UNITS);
        settle(&line[u], came[at]);
        settle_waiting(sim, place, with, done, at, came[at]);
        for (uint32_t m = b->line[line_slot].mshr; m != SL_NONE; m = b->mshr_item[m].next)
            settle_waiting(sim, place, b->mshr_item[m].primary, &b->mshr_item[m], at, came[at]);
    }
}

void sl_data_check_answer(sl_sim *sim, const sl_bank *b, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    of_request *v = of(sim, number);
    for (uint32_t left = r->units; left && v; left &= left - 1) {
        uint64_t unit = (r->addr >> sim->log2_unit) + (uint32_t)__builtin_ctz(left);
        v->with[unit % UNITS] = v->seen[sl_place_of(b, r->addr)][unit % UNITS];
    }
}

void sl_data_check_coalesce(sl_sim *sim, uint32_t other, uint32_t number)
{
    if (of(sim, other) && of(sim, number))
        memcpy(of(sim, number)->with, of(sim, other)->with, sizeof of(sim, other)->with);
}

void sl_data_check_take(sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t number)
{
    const uint32_t *line = line_at(sim, b, line_slot);
    of_request *v = of(sim, number);
    uint64_t first = first_unit(sim, b, b->line[line_slot].tag - 1);
    for (uint32_t left = b->line[line_slot].dirty; left && line && v; left &= left - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(left);
        v->with[(first + u) % UNITS] = line[u];
    }
}

void sl_data_check_move(sl_sim *sim, const sl_bank *b, size_t from, size_t to)
{
    const uint32_t *source = line_at(sim, b, from);
    uint32_t *line = line_at(sim, b, to);
    if (source && line)
        memcpy(line, source, UNITS * sizeof *line);
}

void sl_data_check_memory(sl_sim *sim, uint32_t number, bool write)
{
    const sl_request *r = sl_request_at(sim, number);
    of_request *v = of(sim, number);
    for (uint32_t left = r->units; left && v; left &= left - 1) {
        uint64_t unit = (r->addr >> sim->log2_unit) + (uint32_t)__builtin_ctz(left);
        unit_state *state = state_of(sim, unit);
        if (!state)
            return;
        if (changes(r->kind)) /* where no level keeps what is stored, atomics are done in memory */
            v->with[unit % UNITS] = state->memory++;
        else if (write)
            state->memory = v->with[unit % UNITS];
        else
            v->with[unit % UNITS] = state->memory;
    }
}

void sl_data_check_seen(sl_sim *sim, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    const of_request *v = of(sim, number);
    sl_error *wrong = &sim->data_check->wrong;
    for (uint32_t left = r->kind == SL_REQUEST_LOAD ? r->units : 0; left && v && !wrong->status; left &= left - 1) {
        uint64_t unit = (r->addr >> sim->log2_unit) + (uint32_t)__builtin_ctz(left);
        if (v->with[unit % UNITS] != v->wanted[unit % UNITS])
            sl_fail(wrong, SL_FAULT,
                    "cycle %" PRIu64 ": warp %u of core %u reads %#" PRIx64 " and sees version %u.%u instead of %u.%u",
                    sim->now, r->warp, r->core, unit << sim->log2_unit, v->with[unit % UNITS] / STEP,
                    v->with[unit % UNITS] % STEP, v->wanted[unit % UNITS] / STEP, v->wanted[unit % UNITS] % STEP);
    }
}
