/* What a cache asks its policies: which line leaves, and which requests come in.
 *
 * A policy is an sl_policy_ops: a struct of functions and a table of parameters in a file of its own, with one line in
 * registry.def. It knows of the cache only what the functions are told; what it remembers lies in its own state. A
 * policy with `victim` replaces; one with `admit`, `on_stall` or `queues` bypasses; some do both. A cache has one that
 * replaces, and may have another one, told of everything as the first, that bypasses. Of two policies the first is
 * asked for victims only and the second for everything else; a policy that is alone is asked for all it does. A cache
 * may do without bypassing and never ask `admit` (the model).
 *
 * The order of calls, for one access:
 *   hit                     on_hit
 *   miss, a way is free     admit, on_fill
 *   miss, the set is full   admit, victim, on_evict of that way, on_fill
 *   miss that has to wait   on_stall for each reason, once
 *   miss that goes past     admit, give_up, and on_evict of the way that was given up
 * An access is put to `admit` once: one that was admitted and has to wait comes back as admitted. Of what goes past the
 * cache no function hears but on_feedback. Between victim and on_fill there may be other accesses where the data comes
 * later (the model); where a line is reserved at the miss (the simulator) on_fill follows at once. A line that is
 * dropped (by a store, say) is an on_evict without a victim. The cache fills free ways itself, the lowest first, and
 * never asks for a victim while there is one. */
#ifndef SL_POLICY_POLICY_H
#define SL_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "sluice/error.h"
#include "sluice/trace.h"

/* ---- what a policy is told ---- */

typedef struct sl_cache_access {
    uint64_t line; /* byte address / line size */
    uint32_t set;
    uint32_t pc;        /* number of the static memory instruction; instructions of one kernel differ in it */
    sl_mem_access kind; /* load, store or atomic */
    uint64_t now;       /* cycle; 0 where there is no time */
} sl_cache_access;

/* It reads, and so may go past a cache; what stores and atomics do is the cache's affair. */
static inline bool sl_access_reads(const sl_cache_access *access)
{
    return access->kind == SL_ACCESS_LOAD || access->kind == SL_ACCESS_ASYNC_COPY || access->kind == SL_ACCESS_PREFETCH;
}

/* The cache that a policy serves. */
typedef struct sl_cache_shape {
    uint32_t sets, ways; /* any number, at least 1 */
    uint64_t seed;       /* of all that is random: caches next to each other have different ones */
    uint32_t instance;   /* which of the caches of its level this is: that of core 0, say */
    uint32_t instances;  /* caches of the level; 0 stands for 1 */
    void *shared;        /* ops->shared_bytes that all caches of the level share, zeroed; NULL where there is none */
    const struct sl_line_counts *counts; /* what a first run saw (line_counts.h); NULL unless ops->needs_counts */
} sl_cache_shape;

/* Ways of a set, as a mask of any length. */
typedef struct sl_way_mask {
    const uint64_t *bits; /* [(ways + 63) / 64]: bit w % 64 of word w / 64; bits from `ways` on are 0 */
    uint32_t ways;
} sl_way_mask;

enum { SL_NO_WAY = 0xffffffff };

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

/* Whether a request that misses gets a line of the cache, or goes past it. */
typedef enum sl_admission { SL_ADMIT, SL_BYPASS } sl_admission;

/* Why a request cannot go on in this cycle. */
typedef enum sl_stall {
    SL_STALL_WAY,   /* every way of the set waits for its data */
    SL_STALL_MSHR,  /* too many lines are in flight */
    SL_STALL_MERGE, /* too many requests wait for this line */
    SL_STALL_QUEUE, /* the way to the next level is full */
    SL_STALLS
} sl_stall;

/* What the next level says with the data it sends; bits. */
enum { SL_FEEDBACK_BYPASS = 1 << 0 /* it still has the line from a request that went past this cache: wrongly so */ };

/* Takes the numbers that a policy reports, one after the other. */
typedef struct sl_policy_tell {
    void (*number)(void *to, const char *name, uint64_t value);
    void *to;
} sl_policy_tell;

/* ---- parameters ---- */

enum { SL_MOST_POLICY_PARAMS = 12 };

typedef enum sl_param_type {
    SL_PARAM_COUNT, /* a number */
    SL_PARAM_WORD,  /* one of some words; its value is the word's position */
} sl_param_type;

typedef struct sl_param {
    const char *name;
    sl_param_type type;
    uint64_t preset;          /* the value where it is not given */
    uint64_t least, most;     /* SL_PARAM_COUNT */
    const char *const *words; /* SL_PARAM_WORD: NULL ends them */
    const char *help;         /* one line */
    const uint64_t *tried;    /* what "best" tries, 0 ends it (after the first); NULL: "best" cannot be asked for */
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
    double access_nj;       /* energy that each access takes more, in nanojoules, as published; 0: not known */
    double leak_mw;         /* power that a cache with it takes more when idle, in milliwatts, as published */
    const char *cost;       /* what it adds to a cache, as published, without a full stop; NULL: not known */

    /* MUST be set. `value` has one number for each parameter, within its range. What the policy needs for its sets and
     * ways comes out of the arena, zeroed; it is given back with the cache. */
    sl_status (*init)(void *self, const sl_cache_shape *shape, const uint64_t *value, sl_arena *arena, sl_error *error);
    /* MUST be set where the policy replaces: a way of `evictable`, which is not empty. */
    uint32_t (*victim)(void *self, const sl_cache_access *access, const sl_way_mask *evictable);

    /* All others MAY be NULL. */
    /* `choices`: the ways that are free or could be replaced now; may be empty. NULL: all misses are admitted. */
    sl_admission (*admit)(void *self, const sl_cache_access *access, const sl_way_mask *choices);
    /* After an access went past: a way of `evictable` whose line the policy no longer wants, or SL_NO_WAY. */
    uint32_t (*give_up)(void *self, const sl_cache_access *access, const sl_way_mask *evictable);
    /* Queues before the cache, to which requests go by their warp and which are emptied one after the other. */
    uint32_t (*queues)(const void *self);
    void (*on_hit)(void *self, const sl_cache_access *access, uint32_t way);
    void (*on_fill)(void *self, const sl_cache_access *access, uint32_t way);
    void (*on_evict)(void *self, uint32_t set, uint32_t way, bool reused); /* reused: it was hit since its fill */
    sl_admission (*on_stall)(void *self, const sl_cache_access *access, sl_stall reason); /* NULL: it waits */
    void (*on_feedback)(void *self, const sl_cache_access *access, uint32_t flags);
    void (*report)(const void *self, const sl_policy_tell *tell);
} sl_policy_ops;

