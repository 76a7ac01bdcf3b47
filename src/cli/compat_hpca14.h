/* SPDX-License-Identifier: MIT */
/* sluice model --compat hpca14: the authors' program of the reuse-distance paper. */
#ifndef SL_CLI_COMPAT_HPCA14_H
#define SL_CLI_COMPAT_HPCA14_H

#include "cli/command.h"

/* Returns the exit code. Options of the model that were given are errors: this one has none. */
int sl_run_compat_hpca14(const sl_invocation *inv);

#endif
