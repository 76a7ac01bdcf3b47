/* SPDX-License-Identifier: MIT */
/* Software prefetching into the host's cache. Most of what a request needs is no longer there when it is processed. So
 * before the components of a kind are ticked one by one, the data of all of them is prefetched in stages: requests,
 * what they point to, and what that points to. Results do not depend on it. */
#ifndef SL_SIM_HOST_PREFETCH_H
#define SL_SIM_HOST_PREFETCH_H

#include "sim/coalescer.h"
#include "sim/core.h"
#include "sim/dram.h"
#include "sim/lines.h"

/* gcc removes calls of functions that only prefetch, as without effect. */
#define SL_HOST_PREFETCH static inline __attribute__((always_inline))

enum { SL_HOST_CACHE_BYTES = 1 << 20 }; /* about the private cache of a core */

/* A request that a bank will process in this cycle. */
typedef struct sl_upcoming {
    const sl_bank *bank;
    const sl_request *request;
    uint32_t set; /* of an access, once it is known */
} sl_upcoming;

/* Requests that arrive at banks from below, and from above; answers that L2 sends. */
struct sl_host_prefetch {
    uint32_t backs, accesses, ups;
    sl_upcoming *back, *access, *up; /* [max components of a kind] */
};

/* Prefetches the request at the head of a queue, if it is due; NULL: none is. */
SL_HOST_PREFETCH const sl_request *sl_host_prefetch_head(const sl_sim *sim, const sl_queue *q)
{
    if (sl_queue_ready_at(q) > sim->now)
        return NULL;
    const sl_request *r = &sim->request[sl_queue_head(q)->request];
    __builtin_prefetch(r);
    return r;
}

/* First stage: requests. */
SL_HOST_PREFETCH void sl_host_prefetch_channel(const sl_sim *sim, const sl_channel *c,
                                               struct sl_host_prefetch *prefetch)
{
    const sl_request *r = sl_host_prefetch_head(sim, &c->done);
    if (r)
        prefetch->back[prefetch->backs++] =
            (sl_upcoming){.bank = &sim->bank[sim->machine.levels - 1][sl_queue_head(&c->done)->to], .request = r};
}
SL_HOST_PREFETCH void sl_host_prefetch_bank(const sl_sim *sim, const sl_bank *b, struct sl_host_prefetch *prefetch)
{
    const sl_request *back = sl_host_prefetch_head(sim, &b->back),
                     *in = b->number ? sl_host_prefetch_head(sim, &b->in) : NULL;
    if (back)
        prefetch->back[prefetch->backs++] = (sl_upcoming){.bank = b, .request = back};
    if (in)
        prefetch->access[prefetch->accesses++] = (sl_upcoming){.bank = b, .request = in};
    if (!b->number)
        return;
    const sl_queue *up = sl_queue_ready_at(&b->fills) <= sl_queue_ready_at(&b->hits) ? &b->fills : &b->hits;
    const sl_request *answer = sl_host_prefetch_head(sim, up);
    if (!answer || b->number != 1)
        return;
    __builtin_prefetch(&sim->bank[0][sl_bank_for(sim, 0, sl_queue_head(up)->to, 0)].up_free, 1);
    if (sim->coalescer)
        prefetch->up[prefetch->ups++] = (sl_upcoming){.bank = b, .request = answer};
}
SL_HOST_PREFETCH void sl_host_prefetch_core(const sl_sim *sim, const sl_sim_core *core,
                                            struct sl_host_prefetch *prefetch)
{
    if (!(core->queued >> core->queue_at & 1))
        return;
    const sl_request *r = &sim->request[core->queue[core->queue_at].first];
    __builtin_prefetch(r);
    prefetch->access[prefetch->accesses++] =
        (sl_upcoming){.bank = &sim->bank[0][core->number / sim->machine.level[0].cores_per_instance], .request = r};
}

/* The line of an access, or its likely victim. Sets of many ways are not searched: where it matters, most accesses to
 * them miss. */
