/* SPDX-License-Identifier: MIT */
#include "study/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "policy/policy.h"

enum { MAX_POINTS = 4096 };

sl_status sl_sweep_init(sl_sweep *w, const sl_point *like, bool first_level, sl_error *error)
{
    *w = (sl_sweep){.like = *like, .first_level = first_level};
    sl_arena_init(&w->arena);
    if (!first_level)
        return SL_OK;
    sl_machine *machine = sl_arena_new(&w->arena, sl_machine);
    if (!machine)
        return sl_fail_memory(error);
    memcpy(machine, like->resolved, sizeof *machine);
    machine->levels = 1;
    w->like.resolved = machine;
    return SL_OK;
}

void sl_sweep_fini(sl_sweep *w)
{
    sl_point_results_free(w->result, w->points.count);
    free(w->result);
    sl_array_free(&w->points);
    sl_map_fini(&w->symbols);
    sl_arena_fini(&w->arena);
    *w = (sl_sweep){0};
}

/* ---- points ---- */

/* `machine` NULL: the one that all have. */
static sl_status add_point(sl_sweep *w, const sl_machine *machine, sl_sweep_point point, sl_error *error)
{
    if (w->points.count >= MAX_POINTS)
        return sl_fail(error, SL_LIMIT, "more than %d points in one sweep", MAX_POINTS);
    uint64_t seed = point.point.seed ? point.point.seed : w->like.seed;
    point.point = w->like;
    point.point.seed = seed;
    if (machine) {
        sl_machine *copy = sl_arena_new(&w->arena, sl_machine);
        if (!copy)
            return sl_fail_memory(error);
        memcpy(copy, machine, sizeof *copy);
        point.point.resolved = copy;
    }
    return sl_array_push(&w->points, point) ? SL_OK : sl_fail_memory(error);
}

/* Adds a point with another first level; `reason` says why that is impossible. */
static sl_status add_level(sl_sweep *w, const sl_first_level *level, sl_sweep_point point, sl_error *reason)
{
    sl_machine machine;
    memcpy(&machine, w->like.resolved, sizeof machine);
    sl_status status = sl_machine_vary(&machine, level, reason);
    return status ? status : add_point(w, &machine, point, reason);
}

static void note_skipped(sl_sweep *w, const char *what, const char *which, const sl_error *reason)
{
    if (!*w->note)
        snprintf(w->note, sizeof w->note, "impossible points are skipped; the first: %s%s%s (%s)", what,
                 *what ? " " : "", which, reason->text);
}

sl_status sl_sweep_product(sl_sweep *w, const sl_sweep_list list[4], sl_error *error)
{
    static const uint64_t absent[4] = {0, 0, 0, SL_MSHRS_AS_THEY_ARE};
    size_t points = 1;
    sl_status status = SL_OK;
    for (int p = 0; p < 4; p++)
        points *= list[p].count ? list[p].count : 1;
    for (size_t i = 0; i < points && !status; i++) {
        uint64_t value[4];
        size_t rest = i;
        for (int p = 3; p >= 0; p--) {
            size_t count = list[p].count ? list[p].count : 1;
            value[p] = list[p].count ? list[p].value[rest % count] : absent[p];
            rest /= count;
        }
        const sl_first_level level = {value[0], (uint32_t)value[1], (uint32_t)value[2], (uint32_t)value[3]};
        status = add_level(w, &level, (sl_sweep_point){0}, error);
    }
    return status;
}

typedef enum parameter { WAYS, SIZE, LINE, MSHRS, PARAMETERS } parameter;

static uint64_t current_value(const sl_level *level, parameter p)
{
    return p == WAYS ? level->ways : p == SIZE ? level->size_bytes : p == LINE ? level->line_bytes : level->mshrs;
}

static sl_first_level level_with(parameter p, uint64_t value)
{
    return (sl_first_level){
        .ways = p == WAYS ? (uint32_t)value : 0,
        .size_bytes = p == SIZE ? value : 0,
        .line_bytes = p == LINE ? (uint32_t)value : 0,
        .mshrs = p == MSHRS ? (uint32_t)value : SL_MSHRS_AS_THEY_ARE,
    };
}

/* One parameter scaled by powers of two from 1 / `divisor` on; `factor` names them, and "1x" is the unchanged
 * machine. */
