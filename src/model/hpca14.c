/* SPDX-License-Identifier: MIT */
/* Where the authors' program, and this file with it, differ from the paper:
 *
 *   - Blocks fill the core in batches: new ones come when the whole batch has ended, not when a block has.
 *   - Loads are coalesced by their number: the k-th loads of a warp's threads, also where threads have diverged. Loads
 *     of 8 bytes are coalesced by half warps, of 16 by quarter warps; a load across two lines is one of the first.
 *   - A request takes effect at the end of a turn: a load does not see what arrives at the same moment, its line
 *     included. A request for a line in flight takes effect after a separate latency, not with the first one.
 *   - MSHRs are counted when a warp's turn begins, and only the load of lane 0 is held against them: once it has
 * passed, or has hit, all others of the warp pass. There is no limit per warp. A turn that lane 0 ends continues with
 * the next half or quarter of the warp, which then is ahead.
 *   - A line asked for twice frees its MSHR with the first arrival.
 *   - The simulation misses at distances of 4 and more, the report counts misses from 5 on.
 *   - Classes are differences between runs without sets, latencies and MSHRs. Where they exceed the total, the excess
 * is added to one of them once more.
 *
 * Left out is what the program does on traces it cannot read without reading past the end of an array: threads of a
 * warp with different numbers of loads (missing ones match nothing here) and last blocks that are not full (no warp
 * stands for the missing threads). With constant latencies at most one warp returns at a time and requests arrive in
 * the order in which they were made, so both queues are plain rings. */
#include "model/hpca14.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "reuse/reuse.h"
#include "trace/lines.h"

enum {
    LANES = 32,
    LINE_BYTES = 128,
    SETS = 32,
    WAYS = 4,
    MSHRS = 64,
    LATENCY = 100,
    CORE_THREADS = 1536,
    CORE_BLOCKS = 8,
    MAX_THREADS = 32 * 1024,
    MAX_BYTES = 4 * LANES, /* of a load: larger ones never end there */
    RING = 2048,           /* a power of two: each thread of the core has at most one request in flight */
};

typedef struct load {
    uint64_t addr;
    uint32_t line; /* lines are numbered from 0 */
    uint16_t bytes;
    bool alone; /* no thread before it in the warp requests the line */
} load;

typedef struct thread {
    SL_ARRAY(load) loads;
    size_t next;
} thread;

typedef struct program {
    uint32_t block_threads;
    SL_ARRAY(thread) threads;
    uint32_t *set; /* [lines] */
    size_t lines;
} program;

/* ---- reading ---- */

static sl_status add_load(program *p, const sl_thread_lines *lines, const sl_thread_access *a, sl_error *error)
{
    if (a->width > MAX_BYTES)
        return sl_thread_lines_bad(lines, error, "the authors' program does not end with loads above 128 bytes");
    if (a->thread >= MAX_THREADS)
        return sl_thread_lines_bad(lines, error, "the authors' program takes at most 32768 threads");
    while (p->threads.count <= a->thread)
        if (!sl_array_push(&p->threads, (thread){0}))
            return sl_fail_memory(error);
    load l = {.addr = a->addr, .bytes = a->width, .alone = true};
    return sl_array_push(&p->threads.items[a->thread].loads, l) ? SL_OK : sl_fail_memory(error);
}

static sl_status read_trace(program *p, const char *path, sl_hpca14_result *result, sl_error *error)
{
    sl_thread_lines *lines;
    sl_thread_access access;
    bool more = true;
    sl_status status = sl_thread_lines_open(path, result->block, &lines, error);
    if (status)
        return status;
    p->block_threads = result->block[0] * result->block[1] * result->block[2];
    if (p->block_threads > CORE_THREADS)
        status = sl_thread_lines_bad(lines, error, "a block of more than 1536 threads does not fit on the core");
    while (!status && !(status = sl_thread_lines_next(lines, &access, &more, error)) && more)
        if (!access.store) {
            status = add_load(p, lines, &access, error);
            result->thread_loads++;
        }
    sl_thread_lines_close(lines);
    if (!status && !p->threads.count)
        status = sl_fail_at(error, SL_SYNTAX, path, 0, 0, "there is no load in this trace");
    return status;
}

/* ---- warps ---- */

typedef struct warp {
    thread *thread;
    uint32_t count;
} warp;

