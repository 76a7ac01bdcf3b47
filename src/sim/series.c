/* SPDX-License-Identifier: MIT */
#include "sim/series.h"

#include <stdlib.h>
#include <string.h>

#include "policy/line_counts.h"
#include "trace/launch_progress.h"

/* What a run of the launches needs to know. */
typedef struct run {
    const sl_sim_series *series;
    sl_sim *sim;
    sl_pool *pool;
    const char *verb; /* of the progress */
    sl_launch_progress *shown;
    sl_line_counts *const *known; /* [launches]; NULL: none */
    sl_line_counts **record;      /* the same */
    bool cold;                    /* caches are empty before each launch */
    sl_sim_each each;
    void *to;
} run;

static sl_status warm_launch(const run *r, uint32_t launch, sl_error *error)
{
    return r->cold ? SL_OK : sl_sim_warm(r->sim, r->series->trace, launch, error);
}

/* Launches of the trace between the launch of the series before and this one. */
static sl_status warm_gap(const run *r, uint32_t n, sl_error *error)
{
    const sl_sim_series *s = r->series;
    sl_status status = SL_OK;
    for (uint32_t at = n ? s->launch[n - 1] + 1 : 0; s->warms_gaps && at < s->launch[n] && !status; at++)
        status = warm_launch(r, at, error);
    return status;
}

/* How many launches come before the last that is simulated, with it. */
static uint32_t launches_needed(const sl_sim_series *s)
{
    uint32_t count = s->launches;
    while (s->wanted && count && !s->wanted[count - 1])
        count--;
    return count;
}

static sl_status run_launch(const run *r, uint32_t n, sl_error *error)
{
    const sl_sim_series *s = r->series;
    sl_loaded *loaded = NULL;
    sl_sim_result result = {0};
    sl_status warmed = warm_gap(r, n, error);
    sl_launch_progress_begin(r->shown, n);
    if (warmed || (s->wanted && !s->wanted[n]))
        return warmed ? warmed : warm_launch(r, s->launch[n], error);
    sl_status status = sl_loaded_create(s->trace, s->launch[n], r->pool, &loaded, error);
    if (!status) {
        sl_sim_set_counts(r->sim, r->known ? r->known[n] : NULL, r->record ? r->record[n] : NULL);
        status = sl_sim_launch(r->sim, loaded, s->plan ? &s->plan[n] : NULL, &result, error);
    }
    if (!status && r->each)
        status = r->each(r->to, r->sim, n, loaded, &result, error);
    sl_sim_result_fini(&result);
    sl_loaded_destroy(loaded);
    return status;
}

static sl_status run_all(run *r, const sl_machine *machine, const sl_sim_options *options, char **state,
                         sl_error *error)
{
    const sl_sim_series *s = r->series;
    sl_sim_options with_pool = *options;
    sl_launch_progress shown;
    uint32_t launches = launches_needed(s);
    sl_launch_progress_init(&shown, options->progress, r->verb, s->trace, s->launch, launches, s->wanted);
    r->shown = &shown;
    r->cold = options->cold;
    with_pool.pool = r->pool;
    with_pool.progress = options->progress ? &shown.progress : NULL;
    sl_status status = sl_sim_create_with(machine, &with_pool, &r->sim, error);
    for (uint32_t n = 0; n < launches && !status && !(s->stop && *s->stop); n++)
        status = run_launch(r, n, error);
    sl_launch_progress_end(&shown);
    if (status && state && r->sim && sl_sim_state_text(r->sim))
        *state = strdup(sl_sim_state_text(r->sim));
    sl_sim_destroy(r->sim);
    return status;
}

static sl_status role_needs_counts(const sl_machine *machine, const char *text, bool *needs, sl_error *error)
{
    sl_policy_choice choice;
    *needs = false;
    if (!*text)
        return SL_OK;
    sl_status status = sl_policy_parse_among(machine->policies, text, &choice, error);
    if (!status)
        *needs = choice.ops->needs_counts;
    return status;
}

sl_status sl_sim_needs_counts(const sl_machine *machine, bool *needed, sl_error *error)
{
    *needed = false;
    for (uint32_t i = 0; i < machine->levels; i++) {
        bool replacement, bypass;
        sl_status status = role_needs_counts(machine, machine->level[i].replacement, &replacement, error);
        if (!status)
            status = role_needs_counts(machine, machine->level[i].bypass, &bypass, error);
        if (status)
            return status;
        if (i && (replacement || bypass))
            return sl_fail(
                error, SL_UNSUPPORTED, "%s: '%s' needs the line counts of a profiling run, which exist for %s only",
                machine->level[i].name, replacement ? machine->level[i].replacement : machine->level[i].bypass,
                machine->level[0].name);
        *needed |= replacement || bypass;
    }
    return SL_OK;
}

sl_status sl_sim_series_count(const sl_sim_series *series, const sl_machine *machine, const sl_sim_options *options,
                              sl_pool *pool, sl_line_counts ***counts, char **state, sl_error *error)
{
    sl_machine plain = *machine;
    sl_sim_options quiet = *options;
    plain.level[0].bypass[0] = 0;
    quiet.observer = NULL;
    quiet.record_requests = NULL;
    sl_line_counts **made = calloc(series->launches + 1u, sizeof *made);
    bool ok = made;
    for (uint32_t n = 0; ok && n < series->launches; n++) {
        made[n] = sl_line_counts_create(machine->cores / machine->level[0].cores_per_instance);
        ok = made[n];
    }
    run r = {.series = series, .pool = pool, .verb = "profiling", .record = made};
    sl_status status = ok ? run_all(&r, &plain, &quiet, state, error) : sl_fail_memory(error);
    if (status)
        sl_sim_series_free_counts(series, made);
    else
        *counts = made;
    return status;
}

void sl_sim_series_free_counts(const sl_sim_series *series, sl_line_counts **counts)
{
    for (uint32_t n = 0; counts && n < series->launches; n++)
        sl_line_counts_destroy(counts[n]);
    free(counts);
}

sl_status sl_sim_series_run(const sl_sim_series *series, const sl_machine *machine, const sl_sim_options *options,
                            sl_pool *pool, sl_sim_each each, void *to, char **state, sl_error *error)
{
    bool needed;
    sl_line_counts **made = NULL;
    if (state)
        *state = NULL;
    sl_status status = sl_sim_needs_counts(machine, &needed, error);
    if (!status && needed && !series->counts)
        status = sl_sim_series_count(series, machine, options, pool, &made, state, error);
    run r = {.series = series,
             .pool = pool,
             .verb = "simulating",
             .known = made ? made : series->counts,
             .each = each,
             .to = to};
    if (!status)
        status = run_all(&r, machine, options, state, error);
    sl_sim_series_free_counts(series, made);
    return status;
}
