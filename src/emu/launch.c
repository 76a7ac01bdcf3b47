/* SPDX-License-Identifier: MIT */
/* Launches: checks, the order in which blocks run, and what observers are notified of.
 *
 * Blocks run in ascending order on one thread, unless nothing they do can depend on their order (independence.c): then
 * they run on all threads, and are handed to the observer in order all the same. When a block spins, others are started
 * next to it, up to what the machine holds at once, and all of them take turns. Where there are clusters, all of this
 * holds for clusters: the blocks of one run on one thread. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/request.h"
#include "base/array.h"
#include "base/mangle.h"
#include "base/pool.h"
#include "emu/repetition.h"
#include "emu/warp.h"
#include "machine/occupancy.h"

/* ---- the emulator ---- */

sl_status sl_emu_create(const sl_emu_config *config, sl_emu **result, sl_error *error)
{
    sl_emu *emu = calloc(1, sizeof *emu);
    if (!emu)
        return sl_fail_memory(error);
    emu->config = *config;
    sl_run_settings *settings = &emu->config.settings;
    if (!settings->lanes)
        settings->lanes = 32;
    emu->check_uninit = settings->check == SL_CHECK_UNINIT;
    emu->check_race = settings->check == SL_CHECK_RACE;
    sl_arena_init(&emu->range_labels);
    sl_emu_printf_limit(emu, SL_PRINTF_BYTES);
    sl_status status = SL_OK;
    if (config->machine)
        emu->machine = *config->machine;
    else
        status = sl_machine_load("h200", &emu->machine, error);
    emu->limits = sl_gpu_limits_of(&emu->machine);
    if (status == SL_OK && settings->lanes != 32 && settings->lanes != 64)
        status = sl_fail(error, SL_INVALID, "a warp has 32 or 64 lanes, not %llu", (unsigned long long)settings->lanes);
    else if (status == SL_OK && !(emu->handlers = sl_handlers_choose(settings->isa, settings->lanes)))
        status = sl_fail(error, SL_INVALID, "instruction set %s is not available here",
                         settings->isa ? settings->isa : "x86-64-v2");
    if (status == SL_OK)
        status = config->around_bytes ? sl_heap_create_around(config->around, config->around_bytes, &emu->heap, error)
                                      : sl_heap_create(emu->check_uninit, config->host_addresses, &emu->heap, error);
    if (status == SL_OK)
        status = sl_heap_alloc(emu->heap, SL_PARAM_BYTES, SL_ALLOC_INTERNAL, "kernel parameters", &emu->params, error);
    if (status == SL_OK)
        status = sl_heap_alloc(emu->heap, SL_GRID_WORKSPACE_BYTES, SL_ALLOC_INTERNAL, "grid workspace",
                               &emu->grid_workspace, error);
    if (status == SL_OK)
        status = sl_pool_create((unsigned)settings->threads, &emu->pool, error);
    /* A sink that keeps nothing has to get every launch, and so have checks that remember what was accessed. */
    bool all = settings->no_reuse || settings->max_instructions || emu->check_uninit || emu->check_race ||
               (config->sink && !config->sink->keep);
    if (status == SL_OK && !all && !(emu->repetitions = sl_repetitions_create()))
        status = sl_fail_memory(error);
    if (status != SL_OK) {
        sl_emu_destroy(emu);
        return status;
    }
    sl_heap_mark_written(emu->heap, emu->params, SL_PARAM_BYTES);
    sl_heap_mark_written(emu->heap, emu->grid_workspace, SL_GRID_WORKSPACE_BYTES);
    *result = emu;
    return SL_OK;
}

void sl_emu_destroy(sl_emu *emu)
{
    if (!emu)
        return;
    sl_pool_destroy(emu->pool);
    sl_heap_destroy(emu->heap);
    sl_textures_destroy(emu->textures);
    sl_repetitions_destroy(emu->repetitions);
    sl_printed_fini(&emu->printed);
    free(emu->ranges);
    sl_arena_fini(&emu->range_labels);
    free(emu);
}

