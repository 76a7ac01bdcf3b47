/* SPDX-License-Identifier: MIT */
/* A request: the part of a warp's memory instruction that falls into one line. One struct travels from the load/store
 * unit to the level that answers and back, with the decisions made on the way.
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
    SL_REQUEST_REDUCTION = SL_ACCESS_REDUCTION, /* no warp waits */
    SL_REQUEST_SHARED = 0xfe,                   /* to shared memory; `granules` is the number of wavefronts */
    SL_REQUEST_WRITEBACK = 0xff,                /* of an evicted dirty line */
} sl_request_kind;

typedef struct sl_request {
    uint64_t addr;     /* of the line, in lines of L1; below a miss, of the level that missed */
    uint32_t since;    /* cycle of its arrival at the current level */
    uint32_t next;     /* in a list; SL_NONE ends it */
    uint32_t granules; /* mask of granules that it reads or writes */
    uint32_t whole;    /* stores: granules of which every byte is written */
    uint32_t words;    /* mask of 4-byte words that are loaded or stored; 0: whole granules; atomics: their passes */
    uint32_t memop;    /* sl_memop that it belongs to; of a write-back, the eviction record; SL_NONE: none */
    uint32_t slot;     /* static memory instruction; SL_NONE: write-back */
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
    uint8_t log2_fetch : 5; /* min bytes that the last level fetches; 0: its fill_bytes */
    uint8_t scalar : 1;     /* of a scalar load: it passes the first level, and is none of its requests */
    uint8_t alone : 1;      /* reads: closed an open line, and is not opened itself (network.h) */
    uint8_t merges : 1;     /* stores: of an instruction with so few lines that its stores are merged before L2 */
    uint32_t mshr[SL_MAX_LEVELS]; /* per hop: the MSHR whose primary it is */
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

/* Requests do not move as the pool grows: address space for SL_MAX_REQUESTS is reserved at once. */
typedef struct sl_request_pool {
    void *all; /* the reserved address space */
    sl_request *item;
    uint32_t capacity; /* requests with memory */
    uint32_t stocked;  /* requests handed out to stocks */
    bool failed;       /* out of memory: SL_NONE was returned */
    pthread_mutex_t lock;
} sl_request_pool;

/* A free list of requests of the pool, used by one thread at a time. Zeroes are an empty one. */
typedef struct sl_request_stock {
    uint32_t free, spare; /* head of the free list, and its length */
    uint32_t fresh, end;  /* range of requests that were never used */
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
