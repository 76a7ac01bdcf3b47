/* SPDX-License-Identifier: MIT */
/* How long misses take: a minimum time and a random part, |N(0, sigma)|, rounded. */
#ifndef SL_MODEL_LATENCY_H
#define SL_MODEL_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

enum { SL_LATENCY_GUIDES = 256 };

/* The distribution function inverted, exact to 2^-32: latencies by their part of 2^32, and where to begin to look. */
typedef struct sl_latency {
    uint32_t min, steps;
    uint32_t *up_to;                   /* [steps]: a draw up to this takes no more than so many steps; NULL: no sigma */
    uint32_t guide[SL_LATENCY_GUIDES]; /* by the draw's upper bits */
} sl_latency;

/* False: memory ran out. */
bool sl_latency_init(sl_latency *l, uint32_t min, uint32_t sigma);
void sl_latency_fini(sl_latency *l);

static inline uint64_t sl_latency_longest(const sl_latency *l)
{
    return (uint64_t)l->min + l->steps;
}

/* Inlined: it is drawn at every miss. */
static inline uint64_t sl_latency_draw(const sl_latency *l, sl_random *random)
{
    if (!l->up_to)
        return l->min;
    uint32_t draw = (uint32_t)(sl_random_u64(random) >> 32), steps = l->guide[draw / (1u << 24)];
    while (draw > l->up_to[steps])
        steps++;
    return (uint64_t)l->min + steps;
}

#endif
