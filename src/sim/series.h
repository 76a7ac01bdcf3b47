/* SPDX-License-Identifier: MIT */
/* Launches of a trace, one after the other, on one machine.
 *
 * Policies that need request counts of lines (sl_policy_ops.needs_counts) get them: a profiling run counts, without
 * bypassing, and each launch then sees its counts. */
#ifndef SL_SIM_SERIES_H
#define SL_SIM_SERIES_H

#include "base/pool.h"
#include "sim/sim.h"

typedef struct sl_line_counts sl_line_counts;

typedef struct sl_sim_series {
    const sl_trace *trace;
    const uint32_t *launch; /* [launches]: numbers of the trace, ascending */
    uint32_t launches;
    const sl_sim_plan *plan;       /* [launches]; NULL: none */
    sl_line_counts *const *counts; /* [launches]: of a run before; NULL: they are made where they are needed */
    const bool *wanted;            /* [launches]: those that are simulated; of others only the lines come into shared
                                      levels. NULL: all */
    bool warms_gaps;               /* so it is done for launches of the trace before and between those of the series */
    const volatile bool *stop;     /* once it is true, no other launch begins; NULL: never */
} sl_sim_series;

/* Called for each launch as it ends; `n` is its number in the series. The result is gone afterwards. */
typedef sl_status (*sl_sim_each)(void *to, const sl_sim *sim, uint32_t n, const sl_loaded *loaded,
                                 const sl_sim_result *result, sl_error *error);

/* `pool` (may be NULL) reads launches. `each` may be NULL. `state`: where not NULL, gets the text of sl_sim_state_text
 * after a launch that made no progress, to be freed, and NULL otherwise. Parameters that were given as "best" have to
 * be found before (sl_sim_search_run). */
sl_status sl_sim_series_run(const sl_sim_series *series, const sl_machine *machine, const sl_sim_options *options,
                            sl_pool *pool, sl_sim_each each, void *to, char **state, sl_error *error);

/* Whether the machine's policies need counts; SL_UNSUPPORTED where they are at a level that has none. */
sl_status sl_sim_needs_counts(const sl_machine *machine, bool *needed, sl_error *error);
/* The profiling run: [launches], to be freed by sl_sim_series_free_counts. */
sl_status sl_sim_series_count(const sl_sim_series *series, const sl_machine *machine, const sl_sim_options *options,
                              sl_pool *pool, sl_line_counts ***counts, char **state, sl_error *error);
void sl_sim_series_free_counts(const sl_sim_series *series, sl_line_counts **counts); /* NULL is fine */

/* ---- parameters given as "best" (search.c) ----
 *
 * Every value that the policy lists is simulated; those with the fewest cycles over all launches win, the first of
 * equals. */

enum { SL_MAX_SEARCHED = 4, SL_MAX_TRIES = 4096 };

typedef struct sl_sim_searched {
    uint32_t level;
    bool bypass; /* a parameter of the policy that bypasses; false: of the one that replaces */
    const sl_policy_ops *ops;
    uint32_t param; /* of ops->params */
} sl_sim_searched;

typedef struct sl_sim_try {
    uint64_t value[SL_MAX_SEARCHED]; /* as the parameters */
    uint64_t cycles;
} sl_sim_try;

typedef struct sl_sim_search {
    uint32_t params; /* 0: nothing was to be found */
    sl_sim_searched param[SL_MAX_SEARCHED];
    size_t tries;
    sl_sim_try *tried;
    size_t chosen; /* of the tries */
} sl_sim_search;

/* Puts the values it finds into the machine's policies. Tries run in parallel on the pool (NULL: one after the other);
 * the outcome does not depend on that. The caller frees the search by sl_sim_search_fini, also after a failure. */
sl_status sl_sim_search_run(const sl_sim_series *series, sl_machine *machine, const sl_sim_options *options,
                            sl_pool *pool, sl_sim_search *search, sl_error *error);
void sl_sim_search_fini(sl_sim_search *search);

#endif
