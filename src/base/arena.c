/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chunks double from FIRST_BYTES to CHUNK_BYTES: simulators have hundreds of arenas with little in each. */
enum { FIRST_BYTES = 1024, CHUNK_BYTES = 64 * 1024, ALIGNMENT = 16 };

struct sl_arena_chunk {
    sl_arena_chunk *next;
    size_t used, size;
    _Alignas(ALIGNMENT) unsigned char data[];
};

void sl_arena_init(sl_arena *arena)
{
    *arena = (sl_arena){0};
}

void sl_arena_fini(sl_arena *arena)
{
    for (sl_arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    arena->chunks = NULL;
}

void sl_arena_adopt(sl_arena *arena, sl_arena *other)
{
    sl_arena_chunk **end = &arena->chunks;
    while (*end)
        end = &(*end)->next;
    *end = other->chunks;
    other->chunks = NULL;
}

static void *out_of_memory(sl_arena *arena)
{
    arena->failed = true;
    if (arena->on_oom)
        longjmp(*arena->on_oom, 1);
    return NULL;
}

void *sl_arena_alloc(sl_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return out_of_memory(arena);
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    sl_arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        bool alone = bytes > CHUNK_BYTES / 4;
        size_t size = FIRST_BYTES;
        while (size < CHUNK_BYTES && (size < bytes || (chunk && size <= chunk->size)))
            size *= 2;
        size = alone ? bytes : size;
        chunk = calloc(1, sizeof *chunk + size);
        if (!chunk)
            return out_of_memory(arena);
        chunk->size = size;
        if (alone && arena->chunks) { /* a large block: keep filling the current chunk */
            chunk->next = arena->chunks->next;
            arena->chunks->next = chunk;
        } else {
            chunk->next = arena->chunks;
            arena->chunks = chunk;
        }
    }
    void *block = chunk->data + chunk->used;
    chunk->used += bytes;
    return block;
}

void *sl_arena_alloc_array(sl_arena *arena, size_t count, size_t item_bytes)
{
    size_t bytes;
    return __builtin_mul_overflow(count, item_bytes, &bytes) ? out_of_memory(arena) : sl_arena_alloc(arena, bytes);
}

char *sl_arena_strndup(sl_arena *arena, const char *text, size_t length)
{
    char *copy = sl_arena_alloc(arena, length + 1);
    if (copy && length) /* nothing may come from nowhere */
        memcpy(copy, text, length);
    return copy;
}

char *sl_arena_strdup(sl_arena *arena, const char *text)
{
    return sl_arena_strndup(arena, text, strlen(text));
}

char *sl_arena_printf(sl_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : sl_arena_alloc(arena, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}
