/* SPDX-License-Identifier: MIT */
/* Decoupled L1D: a set has more tags than lines, and a line is allocated only to a tag with enough re-references. Li et
 * al., "Locality-driven dynamic GPU cache bypassing", ICS 2015, section 4.
 *
 * Tags with a line are committed, the others are candidates. The policy keeps separate tags; committed ones follow the
 * cache's fills and evictions. A candidate counts its references (RC), the first included, as figure 3 and
 * section 6.1(c) do; at `threshold` it gets a line. A new tag replaces the one with the lowest count of all, LRU among
 * equals; where that one has a line, the line is evicted. Each allocation ages the counts of all other tags of the set;
 * the tag of an evicted line becomes a candidate with a count of 0.
 *
 * SM dueling (4.3): the first two caches of the level lead; cache 0 runs this design and cache 1 the baseline. At the
 * end of each epoch in which both were accessed, all others change to the baseline if it misses less, otherwise to the
 * design, until the next comparison. Counts are of the whole run. With `leaders=follow` "all the SMs" includes the
 * leaders, which then lead in one epoch of `sample` only. The end of an epoch is noticed at the first access after it.
 * With fewer than three caches all run the design. Caches on the baseline maintain their tags, too, so that they can
 * change sides at any time. Of the loads of a leader, those that miss or bypass are misses; pending hits are not, as in
 * the miss rate of GPGPU-Sim 3.2.2, on which the paper ran.
 *
 * A lookup takes an additional cycle (6.5). Only loads are filtered and counted. */
#include "policy/policy.h"
#include "policy/states.h"

enum { TAGS, THRESHOLD, RC_BITS, RC_INIT, VICTIMS, DUELING, EPOCH, MARGIN, TIE, MISSES, LEADERS, SAMPLE };
enum { VICTIMS_CANDIDATES, VICTIMS_ALL };
enum { OFF, ON };
enum { TIE_KEEP, TIE_DESIGN };
enum { MISSES_ONLY, MISSES_BYPASSES, MISSES_PENDING };
enum { LEADERS_FOLLOW, LEADERS_STAY };

typedef struct tag {
    uint64_t line;  /* line + 1; 0: free */
    uint64_t stamp; /* of its last use */
    uint32_t rc;
    uint32_t way; /* where its line is; SL_NO_WAY: a candidate */
} tag;

/* State shared by the caches of a level. The first two are leaders. */
typedef struct dueling {
    uint64_t requests[2], accesses[2], misses[2];
    uint64_t epoch;   /* the last one that began */
    uint64_t decided; /* the one that began with the last comparison */
    bool compared;    /* before, followers run the baseline */
    bool follow;      /* no sample now: leaders follow, too */
    bool design_on;
    uint64_t changes;
} dueling;

typedef struct decoupled {
    tag *tags;        /* [sets * per_set] */
    uint32_t *tag_of; /* [sets * ways]: tag within the set of each line; SL_NO_WAY: none */
    uint32_t per_set, ways, threshold, rc_max, rc_init;
    bool any_victim, tie_is_design, leaders_stay;
    uint64_t epoch_cycles, margin, sample, counted;
    uint64_t now;
    uint32_t given_up, given_set; /* way of a committed tag that made room at the last request; SL_NO_WAY: none */
    dueling *dueling;             /* NULL: this cache always runs the design */
    uint32_t instance;
    uint64_t new_tags, waiting, admitted; /* loads that missed: without a tag, below the threshold, at the threshold */
    uint64_t unfiltered;                  /* … under the baseline */
} decoupled;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    decoupled *d = self;
    d->ways = geometry->ways;
    d->per_set = value[TAGS] ? (uint32_t)value[TAGS] : 2 * geometry->ways;
    if (d->per_set <= geometry->ways)
        return sl_fail(error, SL_INVALID, "policy 'decoupled': 'tags' must be more than the %u ways of the cache",
                       geometry->ways);
    d->threshold = (uint32_t)value[THRESHOLD];
    d->rc_max = (1u << value[RC_BITS]) - 1;
    d->rc_init = (uint32_t)value[RC_INIT];
    if (d->threshold > d->rc_max || d->rc_init > d->rc_max)
        return sl_fail(error, SL_INVALID, "policy 'decoupled': '%s' exceeds the maximum of a %u-bit counter",
                       d->threshold > d->rc_max ? "threshold" : "rc_init", (uint32_t)value[RC_BITS]);
    d->any_victim = value[VICTIMS] == VICTIMS_ALL;
    d->epoch_cycles = value[EPOCH];
    d->margin = value[MARGIN];
    d->tie_is_design = value[TIE] == TIE_DESIGN;
    d->counted = value[MISSES];
    d->leaders_stay = value[LEADERS] == LEADERS_STAY;
    d->sample = value[SAMPLE];
    d->instance = geometry->instance;
    d->dueling = value[DUELING] == ON && geometry->instances >= 3 ? geometry->shared : NULL;
    d->given_up = SL_NO_WAY;
    d->tags = sl_arena_array(arena, tag, (size_t)geometry->sets * d->per_set);
    d->tag_of = sl_arena_array(arena, uint32_t, (size_t)geometry->sets * geometry->ways);
    if (!d->tags || !d->tag_of)
        return sl_fail_memory(error);
    for (size_t i = 0; i < (size_t)geometry->sets * geometry->ways; i++)
        d->tag_of[i] = SL_NO_WAY;
    return SL_OK;
}

