/* SPDX-License-Identifier: MIT */
/* Models the launches of a trace, one after the other. */
#ifndef SL_CLI_MODEL_LOG_H
#define SL_CLI_MODEL_LOG_H

#include "cli/trace_input.h"
#include "model/model.h"

sl_status sl_model_log(const sl_invocation *inv, const sl_machine *machine, const sl_model_options *options,
                       const sl_trace_input *input, sl_launch_log *log, sl_error *error);

#endif
