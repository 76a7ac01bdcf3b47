/* SPDX-License-Identifier: MIT */
/* Binary heaps in arrays: of any two items that are parent and child the parent comes first, by `before(a, b)` of
 * pointers to items. */
#ifndef SL_BASE_HEAP_H
#define SL_BASE_HEAP_H

#include <stddef.h>

/* Puts `moved`, which is not in the heap, replacing the item at `from` or below it. */
#define SL_HEAP_SINK(heap, count, from, moved, before)                                                                 \
    do {                                                                                                               \
        size_t at_ = (from), child_;                                                                                   \
        __typeof__(*(heap)) moved_ = (moved);                                                                          \
        while ((child_ = 2 * at_ + 1) < (count)) {                                                                     \
            if (child_ + 1 < (count) && before(&(heap)[child_ + 1], &(heap)[child_]))                                  \
                child_++;                                                                                              \
            if (!before(&(heap)[child_], &moved_))                                                                     \
                break;                                                                                                 \
            (heap)[at_] = (heap)[child_];                                                                              \
            at_ = child_;                                                                                              \
        }                                                                                                              \
        (heap)[at_] = moved_;                                                                                          \
    } while (0)

#endif