/* ---- SM dueling ---- */

/* Whether the miss rate of a exceeds that of b by more than `margin` points. */
static bool misses_more(const decoupled *d, uint32_t a, uint32_t b)
{
    const dueling *u = d->dueling;
    uint64_t all_a = u->accesses[a] ? u->accesses[a] : 1, all_b = u->accesses[b] ? u->accesses[b] : 1;
    unsigned __int128 misses_a = (unsigned __int128)u->misses[a] * all_b;
    unsigned __int128 misses_b = (unsigned __int128)u->misses[b] * all_a;
    return misses_a * 100 > misses_b * 100 + (unsigned __int128)all_a * all_b * d->margin;
}

static void compare(decoupled *d)
{
    dueling *u = d->dueling;
    bool was_on = u->design_on;
    if (misses_more(d, 0, 1))
        u->design_on = false;
    else if (!u->compared || d->tie_is_design || misses_more(d, 1, 0))
        u->design_on = true;
    u->compared = true;
    u->changes += u->design_on != was_on;
}

static void end_epoch(decoupled *d)
{
    dueling *u = d->dueling;
    if (u->follow) {
        u->follow = u->epoch - u->decided < d->sample - 1;
    } else if (u->requests[0] && u->requests[1]) {
        compare(d);
        u->follow = !d->leaders_stay && d->sample > 1;
        u->decided = u->epoch;
    }
}

/* A load, before the decision on it. */
static void notice_time(decoupled *d, const sl_cache_access *access)
{
    dueling *u = d->dueling;
    uint64_t epoch = u ? access->now / d->epoch_cycles : 0;
    if (u && epoch > u->epoch) {
        u->epoch = epoch;
        end_epoch(d);
    }
}

/* The same load, after it. */
static void count(decoupled *d, bool miss, bool bypass)
{
    dueling *u = d->dueling;
    if (!u || d->instance >= 2 || u->follow)
        return;
    u->requests[d->instance]++;
    u->accesses[d->instance] += !bypass || d->counted != MISSES_ONLY;
    u->misses[d->instance] += bypass ? d->counted != MISSES_ONLY : miss;
}

static bool runs_design(const decoupled *d)
{
    const dueling *u = d->dueling;
    return !u || (d->instance < 2 && !u->follow ? d->instance == 0 : u->design_on);
}

/* ---- tags ---- */

static tag *tags_of(decoupled *d, uint32_t set)
{
    return &d->tags[(size_t)set * d->per_set];
}

static tag *find(decoupled *d, uint32_t set, uint64_t line)
{
    tag *tags = tags_of(d, set);
    for (uint32_t t = 0; t < d->per_set; t++)
        if (tags[t].line == line + 1)
            return &tags[t];
    return NULL;
}

/* The entry for a new tag: a free one, or the candidate with the lowest count. Committed tags whose lines are among
 * `ways` can be replaced as well. There always is one, as there are more tags than lines. */
