/* SPDX-License-Identifier: MIT */
/* Finds parameters of policies that were given as "best": simulates every value that the policy lists and takes those
 * with the lowest number of cycles over all launches; the first of equals. */
#ifndef SL_SIM_SEARCH_H
#define SL_SIM_SEARCH_H

#include "sim/series.h"

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
