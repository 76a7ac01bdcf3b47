/* SPDX-License-Identifier: MIT */
/* Models the launches of a trace into a launch log. */
#ifndef SL_REPORT_MODEL_LOG_H
#define SL_REPORT_MODEL_LOG_H

#include "model/model.h"
#include "report/launches.h"
#include "recording/recording.h"

/* `pool` and `progress` may be NULL. */
sl_status sl_model_log(const sl_recording *recording, const sl_machine *machine, const sl_model_options *options,
                       sl_pool *pool, const sl_progress *progress, sl_launch_log *log, sl_error *error);

#endif
