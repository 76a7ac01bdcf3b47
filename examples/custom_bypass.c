/* SPDX-License-Identifier: MIT */
/* Adds a custom bypass policy for L1 and simulates a trace with it next to built-in ones. An instruction whose lines
 * are evicted unused `limit` times in a row bypasses; one request in `again` still allocates, to see whether its lines
 * are reused now.
 *
 *   cc custom_bypass.c $(pkg-config --cflags --libs sluice) -o custom_bypass
 *   sluice trace -o gesummv.slt gesummv && ./custom_bypass gesummv.slt [MACHINE] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sluice/sluice.h>

/* ---- the policy ---- */

enum { ENTRIES = 256 }; /* shared by instructions, by their number */

typedef struct once {
    uint32_t *by; /* [sets * ways]: the entry that filled the line */
    uint32_t unused[ENTRIES], asked[ENTRIES];
    uint64_t limit, again, bypassed;
    uint32_t ways;
} once;

enum { LIMIT, AGAIN };
static const sl_param once_params[] = {
    {.name = "limit",
     .default_value = 32,
     .min = 1,
     .max = 4096,
     .help = "lines evicted unused before an instruction bypasses"},
    {.name = "again", .default_value = 64, .min = 1, .max = 4096, .help = "one request in this many still allocates"},
    {0},
};

static sl_status once_init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                           sl_error *error)
{
    once *o = self;
    o->ways = geometry->ways;
    o->limit = value[LIMIT];
    o->again = value[AGAIN];
    o->by = sl_arena_array(arena, uint32_t, (size_t)geometry->sets * geometry->ways);
    return o->by ? SL_OK : sl_fail_memory(error);
}

static sl_admission once_admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    once *o = self;
    uint32_t entry = access->pc % ENTRIES;
    (void)choices;
    if (!sl_access_reads(access) || o->unused[entry] < o->limit || ++o->asked[entry] % o->again == 0)
        return SL_ADMIT;
    o->bypassed++;
    return SL_BYPASS;
}

static void once_on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    once *o = self;
    o->by[(size_t)access->set * o->ways + way] = access->pc % ENTRIES;
}

static void once_on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    once *o = self;
    uint32_t entry = o->by[(size_t)set * o->ways + way];
    o->unused[entry] = reused ? 0 : o->unused[entry] + 1;
}

static void once_report(const void *self, const sl_policy_statistics *statistics)
{
    statistics->number(statistics->to, "bypassed", ((const once *)self)->bypassed);
}

static const sl_policy_ops once_policy = {
    .name = "once",
    .summary = "bypass loads whose lines are not reused",
    .params = once_params,
    .state_bytes = sizeof(once),
    .keeps = true,
    .init = once_init,
    .admit = once_admit,
    .on_fill = once_on_fill,
    .on_evict = once_on_evict,
    .report = once_report,
};

/* ---- simulation ---- */

typedef struct totals {
    uint64_t cycles, sectors, hits, bypasses;
} totals;

static sl_status add_launch(sl_sim *sim, const sl_trace *trace, uint32_t launch, totals *t, sl_error *error)
{
    sl_sim_result *result;
    uint64_t cycles = 0, sectors = 0, hits = 0;
    double bypasses = 0;
    sl_status status = sl_sim_run(sim, trace, launch, NULL, &result, error);
    if (!status)
        status = sl_counts_value(sl_sim_total(result), "cycles", &cycles, error);
    if (!status)
        status = sl_counts_value(sl_sim_total(result), "ld_sectors", &sectors, error);
    if (!status)
        status = sl_counts_value(sl_sim_total(result), "ld_sector_hits", &hits, error);
    if (!status)
        status = sl_sim_level_value(result, 0, "bypasses", &bypasses, error);
    sl_sim_result_destroy(result);
    *t = (totals){t->cycles + cycles, t->sectors + sectors, t->hits + hits, t->bypasses + (uint64_t)bypasses};
    return status;
}

/* Simulates all launches in order, with a bypass policy next to LRU in L1. */
static sl_status simulate(const sl_trace *trace, const char *machine_name, const char *policy, totals *t,
                          sl_error *error)
{
    static const sl_policy_ops *const custom[] = {&once_policy};
    static const sl_policy_list policies = {1, custom};
    char setting[128];
    const char *settings[] = {setting};
    sl_machine *machine = NULL;
    sl_sim *sim = NULL;
    snprintf(setting, sizeof setting, "L1.bypass=%s", policy);
    sl_status status = sl_machine_create(machine_name, settings, *policy ? 1 : 0, &policies, &machine, error);
    if (!status)
        status = sl_sim_create(machine, NULL, &sim, error);
    *t = (totals){0};
    for (uint32_t launch = 0; !status && launch < sl_trace_launches(trace); launch++)
        status = add_launch(sim, trace, launch, t, error);
    sl_sim_destroy(sim);
    sl_machine_destroy(machine);
    return status;
}

static sl_status compare(const char *path, const char *machine, sl_error *error)
{
    static const char *const policies[] = {"", "all", "decoupled", "once", "once(limit=8)"};
    sl_trace *trace = NULL;
    sl_status status = sl_trace_open(path, &trace, NULL, error);
    for (size_t i = 0; i < sizeof policies / sizeof *policies && !status; i++) {
        totals t;
        status = simulate(trace, machine, policies[i], &t, error);
        if (!status)
            printf("%-14s %9" PRIu64 " cycles  %5.1f %% of sectors hit in L1  %8" PRIu64 " requests bypassed\n",
                   *policies[i] ? policies[i] : "none", t.cycles,
                   t.sectors ? 100.0 * (double)t.hits / (double)t.sectors : 0.0, t.bypasses);
    }
    if (trace)
        sl_trace_close(trace);
    return status;
}

int main(int argc, char **argv)
{
    char text[1400];
    sl_error error = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: custom_bypass TRACE [MACHINE]\n");
        return 2;
    }
    sl_status status = compare(argv[1], argc > 2 ? argv[2] : "fermi-gtx480", &error);
    if (status)
        fprintf(stderr, "custom_bypass: %s\n", sl_error_format(&error, text, sizeof text));
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
