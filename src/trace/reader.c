/* SPDX-License-Identifier: MIT */
/* Opening trace files: by the index at the end or, where that is gone, by looking at chunk after chunk. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "trace/file.h"

sl_status sl_trace_unpack(const sl_trace *t, const sl_chunk *chunk, sl_bytes *raw)
{
    const uint8_t *payload = t->map + chunk->offset + SL_CHUNK_HEADER_BYTES;
    raw->count = 0;
    if (ZSTD_getFrameContentSize(payload, chunk->packed_bytes) != chunk->raw_bytes)
        return SL_CORRUPT;
    if (!sl_bytes_room(raw, chunk->raw_bytes + 1))
        return SL_NO_MEMORY;
    size_t got = ZSTD_decompress(raw->data, chunk->raw_bytes, payload, chunk->packed_bytes);
    if (ZSTD_isError(got) || got != chunk->raw_bytes)
        return SL_CORRUPT;
    raw->count = got;
    return SL_OK;
}

/* ---- mapping and the header ---- */

static sl_status map_file(sl_trace *t, sl_error *error)
{
    struct stat info;
    int fd = open(t->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return sl_fail_io(error, "open", t->path);
    sl_status status = SL_OK;
    if (fstat(fd, &info)) {
        status = sl_fail_io(error, "read", t->path);
    } else if (!S_ISREG(info.st_mode) || info.st_size < SL_HEADER_BYTES) {
        status = sl_fail_at(error, SL_INVALID, t->path, 0, 0, "this is not a Sluice trace");
    } else {
        void *map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED)
            status = sl_fail_io(error, "map", t->path);
        else
            t->map = map;
        t->bytes = (size_t)info.st_size;
    }
    close(fd);
    return status;
}

/* *after: where the chunks begin. */
static sl_status read_header(sl_trace *t, size_t *after, sl_error *error)
{
    if (memcmp(t->map, sl_format_magic, SL_MAGIC_BYTES) != 0)
        return sl_fail_at(error, SL_INVALID, t->path, 0, 0, "this is not a Sluice trace");
    unsigned major = t->map[8] | t->map[9] << 8, minor = t->map[10] | t->map[11] << 8;
    if (major != SL_FORMAT_MAJOR)
        return sl_fail_at(error, SL_UNSUPPORTED, t->path, 0, 0,
                          "the trace has format version %u.%u; this program reads versions %u.x", major, minor,
                          SL_FORMAT_MAJOR);
    uint32_t length = sl_load32(t->map + 12);
    sl_bytes covered = {0};
    bool whole = length <= SL_PRODUCER_MOST && length <= t->bytes - SL_HEADER_BYTES;
    if (whole &&
        (!sl_bytes_append(&covered, t->map, 16) || !sl_bytes_append(&covered, t->map + SL_HEADER_BYTES, length))) {
        sl_bytes_free(&covered);
        return sl_fail_memory(error);
    }
    whole = whole && sl_load32(t->map + 16) == sl_crc32(covered.data, covered.count);
    sl_bytes_free(&covered);
    if (!whole)
        return sl_fail_at(error, SL_CORRUPT, t->path, 0, 0, "the header of the trace is damaged");
    t->producer = sl_arena_strndup(&t->arena, (const char *)t->map + SL_HEADER_BYTES, length);
    *after = SL_HEADER_BYTES + length;
    return t->producer ? SL_OK : sl_fail_memory(error);
}

/* ---- the index ---- */

static bool chunk_fits(const sl_trace *t, const sl_chunk *c)
{
    return c->offset <= t->bytes && t->bytes - c->offset >= SL_CHUNK_HEADER_BYTES + (uint64_t)c->packed_bytes;
}

static void read_index_chunks(sl_trace *t, sl_reading *r)
{
    uint64_t count = sl_read_upto(r, sl_reading_left(r) / 9), expected = 0;
    for (uint64_t i = 0; i < count && !r->bad; i++) {
        sl_chunk c = {.kind = (uint8_t)sl_read_upto(r, UINT8_MAX), .flags = (uint8_t)sl_read_upto(r, UINT8_MAX)};
        c.number = (uint32_t)sl_read_upto(r, UINT32_MAX);
        c.offset = expected + sl_read_upto(r, t->bytes);
        c.raw_bytes = (uint32_t)sl_read_upto(r, SL_CHUNK_MOST);
        c.packed_bytes = (uint32_t)sl_read_upto(r, UINT32_MAX);
        c.blocks = (uint32_t)sl_read_upto(r, UINT32_MAX);
        c.first_block = sl_read_varint(r);
        c.last_block = c.first_block + sl_read_varint(r);
        expected = c.offset + SL_CHUNK_HEADER_BYTES + c.packed_bytes;
        r->bad = r->bad || !chunk_fits(t, &c) || c.last_block < c.first_block || !sl_array_push(&t->chunks, c);
    }
}

