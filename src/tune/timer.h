/* SPDX-License-Identifier: MIT */
/* A timer: measures how long a kernel takes when some of its loads bypass. A GPU (timer_gpu.c), the simulator
 * (timer_sim.c), or a fake one in tests. */
#ifndef SL_TUNE_TIMER_H
#define SL_TUNE_TIMER_H

#include "device/device.h"
#include "sim/sim.h"
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

/* The GPU timer: one launch of one kernel, repeated from the same state of memory.
 *
 * Every sample starts with an untimed warm-up run of the same code; the
 * original is timed in every round, between the others, and a choice is compared with the originals of its round. Short
 * kernels are run several times in a row where they read nothing that they change; otherwise memory is restored
 * before every run. */

typedef struct sl_gpu_timer sl_gpu_timer;

typedef struct sl_gpu_timer_options {
    const char *input; /* see sl_timer */
    const char *ptx;   /* text of the kernel's module */
    size_t ptx_length;
    uint32_t rounds; /* 0: 11, or fewer where a round takes long */
    bool cold;       /* L2 is flushed before every sample instead of warmed up */
} sl_gpu_timer_options;

/* Made inside of sl_device_config.launching, before the launch: memory is as the launch finds it. The timer refers to
 * the loads of `graph`, which are those of the kernel; all must outlive it. */
sl_status sl_gpu_timer_create(sl_device_kernel *kernel, const sl_device_launch *launch, const sl_load_graph *graph,
                              const sl_gpu_timer_options *options, sl_gpu_timer **timer, sl_error *error);
const sl_timer *sl_gpu_timer_interface(const sl_gpu_timer *timer);
/* Median time of one run of the original in nanoseconds, and whether it is too short to be timed well. */
double sl_gpu_timer_base(const sl_gpu_timer *timer, bool *too_short);
/* Whether two runs of the original have the same results; where not, they cannot be compared. */
bool sl_gpu_timer_repeats(const sl_gpu_timer *timer);
/* Restores memory and frees. NULL is fine. */
sl_status sl_gpu_timer_destroy(sl_gpu_timer *timer, sl_error *error);

/* The simulator timer: one launch of a trace, in cycles.
 *
 * Every choice runs on a separate simulator, in parallel on the host, and takes the same number of cycles each time.
 * Still, one more cycle of memory latency changes the time of some kernels by 5 %, because requests arrive in another
 * order. So rounds are runs with memory latencies that are 0, 1, 2, … cycles longer, and the deviation of the original
 * over them counts as noise. As on a GPU, an uncounted warm-up run fills the levels behind the first; `cold` starts
 * with empty ones. */

typedef struct sl_sim_timer sl_sim_timer;

typedef struct sl_sim_timer_options {
    const char *input; /* see sl_timer */
    uint64_t seed;
    bool cold;
    sl_pool *pool; /* NULL: one choice after the other */
} sl_sim_timer_options;

/* A choice has a mode for each node of `graph`. `load_of_slot`: for each memory instruction of the launch's kernel the
 * load that it is, or is a part of, as a choice counts them; UINT32_MAX: none. Everything must outlive the timer. */
sl_status sl_sim_timer_create(const sl_machine *machine, const sl_loaded *loaded, const sl_load_graph *graph,
                              const uint32_t *load_of_slot, const sl_sim_timer_options *options, sl_sim_timer **timer,
                              sl_error *error);
const sl_timer *sl_sim_timer_interface(const sl_sim_timer *timer);
/* All counters of the simulator with a choice (NULL: none). The caller frees it by sl_sim_result_fini, also after a
 * failure. */
sl_status sl_sim_timer_run(const sl_sim_timer *timer, const uint8_t *choice, sl_sim_result *result, sl_error *error);
void sl_sim_timer_destroy(sl_sim_timer *timer); /* NULL is fine */

#endif
