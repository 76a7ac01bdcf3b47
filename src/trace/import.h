/* SPDX-License-Identifier: MIT */
/* Traces of other programs, replayed as if their launches happened now: whoever listens (a recorder that counts or
 * writes) sees them like launches of the emulator. Memory is bounded by the static instructions of a kernel and the
 * encoded form of a block, not by the length of the trace. */
#ifndef SL_TRACE_IMPORT_H
#define SL_TRACE_IMPORT_H

#include "base/progress.h"
#include "trace/bytes.h"
#include "trace/sink.h"

typedef enum sl_trace_format {
    SL_FORMAT_UNKNOWN,
    SL_FORMAT_SLUICE,
    SL_FORMAT_ACCELSIM, /* kernelslist.g, a folder that holds one, or a single kernel-N.traceg, plain or xz */
    SL_FORMAT_THREADS,  /* "blocksize: X Y Z", then "tid dir addr bytes" */
} sl_trace_format;

/* What a file is, by its first bytes. SL_IO when it cannot be read; SL_FORMAT_UNKNOWN is no failure. */
sl_status sl_trace_detect(const char *path, sl_trace_format *format, sl_error *error);

/* The name of a format for reports: "accel-sim". */
const char *sl_trace_format_name(sl_trace_format format);

/* Replays a foreign trace, whichever it is. SL_INVALID for a file that is none, or one of ours. */
sl_status sl_import(const char *path, const sl_launch_sink *sink, const sl_progress *progress, sl_error *error);

/* Each fails with file and line where the text does not say what it should. `progress` may be NULL. */
sl_status sl_import_accelsim(const char *path, const sl_launch_sink *sink, const sl_progress *progress,
                             sl_error *error);
sl_status sl_import_threads(const char *path, const sl_launch_sink *sink, const sl_progress *progress, sl_error *error);

/* Gathers the encoded warps of a block and hands them to a sink in parts of bounded size. */

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