static tag *position(decoupled *d, uint32_t set, const sl_way_mask *ways)
{
    tag *tags = tags_of(d, set), *best = NULL;
    for (uint32_t t = 0; t < d->per_set; t++) {
        tag *at = &tags[t];
        if (!at->line)
            return at;
        if (at->way != SL_NO_WAY && !(ways && sl_way_in(ways, at->way)))
            continue;
        if (!best || at->rc < best->rc || (at->rc == best->rc && at->stamp < best->stamp))
            best = at;
    }
    return best;
}

static tag *new_tag(decoupled *d, const sl_cache_access *access, const sl_way_mask *ways)
{
    tag *t = position(d, access->set, ways);
    if (t->line && t->way != SL_NO_WAY) {
        d->tag_of[(size_t)access->set * d->ways + t->way] = SL_NO_WAY;
        d->given_up = t->way;
        d->given_set = access->set;
    }
    *t = (tag){.line = access->line + 1, .stamp = ++d->now, .rc = d->rc_init, .way = SL_NO_WAY};
    return t;
}

/* ---- hooks of the cache ---- */

static sl_admission filter(decoupled *d, const sl_cache_access *access, const sl_way_mask *choices)
{
    if (!runs_design(d)) {
        d->unfiltered++;
        return SL_ADMIT;
    }
    tag *t = find(d, access->set, access->line);
    if (!t && d->rc_init < d->threshold) {
        d->new_tags++;
        new_tag(d, access, d->any_victim ? choices : NULL);
        return SL_BYPASS;
    }
    if (t) {
        t->stamp = ++d->now;
        t->rc += t->way == SL_NO_WAY && t->rc < d->rc_max;
        if (t->way == SL_NO_WAY && t->rc < d->threshold) {
            d->waiting++;
            return SL_BYPASS;
        }
    }
    d->admitted++;
    return SL_ADMIT;
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    decoupled *d = self;
    if (!sl_access_reads(access))
        return SL_ADMIT;
    d->given_up = SL_NO_WAY;
    notice_time(d, access);
    sl_admission admission = filter(d, access, choices);
    count(d, true, admission == SL_BYPASS);
    return admission;
}

static uint32_t evict_on_bypass(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    decoupled *d = self;
    uint32_t way = d->given_set == access->set ? d->given_up : SL_NO_WAY;
    d->given_up = SL_NO_WAY;
    return way != SL_NO_WAY && sl_way_in(evictable, way) ? way : SL_NO_WAY;
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    decoupled *d = self;
    if (sl_access_reads(access)) {
        notice_time(d, access);
        count(d, access->pending && d->counted == MISSES_PENDING, false);
    }
    uint32_t t = d->tag_of[(size_t)access->set * d->ways + way];
    if (t != SL_NO_WAY)
        tags_of(d, access->set)[t].stamp = ++d->now;
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    decoupled *d = self;
    tag *tags = tags_of(d, access->set), *mine = find(d, access->set, access->line);
    if (!mine)
        mine = new_tag(d, access, NULL);
    for (uint32_t t = 0; t < d->per_set; t++)
        tags[t].rc -= &tags[t] != mine && tags[t].rc > 0;
    mine->way = way;
    d->tag_of[(size_t)access->set * d->ways + way] = (uint32_t)(mine - tags);
}

static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    decoupled *d = self;
    uint32_t *t = &d->tag_of[(size_t)set * d->ways + way];
    (void)reused;
    if (*t == SL_NO_WAY)
        return;
    tags_of(d, set)[*t].way = SL_NO_WAY;
    tags_of(d, set)[*t].rc = 0;
    *t = SL_NO_WAY;
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const decoupled *d = self;
    statistics->number(statistics->to, "new_tags", d->new_tags);
    statistics->number(statistics->to, "below_threshold", d->waiting);
    statistics->number(statistics->to, "at_threshold", d->admitted);
    statistics->number(statistics->to, "unfiltered", d->unfiltered);
    statistics->number(statistics->to, "design_on", runs_design(d));
    statistics->number(statistics->to, "dueling_changes", d->dueling ? d->dueling->changes : 0);
}

