/* SPDX-License-Identifier: MIT */
#include "study/runner.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"

/* What a point needs to run. */
typedef struct job job;
struct job {
    const sl_point *point;
    sl_machine machine;
    char trace_key[SL_KEY_BYTES], shared_key[SL_KEY_BYTES];
    bool recorded; /* its input is a trace file */
    size_t same;   /* the first point with this key, maybe itself */
    job *next;     /* of its batch; NULL: it is the last */
};

typedef struct run {
    const sl_runner *runner;
    size_t count;
    job *job;
    sl_outcome *outcome;
    size_t *traces, *points; /* numbers of jobs: the first that needs each trace, and those to run */
    size_t trace_count, point_count;
    job **batch; /* [batches]: the first job of each */
    size_t batches;
    char **trace_failure; /* [trace_count] */
    sl_map first_of_trace;
    pthread_mutex_t lock;
    uint64_t done;
} run;

/* ---- planning ---- */

static sl_status fail_point(sl_outcome *outcome, const sl_error *why, sl_error *error)
{
    char text[sizeof *why + 64];
    outcome->state = SL_OUTCOME_FAILED;
    outcome->failure = strdup(sl_error_format(why, text, sizeof text));
    return outcome->failure ? SL_OK : sl_fail_memory(error);
}

static sl_status plan_point(run *r, size_t i, const sl_point *point, sl_map *keys, sl_error *error)
{
    job *j = &r->job[i];
    sl_outcome *o = &r->outcome[i];
    sl_error why = {0};
    bool found;
    *j = (job){.point = point, .same = i};
    sl_status status = sl_point_machine(point, &j->machine, &why);
    if (!status)
        status = sl_point_keys(point, &j->machine, o->key, j->trace_key, &why);
    sl_input_kind input;
    if (!status)
        status = sl_input_detect(&point->input, &input, &why);
    j->recorded = !status && input == SL_INPUT_TRACE;
    if (status)
        return status == SL_NO_MEMORY ? sl_fail_memory(error) : fail_point(o, &why, error);
    if (r->runner->shards && i % r->runner->shards != r->runner->shard)
        return SL_OK;
    size_t *first = sl_map_get(keys, o->key, SL_KEY_BYTES - 1);
    if (first) {
        j->same = *first;
        return SL_OK;
    }
    if (!sl_map_put(keys, o->key, SL_KEY_BYTES - 1, &j->same))
        return sl_fail_memory(error);
    status = sl_point_store_get(r->runner->store, o->key, &o->values, &found, error);
    if (!status && found)
        o->state = SL_OUTCOME_KEPT;
    else
        r->points[r->point_count++] = i;
    return status;
}

static void trace_path(const run *r, const job *j, char path[1200])
{
    snprintf(path, 1200, "%s/%s.slt", r->runner->traces, j->trace_key);
}

static sl_status plan_traces(run *r, sl_error *error)
{
    for (size_t p = 0; p < r->point_count; p++) {
        job *j = &r->job[r->points[p]];
        char path[1200];
        trace_path(r, j, path);
        if (j->recorded || !access(path, R_OK) || sl_map_get(&r->first_of_trace, j->trace_key, SL_KEY_BYTES - 1))
            continue;
        r->traces[r->trace_count] = r->points[p];
        if (!sl_map_put(&r->first_of_trace, j->trace_key, SL_KEY_BYTES - 1, &r->traces[r->trace_count++]))
            return sl_fail_memory(error);
    }
    return SL_OK;
}

/* Points on the same kernels of one trace that share work are run together, in a chain; all others are chains of one.
 */
static sl_status plan_batches(run *r, sl_error *error)
{
    sl_map last; /* of the chain */
    sl_status status = SL_OK;
    sl_map_init(&last);
    for (size_t p = 0; p < r->point_count && !status; p++) {
        job *j = &r->job[r->points[p]], *before = NULL;
        if (sl_point_shares(j->point, &j->machine, j->shared_key)) {
            sl_hash hash = sl_hash_start();
            sl_hash_text(&hash, j->shared_key);
            sl_hash_text(&hash, j->trace_key);
            sl_hash_text(&hash, j->point->kernel);
            sl_hash_text(&hash, j->point->launch);
            sl_hash_write(hash, j->shared_key);
            before = sl_map_get(&last, j->shared_key, SL_KEY_BYTES - 1);
            if (!sl_map_put(&last, j->shared_key, SL_KEY_BYTES - 1, j))
                status = sl_fail_memory(error);
        }
        if (before)
            before->next = j;
        else
            r->batch[r->batches++] = j;
    }
    sl_map_fini(&last);
    return status;
}

/* ---- running ---- */

static void advance(run *r, const char *what, uint64_t total)
{
    pthread_mutex_lock(&r->lock);
    sl_progress_update(r->runner->progress, what, ++r->done, total);
    pthread_mutex_unlock(&r->lock);
}

