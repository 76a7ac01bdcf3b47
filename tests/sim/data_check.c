/* SPDX-License-Identifier: MIT */
#include "data_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/data_observer.h"
#include "sim/lines.h"

/* Versions count stores, and below them, up to STRIDE, atomics since. RELATIVE: see data_check.h. */
enum { GRANULES = 32, STRIDE = 1 << 10, RELATIVE = 1 << 30 };

/* Of a granule of memory: the version that a load issued now must see, and the one in DRAM. */
typedef struct granule_state {
    uint64_t granule; /* its number + 1; 0: free */
    uint32_t last, memory;
} granule_state;

/* Of a request, by the lowest bits of granule numbers: the versions that it carries, that its core must see, and that
 * it read at each level. */
typedef struct of_request {
    uint32_t with[GRANULES], wanted[GRANULES], seen[SL_MAX_LEVELS][GRANULES];
} of_request;

struct data_check {
    sl_data_observer observer;
    granule_state *granule;
    size_t granules, capacity; /* capacity: a power of two */
    of_request *request;
    uint32_t requests;
    uint32_t **line[SL_MAX_LEVELS]; /* by bank, then line slot and granule */
    uint32_t stores;
    sl_error wrong; /* the first; status SL_OK: none was */
};

/* ---- where they are ---- */

