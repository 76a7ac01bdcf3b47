/* SPDX-License-Identifier: MIT */
#include "sim/coalescer.h"

#include <stdlib.h>

#include "access/partition.h"
#include "lower/program.h"
#include "sim/bank.h"

static const uint32_t CLOSED = UINT32_MAX;

sl_status sl_coalescer_create(const sl_machine *machine, sl_coalescer **made, sl_error *error)
{
    const sl_level *first = &machine->level[0];
    *made = NULL;
    if (machine->levels < 2 || !sl_coalescer_exists(first))
        return SL_OK;
    sl_coalescer *coalescer = calloc(1, sizeof *coalescer);
    uint32_t *bucket = calloc(SL_COALESCER_BUCKETS, sizeof *bucket);
    if (!coalescer || !bucket) {
        free(coalescer);
        free(bucket);
        return sl_fail_memory(error);
    }
    *coalescer = (sl_coalescer){.first = first, .bucket = bucket};
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

/* Both come from SMs whose requests are coalesced (a GPC), to the same bank of L2. */
static bool same_gpc_and_bank(sl_sim *sim, const sl_request *r, const sl_flight *other)
{
    const sl_level *first = sim->coalescer->first;
    return sl_coalescer_of(first, r->core) == sl_coalescer_of(first, other->core) &&
           sl_bank_for(sim, 1, r->core, r->addr) == sl_bank_for(sim, 1, other->core, r->addr);
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
    for (uint32_t f = *sl_coalescer_bucket(coalescer, r->addr); f; f = coalescer->item[f - 1].next) {
        sl_flight *other = &coalescer->item[f - 1];
        if (other->addr != r->addr || other->until < sim->now ||
            !sl_coalescer_takes(coalescer->first, other->requests) || !same_gpc_and_bank(sim, r, other))
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
    sl_flight *item = realloc(coalescer->item, capacity * sizeof *item);
    if (!item)
        return false;
    for (uint32_t i = coalescer->capacity; i < capacity; i++)
        item[i].next = i + 1 < capacity ? i + 2 : 0;
    coalescer->free = coalescer->capacity + 1;
    coalescer->item = item;
    coalescer->capacity = capacity;
    return true;
}

void sl_coalescer_close(sl_sim *sim, uint64_t addr)
{
    sl_coalescer *coalescer = sim->coalescer;
    for (uint32_t f = *sl_coalescer_bucket(coalescer, addr); f; f = coalescer->item[f - 1].next)
        if (coalescer->item[f - 1].addr == addr)
            coalescer->item[f - 1].requests = CLOSED;
}

bool sl_coalescer_open(sl_sim *sim, const sl_request *r, uint32_t number, uint64_t until)
{
    sl_coalescer *coalescer = sim->coalescer;
    if (!coalescer->free && !grow(coalescer))
        return false;
    uint32_t f = coalescer->free, *bucket = sl_coalescer_bucket(coalescer, r->addr);
    coalescer->free = coalescer->item[f - 1].next;
    coalescer->item[f - 1] = (sl_flight){.next = *bucket,
                                         .primary = number,
                                         .granules = r->granules,
                                         .core = r->core,
                                         .addr = r->addr,
                                         .until = until,
                                         .requests = 1,
                                         .waiting = SL_EMPTY_LIST};
    *bucket = f;
    return true;
}

sl_request_list sl_coalescer_answer(sl_sim *sim, uint32_t number)
{
    sl_coalescer *coalescer = sim->coalescer;
    for (uint32_t *link = sl_coalescer_bucket(coalescer, sl_request_at(sim, number)->addr); *link;
         link = &coalescer->item[*link - 1].next) {
        uint32_t f = *link;
        sl_flight *answered = &coalescer->item[f - 1];
        if (answered->primary != number)
            continue;
        sl_request_list waiting = answered->waiting;
        *link = answered->next;
        answered->next = coalescer->free;
        coalescer->free = f;
        return waiting;
    }
    return SL_EMPTY_LIST;
}
