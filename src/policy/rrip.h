/* SPDX-License-Identifier: MIT */
/* Re-reference interval prediction, which SRRIP, BRRIP, DRRIP and SHiP share: each line has a re-reference prediction
 * value (RRPV), from 0 (near-immediate) to the maximum (distant). The victim is the lowest way with the maximum; if
 * there is none, the set ages until there is. The policies differ in the RRPV of a new line. Jaleel et al., "High
 * performance cache replacement using re-reference interval prediction (RRIP)", ISCA 2010, section 4. */
#ifndef SL_POLICY_RRIP_H
#define SL_POLICY_RRIP_H

#include "policy/policy.h"

/* What a hit does. */
enum {
    SL_RRIP_HIT_PRIORITY, /* RRPV becomes 0 */
    SL_RRIP_FREQUENCY,    /* RRPV is decremented */
};

typedef struct sl_rrip {
    uint8_t *value; /* [sets * ways] */
    uint32_t ways;
    uint8_t distant; /* the maximum */
    uint8_t hit;
} sl_rrip;

extern const char *const sl_rrip_hit_words[];

/* The first two parameters of the family. */
#define SL_RRIP_PARAMS                                                                                                 \
    {"bits", SL_PARAM_COUNT, 2, 1, 8, NULL, "bits of the re-reference prediction value", NULL},                        \
    {                                                                                                                  \
        "hit", SL_PARAM_WORD, SL_RRIP_HIT_PRIORITY, 0, 0, sl_rrip_hit_words,                                           \
            "effect of a hit on the prediction: priority, becomes 0; frequency, is decremented", NULL                  \
    }
enum { SL_RRIP_BITS, SL_RRIP_HIT, SL_RRIP_FIRST };

sl_status sl_rrip_init(sl_rrip *r, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                       sl_error *error);
uint32_t sl_rrip_victim(sl_rrip *r, uint32_t set, const sl_way_mask *evictable);
void sl_rrip_hit(sl_rrip *r, uint32_t set, uint32_t way);
/* A new line: a distant prediction, or a long one (one less). */
void sl_rrip_fill(sl_rrip *r, uint32_t set, uint32_t way, bool distant);

#endif
