/* SPDX-License-Identifier: MIT */
#include "model/shared.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "access/partition.h"
#include "access/request.h"
#include "policy/policy.h"

typedef struct line_state {
    uint64_t stamp;        /* of its last use; 0: free */
    uint16_t valid, dirty; /* masks of sectors */
    uint16_t kept;         /* valid before this launch, and not read by it so far */
    bool reused;
} line_state;

/* A request of a group of cores that is in flight, and how many were merged with it. */
typedef struct coalesced {
    uint64_t line;
    uint64_t until;
    uint32_t group, sectors; /* sectors 0: free */
    uint32_t reads;          /* those that were merged, and itself */
    uint32_t round;          /* another than that of the cache: free */
} coalesced;

enum { LOG2_COALESCED = 16, ALL_GROUPS = -1 };

struct sl_shared {
    sl_shared_config config;
    const sl_level *level;
    unsigned log2_line, log2_sector, log2_above_line, log2_above_sector;
    uint32_t fill_sectors; /* that come together */
    uint32_t line_mask;    /* all sectors of a line */
    uint32_t partitions, partition_ways;
    uint64_t *tag; /* [partitions * sets * partition_ways]: line + 1; 0: free. Separate: most requests read only tags */
    line_state *lines; /* [partitions * sets * partition_ways] */
    uint32_t
        *set_epoch; /* [partitions * sets]: what a set holds of another epoch than this is of an earlier cache that */
    uint32_t epoch; /* had the memory: most sets of a large cache are not accessed in a small launch */
    uint32_t round; /* the same for `coalesced`, of each launch */
    uint64_t now, first;  /* first: before the launch */
    sl_policy policy;     /* ops NULL: LRU, for which the stamps do. Sets of all partitions are sets to it */
    uint64_t *all_ways;   /* a mask: all of them may be evicted */
    coalesced *coalesced; /* by line and group, later ones replace; NULL: there is no coalescer */
    sl_shared_counts *counts;
    sl_large_array traffic; /* of sl_traffic */
    size_t size;            /* lines in all sets */
};

/* ---- coalescing across SMs ---- */

static coalesced *find_coalesced(const sl_shared *s, const sl_traffic *t, uint32_t group)
{
    uint64_t hash = (t->line * 0x9e3779b97f4a7c15u ^ (uint64_t)group << 32) * 0xd6e8feb86659fd93u;
    return &s->coalesced[hash >> (64 - LOG2_COALESCED)];
}

/* A read of its line by its group is there, and may be merged with. */
static bool is_open(const sl_shared *s, const coalesced *j, const sl_traffic *t, uint32_t group)
{
    return j->sectors && j->round == s->round && j->line == t->line && j->group == group && t->time < j->until &&
           sl_coalescer_takes(s->config.above, j->reads);
}

/* When a read that was sent at `time` is answered, less the way there and back. One of a line in flight waits for it.
 */
static uint64_t answered_at(const sl_shared *s, const sl_traffic *t, bool hit)
{
    uint32_t cycles = hit ? s->level->hit_cycles : s->config.miss_cycles, way = 2 * s->level->network_cycles;
    uint64_t at = t->time + (cycles > way ? cycles - way : 0);
    coalesced *fetched = find_coalesced(s, t, ALL_GROUPS);
    if (!hit)
        *fetched = (coalesced){.line = t->line, .until = at, .round = s->round};
    bool waits = hit && fetched->round == s->round && fetched->line == t->line && fetched->until > at;
    return waits ? fetched->until : at;
}

/* ---- the cache ---- */

static bool send_below(sl_shared *s, uint64_t time, uint64_t line, uint32_t sectors, sl_mem_access kind, uint32_t slot)
{
    if (!s->config.wants_traffic || !sectors)
        return true;
    sl_traffic *t = sl_large_array_add(&s->traffic, sizeof *t);
    if (t)
        *t = (sl_traffic){time, line, (uint16_t)sectors, (uint8_t)kind, kind == SL_ACCESS_LOAD, slot};
    return t;
}

/* The victim way of a set: a free one, the LRU one, or the policy's choice. */
static uint32_t find_room(sl_shared *s, const line_state *lines, const sl_cache_access *access)
{
    uint32_t victim = 0;
    for (uint32_t w = 1; w < s->partition_ways; w++)
        if (lines[w].stamp < lines[victim].stamp)
            victim = w;
    if (!s->policy.ops || !lines[victim].stamp)
        return victim;
    sl_way_mask all = {s->all_ways, s->partition_ways};
    victim = sl_policy_victim(&s->policy, access, &all);
    sl_policy_evict(&s->policy, access->set, victim, lines[victim].reused);
    return victim;
}

