/* SPDX-License-Identifier: MIT */
/* The model for users of the library: a launch of a trace in, a result on the heap out. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/latency.h"
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

bool sl_latency_init(sl_latency *l, uint32_t min, uint32_t sigma)
{
    SL_ARRAY(uint32_t) up_to = {0};
    double part = 0;
    *l = (sl_latency){.min = min};
    if (!sigma)
        return true;
    for (uint32_t steps = 0; part < UINT32_MAX; steps++) {
        part = floor(erf((steps + 0.5) / (sigma * sqrt(2))) * 4294967296.0);
        part = part < UINT32_MAX ? part : UINT32_MAX;
        if (!sl_array_push(&up_to, (uint32_t)part)) {
            sl_array_free(&up_to);
            return false;
        }
    }
    l->up_to = up_to.items;
    l->steps = (uint32_t)up_to.count;
    for (uint32_t g = 0, steps = 0; g < SL_LATENCY_GUIDES; g++) {
        while (g << 24 > l->up_to[steps])
            steps++;
        l->guide[g] = steps;
    }
    return true;
}

void sl_latency_fini(sl_latency *l)
{
    free(l->up_to);
}