void sl_emu_printf_limit(sl_emu *emu, size_t bytes)
{
    enum { MAX_BYTES = 1 << 30 };
    emu->printed.limit = bytes < MAX_BYTES ? bytes : MAX_BYTES;
}

uint64_t sl_emu_helpers_cpu_ns(const sl_emu *emu)
{
    return emu ? sl_pool_cpu_ns(emu->pool) : 0;
}

sl_heap *sl_emu_heap(sl_emu *emu)
{
    return emu->heap;
}

const sl_machine *sl_emu_machine(const sl_emu *emu)
{
    return &emu->machine;
}

const sl_gpu_limits *sl_emu_limits(const sl_emu *emu)
{
    return &emu->limits;
}

sl_fault sl_emu_last_fault(const sl_emu *emu)
{
    return emu->fault;
}

const sl_ptx_func *sl_emu_kernel_func(const sl_emu_kernel *kernel)
{
    return kernel->func;
}

const sl_trace_kernel *sl_emu_kernel_static(const sl_emu_kernel *kernel)
{
    return &kernel->facts;
}

bool sl_emu_kernel_use_cubin(sl_emu_kernel *kernel, const sl_cubin *cubin)
{
    sl_trace_kernel *facts = &kernel->facts;
    const sl_cubin_kernel *found = sl_cubin_find(cubin, kernel->func->name);
    if (!found || !found->registers)
        return false;
    kernel->registers = facts->regs_per_thread = found->registers;
    kernel->registers_estimated = facts->regs_estimated = false;
    uint8_t *code = found->code_bytes && found->code_bytes <= SL_MAX_MACHINE_BYTES
                        ? sl_arena_alloc(&kernel->arena, found->code_bytes)
                        : NULL;
    if (!code)
        return !found->code_bytes;
    memcpy(code, found->code, found->code_bytes);
    facts->machine_sm = cubin->sm;
    facts->machine_bytes = (uint32_t)found->code_bytes;
    facts->machine_code = code;
    return true;
}

static uint32_t shared_bytes(const sl_emu_kernel *kernel, uint32_t dynamic)
{
    return dynamic ? kernel->code.dynamic_shared_offset + dynamic : kernel->code.static_shared_bytes;
}

uint32_t sl_emu_occupancy(const sl_emu *emu, const sl_emu_kernel *kernel, uint32_t threads, uint32_t dynamic)
{
    const sl_trace_launch launch = {
        .block = {threads, 1, 1}, .lanes = emu->machine.lanes, .dynamic_shared_bytes = dynamic};
    return sl_occupancy_max_blocks(&emu->machine, &kernel->facts, &launch);
}

uint32_t sl_emu_occupancy_known(const sl_emu *emu, const sl_emu_kernel *kernel, uint32_t threads, uint32_t dynamic)
{
    sl_emu_kernel known = *kernel;
    if (known.facts.regs_estimated)
        known.facts.regs_per_thread = 0;
    return sl_emu_occupancy(emu, &known, threads, dynamic);
}

/* ---- checks before a launch ---- */

/* Blocks of a cluster, and how many in each dimension, as launch and kernel say; 1: there are no clusters. */
static uint32_t emu_cluster(const sl_ptx_func *func, const sl_emu_launch *launch, uint32_t shape[3])
{
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t wanted = launch->cluster[i] ? launch->cluster[i] : func->reqnctapercluster[i];
        shape[i] = wanted ? wanted : 1;
        blocks *= shape[i] <= SL_MAX_CLUSTER_BLOCKS ? shape[i] : SL_MAX_CLUSTER_BLOCKS + 1;
    }
    return blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
}

