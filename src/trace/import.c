/* SPDX-License-Identifier: MIT */
/* Which trace is it, and whose importer takes it. */
#include "trace/import.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/format.h"
#include "trace/lines.h"

static bool is_list_line(const char *line)
{
    return !strncmp(line, "Memcpy", 6) || strstr(line, ".traceg");
}

/* The first lines of a text; a binary file has none that match. */
static sl_status detect_text(const char *path, sl_trace_format *format, sl_error *error)
{
    enum { MAX_LINES = 20 };
    sl_lines *lines;
    sl_status status = sl_lines_open(path, &lines, error);
    if (status)
        return status;
    for (int i = 0; i < MAX_LINES && *format == SL_FORMAT_UNKNOWN; i++) {
        char *line;
        if (sl_lines_next(lines, &line, NULL) || !line) /* too long, or damaged: not a text we know */
            break;
        if (i == 0 && !strncmp(line, "blocksize:", 10))
            *format = SL_FORMAT_THREADS;
        else if (!strncmp(line, "-kernel name", 12) || is_list_line(line))
            *format = SL_FORMAT_ACCELSIM;
    }
    sl_lines_close(lines);
    return SL_OK;
}

sl_status sl_trace_detect(const char *path, sl_trace_format *format, sl_error *error)
{
    struct stat info;
    *format = SL_FORMAT_UNKNOWN;
    if (stat(path, &info))
        return sl_fail_io(error, "open", path);
    if (S_ISDIR(info.st_mode)) {
        char *list;
        if (asprintf(&list, "%s/kernelslist.g", path) < 0)
            return sl_fail_memory(error);
        if (!access(list, R_OK))
            *format = SL_FORMAT_ACCELSIM;
        free(list);
        return SL_OK;
    }
    FILE *file = fopen(path, "rb");
    if (!file)
        return sl_fail_io(error, "open", path);
    uint8_t magic[SL_MAGIC_BYTES];
    bool ours = fread(magic, 1, sizeof magic, file) == sizeof magic && !memcmp(magic, sl_format_magic, sizeof magic);
    fclose(file);
    if (ours) {
        *format = SL_FORMAT_SLUICE;
        return SL_OK;
    }
    return detect_text(path, format, error);
}

const char *sl_trace_format_name(sl_trace_format format)
{
    switch (format) {
    case SL_FORMAT_SLUICE:
        return "sluice";
    case SL_FORMAT_ACCELSIM:
        return "accel-sim";
    case SL_FORMAT_THREADS:
        return "threads";
    default:
        return "unknown";
    }
}

sl_status sl_import(const char *path, const sl_launch_sink *sink, const sl_progress *progress, sl_error *error)
{
    sl_trace_format format;
    sl_status status = sl_trace_detect(path, &format, error);
    if (status)
        return status;
    switch (format) {
    case SL_FORMAT_ACCELSIM:
        return sl_import_accelsim(path, sink, progress, error);
    case SL_FORMAT_THREADS:
        return sl_import_threads(path, sink, progress, error);
    case SL_FORMAT_SLUICE:
        return sl_fail_at(error, SL_INVALID, path, 0, 0, "this is a Sluice trace already");
    default:
        return sl_fail_at(
            error, SL_INVALID, path, 0, 0,
            "this is neither an Accel-Sim trace (a folder with kernelslist.g, or a kernel-N.traceg) nor a "
            "thread trace (which begins with 'blocksize: X Y Z')");
    }
}

void sl_import_parts_fini(sl_import_parts *p)
{
    sl_bytes_free(&p->bytes);
    sl_array_free(&p->views);
}

sl_status sl_import_parts_add(sl_import_parts *p, uint32_t warp, sl_warp_stream *stream, sl_error *error)
{
    sl_warp_stream_flush(stream);
    sl_warp_view view = {.warp = warp, .control_bytes = stream->control.count, .memory_bytes = stream->memory.count};
    if (stream->failed || !sl_bytes_append(&p->bytes, stream->control.data, stream->control.count) ||
        !sl_bytes_append(&p->bytes, stream->memory.data, stream->memory.count) || !sl_array_push(&p->views, view))
        return sl_fail_memory(error);
    return SL_OK;
}

sl_status sl_import_parts_flush(sl_import_parts *p, bool last, sl_error *error)
{
    const uint8_t *at = p->bytes.data;
    for (size_t i = 0; i < p->views.count; i++) {
        sl_warp_view *view = &p->views.items[i];
        view->control = at;
        view->memory = at + view->control_bytes;
        at += view->control_bytes + view->memory_bytes;
    }
    sl_block_view block = {
        .block = p->block, .part = p->part++, .last = last, .warps = (uint32_t)p->views.count, .warp = p->views.items};
    p->bytes.count = p->views.count = 0;
    return p->sink->block(p->sink->context, &block, error);
}
