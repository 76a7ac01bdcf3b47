/* SPDX-License-Identifier: MIT */
/* A timer: measures how long a kernel takes when some of its loads bypass. A GPU (timer_gpu.c), the simulator
 * (timer_sim.c), or a fake one in tests. */
#ifndef SL_TUNE_TIMER_H
#define SL_TUNE_TIMER_H

#include "tune/loads.h"

/* The gain of a choice over the original code. */
typedef struct sl_timing {
    double base, time; /* medians, in the timer's unit */
    double gain;       /* percent of the time that the original takes; negative: it is slower */
    double spread;     /* standard error of the gain; 0 for exact timers */
    uint32_t runs;     /* samples of the choice */
} sl_timing;

typedef struct sl_timer {
    const char *name;  /* "gpu NVIDIA H200", "sim h200": part of what timings are stored under */
    const char *unit;  /* "ns", "cycles" */
    const char *input; /* what ran: kernel, launch, data; likewise */
    uint32_t modes;    /* bit m: mode m is supported; bit 0 is set */
    bool exact;        /* the same choice always takes the same time */
    void *context;
    /* Times `count` choices, each a mode per load of the graph, side by side and against the original. `rounds`: how
     * often each is run; 0: the timer's default. `verify`: memory after the kernel must equal that after the original,
     * else SL_MISMATCH. */
    sl_status (*time)(void *context, const uint8_t *const *choice, size_t count, uint32_t rounds, bool verify,
                      sl_timing *timing, sl_error *error);
    /* MAY be NULL: then noise is measured with copies of the original, or there is none (`exact`). Otherwise the
     * standard deviation, in percent, of the apparent gain of a choice that changes nothing, in one round. */
    sl_status (*deviation)(void *context, double *percent, sl_error *error);
    uint32_t last_rounds; /* of the final timing of a plan; 0: the tuner's default */
} sl_timer;

#endif