static sl_status check_cluster(const sl_ptx_func *func, const sl_emu_launch *launch, sl_error *error)
{
    uint32_t shape[3], blocks = emu_cluster(func, launch, shape);
    char name[256];
    sl_function_name(func->name, name, sizeof name);
    if (blocks > SL_MAX_CLUSTER_BLOCKS)
        return sl_fail(error, SL_LIMIT, "launch of %s: clusters of %u x %u x %u blocks, the machine allows %u blocks",
                       name, shape[0], shape[1], shape[2], SL_MAX_CLUSTER_BLOCKS);
    for (int i = 0; i < 3; i++) {
        if (func->reqnctapercluster[0] && shape[i] != (func->reqnctapercluster[i] ? func->reqnctapercluster[i] : 1))
            return sl_fail(error, SL_LIMIT, "launch of %s: clusters with %u blocks in %c, it requires %u", name,
                           shape[i], 'x' + i, func->reqnctapercluster[i]);
        if (launch->grid[i] % shape[i])
            return sl_fail(error, SL_LIMIT, "launch of %s: %u blocks in %c are no whole clusters of %u", name,
                           launch->grid[i], 'x' + i, shape[i]);
    }
    return SL_OK;
}

static sl_status check_launch(const sl_emu *emu, const sl_emu_kernel *kernel, const sl_emu_launch *launch,
                              sl_error *error)
{
    const sl_gpu_limits *limits = &emu->limits;
    char name[256];
    sl_function_name(kernel->func->name, name, sizeof name);
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    for (int i = 0; i < 3; i++) {
        if (!launch->grid[i] || launch->grid[i] > limits->max_grid[i])
            return sl_fail(error, SL_LIMIT, "launch of %s: grid dimension %c is %u, the machine allows 1 to %u", name,
                           'x' + i, launch->grid[i], limits->max_grid[i]);
        if (!launch->block[i] || launch->block[i] > limits->max_block[i])
            return sl_fail(error, SL_LIMIT, "launch of %s: block dimension %c is %u, the machine allows 1 to %u", name,
                           'x' + i, launch->block[i], limits->max_block[i]);
    }
    if (threads > limits->max_threads_per_block)
        return sl_fail(error, SL_LIMIT, "launch of %s: %llu threads per block, the machine allows %u", name,
                       (unsigned long long)threads, limits->max_threads_per_block);
    uint64_t max_threads = sl_ptx_max_threads(kernel->func);
    if (max_threads && threads > max_threads)
        return sl_fail(error, SL_LIMIT, "launch of %s: %llu threads per block, its %s allows %llu", name,
                       (unsigned long long)threads, kernel->func->reqntid[0] ? ".reqntid" : ".maxntid",
                       (unsigned long long)max_threads);
    uint64_t shared = (uint64_t)kernel->code.dynamic_shared_offset + launch->dynamic_shared_bytes;
    if (launch->dynamic_shared_bytes && shared > limits->shared_per_block_optin)
        return sl_fail(error, SL_LIMIT, "launch of %s: %llu bytes of shared memory, the machine allows %u", name,
                       (unsigned long long)shared, limits->shared_per_block_optin);
    if (kernel->code.static_shared_bytes > limits->shared_per_block_optin)
        return sl_fail(error, SL_LIMIT, "launch of %s: %u bytes of shared memory, the machine allows %u", name,
                       kernel->code.static_shared_bytes, limits->shared_per_block_optin);
    if (launch->param_bytes < kernel->func->param_bytes || kernel->func->param_bytes > SL_PARAM_BYTES)
        return sl_fail(error, SL_INVALID, "launch of %s: %zu bytes of parameters, it takes %u", name,
                       launch->param_bytes, kernel->func->param_bytes);
    sl_status status = check_cluster(kernel->func, launch, error);
    if (status != SL_OK)
        return status;
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint64_t resident =
        (uint64_t)limits->sms * sl_emu_occupancy_known(emu, kernel, (uint32_t)threads, launch->dynamic_shared_bytes);
    if (launch->cooperative && blocks > resident)
        return sl_fail(error, SL_LIMIT, "cooperative launch of %s: %llu blocks, the machine holds %llu at once", name,
                       (unsigned long long)blocks, (unsigned long long)resident);
    return SL_OK;
}

