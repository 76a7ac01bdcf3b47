/* SPDX-License-Identifier: MIT */
#include "report/validated.h"

#include <string.h>

sl_status sl_validated_rows(const sl_beside_hardware *beside, const sl_recording *recording, const char *workload,
                            sl_arena *arena, sl_validated **rows, sl_error *error)
{
    sl_validated *row = sl_arena_array(arena, sl_validated, beside->pairs.count + 1);
    bool whole = row;
    for (size_t i = 0; whole && i < beside->pairs.count; i++) {
        const sl_ncu_pair *pair = &beside->pairs.pair[i];
        const sl_trace_launch *launch = sl_trace_launch_at(recording->trace, pair->launch);
        const sl_trace_kernel *kernel = sl_trace_kernel_at(recording->trace, launch->kernel);
        row[i] = (sl_validated){.workload = sl_arena_strdup(arena, workload ? workload : pair->measured->workload),
                                .symbol = sl_arena_strdup(arena, kernel->symbol),
                                .name = sl_arena_strdup(arena, kernel->name),
                                .index = launch->index,
                                .measured = pair->measured->counts,
                                .model = &beside->predicted[i * beside->points]};
        memcpy(row[i].grid, launch->grid, sizeof row[i].grid);
        memcpy(row[i].block, launch->block, sizeof row[i].block);
        whole = row[i].workload && row[i].symbol && row[i].name;
    }
    *rows = row;
    return whole ? SL_OK : sl_fail_memory(error);
}
