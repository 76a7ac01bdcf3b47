/* SPDX-License-Identifier: MIT */
#include "sim/network.h"

#include <stdlib.h>

#include "access/coalescer.h"
#include "lower/program.h"
#include "sim/bank.h"

enum { BUCKETS = 4096 };

static const uint32_t CLOSED = UINT32_MAX;

/* A read in flight. */
typedef struct flight {
    uint32_t next; /* of the bucket, or of the free ones */
    uint32_t primary, granules;
    uint64_t addr;
    uint32_t requests; /* the primary included; CLOSED: nothing is merged with it */
    sl_request_list waiting;
} flight;

struct sl_coalescer {
    const sl_level *first;
    uint32_t *bucket; /* [BUCKETS]: first flight */
    flight *item;
    uint32_t capacity, free;
};

sl_status sl_coalescer_create(const sl_machine *machine, sl_coalescer **made, sl_error *error)
{
    const sl_level *first = &machine->level[0];
    *made = NULL;
    if (machine->levels < 2 || !sl_coalescer_exists(first))
        return SL_OK;
    sl_coalescer *coalescer = calloc(1, sizeof *coalescer);
    uint32_t *bucket = malloc(BUCKETS * sizeof *bucket);
    if (!coalescer || !bucket) {
        free(coalescer);
        free(bucket);
        return sl_fail_memory(error);
    }
    for (uint32_t i = 0; i < BUCKETS; i++)
        bucket[i] = SL_NONE;
    *coalescer = (sl_coalescer){.first = first, .bucket = bucket, .free = SL_NONE};
    *made = coalescer;
    return SL_OK;
}

void sl_coalescer_destroy(sl_coalescer *coalescer)
{
    if (!coalescer)
        return;
    free(coalescer->bucket);
    free(coalescer->item);
    free(coalescer);
}

static uint32_t *bucket_of(const sl_coalescer *coalescer, uint64_t addr)
{
    return &coalescer->bucket[sl_hash_mix(addr) & (BUCKETS - 1)];
}

/* Both come from SMs whose requests are coalesced (a GPC), to the same bank of L2. */
static bool same_gpc_and_bank(sl_sim *sim, const sl_request *r, const flight *other)
{
    const sl_level *first = sim->coalescer->first;
    uint32_t core = sl_request_at(sim, other->primary)->core;
    return sl_coalescer_of(first, r->core) == sl_coalescer_of(first, core) &&
           sl_bank_for(sim, 1, r->core, r->addr) == sl_bank_for(sim, 1, core, r->addr);
}

/* Bulk copies are not coalesced: they have multicast for that. */
static bool is_read(const sl_sim *sim, const sl_request *r)
{
    const sl_trace_kernel *kernel = sim->program->kernel;
    return r->kind == SL_REQUEST_LOAD &&
           (r->slot == SL_NONE || !sl_inst_is_bulk(&kernel->inst[kernel->mem_inst[r->slot]]));
}

sl_coalesced sl_coalescer_merge(sl_sim *sim, const sl_request *r, uint32_t number)
{
    sl_coalescer *coalescer = sim->coalescer;
    if (!is_read(sim, r))
        return SL_COALESCED_ALONE;
    for (uint32_t f = *bucket_of(coalescer, r->addr); f != SL_NONE; f = coalescer->item[f].next) {
        flight *other = &coalescer->item[f];
        if (other->addr != r->addr || !sl_coalescer_takes(coalescer->first, other->requests) ||
            !same_gpc_and_bank(sim, r, other))
            continue;
        if (other->granules != r->granules) {
            other->requests = CLOSED;
            sl_request_at(sim, number)->alone = true; /* also if it stalls first */
            return SL_COALESCED_ALONE;
        }
        other->requests++;
        sl_request_push(sim->pool, &other->waiting, number);
        sim->result->level[0].coalesced++;
        return SL_COALESCED_MERGED;
    }
    return r->alone ? SL_COALESCED_ALONE : SL_COALESCED_FIRST;
}

static bool grow(sl_coalescer *coalescer)
{
    uint32_t capacity = coalescer->capacity ? 2 * coalescer->capacity : 256;
    flight *item = realloc(coalescer->item, capacity * sizeof *item);
    if (!item)
        return false;
    for (uint32_t i = coalescer->capacity; i < capacity; i++)
        item[i].next = i + 1 < capacity ? i + 1 : SL_NONE;
    coalescer->free = coalescer->capacity;
    coalescer->item = item;
    coalescer->capacity = capacity;
    return true;
}

void sl_coalescer_close(sl_sim *sim, uint64_t addr)
{
    sl_coalescer *coalescer = sim->coalescer;
    for (uint32_t f = *bucket_of(coalescer, addr); f != SL_NONE; f = coalescer->item[f].next)
        if (coalescer->item[f].addr == addr)
            coalescer->item[f].requests = CLOSED;
}

bool sl_coalescer_open(sl_sim *sim, const sl_request *r, uint32_t number)
{
    sl_coalescer *coalescer = sim->coalescer;
    if (coalescer->free == SL_NONE && !grow(coalescer))
        return false;
    uint32_t f = coalescer->free, *bucket = bucket_of(coalescer, r->addr);
    coalescer->free = coalescer->item[f].next;
    coalescer->item[f] = (flight){.next = *bucket,
                                  .primary = number,
                                  .granules = r->granules,
                                  .addr = r->addr,
                                  .requests = 1,
                                  .waiting = SL_EMPTY_LIST};
    *bucket = f;
    return true;
}

sl_request_list sl_coalescer_answer(sl_sim *sim, uint32_t number)
{
    sl_coalescer *coalescer = sim->coalescer;
    for (uint32_t *link = bucket_of(coalescer, sl_request_at(sim, number)->addr); *link != SL_NONE;
         link = &coalescer->item[*link].next) {
        uint32_t f = *link;
        if (coalescer->item[f].primary != number)
            continue;
        sl_request_list waiting = coalescer->item[f].waiting;
        *link = coalescer->item[f].next;
        coalescer->item[f].next = coalescer->free;
        coalescer->free = f;
        return waiting;
    }
    return SL_EMPTY_LIST;
}
