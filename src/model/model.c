/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "access/cta.h"
#include "access/request.h"
#include "base/heap.h"
#include "lower/program.h"
#include "model/core.h"
#include "model/shared.h"
#include "trace/line_stream.h"

typedef struct core_work {
    sl_core_result result;
    uint64_t (*stacks)[SL_LOAD_CLASSES]; /* [points] */
} core_work;

typedef struct model {
    const sl_machine *machine;
    const sl_loaded *loaded;
    const sl_model_options *options;
    sl_walk_plan *plan;
    sl_level l1; /* with its size in this launch */
    uint32_t resident_blocks;
    uint32_t cores, slots;
    core_work *core;
    sl_slot_loads *loads;    /* [cores * slots] */
    sl_atomic_load *atomics; /* [cores]; NULL: the kernel has none */
    sl_cta_lists lists;
    sl_shared_counts *level[SL_MAX_LEVELS]; /* [slots + 1] of each level behind the first */
    sl_model_caches *caches;
    const sl_level *point; /* first levels that are modeled in the same pass */
    size_t points;
    const sl_progress *progress;
    pthread_mutex_t lock; /* of `done` and of progress */
    uint32_t done;
} model;

/* Each core gets the list of its blocks. The size of a block's trace stands for its time. */
static sl_status schedule_blocks(model *m, sl_error *error)
{
    uint64_t blocks = sl_loaded_blocks(m->loaded);
    sl_cta_config config = sl_cta_config_of(m->machine, m->resident_blocks);
    uint64_t *bytes = malloc((blocks + 1) * sizeof *bytes);
    if (!bytes)
        return sl_fail_memory(error);
    for (uint64_t b = 0; b < blocks; b++)
        bytes[b] = sl_loaded_block_bytes(m->loaded, b);
    sl_status status = sl_cta_schedule(&config, blocks, bytes, &m->lists, error);
    free(bytes);
    return status;
}

/* ---- the first level ---- */

static sl_status run_stacks(const model *m, core_work *w, sl_core_config *config, const uint32_t *block, size_t blocks,
                            sl_error *error)
{
    sl_status status = sl_stacks_create(m->point, m->points, m->options->no_associativity, &config->stacks, error);
    if (status)
        return status;
    status = sl_core_run(config, block, blocks, &w->result, error);
    if (!status && sl_stacks_failed(config->stacks))
        status = sl_fail_memory(error);
    if (!status)
        memcpy(w->stacks, sl_stacks_result(config->stacks), m->points * sizeof *w->stacks);
    sl_stacks_destroy(config->stacks);
    return status;
}

static sl_status run_core(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    model *m = context;
    core_work *w = &m->core[index];
    const uint32_t *block = &m->lists.block[m->lists.first[index]];
    size_t blocks = m->lists.first[index + 1] - m->lists.first[index];
    if (!blocks)
        return SL_OK;
    uint64_t seed = m->options->seed + index * UINT64_C(0x9e3779b97f4a7c15);
    sl_core_config config = {
        .loaded = m->loaded,
        .plan = m->plan,
        .machine = m->machine,
        .l1 = &m->l1,
        .resident_blocks = m->resident_blocks,
        .core = (uint32_t)index,
        .no_latency = m->options->no_latency,
        .no_associativity = m->options->no_associativity,
        .no_mshr = m->options->no_mshr,
        .no_divergence = m->options->no_divergence,
        .wants_traffic = m->machine->levels > 1,
        .seed = seed,
    };
    sl_status status = m->points ? run_stacks(m, w, &config, block, blocks, error)
                                 : sl_core_run(&config, block, blocks, &w->result, error);
    sl_large_array_drop(&w->result.traffic);
    if (m->progress) {
        pthread_mutex_lock(&m->lock);
        if (++m->done < m->cores)
            sl_progress_update(m->progress, "cores", m->done, m->cores);
        pthread_mutex_unlock(&m->lock);
    }
    return status;
}

/* ---- the levels behind ---- */

/* What was read of files is dropped after as many. */
enum { DROP_AFTER = 1 << 20 };

