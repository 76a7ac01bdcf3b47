/* SPDX-License-Identifier: MIT */
/* Variants of one computation, ranked: those with the right results first, by time. A time has an interval: that of the
 * errors which estimates and simulations of an H200 were found to have (known_errors.def), wider where launches were
 * sampled. On other GPUs no error is known, and there is no interval. */
#ifndef SL_STUDY_RANKING_H
#define SL_STUDY_RANKING_H

#include <regex.h>

#include "analysis/analysis.h"
#include "base/arena.h"
#include "recording/kernel_args.h"

/* What is known of the results of a variant; those before SL_RANKED_WRONG have a rank. */
typedef enum sl_ranked_result {
    SL_RANKED_SAME,       /* as those of the reference */
    SL_RANKED_CHECKED,    /* right by a check of its own: a workload's, against the CPU */
    SL_RANKED_UNCOMPARED, /* nothing to compare: a trace, or kernels of one program */
    SL_RANKED_WRONG,
    SL_RANKED_FAILED,
} sl_ranked_result;
extern const char *const sl_ranked_result_names[SL_RANKED_FAILED + 1]; /* "same", "checked", ... */

typedef struct sl_ranked_time {
    double cycles;    /* 0: unknown */
    double low, high; /* both 0: there is no interval */
} sl_ranked_time;

typedef struct sl_ranked {
    const char *name;
    size_t input; /* for the caller */
    sl_ranked_result result;
    char reason[300];  /* why it is wrong, failed, or was not compared; "": nothing to say */
    uint64_t launches; /* times are of all of them, or, of kernels of one program, of one on average */
    sl_ranked_time estimated, simulated;
    sl_time_limit limit; /* of the estimate */
} sl_ranked;

typedef struct sl_variants {
    sl_ranked *variant; /* [variants] */
    size_t variants;
    size_t ranked;         /* the first of them have right results, as far as is known */
    const char *machine;   /* its name */
    uint32_t clock_mhz;    /* 0: unknown */
    const char *reference; /* whose results are right; NULL: nothing was compared with it */
    bool per_launch;       /* kernels of one program */
    bool intervals;        /* errors are known on this machine */
} sl_variants;

/* Whether errors are known: it is an H200 as built in. */
sl_status sl_errors_are_known(const sl_machine *machine, bool *known, sl_error *error);
/* Adds up the launches for which `wanted` (NULL: all) is set, in a result of the model or the simulator. */
void sl_ranked_time_of(const sl_result *result, const bool *wanted, bool known, sl_ranked *variant);
/* Divides times by the number of launches. */
void sl_ranked_per_launch(sl_ranked *variant);
/* Orders them: right ones before wrong and failed ones; among them simulated ones, by that, before the others, by
 * estimated time; equal ones as they are. Sets `ranked`. */
void sl_rank(sl_variants *ranking);
/* The time by which it is ranked. */
const sl_ranked_time *sl_ranked_by(const sl_ranked *variant);
/* Whether a variant may be as fast as the first: their intervals overlap. */
bool sl_ranked_may_be_first(const sl_variants *ranking, size_t at);

/* ---- results ---- */

/* How results may differ. */
typedef struct sl_result_rules {
    double tolerance;      /* of numbers, relative; 0: none */
    const regex_t *ignore; /* lines of output that are not compared; NULL: none */
} sl_result_rules;

/* What PTX left in the buffers of its arguments. */
typedef struct sl_buffers {
    size_t count;
    struct sl_left_buffer {
        char kind;
        uint32_t bytes; /* of an element */
        uint64_t elements;
        void *data;
    } * buffer;
} sl_buffers;

/* For sl_kernel_launch.after; the context is an sl_buffers, which is zero before. */
sl_status sl_buffers_fetch(void *context, const sl_kernel_arg *arg, size_t args, sl_device *device, sl_error *error);
void sl_buffers_fini(sl_buffers *buffers); /* zeros are fine */

/* The first difference in words, "" where there is none. Return whether there is one. */
bool sl_outputs_differ(const char *wanted, const char *found, const sl_result_rules *rules, char *why, size_t size);
bool sl_buffers_differ(const sl_buffers *wanted, const sl_buffers *found, const sl_result_rules *rules, char *why,
                       size_t size);

#endif