static sl_status add_factors(sl_sweep *w, parameter p, const char *name, const char *const *factor, int factors,
                             uint64_t divisor, bool named, sl_error *error)
{
    uint64_t current = current_value(&w->like.resolved->level[0], p);
    for (int f = 0; f < factors; f++) {
        uint64_t value = (current << f) / divisor;
        const sl_first_level level = level_with(p, value);
        const sl_sweep_point point = {.varied = name, .factor = factor[f]};
        sl_error reason;
        sl_status status = SL_OK;
        if (UINT64_C(1) << f == divisor && value)
            status = add_point(w, NULL, point, &reason);
        else
            status = value ? add_level(w, &level, point, &reason)
                           : sl_fail(&reason, SL_INVALID, "there are %u", (unsigned)current);
        if (status == SL_NO_MEMORY)
            return sl_fail_memory(error);
        if (status)
            note_skipped(w, named ? name : "", factor[f], &reason);
    }
    return SL_OK;
}

sl_status sl_sweep_figure12(sl_sweep *w, sl_error *error)
{
    static const char *const names[PARAMETERS] = {"ways", "size", "line", "MSHRs"};
    static const char *const factors[] = {"0.25x", "0.5x", "1x", "2x", "4x"};
    sl_status status = SL_OK;
    for (int p = 0; p < PARAMETERS && !status; p++)
        status = add_factors(w, (parameter)p, names[p], factors, 5, 4, true, error);
    return status;
}

sl_status sl_sweep_sizes(sl_sweep *w, sl_error *error)
{
    static const char *const factors[] = {"0.125x", "0.25x", "0.5x", "1x", "2x", "4x", "8x"};
    return add_factors(w, SIZE, "size", factors, 7, 8, false, error);
}

sl_status sl_sweep_seeds(sl_sweep *w, uint64_t count, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint64_t i = 0; i < count && !status; i++)
        status = add_point(w, NULL, (sl_sweep_point){.point.seed = w->like.seed + i}, error);
    return status;
}

/* ---- policies ---- */

/* "lru", "decoupled+lru": what the first level has. */
static const char *current_policies(const sl_level *level, sl_arena *arena)
{
    return sl_arena_printf(arena, "%s%s%s", level->bypass, *level->bypass ? "+" : "", level->replacement);
}

static void set_policy(sl_machine *machine, const sl_policy_ops *policy, bool model)
{
    sl_level *first = &machine->level[0];
    bool replaces = sl_policy_replaces(policy);
    if (!model)
        memset(first->bypass, 0, sizeof first->bypass);
    if (replaces)
        memset(first->replacement, 0, sizeof first->replacement);
    snprintf(replaces ? first->replacement : first->bypass, SL_MACHINE_POLICY, "%s", policy->name);
}

static sl_status add_policy(sl_sweep *w, const sl_policy_ops *policy, sl_error *error)
{
    sl_machine machine;
    sl_error reason;
    memcpy(&machine, w->like.resolved, sizeof machine);
    set_policy(&machine, policy, w->like.kind == SL_ANALYSIS_MODEL);
    if (!sl_machine_check(&machine, &reason))
        return add_point(w, &machine, (sl_sweep_point){.policy = policy->name}, error);
    if (!*w->note)
        snprintf(w->note, sizeof w->note, "Skipped: %s (%s)", policy->name, reason.text);
    return SL_OK;
}

sl_status sl_sweep_policies(sl_sweep *w, sl_error *error)
{
    bool model = w->like.kind == SL_ANALYSIS_MODEL;
    const char *current = current_policies(&w->like.resolved->level[0], &w->arena);
    sl_status status = current ? SL_OK : sl_fail_memory(error);
    if (!status && !model)
        status = add_point(w, NULL, (sl_sweep_point){.policy = current}, error);
    const sl_policy_list *custom = w->like.resolved->policies;
    size_t customs = custom ? custom->count : 0;
    for (size_t i = 0; i < customs + sl_policy_count() && !status; i++) {
        const sl_policy_ops *policy = i < customs ? custom->ops[i] : sl_policy_at(i - customs);
        bool only_replaces = sl_policy_replaces(policy) && !sl_policy_bypasses(policy);
        if (model ? only_replaces : strcmp(policy->name, current) != 0)
            status = add_policy(w, policy, error);
    }
    return status;
}

/* ---- running ---- */

