/* SPDX-License-Identifier: MIT */
#include "report/sim_log.h"

#include <stdlib.h>

static sl_status take_launch(void *log, const sl_sim *sim, uint32_t n, const sl_loaded *loaded,
                             const sl_sim_result *result, sl_error *error)
{
    const sl_trace_launch *launch = sl_loaded_launch(loaded);
    const sl_launch_result logged = {
        .index = launch->index, .kernel = sl_loaded_kernel(loaded), .launch = launch, .counts = &result->counts};
    (void)sim;
    (void)n;
    return sl_launch_log_add(log, &logged, error);
}

sl_status sl_sim_log(const sl_recording *recording, sl_machine *machine, uint64_t seed, sl_pool *pool,
                     const sl_progress *progress, sl_launch_log *log, sl_error *error)
{
    const sl_sim_series series = {
        .trace = recording->trace, .launch = recording->launch, .launches = recording->launches};
    const sl_sim_options options = {.seed = seed, .progress = progress};
    sl_sim_search search = {0};
    char *state = NULL;
    sl_status status = sl_sim_search_run(&series, machine, &options, pool, &search, error);
    if (!status)
        status = sl_sim_series_run(&series, machine, &options, pool, take_launch, log, &state, error);
    free(state);
    sl_sim_search_fini(&search);
    return status;
}