/* ---- what the observer gets ---- */

static sl_status refresh_ranges(sl_emu *emu, sl_error *error)
{
    uint64_t generation = sl_heap_generation(emu->heap);
    if (emu->ranges && emu->ranges_at == generation)
        return SL_OK;
    size_t count = sl_heap_count(emu->heap);
    sl_trace_range *ranges = realloc(emu->ranges, (count + 1) * sizeof *ranges);
    if (!ranges)
        return sl_fail_memory(error);
    emu->ranges = ranges;
    emu->range_count = 0;
    sl_arena_fini(&emu->range_labels);
    for (size_t i = 0; i < count; i++) {
        const sl_alloc *alloc = sl_heap_at(emu->heap, i);
        if (!alloc->live || alloc->kind == SL_ALLOC_INTERNAL)
            continue;
        const char *label = alloc->label
                                ? sl_arena_strdup(&emu->range_labels, alloc->label)
                                : sl_arena_printf(&emu->range_labels, "alloc %llu", (unsigned long long)alloc->serial);
        if (!label)
            return sl_fail_memory(error);
        ranges[emu->range_count++] = (sl_trace_range){alloc->base, alloc->bytes, label};
    }
    emu->ranges_at = generation;
    return SL_OK;
}

typedef struct launcher {
    sl_run run;
    const sl_launch_sink *sink;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint64_t next; /* the cluster whose trace is due; only when they run in parallel */
    bool parallel, failed;
    bool lapsed; /* something was forgiven and is reported */
    struct context {
        sl_worker worker;
        sl_cluster cluster;
        bool ready;
        sl_warp_view *views;
    } * context; /* per thread of the pool */
    unsigned contexts;
    SL_ARRAY(sl_cluster *) residents; /* clusters (of one block, mostly) that take turns, ascending */
    uint64_t ended, step;             /* clusters that have ended; progress is reported after so many of them */
} launcher;

enum { PROGRESS_STEPS = 500 };

/* A cluster has ended. */
static void advance(launcher *l)
{
    if (++l->ended % l->step == 0)
        sl_progress_update(l->run.emu->config.progress, "blocks", l->ended * l->run.cluster_blocks, l->run.blocks);
}

static sl_status hand_over(launcher *l, sl_worker *worker, sl_block *block, bool last)
{
    struct context *context = (struct context *)worker;
    if (block->counter) {
        sl_status taken = sl_launch_counter_collect(l->run.counter, block->counter, block->warp_insts,
                                                    block->thread_insts, last, worker->error);
        block->warp_insts = block->thread_insts = 0;
        return taken;
    }
    uint32_t warps = 0;
    for (uint32_t i = 0; i < block->warps; i++) {
        sl_warp_stream *stream = &block->stream[i];
        sl_warp_stream_flush(stream);
        if (stream->failed)
            return sl_fail_memory(worker->error);
        context->views[warps++] = (sl_warp_view){.warp = i,
                                                 .control = stream->control.data,
                                                 .memory = stream->memory.data,
                                                 .control_bytes = stream->control.count,
                                                 .memory_bytes = stream->memory.count};
    }
    sl_block_view view = {block->index, block->part++, last, warps, context->views};
    sl_status status = l->sink->block(l->sink->context, &view, worker->error);
    for (uint32_t i = 0; i < block->warps && !last; i++)
        sl_warp_stream_reset(&block->stream[i], l->run.kernel->facts.mem_slots, l->run.lanes);
    return status;
}

static sl_status hand_over_lower(launcher *l, sl_worker *worker, const sl_cluster *cluster, const sl_block *than)
{
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < cluster->blocks && status == SL_OK; i++) {
        sl_block *block = &cluster->block[i];
        if (block->index < than->index && block->part == 0 && block->recorded && !block->counter)
            status = hand_over(l, worker, block, false);
    }
    return status;
}

