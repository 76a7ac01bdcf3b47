/* SPDX-License-Identifier: MIT */
#include "sim/request.h"

#include <stdlib.h>

#include "sim/pages.h"

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

uint32_t sl_request_take(sl_request_pool *pool)
{
    uint32_t number;
    if (pool->used < pool->ever_used) {
        number = pool->free;
        pool->free = sl_pool_at(pool, number)->next;
    } else {
        if (pool->ever_used == pool->capacity && !grow(pool)) {
            pool->failed = true;
            return SL_NONE;
        }
        number = pool->ever_used++;
    }
    pool->used++;
    *sl_pool_at(pool, number) = (sl_request){.next = SL_NONE, .group = SL_NONE};
    return number;
}

void sl_request_give(sl_request_pool *pool, uint32_t number)
{
    sl_pool_at(pool, number)->next = pool->free;
    pool->free = number;
    pool->used--;
}

void sl_request_pool_fini(sl_request_pool *pool)
{
    for (uint32_t i = 0; i < pool->capacity >> SL_LOG2_CHUNK; i++)
        free(pool->chunk[i]);
    *pool = (sl_request_pool){0};
}
