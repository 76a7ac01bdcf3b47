/* SPDX-License-Identifier: MIT */
#include "profile/sums.h"

#include <stdlib.h>

#include "base/index.h"

static uint64_t kernel_key(const void *items, uint32_t item)
{
    return (uintptr_t)((const sl_profile_sum *)items)[item].kernel;
}

/* NULL when memory runs out. */
static sl_profile_sum *sum_of(sl_profile_sums *sums, sl_index *index, const sl_trace_kernel *kernel)
{
    sl_index_for(index, (uintptr_t)kernel, at)
    {
        sl_profile_sum *sum = &sums->kernel[sl_index_item(index, at)];
        if (sum->kernel == kernel)
            return sum;
    }
    sl_profile_sum *added = &sums->kernel[sums->kernels];
    added->kernel = kernel;
    if (!sl_index_add(index, (uintptr_t)kernel, (uint32_t)sums->kernels, kernel_key, sums->kernel))
        return NULL;
    sums->kernels++;
    return added;
}

/* Until all launches are added, a sum has an entry for each memory slot of the kernel. */
static bool add(sl_profile_sum *sum, const sl_profile *profile)
{
    if (!sum)
        return false;
    if (!sum->load)
        sum->load = calloc(sum->kernel->mem_slots ? sum->kernel->mem_slots : 1, sizeof *sum->load);
    if (!sum->load)
        return false;
    sum->launches++;
    if (profile->launch->failed) /* its counts are incomplete */
        return true;
    if (!sum->longest || profile->total.line_accesses > sum->longest->total.line_accesses)
        sum->longest = profile;
    sl_profile_counts_merge(&sum->total, &profile->total);
    for (uint32_t i = 0; i < profile->loads; i++)
        sl_profile_counts_merge(&sum->load[profile->load[i].slot].counts, &profile->load[i].counts);
    return true;
}

static void remove_idle_loads(sl_profile_sum *sum)
{
    for (uint32_t s = 0; s < sum->kernel->mem_slots; s++)
        if (sum->load[s].counts.requests) {
            sum->load[sum->loads] = sum->load[s];
            sum->load[sum->loads++].slot = s;
        }
}

sl_status sl_profile_sums_init(sl_profile_sums *sums, const sl_profile *profile, size_t profiles, sl_error *error)
{
    *sums = (sl_profile_sums){0};
    sums->kernel = calloc(profiles ? profiles : 1, sizeof *sums->kernel);
    sl_index index = {0};
    bool fits = sums->kernel != NULL;
    for (size_t i = 0; i < profiles && fits; i++) {
        if (!profile[i].launch->failed)
            sl_profile_counts_merge(&sums->all, &profile[i].total);
        fits = add(sum_of(sums, &index, profile[i].kernel), &profile[i]);
    }
    for (size_t k = 0; k < sums->kernels && fits; k++)
        remove_idle_loads(&sums->kernel[k]);
    sl_index_fini(&index);
    if (!fits) {
        sl_profile_sums_fini(sums);
        return sl_fail_memory(error);
    }
    return SL_OK;
}

void sl_profile_sums_fini(sl_profile_sums *sums)
{
    for (size_t k = 0; k < sums->kernels; k++)
        free(sums->kernel[k].load);
    free(sums->kernel);
    *sums = (sl_profile_sums){0};
}

size_t sl_profile_sums_largest(const sl_profile_sums *sums, const sl_profile_sum **largest, size_t max)
{
    size_t count = 0;
    while (sums->kernels > 1 && count < max) {
        const sl_profile_sum *most = NULL;
        for (size_t k = 0; k < sums->kernels; k++) {
            const sl_profile_sum *sum = &sums->kernel[k];
            bool is_new = sum->total.line_accesses;
            for (size_t i = 0; i < count; i++)
                is_new &= largest[i] != sum;
            if (is_new && (!most || sum->total.line_accesses > most->total.line_accesses))
                most = sum;
        }
        if (!most)
            break;
        largest[count++] = most;
    }
    return count;
}

/* Bins up to `size` hit: bin b ends before 2^b. */
double sl_profile_miss_ratio(const sl_profile_counts *c, unsigned size)
{
    uint64_t hits = 0;
    for (unsigned b = 0; b <= size && b < SL_DISTANCE_BINS; b++)
        hits += c->line_distance.bin[b];
    return 100.0 * (double)(c->line_accesses - hits) / (double)c->line_accesses;
}

unsigned sl_profile_miss_ratios(const sl_profile_counts *c)
{
    unsigned last = 0;
    for (unsigned b = 0; b < SL_DISTANCE_BINS; b++)
        last = c->line_distance.bin[b] ? b : last;
    return last + 2;
}
