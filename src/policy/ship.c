/* SPDX-License-Identifier: MIT */
/* Signature-based hit prediction by the program counter (SHiP-PC): a table of counters, indexed by a hash of the PC
 * that filled a line, learns whether its lines are reused; fills of PCs without reuse get a distant prediction. The
 * rest is SRRIP. Wu et al., "SHiP: signature-based hit predictor for high performance caching", MICRO 2011, section 3.
 *
 * Every set trains the table (the paper's SHiP-PC-S samples sets). The paper does not state the initial value of the
 * counters; here it is 1, so that a PC has to be wrong once. A line that a store invalidates counts as evicted. */
#include "policy/policy.h"
#include "policy/rrip.h"

enum { LOG2_ENTRIES = SL_RRIP_FIRST, COUNTER_BITS, START };

typedef struct ship {
    sl_rrip rrip;
    uint8_t *counter;    /* [1 << log2_entries] */
    uint32_t *signature; /* [sets * ways]: of the line's first instruction */
    unsigned log2_entries;
    uint8_t counter_max;
    uint64_t distant_fills, nearer_fills;
} ship;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    ship *s = self;
    s->log2_entries = (unsigned)value[LOG2_ENTRIES];
    s->counter_max = (uint8_t)((1u << value[COUNTER_BITS]) - 1);
    s->counter = sl_arena_array(arena, uint8_t, (size_t)1 << s->log2_entries);
    s->signature = sl_arena_array(arena, uint32_t, (size_t)geometry->sets * geometry->ways);
    if (!s->counter || !s->signature)
        return sl_fail_memory(error);
    uint8_t start = (uint8_t)(value[START] < s->counter_max ? value[START] : s->counter_max);
    for (size_t i = 0; i < (size_t)1 << s->log2_entries; i++)
        s->counter[i] = start;
    return sl_rrip_init(&s->rrip, geometry, value, arena, error);
}

static uint32_t signature_of(const ship *s, uint32_t pc)
{
    return (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - s->log2_entries));
}

static uint8_t *counter_of(ship *s, uint32_t set, uint32_t way)
{
    return &s->counter[s->signature[(size_t)set * s->rrip.ways + way]];
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return sl_rrip_victim(&((ship *)self)->rrip, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    ship *s = self;
    uint8_t *counter = counter_of(s, access->set, way);
    *counter = (uint8_t)(*counter + (*counter < s->counter_max));
    sl_rrip_hit(&s->rrip, access->set, way);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    ship *s = self;
    uint32_t signature = signature_of(s, access->pc);
    bool distant = !s->counter[signature];
    s->signature[(size_t)access->set * s->rrip.ways + way] = signature;
    s->distant_fills += distant;
    s->nearer_fills += !distant;
    sl_rrip_fill(&s->rrip, access->set, way, distant);
}

static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    uint8_t *counter = counter_of(self, set, way);
    *counter = (uint8_t)(*counter - (!reused && *counter));
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const ship *s = self;
    statistics->number(statistics->to, "distant_fills", s->distant_fills);
    statistics->number(statistics->to, "nearer_fills", s->nearer_fills);
}

static const sl_param params[] = {
    SL_RRIP_PARAMS,
    {"log2_entries", SL_PARAM_COUNT, 14, 1, 24, NULL, "log2 of the entries of the signature table (SHCT)", NULL},
    {"counter_bits", SL_PARAM_COUNT, 3, 1, 8, NULL, "bits of a counter of the table", NULL},
    {"start", SL_PARAM_COUNT, 1, 0, 255, NULL, "initial value of the counters; saturates at their maximum", NULL},
    {0},
};

const sl_policy_ops sl_policy_ship = {
    .name = "ship",
    .summary = "signature-based hit prediction: srrip that learns which PCs fill lines that are reused",
    .source = "Wu et al., MICRO 2011, section 3",
    .params = params,
    .state_bytes = sizeof(ship),
    .keeps = true,
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .report = report,
};