static uint32_t warps_per_block(const program *p)
{
    return (p->block_threads + LANES - 1) / LANES;
}

/* Without threads where the last block has none. */
static warp warp_of(const program *p, uint32_t number)
{
    uint32_t within = number % warps_per_block(p) * LANES;
    size_t first = (size_t)(number / warps_per_block(p)) * p->block_threads + within;
    size_t count = p->block_threads - within < LANES ? p->block_threads - within : LANES;
    size_t there = first < p->threads.count ? p->threads.count - first : 0;
    return (warp){p->threads.items + (there ? first : 0), (uint32_t)(there < count ? there : count)};
}

static load *load_at(const thread *t, size_t k)
{
    return k < t->loads.count ? &t->loads.items[k] : NULL;
}

/* The k-th load of a thread is merged with that of the first thread of its group for the same line. */
static void merge_with_earlier(const warp *w, uint32_t lane, size_t k)
{
    load *mine = load_at(&w->thread[lane], k);
    if (!mine)
        return;
    uint32_t group = mine->bytes == 8 ? LANES / 2 : mine->bytes == 16 ? LANES / 4 : LANES;
    for (uint32_t i = lane / group * group; i < lane; i++) {
        load *other = load_at(&w->thread[i], k);
        if (!other || other->addr / LINE_BYTES != mine->addr / LINE_BYTES)
            continue;
        mine->alone = false;
        if (other->addr != mine->addr)
            other->alone = true; /* matters where widths differ within a warp */
        return;
    }
}

static void coalesce(const program *p, uint32_t warps)
{
    for (uint32_t n = 0; n < warps; n++) {
        warp w = warp_of(p, n);
        size_t max = 0;
        for (uint32_t i = 0; i < w.count; i++)
            max = w.thread[i].loads.count > max ? w.thread[i].loads.count : max;
        for (size_t k = 0; k < max; k++)
            for (uint32_t i = 0; i < w.count; i++)
                merge_with_earlier(&w, i, k);
    }
}

/* Bits 7 to 11 of the address XOR bits 13, 14, 15, 17, 19. */
static uint32_t set_of(uint64_t line)
{
    uint64_t upper = (line >> 6 & 7) | (line >> 10 & 1) << 3 | (line >> 12 & 1) << 4;
    return (uint32_t)((line ^ upper) & (SETS - 1));
}

static sl_status number_lines(program *p, sl_error *error)
{
    sl_reuse *lines = sl_reuse_create();
    SL_ARRAY(uint32_t) set = {0};
    bool failed = !lines;
    for (size_t t = 0; t < p->threads.count && !failed; t++)
        for (size_t k = 0; k < p->threads.items[t].loads.count && !failed; k++) {
            load *l = &p->threads.items[t].loads.items[k];
            sl_reuse_access_id(lines, l->addr / LINE_BYTES, &l->line);
            failed =
                sl_reuse_failed(lines) || (l->line == set.count && !sl_array_push(&set, set_of(l->addr / LINE_BYTES)));
        }
    p->set = set.items;
    p->lines = set.count;
    sl_reuse_destroy(lines);
    return failed ? sl_fail_memory(error) : SL_OK;
}

/* ---- one run ---- */

typedef struct ring {
    uint32_t first, end; /* ever growing */
    struct {
        uint64_t time;
        uint32_t what;
    } item[RING];
} ring;

static void ring_push(ring *r, uint64_t time, uint32_t what)
{
    r->item[r->end % RING].time = time;
    r->item[r->end++ % RING].what = what;
}

static bool ring_ready(const ring *r, uint64_t time)
{
    return r->first != r->end && r->item[r->first % RING].time <= time;
}

static uint32_t ring_pop(ring *r)
{
    return r->item[r->first++ % RING].what;
}

static uint64_t ring_next(const ring *r)
{
    return r->first != r->end ? r->item[r->first % RING].time : UINT64_MAX;
}

enum { ARRIVED = 1, OUTSTANDING = 2 };

typedef struct simulation {
    const program *p;
    uint32_t sets, ways, latency, mshrs;
    uint64_t time;
    uint32_t *stack; /* [sets][ways + 1]: lines, latest first */
    uint32_t *depth; /* [sets] */
    uint8_t *state;  /* [lines] */
    uint32_t outstanding;
    uint32_t hit[LANES], hits; /* lines of the turn's hits */
    ring in_flight, ready, away;
    uint64_t never, beyond, accesses; /* distances: infinite, above the ways, all */
} simulation;

