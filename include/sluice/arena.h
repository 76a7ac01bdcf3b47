/* SPDX-License-Identifier: MIT */
/* Memory that is given back all at once, by whoever made the arena: policies take theirs out of one and free nothing.
 * Blocks come zeroed and aligned to 16 bytes; NULL when memory runs out. */
#ifndef SLUICE_ARENA_H
#define SLUICE_ARENA_H

#include <stddef.h>

#include "sluice/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sl_arena sl_arena;

SL_API void *sl_arena_alloc(sl_arena *arena, size_t bytes);
/* Room for `count` items; a product that overflows is out of memory like any other. */
SL_API void *sl_arena_alloc_array(sl_arena *arena, size_t count, size_t item_bytes);

#define sl_arena_new(arena, type)          ((type *)sl_arena_alloc((arena), sizeof(type)))
#define sl_arena_array(arena, type, count) ((type *)sl_arena_alloc_array((arena), (size_t)(count), sizeof(type)))

#ifdef __cplusplus
}
#endif

#endif
