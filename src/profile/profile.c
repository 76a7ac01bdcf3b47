/* SPDX-License-Identifier: MIT */
#include "sluice/profile.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/progress.h"
#include "profile/accesses.h"

enum { MAX_LINE = 1 << 16, MAX_CORES = 1024, MAX_BLOCKS = 1024, MAX_WINDOWS = 1 << 16 };

static bool power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

sl_status sl_profile_check(const sl_profile_options *o, sl_error *error)
{
    if (!power_of_two(o->line_bytes) || o->line_bytes > MAX_LINE)
        return sl_fail(error, SL_INVALID, "a line of %u bytes: its size must be a power of two, at most %d",
                       o->line_bytes, MAX_LINE);
    if (!power_of_two(o->sector_bytes) || o->sector_bytes > o->line_bytes)
        return sl_fail(error, SL_INVALID,
                       "a sector of %u bytes: its size must be a power of two, at most that of a line (%u)",
                       o->sector_bytes, o->line_bytes);
    if (o->cache_bytes < o->line_bytes)
        return sl_fail(error, SL_INVALID, "a cache of %llu bytes does not hold a line of %u",
                       (unsigned long long)o->cache_bytes, o->line_bytes);
    if (!o->cores || o->cores > MAX_CORES || !o->blocks_per_core || o->blocks_per_core > MAX_BLOCKS || !o->windows ||
        o->windows > MAX_WINDOWS)
        return sl_fail(error, SL_INVALID, "%u cores, %u blocks per core, %u windows: at least 1, at most %d, %d and %d",
                       o->cores, o->blocks_per_core, o->windows, MAX_CORES, MAX_BLOCKS, MAX_WINDOWS);
    return SL_OK;
}

static void merge_distances(sl_distances *into, const sl_distances *from)
{
    into->never += from->never;
    for (int i = 0; i < SL_DISTANCE_BINS; i++)
        into->bin[i] += from->bin[i];
}

void sl_profile_counts_merge(sl_profile_counts *into, const sl_profile_counts *from)
{
    into->requests += from->requests;
    into->line_accesses += from->line_accesses;
    into->sector_accesses += from->sector_accesses;
    into->requested_bytes += from->requested_bytes;
    into->used_bytes += from->used_bytes;
    merge_distances(&into->line_distance, &from->line_distance);
    merge_distances(&into->sector_distance, &from->sector_distance);
    merge_distances(&into->line_gap, &from->line_gap);
    into->lines += from->lines;
    for (int i = 0; i < SL_REUSE_BINS; i++)
        into->line_reuses[i] += from->line_reuses[i];
    into->fills += from->fills;
    into->evicted_before_reuse += from->evicted_before_reuse;
}

/* ---- from cores to a launch ---- */

typedef struct profiling {
    const sl_loaded *loaded;
    sl_walk_plan *plan;
    sl_cta_lists lists;
    const sl_profile_options *options;
    sl_core_accesses *core; /* [options->cores] */
    const sl_progress *progress;
    pthread_mutex_t lock; /* of `done` and of progress */
    uint32_t done;
} profiling;

static sl_status run_core(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    profiling *p = context;
    if (p->lists.first[index] == p->lists.first[index + 1]) /* no blocks: its results stay zeroed */
        return SL_OK;
    sl_status status =
        sl_core_accesses_run(p->loaded, p->plan, &p->lists, p->options, (uint32_t)index, &p->core[index], error);
    pthread_mutex_lock(&p->lock);
    if (++p->done < p->options->cores)
        sl_progress_update(p->progress, "cores", p->done, p->options->cores);
    pthread_mutex_unlock(&p->lock);
    return status;
}