/* Streams that a level merges by time; equal times by the number of the stream. */
typedef struct stream {
    const sl_traffic *at, *end;
    uint32_t number;
    const sl_large_array *traffic;
} stream;

static bool before(const stream *a, const stream *b)
{
    return a->at->time != b->at->time ? a->at->time < b->at->time : a->number < b->number;
}

static bool feed(sl_shared *shared, stream *heap, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        SL_HEAP_SINK(heap, count, i, heap[i], before);
    for (uint32_t taken = 1; count; taken++) {
        if (!sl_shared_access(shared, heap[0].at, heap[0].number))
            return false;
        if (++heap[0].at == heap[0].end)
            heap[0] = heap[--count];
        if (count)
            SL_HEAP_SINK(heap, count, 0, heap[0], before);
        for (size_t i = 0; taken % DROP_AFTER == 0 && i < count; i++)
            sl_large_array_drop(heap[i].traffic);
    }
    return true;
}

static void destroy_level(sl_model_caches *caches, uint32_t number)
{
    for (uint32_t i = 0; caches->cache[number] && i < caches->caches[number]; i++)
        sl_shared_destroy(caches->cache[number][i]);
    free(caches->cache[number]);
    caches->cache[number] = NULL;
}

void sl_model_caches_fini(sl_model_caches *caches)
{
    for (uint32_t n = 0; n < SL_MAX_LEVELS; n++)
        destroy_level(caches, n);
}

/* Work of one level: its instances, each fed by those above it. */
typedef struct level_work {
    const model *m;
    uint32_t number;           /* of the level */
    uint32_t above_per_here;   /* instances */
    uint32_t above;            /* instances above in all */
    sl_shared **here, **upper; /* here: the spare ones at first; upper NULL: the cores */
} level_work;

static sl_status run_instance(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    level_work *w = context;
    const model *m = w->m;
    uint32_t first = (uint32_t)index * w->above_per_here, end = first + w->above_per_here;
    end = end < w->above ? end : w->above;
    sl_shared_config config = {
        .level = &m->machine->level[w->number],
        .above = w->number == 1 ? &m->l1 : &m->machine->level[w->number - 1],
        .slots = m->slots,
        .miss_cycles = m->machine->memory.latency_cycles,
        .wants_traffic = w->number + 1 < m->machine->levels,
        .keeps = m->caches->warm && m->machine->level[w->number].cores_per_instance == m->cores,
        .spill = sl_loaded_spill(m->loaded),
        .seed = m->options->seed + (w->number * UINT64_C(65536) + index) * UINT64_C(0x9e3779b97f4a7c15),
    };
    sl_shared *spare = w->here[index];
    w->here[index] = NULL;
    sl_status status = sl_shared_create(&config, spare, &w->here[index], error);
    stream *heap = status ? NULL : malloc((end - first) * sizeof *heap);
    if (!status && !heap)
        status = sl_fail_memory(error);
    size_t count = 0;
    for (uint32_t i = first; i < end && !status; i++) {
        size_t length;
        const sl_large_array *traffic = w->upper ? sl_shared_traffic(w->upper[i]) : &m->core[i].result.traffic;
        const sl_traffic *items = sl_traffic_of(traffic, &length);
        if (length)
            heap[count++] = (stream){items, items + length, i, traffic};
    }
    if (!status)
        status = feed(w->here[index], heap, count) ? sl_shared_check(w->here[index], error) : sl_fail_memory(error);
    free(heap);
    return status;
}

/* The caches of a level, replacing those of the launch before, if it had as many. NULL: memory ran out. */
static sl_shared **make_shared(sl_model_caches *caches, uint32_t number, uint32_t instances)
{
    if (caches->cache[number] && caches->caches[number] == instances)
        return caches->cache[number];
    destroy_level(caches, number);
    caches->cache[number] = calloc(instances, sizeof *caches->cache[number]);
    caches->caches[number] = instances;
    return caches->cache[number];
}