SL_HOST_PREFETCH void sl_host_prefetch_line(const sl_upcoming *u)
{
    const sl_bank *b = u->bank;
    uint32_t set = u->set, way = SL_NO_WAY;
    if (b->replacement.ops->predict_victim) /* prefetches what the policy has of the set */
        way = b->replacement.ops->predict_victim(b->replacement.self, set);
    if (b->ways <= SL_FINGERPRINTS_AT_ONCE) {
        uint32_t equal =
            sl_fingerprints_equal(sl_fingerprints(b, set), sl_tag_fingerprint(u->request->addr >> b->log2_line));
        way = equal ? (uint32_t)__builtin_ctz(equal) : way;
    }
    if (way != SL_NO_WAY)
        __builtin_prefetch(&b->line[(size_t)set * b->ways + way]);
}

/* Buckets of the coalescer, and flights in them. */
SL_HOST_PREFETCH void sl_host_prefetch_buckets(const sl_sim *sim, const sl_upcoming *upcoming, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (upcoming[i].bank->number == 1)
            __builtin_prefetch(sl_coalescer_bucket(sim->coalescer, upcoming[i].request->addr));
}
SL_HOST_PREFETCH void sl_host_prefetch_flights(const sl_sim *sim, const sl_upcoming *upcoming, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t flight =
            upcoming[i].bank->number == 1 ? *sl_coalescer_bucket(sim->coalescer, upcoming[i].request->addr) : 0;
        if (flight)
            __builtin_prefetch(&sim->coalescer->item[flight - 1], 1);
    }
}

/* Other stages: MSHRs and sets of the requests, then their lines. */
SL_HOST_PREFETCH void sl_host_prefetch_rest(const sl_sim *sim, struct sl_host_prefetch *prefetch)
{
    uint32_t backs = 0;
    if (sim->coalescer) {
        sl_host_prefetch_buckets(sim, prefetch->access, prefetch->accesses);
        sl_host_prefetch_buckets(sim, prefetch->up, prefetch->ups);
    }
    for (uint32_t i = 0; i < prefetch->backs; i++) {
        sl_upcoming u = prefetch->back[i];
        uint32_t hop = sl_hop_of(u.bank, u.request->addr);
        if (u.request->bypass >> hop & 1)
            continue;
        __builtin_prefetch(&u.bank->mshr_item[u.request->mshr[hop]]);
        if (!u.bank->number)
            __builtin_prefetch(&sim->core[u.request->core].memop[u.request->memop], 1);
        prefetch->back[backs++] = u;
    }
    for (uint32_t i = 0; i < prefetch->accesses; i++) {
        const sl_bank *b = prefetch->access[i].bank;
        prefetch->access[i].set = sl_set_of(b, prefetch->access[i].request->addr);
        const uint64_t *set = sl_used_ways(b, prefetch->access[i].set);
        for (uint32_t word = 0; word < b->set_words; word += 8)
            __builtin_prefetch(set + word);
        if (b->mshr_free != SL_NONE)
            __builtin_prefetch(&b->mshr_item[b->mshr_free]);
    }
    for (uint32_t i = 0; i < backs; i++) {
        const sl_bank *b = prefetch->back[i].bank;
        const sl_request *r = prefetch->back[i].request;
        uint32_t line_slot = b->mshr_item[r->mshr[sl_hop_of(b, r->addr)]].line_slot;
        __builtin_prefetch(&b->line[line_slot]);
        if (!sl_is_entry(b, line_slot))
            __builtin_prefetch(sl_ways_in_flight(b, line_slot / b->ways));
    }
    for (uint32_t i = 0; i < prefetch->accesses; i++)
        sl_host_prefetch_line(&prefetch->access[i]);
    if (sim->coalescer) {
        sl_host_prefetch_flights(sim, prefetch->access, prefetch->accesses);
        sl_host_prefetch_flights(sim, prefetch->up, prefetch->ups);
    }
    prefetch->backs = prefetch->accesses = prefetch->ups = 0;
}

#endif