/* sl_worker.deliver: in parallel runs, waits until all lower clusters have been handed over. */
static void deliver(sl_worker *worker, sl_block *block, bool last)
{
    launcher *l = worker->launcher;
    sl_status status = SL_OK;
    if (l->parallel) {
        pthread_mutex_lock(&l->lock);
        while (l->next != block->cluster->index && !l->failed)
            pthread_cond_wait(&l->turn, &l->lock);
        if (!l->failed)
            status = hand_over(l, worker, block, last);
        l->failed |= status != SL_OK;
        pthread_mutex_unlock(&l->lock);
    } else {
        /* Lower blocks that still run hand over what they have, so that first parts are in order. */
        for (size_t i = 0; i < l->residents.count && status == SL_OK; i++)
            status = hand_over_lower(l, worker, l->residents.items[i], block);
        if (status == SL_OK)
            status = hand_over(l, worker, block, last);
    }
    if (status != SL_OK) {
        worker->fault = SL_FAULT_NONE;
        longjmp(worker->escape, 1);
    }
}

/* ---- running ---- */

static sl_status open_context(launcher *l, unsigned index, sl_error *error)
{
    struct context *context = &l->context[index];
    if (context->ready)
        return SL_OK;
    context->worker =
        (sl_worker){.run = &l->run, .shift = sl_heap_shift(l->run.emu->heap), .deliver = deliver, .launcher = l};
    context->worker.range = calloc(l->run.code->insts + 1, sizeof *context->worker.range);
    context->views = calloc(l->run.warps_per_block, sizeof *context->views);
    size_t shapes = l->run.code->shapes * SL_SHAPE_BYTES(l->run.lanes);
    if (!context->worker.range || !context->views ||
        posix_memalign((void **)&context->worker.shapes, 64, shapes ? shapes : 1))
        return sl_fail_memory(error);
    memset(context->worker.shapes, 0, shapes);
    sl_status status = sl_cluster_init(&context->cluster, &context->worker, error);
    context->ready = status == SL_OK;
    return status;
}

static void close_contexts(launcher *l)
{
    for (unsigned i = 0; i < l->contexts; i++) {
        sl_cluster_fini(&l->context[i].cluster);
        free(l->context[i].worker.range);
        free(l->context[i].worker.shapes);
        free(l->context[i].worker.factors);
        free(l->context[i].worker.columns);
        free(l->context[i].worker.stray.first);
        free(l->context[i].worker.absent.first);
        sl_stray_free(l->context[i].worker.strays);
        for (int k = 0; k < 3; k++)
            sl_buffer_free(&l->context[i].worker.text[k]);
        sl_array_free(&l->context[i].worker.rows);
        free(l->context[i].views);
    }
    free(l->context);
}

/* Hands over the last parts of blocks that have ended. */
static void deliver_all(sl_worker *worker, sl_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->blocks; i++)
        if (cluster->block[i].recorded)
            deliver(worker, &cluster->block[i], true);
}

/* One block, or cluster of them, of a parallel run. */
static sl_status run_parallel_cluster(void *context, size_t index, unsigned thread, sl_error *error)
{
    launcher *l = context;
    sl_status status = open_context(l, thread, error);
    struct context *mine = &l->context[thread];
    sl_error local;
    mine->worker.error = &local;
    if (status == SL_OK && setjmp(mine->worker.escape)) {
        status = local.status;
        if (error)
            *error = local;
    } else if (status == SL_OK) {
        sl_cluster_start(&mine->cluster, index);
        sl_cluster_run(&mine->cluster, true);
        deliver_all(&mine->worker, &mine->cluster);
    }
    pthread_mutex_lock(&l->lock);
    l->failed |= status != SL_OK;
    advance(l);
    if (l->next == index)
        l->next = index + 1;
    pthread_cond_broadcast(&l->turn);
    pthread_mutex_unlock(&l->lock);
    return status;
}

/* Clusters (blocks, where there are none) that spin take turns with those that come after them, up to what the machine
 * holds at once. */