static void drop_traffic(sl_shared **instance, uint32_t count)
{
    for (uint32_t i = 0; instance && i < count; i++)
        if (instance[i])
            sl_shared_drop_traffic(instance[i]);
}

static sl_status run_levels(model *m, sl_pool *pool, sl_error *error)
{
    sl_shared **upper = NULL;
    uint32_t above = m->cores, above_cores = 1;
    sl_status status = SL_OK;
    for (uint32_t n = 1; n < m->machine->levels && !status; n++) {
        uint32_t per_instance = m->machine->level[n].cores_per_instance;
        uint32_t instances = (m->cores + per_instance - 1) / per_instance;
        sl_shared **here = make_shared(m->caches, n, instances);
        m->level[n] = calloc(m->slots + 1, sizeof *m->level[n]);
        if (!here || !m->level[n]) {
            status = sl_fail_memory(error);
            break;
        }
        level_work work = {m, n, per_instance / above_cores, above, here, upper};
        status = sl_pool_run(pool, instances, run_instance, &work, error);
        for (uint32_t i = 0; i < instances && !status; i++) {
            const sl_shared_counts *counts = sl_shared_result(here[i]);
            for (uint32_t s = 0; s <= m->slots; s++) {
                m->level[n][s].reads += counts[s].reads;
                m->level[n][s].read_hits += counts[s].read_hits;
                m->level[n][s].writes += counts[s].writes;
                m->level[n][s].filled += counts[s].filled;
                m->level[n][s].written += counts[s].written;
                m->level[n][s].kept += counts[s].kept;
            }
        }
        drop_traffic(upper, above);
        upper = here;
        above = instances;
        above_cores = per_instance;
    }
    drop_traffic(upper, above);
    return status;
}

/* ---- results ---- */

/* What the first level did for one memory instruction, or for all. */
static void add_loads(sl_counts *to, const uint64_t sectors[SL_LOAD_CLASSES])
{
    static const sl_counter counter[SL_LOAD_CLASSES] = {
        [SL_LOAD_PENDING] = SL_COUNTER_pending_hit_sectors, [SL_LOAD_COMPULSORY] = SL_COUNTER_compulsory_sectors,
        [SL_LOAD_CAPACITY] = SL_COUNTER_capacity_sectors,   [SL_LOAD_CONFLICT] = SL_COUNTER_conflict_sectors,
        [SL_LOAD_MSHR] = SL_COUNTER_mshr_sectors,           [SL_LOAD_STORE] = SL_COUNTER_store_sectors,
        [SL_LOAD_BYPASSED] = SL_COUNTER_bypassed_sectors,
    };
    uint64_t misses = 0;
    for (int k = SL_LOAD_PENDING; k < SL_LOAD_CLASSES; k++) {
        sl_counts_add(to, counter[k], sectors[k]);
        misses += k == SL_LOAD_PENDING ? 0 : sectors[k];
    }
    sl_counts_add(to, SL_COUNTER_ld_sector_hits, sectors[SL_LOAD_HIT] + sectors[SL_LOAD_PENDING]);
    sl_counts_add(to, SL_COUNTER_ld_sector_misses, misses);
    sl_counts_add(to, SL_COUNTER_ld_sectors, sectors[SL_LOAD_HIT] + sectors[SL_LOAD_PENDING] + misses);
}

/* What the level behind the first and memory did. */
static void add_levels(const model *m, sl_counts *to, uint32_t slot)
{
    uint32_t last = m->machine->levels - 1;
    if (!last)
        return;
    const sl_shared_counts *second = &m->level[1][slot], *outer = &m->level[last][slot];
    sl_counts_add(to, SL_COUNTER_l2_read_sectors, second->reads);
    sl_counts_add(to, SL_COUNTER_l2_read_hits, second->read_hits);
    sl_counts_add(to, SL_COUNTER_l2_write_sectors, second->writes);
    sl_counts_add(to, SL_COUNTER_dram_read_sectors, outer->filled);
    sl_counts_add(to, SL_COUNTER_dram_write_sectors, outer->written);
}

