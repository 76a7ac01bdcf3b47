/* SPDX-License-Identifier: MIT */
#include "cli/report_sim.h"

#include <pthread.h>
#include <string.h>

#include "cli/sweep_run.h"
#include "policy/policy.h"
#include "sim/series.h"

typedef struct simulated {
    const sl_invocation *inv;
    const sl_trace_input *input;
    uint64_t seed;
    size_t points;
    sl_machine *machine;   /* [points] */
    sl_sweep_point *point; /* [points] */
    sl_counts *counts;     /* [launches][points] */
    uint64_t *l1_bytes;    /* [launches][points] */
    pthread_mutex_t lock;
    uint64_t done;
} simulated;

typedef struct one_point {
    simulated *s;
    size_t number;
} one_point;

/* ---- points ---- */

static void add_point(simulated *s, const sl_machine *machine, const char *name)
{
    const sl_level *first = &machine->level[0];
    memcpy(&s->machine[s->points], machine, sizeof *machine);
    s->point[s->points++] = (sl_sweep_point){.ways = first->ways,
                                             .line_bytes = first->line_bytes,
                                             .mshrs = first->mshrs,
                                             .seed = s->seed,
                                             .replacement = name};
}

/* "lru", "decoupled+lru": what the first level has. */
static const char *own_name(const sl_level *level, sl_arena *arena)
{
    char name[2 * SL_MACHINE_POLICY + 2];
    snprintf(name, sizeof name, "%s%s%s", level->bypass, *level->bypass ? "+" : "", level->replacement);
    return sl_arena_strdup(arena, name);
}

static void put_policy(sl_machine *machine, const sl_policy_ops *policy)
{
    sl_level *first = &machine->level[0];
    bool replaces = sl_policy_replaces(policy);
    memset(first->bypass, 0, sizeof first->bypass);
    snprintf(replaces ? first->replacement : first->bypass, SL_MACHINE_POLICY, "%s", policy->name);
}

static sl_status add_points(simulated *s, const sl_machine *machine, sl_arena *arena, const char **note,
                            sl_error *error)
{
    const char *own = own_name(&machine->level[0], arena);
    if (!own)
        return sl_fail_memory(error);
    add_point(s, machine, own);
    for (size_t i = 0; i < sl_policy_count(); i++) {
        const sl_policy_ops *policy = sl_policy_at(i);
        sl_machine other;
        sl_error reason;
        char text[sizeof reason + 128];
        memcpy(&other, machine, sizeof other);
        put_policy(&other, policy);
        if (!strcmp(policy->name, own))
            continue;
        if (!sl_machine_check(&other, &reason)) {
            add_point(s, &other, policy->name);
        } else if (!*note) {
            snprintf(text, sizeof text, "Left out: %s (%s)", policy->name, reason.text);
            if (!(*note = sl_arena_strdup(arena, text)))
                return sl_fail_memory(error);
        }
    }
    return SL_OK;
}

/* ---- runs ---- */

static sl_status keep_launch(void *to, const sl_sim *sim, uint32_t n, const sl_loaded *loaded,
                             const sl_sim_result *result, sl_error *error)
{
    const one_point *one = to;
    size_t at = (size_t)n * one->s->points + one->number;
    (void)sim, (void)loaded, (void)error;
    one->s->counts[at] = result->counts.total;
    one->s->l1_bytes[at] = result->l1_bytes;
    return SL_OK;
}

static sl_status simulate_point(void *context, size_t index, unsigned worker, sl_error *error)
{
    simulated *s = context;
    one_point one = {s, index};
    const sl_sim_options options = {.seed = s->seed};
    const sl_sim_series series = {.trace = s->input->trace, .launch = s->input->launch, .launches = s->input->launches};
    (void)worker;
    sl_status status = sl_sim_series_run(&series, &s->machine[index], &options, NULL, keep_launch, &one, NULL, error);
    pthread_mutex_lock(&s->lock);
    sl_progress_update(s->inv->progress, "policies simulated", ++s->done, s->points);
    pthread_mutex_unlock(&s->lock);
    return status;
}

sl_status sl_report_simulate(const sl_invocation *inv, const sl_machine *machine, uint64_t seed,
                             const sl_trace_input *input, sl_arena *arena, sl_sweep *sweep, sl_error *error)
{
    simulated s = {.inv = inv, .input = input, .seed = seed, .lock = PTHREAD_MUTEX_INITIALIZER};
    size_t most = sl_policy_count() + 1, launches = input->launches;
    const char *note = NULL;
    sl_pool *pool = NULL;
    s.machine = sl_arena_array(arena, sl_machine, most);
    s.point = sl_arena_array(arena, sl_sweep_point, most);
    s.counts = sl_arena_array(arena, sl_counts, launches * most + 1);
    s.l1_bytes = sl_arena_array(arena, uint64_t, launches * most + 1);
    if (!s.machine || !s.point || !s.counts || !s.l1_bytes)
        return sl_fail_memory(error);
    sl_status status = add_points(&s, machine, arena, &note, error);
    if (!status)
        status = sl_pool_create((unsigned)inv->common->threads, &pool, error);
    if (!status)
        status = sl_pool_run(pool, s.points, simulate_point, &s, error);
    sl_pool_destroy(pool);
    if (status)
        return status;
    *sweep = (sl_sweep){.points = s.points,
                        .point = s.point,
                        .launches = launches,
                        .launch = sl_swept_launches(input, s.counts, s.l1_bytes, s.points, arena),
                        .passes = s.points,
                        .note = note};
    return sweep->launch ? SL_OK : sl_fail_memory(error);
}
