/* SPDX-License-Identifier: MIT */
/* What a cache asks its policies: which line is evicted, and which requests allocate.
 *
 * A policy is an sl_policy_ops: a struct of functions and a table of parameters. It knows of the cache only what the
 * functions are passed; it keeps its state in `self`. Custom policies of a program come as an sl_policy_list
 * with a machine (sl_machine_create), whose levels can name them like the built-in ones: "mine(bits=3)". A policy with
 * `victim` replaces; one with `admit`, `on_stall`, `queues` or `throttle_warps` bypasses; some do both. A cache has one
 * that replaces, and may have another one, notified of everything as the first, that bypasses. Of two policies the
 * first is asked for victims only and the second for everything else; a policy that is alone is asked for all it does.
 * A cache may do without bypassing and never ask `admit` (the model).
 *
 * The order of calls, for one access:
 *   hit                     on_hit
 *   miss, a way is free     admit, on_fill
 *   miss, the set is full   admit, victim, on_evict of that way, on_fill
 *   miss that has to wait   on_stall for each reason, once
 *   miss that bypasses      admit, evict_on_bypass, and on_evict of the way that was given up
 * An access is put to `admit` once: one that was admitted and has to wait stays admitted. Of what bypasses the
 * cache no function is notified but on_feedback. Between victim and on_fill there may be other accesses where the data
 * comes later (the model); where a line is reserved at the miss (the simulator) on_fill follows at once. A line that is
 * invalidated (by a store, say) is an on_evict without a victim. The cache fills free ways itself, the lowest first,
 * and never asks for a victim while there is one. */
#ifndef SLUICE_POLICY_H
#define SLUICE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/arena.h"
#include "sluice/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a policy is passed ---- */

typedef struct sl_cache_access {
    uint64_t line; /* byte address / line size */
    uint32_t set;
    uint32_t pc;        /* number of the static memory instruction; instructions of one kernel differ in it */
    sl_mem_access kind; /* load, store or atomic */
    uint64_t now;       /* cycle; 0 where there is no time */
    bool pending;       /* of hits: a pending hit: the line is in flight */
    uint32_t warp;      /* its slot on the core; 0 where that is not known (the model, levels further out) */
} sl_cache_access;

/* Whether it reads, and so may bypass a cache; policies do not decide on stores and atomics. */
static inline bool sl_access_reads(const sl_cache_access *access)
{
    return access->kind == SL_ACCESS_LOAD || access->kind == SL_ACCESS_ASYNC_COPY || access->kind == SL_ACCESS_PREFETCH;
}

/* How often each line was asked for in a run before this one: by one cache of the level, and by all of them. */
typedef struct sl_line_counts sl_line_counts;
SL_API uint32_t sl_line_counts_local(const sl_line_counts *counts, uint32_t instance, uint64_t line);
SL_API uint32_t sl_line_counts_global(const sl_line_counts *counts, uint64_t line);

/* The cache that a policy serves. */
typedef struct sl_cache_geometry {
    uint32_t sets, ways; /* any number, at least 1 */
    uint64_t seed;       /* of all that is random: caches next to each other have different ones */
    uint32_t instance;   /* which of the caches of its level this is: that of core 0, say */
    uint32_t instances;  /* caches of the level; 0 stands for 1 */
    void *shared;        /* ops->shared_bytes that all caches of the level share, zeroed; NULL where there is none */
    const sl_line_counts *counts; /* what a first run saw; NULL unless ops->needs_counts */
} sl_cache_geometry;

/* Ways of a set, as a mask of any length. */
typedef struct sl_way_mask {
    const uint64_t *bits; /* [(ways + 63) / 64]: bit w % 64 of word w / 64; bits from `ways` on are 0 */
    uint32_t ways;
} sl_way_mask;

#define SL_NO_WAY UINT32_MAX

