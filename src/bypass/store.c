/* SPDX-License-Identifier: MIT */
#include "bypass/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"

struct sl_store {
    char *path; /* NULL: none */
    sl_arena arena;
    sl_map known; /* key -> sl_timing */
};

/* "gain spread base time runs key", in hexadecimal floating point: what is read is what was written. */
static bool parse_line(sl_store *store, const char *line, size_t length)
{
    sl_timing timing;
    int key = 0;
    char *copy = sl_arena_strndup(&store->arena, line, length);
    sl_timing *kept = sl_arena_new(&store->arena, sl_timing);
    if (!copy || !kept)
        return false;
    if (sscanf(copy, "%la %la %la %la %u %n", &timing.gain, &timing.spread, &timing.base, &timing.time, &timing.runs,
               &key) != 5 ||
        !key || !copy[key])
        return true;
    *kept = timing;
    return sl_map_put(&store->known, copy + key, strlen(copy + key), kept);
}

static sl_status read_lines(sl_store *store, sl_error *error)
{
    char *text = NULL;
    size_t length = 0;
    if (access(store->path, F_OK) && errno == ENOENT)
        return SL_OK;
    sl_status status = sl_file_read(store->path, &text, &length, error);
    for (size_t at = 0; at < length && !status;) {
        const char *end = memchr(text + at, '\n', length - at);
        if (!end) /* cut off */
            break;
        if (!parse_line(store, text + at, (size_t)(end - text) - at))
            status = sl_fail_memory(error);
        at = (size_t)(end - text) + 1;
    }
    free(text);
    return status;
}

sl_status sl_store_open(const char *path, sl_store **out, sl_error *error)
{
    sl_store *store = calloc(1, sizeof *store);
    if (!store)
        return sl_fail_memory(error);
    sl_arena_init(&store->arena);
    sl_map_init(&store->known);
    store->path = path ? strdup(path) : NULL;
    sl_status status = path && !store->path ? sl_fail_memory(error) : store->path ? read_lines(store, error) : SL_OK;
    if (status)
        sl_store_close(store);
    else
        *out = store;
    return status;
}

void sl_store_close(sl_store *store)
{
    if (!store)
        return;
    sl_map_fini(&store->known);
    sl_arena_fini(&store->arena);
    free(store->path);
    free(store);
}

bool sl_store_find(const sl_store *store, const char *key, sl_timing *timing)
{
    const sl_timing *known = sl_map_get(&store->known, key, strlen(key));
    if (known)
        *timing = *known;
    return known;
}

sl_status sl_store_add(sl_store *store, const char *key, const sl_timing *timing, sl_error *error)
{
    char *line, *copy = sl_arena_strdup(&store->arena, key);
    sl_timing *kept = sl_arena_new(&store->arena, sl_timing);
    if (!copy || !kept || !sl_map_put(&store->known, copy, strlen(copy), kept))
        return sl_fail_memory(error);
    *kept = *timing;
    if (!store->path)
        return SL_OK;
    int length = asprintf(&line, "%a %a %a %a %u %s\n", timing->gain, timing->spread, timing->base, timing->time,
                          timing->runs, key);
    if (length < 0)
        return sl_fail_memory(error);
    /* One write: lines of two programs do not mix. */
    FILE *file = fopen(store->path, "ab");
    bool written = file && !setvbuf(file, NULL, _IOFBF, (size_t)length + 1) &&
                   fwrite(line, 1, (size_t)length, file) == (size_t)length;
    sl_status status = written ? SL_OK : sl_fail_io(error, "write", store->path);
    if (file && fclose(file) && !status)
        status = sl_fail_io(error, "write", store->path);
    free(line);
    return status;
}
