/* SPDX-License-Identifier: MIT */
#include "base/large_array.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/new_file.h"

enum { PAGE = 65536, MAPPED = 1 << 20 }; /* from MAPPED bytes on pages come and go with their use */

static char *map(int fd, size_t capacity)
{
    /* A disk that is full must not become a signal when a page of the file is first written. */
    if (fd >= 0 && posix_fallocate(fd, 0, (off_t)capacity))
        return NULL;
    char *mapped =
        mmap(NULL, capacity, PROT_READ | PROT_WRITE, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    if (fd >= 0)
        madvise(mapped, capacity, MADV_RANDOM); /* else each read would bring more than its neighbors */
    return mapped;
}

static void unmap(sl_large_array *a)
{
    if (a->capacity >= MAPPED)
        munmap(a->data, a->capacity);
    else
        free(a->data);
}

/* To other memory, or to a file. */
static bool move(sl_large_array *a, int fd, size_t capacity)
{
    char *moved = capacity >= MAPPED ? map(fd, capacity) : calloc(1, capacity);
    if (!moved)
        return false;
    if (a->bytes)
        memcpy(moved, a->data, a->bytes);
    unmap(a);
    a->data = moved;
    a->capacity = capacity;
    a->fd = fd + 1;
    return true;
}

static bool move_to_file(sl_large_array *a, size_t capacity)
{
    int fd = sl_unnamed_file(a->folder);
    if (fd >= 0 && move(a, fd, capacity < MAPPED ? MAPPED : capacity))
        return true;
    if (fd >= 0)
        close(fd);
    return false;
}

static bool extend(sl_large_array *a, size_t capacity)
{
    if (a->fd && posix_fallocate(a->fd - 1, (off_t)a->capacity, (off_t)(capacity - a->capacity)))
        return false;
    char *moved = mremap(a->data, a->capacity, capacity, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return false;
    a->data = moved;
    a->capacity = capacity;
    return true;
}

static bool grow(sl_large_array *a, size_t needed)
{
    size_t capacity = a->capacity ? a->capacity : 256;
    while (capacity < needed)
        capacity += capacity / 2;
    if (capacity >= MAPPED)
        capacity = (capacity + PAGE - 1) / PAGE * PAGE;
    if (!a->fd && a->folder && needed > a->limit && move_to_file(a, capacity))
        return true;
    return a->capacity >= MAPPED ? extend(a, capacity) : move(a, -1, capacity);
}

void *sl_large_array_grow(sl_large_array *a, size_t bytes)
{
    size_t needed;
    if (__builtin_add_overflow(a->bytes, bytes, &needed) || needed > SIZE_MAX / 4 ||
        (needed > a->capacity && !grow(a, needed)))
        return NULL;
    if (a->fd && needed - a->kept > a->limit + MAPPED / 4) {
        sl_large_array_drop(a);
        a->kept = needed;
    }
    void *room = a->data + a->bytes;
    a->bytes = needed;
    return room;
}

void sl_large_array_drop(const sl_large_array *a)
{
    if (a->fd)
        madvise(a->data, a->capacity, MADV_DONTNEED);
}

void sl_large_array_free(sl_large_array *a)
{
    unmap(a);
    if (a->fd)
        close(a->fd - 1);
    *a = (sl_large_array){.folder = a->folder, .limit = a->limit};
}
