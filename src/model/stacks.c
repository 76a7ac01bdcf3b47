/* SPDX-License-Identifier: MIT */
#include "model/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "reuse/reuse.h"

#define GONE UINT32_MAX /* a sector that is in no cache of any size */

/* Levels with the same sets. The first stack of the list is the fully associative one. */
typedef struct geometry {
    const sl_level *level; /* one that has these sets; NULL: one set */
    uint32_t sets;
    sl_reuse **set; /* [sets] */
} geometry;

typedef struct point {
    uint32_t geometry, ways, lines;
} point;

struct sl_stacks {
    const sl_level *level; /* any of them: for what they agree in */
    uint32_t sectors;      /* of a line */
    size_t points, geometries;
    point *point;
    geometry *geometry;             /* [geometries] */
    SL_ARRAY(uint32_t) accessed;    /* of each line, by id: sectors ever accessed */
    SL_ARRAY(uint32_t) farthest;    /* [line][geometry][sector]: of the line since the sector was used; GONE */
    SL_ARRAY(uint32_t) invalidated; /* the same, as it was when a store invalidated the sector; GONE: none has since */
    uint64_t (*result)[SL_LOAD_CLASSES];
    bool failed;
};

/* ---- lines ---- */

static inline sl_reuse *stack_of(const geometry *g, uint64_t line)
{
    return g->set[g->sets == 1 ? 0 : sl_level_set(g->level, line * g->level->line_bytes)];
}

static inline uint32_t *invalidated_of(sl_stacks *s, uint32_t id, size_t number)
{
    return &s->invalidated.items[((size_t)id * s->geometries + number) * s->sectors];
}

static inline uint32_t *farthest_of(sl_stacks *s, uint32_t id, size_t number)
{
    return &s->farthest.items[((size_t)id * s->geometries + number) * s->sectors];
}

/* Ids count up from 0 in the order of first accesses. False when memory runs out. */
static bool make_record(sl_stacks *s, uint32_t id)
{
    if (id < s->accessed.count)
        return true;
    size_t words = s->geometries * s->sectors;
    if (!sl_array_push(&s->accessed, 0) || !sl_array_reserve(&s->farthest, words) ||
        !sl_array_reserve(&s->invalidated, words))
        return false;
    for (size_t i = 0; i < words; i++)
        s->farthest.items[s->farthest.count++] = s->invalidated.items[s->invalidated.count++] = GONE;
    return true;
}

static inline uint32_t farther(uint32_t farthest, uint64_t distance)
{
    uint32_t now = distance < GONE ? (uint32_t)distance : GONE;
    return now > farthest ? now : farthest;
}

/* Moves the line to the front of its stacks; all its sectors have been as far as it was. *id is the line's; false when
 * memory runs out. */
static bool access_line(sl_stacks *s, uint64_t line, uint32_t *id)
{
    for (size_t g = 0; g < s->geometries && !s->failed; g++) {
        sl_reuse *stack = stack_of(&s->geometry[g], line);
        uint32_t rank;
        uint64_t distance = sl_reuse_access_id(stack, line, &rank);
        *id = g ? *id : rank;
        s->failed = sl_reuse_failed(stack) || !make_record(s, *id);
        for (uint32_t k = 0; k < s->sectors && !s->failed; k++)
            farthest_of(s, *id, g)[k] = farther(farthest_of(s, *id, g)[k], distance);
    }
    return !s->failed;
}

static void use(sl_stacks *s, uint32_t id, uint32_t sectors)
{
    s->accessed.items[id] |= sectors;
    for (size_t g = 0; g < s->geometries; g++)
        for (uint32_t left = sectors; left; left &= left - 1) {
            farthest_of(s, id, g)[__builtin_ctz(left)] = 0;
            invalidated_of(s, id, g)[__builtin_ctz(left)] = GONE;
        }
}

/* ---- loads ---- */

static void count_sector(sl_stacks *s, uint32_t id, uint32_t sector)
{
    bool first = !(s->accessed.items[id] >> sector & 1);
    uint32_t full = farthest_of(s, id, 0)[sector];
    for (size_t i = 0; i < s->points; i++) {
        const point *p = &s->point[i];
        sl_load_class class = first                                                  ? SL_LOAD_COMPULSORY
                              : farthest_of(s, id, p->geometry)[sector] < p->ways    ? SL_LOAD_HIT
                              : invalidated_of(s, id, p->geometry)[sector] < p->ways ? SL_LOAD_STORE
                              : full < p->lines                                      ? SL_LOAD_CONFLICT
                                                                                     : SL_LOAD_CAPACITY;
        s->result[i][class]++;
    }
}

void sl_stacks_load(sl_stacks *s, uint64_t line, uint32_t sectors, bool counted)
{
    uint32_t id;
    if (!access_line(s, line, &id))
        return;
    for (uint32_t left = counted ? sectors : 0; left; left &= left - 1)
        count_sector(s, id, (uint32_t)__builtin_ctz(left));
    use(s, id, sectors);
}

