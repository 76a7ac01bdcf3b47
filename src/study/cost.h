/* SPDX-License-Identifier: MIT */
/* About how long points take, before they run: what schedulers of many machines want to know. */
#ifndef SL_STUDY_COST_H
#define SL_STUDY_COST_H

#include "study/point.h"

/* Seconds of one core for each point, of the machine that papers/sampling measured; NAN where that is unknown: kinds
 * other than sim and model, and inputs that have not been recorded. Traces are read once. `pool` may be NULL. */
sl_status sl_points_cost(const sl_point *point, size_t count, sl_pool *pool, double *seconds, sl_error *error);

#endif