/* CPU seconds of this thread. */
static double thread_seconds(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sl_status record(const job *j, const char *path, sl_error *error)
{
    sl_input input;
    sl_status status = sl_input_open(&j->point->input, &input, error);
    if (status)
        return status;
    const sl_record_options options = {.settings = {.lanes = j->machine.lanes, .threads = 1},
                                       .trace_path = path,
                                       .producer = "sluice " SLUICE_VERSION,
                                       .zstd_level = 1,
                                       .durable = true};
    status = sl_input_emulate(&input, &options, NULL, error);
    sl_input_close(&input);
    if (status)
        unlink(path); /* the trace of a failed run */
    return status;
}

static sl_status record_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    run *r = context;
    job *j = &r->job[r->traces[index]];
    char path[1200];
    sl_error why = {0};
    (void)worker;
    trace_path(r, j, path);
    double begun = thread_seconds();
    if (record(j, path, &why)) {
        sl_outcome failure = {0};
        sl_status status = fail_point(&failure, &why, error);
        r->trace_failure[index] = failure.failure;
        return status;
    }
    advance(r, "traces", r->trace_count);
    return sl_point_store_time(r->runner->store, j->trace_key, thread_seconds() - begun, error);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const sl_value *)left)->name, ((const sl_value *)right)->name);
}

/* Why the trace of a job could not be recorded; NULL: it could. */
static const char *trace_trouble(const run *r, const job *j)
{
    size_t *first = sl_map_get(&r->first_of_trace, j->trace_key, strlen(j->trace_key));
    return first ? r->trace_failure[first - r->traces] : NULL;
}

static sl_status open_recording(const run *r, const job *j, sl_recording *recording, sl_error *why)
{
    char path[1200];
    const char *trouble = trace_trouble(r, j);
    if (trouble)
        return sl_fail(why, SL_INVALID, "%s", trouble);
    trace_path(r, j, path);
    const sl_trace_filter filter = {.kernel_regex = *j->point->kernel ? j->point->kernel : NULL,
                                    .launches = j->point->launch};
    sl_status status =
        sl_recording_open(j->recorded ? j->point->input.name : path, &filter, r->runner->traces, recording, why);
    if (!status && recording->damage.status) {
        *why = recording->damage;
        status = why->status;
    }
    if (!status && *j->point->launch && !recording->launches)
        status = sl_fail(why, SL_NOT_FOUND, "%s has no launch %s%s%s", j->point->input.name, j->point->launch,
                         filter.kernel_regex ? " of a kernel that matches " : "", j->point->kernel);
    else if (!status && j->point->parts)
        sl_recording_select_part(recording, (uint32_t)j->point->part, (uint32_t)j->point->parts);
    else if (!status && filter.kernel_regex && !recording->launches)
        status = sl_fail(why, SL_NOT_FOUND, "no kernel of %s matches '%s'", j->point->input.name, filter.kernel_regex);
    return status;
}

/* Whether the recording of a job in the cache cannot be read as a whole: empty, cut, overwritten, of another format. */
static bool is_damaged(const run *r, const job *j)
{
    char path[1200];
    sl_trace *trace = NULL;
    sl_error damage = {0}, why = {0};
    if (j->recorded || trace_trouble(r, j))
        return false;
    trace_path(r, j, path);
    sl_status status = sl_trace_open(path, &trace, &damage, &why);
    sl_trace_close(trace);
    return status ? status != SL_NO_MEMORY : damage.status != SL_OK;
}

/* Runs points of one recording together and stores their results. */
static sl_status run_batch(run *r, const size_t *number, size_t count, sl_error *why)
{
    sl_recording recording = {0};
    const sl_point **point = calloc(count, sizeof *point);
    const sl_machine **machine = calloc(count, sizeof *machine);
    sl_point_result *result = calloc(count, sizeof *result);
    sl_status status =
        point && machine && result ? open_recording(r, &r->job[number[0]], &recording, why) : sl_fail_memory(why);
    for (size_t i = 0; i < count && !status; i++) {
        point[i] = r->job[number[i]].point;
        machine[i] = &r->job[number[i]].machine;
    }
    const sl_point_batch batch = {.recording = &recording, .count = count, .point = point, .machine = machine};
    if (!status)
        status = sl_points_run(&batch, result, why);
    for (size_t i = 0; i < count && !status; i++) {
        sl_values *values = &r->outcome[number[i]].values;
        *values = result[i].values;
        result[i].values = (sl_values){0};
        if (values->count) /* in the order in which the store gives them back */
            qsort(values->items, values->count, sizeof *values->items, by_name);
    }
    sl_point_results_free(result, count);
    sl_recording_close(&recording);
    free(point);
    free(machine);
    free(result);
    return status;
}

static sl_status keep(run *r, size_t number, double seconds, sl_error *error)
{
    sl_outcome *o = &r->outcome[number];
    sl_status status =
        sl_point_store_put(r->runner->store, o->key, r->job[number].point, &o->values, o->failure, error);
    return status ? status : sl_point_store_time(r->runner->store, o->key, seconds, error);
}