/* The first level in which nine of ten capacity misses would hit; nothing where there are none. */
static void add_working_set(const model *m, sl_counts *to)
{
    uint64_t sum[SL_FIT_BINS] = {0}, all = 0, fits = 0;
    for (uint32_t c = 0; c < m->cores; c++)
        for (int i = 0; i < SL_FIT_BINS && m->lists.first[c + 1] > m->lists.first[c]; i++) {
            sum[i] += m->core[c].result.fit[i];
            all += m->core[c].result.fit[i];
        }
    for (uint64_t i = 0; all && i < SL_FIT_BINS; i++) {
        fits += sum[i];
        if (fits * 10 >= all * 9) {
            sl_counts_add(to, SL_COUNTER_working_set_bytes, m->l1.size_bytes * (i + 1) / SL_FIT_STEPS);
            return;
        }
    }
}

static sl_status collect(model *m, sl_model_result *result, sl_error *error)
{
    const sl_trace_kernel *kernel = sl_loaded_kernel(m->loaded);
    result->slots = calloc(m->slots + 1, sizeof *result->slots);
    if (!result->slots)
        return sl_fail_memory(error);
    for (uint32_t s = 0; s < m->slots; s++) {
        uint64_t sectors[SL_LOAD_CLASSES] = {0}, requests = 0, scalar = 0, scalar_lines = 0, scalar_hits = 0;
        for (uint32_t c = 0; c < m->cores; c++) {
            const sl_slot_loads *loads = &m->loads[(size_t)c * m->slots + s];
            requests += loads->requests;
            scalar += loads->scalar;
            scalar_lines += loads->scalar_lines;
            scalar_hits += loads->scalar_hits;
            for (int k = 0; k < SL_LOAD_CLASSES; k++)
                sectors[k] += loads->sectors[k];
        }
        sl_counts *to = &result->slots[s];
        if (sl_inst_is_global_load(&kernel->inst[kernel->mem_inst[s]])) {
            sl_counts_add(to, SL_COUNTER_ld_requests, requests);
            add_loads(to, sectors);
            if (m->machine->core.scalar_bytes) {
                sl_counts_add(to, SL_COUNTER_scalar_requests, scalar);
                sl_counts_add(to, SL_COUNTER_scalar_lines, scalar_lines);
                sl_counts_add(to, SL_COUNTER_scalar_hits, scalar_hits);
            }
        }
        add_levels(m, to, s);
        sl_counts_merge(&result->counts.total, to);
    }
    add_levels(m, &result->counts.total, m->slots);
    if (m->machine->levels > 1)
        sl_counts_add(&result->counts.total, SL_COUNTER_dram_read_sectors,
                      sl_machine_launch_sectors(m->machine, sl_loaded_kernel(m->loaded)->insts));
    if (!sl_model_is_pure(m->options)) /* sl_model_stacks, which gives the same result, does not know it */
        add_working_set(m, &result->counts.total);
    result->counts.blocks = sl_loaded_blocks(m->loaded);
    result->counts.slots = m->slots;
    result->counts.slot = result->slots;
    for (uint32_t s = 0; s <= m->slots && m->machine->levels > 1; s++) {
        result->kept_sectors += m->level[m->machine->levels - 1][s].kept;
        result->filled_sectors += m->level[m->machine->levels - 1][s].filled;
    }
    result->resident_blocks = m->resident_blocks;
    result->l1_bytes = m->l1.size_bytes;
    result->cores = m->cores;
    result->work = calloc(m->cores, sizeof *result->work);
    if (!result->work)
        return sl_fail_memory(error);
    for (uint32_t c = 0; c < m->cores; c++)
        result->work[c] = m->core[c].result.work;
    for (uint32_t c = 1; m->atomics && c < m->cores; c++)
        sl_atomic_load_merge(&m->atomics[0], &m->atomics[c]);
    if (m->atomics)
        result->atomics = sl_atomic_load_max(&m->atomics[0]);
    result->block = m->lists.block;
    result->first_block = m->lists.first;
    m->lists = (sl_cta_lists){0};
    return SL_OK;
}

/* ---- the launch ---- */

