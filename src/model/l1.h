/* SPDX-License-Identifier: MIT */
/* The first cache of a core, in the order of time: loads take effect when their data arrives.
 *
 * Follows sections 4.2 to 4.4 of "A Detailed GPU Cache Model Based on Reuse Distance Theory" (HPCA 2014): per set a
 * stack of lines (here a list in LRU order as long as there are ways), misses that change it after a latency drawn from
 * a half-normal distribution, requests for data in flight (latency misses) that share its arrival, and a limited number
 * of lines in flight. Beyond the paper: sectors, exact classes in one run, other replacement than LRU (src/policy).
 *
 * A load at time t sees effects before t, and of those at t the ones on its line and those that its warp requested.
 * Other effects at t follow it. */
#ifndef SL_MODEL_L1_H
#define SL_MODEL_L1_H

#include "machine/machine.h"
#include "policy/policy.h"

/* Ways of sets whose victims a policy chooses. LRU and FIFO need only lists (l1.c). */

enum { SL_NOBODY = 0xffffffff };

typedef struct sl_policy_ways {
    uint32_t ways;
    sl_policy policy;
    uint32_t *held;     /* [sets]: ways that are not free */
    uint32_t *occupant; /* [sets * ways]: as the caller numbers lines; SL_NOBODY: free */
    bool *reused;       /* [sets * ways]: hit since its fill */
    uint64_t *all_ways; /* a mask: all of them may be evicted */
} sl_policy_ways;

/* Zeroed before; to be freed also where this fails. */
sl_status sl_policy_ways_init(sl_policy_ways *w, const sl_policy_choice *choice, const sl_cache_geometry *shape,
                              sl_error *error);
void sl_policy_ways_fini(sl_policy_ways *w);

void sl_policy_ways_hit(sl_policy_ways *w, const sl_cache_access *access, uint32_t way);
/* Fills the line into its set, at *way. Returns the evicted one; SL_NOBODY: there was room. */
uint32_t sl_policy_ways_enter(sl_policy_ways *w, const sl_cache_access *access, uint32_t line, uint32_t *way);
void sl_policy_ways_evict(sl_policy_ways *w, uint32_t set, uint32_t way);

/* Every sector of a load is exactly one of these. */
typedef enum sl_load_class {
    SL_LOAD_HIT,
    SL_LOAD_PENDING,    /* pending hit: in flight already, no further request */
    SL_LOAD_COMPULSORY, /* never accessed on this core before */
    SL_LOAD_CAPACITY,   /* would miss in a fully associative LRU cache of this size too */
    SL_LOAD_CONFLICT,   /* would not */
    SL_LOAD_STORE,      /* a store has invalidated it, or only stored bytes of it are valid */
    SL_LOAD_MSHR,       /* evicted while its warp waited for an MSHR */
    SL_LOAD_BYPASSED,   /* its cache operator prevents lookup or allocation */
    SL_LOAD_CLASSES
} sl_load_class;

typedef struct sl_l1_config {
    const sl_level *level;   /* with its final size; must stay valid */
    uint32_t latency, sigma; /* of a miss */
    uint32_t warps;          /* of a core */
    bool no_latency;         /* everything takes effect at once */
    bool no_associativity;   /* one set */
    bool no_mshr;            /* no limit of lines in flight */
    bool no_clipping;        /* a pending hit is fetched again: tables 3 to 5 */
    bool no_lists;           /* asks the policy for victims also where a list would be enough */
    const char *spill;       /* folder for what is too large for memory; NULL: none */
    uint64_t seed;
} sl_l1_config;

typedef struct sl_l1 sl_l1;

typedef struct sl_l1_outcome {
    uint32_t sectors[SL_LOAD_CLASSES]; /* masks */
    uint64_t done;                     /* when all of it is there */
} sl_l1_outcome;

sl_status sl_l1_create(const sl_l1_config *config, sl_l1 **l1, sl_error *error);
void sl_l1_destroy(sl_l1 *l1); /* NULL is fine */

