/* SPDX-License-Identifier: MIT */
/* Gathers the encoded warps of a block and hands them to a sink in parts of bounded size. */
#ifndef SL_TRACE_IMPORT_PARTS_H
#define SL_TRACE_IMPORT_PARTS_H

#include "trace/bytes.h"
#include "trace/sink.h"

enum { SL_PART_BYTES = 1 << 21 }; /* a part is handed over when it is this large */

typedef struct sl_import_parts {
    const sl_launch_sink *sink;
    uint64_t block;
    uint32_t part;
    sl_bytes bytes;               /* streams, one after the other */
    SL_ARRAY(sl_warp_view) views; /* pointers are set when they are handed over */
} sl_import_parts;

void sl_import_parts_fini(sl_import_parts *parts);
/* Ends the stream and takes what it holds as more of `warp`. */
sl_status sl_import_parts_add(sl_import_parts *parts, uint32_t warp, sl_warp_stream *stream, sl_error *error);
/* Hands over what there is; `last`: the block is complete. */
sl_status sl_import_parts_flush(sl_import_parts *parts, bool last, sl_error *error);

#endif
