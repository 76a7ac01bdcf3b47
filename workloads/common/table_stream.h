/* SPDX-License-Identifier: MIT */
/* What the two mixes of a table and a stream have in common: their inputs and their launch. */
#ifndef SL_WORKLOADS_TABLE_STREAM_H
#define SL_WORKLOADS_TABLE_STREAM_H

#include "workloads/workload.h"

typedef struct sl_table_stream {
    uint32_t threads, steps;
    uint32_t rows; /* of the table; a random number * rows >> 32 is one of them */
    uint32_t *table, *stream, *out;
    uint32_t *expected; /* [threads], for the caller to fill */
} sl_table_stream;

/* Parameters: table (KB), blocks, threads (of a block, a multiple of 32), steps. Runs the kernel
 * "table_stream" and brings its output back. */
sl_table_stream sl_table_stream_start(sl_host *h, uint32_t row_words);

#endif
