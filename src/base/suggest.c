/* SPDX-License-Identifier: MIT */
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insert, delete, replace, swap of neighbors. */
static size_t distance(const char *a, const char *b)
{
    size_t la = min(strlen(a), LONGEST), lb = min(strlen(b), LONGEST);
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            row[j] = min(above[j - 1] + (a[i - 1] != b[j - 1]), min(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[la % 3][lb];
}

const char *sl_suggest(const char *word, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t best_distance = strlen(word) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, candidates[i]);
        if (d < best_distance && d < strlen(candidates[i])) {
            best_distance = d;
            best = candidates[i];
        }
    }
    return best;
}

const char *sl_did_you_mean(const char *word, const char *const *names, size_t count, const char *prefix, char *buffer,
                            size_t size)
{
    const char *nearest = sl_suggest(word, names, count);
    buffer[0] = 0;
    if (nearest)
        snprintf(buffer, size, "; did you mean '%s%s'?", prefix, nearest);
    return buffer;
}