sl_status sl_model_first_level(const sl_machine *machine, const sl_loaded *loaded, sl_level *level,
                               sl_occupancy *occupancy, sl_error *error)
{
    sl_occupancy local;
    occupancy = occupancy ? occupancy : &local;
    sl_status status = sl_occupancy_of(machine, sl_loaded_kernel(loaded), sl_loaded_launch(loaded), occupancy, error);
    if (status)
        return status;
    sl_machine carved = *machine;
    status = sl_machine_resize_first(&carved, occupancy->l1_bytes, error);
    *level = carved.level[0];
    return status;
}

static sl_status prepare(model *m, sl_error *error)
{
    const sl_trace_launch *launch = sl_loaded_launch(m->loaded);
    const sl_trace_kernel *kernel = sl_loaded_kernel(m->loaded);
    sl_occupancy occupancy;
    if (launch->lanes != m->machine->lanes)
        return sl_fail(error, SL_INVALID, "%s was recorded with warps of %u threads, and those of %s have %u",
                       kernel->name, launch->lanes, m->machine->name, m->machine->lanes);
    sl_status status = sl_access_check(&m->machine->level[0], kernel, error);
    if (!status)
        status = sl_model_first_level(m->machine, m->loaded, &m->l1, &occupancy, error);
    if (status)
        return status;
    m->resident_blocks = occupancy.blocks;
    m->cores = m->machine->cores;
    m->slots = kernel->mem_slots;
    m->core = malloc(m->cores * sizeof *m->core);
    for (uint32_t c = 0; m->core && c < m->cores; c++) { /* `fit` is written by cores that have blocks */
        memset(&m->core[c].result, 0, offsetof(sl_core_result, fit));
        m->core[c].stacks = NULL;
    }
    m->loads = calloc((size_t)m->cores * (m->slots ? m->slots : 1), sizeof *m->loads);
    if (!m->core || !m->loads)
        return sl_fail_memory(error);
    for (uint32_t s = 0; s < m->slots && !m->atomics; s++)
        if (sl_inst_is_atomic(&kernel->inst[kernel->mem_inst[s]]) &&
            !(m->atomics = calloc(m->cores, sizeof *m->atomics)))
            return sl_fail_memory(error);
    for (uint32_t c = 0; c < m->cores; c++) {
        sl_core_result *result = &m->core[c].result;
        result->atomics = m->atomics ? &m->atomics[c] : NULL;
        result->slot = &m->loads[(size_t)c * m->slots];
        result->traffic = (sl_large_array){.folder = sl_loaded_spill(m->loaded), .limit = SL_MAX_TRAFFIC};
    }
    uint32_t *order = NULL;
    status = sl_program_order(m->machine, kernel, &order, error);
    if (!status)
        status = sl_walk_plan_create(kernel, order, &m->plan, error);
    free(order);
    return status ? status : schedule_blocks(m, error);
}

static void fini(model *m)
{
    for (uint32_t c = 0; m->core && c < m->cores; c++)
        sl_large_array_free(&m->core[c].result.traffic);
    for (uint32_t n = 0; n < SL_MAX_LEVELS; n++)
        free(m->level[n]);
    sl_walk_plan_destroy(m->plan);
    free(m->core);
    free(m->loads);
    free(m->atomics);
    sl_cta_lists_fini(&m->lists);
}

sl_status sl_model_loaded(const sl_machine *machine, const sl_loaded *loaded, const sl_model_options *options,
                          sl_model_caches *caches, sl_pool *pool, const sl_progress *progress, sl_model_result *result,
                          sl_error *error)
{
    sl_model_caches none = {0};
    model m = {.machine = machine,
               .loaded = loaded,
               .options = options,
               .caches = caches ? caches : &none,
               .progress = progress,
               .lock = PTHREAD_MUTEX_INITIALIZER};
    *result = (sl_model_result){0};
    sl_status status = prepare(&m, error);
    if (!status)
        status = sl_pool_run(pool, m.cores, run_core, &m, error);
    if (!status)
        status = run_levels(&m, pool, error);
    if (!status)
        status = collect(&m, result, error);
    fini(&m);
    sl_model_caches_fini(&none);
    return status;
}

