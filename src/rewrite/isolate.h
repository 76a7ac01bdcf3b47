/* SPDX-License-Identifier: MIT */
/* Work that may end the process, done in a child: what LLVM's back ends do on code that they cannot compile. */
#ifndef SL_REWRITE_APART_H
#define SL_REWRITE_APART_H

#include <stddef.h>

#include "sluice/error.h"

/* Leaves malloc'ed bytes in *data; whatever else it changes is lost with the child. */
typedef sl_status (*sl_isolated_work)(void *context, char **data, size_t *bytes, sl_error *error);

/* As if `work` were called here. Where it does not return, SL_UNSUPPORTED with `what` ("LLVM") and its last words. */
sl_status sl_isolate(const char *what, sl_isolated_work work, void *context, char **data, size_t *bytes,
                     sl_error *error);

#endif
