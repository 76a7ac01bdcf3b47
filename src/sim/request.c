#include "sim/request.h"

#include <stdlib.h>

static bool grow(sl_request_pool *pool)
{
    uint32_t chunk = pool->capacity >> SL_LOG2_CHUNK, count = 1u << SL_LOG2_CHUNK;
    sl_request *item = chunk < SL_MOST_CHUNKS ? malloc(count * sizeof *item) : NULL;
    if (!item)
        return false;
    for (uint32_t i = 0; i < count; i++)
        item[i].next = i + 1 < count ? pool->capacity + i + 1 : SL_NONE;
    pool->chunk[chunk] = item;
    pool->free = pool->capacity;
    pool->capacity += count;
    return true;
}

uint32_t sl_request_take(sl_request_pool *pool)
{
    if (pool->used == pool->capacity && !grow(pool)) {
        pool->failed = true;
        return SL_NONE;
    }
    uint32_t number = pool->free;
    pool->free = sl_pool_at(pool, number)->next;
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
