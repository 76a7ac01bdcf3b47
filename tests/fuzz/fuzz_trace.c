/* SPDX-License-Identifier: MIT */
/* Trace files: any bytes open or give an error, and whatever opens can be walked, decoded and counted.
 *
 * The first byte chooses. 0: the rest is a file. Otherwise the rest describes chunks (kind, flags, number, two bytes of
 * length, payload), and a file with right checksums is made of them, because random bytes never get past these. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "trace/codec.h"
#include "trace/count.h"
#include "trace/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static bool put_chunk(sl_bytes *file, sl_chunk chunk, const uint8_t *payload, size_t length)
{
    uint8_t header[SL_CHUNK_HEADER_BYTES];
    size_t bound = ZSTD_compressBound(length), at = file->count;
    if (!sl_bytes_room(file, sizeof header + bound))
        return false;
    size_t packed = ZSTD_compress(file->data + at + sizeof header, bound, payload, length, 1);
    if (ZSTD_isError(packed))
        return false;
    chunk.raw_bytes = (uint32_t)length;
    chunk.packed_bytes = (uint32_t)packed;
    sl_chunk_store(&chunk, header);
    memcpy(file->data + at, header, sizeof header);
    file->count += sizeof header + packed;
    return true;
}

static bool make_file(sl_bytes *file, const uint8_t *data, size_t bytes)
{
    uint8_t header[SL_HEADER_BYTES] = {0};
    memcpy(header, sl_format_magic, SL_MAGIC_BYTES);
    header[8] = SL_FORMAT_MAJOR;
    sl_store32(header + 16, sl_crc32(header, 16));
    bool good = sl_bytes_append(file, header, sizeof header);
    uint64_t last = file->count;
    while (good && bytes >= 5) {
        sl_chunk chunk = {.kind = data[0], .flags = data[1], .number = data[2], .blocks = 1, .last_block = 255};
        size_t length = data[3] | (size_t)data[4] << 8;
        length = length < bytes - 5 ? length : bytes - 5;
        last = file->count;
        good = put_chunk(file, chunk, data + 5, length);
        data += 5 + length;
        bytes -= 5 + length;
    }
    uint8_t footer[SL_FOOTER_BYTES] = {0}; /* the last chunk is the index if it can be read as one */
    sl_store64(footer, last);
    sl_store64(footer + 8, file->count + sizeof footer);
    sl_store32(footer + 20, sl_crc32(footer, 20));
    memcpy(footer + 24, sl_format_end_magic, SL_MAGIC_BYTES);
    return good && sl_bytes_append(file, footer, sizeof footer);
}

enum { MAX_STEPS = 2000 };

static void decode(const sl_trace_kernel *kernel, uint32_t lanes, const sl_block_view *view)
{
    sl_predictor *scratch = calloc(kernel->mem_slots ? kernel->mem_slots : 1, sizeof *scratch);
    for (uint32_t w = 0; w < view->warps && scratch; w++) {
        sl_warp_cursor cursor;
        bool more = true;
        sl_warp_cursor_init(&cursor, kernel, lanes, &view->warp[w], scratch);
        for (int i = 0; i < MAX_STEPS && more; i++) {
            if (sl_warp_cursor_step(&cursor, &more, NULL))
                break;
            bool accesses = more;
            while (accesses && !sl_warp_cursor_access(&cursor, &accesses, NULL) && accesses)
                sl_access_expand(&cursor.access, lanes);
        }
    }
    free(scratch);
}

static void read_rows(const sl_trace *trace, uint32_t launch)
{
    static uint64_t addr[16 * SL_MAX_LANES];
    sl_access_rows rows = {.capacity = 16, .addr = addr};
    sl_access_reader *reader;
    if (sl_access_reader_create(trace, launch, 0, UINT64_MAX, NULL, 0, &reader, NULL))
        return;
    for (int i = 0; i < 64 && (sl_access_reader_next(reader, &rows, NULL) || rows.count); i++)
        ;
    sl_access_reader_destroy(reader);
}

static void walk(const sl_trace *trace)
{
    for (uint32_t n = 0; n < sl_trace_launches(trace) && n < 4; n++) {
        const sl_trace_launch *launch = sl_trace_launch_at(trace, n);
        const sl_trace_kernel *kernel = sl_trace_kernel_at(trace, launch->kernel);
        const sl_trace_range *range;
        sl_trace_ranges(trace, n, &range);
        sl_block_walker *walker;
        sl_block_view view;
        bool more;
        if (sl_block_walker_create(trace, n, 0, UINT64_MAX, &walker, NULL))
            continue;
        for (int i = 0; i < 64; i++) {
            sl_status status = sl_block_walker_next(walker, &view, &more, NULL);
            if (!status && !more)
                break;
            if (!status)
                decode(kernel, launch->lanes, &view);
        }
        sl_block_walker_destroy(walker);
        read_rows(trace, n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    sl_bytes file = {0};
    if (!bytes)
        return 0;
    bool good = data[0] ? make_file(&file, data + 1, bytes - 1) : sl_bytes_append(&file, data + 1, bytes - 1);
    int fd = memfd_create("trace", MFD_CLOEXEC);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    sl_trace *trace;
    sl_error damage, error;
    if (good && fd >= 0 && write(fd, file.data, file.count) == (ssize_t)file.count &&
        !sl_trace_open(path, &trace, &damage, &error)) {
        walk(trace);
        sl_trace_close(trace);
    }
    if (fd >= 0)
        close(fd);
    sl_bytes_free(&file);
    return 0;
}
