/* SPDX-License-Identifier: MIT */
/* Threads for work that can be shared. Results never depend on how many there are. */
#ifndef SLUICE_POOL_H
#define SLUICE_POOL_H

#include "sluice/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sl_pool sl_pool;

/* `threads` 0: as many as the process may use cores. The thread that calls into the library is one of them. Where the
 * system refuses threads the pool has fewer. One piece of work at a time: two threads do not use a pool at once. */
SL_API sl_status sl_pool_create(unsigned threads, sl_pool **pool, sl_error *error);
SL_API void sl_pool_destroy(sl_pool *pool); /* NULL is fine */
SL_API unsigned sl_pool_threads(const sl_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
