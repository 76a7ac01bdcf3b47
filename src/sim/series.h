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
} sl_sim_series;

/* Called for each launch as it ends; `n` is its number in the series. The result is gone afterwards. */
typedef sl_status (*sl_sim_each)(void *to, const sl_sim *sim, uint32_t n, const sl_loaded *loaded,
                                 const sl_sim_result *result, sl_error *error);

/* `pool` (may be NULL) reads launches. `each` may be NULL. `state`: where not NULL, gets the text of sl_sim_state_text
 * after a launch that made no progress, to be freed, and NULL otherwise. Parameters that were given as "best" have to
 * be found before (search.h). */
sl_status sl_sim_series_run(const sl_sim_series *series, const sl_machine *machine, const sl_sim_options *options,
                            sl_pool *pool, sl_sim_each each, void *to, char **state, sl_error *error);

/* Whether the machine's policies need counts; SL_UNSUPPORTED where they are at a level that has none. */
sl_status sl_sim_needs_counts(const sl_machine *machine, bool *needed, sl_error *error);
/* The profiling run: [launches], to be freed by sl_sim_series_free_counts. */
sl_status sl_sim_series_count(const sl_sim_series *series, const sl_machine *machine, const sl_sim_options *options,
                              sl_pool *pool, sl_line_counts ***counts, char **state, sl_error *error);
void sl_sim_series_free_counts(const sl_sim_series *series, sl_line_counts **counts); /* NULL is fine */

#endif
