/* SPDX-License-Identifier: MIT */
/* Points compared with hardware counters: which row of counters belongs to which launch, what each point predicts, and
 * how far that is from what was counted. */
#ifndef SL_STUDY_VALIDATION_H
#define SL_STUDY_VALIDATION_H

#include "analysis/metrics.h"
#include "study/point.h"
#include "trace/ncu.h"

typedef struct sl_predictions {
    sl_ncu_pairs pairs;
    size_t points;
    size_t analyzed;      /* pairs; the others have the predictions of one that counts alike (sl_point.sampling) */
    sl_counts *predicted; /* [pairs.count][points]; counters that a point does not have come from the trace */
} sl_predictions;

/* Runs the points, whose machines are resolved, on the launches that have counters. Launches of which only a part was
 * recorded are an error. `recording` has all launches of the wanted kernels, whatever their index. `pool` and
 * `progress` may be NULL. On failure there is nothing to free. */
sl_status sl_predictions_run(const sl_recording *recording, const sl_ncu *ncu, const sl_ncu_wanted *wanted,
                             const sl_point *point, size_t points, sl_pool *pool, const sl_progress *progress,
                             sl_predictions *result, sl_error *error);
void sl_predictions_fini(sl_predictions *result);

/* What a prediction is judged by: metrics that are shares, whose errors are in points of a hundred, and counts, whose
 * errors are in percent of what was measured. */
typedef enum sl_quantity {
    SL_QUANTITY_l1_hit_rate,
    SL_QUANTITY_l2_read_hit_rate,
    SL_QUANTITY_l2_reads,
    SL_QUANTITY_dram_reads,
    SL_QUANTITY_cycles,
    SL_QUANTITIES
} sl_quantity;

typedef struct sl_quantity_info {
    const char *name; /* in JSON and CSV */
    sl_metric metric;
} sl_quantity_info;

extern const sl_quantity_info sl_quantity_infos[SL_QUANTITIES];

bool sl_quantity_is_share(sl_quantity quantity);
const char *sl_quantity_title(sl_quantity quantity); /* "L1 hit rate" */
/* The value, in percent for shares; false where the counters do not say. */
bool sl_quantity_value(sl_quantity quantity, const sl_counts *counts, double *value);
/* Prediction less measurement: in points for shares, in percent of the measurement for counts. False where one of them
 * is unknown, or where percents of nothing would be asked for. */
bool sl_quantity_error(sl_quantity quantity, const sl_counts *measured, const sl_counts *model, double *difference);
/* The same of a counter, in percent. */
bool sl_counter_error(sl_counter counter, const sl_counts *measured, const sl_counts *model, double *difference);

typedef struct sl_validated {
    const char *workload; /* empty: a trace */
    const char *symbol, *name;
    uint64_t index;
    uint32_t grid[3], block[3];
    sl_counts measured;
    sl_counts *model; /* [variants] */
} sl_validated;

typedef struct sl_validation {
    size_t launches;
    const sl_validated *launch;
    size_t variants;            /* the first is the model as it was asked for */
    const char *const *variant; /* [variants]: names */
    uint64_t min_sectors;       /* launches with more load sectors than this count in means */
    uint64_t stood_for;         /* launches whose prediction is that of one that counts alike */
    uint64_t unmeasured;        /* launches that the file had no counters of */
} sl_validation;

/* Whether the prediction says anything of the quantity. */
bool sl_validation_has(const sl_validation *validation, sl_quantity quantity);
/* Whether a launch counts in means. */
bool sl_validation_counts(const sl_validation *validation, const sl_validated *launch);

typedef struct sl_mean_error {
    size_t launches; /* 0: there is no mean */
    double mean;     /* of absolute errors */
    const sl_validated *worst;
} sl_mean_error;

sl_mean_error sl_validation_mean(const sl_validation *validation, size_t variant, sl_quantity quantity);
/* So many percent of the launches have at most that absolute error; false: there are none. */
bool sl_validation_percentile(const sl_validation *validation, size_t variant, sl_quantity quantity, unsigned percent,
                              double *value);
sl_mean_error sl_validation_counter_mean(const sl_validation *validation, sl_counter counter);

/* How many launches count in means. */
size_t sl_validation_counted(const sl_validation *validation);

/* Launches of one kernel, or a single one. */
typedef struct sl_validated_group {
    const sl_validated *first;
    size_t launches;
    sl_counts measured, model;      /* sums */
    size_t compared[SL_QUANTITIES]; /* launches with an error */
    double error[SL_QUANTITIES];    /* sum of absolute errors */
    double max[SL_QUANTITIES];
    const sl_validated *at[SL_QUANTITIES]; /* the launch with that error */
} sl_validated_group;

/* The launches that count (or all of them), by kernel (or one by one); *count of them, which the caller frees. NULL
 * when memory runs out. */
sl_validated_group *sl_validation_groups(const sl_validation *validation, bool all, bool by_kernel, size_t *count);
/* The group with the next largest error; NULL: there is none with any. */
const sl_validated_group *sl_validation_next_worst(const sl_validated_group *groups, size_t count, sl_quantity quantity,
                                                   const sl_validated_group *after);

/* A row for each pair, in the arena but for its predictions. `workload` NULL: the one that the counters name. */
sl_status sl_validated_rows(const sl_predictions *compared, const sl_recording *recording, const char *workload,
                            sl_arena *arena, sl_validated **rows, sl_error *error);

#endif
