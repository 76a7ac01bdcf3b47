/* SPDX-License-Identifier: MIT */
/* Something that can say how long a kernel takes when some of its loads bypass: a GPU (clock_gpu.c), a simulator, or a
 * test's made-up one. */
#ifndef SL_BYPASS_TIMER_H
#define SL_BYPASS_TIMER_H

#include "bypass/load.h"

/* What a choice gained against the code as it is. */
typedef struct sl_timing {
    double base, time; /* medians, in the clock's unit */
    double gain;       /* percent of the time that the original takes; negative: it is slower */
    double spread;     /* standard error of the gain; 0 where a clock says the same each time */
    uint32_t runs;     /* samples of the choice */
} sl_timing;

typedef struct sl_timer {
    const char *name;  /* "gpu NVIDIA H200", "sim h200": part of what timings are stored under */
    const char *unit;  /* "ns", "cycles" */
    const char *input; /* what ran: kernel, launch, data; likewise */
    uint32_t modes;    /* bit m: mode m means something here; bit 0 is set */
    bool exact;        /* the same choice always takes the same time */
    void *context;
    /* Times `count` choices, each a mode per load of the graph, side by side and against the original. `rounds`: how
     * often each is run; 0: the clock's own wish. `verify`: what the kernel leaves in memory must be what the original
     * leaves, else SL_MISMATCH. */
    sl_status (*time)(void *context, const uint8_t *const *choice, size_t count, uint32_t rounds, bool verify,
                      sl_timing *timing, sl_error *error);
    /* MAY be NULL: then copies of the original show what is noise, or there is none (`exact`). Otherwise the standard
     * deviation, in percent, of what a choice that changes nothing seems to gain in one round. */
    sl_status (*deviation)(void *context, double *percent, sl_error *error);
    uint32_t last_rounds; /* of the last timing of a plan; 0: the tuner's own wish */
} sl_timer;

#endif
