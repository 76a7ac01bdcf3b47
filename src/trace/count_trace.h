/* SPDX-License-Identifier: MIT */
/* Counts launches of a trace file, several blocks at once. */
#ifndef SL_TRACE_COUNT_TRACE_H
#define SL_TRACE_COUNT_TRACE_H

#include "base/pool.h"
#include "trace/count.h"

/* Counts one launch; the caller destroys *counter. `pool` may be NULL. The result is the same for any number of
 * threads. Blocks that cannot be read are skipped and reported in *damage, whose status is SL_OK when there were
 * none. */
sl_status sl_trace_count_launch(const sl_trace *trace, uint32_t launch, const sl_count_options *options, sl_pool *pool,
                                sl_launch_counter **counter, sl_error *damage, sl_error *error);

#endif