static sl_status run_residents(launcher *l, sl_worker *worker, uint64_t *next, sl_error *error)
{
    const sl_run *run = &l->run;
    uint64_t max =
        (uint64_t)run->emu->limits.sms *
        sl_emu_occupancy_known(run->emu, run->kernel, run->threads_per_block, run->launch->dynamic_shared_bytes) /
        run->cluster_blocks;
    if (max < 2)
        max = 2;
    while (l->residents.count) {
        bool finished = false;
        for (size_t i = 0; i < l->residents.count;) {
            sl_cluster *cluster = l->residents.items[i];
            bool alone = l->residents.count == 1 && *next == run->clusters;
            if (sl_cluster_run(cluster, alone) == SL_CLUSTER_SPINS) {
                i++;
                continue;
            }
            finished = true;
            deliver_all(worker, cluster);
            advance(l);
            memmove(&l->residents.items[i], &l->residents.items[i + 1], (l->residents.count - i - 1) * sizeof cluster);
            l->residents.count--;
            if (cluster != &l->context[0].cluster) {
                sl_cluster_fini(cluster);
                free(cluster);
            }
        }
        uint64_t room = finished ? 1 : max; /* nobody got on: whoever they wait for has not started */
        while (*next < run->clusters && l->residents.count < max && room--) {
            sl_cluster *cluster = calloc(1, sizeof *cluster);
            sl_status status = cluster ? sl_cluster_init(cluster, worker, error) : sl_fail_memory(error);
            if (status != SL_OK || !sl_array_push(&l->residents, cluster)) {
                free(cluster);
                return status != SL_OK ? status : sl_fail_memory(error);
            }
            sl_cluster_start(cluster, (*next)++);
        }
        if (!l->residents.count && *next < run->clusters)
            return SL_OK; /* back to one at a time */
    }
    return SL_OK;
}

static sl_status run_in_order(launcher *l, sl_error *error)
{
    sl_status status = open_context(l, 0, error);
    if (status != SL_OK)
        return status;
    sl_worker *worker = &l->context[0].worker;
    sl_cluster *cluster = &l->context[0].cluster;
    sl_error local;
    worker->error = error ? error : &local;
    if (setjmp(worker->escape)) {
        l->run.emu->fault = worker->fault;
        return worker->error->status;
    }
    for (uint64_t next = 0; next < l->run.clusters;) {
        sl_cluster_start(cluster, next++);
        if (sl_cluster_run(cluster, l->run.clusters == 1) == SL_CLUSTER_SPINS) {
            if (!sl_array_push(&l->residents, cluster))
                return sl_fail_memory(error);
            status = run_residents(l, worker, &next, error);
            if (status != SL_OK)
                return status;
        } else {
            deliver_all(worker, cluster);
            advance(l);
        }
    }
    return SL_OK;
}

static void free_residents(launcher *l)
{
    for (size_t i = 0; i < l->residents.count; i++) {
        if (l->residents.items[i] == &l->context[0].cluster)
            continue;
        sl_cluster_fini(l->residents.items[i]);
        free(l->residents.items[i]);
    }
    sl_array_free(&l->residents);
}

/* Passes on what was forgiven, the same for any number of threads. `at`: where a worker has it. */
static void report_lapses(launcher *l, sl_lapse_observer *observer, size_t at)
{
    const sl_lapse *first = NULL;
    uint64_t count = 0;
    for (unsigned i = 0; i < l->contexts; i++) {
        const sl_lapse *lapse = (const sl_lapse *)(const void *)((const char *)&l->context[i].worker + at);
        count += lapse->count;
        if (lapse->first && (!first || lapse->block < first->block))
            first = lapse;
    }
    l->lapsed |= first != NULL;
    if (first && observer)
        observer(l->run.emu->config.lapse_context, first->first, count);
}

