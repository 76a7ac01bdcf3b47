/* SPDX-License-Identifier: MIT */
/* Runs work that may end the process in a child: LLVM's back ends exit on code that they cannot compile. */
#ifndef SL_TUNE_REWRITE_ISOLATE_H
#define SL_TUNE_REWRITE_ISOLATE_H

#include <stddef.h>

#include "sluice/error.h"

/* Sets *data to malloc'ed bytes; its other side effects are lost with the child. */
typedef sl_status (*sl_isolated_work)(void *context, char **data, size_t *bytes, sl_error *error);

/* As if `work` were called here. Where it does not return, SL_UNSUPPORTED with `what` ("LLVM") and its last output. */
sl_status sl_isolate(const char *what, sl_isolated_work work, void *context, char **data, size_t *bytes,
                     sl_error *error);

#endif
