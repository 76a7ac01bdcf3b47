/* SPDX-License-Identifier: MIT */
/* Importing Accel-Sim traces. Each kernel's file is read twice: once to learn its static instructions, which a trace
 * states before anything else, and once to encode what its warps did. */
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/accelsim.h"
#include "trace/import.h"
#include "trace/lines.h"
#include "trace/sparse_set.h"

enum {
    GENERIC_WINDOW_BYTES = 1 << 24, /* of shared and of local memory in generic space */
    MAX_BLOCK_THREADS = 1024,
};

/* One kernel-N.traceg. */
typedef struct kernel_file {
    const char *path;
    sl_lines *lines;
    char name[1024];
    sl_trace_launch launch;
    sl_sass_syntax syntax;
    bool version_known;
    uint32_t registers, shared_bytes;
    sl_sass_table table;
    bool encoding; /* the second time */
    /* where we are */
    bool in_block, skipped; /* skipped: beyond the sink's limit */
    uint64_t block;
    sl_sparse_set blocks_seen;
    uint64_t warps_seen[MAX_BLOCK_THREADS / 32 / 64 + 1];
    /* the second time */
    const sl_launch_sink *sink;
    uint64_t block_limit;
    sl_warp_stream stream;
    sl_import_parts parts;
    sl_launch_stats stats;
} kernel_file;

static sl_status bad_line(const kernel_file *f, sl_error *error, const char *what)
{
    return sl_fail_at(error, SL_SYNTAX, f->path, sl_lines_number(f->lines), 0, "%s", what);
}

/* ---- the header ---- */

static bool read_dims(const char *text, uint32_t dims[3])
{
    char end;
    return sscanf(text, " (%u,%u,%u%c", &dims[0], &dims[1], &dims[2], &end) == 4 && end == ')' && dims[0] && dims[1] &&
           dims[2];
}