static const char *const victims_words[] = {"candidates", "all", NULL};
static const char *const dueling_words[] = {"off", "on", NULL};
static const char *const tie_words[] = {"keep", "design", NULL};
static const char *const misses_words[] = {"only", "bypasses", "pending", NULL};
static const char *const leaders_words[] = {"follow", "stay", NULL};
static const uint64_t thresholds[] = {1, 2, 3, 4, 5, 6, 7, 8, 0};

static const sl_param params[] = {
    {"tags", SL_PARAM_COUNT, 0, 0, 65536, NULL,
     "tags per set, more than the ways; 0: twice the ways (the paper's 8 for 4)", NULL},
    {"threshold", SL_PARAM_COUNT, 2, 0, 65535, NULL, "references after which a tag gets a line; 0: at once",
     thresholds},
    {"rc_bits", SL_PARAM_COUNT, 6, 1, 16, NULL, "bits of the reference counter", NULL},
    {"rc_init", SL_PARAM_COUNT, 1, 0, 65535, NULL, "count of a new tag; 0: the first reference does not count", NULL},
    {"victims", SL_PARAM_WORD, VICTIMS_ALL, 0, 0, victims_words,
     "tags that a new one can replace: all, also those with a line, which is then evicted; candidates only", NULL},
    {"dueling", SL_PARAM_WORD, ON, 0, 0, dueling_words,
     "on: SM dueling, the first two caches of the level lead, the others follow; off, or with fewer than three caches: "
     "all filter",
     NULL},
    {"epoch", SL_PARAM_COUNT, 500, 1, UINT32_MAX, NULL, "cycles per epoch of SM dueling", NULL},
    {"margin", SL_PARAM_COUNT, 10, 0, 100, NULL,
     "difference of miss rates that decides SM dueling, in percentage points", NULL},
    {"tie", SL_PARAM_WORD, TIE_DESIGN, 0, 0, tie_words,
     "below that difference: the design, or keep the current side (initially the design)", NULL},
    {"misses", SL_PARAM_WORD, MISSES_BYPASSES, 0, 0, misses_words,
     "misses of SM dueling: only those of requests that do not bypass, which are no accesses then; bypasses, too; "
     "pending hits, too",
     NULL},
    {"leaders", SL_PARAM_WORD, LEADERS_STAY, 0, 0, leaders_words,
     "leaders of SM dueling stay on their sides; follow the decision, too, between samples", NULL},
    {"sample", SL_PARAM_COUNT, 16, 1, UINT32_MAX, NULL, "leaders=follow: one epoch in this many is a sample", NULL},
    {0},
};

/* Figures 6 and 7 of the paper; a test walks through each. */
const sl_policy_transition sl_decoupled_states[] = {
    {"no tag", "probe miss", "candidate", "a new tag, RC = 1; bypass"},
    {"candidate", "probe hit, RC + 1 < threshold", "candidate", "RC + 1; bypass"},
    {"candidate", "probe hit, RC + 1 >= threshold", "committed", "a line is allocated, other RCs - 1; miss"},
    {"candidate", "smallest RC at a probe miss", "no tag", "its tag is replaced"},
    {"committed", "probe hit", "committed", "hit, or hit pending"},
    {"committed", "its line is evicted", "candidate", "RC = 0"},
    {"committed", "smallest RC at a probe miss", "no tag", "its tag is replaced, its line evicted"},
    {0},
};

const sl_policy_ops sl_policy_decoupled = {
    .name = "decoupled",
    .summary =
        "decoupled tags: more tags than lines, allocate after enough references; SM dueling against the baseline",
    .source = "Li et al., ICS 2015, section 4",
    .params = params,
    .state_bytes = sizeof(decoupled),
    .shared_bytes = sizeof(dueling),
    .lookup_cycles = 1,
    .access_nj = 0.002,
    .leak_mw = 1.7 / 15, /* the paper's total, as its area, is that of 15 cores */
    .cost = "0.002 nJ per read and 1.7 mW of leakage for 15 caches; twice as many tags, each with 8 bits more",
    .init = init,
    .admit = admit,
    .evict_on_bypass = evict_on_bypass,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .report = report,
};
