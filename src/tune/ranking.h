/* SPDX-License-Identifier: MIT */
/* A ranking: what a model expects of choices before any of them is timed. It decides the order in which they are timed,
 * and so which are left out where time or the number of timings is limited; never what is chosen. */
#ifndef SL_TUNE_RANKING_H
#define SL_TUNE_RANKING_H

#include <stdint.h>

typedef struct sl_ranking {
    const char *text; /* "by model h200", "not ranked: …" */
    /* What a choice, a mode per node of the graph, may gain at most, in percent of the time that loads wait; negative:
     * it loses. NULL: nothing is known, and the order is that of the code. */
    double (*predict)(const struct sl_ranking *ranking, const uint8_t *choice);
    const void *context; /* the model's */
} sl_ranking;

#endif
