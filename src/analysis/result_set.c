/* SPDX-License-Identifier: MIT */
#include "analysis/result_set.h"

#include <string.h>

/* What the model cannot do, bypass policies, is left out; where it knows a policy as little, it says nothing. */
static void classify(const sl_recording *recording, const sl_analysis *analysis, sl_pool *pool, sl_result *classes)
{
    sl_machine plain;
    memcpy(&plain, analysis->machine, sizeof plain);
    for (uint32_t i = 0; i < plain.levels; i++)
        memset(plain.level[i].bypass, 0, sizeof plain.level[i].bypass);
    const sl_analysis model = {.kind = SL_ANALYSIS_MODEL, .machine = &plain, .details = true, .seed = analysis->seed};
    if (sl_analyze(recording, &model, pool, NULL, classes, NULL))
        sl_result_fini(classes);
}

sl_status sl_result_set_make(const sl_recording *recording, const sl_analysis *analysis, bool more, sl_pool *pool,
                             const sl_progress *progress, sl_result_set *set, sl_error *error)
{
    *set = (sl_result_set){0};
    sl_analysis detailed = *analysis;
    detailed.details = true;
    sl_status status = sl_analyze(recording, &detailed, pool, progress, &set->measured, error);
    if (status || !more)
        return status;
    if (analysis->kind == SL_ANALYSIS_SIM)
        classify(recording, analysis, pool, &set->classes);
    const sl_analysis count = {.kind = SL_ANALYSIS_COUNT, .details = true};
    return sl_analyze(recording, &count, pool, NULL, &set->counted, error);
}

void sl_result_set_fini(sl_result_set *set)
{
    sl_result_fini(&set->measured);
    sl_result_fini(&set->counted);
    sl_result_fini(&set->classes);
}
