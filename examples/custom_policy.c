/* SPDX-License-Identifier: MIT */
/* Adds a replacement policy to Sluice from outside: bimodal insertion (Qureshi et al., "Adaptive Insertion Policies for
 * High Performance Caching", ISCA 2007). LRU inserts every line at the MRU position, which thrashes when the working
 * set exceeds the cache: each line is evicted just before its reuse. Bimodal insertion puts new lines at the LRU
 * position, except one in `every`, so that a part of the working set stays.
 *
 *   cc custom_policy.c $(pkg-config --cflags --libs sluice) -o custom_policy
 *   sluice trace -o gesummv.slt gesummv && ./custom_policy gesummv.slt [MACHINE] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sluice/sluice.h>

/* ---- the policy ---- */

typedef struct bip {
    uint64_t *last_use; /* [sets * ways]; 0: not since its fill */
    uint64_t now;
    uint64_t every, until; /* fills until one is treated as a use */
    uint32_t ways;
} bip;

enum { EVERY };
static const sl_param bip_params[] = {
    {.name = "every",
     .default_value = 32,
     .min = 1,
     .max = 1024,
     .help = "one fill in this many is inserted at the MRU position"},
    {0},
};

static sl_status bip_init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                          sl_error *error)
{
    bip *b = self;
    b->ways = geometry->ways;
    b->every = b->until = value[EVERY];
    b->last_use = sl_arena_array(arena, uint64_t, (size_t)geometry->sets * geometry->ways);
    return b->last_use ? SL_OK : sl_fail_memory(error);
}

static void bip_on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    bip *b = self;
    b->last_use[(size_t)access->set * b->ways + way] = ++b->now;
}

static void bip_on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    bip *b = self;
    b->last_use[(size_t)access->set * b->ways + way] = 0;
    if (--b->until)
        return;
    b->until = b->every;
    bip_on_hit(self, access, way);
}

static uint32_t bip_victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    const bip *b = self;
    const uint64_t *last_use = &b->last_use[(size_t)access->set * b->ways];
    uint32_t victim = sl_way_from(evictable, 0);
    for (uint32_t way = victim; way != SL_NO_WAY; way = sl_way_from(evictable, way + 1))
        if (last_use[way] < last_use[victim])
            victim = way;
    return victim;
}

static const sl_policy_ops bip_policy = {
    .name = "bip",
    .summary = "bimodal insertion: most fills at the LRU position",
    .source = "Qureshi et al., ISCA 2007",
    .params = bip_params,
    .state_bytes = sizeof(bip),
    .init = bip_init,
    .victim = bip_victim,
    .on_hit = bip_on_hit,
    .on_fill = bip_on_fill,
};

/* ---- model ---- */

/* Hits and sectors of the global loads of all launches, with a policy in L1. */
static sl_status count_hits(const sl_trace *trace, const char *machine_name, const char *policy, sl_pool *pool,
                            uint64_t *hits, uint64_t *sectors, sl_error *error)
{
    static const sl_policy_ops *const custom[] = {&bip_policy};
    static const sl_policy_list policies = {1, custom};
    char setting[128];
    const char *settings[] = {setting};
    sl_machine *machine;
    snprintf(setting, sizeof setting, "L1.replacement=%s", policy);
    sl_status status = sl_machine_create(machine_name, settings, 1, &policies, &machine, error);
    *hits = *sectors = 0;
    for (uint32_t launch = 0; !status && launch < sl_trace_launches(trace); launch++) {
        sl_model_result *result;
        uint64_t more_hits = 0, more_sectors = 0;
        status = sl_model_launch(machine, trace, launch, NULL, pool, &result, error);
        if (!status)
            status = sl_counts_value(sl_model_total(result), "ld_sector_hits", &more_hits, error);
        if (!status)
            status = sl_counts_value(sl_model_total(result), "ld_sectors", &more_sectors, error);
        *hits += more_hits;
        *sectors += more_sectors;
        sl_model_result_destroy(result);
    }
    sl_machine_destroy(machine);
    return status;
}

static sl_status compare(const char *path, const char *machine, sl_error *error)
{
    static const char *const policies[] = {"lru", "srrip", "bip", "bip(every=4)"};
    sl_trace *trace = NULL;
    sl_pool *pool = NULL;
    sl_status status = sl_trace_open(path, &trace, NULL, error);
    if (!status)
        status = sl_pool_create(0, &pool, error);
    for (size_t i = 0; i < sizeof policies / sizeof *policies && !status; i++) {
        uint64_t hits, sectors;
        status = count_hits(trace, machine, policies[i], pool, &hits, &sectors, error);
        if (!status)
            printf("%-14s %" PRIu64 " of %" PRIu64 " sectors hit in L1\n", policies[i], hits, sectors);
    }
    sl_pool_destroy(pool);
    if (trace)
        sl_trace_close(trace);
    return status;
}

int main(int argc, char **argv)
{
    char text[1400];
    sl_error error = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: custom_policy TRACE [MACHINE]\n");
        return 2;
    }
    sl_status status = compare(argv[1], argc > 2 ? argv[2] : "fermi-gtx470", &error);
    if (status)
        fprintf(stderr, "custom_policy: %s\n", sl_error_format(&error, text, sizeof text));
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