/* ---- launches that are not modeled ---- */

typedef struct warming {
    sl_shared *cache;
    uint32_t cores_above; /* of an instance of the level above */
} warming;

static bool warm_line(void *to, const sl_line_access *a)
{
    const warming *w = to;
    /* Loads as bulk copies: nothing is merged with them, as there is no time. */
    const sl_traffic t = {.line = a->line,
                          .sectors = (uint16_t)a->sectors,
                          .kind = (uint8_t)(a->kind == SL_ACCESS_LOAD ? SL_ACCESS_BULK_LOAD : a->kind)};
    return sl_shared_access(w->cache, &t, a->core / w->cores_above);
}

sl_status sl_model_warm(const sl_machine *machine, const sl_trace *trace, uint32_t launch, sl_model_caches *caches,
                        sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t n = 1; n < machine->levels && caches->warm && !status; n++) {
        const sl_level *above = &machine->level[n - 1];
        if (machine->level[n].cores_per_instance != machine->cores)
            continue;
        const sl_shared_config config = {.level = &machine->level[n],
                                         .above = above,
                                         .keeps = true,
                                         .miss_cycles = machine->memory.latency_cycles,
                                         .seed = 1};
        sl_shared **here = make_shared(caches, n, 1);
        if (!here)
            return sl_fail_memory(error);
        sl_shared *spare = here[0];
        here[0] = NULL;
        status = sl_shared_create(&config, spare, &here[0], error);
        warming w = {here[0], above->cores_per_instance};
        const sl_line_stream lines = {.machine = machine,
                                      .line_bytes = above->line_bytes,
                                      .sector_bytes = above->sector_bytes,
                                      .access = warm_line,
                                      .to = &w};
        if (!status)
            status = sl_line_stream_run(&lines, trace, launch, error);
    }
    return status;
}

void sl_model_result_fini(sl_model_result *result)
{
    free(result->slots);
    free(result->work);
    free(result->block);
    free(result->first_block);
    *result = (sl_model_result){0};
}

/* ---- many first levels ---- */

static void collect_stacks(const model *m, uint64_t (*sums)[SL_LOAD_CLASSES], sl_counts *total)
{
    const sl_trace_kernel *kernel = sl_loaded_kernel(m->loaded);
    uint64_t requests = 0;
    for (size_t i = 0; i < (size_t)m->cores * m->slots; i++)
        if (sl_inst_is_global_load(&kernel->inst[kernel->mem_inst[i % m->slots]]))
            requests += m->loads[i].requests;
    for (size_t i = 0; i < m->points; i++) {
        uint64_t sectors[SL_LOAD_CLASSES] = {0};
        for (uint32_t c = 0; c < m->cores; c++)
            for (int k = 0; k < SL_LOAD_CLASSES; k++)
                sectors[k] += sums[c * m->points + i][k];
        total[i] = (sl_counts){0};
        sl_counts_add(&total[i], SL_COUNTER_ld_requests, requests);
        add_loads(&total[i], sectors);
    }
}

sl_status sl_model_stacks(const sl_machine *machine, const sl_loaded *loaded, const sl_model_options *options,
                          const sl_level *level, size_t levels, sl_pool *pool, sl_counts *total, sl_error *error)
{
    sl_machine first = *machine;
    first.levels = 1;
    model m = {.machine = &first, .loaded = loaded, .options = options, .point = level, .points = levels};
    sl_status status = prepare(&m, error);
    uint64_t(*sums)[SL_LOAD_CLASSES] = status ? NULL : calloc(m.cores * levels, sizeof *sums);
    if (!status && !sums)
        status = sl_fail_memory(error);
    for (uint32_t c = 0; c < m.cores && !status; c++)
        m.core[c].stacks = &sums[c * levels];
    if (!status)
        status = sl_pool_run(pool, m.cores, run_core, &m, error);
    if (!status)
        collect_stacks(&m, sums, total);
    free(sums);
    fini(&m);
    return status;
}
