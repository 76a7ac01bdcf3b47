/* SPDX-License-Identifier: MIT */
#include "study/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/launch_progress.h"
#include "workloads/workload.h"

/* The launches of an input. */
typedef struct counted {
    const sl_point *of; /* the point whose input and kernels they are; NULL: none yet */
    sl_recording recording;
    uint64_t *warp_insts; /* [recording.launches] */
} counted;

static void forget(counted *c)
{
    sl_recording_close(&c->recording);
    free(c->warp_insts);
    *c = (counted){0};
}

static sl_status count_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    const counted *c = context;
    sl_counts counts = {0};
    (void)worker;
    sl_status status = sl_recording_count(&c->recording, c->recording.launch[index], NULL, &counts, error);
    c->warp_insts[index] = counts.value[SL_COUNTER_warp_insts];
    return status;
}

static bool same_launches(const sl_point *a, const sl_point *b)
{
    return a && !strcmp(a->input.name, b->input.name) && !strcmp(a->kernel, b->kernel) && !strcmp(a->launch, b->launch);
}

static sl_status count(counted *c, const sl_point *point, sl_pool *pool, sl_error *error)
{
    if (same_launches(c->of, point))
        return SL_OK;
    forget(c);
    const sl_trace_filter filter = {.kernel_regex = point->kernel, .launches = point->launch};
    sl_status status = sl_recording_open(point->input.name, &filter, NULL, &c->recording, error);
    if (status)
        return status;
    c->of = point;
    c->warp_insts = calloc(c->recording.launches + 1u, sizeof *c->warp_insts);
    return c->warp_insts ? sl_pool_run(pool, c->recording.launches, count_job, c, error) : sl_fail_memory(error);
}

/* Of a trace: the launches of the point, and the lines of those before. */
static double of_trace(const counted *c, const sl_point *point)
{
    double seconds = 0;
    sl_recording part = c->recording;
    if (!(part.launch = malloc((part.launches + 1u) * sizeof *part.launch)))
        return NAN;
    memcpy(part.launch, c->recording.launch, part.launches * sizeof *part.launch);
    if (point->parts)
        sl_recording_select_part(&part, (uint32_t)point->part, (uint32_t)point->parts);
    for (uint32_t n = 0, taken = 0; n < c->recording.launches && taken < part.launches; n++) {
        bool own = c->recording.launch[n] == part.launch[taken];
        taken += own;
        seconds += sl_launch_seconds(point->kind, c->warp_insts[n]) / (own ? 1 : SL_LAUNCH_READ_SHARE);
    }
    free(part.launch);
    return seconds;
}

static double of_workload(const sl_workload *w, const sl_point *point)
{
    int size = 0;
    while (size < SL_SIZES && strcmp(point->input.size, sl_size_names[size]))
        size++;
    if (size == SL_SIZES || !w->facts || !w->facts[size].launches || *point->input.params || *point->kernel ||
        *point->launch)
        return NAN;
    double launches = (double)w->facts[size].launches, parts = point->parts ? (double)point->parts : 1;
    double all = launches * sl_launch_seconds(point->kind, (uint64_t)((double)w->facts[size].warp_insts / launches));
    return all / parts + all * (double)point->part / parts / SL_LAUNCH_READ_SHARE;
}

static sl_status cost_of(counted *c, const sl_point *point, sl_pool *pool, double *seconds, sl_error *error)
{
    sl_input_kind kind;
    const sl_workload *workload;
    *seconds = NAN;
    sl_status status = sl_input_detect(&point->input, &kind, error);
    if (status || (point->kind != SL_ANALYSIS_SIM && point->kind != SL_ANALYSIS_MODEL))
        return status;
    if (kind == SL_INPUT_WORKLOAD && !(status = sl_workload_find(point->input.name, &workload, error)))
        *seconds = of_workload(workload, point);
    if (kind == SL_INPUT_TRACE && !(status = count(c, point, pool, error)))
        *seconds = of_trace(c, point);
    return status;
}

sl_status sl_points_cost(const sl_point *point, size_t points, sl_pool *pool, double *seconds, sl_error *error)
{
    counted c = {0};
    sl_status status = SL_OK;
    for (size_t i = 0; i < points && !status; i++)
        status = cost_of(&c, &point[i], pool, &seconds[i], error);
    forget(&c);
    return status;
}
