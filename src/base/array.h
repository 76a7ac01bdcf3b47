/* SPDX-License-Identifier: MIT */
/* A growing array of any type: SL_ARRAY(int) numbers = {0}; sl_array_push(&numbers, 3) evaluates to false when
 * memory runs out (the array stays as it was). `items` is a plain pointer; `count` elements are valid. */
#ifndef SL_BASE_ARRAY_H
#define SL_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define SL_ARRAY(type)                                                                                                 \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

/* Makes room for `extra` more elements. */
#define sl_array_reserve(array, extra)                                                                                 \
    sl_array_grow((void **)&(array)->items, &(array)->capacity, (array)->count + (extra), sizeof *(array)->items)

#define sl_array_push(array, ...)                                                                                      \
    (sl_array_reserve((array), 1) ? ((array)->items[(array)->count++] = (__VA_ARGS__), true) : false)

#define sl_array_free(array) (free((array)->items), (array)->items = NULL, (array)->count = (array)->capacity = 0)

static inline bool sl_array_grow(void **items, size_t *capacity, size_t needed, size_t item_bytes)
{
    if (needed <= *capacity)
        return true;
    size_t grown = *capacity ? *capacity * 2 : 8;
    if (grown < needed)
        grown = needed;
    if (grown > PTRDIFF_MAX / item_bytes)
        return false;
    void *moved = realloc(*items, grown * item_bytes);
    if (!moved)
        return false;
    *items = moved;
    *capacity = grown;
    return true;
}

#endif
