/* SPDX-License-Identifier: MIT */
#include "sim/request.h"

#include <sys/mman.h>

enum { STOCK = 64, CHUNK = 1 << 15 }; /* requests that a stock, and the pool, get at a time */

static const size_t ALL_BYTES = sizeof(sl_request) * SL_MAX_REQUESTS, HUGE_PAGE = 2 << 20;

static bool grow(sl_request_pool *pool)
{
    sl_request *from = pool->item + pool->capacity;
    if (pool->capacity == SL_MAX_REQUESTS || mprotect(from, CHUNK * sizeof *from, PROT_READ | PROT_WRITE))
        return false;
    madvise(from, CHUNK * sizeof *from, MADV_HUGEPAGE); /* requests are accessed at random */
    pool->capacity += CHUNK;
    return true;
}

static bool refill(sl_request_pool *pool, sl_request_stock *stock)
{
    pthread_mutex_lock(&pool->lock);
    bool any = pool->stocked < pool->capacity || grow(pool);
    if (any) {
        stock->fresh = pool->stocked;
        stock->end = pool->stocked += STOCK;
    }
    pool->failed |= !any;
    pthread_mutex_unlock(&pool->lock);
    return any;
}

uint32_t sl_request_alloc(sl_request_pool *pool, sl_request_stock *stock)
{
    uint32_t number = stock->free;
    if (stock->spare) {
        stock->free = sl_pool_at(pool, number)->next;
        if (--stock->spare)
            __builtin_prefetch(sl_pool_at(pool, stock->free), 1);
    } else {
        if (stock->fresh == stock->end && !refill(pool, stock))
            return SL_NONE;
        number = stock->fresh++;
    }
    stock->used++;
    *sl_pool_at(pool, number) = (sl_request){.next = SL_NONE, .memop = SL_NONE};
    return number;
}

void sl_request_free(sl_request_pool *pool, sl_request_stock *stock, uint32_t number)
{
    sl_pool_at(pool, number)->next = stock->free;
    stock->free = number;
    stock->spare++;
    stock->used--;
}

bool sl_request_pool_init(sl_request_pool *pool)
{
    *pool = (sl_request_pool){0};
    pthread_mutex_init(&pool->lock, NULL);
    void *all = mmap(NULL, ALL_BYTES + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return false;
    pool->all = all;
    pool->item = (sl_request *)(((uintptr_t)all + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
    return true;
}

void sl_request_pool_fini(sl_request_pool *pool)
{
    if (pool->all)
        munmap(pool->all, ALL_BYTES + HUGE_PAGE);
    pthread_mutex_destroy(&pool->lock);
}
