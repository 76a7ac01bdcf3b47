/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>

sl_status sl_file_read(const char *path, char **text, size_t *length, sl_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return sl_fail_io(error, "read", path);
    size_t capacity = 1 << 16, used = 0;
    char *data = malloc(capacity);
    while (data) {
        used += fread(data + used, 1, capacity - used, file);
        if (used < capacity)
            break;
        char *larger = realloc(data, capacity *= 2);
        if (!larger)
            free(data);
        data = larger;
    }
    sl_status status = !data ? sl_fail_memory(error) : ferror(file) ? sl_fail_io(error, "read", path) : SL_OK;
    fclose(file);
    if (status) {
        free(data);
        return status;
    }
    *text = data;
    *length = used;
    return SL_OK;
}
