/* SPDX-License-Identifier: MIT */
/* Bytes that are appended one after the other and may become too many for memory: beyond a limit they move to an
 * unnamed temporary file, which is mapped. Pages that were dropped are read again at their next access.
 *
 * Addresses are valid until the next append; offsets stay. */
#ifndef SL_BASE_LARGE_ARRAY_H
#define SL_BASE_LARGE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sl_large_array {
    const char *folder; /* for the file; NULL: everything stays in memory */
    size_t limit;       /* bytes in memory; those of a file that were written since they were last dropped */
    char *data;
    size_t bytes;
    /* private */
    size_t capacity, kept; /* kept: `bytes` when the file was dropped last */
    int fd;                /* of the file plus one; 0: none */
} sl_large_array;

/* For sl_large_array_add. */
void *sl_large_array_grow(sl_large_array *array, size_t bytes);

/* Room for `bytes` more at the end, zeroed; NULL: memory, or the disk, is full. */
static inline void *sl_large_array_add(sl_large_array *array, size_t bytes)
{
    if (array->fd || bytes > array->capacity - array->bytes)
        return sl_large_array_grow(array, bytes);
    void *room = array->data + array->bytes;
    array->bytes += bytes;
    return room;
}
/* Takes what lies in a file out of memory. Any thread may call it while others read. */
void sl_large_array_drop(const sl_large_array *array);
void sl_large_array_free(sl_large_array *array);

#endif