/* The memory instruction (its number in the kernel) whose loads and stores follow: for PC-based policies. Need not be
 * called otherwise. */
void sl_l1_by(sl_l1 *l1, uint32_t pc);
bool sl_l1_uses_pc(const sl_l1 *l1);
/* Sectors (a mask) of a line that are in the cache or in flight: for loads that have to wait. */
uint32_t sl_l1_present(sl_l1 *l1, uint64_t time, uint64_t line);
/* Whether only stored bytes of some sectors of the line are valid: then loads pass the bytes they access. */
bool sl_l1_has_parts(const sl_l1 *l1, uint64_t line);
/* Whether a load instruction of the warp that misses may begin: an MSHR is free, and the warp is below its limit. Once
 * it has begun, all its lines are requested: the paper holds back warps, not lines. */
bool sl_l1_may_miss(sl_l1 *l1, uint64_t time, uint32_t warp);
/* Whether a load of these sectors needs an MSHR: some are missing, and nothing of the line is in flight. */
bool sl_l1_needs_mshr(sl_l1 *l1, uint64_t time, uint64_t line, uint32_t sectors);
/* A warp loads sectors of a line. `waited`: those that were present when it began to wait for an MSHR. `bytes`: the
 * accessed bytes of the line, as a mask, where sl_l1_has_parts; NULL: whole sectors. Times do not decrease. */
void sl_l1_load(sl_l1 *l1, uint64_t time, uint32_t warp, uint64_t line, uint32_t sectors, uint32_t waited,
                const uint64_t bytes[2], sl_l1_outcome *outcome);
/* A load instruction of the warp has missed, and ends at `done`: until then it counts for the warp's limit. */
void sl_l1_missed(sl_l1 *l1, uint32_t warp, uint64_t done);
/* Whether a warp below its limit could miss at `time`. */
bool sl_l1_mshr_free(sl_l1 *l1, uint64_t time);
/* When something next takes effect; UINT64_MAX: nothing is in flight. */
uint64_t sl_l1_next_effect(const sl_l1 *l1);
/* A load that does not allocate. With a lookup, it hits sectors that are valid or in flight, without changing the
 * replacement order; the rest bypasses the cache. */
void sl_l1_bypass(sl_l1 *l1, uint64_t time, uint64_t line, uint32_t sectors, bool lookup, sl_l1_outcome *outcome);
/* Who stores. Until the store is sent below, one to other words of a sector makes the cache forget the sector, unless
 * the two join, as those of a warp to few lines do. */
typedef struct sl_l1_sender {
    uint32_t warp;
    bool joins;
    uint64_t sent;
} sl_l1_sender;

/* A store: what it does to the line. `bytes`: those it writes, as a mask; NULL: whole sectors. `sender` NULL: sent
 * below at once. Returns the sectors that it adds to what is sent below: none of those that a store of the same warp,
 * with which it is merged, already has. */
uint32_t sl_l1_store(sl_l1 *l1, uint64_t time, uint64_t line, uint32_t sectors, const uint64_t bytes[2],
                     const sl_l1_sender *sender);
/* Invalidates a line. */
void sl_l1_invalidate(sl_l1 *l1, uint64_t time, uint64_t line);
/* How large a cache would have to be: sectors of capacity misses, by the lines accessed since the last use of theirs.
 * Bin i: less than (i + 1) / SL_FIT_STEPS of this cache; the last also holds all that is farther. The distance is
 * counted in fills of the fully associative cache, exact where all lines in between miss as well, as they do in
 * thrashing. */
enum { SL_FIT_STEPS = 4, SL_FIT_BINS = 256 };
const uint64_t *sl_l1_fit(const sl_l1 *l1);
/* Memory ran out: the cache is no longer right. */
bool sl_l1_failed(const sl_l1 *l1);
/* At the end: fails if the policy made an invalid choice. */
sl_status sl_l1_check(const sl_l1 *l1, sl_error *error);

#endif
