/* SPDX-License-Identifier: MIT */
/* The file that a trace is written to: compresses chunks and writes them in the order in which they come, on a thread
 * of its own where that is wanted. One chunk waits at most. The bytes are the same either way. */
#ifndef SL_TRACE_PACK_H
#define SL_TRACE_PACK_H

#include "trace/format.h"

typedef struct sl_packer sl_packer;

/* `zstd_level`: 0: the default; or SL_LEVEL_TEMPORARY. */
sl_status sl_packer_create(const char *path, int zstd_level, sl_packer **packer, sl_error *error);
/* Discards a file that was not kept. NULL is fine. */
void sl_packer_destroy(sl_packer *packer);
void sl_packer_set_durable(sl_packer *packer);
/* Chunks that are added from now on are packed by a thread, if one can be had. */
void sl_packer_start_thread(sl_packer *packer);
/* Bytes that are no chunk, behind all that was added. */
sl_status sl_packer_write(sl_packer *packer, const uint8_t *data, size_t count, sl_error *error);
/* Takes the bytes of `raw`, which has others when it returns. May report the failure of an earlier chunk. */
sl_status sl_packer_add(sl_packer *packer, sl_bytes *raw, sl_chunk chunk, sl_error *error);
/* Waits until all that was added is written: what the functions below tell is of that. */
sl_status sl_packer_wait(sl_packer *packer, sl_error *error);
uint64_t sl_packer_offset(const sl_packer *packer); /* bytes that were written */
size_t sl_packer_chunks(const sl_packer *packer, const sl_chunk **chunk);
/* The file appears under its name. */
sl_status sl_packer_keep(sl_packer *packer, sl_error *error);
/* CPU time of the thread. */
uint64_t sl_packer_cpu_ns(const sl_packer *packer);

#endif
