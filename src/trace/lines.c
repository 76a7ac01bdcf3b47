/* SPDX-License-Identifier: MIT */
#include "trace/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

enum {
    INPUT_BYTES = 1 << 16,
    FIRST_BYTES = 1 << 17,
    LONGEST_LINE = 1 << 20,
    XZ_MEMORY = 512 << 20, /* what xz -9 --lzma2=dict=… may ask for at most */
};

struct sl_lines {
    char *path;
    int fd;
    bool compressed, input_end, output_end;
    lzma_stream xz;
    uint8_t input[INPUT_BYTES];
    char *buffer; /* plain text: [at, filled) is not handed out yet */
    size_t capacity, at, filled;
    uint32_t number;
};

static sl_status fill_input(sl_lines *l, uint8_t *to, size_t room, size_t *got, sl_error *error)
{
    ssize_t bytes;
    do
        bytes = read(l->fd, to, room);
    while (bytes < 0 && errno == EINTR);
    if (bytes < 0)
        return sl_fail_io(error, "read", l->path);
    *got = (size_t)bytes;
    l->input_end = bytes == 0;
    return SL_OK;
}

static sl_status open_stream(sl_lines *l, sl_error *error)
{
    static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    size_t have = 0, got = 1;
    while (have < sizeof magic && got) {
        sl_status status = fill_input(l, l->input + have, INPUT_BYTES - have, &got, error);
        if (status)
            return status;
        have += got;
    }
    l->compressed = have >= sizeof magic && !memcmp(l->input, magic, sizeof magic);
    if (!l->compressed) {
        memcpy(l->buffer, l->input, have);
        l->filled = have;
        return SL_OK;
    }
    l->xz = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&l->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
        return sl_fail_memory(error);
    l->xz.next_in = l->input;
    l->xz.avail_in = have;
    return SL_OK;
}

sl_status sl_lines_open(const char *path, sl_lines **lines, sl_error *error)
{
    sl_lines *l = calloc(1, sizeof *l);
    if (!l)
        return sl_fail_memory(error);
    l->fd = -1;
    l->path = strdup(path);
    l->buffer = malloc(FIRST_BYTES + 1);
    l->capacity = FIRST_BYTES;
    sl_status status = SL_OK;
    if (!l->path || !l->buffer)
        status = sl_fail_memory(error);
    else if ((l->fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        status = sl_fail_io(error, "open", path);
    else
        status = open_stream(l, error);
    if (status)
        sl_lines_close(l);
    else
        *lines = l;
    return status;
}

void sl_lines_close(sl_lines *l)
{
    if (!l)
        return;
    if (l->compressed)
        lzma_end(&l->xz);
    if (l->fd >= 0)
        close(l->fd);
    free(l->buffer);
    free(l->path);
    free(l);
}

/* Decompresses some more into the buffer's free end. */
static sl_status inflate(sl_lines *l, sl_error *error)
{
    if (!l->xz.avail_in && !l->input_end) {
        sl_status status = fill_input(l, l->input, INPUT_BYTES, &l->xz.avail_in, error);
        if (status)
            return status;
        l->xz.next_in = l->input;
    }
    l->xz.next_out = (uint8_t *)l->buffer + l->filled;
    l->xz.avail_out = l->capacity - l->filled;
    lzma_ret result = lzma_code(&l->xz, l->input_end ? LZMA_FINISH : LZMA_RUN);
    l->filled = l->capacity - l->xz.avail_out;
    if (result == LZMA_STREAM_END)
        l->output_end = true;
    else if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
        return sl_fail_memory(error);
    else if (result != LZMA_OK)
        return sl_fail_at(error, SL_CORRUPT, l->path, 0, 0, "the xz data are damaged or cut off after %llu lines",
                          (unsigned long long)l->number);
    return SL_OK;
}

/* Makes room at the end of the buffer and gets more text. */
static sl_status fill(sl_lines *l, sl_error *error)
{
    if (l->at) {
        memmove(l->buffer, l->buffer + l->at, l->filled - l->at);
        l->filled -= l->at;
        l->at = 0;
    }
    if (l->filled == l->capacity) {
        if (l->capacity >= LONGEST_LINE)
            return sl_fail_at(error, SL_SYNTAX, l->path, l->number + 1, 0, "the line is too long");
        size_t room = l->capacity + 1; /* for a zero behind the last line */
        if (!sl_array_grow((void **)&l->buffer, &room, l->capacity * 2 + 1, 1))
            return sl_fail_memory(error);
        l->capacity = room - 1;
    }
    if (l->compressed)
        return inflate(l, error);
    size_t got = 0;
    sl_status status = fill_input(l, (uint8_t *)l->buffer + l->filled, l->capacity - l->filled, &got, error);
    if (status)
        return status;
    l->filled += got;
    l->output_end = got == 0;
    return SL_OK;
}

sl_status sl_lines_next(sl_lines *l, char **line, sl_error *error)
{
    *line = NULL;
    size_t looked = 0;
    char *end;
    while (!(end = memchr(l->buffer + l->at + looked, '\n', l->filled - l->at - looked)) && !l->output_end) {
        looked = l->filled - l->at;
        sl_status status = fill(l, error);
        if (status)
            return status;
    }
    if (!end && l->at == l->filled)
        return SL_OK;
    size_t length = end ? (size_t)(end - (l->buffer + l->at)) : l->filled - l->at;
    *line = l->buffer + l->at;
    l->at += length + (end != NULL);
    if (length && (*line)[length - 1] == '\r')
        length--;
    (*line)[length] = '\0';
    l->number++;
    return SL_OK;
}

const char *sl_lines_path(const sl_lines *l)
{
    return l->path;
}

uint32_t sl_lines_number(const sl_lines *l)
{
    return l->number;
}
