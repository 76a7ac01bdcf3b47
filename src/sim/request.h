/* SPDX-License-Identifier: MIT */
/* A request: the part of a warp's memory instruction that falls into one line. One struct from the load/store unit to
 * the level that answers and back; it carries the decisions on it.
 *
 * Requests live in a pool and are named by their numbers; `next` links them in whatever list they wait in. */
#ifndef SL_SIM_REQUEST_H
#define SL_SIM_REQUEST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"
#include "sluice/trace.h"

enum { SL_NONE = 0xffffffff };

/* Kinds of accesses as a trace has them; prefetches and asynchronous copies are loads. */
typedef enum sl_request_kind {
    SL_REQUEST_LOAD = SL_ACCESS_LOAD,
    SL_REQUEST_STORE = SL_ACCESS_STORE,
    SL_REQUEST_ATOMIC = SL_ACCESS_ATOMIC,       /* a warp waits for the old values */
    SL_REQUEST_REDUCTION = SL_ACCESS_REDUCTION, /* nobody does */
    SL_REQUEST_SHARED = 0xfe,                   /* to shared memory; `granules` are its passes */
    SL_REQUEST_WRITEBACK = 0xff,                /* of an evicted dirty line */
} sl_request_kind;

typedef struct sl_request {
    uint64_t addr;     /* of the line, as the first level has lines */
    uint32_t since;    /* when it came to the level it is at */
    uint32_t next;     /* in a list; SL_NONE ends it */
    uint32_t granules; /* of the line, wanted or written: a mask of sl_sim's smallest sectors */
    uint32_t whole;    /* stores: those of which every byte is written */
    uint32_t words;    /* of 4 bytes that are loaded or stored; 0: it does not matter */
    uint32_t memop;    /* the instruction that it is a part of; SL_NONE: nobody waits */
    uint32_t slot;     /* the static memory instruction; SL_NONE for write-backs */
    uint16_t core;
    uint8_t warp;
    uint8_t kind;           /* sl_request_kind */
    uint8_t no_allocate;    /* bit i: its cache operator or the plan asks level i not to allocate */
    uint8_t evict_hint;     /* bit i: it has the hint of level i, where that is not `bypass`; loads only */
    uint8_t bypass;         /* bit per hop (sl_hop_of): it bypasses that bank; written by sl_decide_bypass alone */
    uint8_t no_lookup;      /* bit i: its cache operator skips the lookup in level i */
    uint8_t feedback : 4;   /* SL_FEEDBACK_*, from the level below */
    uint8_t admitted : 4;   /* bit i: the policy of level i was asked */
    uint8_t stalled;        /* bit per sl_stall: the policy of the level it is at was asked */
    uint8_t priority;       /* bit i: its line is evicted first from level i; bit 4 + i: last */
    uint8_t log2_fetch : 6; /* bytes that the last level fetches at least; 0: as it does */
    uint8_t alone : 1;      /* reads: closed a line, and are not opened for others (network.h) */
    uint8_t merges : 1;     /* stores: to so few lines that stores of the warp to them join before they reach L1 */
    uint32_t mshr[SL_MAX_LEVELS]; /* of the levels that it was sent for (sl_hop_of) */
} sl_request;
_Static_assert(sizeof(sl_request) == 64, "a request is a line of the host's cache");

enum { SL_EVICT_LAST_BITS = 4 };
_Static_assert((int)SL_MAX_LEVELS <= (int)SL_EVICT_LAST_BITS, "a bit for each level");

static inline bool sl_request_is_answered(const sl_request *r)
{
    return r->kind == SL_REQUEST_LOAD || r->kind == SL_REQUEST_ATOMIC;
}

static inline sl_mem_access sl_request_access(const sl_request *r)
{
    return r->kind == SL_REQUEST_WRITEBACK ? SL_ACCESS_STORE : (sl_mem_access)r->kind;
}

enum { SL_MAX_REQUESTS = 1 << 24 };

/* Requests stay where they are as the pool grows: there are addresses for all that there may be. */
typedef struct sl_request_pool {
    void *all; /* the addresses */
    sl_request *item;
    uint32_t capacity; /* of these, those that have memory */
    uint32_t stocked;  /* how many are in stocks */
    bool failed;       /* memory ran out: numbers that were given out since are SL_NONE */
    pthread_mutex_t lock;
} sl_request_pool;

/* Requests of a pool that one part of the machine, on one thread at a time, takes and gives back. Zeroes are an empty
 * one. */
typedef struct sl_request_stock {
    uint32_t free, spare; /* head of the list of those that were given back, and how many these are */
    uint32_t fresh, end;  /* those that were never taken */
    uint32_t used;
} sl_request_stock;

static inline sl_request *sl_pool_at(const sl_request_pool *pool, uint32_t number)
{
    return &pool->item[number];
}
/* False: memory ran out. */
bool sl_request_pool_init(sl_request_pool *pool);
void sl_request_pool_fini(sl_request_pool *pool);
/* SL_NONE: memory ran out. */
uint32_t sl_request_alloc(sl_request_pool *pool, sl_request_stock *stock);
void sl_request_free(sl_request_pool *pool, sl_request_stock *stock, uint32_t number);

/* A list of requests in order. */
typedef struct sl_request_list {
    uint32_t first, last;
} sl_request_list;
#define SL_EMPTY_LIST ((sl_request_list){SL_NONE, SL_NONE})

static inline void sl_request_push(sl_request_pool *pool, sl_request_list *list, uint32_t number)
{
    sl_pool_at(pool, number)->next = SL_NONE;
    if (list->first == SL_NONE)
        list->first = number;
    else
        sl_pool_at(pool, list->last)->next = number;
    list->last = number;
}
static inline uint32_t sl_request_pop(sl_request_pool *pool, sl_request_list *list)
{
    uint32_t number = list->first;
    list->first = sl_pool_at(pool, number)->next;
    return number;
}

#endif
