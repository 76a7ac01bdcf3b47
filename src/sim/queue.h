/* SPDX-License-Identifier: MIT */
/* A FIFO of requests, each with the cycle from which it may be popped. These cycles never decrease. */
#ifndef SL_SIM_QUEUE_H
#define SL_SIM_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct sl_queued {
    uint64_t time;
    uint32_t request;
    uint32_t to; /* destination bank, if the queue is not that of a bank; of answers, the core */
} sl_queued;

typedef struct sl_queue {
    uint64_t from_end; /* UINT64_MAX - the cycle of its head; 0: it is empty */
    sl_queued *item;
    uint32_t head, count, capacity; /* capacity: a power of two, or 0 */
} sl_queue;

static inline bool sl_queue_grow(sl_queue *q)
{
    uint32_t capacity = q->capacity ? 2 * q->capacity : 8;
    sl_queued *item = malloc(capacity * sizeof *item);
    if (!item)
        return false;
    for (uint32_t i = 0; i < q->count; i++)
        item[i] = q->item[(q->head + i) & (q->capacity - 1)];
    free(q->item);
    q->item = item;
    q->head = 0;
    q->capacity = capacity;
    return true;
}

/* False: out of memory. */
static inline bool sl_queue_push(sl_queue *q, uint64_t time, uint32_t request, uint32_t to)
{
    if (q->count == q->capacity && !sl_queue_grow(q))
        return false;
    if (!q->count)
        q->from_end = UINT64_MAX - time;
    q->item[(q->head + q->count++) & (q->capacity - 1)] = (sl_queued){time, request, to};
    return true;
}

static inline const sl_queued *sl_queue_head(const sl_queue *q)
{
    return &q->item[q->head];
}

static inline const sl_queued *sl_queue_second(const sl_queue *q)
{
    return &q->item[(q->head + 1) & (q->capacity - 1)];
}

static inline uint32_t sl_queue_at(const sl_queue *q, uint32_t i)
{
    return q->item[(q->head + i) & (q->capacity - 1)].request;
}

/* Lowers all cycles to at most `time`. */
static inline void sl_queue_expedite(sl_queue *q, uint64_t time)
{
    for (uint32_t i = 0; i < q->count; i++) {
        sl_queued *item = &q->item[(q->head + i) & (q->capacity - 1)];
        item->time = item->time < time ? item->time : time;
    }
    q->from_end = q->count ? UINT64_MAX - q->item[q->head].time : 0;
}

/* The cycle from which its head may be popped; UINT64_MAX: it is empty. */
static inline uint64_t sl_queue_ready_at(const sl_queue *q)
{
    return UINT64_MAX - q->from_end;
}

static inline uint32_t sl_queue_pop(sl_queue *q)
{
    uint32_t request = q->item[q->head].request;
    q->head = (q->head + 1) & (q->capacity - 1);
    q->from_end = --q->count ? UINT64_MAX - q->item[q->head].time : 0;
    return request;
}

static inline void sl_queue_fini(sl_queue *q)
{
    free(q->item);
    *q = (sl_queue){0};
}

#endif