/* A policy with its parameters: what "srrip(bits=3)" says. */
typedef struct sl_policy_choice {
    const sl_policy_ops *ops;
    uint64_t value[SL_MOST_POLICY_PARAMS];
    uint32_t best; /* bit i: parameter i was given as "best", to be found by trying; value[i] is the first to try */
} sl_policy_choice;

static inline bool sl_policy_replaces(const sl_policy_ops *ops)
{
    return ops->victim;
}
static inline bool sl_policy_bypasses(const sl_policy_ops *ops)
{
    return ops->admit || ops->on_stall || ops->queues;
}

/* All policies, in the order of registry.def. */
size_t sl_policy_count(void);
const sl_policy_ops *sl_policy_at(size_t index);
/* SL_NOT_FOUND with the nearest name. */
sl_status sl_policy_find(const char *name, const sl_policy_ops **ops, sl_error *error);
/* "srrip", "srrip(bits=3, hit=frequency)", "pdp(pd=best)". Errors name the policy and the parameter, and the nearest
 * right name. */
sl_status sl_policy_parse(const char *text, sl_policy_choice *choice, sl_error *error);

/* The text that sl_policy_parse reads as the choice: parameters that are not their presets, and those in `named` (a
 * mask as `best`). SL_LIMIT when it is longer than `size`. */
sl_status sl_policy_text(const sl_policy_choice *choice, uint32_t named, char *text, size_t size, sl_error *error);

/* The policies of a cache. */
typedef struct sl_policy_pair {
    sl_policy_choice replacement, bypass; /* ops NULL: not given */
} sl_policy_pair;

/* One policy, or two joined by '+', in any order: "lru", "decoupled(threshold=2)+srrip". A policy that does both is
 * `replacement` alone, or beside one that only bypasses; beside one that only replaces it is `bypass`. Two policies for
 * one role are an error. */
sl_status sl_policies_parse(const char *text, sl_policy_pair *pair, sl_error *error);

/* ---- a policy at work in a cache ---- */

typedef struct sl_policy {
    const sl_policy_ops *ops; /* NULL: none */
    void *self;
    sl_arena arena;
    uint32_t broken; /* a way that was chosen though it was not offered */
    bool is_broken;
} sl_policy;

/* Parameters that were given as "best" have to be found before (choice->best is 0). */
sl_status sl_policy_init(sl_policy *policy, const sl_policy_choice *choice, const sl_cache_shape *shape,
                         sl_error *error);
void sl_policy_fini(sl_policy *policy); /* zeroes are fine */
/* The victim. A way that was not offered is remembered for sl_policy_check, and the first offered one taken. */
uint32_t sl_policy_victim(sl_policy *policy, const sl_cache_access *access, const sl_way_mask *evictable);
/* The way to give up after an access went past, or SL_NO_WAY; one that was not offered is remembered, too. */
uint32_t sl_policy_give_up(sl_policy *policy, const sl_cache_access *access, const sl_way_mask *evictable);
/* Says whether the policy ever chose a way that it was not offered: then what the cache did is not what it models. */
sl_status sl_policy_check(const sl_policy *policy, sl_error *error);

static inline sl_admission sl_policy_admit(sl_policy *p, const sl_cache_access *access, const sl_way_mask *choices)
{
    return p->ops->admit ? p->ops->admit(p->self, access, choices) : SL_ADMIT;
}
static inline sl_admission sl_policy_stall(sl_policy *p, const sl_cache_access *access, sl_stall reason)
{
    return p->ops->on_stall ? p->ops->on_stall(p->self, access, reason) : SL_ADMIT;
}
static inline uint32_t sl_policy_queues(const sl_policy *p)
{
    return p->ops->queues ? p->ops->queues(p->self) : 0;
}
static inline void sl_policy_feedback(sl_policy *p, const sl_cache_access *access, uint32_t flags)
{
    if (p->ops->on_feedback)
        p->ops->on_feedback(p->self, access, flags);
}
static inline void sl_policy_hit(sl_policy *p, const sl_cache_access *access, uint32_t way)
{
    if (p->ops->on_hit)
        p->ops->on_hit(p->self, access, way);
}
static inline void sl_policy_fill(sl_policy *p, const sl_cache_access *access, uint32_t way)
{
    if (p->ops->on_fill)
        p->ops->on_fill(p->self, access, way);
}
static inline void sl_policy_evict(sl_policy *p, uint32_t set, uint32_t way, bool reused)
{
    if (p->ops->on_evict)
        p->ops->on_evict(p->self, set, way, reused);
}

#endif
