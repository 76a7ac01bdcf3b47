/* SPDX-License-Identifier: MIT */
/* The simulator: launches of a trace cycle by cycle on a machine, with the policies of its levels, built-in or custom
 * ones (policy.h). docs/sim.md describes what happens in a cycle, its accuracy, and what is not simulated. */
#ifndef SLUICE_SIM_H
#define SLUICE_SIM_H

#include "sluice/counters.h"
#include "sluice/machine.h"
#include "sluice/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A machine at work. Caches that all cores share keep what they hold from launch to launch; the others, the first among
 * them, are emptied at each. */
typedef struct sl_sim sl_sim;

typedef struct sl_sim_setup {
    uint64_t seed; /* of all that is random */
    bool cold;     /* all caches are emptied before each launch */
} sl_sim_setup;

/* `setup` NULL: a seed of 1 and caches that keep what they hold, as in `sluice sim`. Custom policies of the program
 * that the machine names must outlive it; the machine need not. What the simulator cannot do is SL_UNSUPPORTED:
 * policies that need a run that counts before ("profiled"), parameters that are to be searched for ("best"). */
SL_API sl_status sl_sim_create(const sl_machine *machine, const sl_sim_setup *setup, sl_sim **sim, sl_error *error);
SL_API void sl_sim_destroy(sl_sim *sim); /* NULL is fine */

typedef struct sl_sim_result sl_sim_result;

/* Runs a launch to its end. `bypass`: for each memory instruction of its kernel (sl_trace_kernel.mem_slots of them) a
 * mask of levels that its loads bypass, bit 0 for the first; NULL: none does. The result is the caller's and needs
 * nothing else. A launch that makes no progress for a million cycles fails with what waits for what; after a launch
 * that failed midway the simulator can only be destroyed. */
SL_API sl_status sl_sim_run(sl_sim *sim, const sl_trace *trace, uint32_t launch, const uint8_t *bypass,
                            sl_sim_result **result, sl_error *error);
SL_API void sl_sim_result_destroy(sl_sim_result *result); /* NULL is fine */

/* Of the whole launch ("cycles", "ld_sectors", "dram_read_sectors"), and of one memory instruction. The counts are part
 * of the result. */
SL_API const sl_counts *sl_sim_total(const sl_sim_result *result);
SL_API const sl_counts *sl_sim_slot(const sl_sim_result *result, uint32_t slot);

/* The counters of a level ("hits", "evictions", "stall_mshr_cycles", "energy_nj"): 0 … sl_level_counter_count() - 1. */
SL_API size_t sl_level_counter_count(void);
SL_API const sl_counter_info *sl_level_counter_at(size_t index);
/* What a level counted, by name; counts are exact below 2^53. SL_NOT_FOUND with the nearest name where there is no such
 * counter. */
SL_API sl_status sl_sim_level_value(const sl_sim_result *result, uint32_t level, const char *name, double *value,
                                    sl_error *error);
/* What policies say of themselves (sl_policy_ops.report), summed over the caches of a level by who listens: of the one
 * that bypasses, or of the one that replaces; since the caches were last emptied, or, of a policy that keeps what it
 * learnt, since the first launch. */
SL_API void sl_sim_policy_report(const sl_sim *sim, uint32_t level, bool bypass,
                                 const sl_policy_statistics *statistics);

#ifdef __cplusplus
}
#endif

#endif