static bool merge_loads(const profiling *p, sl_profile *profile)
{
    uint32_t slots = profile->kernel->mem_slots;
    profile->load = calloc(slots ? slots : 1, sizeof *profile->load);
    if (!profile->load)
        return false;
    for (uint32_t s = 0; s < slots; s++) {
        sl_profile_load *load = &profile->load[profile->loads];
        load->slot = s;
        for (uint32_t c = 0; c < p->options->cores; c++)
            if (p->core[c].slot)
                sl_profile_counts_merge(&load->counts, &p->core[c].slot[s]);
        sl_profile_counts_merge(&profile->total, &load->counts);
        profile->loads += load->counts.requests > 0;
    }
    sl_profile_load *fewer = realloc(profile->load, (profile->loads ? profile->loads : 1) * sizeof *fewer);
    profile->load = fewer ? fewer : profile->load;
    return true;
}

/* Windows of all cores get the same length: that of the core with the longest run. */
static bool merge_windows(const profiling *p, sl_profile *profile)
{
    unsigned log2 = 0;
    for (uint32_t c = 0; c < p->options->cores; c++)
        log2 = p->core[c].footprint.log2_window > log2 ? p->core[c].footprint.log2_window : log2;
    for (uint32_t c = 0; c < p->options->cores; c++) {
        if (!p->core[c].footprint.window)
            continue;
        sl_footprint_coarsen(&p->core[c].footprint, log2);
        uint32_t windows = sl_footprint_windows(&p->core[c].footprint);
        profile->windows = windows > profile->windows ? windows : profile->windows;
        profile->cores += windows > 0;
    }
    profile->window_accesses = UINT64_C(1) << log2;
    profile->window = calloc(profile->windows ? profile->windows : 1, sizeof *profile->window);
    if (!profile->window)
        return false;
    for (uint32_t c = 0; c < p->options->cores; c++)
        for (uint32_t w = 0; w < sl_footprint_windows(&p->core[c].footprint); w++) {
            sl_footprint_window one = sl_footprint_at(&p->core[c].footprint, w);
            profile->window[w].accesses += one.accesses;
            profile->window[w].lines += one.lines;
            profile->window[w].new_lines += one.new_lines;
        }
    return true;
}

static bool merge_lines(const profiling *p, sl_profile *profile)
{
    sl_sparse_set all = {0};
    bool fits = true;
    for (uint32_t c = 0; c < p->options->cores && fits; c++)
        fits = sl_sparse_set_merge(&all, &p->core[c].lines);
    profile->footprint_lines = sl_sparse_set_count(&all);
    sl_sparse_set_fini(&all);
    return fits;
}

sl_status sl_profile_launch(const sl_trace *trace, uint32_t launch, const sl_profile_options *options, sl_pool *pool,
                            const sl_progress *progress, sl_profile *profile, sl_error *error)
{
    sl_loaded *loaded = NULL;
    *profile = (sl_profile){0};
    sl_status status = sl_profile_check(options, error);
    if (!status)
        status = sl_loaded_create(trace, launch, pool, &loaded, error);
    if (status)
        return status;
    profiling p = {
        .loaded = loaded,
        .options = options,
        .core = calloc(options->cores, sizeof *p.core),
        .progress = progress,
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    profile->kernel = sl_loaded_kernel(loaded);
    profile->launch = sl_loaded_launch(loaded);
    sl_cta_config cta = {.cores = options->cores, .resident_blocks = options->blocks_per_core};
    status = p.core ? sl_walk_plan_create(profile->kernel, NULL, &p.plan, error) : sl_fail_memory(error);
    if (!status)
        status = sl_cta_schedule(&cta, sl_loaded_blocks(loaded), NULL, &p.lists, error);
    if (!status)
        status = sl_pool_run(pool, options->cores, run_core, &p, error);
    if (!status && !(merge_loads(&p, profile) && merge_windows(&p, profile) && merge_lines(&p, profile)))
        status = sl_fail_memory(error);
    for (uint32_t c = 0; p.core && c < options->cores; c++)
        sl_core_accesses_fini(&p.core[c]);
    free(p.core);
    sl_cta_lists_fini(&p.lists);
    sl_walk_plan_destroy(p.plan);
    sl_loaded_destroy(loaded);
    if (status)
        sl_profile_fini(profile);
    return status;
}

void sl_profile_fini(sl_profile *profile)
{
    free(profile->load);
    free(profile->window);
    *profile = (sl_profile){0};
}
