/* SPDX-License-Identifier: MIT */
/* A pool of threads that runs numbered jobs.
 *
 * The outcome never depends on timing: jobs are handed out in ascending order, and when some fail, the failure with the
 * lowest number is the one reported; jobs behind it may or may not have run. Jobs run at the same time, so no two
 * may write to the same memory. */
#ifndef SL_BASE_POOL_H
#define SL_BASE_POOL_H

#include <stddef.h>

#include "sluice/pool.h"

/* One job. `worker` is in [0, sl_pool_threads): scratch memory per worker needs no lock. */
typedef sl_status (*sl_job)(void *context, size_t index, unsigned worker, sl_error *error);

/* Runs jobs 0 … count-1 and returns when all have ended. One run at a time: not to be called from a job, nor by two
 * threads at once. `pool` NULL: all jobs run in order on the calling thread. */
sl_status sl_pool_run(sl_pool *pool, size_t count, sl_job job, void *context, sl_error *error);

/* CPU time of its threads, without the caller's. */
uint64_t sl_pool_cpu_ns(const sl_pool *pool);

#endif