/* Allocates a line after a miss. NULL: memory ran out. */
static line_state *allocate_line(sl_shared *s, uint64_t *tag, line_state *lines, uint64_t time,
                                 const sl_cache_access *access)
{
    uint32_t victim = find_room(s, lines, access);
    if (lines[victim].dirty) {
        s->counts[s->config.slots].written += sl_sector_count(lines[victim].dirty);
        if (!send_below(s, time, tag[victim] - 1, lines[victim].dirty, SL_ACCESS_STORE, s->config.slots))
            return NULL;
    }
    tag[victim] = access->line + 1;
    lines[victim] = (line_state){.stamp = s->now};
    if (s->policy.ops)
        sl_policy_fill(&s->policy, access, victim);
    return &lines[victim];
}

/* The line in one partition, with no sector valid where it was just allocated. NULL: memory ran out. */
static line_state *find_line(sl_shared *s, const sl_traffic *t, uint32_t part, uint64_t line)
{
    uint32_t ways = s->partition_ways;
    size_t set = (size_t)part * s->level->sets + sl_level_set(s->level, line << s->log2_line);
    uint64_t *tag = &s->tag[set * ways];
    line_state *lines = &s->lines[set * ways];
    sl_cache_access access = {.line = line, .set = (uint32_t)set, .pc = t->slot, .kind = (sl_mem_access)t->kind};
    s->now++;
    if (__builtin_expect(s->set_epoch[set] != s->epoch, false)) {
        memset(tag, 0, ways * sizeof *tag);
        memset(lines, 0, ways * sizeof *lines);
        s->set_epoch[set] = s->epoch;
    }
    for (uint32_t w = 0; w < ways; w++)
        if (tag[w] == line + 1) {
            if (lines[w].stamp <= s->first)
                lines[w].kept = lines[w].valid;
            lines[w].stamp = s->now;
            if (s->policy.ops) {
                lines[w].reused = true;
                sl_policy_hit(&s->policy, &access, w);
            }
            return &lines[w];
        }
    return allocate_line(s, tag, lines, t->time, &access);
}

/* Sectors that are filled when these miss: whole groups. */
static uint32_t fill_of(const sl_shared *s, uint32_t missing)
{
    uint32_t group = (1u << s->fill_sectors) - 1, fill = 0;
    for (uint32_t at = 0; at < 16; at += s->fill_sectors)
        if (missing & group << at)
            fill |= group << at;
    return fill & s->line_mask;
}

/* Fills sectors of a line of the partition that is their home. */
static bool fill_home(sl_shared *s, const sl_traffic *t, line_state *l, uint64_t line, uint32_t missing)
{
    uint32_t fill = fill_of(s, missing) & ~l->valid;
    s->counts[t->slot].filled += sl_sector_count(fill);
    l->valid |= (uint16_t)fill;
    return send_below(s, t->time, line, fill, SL_ACCESS_LOAD, t->slot);
}

static bool read_line(sl_shared *s, const sl_traffic *t, uint32_t part, uint64_t line, uint32_t sectors)
{
    sl_shared_counts *counts = &s->counts[t->slot];
    uint32_t home = sl_partition_home(s->level, line);
    line_state *l = find_line(s, t, part, line);
    if (!l)
        return false;
    uint32_t missing = sectors & ~l->valid;
    counts->kept += sl_sector_count(sectors & l->kept);
    l->kept &= (uint16_t)~sectors;
    if (t->counted) {
        counts->reads += sl_sector_count(sectors);
        counts->read_hits += sl_sector_count(sectors & l->valid);
    }
    if (!missing)
        return true;
    if (home == part)
        return fill_home(s, t, l, line, missing);
    l->valid |= (uint16_t)fill_of(s, missing);
    line_state *h = find_line(s, t, home, line);
    if (!h)
        return false;
    counts->kept += sl_sector_count(missing & h->kept);
    h->kept &= (uint16_t)~missing;
    missing &= ~h->valid;
    return !missing || fill_home(s, t, h, line, missing);
}

/* Stores and atomics are done at home, where nothing is fetched for a store. */
static bool write_line(sl_shared *s, const sl_traffic *t, uint64_t line, uint32_t sectors)
{
    line_state *l = find_line(s, t, sl_partition_home(s->level, line), line);
    if (!l)
        return false;
    bool fetched = true;
    if (t->kind == SL_ACCESS_ATOMIC && sectors & ~l->valid)
        fetched = fill_home(s, t, l, line, sectors & ~l->valid);
    if (t->kind == SL_ACCESS_STORE)
        s->counts[t->slot].writes += sl_sector_count(sectors);
    l->valid |= (uint16_t)sectors;
    l->dirty |= (uint16_t)sectors;
    return fetched;
}

