/* SPDX-License-Identifier: MIT */
/* Policies by name, and their instances in caches. sluice/policy.h defines what a policy is.
 *
 * To add one: a file with a `const sl_policy_ops sl_policy_<name>`, and a line in registry.def. */
#ifndef SL_POLICY_POLICY_H
#define SL_POLICY_POLICY_H

#include "base/arena.h"
#include "sluice/policy.h"

/* A policy with its parameters: "srrip(bits=3)". */
typedef struct sl_policy_choice {
    const sl_policy_ops *ops;
    uint64_t value[SL_MAX_POLICY_PARAMS];
    uint32_t best; /* bit i: parameter i was given as "best", to be searched for; value[i] is the first candidate */
} sl_policy_choice;

static inline bool sl_policy_replaces(const sl_policy_ops *ops)
{
    return ops->victim;
}
static inline bool sl_policy_bypasses(const sl_policy_ops *ops)
{
    return ops->admit || ops->on_stall || ops->queues || ops->throttle_warps;
}

/* A policy among custom ones (NULL: none) and the built-in ones. SL_NOT_FOUND with the nearest name. */
sl_status sl_policy_find(const sl_policy_list *custom, const char *name, const sl_policy_ops **ops, sl_error *error);
/* "srrip", "srrip(bits=3, hit=frequency)", "pdp(pd=best)". Errors name the policy and the parameter, and the nearest
 * right name. */
sl_status sl_policy_parse(const char *text, sl_policy_choice *choice, sl_error *error);
/* The same among custom policies (NULL: none) and the built-in ones. */
sl_status sl_policy_parse_among(const sl_policy_list *custom, const char *text, sl_policy_choice *choice,
                                sl_error *error);
/* Checks custom policies; the error names the invalid one and the reason. NULL is fine. */
sl_status sl_policy_list_check(const sl_policy_list *custom, sl_error *error);

/* The text that sl_policy_parse reads as the choice: parameters that are not their presets, and those in `named` (a
 * mask as `best`). SL_LIMIT when it is longer than `size`. */
sl_status sl_policy_text(const sl_policy_choice *choice, uint32_t named, char *text, size_t size, sl_error *error);

/* The policies of a cache. */
typedef struct sl_policy_pair {
    sl_policy_choice replacement, bypass; /* ops NULL: not given */
} sl_policy_pair;

/* One policy, or two joined by '+', in any order: "lru", "decoupled(threshold=2)+srrip". A policy that does both is
 * `replacement` alone, or with one that only bypasses; with one that only replaces it is `bypass`. Two policies for
 * one role are an error. */
sl_status sl_policies_parse(const sl_policy_list *custom, const char *text, sl_policy_pair *pair, sl_error *error);

/* ---- a policy of a cache ---- */

typedef struct sl_policy {
    const sl_policy_ops *ops; /* NULL: none */
    void *self;
    sl_arena arena;
    uint32_t broken; /* the first chosen way that was not evictable */
    bool is_broken;
} sl_policy;

/* Parameters given as "best" must be resolved before (choice->best is 0). */
sl_status sl_policy_init(sl_policy *policy, const sl_policy_choice *choice, const sl_cache_geometry *geometry,
                         sl_error *error);
void sl_policy_fini(sl_policy *policy); /* zeroes are fine */
/* The victim. If the policy chose a way that is not evictable, the first evictable one, and sl_policy_check reports it.
 */
uint32_t sl_policy_victim(sl_policy *policy, const sl_cache_access *access, const sl_way_mask *evictable);
/* The way to evict after an access bypassed, or SL_NO_WAY; invalid ways are reported, too. */
uint32_t sl_policy_evict_on_bypass(sl_policy *policy, const sl_cache_access *access, const sl_way_mask *evictable);
/* Fails if the policy ever chose a way that was not evictable: the results are then not those of the policy. */
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

/* XOR folding: a number to one below `size`. Smaller numbers are unchanged. */
static inline uint32_t sl_fold(uint64_t number, uint32_t size)
{
    uint64_t folded = 0;
    for (; number; number /= size)
        folded ^= number % size;
    return (uint32_t)(folded % size);
}

#endif
