/* SPDX-License-Identifier: MIT */
/* An open trace file, as reader.c makes it and walker.c uses it. Nothing changes after it is open, so any number of
 * threads may look at it. */
#ifndef SL_TRACE_FILE_H
#define SL_TRACE_FILE_H

#include "base/arena.h"
#include "trace/format.h"

typedef struct sl_launch_entry {
    sl_trace_launch launch;
    uint32_t number;       /* as its chunks say; lost launches cause gaps */
    uint32_t ranges;       /* table of allocations plus one */
    uint32_t original;     /* number plus one of the launch whose chunks these are; 0: they are its own */
    const sl_chunk *chunk; /* its chunks, in order */
    size_t chunks;
    uint64_t bytes; /* of its own chunks */
} sl_launch_entry;

typedef struct sl_range_table {
    const sl_trace_range *range;
    size_t count;
} sl_range_table;

struct sl_trace {
    char *path;
    int fd;         /* read by position: a file that is cut off meanwhile gives errors, not signals */
    size_t bytes;   /* when it was opened */
    sl_arena arena; /* kernels, allocations, the producer's line */
    const char *producer;
    const char *spill;                         /* see sl_trace_spill */
    uint64_t blocks;                           /* of each launch, the first ones; 0: all */
    SL_ARRAY(const sl_trace_kernel *) kernels; /* NULL where the file is damaged */
    SL_ARRAY(sl_range_table) ranges;
    SL_ARRAY(sl_chunk) chunks;
    SL_ARRAY(sl_launch_entry) launches;
    struct sl_trace_view *view; /* what changes accesses (what_if.h); NULL: nothing */
};

/* Reads bytes of the file; false where they are not there (any more). */
bool sl_trace_read(const sl_trace *trace, uint64_t offset, void *to, size_t bytes);
/* Decompresses a chunk's payload into `raw`, which is replaced. SL_CORRUPT without a text when it is damaged. */
sl_status sl_trace_unpack(const sl_trace *trace, const sl_chunk *chunk, sl_bytes *raw);

#endif