/* Some sectors of one line. */
static bool access_line(sl_shared *s, const sl_traffic *t, uint32_t part, uint64_t line, uint32_t sectors)
{
    if (!sectors)
        return true;
    return t->kind == SL_ACCESS_LOAD ? read_line(s, t, part, line, sectors) : write_line(s, t, line, sectors);
}

/* Sectors of the level above, as those of this one, from the start of the same line. */
static uint64_t level_sectors(const sl_shared *s, uint32_t above)
{
    unsigned per_sector = s->log2_above_sector - s->log2_sector; /* sectors here for one above, as a power of two */
    uint64_t sectors = 0;
    if (!per_sector)
        return above;
    for (uint32_t left = above; left; left &= left - 1)
        sectors |= ((UINT64_C(1) << (1u << per_sector)) - 1) << ((uint32_t)__builtin_ctz(left) << per_sector);
    return sectors;
}

/* The sectors of a request, which may be of several lines here. */
static bool access_sectors(sl_shared *s, const sl_traffic *t, uint32_t part)
{
    uint64_t sectors = level_sectors(s, t->sectors);
    if (s->log2_above_line == s->log2_line)
        return access_line(s, t, part, t->line, (uint32_t)sectors);
    uint64_t first = t->line << (s->log2_above_line - s->log2_sector);
    uint32_t line_sectors = 1u << (s->log2_line - s->log2_sector);
    for (uint32_t at = 0; sectors >> at; at += line_sectors) {
        uint64_t line = (first + at) >> (s->log2_line - s->log2_sector);
        uint32_t shift = (uint32_t)((first + at) & (line_sectors - 1));
        uint32_t mask = (uint32_t)(sectors >> at) & s->line_mask;
        if (!access_line(s, t, part, line, mask << shift))
            return false;
    }
    return true;
}

bool sl_shared_access(sl_shared *s, const sl_traffic *t, uint32_t source)
{
    uint32_t group = sl_coalescer_of(s->config.above, source),
             part = sl_partition_of(s->level, s->config.above, source);
    if (t->kind == SL_ACCESS_BULK_LOAD) { /* nothing is merged with these */
        sl_traffic load = *t;
        load.kind = SL_ACCESS_LOAD;
        return access_sectors(s, &load, part);
    }
    if (t->kind != SL_ACCESS_LOAD || !s->coalesced)
        return access_sectors(s, t, part);
    coalesced *j = find_coalesced(s, t, group);
    bool open = is_open(s, j, t, group);
    if (open && j->sectors == t->sectors) {
        j->reads++;
        return true;
    }
    uint64_t filled = s->counts[t->slot].filled;
    if (!access_sectors(s, t, part))
        return false;
    bool hit = s->counts[t->slot].filled == filled;
    *j = open ? (coalesced){0} : (coalesced){t->line, answered_at(s, t, hit), group, t->sectors, 1, s->round};
    return true;
}

/* ---- life ---- */

/* Pages that cost nothing until they are accessed: a small launch reaches few lines of a large cache, and calloc would
 * clear all of them for each launch (three quarters of the time of 4,000 small launches on an H200). NULL: none left.
 */
