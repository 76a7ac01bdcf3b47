/* SPDX-License-Identifier: MIT */
#include "sim/join.h"

#include <stdlib.h>

enum { BUCKETS = 256 };

/* A read in flight. */
typedef struct flight {
    uint32_t next; /* of the bucket, or of the free ones */
    uint32_t primary, units;
    uint64_t addr;
    uint32_t requests; /* the primary included */
    sl_request_list waiting;
} flight;

struct sl_join {
    uint32_t group_cores, most, groups;
    uint32_t *bucket; /* [groups * BUCKETS]: first flight */
    flight *item;
    uint32_t capacity, free;
};

sl_status sl_join_create(const sl_machine *machine, sl_join **made, sl_error *error)
{
    const sl_level *first = &machine->level[0];
    *made = NULL;
    if (machine->levels < 2 || first->merge_cores < 2 || first->merge_group < 2)
        return SL_OK;
    sl_join *join = calloc(1, sizeof *join);
    uint32_t groups = (machine->cores + first->merge_group - 1) / first->merge_group;
    uint32_t *bucket = malloc((size_t)groups * BUCKETS * sizeof *bucket);
    if (!join || !bucket) {
        free(join);
        free(bucket);
        return sl_fail_memory(error);
    }
    for (uint32_t i = 0; i < groups * BUCKETS; i++)
        bucket[i] = SL_NONE;
    *join = (sl_join){.group_cores = first->merge_group,
                      .most = first->merge_cores,
                      .groups = groups,
                      .bucket = bucket,
                      .free = SL_NONE};
    *made = join;
    return SL_OK;
}

void sl_join_destroy(sl_join *join)
{
    if (!join)
        return;
    free(join->bucket);
    free(join->item);
    free(join);
}

static uint32_t *bucket_of(const sl_join *join, const sl_request *r)
{
    return &join->bucket[(size_t)(r->core / join->group_cores) * BUCKETS + (sl_hash_mix(r->addr) & (BUCKETS - 1))];
}

/* To the same cache. */
static bool go_together(sl_sim *sim, const sl_request *r, const flight *other)
{
    uint32_t cores = sim->machine.level[1].cores_per_instance;
    return r->core / cores == sl_request_at(sim, other->primary)->core / cores;
}

bool sl_join_takes(sl_sim *sim, uint32_t number)
{
    sl_join *join = sim->join;
    const sl_request *r = sl_request_at(sim, number);
    for (uint32_t f = *bucket_of(join, r); f != SL_NONE; f = join->item[f].next) {
        flight *other = &join->item[f];
        if (other->addr != r->addr || other->units != r->units || other->requests >= join->most ||
            !go_together(sim, r, other))
            continue;
        other->requests++;
        sl_request_push(&sim->pool, &other->waiting, number);
        return true;
    }
    return false;
}

static bool grow(sl_join *join)
{
    uint32_t capacity = join->capacity ? 2 * join->capacity : 256;
    flight *item = realloc(join->item, capacity * sizeof *item);
    if (!item)
        return false;
    for (uint32_t i = join->capacity; i < capacity; i++)
        item[i].next = i + 1 < capacity ? i + 1 : SL_NONE;
    join->free = join->capacity;
    join->item = item;
    join->capacity = capacity;
    return true;
}

bool sl_join_open(sl_sim *sim, uint32_t number)
{
    sl_join *join = sim->join;
    const sl_request *r = sl_request_at(sim, number);
    if (join->free == SL_NONE && !grow(join))
        return false;
    uint32_t f = join->free, *bucket = bucket_of(join, r);
    join->free = join->item[f].next;
    join->item[f] = (flight){.next = *bucket,
                             .primary = number,
                             .units = r->units,
                             .addr = r->addr,
                             .requests = 1,
                             .waiting = SL_EMPTY_LIST};
    *bucket = f;
    return true;
}

void sl_join_stop(sl_sim *sim, uint32_t number)
{
    sl_join *join = sim->join;
    const sl_request *r = sl_request_at(sim, number);
    for (uint32_t f = *bucket_of(join, r); f != SL_NONE; f = join->item[f].next)
        if (join->item[f].addr == r->addr)
            join->item[f].requests = join->most;
}

sl_request_list sl_join_close(sl_sim *sim, uint32_t number)
{
    sl_join *join = sim->join;
    for (uint32_t *link = bucket_of(join, sl_request_at(sim, number)); *link != SL_NONE;
         link = &join->item[*link].next) {
        uint32_t f = *link;
        if (join->item[f].primary != number)
            continue;
        sl_request_list waiting = join->item[f].waiting;
        *link = join->item[f].next;
        join->item[f].next = join->free;
        join->free = f;
        return waiting;
    }
    return SL_EMPTY_LIST;
}
