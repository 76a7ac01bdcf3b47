#include "model/shared.h"

#include <stdlib.h>
#include <string.h>

#include "model/request.h"

typedef struct line_state {
    uint64_t stamp;
    uint16_t valid, dirty; /* masks of sectors */
} line_state;

/* A sector that was asked for a moment ago, by one core after the other. */
typedef struct joined {
    uint64_t sector; /* + 1; 0: free */
    uint64_t until;
    uint32_t joins;
} joined;

enum { JOINED_SLOTS = 1 << 16 };

struct sl_shared {
    sl_shared_config config;
    const sl_level *level;
    unsigned log2_line, log2_sector, log2_above_line, log2_above_sector;
    uint32_t fill_sectors; /* that come together */
    uint64_t *tag;         /* [sets * ways]: line + 1; 0: free. By themselves, since most requests need no more */
    line_state *lines;     /* [sets * ways] */
    uint64_t clock;
    joined *joined; /* by sector, later ones replace; NULL: requests do not join */
    sl_shared_counts *counts;
    SL_ARRAY(sl_traffic) traffic;
};

/* ---- requests in flight that join ---- */

/* The sectors of the request that no earlier one brings along. */
static uint32_t not_joined(sl_shared *s, const sl_traffic *t, uint64_t first_sector, uint32_t sectors)
{
    uint32_t alone = 0;
    for (uint32_t left = sectors; left; left &= left - 1) {
        uint64_t sector = first_sector + (uint64_t)__builtin_ctz(left);
        joined *j = &s->joined[(sector * 0x9e3779b97f4a7c15u) >> 48];
        if (j->sector == sector + 1 && t->time < j->until && j->joins + 1 < s->config.above->merge_cores) {
            j->joins++;
            continue;
        }
        *j = (joined){sector + 1, t->time + s->config.merge_steps, 0};
        alone |= left & -left;
    }
    return alone;
}

/* ---- the cache ---- */

static bool send_below(sl_shared *s, uint64_t time, uint64_t line, uint32_t sectors, sl_traffic_kind kind,
                       uint32_t slot)
{
    sl_traffic t = {time, line, (uint16_t)sectors, (uint8_t)kind, kind == SL_TRAFFIC_LOAD, slot};
    return !s->config.wants_traffic || !sectors || sl_array_push(&s->traffic, t);
}

/* The line is not there: the one used longest ago makes room. NULL: memory ran out. */
static line_state *bring_line(sl_shared *s, uint64_t *tag, line_state *lines, uint64_t line, uint64_t time)
{
    uint32_t victim = 0;
    for (uint32_t w = 1; w < s->level->ways; w++)
        if (lines[w].stamp < lines[victim].stamp)
            victim = w;
    if (lines[victim].dirty) {
        s->counts[s->config.slots].written += sl_sector_count(lines[victim].dirty);
        if (!send_below(s, time, tag[victim] - 1, lines[victim].dirty, SL_TRAFFIC_STORE, s->config.slots))
            return NULL;
    }
    tag[victim] = line + 1;
    lines[victim] = (line_state){.stamp = s->clock};
    return &lines[victim];
}

/* The line, with no sector valid where it has just come in. NULL: memory ran out. */
static line_state *find_line(sl_shared *s, uint64_t line, uint64_t time)
{
    uint32_t ways = s->level->ways;
    size_t first = (size_t)sl_level_set(s->level, line << s->log2_line) * ways;
    uint64_t *tag = &s->tag[first];
    line_state *lines = &s->lines[first];
    s->clock++;
    for (uint32_t w = 0; w < ways; w++)
        if (tag[w] == line + 1) {
            lines[w].stamp = s->clock;
            return &lines[w];
        }
    return bring_line(s, tag, lines, line, time);
}

/* Sectors that come from below when these are missing: whole groups, less what is there. */
static uint32_t fill_of(const sl_shared *s, uint32_t missing, uint32_t valid)
{
    uint32_t group = (1u << s->fill_sectors) - 1, fill = 0;
    for (uint32_t at = 0; at < 16; at += s->fill_sectors)
        if (missing & group << at)
            fill |= group << at;
    return fill & ~valid & 0xffff;
}

