/* SPDX-License-Identifier: MIT */
/* Results files of the CUDA library: any bytes give launches that can be looked at, or an error. */
#include <stdint.h>
#include <string.h>

#include "process/results_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Touches everything a report would. */
static sl_status look(void *context, const sl_launch_result *r, sl_error *error)
{
    size_t *sum = context;
    (void)error;
    *sum += strlen(r->kernel->symbol) + strlen(r->kernel->name) + strlen(r->launch->failure);
    for (uint32_t i = 0; i < r->kernel->mem_slots; i++) {
        const sl_inst *inst = &r->kernel->inst[r->kernel->mem_inst[i]];
        *sum += strlen(r->kernel->strings + inst->opcode) + strlen(r->kernel->strings + inst->array);
        if (r->counts)
            *sum += r->counts->slot[i].value[0];
    }
    for (size_t i = 0; r->counts && i < r->counts->arrays; i++)
        *sum += strlen(r->counts->array[i].name);
    return SL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    sl_results_summary summary;
    sl_error error;
    size_t sum = 0;
    sl_results_parse(data, bytes, look, &sum, &summary, &error);
    return 0;
}
