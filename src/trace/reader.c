/* SPDX-License-Identifier: MIT */
/* Opening trace files: by the index at the end or, where that is gone, by looking at chunk after chunk. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "trace/file.h"

bool sl_trace_read(const sl_trace *t, uint64_t offset, void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(t->fd, (char *)to + done, bytes - done, (off_t)(offset + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

sl_status sl_trace_unpack(const sl_trace *t, const sl_chunk *chunk, sl_bytes *raw)
{
    uint8_t *payload = malloc((size_t)chunk->packed_bytes + 1);
    raw->count = 0;
    if (!payload || !sl_bytes_room(raw, chunk->raw_bytes + 1)) {
        free(payload);
        return SL_NO_MEMORY;
    }
    size_t got = 0;
    bool good = sl_trace_read(t, chunk->offset + SL_CHUNK_HEADER_BYTES, payload, chunk->packed_bytes) &&
                ZSTD_getFrameContentSize(payload, chunk->packed_bytes) == chunk->raw_bytes &&
                (got = ZSTD_decompress(raw->data, chunk->raw_bytes, payload, chunk->packed_bytes)) == chunk->raw_bytes;
    free(payload);
    raw->count = good ? chunk->raw_bytes : 0;
    return good ? SL_OK : ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? SL_NO_MEMORY : SL_CORRUPT;
}

/* ---- the file and its header ---- */

