/* SPDX-License-Identifier: MIT */
/* Collects what the simulator says of launches. */
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

typedef struct ear {
    const char *policy;
    uint32_t level;
    size_t count, first; /* first: where the numbers of this policy begin */
    sl_policy_statistic told[MAX_STATISTICS];
} ear;

/* The caches of a level say the same names: their numbers are summed. */
static void hear(void *to, const char *name, uint64_t value)
{
    ear *e = to;
    for (size_t i = e->first; i < e->count; i++)
        if (!strcmp(e->told[i].name, name)) {
            e->told[i].value += value;
            return;
        }
    if (e->count < MAX_STATISTICS)
        e->told[e->count++] = (sl_policy_statistic){e->level, e->policy, name, value};
}

static sl_status ask_policies(sl_sim_report *report, const sl_sim *sim, sl_sim_reported *to, sl_error *error)
{
    ear e = {0};
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
            e.policy = choice.ops->name;
            e.level = level;
            e.first = e.count;
            sl_sim_policy_report(sim, level, bypass, &(sl_policy_statistics){hear, &e});
        }
    to->tell = sl_arena_array(&report->arena, sl_policy_statistic, e.count + 1);
    if (!to->tell)
        return sl_fail_memory(error);
    to->told = e.count;
    memcpy(to->tell, e.told, e.count * sizeof *e.told);
    for (size_t i = 0; i < e.count; i++)
        if (!(to->tell[i].name = sl_arena_strdup(&report->arena, e.told[i].name)))
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
    sl_status status = ask_policies(report, sim, &to, error);
    if (!status && !sl_array_push(&report->launch, to))
        status = sl_fail_memory(error);
    return status ? status : sl_launch_log_add(report->log, &logged, error);
}
