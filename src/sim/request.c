/* SPDX-License-Identifier: MIT */
#include "sim/request.h"

#include <stdlib.h>

#include "sim/pages.h"

enum { STOCK = 64 }; /* requests that a stock gets at a time */

static bool grow(sl_request_pool *pool)
{
    uint32_t chunk = pool->capacity >> SL_LOG2_CHUNK;
    sl_request *item = chunk < SL_MAX_CHUNKS ? sl_pages_take(sizeof *item << SL_LOG2_CHUNK) : NULL;
    if (!item)
        return false;
    pool->chunk[chunk] = item;
    pool->capacity += 1u << SL_LOG2_CHUNK;
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

uint32_t sl_request_take(sl_request_pool *pool, sl_request_stock *stock)
{
    uint32_t number = stock->free;
    if (stock->spare) {
        stock->free = sl_pool_at(pool, number)->next;
        stock->spare--;
    } else {
        if (stock->fresh == stock->end && !refill(pool, stock))
            return SL_NONE;
        number = stock->fresh++;
    }
    stock->used++;
    *sl_pool_at(pool, number) = (sl_request){.next = SL_NONE, .group = SL_NONE};
    return number;
}

void sl_request_give(sl_request_pool *pool, sl_request_stock *stock, uint32_t number)
{
    sl_pool_at(pool, number)->next = stock->free;
    stock->free = number;
    stock->spare++;
    stock->used--;
}

void sl_request_pool_init(sl_request_pool *pool)
{
    *pool = (sl_request_pool){0};
    pthread_mutex_init(&pool->lock, NULL);
}

void sl_request_pool_fini(sl_request_pool *pool)
{
    for (uint32_t i = 0; i < pool->capacity >> SL_LOG2_CHUNK; i++)
        free(pool->chunk[i]);
    pthread_mutex_destroy(&pool->lock);
}