static bool take_line(sl_shared *s, const sl_traffic *t, uint64_t line, uint32_t sectors)
{
    sl_shared_counts *counts = &s->counts[t->slot];
    line_state *l = find_line(s, line, t->time);
    if (!l)
        return false;
    uint32_t missing = sectors & ~l->valid;
    if (t->kind == SL_TRAFFIC_STORE) { /* whole sectors or masks of bytes: nothing is fetched */
        counts->writes += sl_sector_count(sectors);
        l->valid |= (uint16_t)sectors;
        l->dirty |= (uint16_t)sectors;
        return true;
    }
    if (t->kind == SL_TRAFFIC_LOAD && t->counted) {
        counts->reads += sl_sector_count(sectors);
        counts->read_hits += sl_sector_count(sectors & l->valid);
    }
    if (t->kind == SL_TRAFFIC_ATOMIC)
        l->dirty |= (uint16_t)sectors;
    if (!missing)
        return true;
    uint32_t fill = fill_of(s, missing, l->valid);
    counts->filled += sl_sector_count(fill);
    l->valid |= (uint16_t)fill;
    return send_below(s, t->time, line, fill, SL_TRAFFIC_LOAD, t->slot);
}

/* Some sectors of one line. */
static bool take_sectors(sl_shared *s, const sl_traffic *t, uint64_t line, uint32_t sectors)
{
    if (sectors && t->kind == SL_TRAFFIC_LOAD && s->joined)
        sectors = not_joined(s, t, line << (s->log2_line - s->log2_sector), sectors);
    return !sectors || take_line(s, t, line, sectors);
}

/* Sectors of the level above, as those of this one, from the start of the same line. */
static uint64_t own_sectors(const sl_shared *s, uint32_t above)
{
    unsigned per_sector = s->log2_above_sector - s->log2_sector; /* sectors here for one above, as a power of two */
    uint64_t sectors = 0;
    if (!per_sector)
        return above;
    for (uint32_t left = above; left; left &= left - 1)
        sectors |= ((UINT64_C(1) << (1u << per_sector)) - 1) << ((uint32_t)__builtin_ctz(left) << per_sector);
    return sectors;
}

bool sl_shared_take(sl_shared *s, const sl_traffic *t)
{
    uint64_t sectors = own_sectors(s, t->sectors);
    if (s->log2_above_line == s->log2_line)
        return take_sectors(s, t, t->line, (uint32_t)sectors);
    uint64_t first = t->line << (s->log2_above_line - s->log2_sector);
    uint32_t line_sectors = 1u << (s->log2_line - s->log2_sector);
    for (uint32_t at = 0; sectors >> at; at += line_sectors) {
        uint64_t line = (first + at) >> (s->log2_line - s->log2_sector);
        uint32_t shift = (uint32_t)((first + at) & (line_sectors - 1));
        uint32_t mask = (uint32_t)(sectors >> at) & ((1u << line_sectors) - 1);
        if (!take_sectors(s, t, line, mask << shift))
            return false;
    }
    return true;
}

/* ---- life ---- */

sl_status sl_shared_create(const sl_shared_config *config, sl_shared **shared, sl_error *error)
{
    const sl_level *level = config->level, *above = config->above;
    if (level->line_bytes / level->sector_bytes > 16 || above->line_bytes / above->sector_bytes > 16 ||
        above->line_bytes / level->sector_bytes > 32 || above->sector_bytes < level->sector_bytes)
        return sl_fail(
            error, SL_UNSUPPORTED,
            "%s with sectors of %u bytes behind %s with lines of %u and sectors of %u is more than the model "
            "takes",
            level->name, level->sector_bytes, above->name, above->line_bytes, above->sector_bytes);
    sl_shared *s = calloc(1, sizeof *s);
    if (!s)
        return sl_fail_memory(error);
    s->config = *config;
    s->level = level;
    s->log2_line = (unsigned)__builtin_ctz(level->line_bytes);
    s->log2_sector = (unsigned)__builtin_ctz(level->sector_bytes);
    s->log2_above_line = (unsigned)__builtin_ctz(above->line_bytes);
    s->log2_above_sector = (unsigned)__builtin_ctz(above->sector_bytes);
    s->fill_sectors = level->fill_bytes / level->sector_bytes;
    s->tag = calloc((size_t)level->sets * level->ways, sizeof *s->tag);
    s->lines = calloc((size_t)level->sets * level->ways, sizeof *s->lines);
    s->counts = calloc(config->slots + 1, sizeof *s->counts);
    bool joins = above->merge_cores > 1 && config->merge_steps;
    if (joins)
        s->joined = calloc(JOINED_SLOTS, sizeof *s->joined);
    if (!s->tag || !s->lines || !s->counts || (joins && !s->joined)) {
        sl_shared_destroy(s);
        return sl_fail_memory(error);
    }
    *shared = s;
    return SL_OK;
}

void sl_shared_destroy(sl_shared *s)
{
    if (!s)
        return;
    free(s->tag);
    free(s->lines);
    free(s->joined);
    free(s->counts);
    sl_array_free(&s->traffic);
    free(s);
}

const sl_shared_counts *sl_shared_result(const sl_shared *s)
{
    return s->counts;
}

const sl_traffic *sl_shared_traffic(const sl_shared *s, size_t *count)
{
    *count = s->traffic.count;
    return s->traffic.items;
}