void sl_stacks_bypass(sl_stacks *s, uint64_t line, uint32_t sectors, bool lookup)
{
    uint32_t id = UINT32_MAX, any;
    if (lookup)
        sl_reuse_look(s->geometry[0].set[0], line, &id);
    for (size_t i = 0; i < s->points; i++) {
        const point *p = &s->point[i];
        uint64_t distance = id == UINT32_MAX ? 0 : sl_reuse_look(stack_of(&s->geometry[p->geometry], line), line, &any);
        for (uint32_t left = sectors; left; left &= left - 1) {
            uint32_t sector = (uint32_t)__builtin_ctz(left);
            bool hit = id != UINT32_MAX && farther(farthest_of(s, id, p->geometry)[sector], distance) < p->ways;
            s->result[i][hit ? SL_LOAD_HIT : SL_LOAD_BYPASSED]++;
        }
    }
}

/* ---- stores ---- */

void sl_stacks_invalidate(sl_stacks *s, uint64_t line)
{
    uint32_t id;
    sl_reuse_look(s->geometry[0].set[0], line, &id);
    if (id == UINT32_MAX || s->failed)
        return;
    for (size_t g = 0; g < s->geometries; g++) {
        sl_reuse *stack = stack_of(&s->geometry[g], line);
        uint32_t any, *farthest = farthest_of(s, id, g), *invalidated = invalidated_of(s, id, g);
        uint64_t distance = sl_reuse_look(stack, line, &any);
        for (uint32_t k = 0; k < s->sectors; k++) {
            if (farthest[k] != GONE)
                invalidated[k] = farther(farthest[k], distance);
            farthest[k] = GONE;
        }
        sl_reuse_remove(stack, line);
        s->failed |= sl_reuse_failed(stack);
    }
}

void sl_stacks_store(sl_stacks *s, uint64_t line, uint32_t sectors)
{
    uint32_t id;
    if (s->level->write == SL_WRITE_EVICT)
        sl_stacks_invalidate(s, line);
    else if (s->level->write == SL_WRITE_BACK && access_line(s, line, &id))
        use(s, id, sectors);
}

/* ---- life ---- */

static bool same_sets(const geometry *g, const sl_level *level, uint32_t sets)
{
    if (g->sets != sets || sets == 1)
        return g->sets == sets;
    return g->level->index == level->index &&
           (level->index != SL_INDEX_BITS || !memcmp(g->level->set_bits, level->set_bits, sizeof level->set_bits));
}

static bool make_geometry(sl_stacks *s, const sl_level *level, uint32_t sets)
{
    geometry *g = &s->geometry[s->geometries];
    g->set = calloc(sets, sizeof *g->set);
    if (!g->set)
        return false;
    g->level = level;
    g->sets = sets;
    s->geometries++;
    for (uint32_t i = 0; i < sets; i++)
        if (!(g->set[i] = sl_reuse_create()))
            return false;
    return true;
}

static bool add_point(sl_stacks *s, const sl_level *level, bool no_associativity)
{
    uint32_t sets = no_associativity ? 1 : level->sets, lines = level->sets * level->ways, g = 0;
    while (g < s->geometries && !same_sets(&s->geometry[g], level, sets))
        g++;
    if (g == s->geometries && !make_geometry(s, level, sets))
        return false;
    s->point[s->points++] = (point){g, lines / sets, lines};
    return true;
}

sl_status sl_stacks_create(const sl_level *level, size_t count, bool no_associativity, sl_stacks **stacks,
                           sl_error *error)
{
    sl_stacks *s = calloc(1, sizeof *s);
    if (!s)
        return sl_fail_memory(error);
    s->level = level;
    s->sectors = level->line_bytes / level->sector_bytes;
    s->point = calloc(count, sizeof *s->point);
    s->geometry = calloc(count + 1, sizeof *s->geometry);
    s->result = calloc(count, sizeof *s->result);
    bool made = s->point && s->geometry && s->result && make_geometry(s, level, 1);
    for (size_t i = 0; i < count && made; i++)
        made = add_point(s, &level[i], no_associativity);
    if (!made) {
        sl_stacks_destroy(s);
        return sl_fail_memory(error);
    }
    *stacks = s;
    return SL_OK;
}

void sl_stacks_destroy(sl_stacks *s)
{
    if (!s)
        return;
    for (size_t g = 0; g < s->geometries; g++) {
        for (uint32_t i = 0; i < s->geometry[g].sets; i++)
            sl_reuse_destroy(s->geometry[g].set[i]);
        free(s->geometry[g].set);
    }
    sl_array_free(&s->accessed);
    sl_array_free(&s->farthest);
    sl_array_free(&s->invalidated);
    free(s->point);
    free(s->geometry);
    free(s->result);
    free(s);
}

const uint64_t (*sl_stacks_result(const sl_stacks *s))[SL_LOAD_CLASSES]
{
    return (const uint64_t(*)[SL_LOAD_CLASSES])s->result;
}

bool sl_stacks_failed(const sl_stacks *s)
{
    return s->failed;
}