/* What blocks wrote outside of allocations is there for the next launch. */
static sl_status keep_strays(launcher *l, sl_error *error)
{
    sl_stray_line *all = NULL;
    for (unsigned i = 0; i < l->contexts; i++)
        sl_stray_join(&all, &l->context[i].worker.strays);
    bool kept = sl_stray_end_launch(l->run.emu->heap, all);
    sl_stray_free(all);
    return kept ? SL_OK : sl_fail_memory(error);
}

static sl_status run_blocks(launcher *l, sl_launch_stats *stats, sl_error *error)
{
    sl_run *run = &l->run;
    sl_emu *emu = run->emu;
    l->contexts = sl_pool_threads(emu->pool);
    l->context = calloc(l->contexts, sizeof *l->context);
    if (!l->context)
        return sl_fail_memory(error);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->turn, NULL);
    l->parallel = l->contexts > 1 && run->clusters > 1 && !emu->config.settings.max_instructions &&
                  !emu->check_uninit && !emu->check_race && sl_blocks_independent(run);
    run->parallel = l->parallel;
    if (emu->repetitions)
        sl_heap_forget_touched(emu->heap);
    l->step = run->clusters / PROGRESS_STEPS + 1;
    sl_progress_phase(emu->config.progress, "kernel %s", run->kernel->facts.name);
    sl_status status;
    if (l->parallel) {
        status = sl_pool_run(emu->pool, run->clusters, run_parallel_cluster, l, error);
        for (unsigned i = 0; i < l->contexts && status != SL_OK; i++)
            if (l->context[i].worker.fault != SL_FAULT_NONE)
                emu->fault = l->context[i].worker.fault;
    } else {
        status = run_in_order(l, error);
    }
    sl_progress_update(emu->config.progress, "blocks", run->blocks, run->blocks);
    free_residents(l);
    if (status == SL_OK)
        status = keep_strays(l, error);
    for (unsigned i = 0; i < l->contexts; i++) {
        stats->warp_insts += l->context[i].worker.clock;
        emu->cycles += 4 * l->context[i].worker.clock + l->context[i].worker.waited;
        stats->thread_insts += l->context[i].worker.thread_insts;
    }
    stats->blocks = run->blocks;
    stats->parallel = l->parallel;
    report_lapses(l, emu->config.stray, offsetof(sl_worker, stray));
    report_lapses(l, emu->config.absent, offsetof(sl_worker, absent));
    close_contexts(l);
    pthread_cond_destroy(&l->turn);
    pthread_mutex_destroy(&l->lock);
    return status;
}

static sl_trace_launch describe(const sl_run *run)
{
    const sl_emu_launch *launch = run->launch;
    sl_trace_launch facts = {.dynamic_shared_bytes = launch->dynamic_shared_bytes,
                             .lanes = run->lanes,
                             .has_preferred_shared = launch->has_preferred_shared,
                             .preferred_shared = launch->preferred_shared,
                             .has_parent = launch->has_parent,
                             .parent = launch->parent,
                             .stream = launch->stream,
                             .shared_window = SL_SHARED_WINDOW,
                             .local_window = SL_LOCAL_WINDOW,
                             .window_bytes = SL_WINDOW_BYTES,
                             .blocks_recorded = run->blocks};
    memcpy(facts.grid, launch->grid, sizeof facts.grid);
    memcpy(facts.block, launch->block, sizeof facts.block);
    memcpy(facts.label, launch->label, sizeof facts.label);
    if (run->cluster_blocks > 1)
        memcpy(facts.cluster, run->cluster, sizeof facts.cluster);
    return facts;
}

/* Whether a kernel has copies or operands of any length, which only a trace describes. */
static bool accesses_rows(const sl_trace_kernel *facts)
{
    for (uint32_t i = 0; i < facts->insts; i++)
        if (sl_inst_is_bulk(&facts->inst[i]) || facts->inst[i].access == SL_ACCESS_MATRIX)
            return true;
    return false;
}

