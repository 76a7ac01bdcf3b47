/* Arena: memory that is given back all at once.
 *
 * Blocks come zeroed and aligned to 16 bytes. When memory runs out, an arena with a landing place (`on_oom`) jumps
 * there, so that deep parsers need no check at every allocation; without one the call returns NULL. */
#ifndef SL_BASE_ARENA_H
#define SL_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

#include "sluice/error.h"

typedef struct sl_arena_chunk sl_arena_chunk;

typedef struct sl_arena {
    sl_arena_chunk *chunks;
    jmp_buf *on_oom; /* may be NULL */
} sl_arena;

void sl_arena_init(sl_arena *arena);
void sl_arena_fini(sl_arena *arena);
void *sl_arena_alloc(sl_arena *arena, size_t bytes);
/* Room for `count` items; a product that overflows is out of memory like any other. */
void *sl_arena_alloc_array(sl_arena *arena, size_t count, size_t item_bytes);
char *sl_arena_strndup(sl_arena *arena, const char *text, size_t length);
char *sl_arena_strdup(sl_arena *arena, const char *text);
char *sl_arena_printf(sl_arena *arena, const char *format, ...) SL_PRINTF(2, 3);

#define sl_arena_new(arena, type)          ((type *)sl_arena_alloc((arena), sizeof(type)))
#define sl_arena_array(arena, type, count) ((type *)sl_arena_alloc_array((arena), (size_t)(count), sizeof(type)))

#endif