/* As close as 64 bits come. */
static uint64_t product(const uint32_t dims[3])
{
    unsigned __int128 all = (unsigned __int128)dims[0] * dims[1] * dims[2];
    return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

static bool read_number(const char *text, int base, uint64_t max, uint64_t *value)
{
    char *end;
    while (*text == ' ')
        text++;
    *value = strtoull(text, &end, base);
    return end != text && *text != '-' && !end[strspn(end, " \t")] && *value <= max;
}

/* "-key = value"; keys that say nothing about what was executed are passed over. */
static sl_status read_header_line(kernel_file *f, const char *line, sl_error *error)
{
    const char *equals = strchr(line, '=');
    size_t key_bytes = equals ? (size_t)(equals - line) : 0;
    while (key_bytes && line[key_bytes - 1] == ' ')
        key_bytes--;
    if (!key_bytes)
        return bad_line(f, error, "a header line is '-key = value'");
    const char *value = equals + 1 + strspn(equals + 1, " ");
    uint64_t number = 0;
    bool good = true;
#define KEY(text) (key_bytes == strlen(text) && !memcmp(line, text, key_bytes))
    if (KEY("-kernel name")) {
        snprintf(f->name, sizeof f->name, "%s", value);
    } else if (KEY("-grid dim")) {
        good = read_dims(value, f->launch.grid) && product(f->launch.grid) <= INT64_MAX;
    } else if (KEY("-block dim")) {
        good = read_dims(value, f->launch.block) && product(f->launch.block) <= MAX_BLOCK_THREADS;
    } else if (KEY("-shmem")) {
        good = read_number(value, 10, UINT32_MAX, &number);
        f->shared_bytes = (uint32_t)number;
    } else if (KEY("-nregs")) {
        good = read_number(value, 10, UINT16_MAX, &number);
        f->registers = (uint32_t)number;
    } else if (KEY("-cuda stream id")) {
        good = read_number(value, 10, UINT64_MAX, &f->launch.stream);
    } else if (KEY("-shmem base_addr")) {
        good = read_number(value, 16, UINT64_MAX, &f->launch.shared_window);
    } else if (KEY("-local mem base_addr")) {
        good = read_number(value, 16, UINT64_MAX, &f->launch.local_window);
    } else if (KEY("-accelsim tracer version")) {
        good = read_number(value, 10, 1000, &number);
        f->syntax.version = (uint32_t)number;
        f->version_known = true;
    } else if (KEY("-enable lineinfo")) {
        good = read_number(value, 10, 1, &number);
        f->syntax.source_lines = number;
    }
#undef KEY
    return good ? SL_OK : bad_line(f, error, "the value of this key is invalid");
}

/* Both windows are aligned, and one ends at the latest where the other begins. */
static void set_windows(sl_trace_launch *l)
{
    if (!l->shared_window && !l->local_window)
        return;
    uint64_t distance =
        l->local_window > l->shared_window ? l->local_window - l->shared_window : l->shared_window - l->local_window;
    l->window_bytes = distance && distance < GENERIC_WINDOW_BYTES ? distance : GENERIC_WINDOW_BYTES;
}

/* ---- blocks and warps ---- */

static sl_status begin_block(kernel_file *f, const char *line, sl_error *error)
{
    uint32_t at[3];
    char end;
    if (sscanf(line, "thread block = %u,%u,%u %c", &at[0], &at[1], &at[2], &end) != 3)
        return bad_line(f, error, "a thread block is 'thread block = x,y,z'");
    const uint32_t *grid = f->launch.grid;
    if (!grid[0] || !f->launch.block[0])
        return bad_line(f, error, "a thread block before the grid and block dimensions");
    for (int d = 0; d < 3; d++)
        if (at[d] >= grid[d])
            return bad_line(f, error, "this thread block is outside the grid");
    f->block = at[0] + (uint64_t)grid[0] * (at[1] + (uint64_t)grid[1] * at[2]);
    if (sl_sparse_set_has(&f->blocks_seen, f->block))
        return bad_line(f, error, "duplicate thread block");
    if (!sl_sparse_set_add(&f->blocks_seen, f->block, f->block))
        return sl_fail_memory(error);
    memset(f->warps_seen, 0, sizeof f->warps_seen);
    f->skipped = f->encoding && f->block >= f->block_limit;
    f->parts.block = f->block;
    f->parts.part = 0;
    f->in_block = true;
    return SL_OK;
}

static sl_status end_block(kernel_file *f, sl_error *error)
{
    if (!f->in_block)
        return bad_line(f, error, "the end of a thread block that did not begin");
    f->in_block = false;
    f->stats.blocks += f->encoding;
    return f->encoding && !f->skipped ? sl_import_parts_flush(&f->parts, true, error) : SL_OK;
}

/* The stream so far becomes part of the block; a large block is handed over in parts. */
static sl_status keep_stream(kernel_file *f, uint32_t warp, sl_error *error)
{
    sl_status status = sl_import_parts_add(&f->parts, warp, &f->stream, error);
    if (!status && f->parts.bytes.count >= SL_PART_BYTES)
        status = sl_import_parts_flush(&f->parts, false, error);
    if (!status && !sl_warp_stream_reset(&f->stream, f->table.kernel.mem_slots, SL_SASS_LANES))
        status = sl_fail_memory(error);
    return status;
}

/* What the second reading makes of an instruction. `before`: the one that ran before it, or SL_SASS_NONE. */
static sl_status encode_inst(kernel_file *f, const sl_sass_line *line, uint32_t warp, uint32_t number, uint32_t before,
                             sl_error *error)
{
    const sl_accelsim_inst *inst = &f->table.insts.items[number];
    f->stats.warp_insts++;
    f->stats.thread_insts += (uint64_t)__builtin_popcount(line->mask);
    if (!inst->leads && (before == SL_SASS_NONE || inst->before != before || line->mask != f->stream.step_mask))
        return bad_line(f, error, "the file changed while it was read");
    if (inst->leads) {
        if (f->stream.control.count + f->stream.memory.count >= SL_PART_BYTES) {
            sl_status status = keep_stream(f, warp, error);
            if (status)
                return status;
        }
        sl_warp_stream_step(&f->stream, inst->bb, line->mask);
    }
    if (inst->slot != UINT32_MAX)
        sl_warp_stream_access(&f->stream, inst->slot, line->addressed ? line->mask : 0, line->addr);
    return SL_OK;
}

/* Addresses of local memory are offsets in a trace; the tracer may give them as generic addresses. */
static void make_offsets(const kernel_file *f, sl_sass_line *line)
{
    if (!line->addressed || !line->mask || strncmp(line->opcode, "LDL", 3) * strncmp(line->opcode, "STL", 3) != 0)
        return;
    for (uint32_t left = line->mask; left; left &= left - 1) {
        uint64_t *addr = &line->addr[__builtin_ctz(left)];
        if (*addr - f->launch.local_window < f->launch.window_bytes)
            *addr -= f->launch.local_window;
    }
}

static sl_status read_warp(kernel_file *f, uint32_t warp, uint64_t insts, sl_error *error)
{
    uint32_t before = SL_SASS_NONE, before_mask = 0;
    for (uint64_t i = 0; i < insts; i++) {
        char *text;
        sl_sass_line line;
        sl_status status = sl_lines_next(f->lines, &text, error);
        if (status)
            return status;
        if (!text)
            return bad_line(f, error, "the file ends within a warp");
        const char *wrong = sl_sass_parse(text, &f->syntax, &line);
        if (wrong)
            return bad_line(f, error, wrong);
        make_offsets(f, &line);
        uint32_t number = sl_sass_table_find(&f->table, &line, !f->encoding);
        if (number == SL_SASS_NONE)
            return f->encoding ? bad_line(f, error, "the file changed while it was read") : sl_fail_memory(error);
        if (!f->encoding)
            sl_sass_table_follow(&f->table, before, number, before_mask == line.mask);
        else if (!f->skipped)
            status = encode_inst(f, &line, warp, number, before, error);
        if (status)
            return status;
        before = number;
        before_mask = line.mask;
    }
    if (!f->encoding && before != SL_SASS_NONE)
        sl_sass_table_last(&f->table, before);
    return f->encoding && !f->skipped ? keep_stream(f, warp, error) : SL_OK;
}

static sl_status begin_warp(kernel_file *f, const char *line, sl_error *error)
{
    uint64_t warp, insts;
    char *next;
    if (!f->in_block)
        return bad_line(f, error, "a warp outside any thread block");
    const char *equals = strchr(line, '=');
    if (!equals || !read_number(equals + 1, 10, UINT32_MAX, &warp) || warp >= sl_launch_warps(&f->launch))
        return bad_line(f, error, "a warp is 'warp = w', with w smaller than the warps of a block");
    uint64_t *seen = &f->warps_seen[warp / 64];
    if (*seen >> warp % 64 & 1)
        return bad_line(f, error, "duplicate warp of the thread block");
    *seen |= UINT64_C(1) << warp % 64;
    sl_status status = sl_lines_next(f->lines, &next, error);
    if (status)
        return status;
    equals = next && !strncmp(next, "insts", 5) ? strchr(next, '=') : NULL;
    if (!equals || !read_number(equals + 1, 10, UINT64_MAX, &insts))
        return bad_line(f, error, "'insts = N' is expected after 'warp = w'");
    return read_warp(f, (uint32_t)warp, insts, error);
}

static sl_status read_line(kernel_file *f, char *line, sl_error *error)
{
    line += strspn(line, " \t");
    if (!strncmp(line, "#END_TB", 7))
        return end_block(f, error);
    if (!f->version_known && !strncmp(line, "#traces format", 14)) /* tracers that do not say their version */
        f->syntax.version = strstr(line, "threadblock_x") ? 2 : 3;
    if (!*line || *line == '#')
        return SL_OK;
    if (*line == '-')
        return read_header_line(f, line, error);
    if (!strncmp(line, "thread block", 12))
        return f->in_block ? bad_line(f, error, "a thread block within another") : begin_block(f, line, error);
    if (!strncmp(line, "warp", 4))
        return begin_warp(f, line, error);
    return bad_line(f, error, "a header line, a thread block or a warp is expected here");
}

/* Reads the whole file. */
static sl_status read_file(kernel_file *f, sl_error *error)
{
    sl_status status = sl_lines_open(f->path, &f->lines, error);
    sl_sparse_set_fini(&f->blocks_seen);
    while (!status) {
        char *line;
        status = sl_lines_next(f->lines, &line, error);
        if (status || !line)
            break;
        status = read_line(f, line, error);
    }
    if (!status && f->in_block)
        status = bad_line(f, error, "the file ends within a thread block");
    sl_lines_close(f->lines);
    f->lines = NULL;
    return status;
}

/* ---- a kernel ---- */

static sl_status replay(kernel_file *f, const sl_trace_range *range, size_t ranges, sl_error *error)
{
    bool wanted;
    f->encoding = true;
    f->parts.sink = f->sink;
    sl_status status =
        f->sink->begin(f->sink->context, &f->table.kernel, &f->launch, range, ranges, &wanted, &f->block_limit, error);
    if (status)
        return status;
    if (wanted && !sl_warp_stream_init(&f->stream, f->table.kernel.mem_slots, SL_SASS_LANES))
        status = sl_fail_memory(error);
    if (wanted && !status)
        status = read_file(f, error);
    sl_status ended =
        f->sink->end(f->sink->context, &f->stats, status ? "the import failed" : NULL, status ? NULL : error);
    return status ? status : ended;
}

static sl_status import_kernel(const char *path, const sl_launch_sink *sink, const sl_trace_range *range, size_t ranges,
                               sl_error *error)
{
    kernel_file *f = calloc(1, sizeof *f);
    if (!f)
        return sl_fail_memory(error);
    sl_sass_table_init(&f->table);
    f->path = path;
    f->sink = sink;
    f->launch.lanes = SL_SASS_LANES;
    sl_status status = read_file(f, error);
    if (!status && (!f->launch.grid[0] || !f->launch.block[0] || !*f->name))
        status = sl_fail_at(error, SL_SYNTAX, path, 0, 0, "the kernel's name, grid or block dimensions are missing");
    if (!status) {
        set_windows(&f->launch);
        if (!sl_sass_table_finish(&f->table, f->name, f->registers, f->shared_bytes))
            status = sl_fail_memory(error);
        else
            status = replay(f, range, ranges, error);
    }
    sl_import_parts_fini(&f->parts);
    sl_warp_stream_fini(&f->stream);
    sl_sparse_set_fini(&f->blocks_seen);
    sl_sass_table_fini(&f->table);
    free(f);
    return status;
}

/* ---- the list of kernels ---- */

typedef struct kernel_list {
    sl_arena arena;
    SL_ARRAY(sl_trace_range) ranges; /* what was copied to the device so far */
} kernel_list;

/* "MemcpyHtoD,0x<address>,<bytes>": the nearest thing to an allocation in such traces. */
static sl_status read_copy(kernel_list *list, const sl_lines *lines, const char *line, sl_error *error)
{
    unsigned long long base, bytes;
    if (sscanf(line, "MemcpyHtoD,%llx,%llu", &base, &bytes) != 2)
        return sl_fail_at(error, SL_SYNTAX, sl_lines_path(lines), sl_lines_number(lines), 0,
                          "a copy is 'MemcpyHtoD,0x<address>,<bytes>'");
    for (size_t i = 0; i < list->ranges.count; i++) /* a later copy to the same address is no new allocation */
        if (list->ranges.items[i].base == base) {
            if (bytes > list->ranges.items[i].bytes)
                list->ranges.items[i].bytes = bytes;
            return SL_OK;
        }
    char *label = sl_arena_printf(&list->arena, "copy %zu", list->ranges.count + 1);
    if (!label || !sl_array_push(&list->ranges, (sl_trace_range){base, bytes, label}))
        return sl_fail_memory(error);
    return SL_OK;
}

/* The file a list names, next to the list; it may have been compressed since. */
static char *find_kernel(kernel_list *list, const char *folder, const char *name)
{
    char *path = sl_arena_printf(&list->arena, "%s/%s", folder, name);
    char *packed = sl_arena_printf(&list->arena, "%s/%s.xz", folder, name);
    if (!path || !packed)
        return NULL;
    return access(path, R_OK) != 0 && access(packed, R_OK) == 0 ? packed : path;
}

static sl_status import_list(const char *path, const sl_launch_sink *sink, const sl_progress *progress, sl_error *error)
{
    kernel_list list = {0};
    sl_lines *lines = NULL;
    sl_arena_init(&list.arena);
    char *copy = sl_arena_strdup(&list.arena, path);
    const char *folder = copy ? dirname(copy) : NULL;
    sl_status status = folder ? sl_lines_open(path, &lines, error) : sl_fail_memory(error);
    for (uint64_t kernels = 0; !status;) {
        char *line;
        status = sl_lines_next(lines, &line, error);
        if (status || !line)
            break;
        line[strcspn(line, " \t")] = '\0';
        if (!strncmp(line, "MemcpyHtoD", 10)) {
            status = read_copy(&list, lines, line, error);
        } else if (strstr(line, ".traceg")) {
            char *kernel = find_kernel(&list, folder, line);
            status = kernel ? import_kernel(kernel, sink, list.ranges.items, list.ranges.count, error)
                            : sl_fail_memory(error);
            sl_progress_update(progress, "kernels", ++kernels, 0);
        }
    }
    sl_lines_close(lines);
    sl_array_free(&list.ranges);
    sl_arena_fini(&list.arena);
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && !strcmp(text + a - b, end);
}

sl_status sl_import_accelsim(const char *path, const sl_launch_sink *sink, const sl_progress *progress, sl_error *error)
{
    struct stat info;
    if (!stat(path, &info) && S_ISDIR(info.st_mode)) {
        char *inside;
        if (asprintf(&inside, "%s/kernelslist.g", path) < 0)
            return sl_fail_memory(error);
        sl_status status = import_list(inside, sink, progress, error);
        free(inside);
        return status;
    }
    return ends_with(path, ".g") ? import_list(path, sink, progress, error) : import_kernel(path, sink, NULL, 0, error);
}