static void read_index_launches(sl_trace *t, sl_reading *r)
{
    uint64_t count = sl_read_upto(r, sl_reading_left(r) / 17);
    for (uint64_t i = 0; i < count && !r->bad; i++) {
        sl_launch_entry entry = {.number = (uint32_t)i};
        sl_get_launch(r, &entry.launch, &entry.ranges);
        entry.launch.blocks_recorded = sl_read_upto(r, r->bad ? 0 : sl_launch_blocks(&entry.launch));
        entry.launch.failed = sl_read_upto(r, 1);
        r->bad = r->bad || !sl_array_push(&t->launches, entry);
    }
}

/* Traces of version 1.0 do not say why launches failed. */
static void read_index_failures(sl_trace *t, sl_reading *r)
{
    for (size_t i = 0; i < t->launches.count && sl_reading_left(r); i++)
        if (t->launches.items[i].launch.failed)
            t->launches.items[i].launch.failure = sl_get_string(r, &t->arena);
}

/* False when there is no whole index. */
static bool read_index(sl_trace *t)
{
    if (t->bytes < SL_HEADER_BYTES + SL_CHUNK_HEADER_BYTES + SL_FOOTER_BYTES)
        return false;
    const uint8_t *footer = t->map + t->bytes - SL_FOOTER_BYTES;
    if (memcmp(footer + 24, sl_format_end_magic, SL_MAGIC_BYTES) != 0 ||
        sl_load32(footer + 20) != sl_crc32(footer, 20) || sl_load64(footer + 8) != t->bytes)
        return false;
    uint64_t offset = sl_load64(footer);
    sl_chunk index;
    if (offset > t->bytes - SL_FOOTER_BYTES - SL_CHUNK_HEADER_BYTES || !sl_chunk_load(t->map + offset, &index))
        return false;
    index.offset = offset;
    sl_bytes raw = {0};
    bool good = index.kind == SL_CHUNK_INDEX && chunk_fits(t, &index) && sl_trace_unpack(t, &index, &raw) == SL_OK;
    if (good) {
        sl_reading r = sl_reading_of(&raw);
        read_index_chunks(t, &r);
        read_index_launches(t, &r);
        read_index_failures(t, &r);
        good = !r.bad;
    }
    sl_bytes_free(&raw);
    if (!good)
        t->chunks.count = t->launches.count = 0;
    return good;
}

/* ---- without an index ---- */

/* The next place at or after `from` that holds a whole chunk header; t->bytes when there is none. */
static size_t next_chunk(const sl_trace *t, size_t from, sl_chunk *chunk)
{
    while (t->bytes - from >= SL_CHUNK_HEADER_BYTES) {
        const uint8_t *found = memmem(t->map + from, t->bytes - from, "SLCH", 4);
        if (!found || (size_t)(t->map + t->bytes - found) < SL_CHUNK_HEADER_BYTES)
            break;
        from = (size_t)(found - t->map);
        if (sl_chunk_load(found, chunk)) {
            chunk->offset = from;
            return from;
        }
        from++;
    }
    return t->bytes;
}

/* Takes the launch from its first chunk. */
static sl_status scan_launch(sl_trace *t, const sl_chunk *chunk, sl_bytes *raw)
{
    sl_status status = sl_trace_unpack(t, chunk, raw);
    if (status)
        return status == SL_NO_MEMORY ? status : SL_OK; /* the launch is lost */
    sl_reading r = sl_reading_of(raw);
    for (int i = 0; i < SL_SECTIONS; i++)
        sl_read_varint(&r);
    sl_launch_entry entry = {.number = chunk->number};
    sl_get_launch(&r, &entry.launch, &entry.ranges);
    if (r.bad || (t->launches.count && t->launches.items[t->launches.count - 1].number >= chunk->number))
        return SL_OK;
    return sl_array_push(&t->launches, entry) ? SL_OK : SL_NO_MEMORY;
}

/* Notes every chunk that is there to its end; *cut: where the first one that is not begins. */
static sl_status scan_chunks(sl_trace *t, size_t from, size_t *cut)
{
    sl_bytes raw = {0};
    sl_status status = SL_OK;
    *cut = 0;
    while (!status && from < t->bytes) {
        sl_chunk chunk;
        size_t at = next_chunk(t, from, &chunk);
        if (at != from && !*cut)
            *cut = from;
        if (at == t->bytes)
            break;
        if (!chunk_fits(t, &chunk)) {
            *cut = *cut ? *cut : at;
            from = at + 1;
            continue;
        }
        from = at + SL_CHUNK_HEADER_BYTES + chunk.packed_bytes;
        if (!sl_array_push(&t->chunks, chunk))
            status = SL_NO_MEMORY;
        else if (chunk.kind == SL_CHUNK_BLOCKS && chunk.flags & SL_CHUNK_FIRST)
            status = scan_launch(t, &chunk, &raw);
    }
    if (!*cut)
        *cut = t->bytes;
    sl_bytes_free(&raw);
    return status;
}