static bool grow(data_check *v)
{
    size_t capacity = v->capacity ? 2 * v->capacity : 1024;
    granule_state *granule = calloc(capacity, sizeof *granule);
    if (!granule)
        return false;
    for (size_t i = 0; i < v->capacity; i++) {
        size_t at = (v->granule[i].granule * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
        while (v->granule[i].granule && granule[at].granule)
            at = (at + 1) & (capacity - 1);
        if (v->granule[i].granule)
            granule[at] = v->granule[i];
    }
    free(v->granule);
    v->granule = granule;
    v->capacity = capacity;
    return true;
}

/* NULL: memory ran out. */
static granule_state *state_of(data_check *self, sl_sim *sim, uint64_t granule)
{
    data_check *v = self;
    if (2 * (v->granules + 1) > v->capacity && !grow(v)) {
        sim->failed = true;
        return NULL;
    }
    size_t at = ((granule + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (v->capacity - 1);
    while (v->granule[at].granule && v->granule[at].granule != granule + 1)
        at = (at + 1) & (v->capacity - 1);
    v->granules += !v->granule[at].granule;
    v->granule[at].granule = granule + 1;
    return &v->granule[at];
}

static of_request *of(data_check *self, sl_sim *sim, uint32_t number)
{
    data_check *v = self;
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

static uint32_t *line_at(data_check *self, sl_sim *sim, const sl_bank *b, size_t line_slot)
{
    data_check *v = self;
    size_t line_slots = (size_t)b->sets * b->ways + b->level->frc_entries;
    if (!v->line[b->number])
        v->line[b->number] = calloc(sim->banks[b->number], sizeof *v->line[b->number]);
    uint32_t **bank = v->line[b->number] ? &v->line[b->number][b->index] : NULL;
    if (bank && !*bank)
        *bank = calloc(line_slots * GRANULES, sizeof **bank);
    if (!bank || !*bank)
        sim->failed = true;
    return bank && *bank ? *bank + line_slot * GRANULES : NULL;
}

static uint64_t first_granule(const sl_sim *sim, const sl_bank *b, uint64_t line)
{
    return line << b->log2_line >> sim->log2_granule;
}

static void on_reset(void *self, sl_sim *sim, uint32_t level)
{
    data_check *v = self;
    for (uint32_t i = 0; v->line[level] && i < sim->banks[level]; i++) {
        const sl_bank *b = &sim->bank[level][i];
        for (size_t line_slot = 0; v->line[level][i] && line_slot < sl_first_entry(b); line_slot++)
            for (uint32_t left = b->line[line_slot].dirty; left; left &= left - 1) {
                uint32_t u = (uint32_t)__builtin_ctz(left);
                granule_state *state = state_of(self, sim, first_granule(sim, b, b->line[line_slot].tag - 1) + u);
                if (state)
                    state->memory = v->line[level][i][line_slot * GRANULES + u];
            }
        free(v->line[level][i]);
    }
    free(v->line[level]);
    v->line[level] = NULL;
}

/* ---- what happens to them ---- */

static bool changes(sl_request_kind kind)
{
    return kind == SL_REQUEST_ATOMIC || kind == SL_REQUEST_REDUCTION;
}

static void on_issue(void *self, sl_sim *sim, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    of_request *v = of(self, sim, number);
    ((data_check *)self)->stores += r->kind == SL_REQUEST_STORE;
    for (uint32_t left = r->granules; left && v; left &= left - 1) {
        uint64_t granule = (r->addr >> sim->log2_granule) + (uint32_t)__builtin_ctz(left);
        granule_state *state = state_of(self, sim, granule);
        if (!state)
            return;
        if (r->kind == SL_REQUEST_STORE)
            state->last = ((data_check *)self)->stores * STRIDE;
        else if (changes(r->kind))
            state->last++;
        v->with[granule % GRANULES] = v->wanted[granule % GRANULES] = state->last;
    }
}

static void on_access(void *self, sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t number, uint32_t granules,
                      sl_request_kind kind)
{
    uint32_t *line = line_at(self, sim, b, line_slot);
    of_request *v = of(self, sim, number);
    uint64_t first = first_granule(sim, b, b->line[line_slot].tag - 1);
    uint32_t place = sl_hop_of(b, (b->line[line_slot].tag - 1) << b->log2_line);
    for (uint32_t left = granules; left && line && v; left &= left - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(left), at = (uint32_t)((first + u) % GRANULES);
        if (kind == SL_REQUEST_STORE || kind == SL_REQUEST_WRITEBACK)
            line[u] = v->with[at];
        else
            v->seen[place][at] = line[u];
        line[u] += changes(kind);
    }
}

static void on_request(void *self, sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t asked)
{
    uint32_t *line = line_at(self, sim, b, line_slot);
    for (uint32_t left = asked & ~b->line[line_slot].dirty; left && line; left &= left - 1)
        line[__builtin_ctz(left)] = RELATIVE;
}

static void settle(uint32_t *version, uint32_t came)
{
    if (*version & RELATIVE)
        *version = came + (*version & ~(uint32_t)RELATIVE);
}

/* Of a granule that has come, what those saw who asked for the line and wait for some of it. */
static void settle_waiting(data_check *self, sl_sim *sim, uint32_t place, uint32_t first, const sl_mshr *mshr,
                           uint32_t at, uint32_t came)
{
    settle(&of(self, sim, first)->seen[place][at], came);
    for (uint32_t n = mshr->waiting.first; n != SL_NONE; n = sl_request_at(sim, n)->next)
        settle(&of(self, sim, n)->seen[place][at], came);
}

static void on_fill(void *self, sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t with, const sl_mshr *done)
{
    uint32_t *line = line_at(self, sim, b, line_slot), came[GRANULES];
    uint64_t first = first_granule(sim, b, b->line[line_slot].tag - 1);
    if (!line || !of(self, sim, with))
        return;
    uint32_t place = sl_hop_of(b, (b->line[line_slot].tag - 1) << b->log2_line);
    memcpy(came, of(self, sim, with)->with, sizeof came);
    for (uint32_t left = done->asked; left; left &= left - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(left), at = (uint32_t)((first + u) % GRANULES);
        settle(&line[u], came[at]);
        settle_waiting(self, sim, place, with, done, at, came[at]);
        for (uint32_t m = b->line[line_slot].mshr; m != SL_NO_MSHR; m = b->mshr_item[m].next)
            settle_waiting(self, sim, place, b->mshr_item[m].primary, &b->mshr_item[m], at, came[at]);
    }
}

static void on_answer(void *self, sl_sim *sim, const sl_bank *b, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    of_request *v = of(self, sim, number);
    for (uint32_t left = r->granules; left && v; left &= left - 1) {
        uint64_t granule = (r->addr >> sim->log2_granule) + (uint32_t)__builtin_ctz(left);
        v->with[granule % GRANULES] = v->seen[sl_hop_of(b, r->addr)][granule % GRANULES];
    }
}

static void on_coalesce(void *self, sl_sim *sim, uint32_t other, uint32_t number)
{
    if (of(self, sim, other) && of(self, sim, number))
        memcpy(of(self, sim, number)->with, of(self, sim, other)->with, sizeof of(self, sim, other)->with);
}

static void on_writeback(void *self, sl_sim *sim, const sl_bank *b, size_t line_slot, uint32_t number)
{
    const uint32_t *line = line_at(self, sim, b, line_slot);
    of_request *v = of(self, sim, number);
    uint64_t first = first_granule(sim, b, b->line[line_slot].tag - 1);
    for (uint32_t left = b->line[line_slot].dirty; left && line && v; left &= left - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(left);
        v->with[(first + u) % GRANULES] = line[u];
    }
}

static void on_move(void *self, sl_sim *sim, const sl_bank *b, size_t from, size_t to)
{
    const uint32_t *source = line_at(self, sim, b, from);
    uint32_t *line = line_at(self, sim, b, to);
    if (source && line)
        memcpy(line, source, GRANULES * sizeof *line);
}

static void on_memory(void *self, sl_sim *sim, uint32_t number, bool write)
{
    const sl_request *r = sl_request_at(sim, number);
    of_request *v = of(self, sim, number);
    for (uint32_t left = r->granules; left && v; left &= left - 1) {
        uint64_t granule = (r->addr >> sim->log2_granule) + (uint32_t)__builtin_ctz(left);
        granule_state *state = state_of(self, sim, granule);
        if (!state)
            return;
        if (changes(r->kind)) /* where no level keeps what is stored, atomics are done in memory */
            v->with[granule % GRANULES] = state->memory++;
        else if (write)
            state->memory = v->with[granule % GRANULES];
        else
            v->with[granule % GRANULES] = state->memory;
    }
}

static void on_return(void *self, sl_sim *sim, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    const of_request *v = of(self, sim, number);
    sl_error *wrong = &((data_check *)self)->wrong;
    for (uint32_t left = r->kind == SL_REQUEST_LOAD ? r->granules : 0; left && v && !wrong->status; left &= left - 1) {
        uint64_t granule = (r->addr >> sim->log2_granule) + (uint32_t)__builtin_ctz(left);
        if (v->with[granule % GRANULES] != v->wanted[granule % GRANULES])
            sl_fail(wrong, SL_FAULT,
                    "cycle %" PRIu64 ": warp %u of core %u reads %#" PRIx64 " and sees version %u.%u instead of %u.%u",
                    sim->now, r->warp, r->core, granule << sim->log2_granule, v->with[granule % GRANULES] / STRIDE,
                    v->with[granule % GRANULES] % STRIDE, v->wanted[granule % GRANULES] / STRIDE,
                    v->wanted[granule % GRANULES] % STRIDE);
    }
}

/* ---- life ---- */

data_check *data_check_create(void)
{
    data_check *v = calloc(1, sizeof *v);
    if (v)
        v->observer = (sl_data_observer){.self = v,
                                         .on_issue = on_issue,
                                         .on_access = on_access,
                                         .on_request = on_request,
                                         .on_fill = on_fill,
                                         .on_answer = on_answer,
                                         .on_coalesce = on_coalesce,
                                         .on_writeback = on_writeback,
                                         .on_move = on_move,
                                         .on_memory = on_memory,
                                         .on_return = on_return,
                                         .on_reset = on_reset};
    return v;
}

void data_check_destroy(data_check *v)
{
    free(v->granule);
    free(v->request);
    free(v);
}

const sl_data_observer *data_check_observer(const data_check *v)
{
    return &v->observer;
}

sl_status data_check_result(const data_check *v, sl_error *error)
{
    if (v->wrong.status)
        *error = v->wrong;
    return v->wrong.status;
}
