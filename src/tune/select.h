/* SPDX-License-Identifier: MIT */
/* Selection strategies: which loads bypass which levels, from affinities (Mpache, section 3.3) or timings of plans.
 *
 * A strategy is a function and a line in selectors.def. It asks the tuner for the timings it needs, as many at a time
 * as it can, and sets a mode for each load. */
#ifndef SL_TUNE_SELECT_H
#define SL_TUNE_SELECT_H

#include "tune/tuner.h"

typedef struct sl_selector {
    const char *name;    /* of --select */
    const char *summary; /* one line */
    /* mode[loads] comes zeroed; why[loads] may be set to strings that live as long as the tuner. */
    sl_status (*select)(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error);
} sl_selector;

/* The functions behind selectors.def. */
#define X(function, name, summary)                                                                                     \
    sl_status sl_select_##function(sl_tuner *tuner, uint8_t *mode, const char **why, sl_error *error);
#include "tune/selectors.def"
#undef X

extern const sl_selector sl_selectors[]; /* ends with a NULL name; the first is the default */
/* Whether the original is kept where the plan is not faster: so it is with the default strategy. Others are studied,
 * and keep their plans, whatever they cost. */
bool sl_selector_reverts(const sl_selector *selector);
sl_status sl_selector_find(const char *name, const sl_selector **selector, sl_error *error);

/* Algorithm 1 of the paper on affinities in percent, without a timer. */
typedef struct sl_affinities {
    const double (*load)[SL_BYPASS_MODES];  /* A(v, m); NaN: the load cannot take the mode */
    const double (*group)[SL_BYPASS_MODES]; /* A(g, m); of a group of one it is not looked at */
} sl_affinities;
typedef struct sl_mpache_rules {
    unsigned modes;          /* how many of `mode` are tried, in order; of equals the first wins */
    uint8_t mode[3];         /* sl_bypass */
    double thresh1, thresh2; /* percent per static load */
    double weight;
} sl_mpache_rules;
/* Sets `why` (may be NULL; strings in `arena`) to the reasons. */
sl_status sl_mpache_select(const sl_load_graph *graph, const sl_affinities *affinities, const sl_mpache_rules *rules,
                           uint8_t *mode, const char **why, sl_arena *arena, sl_error *error);

#endif
