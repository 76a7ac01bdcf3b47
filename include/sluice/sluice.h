/* SPDX-License-Identifier: MIT */
/* Everything that libsluice offers to programs: `pkg-config --cflags --libs sluice`.
 *
 *   error.h     a status to branch on, a sentence to show
 *   trace.h     what warps executed and accessed: writing, reading, walking
 *   profile.h   reuse, from a trace alone
 *   analysis.h  programs, PTX or traces in, numbers out: count, profile, model, simulate, tune
 *   machine.h   GPUs as descriptions
 *   model.h     what a trace does to the caches of a machine
 *   sim.h       the same cycle by cycle
 *   policy.h    the interface of cache policies, for custom policies
 *   tune.h      which loads and stores should bypass which caches
 *   counters.h  results in numbers, by name
 *
 * The library never prints, exits, reads the environment or keeps global state: several threads may use it at once,
 * each with its own objects. What a function points to belongs to the object it was asked of, unless it says otherwise.
 * Strings are UTF-8. Versions that share the first two numbers share the binary interface. */
#ifndef SLUICE_SLUICE_H
#define SLUICE_SLUICE_H

#include "sluice/analysis.h"
#include "sluice/arena.h"
#include "sluice/counters.h"
#include "sluice/error.h"
#include "sluice/machine.h"
#include "sluice/model.h"
#include "sluice/policy.h"
#include "sluice/pool.h"
#include "sluice/profile.h"
#include "sluice/progress.h"
#include "sluice/sim.h"
#include "sluice/trace.h"
#include "sluice/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of these headers: SLUICE_VERSION_NUMBER >= 200 in programs that need 0.2.0. */
#define SLUICE_VERSION_NUMBER 200 /* 10000 * major + 100 * minor + patch */

/* "0.2.0": of the library that runs. */
SL_API const char *sl_version(void);

#ifdef __cplusplus
}
#endif

#endif
