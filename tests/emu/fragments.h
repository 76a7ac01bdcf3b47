/* SPDX-License-Identifier: MIT */
/* Text and numbers for tests of matrix instructions. */
#ifndef SL_TESTS_FRAGMENTS_H
#define SL_TESTS_FRAGMENTS_H

#include <stdio.h>

#include "emu/exact.h"
#include "sluice/error.h"

static inline size_t add_text(char *text, size_t used, size_t size, const char *pattern, ...) SL_PRINTF(4, 5);
static inline size_t add_text(char *text, size_t used, size_t size, const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    used += (size_t)vsnprintf(text + used, size - used, pattern, args);
    va_end(args);
    assert_true(used < size);
    return used;
}

static inline size_t add_registers(char *text, size_t used, size_t size, char name, int count)
{
    used = add_text(text, used, size, "{");
    for (int i = 0; i < count; i++)
        used = add_text(text, used, size, "%s%%%c%d", i ? ", " : "", name, i);
    return add_text(text, used, size, "}");
}

/* Small numbers, so that every sum is exact whatever its order. */
static inline int small_number(uint64_t *state)
{
    return (int)(next_random(state) % 17) - 8;
}

static inline uint32_t half_bits(double x, const format *f)
{
    return exact_round(exact_of(x), f, FE_TONEAREST, false);
}

#endif
