/* SPDX-License-Identifier: MIT */
/* Models the launches of a trace, one after the other. */
#ifndef SL_CLI_MODEL_LOG_H
#define SL_CLI_MODEL_LOG_H

#include "cli/input.h"
#include "model/model.h"
#include "report/launches.h"

sl_status sl_model_log(const sl_invocation *inv, const sl_machine *machine, const sl_model_options *options,
                       const sl_recording *recording, sl_launch_log *log, sl_error *error);

#endif
