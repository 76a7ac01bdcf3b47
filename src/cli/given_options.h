/* SPDX-License-Identifier: MIT */
/* How a report was made: its input, its GPU and the options that were given. */
#ifndef SL_CLI_GIVEN_OPTIONS_H
#define SL_CLI_GIVEN_OPTIONS_H

#include "base/arena.h"
#include "cli/command.h"
#include "report/launches.h"

/* Sets the options of `info`: the facts (which are borrowed), then the options that were given; those of sl_common
 * concern only the output and are omitted. Also its heading: the subject on the GPU, with what was changed. */
sl_status sl_given_options(const sl_invocation *inv, const sl_report_option *fact, size_t facts, const char *subject,
                           const char *gpu, sl_arena *arena, sl_report_info *info, sl_error *error);

bool sl_was_given(const sl_invocation *inv, const char *name);

#endif
