/* SPDX-License-Identifier: MIT */
/* One kernel tuned: loads chosen, the whole plan timed against the original, the original kept where that is not
 * faster; and the result as part of a plan. */
#ifndef SL_TUNE_TUNE_H
#define SL_TUNE_TUNE_H

#include "tune/plan.h"
#include "tune/select.h"

typedef struct sl_tuned {
    uint8_t *mode;    /* [loads], in the arena of the tuner, as everything here */
    const char **why; /* [loads]; NULL: nothing to say */
    sl_timing timing; /* of the whole plan, memory compared; all zero when nothing was chosen */
    uint32_t chosen;  /* loads that bypass */
    const char *verdict;
} sl_tuned;

/* Chooses by `selector` and times what it chose. The first selector of the table, the default, gives up its plan when
 * the final timing does not show it to be faster; others keep theirs, whatever it costs. */
sl_status sl_tune(sl_tuner *tuner, const sl_selector *selector, sl_tuned *tuned, sl_error *error);

/* Adds the kernel and its loads to the plan; strings are copied. */
sl_status sl_plan_add(sl_plan *plan, const sl_tuner *tuner, const char *kernel, const sl_tuned *tuned, sl_error *error);

#endif
