/* SPDX-License-Identifier: MIT */
#include "report/kernel_sums.h"

#include <stdlib.h>

void sl_kernel_sums_free(sl_kernel_sum *sums, uint32_t count)
{
    for (uint32_t k = 0; sums && k < count; k++)
        free(sums[k].load);
    free(sums);
}

static bool add_launch(sl_kernel_sum *sum, const sl_logged_launch *l)
{
    if (!sum->load)
        sum->load = calloc(l->kernel->insts + 1, sizeof *sum->load);
    if (!sum->load)
        return false;
    sl_counts counts = sl_unpack_counts(&l->counts);
    sum->kernel = l->kernel;
    sum->launches++;
    sum->failed += l->failed;
    sl_counts_merge(&sum->counts, &counts);
    for (uint32_t i = 0; i < l->loads; i++) {
        counts = sl_unpack_counts(&l->load[i].counts);
        sl_counts_merge(&sum->load[l->load[i].inst], &counts);
    }
    return true;
}

sl_kernel_sum *sl_kernel_sums_of(const sl_launch_log *log)
{
    sl_kernel_sum *sums = calloc(log->kernel_count + 1, sizeof *sums);
    bool good = sums;
    for (size_t i = 0; good && i < log->launches.count; i++)
        good = add_launch(&sums[log->launches.items[i].kernel->number], &log->launches.items[i]);
    if (!good)
        sl_kernel_sums_free(sums, log->kernel_count);
    return good ? sums : NULL;
}