/* If a batch fails, its points are run one by one, so that the others succeed. */
static sl_status run_and_keep(run *r, const size_t *number, size_t count, sl_error *error)
{
    sl_error why = {0};
    double begun = thread_seconds();
    sl_status failure = count ? run_batch(r, number, count, &why) : SL_OK, status = SL_OK;
    bool corrupt = failure == SL_CORRUPT && !r->job[*number].recorded;
    if (corrupt || (failure && failure != SL_NO_MEMORY && is_damaged(r, &r->job[*number]))) {
        char path[1200];
        trace_path(r, &r->job[*number], path);
        sl_point_store_set_damaged(r->runner->store);
        failure = record(&r->job[*number], path, &why);
        if (!failure)
            failure = run_batch(r, number, count, &why);
    }
    if (failure == SL_NO_MEMORY)
        return sl_fail_memory(error);
    if (failure && count > 1) {
        for (size_t i = 0; i < count && !status; i++)
            status = run_and_keep(r, &number[i], 1, error);
        return status;
    }
    double seconds = count ? (thread_seconds() - begun) / (double)count : 0;
    for (size_t i = 0; i < count && !status; i++) {
        r->outcome[number[i]].state = SL_OUTCOME_RUN;
        if (failure)
            status = fail_point(&r->outcome[number[i]], &why, error);
        if (!status)
            status = keep(r, number[i], seconds, error);
    }
    return status;
}

static sl_status batch_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    run *r = context;
    size_t count = 0, left = 0;
    for (const job *j = r->batch[index]; j; j = j->next)
        count++;
    size_t *number = calloc(count, sizeof *number);
    sl_status status = number ? SL_OK : sl_fail_memory(error);
    (void)worker;
    for (const job *j = r->batch[index]; j && !status; j = j->next) {
        size_t n = (size_t)(j - r->job);
        bool found = false;
        status = sl_point_store_get(r->runner->store, r->outcome[n].key, &r->outcome[n].values, &found, error);
        if (found) /* by another program */
            r->outcome[n].state = SL_OUTCOME_KEPT;
        else
            number[left++] = n;
    }
    if (!status)
        status = run_and_keep(r, number, left, error);
    free(number);
    for (size_t i = 0; i < count; i++)
        advance(r, "points", r->point_count);
    return status;
}

/* Points that are the same as another get a copy. */
static sl_status copy_same(run *r, sl_error *error)
{
    for (size_t i = 0; i < r->count; i++) {
        sl_outcome *o = &r->outcome[i], *from = &r->outcome[r->job[i].same];
        if (from == o)
            continue;
        o->state = from->state;
        if (!sl_array_reserve(&o->values, from->values.count + 1))
            return sl_fail_memory(error);
        if (from->values.count)
            memcpy(o->values.items, from->values.items, from->values.count * sizeof *o->values.items);
        o->values.count = from->values.count;
        if (from->failure && !(o->failure = strdup(from->failure)))
            return sl_fail_memory(error);
    }
    return SL_OK;
}

static sl_status run_all(run *r, const sl_point *point, sl_error *error)
{
    sl_map keys;
    sl_map_init(&keys);
    sl_status status = sl_make_folders(r->runner->traces, error);
    for (size_t i = 0; i < r->count && !status; i++)
        status = plan_point(r, i, &point[i], &keys, error);
    sl_map_fini(&keys);
    if (!status)
        status = plan_traces(r, error);
    sl_progress_phase(r->runner->progress, "recording");
    if (!status)
        status = sl_pool_run(r->runner->pool, r->trace_count, record_job, r, error);
    r->done = 0;
    if (!status)
        status = plan_batches(r, error);
    sl_progress_phase(r->runner->progress, "analysing");
    if (!status)
        status = sl_pool_run(r->runner->pool, r->batches, batch_job, r, error);
    return status ? status : copy_same(r, error);
}

sl_status sl_runner_run(const sl_runner *runner, const sl_point *point, size_t count, sl_outcome *outcome,
                        sl_error *error)
{
    run r = {.runner = runner, .count = count, .outcome = outcome, .lock = PTHREAD_MUTEX_INITIALIZER};
    memset(outcome, 0, count * sizeof *outcome);
    r.job = calloc(count + 1, sizeof *r.job);
    r.traces = calloc(count + 1, sizeof *r.traces);
    r.points = calloc(count + 1, sizeof *r.points);
    r.batch = calloc(count + 1, sizeof *r.batch);
    r.trace_failure = calloc(count + 1, sizeof *r.trace_failure);
    sl_map_init(&r.first_of_trace);
    sl_status status =
        r.job && r.traces && r.points && r.batch && r.trace_failure ? run_all(&r, point, error) : sl_fail_memory(error);
    for (size_t i = 0; r.trace_failure && i < count; i++)
        free(r.trace_failure[i]);
    sl_map_fini(&r.first_of_trace);
    free(r.job);
    free(r.traces);
    free(r.points);
    free(r.batch);
    free(r.trace_failure);
    return status;
}

void sl_outcomes_free(sl_outcome *outcome, size_t count)
{
    for (size_t i = 0; outcome && i < count; i++) {
        sl_array_free(&outcome[i].values);
        free(outcome[i].failure);
    }
}
