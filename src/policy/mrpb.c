/* SPDX-License-Identifier: MIT */
/* Memory request prioritization buffers: queues before the cache batch the requests of a warp, and requests bypass
 * instead of stalling. Jia et al., "MRPB: memory request prioritization for massively parallel processors", HPCA 2014;
 * they bypass on every reservation failure, not only of ways, as in Li et al., ICS 2015, section 6.1.
 *
 * The queues belong to the cache. A request goes to the queue of its warp's number modulo the number of queues; the
 * cache drains one queue before the next. */
#include "policy/policy.h"

enum { QUEUES, BYPASS };
enum { BYPASS_ANY, BYPASS_WAY, BYPASS_OFF };
enum { STALLS = SL_STALL_QUEUE + 1 };

typedef struct mrpb {
    uint32_t queues, bypass;
    uint64_t bypasses[STALLS]; /* by reason */
} mrpb;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    mrpb *m = self;
    (void)geometry, (void)arena, (void)error;
    m->queues = (uint32_t)value[QUEUES];
    m->bypass = (uint32_t)value[BYPASS];
    return SL_OK;
}

static uint32_t queues(const void *self)
{
    return ((const mrpb *)self)->queues;
}

static sl_admission on_stall(void *self, const sl_cache_access *access, sl_stall reason)
{
    mrpb *m = self;
    if (!sl_access_reads(access) || m->bypass == BYPASS_OFF || (m->bypass == BYPASS_WAY && reason != SL_STALL_WAY))
        return SL_ADMIT;
    m->bypasses[reason]++;
    return SL_BYPASS;
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    static const char *const names[STALLS] = {"bypasses_for_ways", "bypasses_for_mshrs", "bypasses_for_merges",
                                              "bypasses_for_queue"};
    for (int i = 0; i < STALLS; i++)
        statistics->number(statistics->to, names[i], ((const mrpb *)self)->bypasses[i]);
}

static const char *const bypass_words[] = {"any", "way", "off", NULL};

static const sl_param params[] = {
    {"queues", SL_PARAM_COUNT, 8, 0, 64, NULL, "queues before the cache, indexed by warp; 0: none", NULL},
    {"bypass", SL_PARAM_WORD, BYPASS_ANY, 0, 0, bypass_words,
     "reservation failures on which requests bypass: any; way, only where no way is free; off, none", NULL},
    {0},
};

const sl_policy_ops sl_policy_mrpb = {
    .name = "mrpb",
    .summary = "memory request prioritization buffers: queue requests by warp, bypass instead of stalling",
    .source = "Jia et al., HPCA 2014",
    .params = params,
    .state_bytes = sizeof(mrpb),
    .first_level_only = true,
    .init = init,
    .queues = queues,
    .on_stall = on_stall,
    .report = report,
};
