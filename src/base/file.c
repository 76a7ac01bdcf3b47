/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static sl_status read_all(FILE *file, const char *path, size_t max_bytes, char **text, size_t *length, sl_error *error)
{
    size_t capacity = 1 << 16, used = 0;
    char *data = malloc(capacity);
    while (data) {
        used += fread(data + used, 1, capacity - 1 - used, file);
        if (used < capacity - 1 || used > max_bytes)
            break;
        char *larger = realloc(data, capacity *= 2);
        if (!larger)
            free(data);
        data = larger;
    }
    if (!data)
        return sl_fail_memory(error);
    sl_status status = SL_OK;
    if (ferror(file))
        status = sl_fail_io(error, "read", path);
    else if (used > max_bytes)
        status = sl_fail_at(error, SL_LIMIT, path, 0, 0, "the file is larger than %zu bytes, the limit", max_bytes);
    data[used] = 0;
    *text = data;
    *length = used;
    return status;
}

sl_status sl_file_read_max(const char *path, size_t max_bytes, char **text, size_t *length, sl_error *error)
{
    *text = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return sl_fail_io(error, "read", path);
    sl_status status = read_all(file, path, max_bytes, text, length, error);
    fclose(file);
    if (status) {
        free(*text);
        *text = NULL;
    }
    return status;
}

sl_status sl_file_read(const char *path, char **text, size_t *length, sl_error *error)
{
    struct stat info;
    bool regular = !stat(path, &info) && S_ISREG(info.st_mode);
    return sl_file_read_max(path, regular ? SIZE_MAX : SL_FILE_MAX_BYTES, text, length, error);
}

FILE *sl_file_open_regular(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *file = fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file && fd >= 0)
        close(fd);
    return file;
}
