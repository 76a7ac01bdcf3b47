/* SPDX-License-Identifier: MIT */
#include "policy/line_counts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/random.h"

/* Open addressing; at least half of the slots are free. */
typedef struct slot {
    uint64_t line;
    uint32_t count; /* 0: free */
} slot;

typedef struct table {
    slot *slots;
    size_t size, used; /* a power of two, or 0 */
} table;

struct sl_line_counts {
    uint32_t instances;
    table tables[]; /* [instances + 1]: the last one counts all */
};

sl_line_counts *sl_line_counts_create(uint32_t instances)
{
    sl_line_counts *counts = calloc(1, sizeof *counts + ((size_t)instances + 1) * sizeof counts->tables[0]);
    if (counts)
        counts->instances = instances;
    return counts;
}

void sl_line_counts_destroy(sl_line_counts *counts)
{
    for (uint32_t i = 0; counts && i <= counts->instances; i++)
        free(counts->tables[i].slots);
    free(counts);
}

/* Where a line is, or would be. */
static slot *find(const table *t, uint64_t line)
{
    uint64_t mixed = line;
    size_t at = sl_splitmix64(&mixed) & (t->size - 1);
    while (t->slots[at].count && t->slots[at].line != line)
        at = (at + 1) & (t->size - 1);
    return &t->slots[at];
}

static bool grow(table *t)
{
    table larger = {.size = t->size ? 2 * t->size : 1024, .used = t->used};
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < t->size; i++)
        if (t->slots[i].count)
            *find(&larger, t->slots[i].line) = t->slots[i];
    free(t->slots);
    *t = larger;
    return true;
}

static bool add(table *t, uint64_t line)
{
    if (2 * t->used >= t->size && !grow(t))
        return false;
    slot *s = find(t, line);
    t->used += !s->count;
    s->line = line;
    s->count += s->count < UINT32_MAX;
    return true;
}

bool sl_line_counts_add(sl_line_counts *counts, uint32_t instance, uint64_t line)
{
    assert(instance < counts->instances);
    return add(&counts->tables[instance], line) && add(&counts->tables[counts->instances], line);
}

static uint32_t look_up(const table *t, uint64_t line)
{
    return t->size ? find(t, line)->count : 0;
}

uint32_t sl_line_counts_local(const sl_line_counts *counts, uint32_t instance, uint64_t line)
{
    assert(instance < counts->instances);
    return look_up(&counts->tables[instance], line);
}

uint32_t sl_line_counts_global(const sl_line_counts *counts, uint64_t line)
{
    return look_up(&counts->tables[counts->instances], line);
}

bool sl_line_counts_between(const sl_line_counts *counts, bool local, bool global, uint64_t min, uint64_t max)
{
    const table *all = &counts->tables[counts->instances];
    for (size_t i = 0; global && i < all->size; i++)
        if (all->slots[i].count >= min && all->slots[i].count < max)
            return true;
    for (uint32_t t = 0; local && t < counts->instances; t++)
        for (size_t i = 0; i < counts->tables[t].size; i++) {
            const slot *s = &counts->tables[t].slots[i];
            uint64_t count = s->count && global ? (uint64_t)s->count + look_up(all, s->line) : s->count;
            if (count >= min && count < max)
                return true;
        }
    return false;
}
