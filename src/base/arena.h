/* SPDX-License-Identifier: MIT */
/* Arena: memory that is given back all at once.
 *
 * Blocks come zeroed and aligned to 16 bytes. When memory runs out, an arena with `on_oom` jumps there, so that deep
 * parsers need no check at every allocation; without one the call returns NULL. */
#ifndef SL_BASE_ARENA_H
#define SL_BASE_ARENA_H

#include <setjmp.h>
#include <stdbool.h>

#include "sluice/arena.h"

typedef struct sl_arena_chunk sl_arena_chunk;

struct sl_arena {
    sl_arena_chunk *chunks;
    jmp_buf *on_oom; /* may be NULL */
    bool failed;     /* memory ran out once */
};

void sl_arena_init(sl_arena *arena);
void sl_arena_fini(sl_arena *arena);
/* Takes over what another arena has, which is empty then. */
void sl_arena_adopt(sl_arena *arena, sl_arena *other);
char *sl_arena_strndup(sl_arena *arena, const char *text, size_t length);
char *sl_arena_strdup(sl_arena *arena, const char *text);
char *sl_arena_printf(sl_arena *arena, const char *format, ...) SL_PRINTF(2, 3);

#endif