/* ---- from chunks to kernels, allocations and launches ---- */

static sl_status load_kernel(sl_trace *t, const sl_chunk *c, const sl_bytes *raw)
{
    sl_reading r = sl_reading_of(raw);
    sl_trace_kernel *kernel = r.bad ? NULL : sl_get_kernel(&r, &t->arena);
    while (t->kernels.count < c->number) /* lost ones */
        if (!sl_array_push(&t->kernels, NULL))
            return SL_NO_MEMORY;
    if (t->kernels.count > c->number)
        return SL_OK;
    return sl_array_push(&t->kernels, r.bad ? NULL : kernel) ? SL_OK : SL_NO_MEMORY;
}

static sl_status load_ranges(sl_trace *t, const sl_chunk *c, const sl_bytes *raw)
{
    sl_reading r = sl_reading_of(raw);
    sl_range_table table = {0};
    table.range = r.bad ? NULL : sl_get_ranges(&r, &t->arena, &table.count);
    if (r.bad)
        table = (sl_range_table){0};
    while (t->ranges.count < c->number)
        if (!sl_array_push(&t->ranges, (sl_range_table){0}))
            return SL_NO_MEMORY;
    if (t->ranges.count > c->number)
        return SL_OK;
    return sl_array_push(&t->ranges, table) ? SL_OK : SL_NO_MEMORY;
}

static sl_status load_tables(sl_trace *t)
{
    sl_bytes raw = {0};
    sl_status status = SL_OK;
    for (size_t i = 0; i < t->chunks.count && !status; i++) {
        const sl_chunk *c = &t->chunks.items[i];
        /* Numbers count up from 0: a number beyond the chunks seen is damage. */
        if ((c->kind != SL_CHUNK_KERNEL && c->kind != SL_CHUNK_RANGES) || c->number > t->chunks.count)
            continue;
        status = sl_trace_unpack(t, c, &raw);
        if (status == SL_CORRUPT)
            raw.count = 0;
        if (status != SL_NO_MEMORY)
            status = c->kind == SL_CHUNK_KERNEL ? load_kernel(t, c, &raw) : load_ranges(t, c, &raw);
    }
    sl_bytes_free(&raw);
    return status;
}