/* How deep the line lies in its set; ways + 1 stands for deeper. */
static uint32_t depth_of(const simulation *s, uint32_t line)
{
    uint32_t set = s->sets == 1 ? 0 : s->p->set[line], at = 0;
    const uint32_t *stack = &s->stack[(size_t)set * (s->ways + 1)];
    while (at < s->depth[set] && stack[at] != line)
        at++;
    return at < s->depth[set] ? at : s->ways + 1;
}

static void apply_access(simulation *s, uint32_t line)
{
    uint32_t set = s->sets == 1 ? 0 : s->p->set[line], at = depth_of(s, line);
    uint32_t *stack = &s->stack[(size_t)set * (s->ways + 1)];
    if (at == s->ways + 1)
        at = s->depth[set] <= s->ways ? s->depth[set]++ : s->ways;
    memmove(stack + 1, stack, at * sizeof *stack);
    stack[0] = line;
    s->state[line] |= ARRIVED;
}

static void settle(simulation *s)
{
    for (uint32_t i = 0; i < s->hits; i++)
        apply_access(s, s->hit[i]);
    s->hits = 0;
    while (ring_ready(&s->in_flight, s->time)) {
        uint32_t line = ring_pop(&s->in_flight);
        s->outstanding -= (s->state[line] & OUTSTANDING) != 0;
        s->state[line] &= (uint8_t)~OUTSTANDING;
        apply_access(s, line);
    }
}

/* One load of a lane. False: it has to wait for an MSHR. */
static bool request(simulation *s, uint32_t line, bool blocked, bool *missed)
{
    uint32_t distance = s->state[line] & ARRIVED ? depth_of(s, line) : UINT32_MAX;
    if (distance >= s->ways) {
        if (blocked)
            return false;
        *missed = true;
        ring_push(&s->in_flight, s->time + s->latency, line);
        s->outstanding += !(s->state[line] & OUTSTANDING);
        s->state[line] |= OUTSTANDING;
    } else {
        s->hit[s->hits++] = line;
    }
    s->accesses++;
    s->never += distance == UINT32_MAX;
    s->beyond += distance != UINT32_MAX && distance > s->ways;
    return true;
}

/* A warp's turn. False: all its threads have ended. */
static bool step_warp(simulation *s, uint32_t number)
{
    warp w = warp_of(s->p, number);
    const load *first = load_at(&w.thread[0], w.thread[0].next);
    uint32_t parts = first && first->bytes >= 8 ? first->bytes / 4 : 1, lanes = LANES / parts, ended = 0;
    bool full = s->outstanding >= s->mshrs, missed = false;
    for (uint32_t part = 0; part < parts; part++) {
        for (uint32_t i = part * lanes; i < (part + 1) * lanes && i < w.count; i++) {
            const load *l = load_at(&w.thread[i], w.thread[i].next);
            ended += !l;
            if (l && l->alone && !request(s, l->line, full && i == 0, &missed))
                break;
            w.thread[i].next += l != NULL;
        }
        settle(s);
    }
    if (ended == w.count)
        return false;
    bool waits = missed && s->latency;
    ring_push(waits ? &s->away : &s->ready, s->time + s->latency, number);
    return true;
}

static void run_batch(simulation *s, uint32_t first_warp, uint32_t end_warp)
{
    uint32_t live = 0;
    for (uint32_t n = first_warp; n < end_warp; n++)
        if (warp_of(s->p, n).count) {
            ring_push(&s->ready, 0, n);
            live++;
        }
    while (live) {
        if (s->ready.first != s->ready.end)
            live -= !step_warp(s, ring_pop(&s->ready));
        settle(s);
        while (ring_ready(&s->away, s->time))
            ring_push(&s->ready, 0, ring_pop(&s->away));
        s->time++;
        if (live && s->ready.first == s->ready.end) {
            uint64_t arrival = ring_next(&s->in_flight), back = ring_next(&s->away);
            uint64_t next = arrival < back ? arrival : back;
            s->time = next > s->time ? next : s->time;
        }
    }
}

typedef struct run_result {
    uint64_t never, misses, accesses;
} run_result;

