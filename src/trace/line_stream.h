/* SPDX-License-Identifier: MIT */
/* The lines that a launch accesses, one after the other and without time: what caches behind the first need to hold
 * after a launch what they would hold if it had been analyzed. Blocks come in the order of the trace, and of each the
 * warps in order; what has just been accessed is left out, as a first level would. */
#ifndef SL_TRACE_LINE_STREAM_H
#define SL_TRACE_LINE_STREAM_H

#include "machine/machine.h"
#include "sluice/trace.h"

/* Some sectors of a line, accessed by a core, or in place of it by another of its partition. */
typedef struct sl_line_access {
    uint64_t line;
    uint32_t core, sectors;
    uint32_t whole, words; /* of stores: sectors that are written as a whole, and words of other sectors */
    sl_mem_access kind;    /* SL_ACCESS_LOAD, _STORE or _ATOMIC */
} sl_line_access;

typedef struct sl_line_stream {
    const sl_machine *machine;
    uint32_t line_bytes, sector_bytes;
    bool (*access)(void *to, const sl_line_access *access); /* false: memory ran out */
    void *to;
} sl_line_stream;

/* Reads launch number `launch` of the trace once. */
sl_status sl_line_stream_run(const sl_line_stream *stream, const sl_trace *trace, uint32_t launch, sl_error *error);

#endif
