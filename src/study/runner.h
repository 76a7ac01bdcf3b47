/* SPDX-License-Identifier: MIT */
/* Runs points on all cores and stores their results. A point with a stored result is not run again; one that fails is
 * stored with its error, and the others are still run. Results do not depend on the number of threads. */
#ifndef SL_STUDY_RUNNER_H
#define SL_STUDY_RUNNER_H

#include <stdint.h>

#include "base/pool.h"
#include "base/progress.h"
#include "sluice/error.h"
#include "study/point.h"
#include "study/store.h"

typedef enum sl_outcome_state {
    SL_OUTCOME_NONE,   /* not run: it belongs to another shard */
    SL_OUTCOME_FAILED, /* `failure` says why */
    SL_OUTCOME_KEPT,   /* from the store */
    SL_OUTCOME_RUN,
} sl_outcome_state;

typedef struct sl_outcome {
    sl_outcome_state state;
    char key[SL_KEY_BYTES]; /* "" if the point is invalid */
    sl_values values;
    char *failure;
} sl_outcome;

typedef struct sl_runner {
    sl_point_store *store;
    const char *traces; /* folder of recordings, by key; created on demand */
    sl_pool *pool;      /* NULL: one thread */
    const sl_progress *progress;
    uint32_t shard, shards; /* runs the points i with i % shards == shard; shards 0: all */
} sl_runner;

/* Fills outcome[count], which the caller frees by sl_outcomes_free, also after a failure. A failed point is
 * not an error; a store that cannot be written is. Identical points run once. */
sl_status sl_runner_run(const sl_runner *runner, const sl_point *point, size_t count, sl_outcome *outcome,
                        sl_error *error);
void sl_outcomes_free(sl_outcome *outcome, size_t count);

/* A sweep as a job array of Slurm: each task runs a part of the points into a separate database, and a final job
 * merges these. */

typedef struct sl_slurm_job {
    const char *spec, *database; /* as they were given; the tasks start in the current folder */
    const char *cache;           /* NULL: the default */
    uint64_t tasks;
    char *const *environment;  /* of sbatch */
    const char *const *plugin; /* of --policy-plugin */
    size_t plugins;
} sl_slurm_job;

/* Writes NAME.sbatch and NAME-merge.sbatch next to the database and submits them; `id` gets the number of the
 * array. Without sbatch the scripts stay, and the error says so. */
sl_status sl_slurm_submit(const sl_slurm_job *job, char id[64], sl_error *error);

/* About how long points take, before they run, for schedulers of many machines: seconds of one core for each point, of
 * the machine that papers/sampling measured; NAN where that is unknown: kinds other than sim and model, and inputs that
 * have not been recorded. Traces are read once. `pool` may be NULL. */
sl_status sl_points_cost(const sl_point *point, size_t count, sl_pool *pool, double *seconds, sl_error *error);

#endif
