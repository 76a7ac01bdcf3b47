/* SPDX-License-Identifier: MIT */
#include "sim/coalescer.h"

#include <stdlib.h>

#include "access/coalescer.h"

enum { BUCKETS = 256 };

/* A read in flight. */
typedef struct flight {
    uint32_t next; /* of the bucket, or of the free ones */
    uint32_t primary, units;
    uint64_t addr;
    uint32_t requests; /* the primary included */
    sl_request_list waiting;
} flight;

struct sl_coalescer {
    const sl_level *first;
    uint32_t small_gpc_cores, groups;
    uint32_t *bucket; /* [groups * BUCKETS]: first flight */
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
    uint32_t groups = sl_coalescer_of(first, machine->core.small_gpc_cores, machine->cores - 1) + 1;
    uint32_t *bucket = malloc((size_t)groups * BUCKETS * sizeof *bucket);
    if (!coalescer || !bucket) {
        free(coalescer);
        free(bucket);
        return sl_fail_memory(error);
    }
    for (uint32_t i = 0; i < groups * BUCKETS; i++)
        bucket[i] = SL_NONE;
    *coalescer = (sl_coalescer){.first = first,
                                .small_gpc_cores = machine->core.small_gpc_cores,
                                .groups = groups,
                                .bucket = bucket,
                                .free = SL_NONE};
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

static uint32_t *bucket_of(const sl_coalescer *coalescer, const sl_request *r)
{
    uint32_t group = sl_coalescer_of(coalescer->first, coalescer->small_gpc_cores, r->core);
    return &coalescer->bucket[(size_t)group * BUCKETS + (sl_hash_mix(r->addr) & (BUCKETS - 1))];
}

/* Both go to the same instance of the second level. */
static bool go_together(sl_sim *sim, const sl_request *r, const flight *other)
{
    uint32_t cores = sim->machine.level[1].cores_per_instance;
    return r->core / cores == sl_request_at(sim, other->primary)->core / cores;
}

bool sl_coalescer_merge(sl_sim *sim, uint32_t number)
{
    sl_coalescer *coalescer = sim->coalescer;
    const sl_request *r = sl_request_at(sim, number);
    for (uint32_t f = *bucket_of(coalescer, r); f != SL_NONE; f = coalescer->item[f].next) {
        flight *other = &coalescer->item[f];
        if (other->addr != r->addr || other->units != r->units ||
            !sl_coalescer_takes(coalescer->first, other->requests) || !go_together(sim, r, other))
            continue;
        other->requests++;
        sl_request_push(sim->pool, &other->waiting, number);
        return true;
    }
    return false;
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

bool sl_coalescer_send(sl_sim *sim, uint32_t number)
{
    sl_coalescer *coalescer = sim->coalescer;
    const sl_request *r = sl_request_at(sim, number);
    if (coalescer->free == SL_NONE && !grow(coalescer))
        return false;
    uint32_t f = coalescer->free, *bucket = bucket_of(coalescer, r);
    coalescer->free = coalescer->item[f].next;
    coalescer->item[f] = (flight){.next = *bucket,
                                  .primary = number,
                                  .units = r->units,
                                  .addr = r->addr,
                                  .requests = 1,
                                  .waiting = SL_EMPTY_LIST};
    *bucket = f;
    return true;
}

void sl_coalescer_stop(sl_sim *sim, uint32_t number)
{
    sl_coalescer *coalescer = sim->coalescer;
    const sl_request *r = sl_request_at(sim, number);
    for (uint32_t f = *bucket_of(coalescer, r); f != SL_NONE; f = coalescer->item[f].next)
        if (coalescer->item[f].addr == r->addr)
            coalescer->item[f].requests = UINT32_MAX;
}

sl_request_list sl_coalescer_answer(sl_sim *sim, uint32_t number)
{
    sl_coalescer *coalescer = sim->coalescer;
    for (uint32_t *link = bucket_of(coalescer, sl_request_at(sim, number)); *link != SL_NONE;
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
