/* SPDX-License-Identifier: MIT */
/* Collects the results of simulated launches. */
#include <stdlib.h>
#include <string.h>

#include "report/sim.h"

sl_status sl_sim_report_init(sl_sim_report *report, const sl_machine *machine, sl_error *error)
{
    *report = (sl_sim_report){.machine = machine};
    sl_arena_init(&report->arena);
    return sl_launch_log_create(&report->log, error);
}

void sl_sim_report_fini(sl_sim_report *report)
{
    sl_launch_log_destroy(report->log);
    sl_array_free(&report->launch);
    sl_arena_fini(&report->arena);
    *report = (sl_sim_report){0};
}

/* ---- policies ---- */

enum { MAX_STATISTICS = 32 };

typedef struct statistics {
    const char *policy;
    uint32_t level;
    size_t count, first; /* first: where the numbers of this policy begin */
    sl_policy_statistic item[MAX_STATISTICS];
} statistics;

/* Sums the statistics of the same name over the caches of a level. */
static void add_statistic(void *to, const char *name, uint64_t value)
{
    statistics *s = to;
    for (size_t i = s->first; i < s->count; i++)
        if (!strcmp(s->item[i].name, name)) {
            s->item[i].value += value;
            return;
        }
    if (s->count < MAX_STATISTICS)
        s->item[s->count++] = (sl_policy_statistic){s->level, s->policy, name, value};
}

static sl_status collect_statistics(sl_sim_report *report, const sl_sim *sim, sl_sim_reported *to, sl_error *error)
{
    statistics s = {0};
    for (uint32_t level = 0; level < report->machine->levels; level++)
        for (int bypass = 0; bypass < 2; bypass++) {
            const sl_level *l = &report->machine->level[level];
            sl_policy_choice choice;
            const char *text = bypass ? l->bypass : l->replacement;
            if (!*text)
                continue;
            sl_status status = sl_policy_parse_among(l->policies, text, &choice, error);
            if (status)
                return status;
            s.policy = choice.ops->name;
            s.level = level;
            s.first = s.count;
            sl_sim_policy_report(sim, level, bypass, &(sl_policy_statistics){add_statistic, &s});
        }
    to->statistic = sl_arena_array(&report->arena, sl_policy_statistic, s.count + 1);
    if (!to->statistic)
        return sl_fail_memory(error);
    to->statistics = s.count;
    memcpy(to->statistic, s.item, s.count * sizeof *s.item);
    for (size_t i = 0; i < s.count; i++)
        if (!(to->statistic[i].name = sl_arena_strdup(&report->arena, s.item[i].name)))
            return sl_fail_memory(error);
    return SL_OK;
}

/* ---- launches ---- */

sl_status sl_sim_report_add(sl_sim_report *report, const sl_sim *sim, const sl_loaded *loaded,
                            const sl_sim_result *result, const sl_sim_bound *bound, sl_error *error)
{
    sl_sim_reported to = {.l1_bytes = result->l1_bytes,
                          .resident_blocks = result->resident_blocks,
                          .bound = bound ? *bound : (sl_sim_bound){0},
                          .energy_nj = result->energy_nj};
    report->bounded |= bound != NULL;
    memcpy(to.level, result->level, sizeof to.level);
    const sl_trace_launch *launch = sl_loaded_launch(loaded);
    sl_launch_result logged = {
        .index = launch->index, .kernel = sl_loaded_kernel(loaded), .launch = launch, .counts = &result->counts};
    sl_status status = collect_statistics(report, sim, &to, error);
    if (!status && !sl_array_push(&report->launch, to))
        status = sl_fail_memory(error);
    return status ? status : sl_launch_log_add(report->log, &logged, error);
}