static void add_swept(sl_swept *to, const sl_result_launch *launch)
{
    sl_counts_merge(&to->counts, &launch->counts);
    if (!to->max_l1_bytes || launch->l1_bytes < to->min_l1_bytes)
        to->min_l1_bytes = launch->l1_bytes;
    if (launch->l1_bytes > to->max_l1_bytes)
        to->max_l1_bytes = launch->l1_bytes;
}

const sl_swept_kernel *sl_sweep_kernel(const sl_sweep *w, const char *symbol)
{
    return sl_map_get(&w->symbols, symbol, strlen(symbol));
}

/* The kernel of a launch, which is added where it is new; NULL when memory runs out. */
static sl_swept_kernel *kernel_of(sl_sweep *w, const sl_trace_kernel *kernel)
{
    size_t length = strlen(kernel->symbol);
    sl_swept_kernel *known = sl_map_get(&w->symbols, kernel->symbol, length);
    if (known)
        return known;
    sl_swept_kernel *added = &w->kernel[w->kernels++];
    *added = (sl_swept_kernel){.symbol = kernel->symbol,
                               .name = kernel->name,
                               .swept = sl_arena_array(&w->arena, sl_swept, w->points.count + 1)};
    return added->swept && sl_map_put(&w->symbols, kernel->symbol, length, added) ? added : NULL;
}

/* Sums the points by kernel. */
static bool sum_kernels(sl_sweep *w)
{
    const sl_recording *r = w->recording;
    w->kernel = sl_arena_array(&w->arena, sl_swept_kernel, r->launches + 1u);
    w->all = sl_arena_array(&w->arena, sl_swept, w->points.count + 1);
    bool good = w->kernel && w->all;
    for (uint32_t n = 0; n < r->launches && good; n++) {
        const sl_trace_launch *launch = sl_trace_launch_at(r->trace, r->launch[n]);
        sl_swept_kernel *k = kernel_of(w, sl_trace_kernel_at(r->trace, launch->kernel));
        good = k;
        if (good) {
            k->launches++;
            k->failed += launch->failed;
        }
        for (size_t i = 0; i < w->points.count && good && !launch->failed; i++) {
            add_swept(&k->swept[i], &w->result[i].result.launch[n]);
            add_swept(&w->all[i], &w->result[i].result.launch[n]);
        }
    }
    return good;
}

sl_status sl_sweep_run(sl_sweep *w, const sl_recording *recording, sl_pool *pool, const sl_progress *progress,
                       sl_error *error)
{
    size_t count = w->points.count;
    const sl_point **point = calloc(count + 1, sizeof *point);
    const sl_machine **machine = calloc(count + 1, sizeof *machine);
    w->recording = recording;
    w->result = calloc(count + 1, sizeof *w->result);
    sl_status status = point && machine && w->result ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < count && !status; i++) {
        point[i] = &w->points.items[i].point;
        machine[i] = point[i]->resolved;
    }
    const sl_point_batch batch = {recording, count, point, machine, pool, progress};
    if (!status)
        status = sl_points_run(&batch, w->result, error);
    if (!status)
        w->passes = w->like.kind == SL_ANALYSIS_MODEL && count ? w->result[0].result.passes : count;
    if (!status && !sum_kernels(w))
        status = sl_fail_memory(error);
    free(point);
    free(machine);
    return status;
}

sl_spread sl_sweep_spread(const sl_sweep *s, uint32_t launch, sl_metric metric)
{
    sl_spread r = {.min = INFINITY, .max = -INFINITY};
    double value, sum = 0, squares = 0;
    if (sl_trace_launch_at(s->recording->trace, s->recording->launch[launch])->failed)
        return r;
    for (size_t i = 0; i < s->points.count; i++)
        if (sl_counts_metric(metric, &s->result[i].result.launch[launch].counts, &value)) {
            r.points++;
            sum += value;
            r.min = value < r.min ? value : r.min;
            r.max = value > r.max ? value : r.max;
        }
    r.mean = r.points ? sum / (double)r.points : 0;
    for (size_t i = 0; i < s->points.count; i++)
        if (sl_counts_metric(metric, &s->result[i].result.launch[launch].counts, &value))
            squares += (value - r.mean) * (value - r.mean);
    r.deviation = r.points > 1 ? sqrt(squares / (double)(r.points - 1)) : 0;
    return r;
}
