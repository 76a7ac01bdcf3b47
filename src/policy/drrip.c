/* Dynamic re-reference interval prediction: some sets always fill as SRRIP does, as many as BRRIP does, and the others
 * as those of the two that miss less. Jaleel et al., ISCA 2010, section 4; the duel of sets is that of Qureshi et al.,
 * "Adaptive insertion policies for high performance caching", ISCA 2007.
 *
 * Sets form as many groups as there are leaders of a kind, each with one of both kinds at places that move from group
 * to group. A cache with fewer sets has fewer leaders; one with a single set cannot duel and is SRRIP. */
#include "policy/policy.h"
#include "policy/rrip.h"

enum { EVERY = SL_RRIP_OWN, LEADERS, SELECTOR_BITS };

typedef struct drrip {
    sl_rrip rrip;
    uint64_t every, bimodal_fills;
    uint32_t leaders, group;                /* of a kind; sets of a group, 0: there is no duel */
    uint32_t selector, selector_most;       /* from the half on, the leaders of SRRIP miss more */
    uint64_t static_misses, bimodal_misses; /* of leaders */
} drrip;

static sl_status init(void *self, const sl_cache_shape *shape, const uint64_t *value, sl_arena *arena, sl_error *error)
{
    drrip *d = self;
    d->every = value[EVERY];
    d->leaders = value[LEADERS] < shape->sets / 2 ? (uint32_t)value[LEADERS] : shape->sets / 2;
    d->group = d->leaders ? shape->sets / d->leaders : 0;
    d->selector_most = (1u << value[SELECTOR_BITS]) - 1;
    d->selector = d->selector_most / 2;
    return sl_rrip_init(&d->rrip, shape, value, arena, error);
}

typedef enum side { FOLLOWER, STATIC_LEADER, BIMODAL_LEADER } side;

static side side_of(const drrip *d, uint32_t set)
{
    if (!d->group || set / d->group >= d->leaders)
        return FOLLOWER;
    uint32_t number = set / d->group, place = set % d->group;
    if (place == number % d->group)
        return STATIC_LEADER;
    return place == (number + d->group / 2) % d->group ? BIMODAL_LEADER : FOLLOWER;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return sl_rrip_victim(&((drrip *)self)->rrip, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    sl_rrip_hit(&((drrip *)self)->rrip, access->set, way);
}

/* A fill is a miss. */
static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    drrip *d = self;
    side kind = side_of(d, access->set);
    if (kind == STATIC_LEADER) {
        d->static_misses++;
        d->selector += d->selector < d->selector_most;
    } else if (kind == BIMODAL_LEADER) {
        d->bimodal_misses++;
        d->selector -= d->selector > 0;
    }
    bool bimodal = kind == BIMODAL_LEADER || (kind == FOLLOWER && d->group && d->selector > d->selector_most / 2);
    sl_rrip_fill(&d->rrip, access->set, way, bimodal && ++d->bimodal_fills % d->every);
}

static void report(const void *self, const sl_policy_tell *tell)
{
    const drrip *d = self;
    tell->number(tell->to, "selector", d->selector);
    tell->number(tell->to, "static_leader_misses", d->static_misses);
    tell->number(tell->to, "bimodal_leader_misses", d->bimodal_misses);
}

static const sl_param params[] = {
    SL_RRIP_PARAMS,
    {"every", SL_PARAM_COUNT, 32, 1, 1u << 20, NULL, "one new line in so many is predicted nearer where BRRIP fills",
     NULL},
    {"leaders", SL_PARAM_COUNT, 32, 1, 1u << 16, NULL, "sets of either kind that lead; at most half of the sets each",
     NULL},
    {"selector_bits", SL_PARAM_COUNT, 10, 1, 20, NULL, "of the counter that tells which kind misses less", NULL},
    {0},
};

const sl_policy_ops sl_policy_drrip = {
    .name = "drrip",
    .summary = "dynamic re-reference interval prediction: srrip or brrip, whichever misses less in a duel of sets",
    .source = "Jaleel et al., ISCA 2010, section 4",
    .params = params,
    .state_bytes = sizeof(drrip),
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .report = report,
};