static inline bool sl_way_in(const sl_way_mask *mask, uint32_t way)
{
    return way < mask->ways && mask->bits[way / 64] >> (way % 64) & 1;
}
/* The first way of the mask from `from` on; SL_NO_WAY: there is none.
 * for (uint32_t w = sl_way_from(mask, 0); w != SL_NO_WAY; w = sl_way_from(mask, w + 1)) */
static inline uint32_t sl_way_from(const sl_way_mask *mask, uint32_t from)
{
    if (from >= mask->ways)
        return SL_NO_WAY;
    uint32_t word = from / 64, words = (mask->ways + 63) / 64;
    uint64_t bits = mask->bits[word] & ~UINT64_C(0) << (from % 64);
    while (!bits && ++word < words)
        bits = mask->bits[word];
    return bits ? word * 64 + (uint32_t)__builtin_ctzll(bits) : SL_NO_WAY;
}

/* Whether a request that misses allocates a line of the cache, or bypasses it. */
typedef enum sl_admission { SL_ADMIT, SL_BYPASS } sl_admission;

/* Why a request stalls in this cycle. */
typedef enum sl_stall {
    SL_STALL_WAY,   /* every way of the set waits for its data */
    SL_STALL_MSHR,  /* too many lines are in flight */
    SL_STALL_MERGE, /* too many requests wait for this line */
    SL_STALL_QUEUE, /* the miss queue to the next level is full */
    SL_STALLS
} sl_stall;

/* Feedback from the next level, sent with the data; bits. */
enum { SL_FEEDBACK_BYPASS = 1 << 0 /* it still has the line from a request that bypassed this cache: wrongly so */ };

/* A core at work, of which a policy may hold warps back. */
typedef struct sl_core_work {
    uint64_t warps;               /* that have not ended, a bit each: their slots on the core */
    const uint64_t *instructions; /* [64] that each has issued since it began */
    uint64_t now;
} sl_core_work;

/* Receives the statistics that a policy reports, one by one. */
typedef struct sl_policy_statistics {
    void (*number)(void *to, const char *name, uint64_t value);
    void *to;
} sl_policy_statistics;

/* ---- parameters ---- */

enum { SL_MAX_POLICY_PARAMS = 12 };

typedef enum sl_param_type {
    SL_PARAM_COUNT, /* a number */
    SL_PARAM_WORD,  /* one of some words; its value is the word's position */
} sl_param_type;

typedef struct sl_param {
    const char *name;
    sl_param_type type;
    uint64_t default_value;   /* the value where it is not given */
    uint64_t min, max;        /* SL_PARAM_COUNT */
    const char *const *words; /* SL_PARAM_WORD: NULL ends them */
    const char *help;         /* one line */
    const uint64_t
        *search_values; /* what "best" tries, 0 ends it (after the first); NULL: "best" cannot be asked for */
} sl_param;

/* ---- a policy ---- */

