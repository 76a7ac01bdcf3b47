/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "machine/vary.h"

enum { LARGER = 16 }; /* an L1 that holds what is used again is so many times larger */

uint64_t sl_ideal_cycles(const sl_result *modeled, uint32_t launch, sl_what_if_id id)
{
    const sl_result_launch *l = &modeled->launch[launch];
    if (id == SL_WHAT_IF_IMBALANCE)
        return l->ideal_cycles[SL_TIME_EVEN];
    if (id == SL_WHAT_IF_LOW_OCCUPANCY)
        return l->ideal_cycles[SL_TIME_FULL];
    if (id == SL_WHAT_IF_INSTRUCTIONS)
        return l->ideal_cycles[SL_TIME_WIDE];
    /* The first launch stays one. */
    return launch ? l->ideal_cycles[SL_TIME_BEHIND] : l->counts.value[SL_COUNTER_est_cycles];
}

/* A copy of the result with nothing but cycles. */
static sl_status estimate_ideal(const sl_result *before, sl_what_if_id id, sl_result *after, sl_error *error)
{
    *after = (sl_result){.kind = before->kind, .machine = before->machine, .launches = before->launches};
    sl_arena_init(&after->arena);
    after->launch = calloc(before->launches + 1u, sizeof *after->launch);
    if (!after->launch)
        return sl_fail_memory(error);
    for (uint32_t n = 0; n < before->launches; n++)
        if (sl_counts_has(&before->launch[n].counts, SL_COUNTER_est_cycles))
            sl_counts_add(&after->launch[n].counts, SL_COUNTER_est_cycles, sl_ideal_cycles(before, n, id));
    return SL_OK;
}

/* A warp that takes a row of its own lanes' makes as many warps as there were lanes: as many as fit are at work. */
static void share_rows(const sl_recording *recording, const sl_trace *view, sl_result *after)
{
    for (uint32_t n = 0; n < after->launches && n < recording->launches; n++) {
        uint64_t *cycles = &after->launch[n].counts.value[SL_COUNTER_est_cycles];
        uint64_t full = after->launch[n].ideal_cycles[SL_TIME_FULL];
        uint32_t kernel = sl_trace_launch_at(view, recording->launch[n])->kernel;
        if (sl_trace_what_if_rows(view, kernel) && full && full < *cycles)
            *cycles = full;
    }
}

static sl_status analyze_view(const sl_recording *recording, const sl_analysis *analysis, const sl_what_if *what_if,
                              sl_pool *pool, const sl_progress *progress, sl_result *after, sl_error *error)
{
    sl_recording changed = *recording;
    sl_status status = sl_trace_what_if(recording->trace, what_if, &changed.trace, error);
    if (status)
        return status;
    status = sl_analyze(&changed, analysis, pool, progress, after, error);
    if (!status && analysis->kind == SL_ANALYSIS_MODEL)
        share_rows(recording, changed.trace, after);
    sl_trace_what_if_destroy(changed.trace);
    return status;
}

sl_status sl_analyze_what_if(const sl_recording *recording, const sl_analysis *analysis, const sl_what_if *what_if,
                             const sl_result *before, sl_pool *pool, const sl_progress *progress, sl_result *after,
                             sl_error *error)
{
    const sl_what_if_info *info = &sl_what_if_infos[what_if->id];
    if (what_if->line && info->kind != SL_WHAT_IF_ACCESS && info->kind != SL_WHAT_IF_STEP)
        return sl_fail(error, SL_INVALID, "'%s' is about whole launches, not about a line", info->name);
    if (info->kind == SL_WHAT_IF_TIME) {
        if (analysis->kind != SL_ANALYSIS_MODEL)
            return sl_fail(error, SL_UNSUPPORTED, "'%s' is estimated, not simulated: use 'sluice model'", info->name);
        return estimate_ideal(before, what_if->id, after, error);
    }
    if (info->kind != SL_WHAT_IF_MACHINE)
        return analyze_view(recording, analysis, what_if, pool, progress, after, error);
    sl_machine machine = *analysis->machine;
    sl_analysis changed = *analysis;
    sl_status status = sl_machine_vary(
        &machine, &(sl_first_level){.size_bytes = machine.level[0].size_bytes * LARGER, .mshrs = SL_MSHRS_AS_THEY_ARE},
        error);
    changed.machine = &machine;
    return status ? status : sl_analyze(recording, &changed, pool, progress, after, error);
}