static bool run(const program *p, uint32_t sets, uint32_t latency, uint32_t mshrs, uint32_t resident, run_result *out)
{
    uint32_t ways = SETS * WAYS / sets,
             blocks = (uint32_t)((p->threads.count + p->block_threads - 1) / p->block_threads);
    simulation *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    s->p = p;
    s->sets = sets;
    s->ways = ways;
    s->latency = latency;
    s->mshrs = mshrs;
    s->stack = calloc((size_t)sets * (ways + 1), sizeof *s->stack);
    s->depth = calloc(sets, sizeof *s->depth);
    s->state = calloc(p->lines ? p->lines : 1, 1);
    bool fine = s->stack && s->depth && s->state;
    for (size_t t = 0; t < p->threads.count; t++)
        p->threads.items[t].next = 0;
    for (uint32_t b = 0; fine && b < blocks; b += resident) {
        uint32_t end = blocks - b < resident ? blocks : b + resident;
        run_batch(s, b * warps_per_block(p), end * warps_per_block(p));
    }
    *out = (run_result){s->never, s->never + s->beyond, s->accesses};
    free(s->stack);
    free(s->depth);
    free(s->state);
    free(s);
    return fine;
}

/* ---- four runs ---- */

static uint64_t above_zero(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

enum { NORMAL, ONE_SET, NO_LATENCY, NO_MSHRS, RUNS };

static void classify(const run_result r[RUNS], sl_hpca14_result *result)
{
    int64_t associativity = (int64_t)(r[NORMAL].misses - r[ONE_SET].misses);
    int64_t latency = (int64_t)(r[NORMAL].never - r[NO_LATENCY].never);
    int64_t mshr = (int64_t)(r[NORMAL].misses - r[NO_MSHRS].misses);
    int64_t rest = (int64_t)(r[NORMAL].misses - r[NO_LATENCY].never - above_zero(latency) - above_zero(associativity) -
                             above_zero(mshr));
    if (rest < 0) {
        if (mshr > -rest)
            mshr -= rest;
        else if (latency > -rest)
            latency -= rest;
        else
            associativity -= rest;
    }
    result->accesses = r[NORMAL].accesses;
    result->misses = r[NORMAL].misses;
    result->hits = r[NORMAL].accesses - r[NORMAL].misses;
    result->miss_rate = (double)result->misses / (double)result->accesses;
    result->compulsory = r[NO_LATENCY].never;
    result->capacity = above_zero(rest);
    result->associativity = above_zero(associativity);
    result->latency = above_zero(latency);
    result->mshr = above_zero(mshr);
    result->misses_full_associativity = r[ONE_SET].misses;
    result->misses_no_latency = r[NO_LATENCY].misses;
    result->misses_unlimited_mshrs = r[NO_MSHRS].misses;
}

static sl_status run_all(program *p, sl_hpca14_result *result, sl_error *error)
{
    uint32_t blocks = (uint32_t)((p->threads.count + p->block_threads - 1) / p->block_threads);
    uint32_t resident = CORE_THREADS / p->block_threads;
    resident = resident < CORE_BLOCKS ? resident : CORE_BLOCKS;
    resident = resident < blocks ? resident : blocks;
    run_result r[RUNS];
    coalesce(p, blocks * warps_per_block(p));
    sl_status status = number_lines(p, error);
    if (status)
        return status;
    if (!run(p, SETS, LATENCY, MSHRS, resident, &r[NORMAL]) || !run(p, 1, LATENCY, MSHRS, resident, &r[ONE_SET]) ||
        !run(p, SETS, 0, MSHRS, resident, &r[NO_LATENCY]) || !run(p, SETS, LATENCY, UINT32_MAX, resident, &r[NO_MSHRS]))
        return sl_fail_memory(error);
    result->threads = p->threads.count;
    result->resident_blocks = resident;
    classify(r, result);
    return SL_OK;
}

sl_status sl_hpca14_run(const char *path, sl_hpca14_result *result, sl_error *error)
{
    program p = {0};
    *result = (sl_hpca14_result){0};
    sl_status status = read_trace(&p, path, result, error);
    if (!status)
        status = run_all(&p, result, error);
    for (size_t t = 0; t < p.threads.count; t++)
        sl_array_free(&p.threads.items[t].loads);
    sl_array_free(&p.threads);
    free(p.set);
    return status;
}
