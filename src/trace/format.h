/* SPDX-License-Identifier: MIT */
/* The file: a header, chunks, an index, a footer. docs/trace-format.md describes every byte. */
#ifndef SL_TRACE_FORMAT_H
#define SL_TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "base/arena.h"
#include "trace/bytes.h"

enum { SL_FORMAT_MAJOR = 3, SL_FORMAT_MINOR = 3, SL_FORMAT_OLDEST = 1 };
enum {
    SL_MAGIC_BYTES = 8,
    SL_HEADER_BYTES = 20, /* without the producer's line, which follows */
    SL_CHUNK_HEADER_BYTES = 48,
    SL_FOOTER_BYTES = 32,
    SL_PRODUCER_MAX = 65536,
};
extern const uint8_t sl_format_magic[SL_MAGIC_BYTES], sl_format_end_magic[SL_MAGIC_BYTES];

enum {
    SL_CHUNK_MAGIC = 0x48434c53, /* "SLCH" */
    SL_CHUNK_TARGET = 1 << 20,   /* a chunk is closed when it has this many raw bytes */
    SL_CHUNK_MAX = 1 << 28,      /* no chunk has more */
};

typedef enum sl_chunk_kind {
    SL_CHUNK_KERNEL = 'K', /* the static table of one kernel */
    SL_CHUNK_RANGES = 'R', /* allocations, as one or more launches saw them */
    SL_CHUNK_BLOCKS = 'B', /* blocks of one launch */
    SL_CHUNK_INDEX = 'I',
} sl_chunk_kind;

enum { SL_CHUNK_FIRST = 1, SL_CHUNK_LAST = 2, SL_CHUNK_FAILED = 4 }; /* flags of SL_CHUNK_BLOCKS */

typedef struct sl_chunk {
    uint8_t kind, flags;
    uint32_t number; /* of the kernel, the ranges, the launch; 0 for the index */
    uint32_t raw_bytes, packed_bytes;
    uint32_t blocks; /* whose last part is in this chunk */
    uint64_t first_block, last_block;
    uint64_t offset; /* of the chunk's header in the file; not part of it */
} sl_chunk;

void sl_chunk_store(const sl_chunk *chunk, uint8_t bytes[SL_CHUNK_HEADER_BYTES]);
/* False when the bytes are no chunk header, or a damaged one. */
bool sl_chunk_load(const uint8_t bytes[SL_CHUNK_HEADER_BYTES], sl_chunk *chunk);

/* The parts of a SL_CHUNK_BLOCKS, each kind of byte with its like: zstd finds more that way. Their lengths stand at the
 * start of the raw bytes. */
enum {
    SL_SECTION_LAUNCH, /* the launch, in its first chunk; else empty */
    SL_SECTION_SHAPE,  /* block and warp numbers and the lengths of their streams */
    SL_SECTION_CONTROL,
    SL_SECTION_MEMORY, /* without anchors */
    SL_SECTION_SLOTS,  /* of anchors */
    SL_SECTION_BASES,  /* of anchors, less what was predicted */
    SL_SECTIONS,
};

/* Static tables. The put functions return false when memory runs out. The get functions check every value (a kernel
 * that comes back is safe to use with any stream), allocate in `arena`, and mark `r` bad on damage. */
bool sl_write_kernel(sl_bytes *out, const sl_trace_kernel *kernel);
sl_trace_kernel *sl_read_kernel(sl_reading *r, sl_arena *arena);
bool sl_write_launch(sl_bytes *out, const sl_trace_launch *launch, uint32_t ranges_plus_one);
void sl_read_launch(sl_reading *r, sl_trace_launch *launch, uint32_t *ranges_plus_one);
/* What version 1.2 added; nothing more to read: the launch has no preference. */
bool sl_write_preference(sl_bytes *out, const sl_trace_launch *launch);
void sl_read_preference(sl_reading *r, sl_trace_launch *launch);
/* What version 2.0 added; nothing more to read: there are no clusters, and the host launched it. */
bool sl_write_additions(sl_bytes *out, const sl_trace_launch *launch);
void sl_read_additions(sl_reading *r, sl_trace_launch *launch);
/* What version 3.0 added: 1 + the number of the launch whose blocks this one has, 0 if they are its own, which is also
 * what nothing more to read means. Numbers are lower than `number`, of the launch itself. */
uint32_t sl_read_original(sl_reading *r, uint32_t number);
/* What version 3.2 added: the labels of a launch; nothing more to read: it has none. */
bool sl_write_labels(sl_bytes *out, const sl_trace_launch *launch);
void sl_read_labels(sl_reading *r, sl_arena *arena, sl_trace_launch *launch);
/* A string with its length, or NULL, in `arena`. */
char *sl_read_string(sl_reading *r, sl_arena *arena);
bool sl_write_ranges(sl_bytes *out, const sl_trace_range *range, size_t count);
sl_trace_range *sl_read_ranges(sl_reading *r, sl_arena *arena, size_t *count);

/* Checks what writers are given and readers find: what is wrong, or NULL. */
const char *sl_kernel_wrong(const sl_trace_kernel *kernel);
const char *sl_launch_wrong(const sl_trace_launch *launch);

/* ---- writing ---- */

/* In the place of a level of zstd: the file is read at once and then gone. Its first GiB is not compressed. */
enum { SL_LEVEL_TEMPORARY = 1000 };

/* The trace must survive a power cut (sl_new_file_keep). */
void sl_trace_writer_set_durable(sl_trace_writer *writer);
/* Chunks are compressed and written by a thread from now on. Not where the process may fork: the child lacks it. */
void sl_trace_writer_start_thread(sl_trace_writer *writer);
uint64_t sl_trace_writer_thread_ns(const sl_trace_writer *writer); /* its CPU time */

/* The CRC of PNG, gzip and Ethernet, by zlib. */

static inline uint32_t sl_crc32(const uint8_t *bytes, size_t count)
{
    return (uint32_t)crc32_z(0, bytes, count);
}

#endif