/* What a launch that is known would do. */
static sl_status repeat(launcher *l, const sl_known_launch *known, sl_launch_stats *stats, sl_error *error)
{
    sl_repetitions_apply(l->run.emu->repetitions, l->run.emu->heap);
    *stats = known->stats;
    stats->repeated = true;
    l->run.emu->cycles += known->cycles;
    return l->run.recording ? l->sink->repeat(l->sink->context, known->number, error) : SL_OK;
}

static sl_status run_watched(launcher *l, sl_launch_stats *stats, sl_error *error)
{
    sl_emu *emu = l->run.emu;
    uint64_t before = emu->cycles;
    sl_status status = run_blocks(l, stats, error);
    sl_known_launch *known =
        sl_repetitions_ran(emu->repetitions, emu->heap, status == SL_OK, l->lapsed, stats, emu->cycles - before);
    if (known && l->run.recording && l->sink->keep)
        known->recorded = l->sink->keep(l->sink->context, known->number);
    return status;
}

sl_status sl_emu_run(sl_emu *emu, sl_emu_kernel *kernel, const sl_emu_launch *launch, sl_launch_stats *stats,
                     sl_error *error)
{
    sl_launch_stats totals = {0};
    sl_known_launch *known;
    emu->fault = SL_FAULT_NONE;
    sl_status status = check_launch(emu, kernel, launch, error);
    if (status != SL_OK)
        return status;
    launcher l = {.sink = emu->config.sink};
    sl_run *run = &l.run;
    *run = (sl_run){.emu = emu,
                    .kernel = kernel,
                    .code = &kernel->code,
                    .launch = launch,
                    .lanes = (uint32_t)emu->config.settings.lanes,
                    .threads_per_block = launch->block[0] * launch->block[1] * launch->block[2],
                    .blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
                    .shared_bytes = shared_bytes(kernel, launch->dynamic_shared_bytes),
                    .param_addr = emu->params,
                    .params = sl_heap_host(emu->heap, emu->params),
                    .serial = ++emu->launches,
                    .block_limit = UINT64_MAX};
    run->cluster_blocks = emu_cluster(kernel->func, launch, run->cluster);
    run->clusters = run->blocks / run->cluster_blocks;
    run->explicit_cluster = launch->cluster[0] || kernel->func->explicitcluster;
    run->warps_per_block = (run->threads_per_block + run->lanes - 1) / run->lanes;
    if (kernel->func->param_bytes)
        memcpy(sl_heap_host(emu->heap, emu->params), launch->params, kernel->func->param_bytes);
    if (launch->cooperative)
        memset(sl_heap_host(emu->heap, emu->grid_workspace), 0, SL_GRID_WORKSPACE_BYTES);
    sl_trace_launch facts = describe(run);
    sl_repetition how = sl_repetitions_look(emu->repetitions, emu->heap, kernel, launch, &known);
    if (l.sink) {
        bool wanted = true;
        status = refresh_ranges(emu, error);
        if (status == SL_OK)
            status = l.sink->begin(l.sink->context, &kernel->facts, &facts, emu->ranges, emu->range_count, &wanted,
                                   &run->block_limit, error);
        if (status != SL_OK)
            return status;
        run->recording = wanted;
        run->counter =
            wanted && l.sink->counter && !accesses_rows(&kernel->facts) ? l.sink->counter(l.sink->context) : NULL;
    }
    if (how == SL_LAUNCH_KNOWN && (!run->recording || known->recorded))
        status = repeat(&l, known, &totals, error);
    else
        status = run_watched(&l, &totals, error);
    totals.interrupted = status == SL_LIMIT && emu->config.stop && *emu->config.stop;
    sl_printed_pass_on(&emu->printed, &emu->config);
    if (l.sink) {
        char text[sizeof(sl_error)] = "";
        const char *failure = status == SL_OK ? NULL : error ? sl_error_format(error, text, sizeof text) : text;
        sl_status ended = l.sink->end(l.sink->context, &totals, failure, failure ? NULL : error);
        status = failure ? status : ended;
    }
    if (stats)
        *stats = totals;
    return status;
}