static void *zeroed(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static sl_status make_replacement(sl_shared *s, sl_error *error)
{
    sl_policy_choice choice;
    if (s->policy.ops)
        return SL_OK;
    sl_status status = sl_policy_parse_among(s->level->policies, s->level->replacement, &choice, error);
    if (status || (!s->config.no_stamps && !strcmp(choice.ops->name, "lru")))
        return status;
    s->all_ways = calloc((s->partition_ways + 63) / 64, sizeof *s->all_ways);
    if (!s->all_ways)
        return sl_fail_memory(error);
    for (uint32_t w = 0; w < s->partition_ways; w++)
        s->all_ways[w / 64] |= UINT64_C(1) << (w % 64);
    sl_cache_geometry shape = {
        .sets = s->partitions * s->level->sets, .ways = s->partition_ways, .seed = s->config.seed};
    return sl_policy_init(&s->policy, &choice, &shape, error);
}

/* Takes over what a cache as large holds. */
static void keep_contents(sl_shared *s, sl_shared *spare)
{
    s->epoch = spare->epoch;
    s->now = s->first = spare->now;
    s->policy = spare->policy;
    s->all_ways = spare->all_ways;
    spare->policy = (sl_policy){0};
    spare->all_ways = NULL;
}

/* Takes over the pages of a cache as large, which earlier launches have accessed; unless it is kept, what they held is
 * of an earlier epoch. */
static bool make_pages(sl_shared *s, sl_shared *spare)
{
    size_t sets = (size_t)s->partitions * s->level->sets;
    bool merges = sl_coalescer_exists(s->config.above);
    s->size = sets * s->partition_ways;
    s->epoch = s->round = 1;
    if (spare && spare->size == s->size && spare->partition_ways == s->partition_ways && !spare->coalesced == !merges &&
        spare->epoch < UINT32_MAX && spare->round < UINT32_MAX) {
        s->tag = spare->tag;
        s->lines = spare->lines;
        s->set_epoch = spare->set_epoch;
        s->coalesced = spare->coalesced;
        s->epoch = spare->epoch + 1;
        s->round = spare->round + 1;
        if (s->config.keeps)
            keep_contents(s, spare);
        spare->tag = NULL;
        spare->lines = NULL;
        spare->set_epoch = NULL;
        spare->coalesced = NULL;
        return true;
    }
    s->tag = zeroed(s->size * sizeof *s->tag);
    s->lines = zeroed(s->size * sizeof *s->lines);
    s->set_epoch = zeroed(sets * sizeof *s->set_epoch);
    if (merges)
        s->coalesced = zeroed(sizeof *s->coalesced << LOG2_COALESCED);
    return s->tag && s->lines && s->set_epoch && (!merges || s->coalesced);
}

static sl_status check_levels(const sl_level *level, const sl_level *above, sl_error *error)
{
    if (level->line_bytes / level->sector_bytes > 16 || above->line_bytes / above->sector_bytes > 16 ||
        above->line_bytes / level->sector_bytes > 32 || above->sector_bytes < level->sector_bytes)
        return sl_fail(
            error, SL_UNSUPPORTED,
            "%s with sectors of %u bytes below %s with lines of %u and sectors of %u is not supported by the "
            "model",
            level->name, level->sector_bytes, above->name, above->line_bytes, above->sector_bytes);
    return SL_OK;
}

sl_status sl_shared_create(const sl_shared_config *config, sl_shared *spare, sl_shared **shared, sl_error *error)
{
    const sl_level *level = config->level, *above = config->above;
    sl_status status = check_levels(level, above, error);
    sl_shared *s = status ? NULL : calloc(1, sizeof *s);
    if (!s) {
        sl_shared_destroy(spare);
        return status ? status : sl_fail_memory(error);
    }
    s->config = *config;
    s->traffic = (sl_large_array){.folder = config->spill, .limit = SL_MAX_TRAFFIC};
    s->level = level;
    s->log2_line = (unsigned)__builtin_ctz(level->line_bytes);
    s->log2_sector = (unsigned)__builtin_ctz(level->sector_bytes);
    s->log2_above_line = (unsigned)__builtin_ctz(above->line_bytes);
    s->log2_above_sector = (unsigned)__builtin_ctz(above->sector_bytes);
    s->fill_sectors = level->fill_bytes / level->sector_bytes;
    s->line_mask = (uint32_t)((UINT64_C(1) << (level->line_bytes / level->sector_bytes)) - 1);
    s->partitions = sl_partitions(level);
    s->partition_ways = level->ways / s->partitions ? level->ways / s->partitions : 1;
    s->counts = calloc(config->slots + 1, sizeof *s->counts);
    bool made = make_pages(s, spare) && s->counts;
    sl_shared_destroy(spare);
    status = made ? make_replacement(s, error) : sl_fail_memory(error);
    if (status)
        sl_shared_destroy(s);
    else
        *shared = s;
    return status;
}

void sl_shared_destroy(sl_shared *s)
{
    if (!s)
        return;
    if (s->tag)
        munmap(s->tag, s->size * sizeof *s->tag);
    if (s->lines)
        munmap(s->lines, s->size * sizeof *s->lines);
    if (s->set_epoch)
        munmap(s->set_epoch, s->size / s->partition_ways * sizeof *s->set_epoch);
    if (s->coalesced)
        munmap(s->coalesced, sizeof *s->coalesced << LOG2_COALESCED);
    free(s->counts);
    sl_policy_fini(&s->policy);
    free(s->all_ways);
    sl_large_array_free(&s->traffic);
    free(s);
}

void sl_shared_drop_traffic(sl_shared *s)
{
    sl_large_array_free(&s->traffic);
}

sl_status sl_shared_check(const sl_shared *s, sl_error *error)
{
    return sl_policy_check(&s->policy, error);
}

const sl_shared_counts *sl_shared_result(const sl_shared *s)
{
    return s->counts;
}

const sl_large_array *sl_shared_traffic(const sl_shared *s)
{
    return &s->traffic;
}
