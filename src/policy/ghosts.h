/* SPDX-License-Identifier: MIT */
/* Ghosts: line numbers of lines that left a set, the latest ones, by which S3-FIFO and ARC know a line again. */
#ifndef SL_POLICY_GHOSTS_H
#define SL_POLICY_GHOSTS_H

#include "policy/policy.h"

typedef struct sl_ghosts {
    uint64_t *line;  /* [sets * capacity], the oldest first */
    uint32_t *count; /* [sets] */
    uint32_t capacity;
} sl_ghosts;

static inline bool sl_ghosts_init(sl_ghosts *g, uint32_t sets, uint32_t capacity, sl_arena *arena)
{
    g->capacity = capacity;
    g->line = sl_arena_array(arena, uint64_t, (size_t)sets * capacity);
    g->count = sl_arena_array(arena, uint32_t, sets);
    return g->line && g->count;
}

/* Removes the ghost at a position. */
static inline void sl_ghosts_remove(sl_ghosts *g, uint32_t set, uint32_t at)
{
    uint64_t *line = &g->line[(size_t)set * g->capacity];
    g->count[set]--;
    for (uint32_t i = at; i < g->count[set]; i++)
        line[i] = line[i + 1];
}

/* The position of a line; UINT32_MAX: it is not among them. */
static inline uint32_t sl_ghosts_find(const sl_ghosts *g, uint32_t set, uint64_t line)
{
    const uint64_t *lines = &g->line[(size_t)set * g->capacity];
    for (uint32_t i = 0; i < g->count[set]; i++)
        if (lines[i] == line)
            return i;
    return UINT32_MAX;
}

/* A line left; where there is no room the oldest ghost is forgotten. */
static inline void sl_ghosts_add(sl_ghosts *g, uint32_t set, uint64_t line)
{
    if (!g->capacity)
        return;
    if (g->count[set] == g->capacity)
        sl_ghosts_remove(g, set, 0);
    g->line[(size_t)set * g->capacity + g->count[set]++] = line;
}

#endif
