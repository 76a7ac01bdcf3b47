/* SPDX-License-Identifier: MIT */
/* Re-reference interval prediction, which SRRIP, BRRIP, DRRIP and SHiP share: each line has a small number, its
 * re-reference prediction value; 0 stands for "soon", the greatest for "in the distant future". The victim is the
 * lowest way with the greatest; where there is none, all of the set age until there is. They differ in what a new line
 * gets. Jaleel et al., "High performance cache replacement using re-reference interval prediction (RRIP)", ISCA 2010,
 * section 4. */
#ifndef SL_POLICY_RRIP_H
#define SL_POLICY_RRIP_H

#include "policy/policy.h"

/* What a hit does. */
enum {
    SL_RRIP_HIT_PRIORITY, /* soon: 0 */
    SL_RRIP_FREQUENCY,    /* one less */
};

typedef struct sl_rrip {
    uint8_t *value; /* [sets * ways] */
    uint32_t ways;
    uint8_t distant; /* the greatest value */
    uint8_t hit;
} sl_rrip;

extern const char *const sl_rrip_hit_words[];

/* The first two parameters of the family. */
#define SL_RRIP_PARAMS                                                                                                 \
    {"bits", SL_PARAM_COUNT, 2, 1, 8, NULL, "of the prediction of a line", NULL},                                      \
    {                                                                                                                  \
        "hit", SL_PARAM_WORD, SL_RRIP_HIT_PRIORITY, 0, 0, sl_rrip_hit_words,                                           \
            "what a hit predicts: priority, the next use is near; frequency, nearer than before", NULL                 \
    }
enum { SL_RRIP_BITS, SL_RRIP_HIT, SL_RRIP_FIRST };

sl_status sl_rrip_init(sl_rrip *r, const sl_cache_shape *shape, const uint64_t *value, sl_arena *arena,
                       sl_error *error);
uint32_t sl_rrip_victim(sl_rrip *r, uint32_t set, const sl_way_mask *evictable);
void sl_rrip_hit(sl_rrip *r, uint32_t set, uint32_t way);
/* A new line: predicted in the distant future, or a little nearer. */
void sl_rrip_fill(sl_rrip *r, uint32_t set, uint32_t way, bool distant);

#endif
