/* SPDX-License-Identifier: MIT */
#include "report/whatif.h"

#include <string.h>

static bool put_launch(const sl_whatif *w, const sl_recording *r, uint32_t at, sl_arena *arena, sl_swept_launch *to)
{
    const sl_trace_launch *launch = sl_trace_launch_at(r->trace, r->launch[at]);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(r->trace, launch->kernel);
    uint64_t *l1_bytes = sl_arena_array(arena, uint64_t, w->points.count + 1);
    sl_counts *counts = sl_arena_array(arena, sl_counts, w->points.count + 1);
    if (!l1_bytes || !counts)
        return false;
    for (size_t i = 0; i < w->points.count; i++) {
        l1_bytes[i] = w->result[i].result.launch[at].l1_bytes;
        counts[i] = w->result[i].result.launch[at].counts;
    }
    *to = (sl_swept_launch){.symbol = kernel->symbol,
                            .name = kernel->name,
                            .index = launch->index,
                            .failed = launch->failed,
                            .failure = launch->failure,
                            .l1_bytes = l1_bytes,
                            .counts = counts};
    memcpy(to->grid, launch->grid, sizeof launch->grid);
    memcpy(to->block, launch->block, sizeof launch->block);
    return true;
}

sl_status sl_whatif_sweep(const sl_whatif *w, const sl_recording *recording, sl_arena *arena, sl_sweep *sweep,
                          sl_error *error)
{
    sl_sweep_point *point = sl_arena_array(arena, sl_sweep_point, w->points.count + 1);
    sl_swept_launch *launch = sl_arena_array(arena, sl_swept_launch, recording->launches + 1u);
    bool whole = point && launch;
    for (size_t i = 0; whole && i < w->points.count; i++) {
        const sl_whatif_point *p = &w->points.items[i];
        const sl_level *first = &p->point.resolved->level[0];
        point[i] = (sl_sweep_point){.varied = p->varied,
                                    .factor = p->factor,
                                    .ways = first->ways,
                                    .line_bytes = first->line_bytes,
                                    .mshrs = first->mshrs,
                                    .seed = p->point.seed,
                                    .replacement = p->policy};
    }
    for (uint32_t n = 0; whole && n < recording->launches; n++)
        whole = put_launch(w, recording, n, arena, &launch[n]);
    *sweep = (sl_sweep){.points = w->points.count,
                        .point = point,
                        .launches = recording->launches,
                        .launch = launch,
                        .passes = w->passes,
                        .note = *w->note ? w->note : NULL};
    return whole ? SL_OK : sl_fail_memory(error);
}
