/* SPDX-License-Identifier: MIT */
/* Ways of sets whose victims a policy chooses. LRU and FIFO need only lists (l1.c). */
#ifndef SL_MODEL_POLICY_WAYS_H
#define SL_MODEL_POLICY_WAYS_H

#include "policy/policy.h"

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

#endif