typedef struct sl_policy_ops {
    const char *name;       /* as machine files have it */
    const char *summary;    /* one line for lists, without a full stop */
    const char *source;     /* where it was published */
    const sl_param *params; /* a NULL name ends them; NULL: none */
    size_t state_bytes;     /* of `self`, which is zeroed before init */
    size_t shared_bytes;    /* of what all caches of a level share */
    bool needs_counts;      /* a run before this one has to count how often lines are asked for */
    bool first_level_only;  /* it makes no sense further out */
    bool keeps; /* what it learnt outlives the lines: where a cache is emptied, they are evicted by on_evict */
    uint32_t lookup_cycles; /* that each lookup takes more, as published */
    double access_nj;       /* energy that each access takes more, in nanojoules, as published; 0: not known */
    double leak_mw;         /* power that a cache with it takes more when idle, in milliwatts, as published */
    const char *cost;       /* what it adds to a cache, as published, without a full stop; NULL: not known */

    /* MUST be set. `value` has one number for each parameter, within its range. What the policy needs for its sets and
     * ways comes out of the arena, zeroed; it is given back with the cache. */
    sl_status (*init)(void *self, const sl_cache_geometry *shape, const uint64_t *value, sl_arena *arena,
                      sl_error *error);
    /* MUST be set where the policy replaces: a way of `evictable`, which is not empty. */
    uint32_t (*victim)(void *self, const sl_cache_access *access, const sl_way_mask *evictable);

    /* All others MAY be NULL. */
    /* `choices`: the ways that are free or could be replaced now; may be empty. NULL: all misses are admitted. */
    sl_admission (*admit)(void *self, const sl_cache_access *access, const sl_way_mask *choices);
    /* After an access bypassed: a way of `evictable` whose line the policy no longer wants, or SL_NO_WAY. */
    uint32_t (*evict_on_bypass)(void *self, const sl_cache_access *access, const sl_way_mask *evictable);
    /* Queues before the cache, to which requests go by their warp and which are emptied one after the other. */
    uint32_t (*queues)(const void *self);
    void (*on_hit)(void *self, const sl_cache_access *access, uint32_t way);
    void (*on_fill)(void *self, const sl_cache_access *access, uint32_t way);
    void (*on_evict)(void *self, uint32_t set, uint32_t way, bool reused); /* reused: it was hit since its fill */
    sl_admission (*on_stall)(void *self, const sl_cache_access *access, sl_stall reason); /* NULL: it waits */
    void (*on_feedback)(void *self, const sl_cache_access *access, uint32_t flags);
    void (*report)(const void *self, const sl_policy_statistics *statistics);
    /* A guess at the way of a set that it would replace next. Affects speed only. */
    uint32_t (*predict_victim)(const void *self, uint32_t set);
    /* Of a first level in the simulator: warps whose loads may not issue now, a bit each. `*wait`: the cycles after
     * which it is asked again where nothing else happens. */
    uint64_t (*throttle_warps)(void *self, const sl_core_work *work, uint64_t *wait);
    /* Of one with needs_counts: whether it decides alike on every line with other values of its parameters. NULL: it is
     * not known. Affects speed only. */
    bool (*decides_alike)(const uint64_t *value, const uint64_t *other, const sl_line_counts *counts);
} sl_policy_ops;

/* The built-in policies: 0 … sl_policy_count() - 1. */
SL_API size_t sl_policy_count(void);
SL_API const sl_policy_ops *sl_policy_at(size_t index);

/* Custom policies of a program, in addition to the built-in ones. */
enum { SL_MAX_CUSTOM_POLICIES = 32 };

typedef struct sl_policy_list {
    size_t count; /* at most SL_MAX_CUSTOM_POLICIES */
    const sl_policy_ops *const *ops;
} sl_policy_list;

/* What a shared library exports whose policies 'sluice --policy-plugin FILE.so' takes. */
enum { SL_POLICY_PLUGIN_VERSION = 1 };
#define SL_POLICY_PLUGIN_NAME "sluice_policy_plugin"

typedef struct sl_policy_plugin {
    uint32_t version;   /* SL_POLICY_PLUGIN_VERSION */
    uint32_t ops_bytes; /* sizeof(sl_policy_ops) */
    sl_policy_list policies;
} sl_policy_plugin;

/* Once in a library, with pointers to its policies: SL_POLICY_PLUGIN(&mine, &other) */
#define SL_POLICY_PLUGIN(...)                                                                                          \
    static const sl_policy_ops *const sluice_plugin_ops[] = {__VA_ARGS__};                                             \
    SL_API extern const sl_policy_plugin sluice_policy_plugin;                                                         \
    const sl_policy_plugin sluice_policy_plugin = {                                                                    \
        SL_POLICY_PLUGIN_VERSION,                                                                                      \
        (uint32_t)sizeof(sl_policy_ops),                                                                               \
        {sizeof sluice_plugin_ops / sizeof *sluice_plugin_ops, sluice_plugin_ops}};

#ifdef __cplusplus
}
#endif

#endif