static sl_status open_file(sl_trace *t, sl_error *error)
{
    struct stat info;
    t->fd = open(t->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO is no trace: do not wait for it */
    if (t->fd < 0)
        return sl_fail_io(error, "open", t->path);
    if (fstat(t->fd, &info))
        return sl_fail_io(error, "read", t->path);
    t->bytes = (size_t)info.st_size;
    if (!S_ISREG(info.st_mode) || info.st_size < SL_HEADER_BYTES)
        return sl_fail_at(error, SL_INVALID, t->path, 0, 0, "this is not a Sluice trace");
    return SL_OK;
}

/* *after: where the chunks begin. */
static sl_status read_header(sl_trace *t, size_t *after, sl_error *error)
{
    uint8_t head[SL_HEADER_BYTES];
    if (!sl_trace_read(t, 0, head, sizeof head) || memcmp(head, sl_format_magic, SL_MAGIC_BYTES) != 0)
        return sl_fail_at(error, SL_INVALID, t->path, 0, 0, "this is not a Sluice trace");
    unsigned major = head[8] | head[9] << 8, minor = head[10] | head[11] << 8;
    if (major < SL_FORMAT_OLDEST || major > SL_FORMAT_MAJOR)
        return sl_fail_at(error, SL_UNSUPPORTED, t->path, 0, 0,
                          "the trace has format version %u.%u; this program reads versions %u.x to %u.x", major, minor,
                          SL_FORMAT_OLDEST, SL_FORMAT_MAJOR);
    uint32_t length = sl_load32(head + 12);
    bool whole = length <= SL_PRODUCER_MAX && length <= t->bytes - SL_HEADER_BYTES;
    char *covered = malloc(16 + (whole ? length : 0) + 1); /* what the checksum is of: fixed part, producer */
    if (!covered)
        return sl_fail_memory(error);
    memcpy(covered, head, 16);
    whole = whole && sl_trace_read(t, SL_HEADER_BYTES, covered + 16, length) &&
            sl_load32(head + 16) == sl_crc32((const uint8_t *)covered, 16 + length);
    t->producer = whole ? sl_arena_strndup(&t->arena, covered + 16, length) : NULL;
    free(covered);
    if (!whole)
        return sl_fail_at(error, SL_CORRUPT, t->path, 0, 0, "the header of the trace is damaged");
    *after = SL_HEADER_BYTES + length;
    return t->producer ? SL_OK : sl_fail_memory(error);
}

/* ---- the index ---- */

static bool chunk_fits(const sl_trace *t, const sl_chunk *c)
{
    return c->offset <= t->bytes && t->bytes - c->offset >= SL_CHUNK_HEADER_BYTES + (uint64_t)c->packed_bytes;
}

static sl_status read_index_chunks(sl_trace *t, sl_reading *r)
{
    uint64_t count = sl_read_upto(r, sl_reading_left(r) / 9), expected = 0;
    for (uint64_t i = 0; i < count && !r->bad; i++) {
        sl_chunk c = {.kind = (uint8_t)sl_read_upto(r, UINT8_MAX), .flags = (uint8_t)sl_read_upto(r, UINT8_MAX)};
        c.number = (uint32_t)sl_read_upto(r, UINT32_MAX);
        c.offset = expected + sl_read_upto(r, t->bytes);
        c.raw_bytes = (uint32_t)sl_read_upto(r, SL_CHUNK_MAX);
        c.packed_bytes = (uint32_t)sl_read_upto(r, UINT32_MAX);
        c.blocks = (uint32_t)sl_read_upto(r, UINT32_MAX);
        c.first_block = sl_read_varint(r);
        c.last_block = c.first_block + sl_read_varint(r);
        expected = c.offset + SL_CHUNK_HEADER_BYTES + c.packed_bytes;
        r->bad = r->bad || !chunk_fits(t, &c) || c.last_block < c.first_block;
        if (!r->bad && !sl_array_push(&t->chunks, c))
            return SL_NO_MEMORY;
    }
    return SL_OK;
}

static sl_status read_index_launches(sl_trace *t, sl_reading *r)
{
    uint64_t count = sl_read_upto(r, sl_reading_left(r) / 17);
    for (uint64_t i = 0; i < count && !r->bad; i++) {
        sl_launch_entry entry = {.number = (uint32_t)i};
        sl_read_launch(r, &entry.launch, &entry.ranges);
        entry.launch.blocks_recorded = sl_read_upto(r, r->bad ? 0 : sl_launch_blocks(&entry.launch));
        entry.launch.failed = sl_read_upto(r, 1);
        if (!r->bad && !sl_array_push(&t->launches, entry))
            return SL_NO_MEMORY;
    }
    return SL_OK;
}

/* Traces of version 1.0 do not say why launches failed. */
static sl_status read_index_failures(sl_trace *t, sl_reading *r)
{
    for (size_t i = 0; i < t->launches.count && sl_reading_left(r); i++) {
        sl_trace_launch *launch = &t->launches.items[i].launch;
        size_t length = launch->failed ? sl_read_upto(r, sl_reading_left(r)) : 0;
        const uint8_t *text = launch->failed ? sl_read_bytes(r, length) : NULL;
        if (text && !(launch->failure = sl_arena_strndup(&t->arena, (const char *)text, length)))
            return SL_NO_MEMORY;
    }
    return SL_OK;
}

/* Traces before version 1.2 do not say what carve-outs launches prefer, those before 2.0 neither clusters nor who
 * launched them; before 3.0 no launch repeats another one. */
static void read_index_additions(sl_trace *t, sl_reading *r)
{
    for (size_t i = 0; i < t->launches.count; i++)
        sl_read_preference(r, &t->launches.items[i].launch);
    for (size_t i = 0; i < t->launches.count; i++)
        sl_read_additions(r, &t->launches.items[i].launch);
    for (size_t i = 0; i < t->launches.count; i++)
        t->launches.items[i].original = sl_read_original(r, t->launches.items[i].number);
}

/* Traces before version 3.2 have no labels. */
static sl_status read_index_labels(sl_trace *t, sl_reading *r)
{
    uint32_t count = (uint32_t)sl_read_upto(r, sl_reading_left(r)); /* each takes a byte at least */
    const char **text = calloc(count + 1u, sizeof *text);
    for (uint32_t i = 0; text && i < count && !r->bad; i++)
        text[i + 1] = sl_read_string(r, &t->arena);
    for (size_t i = 0; text && i < t->launches.count && sl_reading_left(r); i++)
        for (int k = 0; k < SL_LABELS; k++) {
            const char *label = text[sl_read_upto(r, count)];
            t->launches.items[i].launch.label[k] = label && *label ? label : NULL;
        }
    free(text);
    return text && !t->arena.failed ? SL_OK : SL_NO_MEMORY;
}

/* The chunk that holds the index; false when there is none, or it is not whole. */
static bool find_index(const sl_trace *t, sl_chunk *index)
{
    uint8_t footer[SL_FOOTER_BYTES], head[SL_CHUNK_HEADER_BYTES];
    if (t->bytes < SL_HEADER_BYTES + SL_CHUNK_HEADER_BYTES + SL_FOOTER_BYTES ||
        !sl_trace_read(t, t->bytes - SL_FOOTER_BYTES, footer, sizeof footer))
        return false;
    if (memcmp(footer + 24, sl_format_end_magic, SL_MAGIC_BYTES) != 0 ||
        sl_load32(footer + 20) != sl_crc32(footer, 20) || sl_load64(footer + 8) != t->bytes)
        return false;
    uint64_t offset = sl_load64(footer);
    if (offset > t->bytes - SL_FOOTER_BYTES - SL_CHUNK_HEADER_BYTES || !sl_trace_read(t, offset, head, sizeof head) ||
        !sl_chunk_load(head, index))
        return false;
    index->offset = offset;
    return index->kind == SL_CHUNK_INDEX && chunk_fits(t, index);
}

/* SL_CORRUPT when there is no whole index. */
static sl_status read_index(sl_trace *t)
{
    sl_chunk index;
    sl_bytes raw = {0};
    sl_status status = find_index(t, &index) ? sl_trace_unpack(t, &index, &raw) : SL_CORRUPT;
    if (!status) {
        sl_reading r = sl_reading_of(&raw);
        status = read_index_chunks(t, &r);
        if (!status)
            status = read_index_launches(t, &r);
        if (!status)
            status = read_index_failures(t, &r);
        if (!status)
            read_index_additions(t, &r);
        if (!status && sl_reading_left(&r))
            status = read_index_labels(t, &r);
        status = !status && r.bad ? SL_CORRUPT : status;
    }
    sl_bytes_free(&raw);
    if (status)
        t->chunks.count = t->launches.count = 0;
    return status;
}

/* ---- without an index ---- */

enum { WINDOW_BYTES = 1 << 20 };

/* The next whole chunk header at or after `from`; t->bytes when there is none. Reads the file in windows. */
static size_t next_chunk(const sl_trace *t, uint8_t *window, size_t from, sl_chunk *chunk)
{
    while (t->bytes - from >= SL_CHUNK_HEADER_BYTES) {
        size_t bytes = t->bytes - from < WINDOW_BYTES ? t->bytes - from : WINDOW_BYTES;
        if (!sl_trace_read(t, from, window, bytes))
            break;
        const uint8_t *at = window, *end = window + bytes;
        while ((at = memmem(at, (size_t)(end - at), "SLCH", 4)) && end - at >= SL_CHUNK_HEADER_BYTES) {
            if (sl_chunk_load(at, chunk)) {
                chunk->offset = from + (size_t)(at - window);
                return chunk->offset;
            }
            at++;
        }
        from += bytes - (SL_CHUNK_HEADER_BYTES - 1); /* a header may lie across the border */
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
    size_t bytes = sl_read_varint(&r); /* of the launch; the other sections follow it */
    for (int i = 1; i < SL_SECTIONS; i++)
        sl_read_varint(&r);
    sl_launch_entry entry = {.number = chunk->number};
    r.bad |= bytes > sl_reading_left(&r);
    if (!r.bad)
        r.end = r.at + bytes;
    sl_read_launch(&r, &entry.launch, &entry.ranges);
    sl_read_preference(&r, &entry.launch);
    sl_read_additions(&r, &entry.launch);
    entry.original = sl_read_original(&r, entry.number);
    sl_read_labels(&r, &t->arena, &entry.launch);
    if (r.bad || (t->launches.count && t->launches.items[t->launches.count - 1].number >= chunk->number))
        return SL_OK;
    return sl_array_push(&t->launches, entry) ? SL_OK : SL_NO_MEMORY;
}

/* Notes every chunk that is there to its end; *cut: where the first one that is not begins. */
static sl_status scan_chunks(sl_trace *t, size_t from, size_t *cut)
{
    sl_bytes raw = {0};
    uint8_t *window = malloc(WINDOW_BYTES);
    sl_status status = window ? SL_OK : SL_NO_MEMORY;
    *cut = 0;
    while (!status && from < t->bytes) {
        sl_chunk chunk;
        size_t at = next_chunk(t, window, from, &chunk);
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
    free(window);
    sl_bytes_free(&raw);
    return status;
}

/* ---- from chunks to kernels, allocations and launches ---- */

static sl_status load_kernel(sl_trace *t, const sl_chunk *c, const sl_bytes *raw)
{
    sl_reading r = sl_reading_of(raw);
    sl_trace_kernel *kernel = r.bad ? NULL : sl_read_kernel(&r, &t->arena);
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
    table.range = r.bad ? NULL : sl_read_ranges(&r, &t->arena, &table.count);
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
        if (t->arena.failed)
            status = SL_NO_MEMORY;
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
        entry->bytes += SL_CHUNK_HEADER_BYTES + c->packed_bytes;
        if (scanned) {
            entry->launch.blocks_recorded += c->blocks;
            entry->launch.failed |= !!(c->flags & SL_CHUNK_FAILED);
        }
    }
}

/* Whether a launch can have done what another one did. */
static bool alike(const sl_trace_launch *a, const sl_trace_launch *b)
{
    bool same = a->kernel == b->kernel && a->dynamic_shared_bytes == b->dynamic_shared_bytes && a->lanes == b->lanes &&
                a->shared_window == b->shared_window && a->local_window == b->local_window &&
                a->window_bytes == b->window_bytes && a->index > b->index;
    for (int d = 0; d < 3; d++)
        same = same && a->grid[d] == b->grid[d] && a->block[d] == b->block[d] && a->cluster[d] == b->cluster[d];
    return same;
}

/* Gives launches that repeat another one the chunks of that. One whose original is not there, or cannot be it, gets a
 * kernel that is not there either. */
static void find_originals(sl_trace *t)
{
    for (size_t i = 0; i < t->launches.count; i++) {
        sl_launch_entry *entry = &t->launches.items[i];
        if (!entry->original)
            continue;
        const sl_launch_entry *from = find_launch(t, entry->original - 1);
        if (!from || from->original || from->launch.failed || !alike(&entry->launch, &from->launch)) {
            entry->launch.kernel = UINT32_MAX;
            continue;
        }
        entry->chunk = from->chunk;
        entry->chunks = from->chunks;
        entry->launch.blocks_recorded = from->launch.blocks_recorded;
        entry->launch.repeats = true;
        entry->launch.original = from->launch.index;
    }
}

/* Removes launches whose kernel cannot be read; returns how many. */
static size_t remove_unreadable(sl_trace *t)
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
static void __attribute__((format(printf, 2, 3))) append(sl_error *damage, const char *format, ...)
{
    size_t used = strlen(damage->text);
    va_list args;
    va_start(args, format);
    vsnprintf(damage->text + used, sizeof damage->text - used, format, args);
    va_end(args);
}

static void list_incomplete(const sl_trace *t, sl_error *damage)
{
    enum { MAX_LISTED = 3 };
    size_t incomplete = 0, lost = 0;
    uint32_t expected = 0;
    for (size_t i = 0; i < t->launches.count; i++) {
        const sl_launch_entry *entry = &t->launches.items[i];
        lost += entry->number - expected;
        expected = entry->number + 1;
        if (entry->chunks && entry->chunk[entry->chunks - 1].flags & SL_CHUNK_LAST)
            continue;
        if (incomplete++ < MAX_LISTED)
            append(damage, " Launch %llu (%s): %llu of %llu blocks can be read.",
                   (unsigned long long)entry->launch.index, t->kernels.items[entry->launch.kernel]->name,
                   (unsigned long long)entry->launch.blocks_recorded,
                   (unsigned long long)sl_launch_blocks(&entry->launch));
    }
    if (incomplete > MAX_LISTED)
        append(damage, " %zu more launches are incomplete.", incomplete - MAX_LISTED);
    if (lost)
        append(damage, " %zu launch%s cannot be read at all.", lost, lost == 1 ? "" : "es");
}

static void describe_damage(const sl_trace *t, bool scanned, size_t cut, size_t removed, sl_error *damage)
{
    if (!damage)
        return;
    *damage = (sl_error){0};
    if (!scanned && !removed)
        return;
    sl_fail_at(damage, SL_CORRUPT, t->path, 0, 0, "%s", "");
    if (scanned) {
        append(damage, "the trace is damaged or cut off at byte %zu of %zu; %zu launch%s can be read.", cut, t->bytes,
               t->launches.count, t->launches.count == 1 ? "" : "es");
        list_incomplete(t, damage);
    }
    if (removed)
        append(damage, "%s%zu launch%s cannot be read because what is said of them is damaged.", scanned ? " " : "",
               removed, removed == 1 ? "" : "es");
}

/* ---- the interface ---- */

static sl_status load(sl_trace *t, sl_error *damage, sl_error *error)
{
    size_t start = 0, cut = 0;
    sl_status status = open_file(t, error);
    if (!status)
        status = read_header(t, &start, error);
    if (status)
        return status;
    status = read_index(t);
    bool scanned = status == SL_CORRUPT;
    if (status == SL_NO_MEMORY || (scanned && scan_chunks(t, start, &cut)) || load_tables(t))
        return sl_fail_memory(error);
    assign_chunks(t, scanned);
    find_originals(t);
    size_t removed = remove_unreadable(t);
    describe_damage(t, scanned, cut, removed, damage);
    return SL_OK;
}

sl_status sl_trace_open(const char *path, sl_trace **trace, sl_error *damage, sl_error *error)
{
    sl_trace *t = calloc(1, sizeof *t);
    if (!t)
        return sl_fail_memory(error);
    sl_arena_init(&t->arena);
    t->fd = -1;
    t->path = strdup(path);
    sl_status status = t->path ? load(t, damage, error) : sl_fail_memory(error);
    if (status)
        sl_trace_close(t);
    else
        *trace = t;
    return status;
}

sl_status sl_trace_spill(sl_trace *t, const char *folder, sl_error *error)
{
    t->spill = folder ? sl_arena_strdup(&t->arena, folder) : NULL;
    return t->spill || !folder ? SL_OK : sl_fail_memory(error);
}

void sl_trace_limit_blocks(sl_trace *t, uint64_t blocks)
{
    t->blocks = blocks;
    for (size_t i = 0; blocks && i < t->launches.count; i++) {
        sl_trace_launch *launch = &t->launches.items[i].launch;
        launch->blocks_recorded = launch->blocks_recorded < blocks ? launch->blocks_recorded : blocks;
    }
}

void sl_trace_close(sl_trace *t)
{
    if (!t)
        return;
    if (t->fd >= 0)
        close(t->fd);
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
    return t->launches.items[launch].bytes;
}

uint64_t sl_trace_bytes(const sl_trace *t)
{
    return t->bytes;
}
