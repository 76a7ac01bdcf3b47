/* SPDX-License-Identifier: MIT */
/* A simulated machine as a clock: one launch of a trace, in cycles.
 *
 * Every choice runs on a simulator of its own, on all cores of this machine, and takes the same number of cycles each
 * time. That is no reason to believe them: one cycle more of memory's latency changes the time of some kernels by 5 %,
 * because requests meet in another order. So rounds are runs on machines whose memories take 0, 1, 2, … cycles longer,
 * and how the original's times differ in them is what counts as noise. As on a GPU, a run that is not counted goes
 * ahead, so that levels behind the first hold what the launch leaves there; `cold` starts with empty ones. */
#ifndef SL_STUDY_TIMER_SIM_H
#define SL_STUDY_TIMER_SIM_H

#include "bypass/timer.h"
#include "sim/sim.h"

typedef struct sl_sim_timer sl_sim_timer;

typedef struct sl_sim_timer_options {
    const char *input; /* see sl_timer */
    uint64_t seed;
    bool cold;
    sl_pool *pool; /* NULL: one choice after the other */
} sl_sim_timer_options;

/* `load_of_slot`: for each memory instruction of the launch's kernel the load that it is, or is a part of, as a choice
 * counts them; UINT32_MAX: none. Everything must outlive the clock. */
sl_status sl_sim_timer_create(const sl_machine *machine, const sl_loaded *loaded, const uint32_t *load_of_slot,
                              const sl_sim_timer_options *options, sl_sim_timer **timer, sl_error *error);
const sl_timer *sl_sim_timer_interface(const sl_sim_timer *timer);
/* All that the simulator counts with a choice (NULL: none). The caller frees it by sl_sim_result_fini, also after a
 * failure. */
sl_status sl_sim_timer_run(const sl_sim_timer *timer, const uint8_t *choice, sl_sim_result *result, sl_error *error);
void sl_sim_timer_destroy(sl_sim_timer *timer); /* NULL is fine */

#endif
