/* SPDX-License-Identifier: MIT */
/* The simulator timer: one launch of a trace, in cycles.
 *
 * Every choice runs on a separate simulator, in parallel on the host, and takes the same number of cycles each time.
 * Still, one more cycle of memory latency changes the time of some kernels by 5 %, because requests arrive in another
 * order. So rounds are runs with memory latencies that are 0, 1, 2, … cycles longer, and the deviation of the original
 * over them counts as noise. As on a GPU, an uncounted warm-up run fills the levels behind the first; `cold` starts
 * with empty ones. */
#ifndef SL_TUNE_TIMER_SIM_H
#define SL_TUNE_TIMER_SIM_H

#include "sim/sim.h"
#include "tune/timer.h"

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
