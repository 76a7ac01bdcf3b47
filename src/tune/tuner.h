/* SPDX-License-Identifier: MIT */
/* What selection strategies have in common: the loads of one kernel, a timer, timings that are taken once and kept, and
 * the noise. */
#ifndef SL_TUNE_TUNER_H
#define SL_TUNE_TUNER_H

#include "base/map.h"
#include "base/progress.h"
#include "tune/ranking.h"
#include "tune/timer.h"

/* A store of timings: tuning resumes where it was stopped, and another selection strategy reuses what was measured.
 * Keys contain all that a timing depends on. */
typedef struct sl_timing_store {
    void *context;
    sl_status (*find)(void *context, const char *key, sl_timing *timing, bool *found, sl_error *error);
    sl_status (*add)(void *context, const char *key, const sl_timing *timing, sl_error *error);
} sl_timing_store;

typedef struct sl_tuner_options {
    double thresh1, thresh2, weight; /* as in the paper */
    double sigmas;                   /* a gain below this many standard errors is noise */
    uint32_t rounds;                 /* of each timing; 0: the timer's default */
    uint64_t search;                 /* plans that the bound may time */
    uint64_t max;                    /* affinities to measure, about; 0: all. See sl_tuner_affinities */
    double seconds;    /* to spend on a kernel, about; 0: as many as it takes. What does not fit is not timed */
    uint32_t controls; /* bit m: mode m is tried; 0: all that the timer offers but neutral ones */
    const sl_ranking
        *ranking;   /* of this kernel's choices: the highest expected gain is timed first; NULL: in code order */
    bool rank_only; /* time nothing */
    const struct sl_plan *replay; /* time only what this plan shows to make a difference; NULL: as is needed */
    const sl_timing_store *store; /* NULL: timings are kept as long as the tuner */
    uint64_t code_hash;           /* under which they are kept there */
    const sl_progress *progress;  /* NULL: not reported */
} sl_tuner_options;

/* thresh1 1.5, thresh2 1, weight 0.1, sigmas 3, search 256. */
extern const sl_tuner_options sl_tuner_defaults;

typedef struct sl_tuner {
    const sl_load_graph *graph;
    const sl_timer *timer;
    sl_tuner_options options;
    sl_arena arena;
    double (*load)[SL_BYPASS_MODES];        /* A(v, m) in percent; NaN: not measured, or the load cannot take m */
    double (*load_spread)[SL_BYPASS_MODES]; /* their standard errors */
    double (*group)[SL_BYPASS_MODES];       /* A(g, m): all loads of g that can take m */
    double (*group_spread)[SL_BYPASS_MODES];
    double noise;        /* percent: gains up to this are noise; set by sl_tuner_affinities */
    double base;         /* median of the original, in the timer's unit; 0: not timed yet */
    double deviation;    /* standard error of a gain that is known to be 0, in percent */
    sl_map known;        /* key -> sl_timing, in the arena */
    double began, until; /* seconds: when it was made; when to time no more choices, 0: never */
    uint64_t timed;      /* choices that the timer measured */
    uint64_t measured;   /* affinities that were measured */
} sl_tuner;

/* `graph` and `timer` must outlive the tuner. */
sl_status sl_tuner_init(sl_tuner *tuner, const sl_load_graph *graph, const sl_timer *timer,
                        const sl_tuner_options *options, sl_error *error);
void sl_tuner_fini(sl_tuner *tuner);

/* Fills load and group for the modes of the mask, and the noise. Modes by level: all loads and groups; where that is
 * more than options.max, groups first, and single loads only of the groups with the largest effect, as far as they fit.
 * Other modes: groups, at most as many as fit options.max (0: 96), and single loads where the group gains by the mode.
 * In each of these steps, choices are timed in order of the gain that options.ranking expects, and the rest is left out
 * where there is a limit; without a ranking, groups for which modes by level made a difference have other modes first.
 * What is not timed stays NaN. */
sl_status sl_tuner_affinities(sl_tuner *tuner, uint32_t modes, sl_error *error);
/* Fills load for what options.replay shows to make a difference, to compare its timer with this one. */
sl_status sl_tuner_replay(sl_tuner *tuner, sl_error *error);
/* The final timing of a plan: more rounds, and results compared. */
sl_status sl_tuner_final(sl_tuner *tuner, const uint8_t *mode, sl_timing *timing, sl_error *error);
/* Times plans and copies the fastest to `mode` if it beats *gain by more than noise, which then becomes its gain. */
sl_status sl_tuner_fastest(sl_tuner *tuner, const uint8_t *const *plan, size_t count, uint8_t *mode, double *gain,
                           bool *better, sl_error *error);
/* Times a plan with hints of normal priority in place of its hints: what that gains is due to other code, not to
 * caches. No runs: it has no hints, or the timer does not know neutral ones. */
sl_status sl_tuner_neutral(sl_tuner *tuner, const uint8_t *mode, sl_timing *timing, sl_error *error);
/* Whether a gain is more than noise. */
bool sl_tuner_significant(const sl_tuner *tuner, double gain, double spread);
/* Modes of the mask that the timer and this load support. */
uint32_t sl_tuner_modes(const sl_tuner *tuner, uint32_t load, uint32_t modes);

#endif
