/* SPDX-License-Identifier: MIT */
/* Programs that do not outlive Sluice, nor do the processes that they start.
 *
 *   Sluice ── guard ── program ── its children
 *
 * PR_SET_PDEATHSIG reaches only children, and a process group is left by whoever wants to. So the guard, a copy of this
 * process, stands in between: it adopts the orphans among the program's descendants (PR_SET_CHILD_SUBREAPER) and holds
 * one end of a pipe that closes when Sluice ends, in whatever way. Then it kills its children until there are none.
 *
 * A program that ends by itself may leave processes behind, as it may when a shell starts it. */
#ifndef SL_LAUNCH_GUARD_H
#define SL_LAUNCH_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#include "sluice/error.h"

typedef struct sl_guard {
    pid_t guard, program;
    int life;   /* closed when Sluice ends */
    int report; /* what the guard says */
} sl_guard;

/* Runs in the new process, with the signals as they are here; does not return unless it fails: then errno says why. */
typedef void sl_guarded(void *context);

sl_status sl_guard_start(sl_guard *guard, sl_guarded *program, void *context, sl_error *error);
/* Waits for the end of the program. *reason: the errno with which it failed to start; 0: it started. On failure there
 * is nothing to end. */
sl_status sl_guard_wait(sl_guard *guard, int *status, int *reason, sl_error *error);
/* Ends the guard; `kill_rest`: and what the program left. */
void sl_guard_end(sl_guard *guard, bool kill_rest);

#endif
