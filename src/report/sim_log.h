/* SPDX-License-Identifier: MIT */
/* Simulates the launches of a trace into a launch log. */
#ifndef SL_REPORT_SIM_LOG_H
#define SL_REPORT_SIM_LOG_H

#include "report/launches.h"
#include "sim/series.h"
#include "study/recording.h"

/* Values that the machine's policies have as "best" are searched for and put into it. `pool` and `progress` may be
 * NULL. */
sl_status sl_sim_log(const sl_recording *recording, sl_machine *machine, uint64_t seed, sl_pool *pool,
                     const sl_progress *progress, sl_launch_log *log, sl_error *error);

#endif