static sl_launch_entry *find_launch(sl_trace *t, uint32_t number)
{
    size_t low = 0, high = t->launches.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->launches.items[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->launches.count && t->launches.items[low].number == number ? &t->launches.items[low] : NULL;
}

/* Gives launches their chunks, which stand side by side. In a scan also what is known of its end. */
static void assign_chunks(sl_trace *t, bool scanned)
{
    for (size_t i = 0; i < t->chunks.count; i++) {
        const sl_chunk *c = &t->chunks.items[i];
        sl_launch_entry *entry = c->kind == SL_CHUNK_BLOCKS ? find_launch(t, c->number) : NULL;
        if (!entry || (entry->chunks && entry->chunk + entry->chunks != c))
            continue;
        if (!entry->chunks)
            entry->chunk = c;
        entry->chunks++;
        if (scanned) {
            entry->launch.blocks_recorded += c->blocks;
            entry->launch.failed |= !!(c->flags & SL_CHUNK_FAILED);
        }
    }
}

/* Drops launches whose kernel cannot be read; returns how many. */
static size_t drop_unreadable(sl_trace *t)
{
    size_t kept = 0, all = t->launches.count;
    for (size_t i = 0; i < all; i++) {
        sl_launch_entry *entry = &t->launches.items[i];
        if (entry->launch.kernel < t->kernels.count && t->kernels.items[entry->launch.kernel])
            t->launches.items[kept++] = *entry;
    }
    t->launches.count = kept;
    return all - kept;
}

/* ---- what was lost ---- */

/* Adds to the text of `damage`. */
static void __attribute__((format(printf, 2, 3))) tell(sl_error *damage, const char *format, ...)
{
    size_t used = strlen(damage->text);
    va_list args;
    va_start(args, format);
    vsnprintf(damage->text + used, sizeof damage->text - used, format, args);
    va_end(args);
}

static void tell_incomplete(const sl_trace *t, sl_error *damage)
{
    enum { MOST_TOLD = 3 };
    size_t incomplete = 0, lost = 0;
    uint32_t expected = 0;
    for (size_t i = 0; i < t->launches.count; i++) {
        const sl_launch_entry *entry = &t->launches.items[i];
        lost += entry->number - expected;
        expected = entry->number + 1;
        if (entry->chunks && entry->chunk[entry->chunks - 1].flags & SL_CHUNK_LAST)
            continue;
        if (incomplete++ < MOST_TOLD)
            tell(damage, " Of launch %llu (%s), %llu of %llu blocks are whole.",
                 (unsigned long long)entry->launch.index, t->kernels.items[entry->launch.kernel]->name,
                 (unsigned long long)entry->launch.blocks_recorded,
                 (unsigned long long)sl_launch_blocks(&entry->launch));
    }
    if (incomplete > MOST_TOLD)
        tell(damage, " So are parts of %zu other launches.", incomplete - MOST_TOLD);
    if (lost)
        tell(damage, " %zu launch%s cannot be read at all.", lost, lost == 1 ? "" : "es");
}

static void describe_damage(const sl_trace *t, bool scanned, size_t cut, size_t dropped, sl_error *damage)
{
    if (!damage)
        return;
    *damage = (sl_error){0};
    if (!scanned && !dropped)
        return;
    sl_fail_at(damage, SL_CORRUPT, t->path, 0, 0, "%s", "");
    if (scanned) {
        tell(damage, "the trace is damaged or cut off at byte %zu of %zu; %zu launch%s can be read.", cut, t->bytes,
             t->launches.count, t->launches.count == 1 ? "" : "es");
        tell_incomplete(t, damage);
    }
    if (dropped)
        tell(damage, "%s%zu launch%s cannot be read because the kernel's table is damaged.", scanned ? " " : "",
             dropped, dropped == 1 ? "" : "es");
}

/* ---- the interface ---- */

static sl_status load(sl_trace *t, sl_error *damage, sl_error *error)
{
    size_t start = 0, cut = 0;
    sl_status status = map_file(t, error);
    if (!status)
        status = read_header(t, &start, error);
    if (status)
        return status;
    bool scanned = !read_index(t);
    if ((scanned && scan_chunks(t, start, &cut)) || load_tables(t))
        return sl_fail_memory(error);
    assign_chunks(t, scanned);
    size_t dropped = drop_unreadable(t);
    describe_damage(t, scanned, cut, dropped, damage);
    return SL_OK;
}

sl_status sl_trace_open(const char *path, sl_trace **trace, sl_error *damage, sl_error *error)
{
    sl_trace *t = calloc(1, sizeof *t);
    if (!t)
        return sl_fail_memory(error);
    sl_arena_init(&t->arena);
    t->path = strdup(path);
    sl_status status = t->path ? load(t, damage, error) : sl_fail_memory(error);
    if (status)
        sl_trace_close(t);
    else
        *trace = t;
    return status;
}

void sl_trace_close(sl_trace *t)
{
    if (!t)
        return;
    if (t->map)
        munmap((void *)t->map, t->bytes);
    sl_array_free(&t->kernels);
    sl_array_free(&t->ranges);
    sl_array_free(&t->chunks);
    sl_array_free(&t->launches);
    sl_arena_fini(&t->arena);
    free(t->path);
    free(t);
}

const char *sl_trace_producer(const sl_trace *t)
{
    return t->producer;
}

uint32_t sl_trace_kernels(const sl_trace *t)
{
    return (uint32_t)t->kernels.count;
}

const sl_trace_kernel *sl_trace_kernel_at(const sl_trace *t, uint32_t index)
{
    return t->kernels.items[index];
}

uint32_t sl_trace_launches(const sl_trace *t)
{
    return (uint32_t)t->launches.count;
}

const sl_trace_launch *sl_trace_launch_at(const sl_trace *t, uint32_t index)
{
    return &t->launches.items[index].launch;
}

size_t sl_trace_ranges(const sl_trace *t, uint32_t launch, const sl_trace_range **range)
{
    uint32_t table = t->launches.items[launch].ranges;
    if (!table || table > t->ranges.count)
        return 0;
    *range = t->ranges.items[table - 1].range;
    return t->ranges.items[table - 1].count;
}

uint64_t sl_trace_launch_bytes(const sl_trace *t, uint32_t launch)
{
    const sl_launch_entry *entry = &t->launches.items[launch];
    uint64_t bytes = 0;
    for (size_t i = 0; i < entry->chunks; i++)
        bytes += SL_CHUNK_HEADER_BYTES + entry->chunk[i].packed_bytes;
    return bytes;
}

uint64_t sl_trace_bytes(const sl_trace *t)
{
    return t->bytes;
}
