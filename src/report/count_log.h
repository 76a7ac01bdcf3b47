/* SPDX-License-Identifier: MIT */
/* Counts the launches of a trace into a launch log. */
#ifndef SL_REPORT_COUNT_LOG_H
#define SL_REPORT_COUNT_LOG_H

#include "base/pool.h"
#include "report/launches.h"
#include "recording/recording.h"

/* Adds launch `n` of the trace; with `count` what it executed and accessed. `pool` may be NULL. What cannot be read is
 * skipped and reported in *damage, which is unchanged otherwise. */
sl_status sl_count_log_add(sl_launch_log *log, const sl_trace *trace, uint32_t n, bool count, sl_pool *pool,
                           sl_error *damage, sl_error *error);
/* Adds all launches of a recording, counted. */
sl_status sl_count_log(const sl_recording *recording, sl_pool *pool, sl_launch_log *log, sl_error *error);

#endif
