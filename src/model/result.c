/* SPDX-License-Identifier: MIT */
/* The model for users of the library: a launch of a trace in, a result on the heap out. */
#include <stdlib.h>

#include "model/model.h"

sl_status sl_model_launch(const sl_machine *machine, const sl_trace *trace, uint32_t launch,
                          const sl_model_options *options, sl_pool *pool, sl_model_result **result, sl_error *error)
{
    const sl_model_options presets = {.seed = 1}; /* as the program has it */
    sl_loaded *loaded = NULL;
    *result = NULL;
    if (launch >= sl_trace_launches(trace))
        return sl_fail(error, SL_NOT_FOUND, "launch %u: the trace has %u", launch, sl_trace_launches(trace));
    sl_model_result *made = calloc(1, sizeof *made);
    sl_status status = made ? sl_loaded_create(trace, launch, pool, &loaded, error) : sl_fail_memory(error);
    if (!status)
        status = sl_model_loaded(machine, loaded, options ? options : &presets, NULL, pool, NULL, made, error);
    sl_loaded_destroy(loaded);
    if (status)
        sl_model_result_destroy(made);
    else
        *result = made;
    return status;
}

void sl_model_result_destroy(sl_model_result *result)
{
    if (result)
        sl_model_result_fini(result);
    free(result);
}

const sl_counts *sl_model_total(const sl_model_result *result)
{
    return &result->counts.total;
}

const sl_counts *sl_model_slot(const sl_model_result *result, uint32_t slot)
{
    return &result->counts.slot[slot];
}

uint32_t sl_model_resident_blocks(const sl_model_result *result)
{
    return result->resident_blocks;
}

uint64_t sl_model_l1_bytes(const sl_model_result *result)
{
    return result->l1_bytes;
}
