/* SPDX-License-Identifier: MIT */
#include "trace/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/clock.h"
#include "trace/format.h"
#include "trace/kernel_filter.h"

/* What is kept of a launch that may come again. */
typedef struct kept_launch {
    uint64_t index;  /* of the launch that ran */
    uint32_t number; /* of it in the trace */
    uint64_t blocks; /* that were handed over */
    sl_arena arena;
    sl_launch_counts counts; /* if launches are counted */
} kept_launch;

struct sl_recorder {
    sl_recorder_config config;
    sl_trace_filter filter;
    sl_kernel_filter kernels;
    sl_launch_set among;
    sl_launch_sink sink;
    sl_trace_writer *writer; /* NULL: no trace */
    uint64_t launches, recorded, writing_ns;
    char others[SL_KERNEL_LIST]; /* kernels that the filter did not let through */
    /* the launch that runs now */
    bool wanted;
    const sl_trace_kernel *kernel;
    sl_trace_launch launch;
    sl_launch_counter *counter;  /* NULL: not counted */
    const kept_launch *repeated; /* what an earlier launch did; NULL: it was run */
    SL_ARRAY(kept_launch) kept;  /* by number */
};

static bool lets_through(const sl_recorder *r, const sl_trace_kernel *kernel, uint64_t index)
{
    return sl_launch_set_has(&r->among, index) && sl_kernel_matches(&r->kernels, kernel->symbol, kernel->name);
}

static sl_status begin_trace(sl_recorder *r, const sl_trace_range *range, size_t ranges, sl_error *error)
{
    sl_status status = sl_trace_writer_kernel(r->writer, r->kernel, &r->launch.kernel, error);
    return status ? status : sl_trace_writer_begin(r->writer, &r->launch, range, ranges, error);
}

static sl_status begin(void *context, const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                       const sl_trace_range *range, size_t ranges, bool *wanted, uint64_t *block_limit, sl_error *error)
{
    sl_recorder *r = context;
    uint64_t index = r->launches++;
    *wanted = r->wanted = lets_through(r, kernel, index);
    *block_limit = r->filter.blocks ? r->filter.blocks : UINT64_MAX;
    if (!r->wanted) {
        sl_kernel_list_add(r->others, kernel->name);
        return SL_OK;
    }
    r->recorded++;
    r->kernel = kernel;
    r->launch = *launch;
    r->launch.index = index;
    r->launch.blocks_recorded = 0;
    r->launch.failed = r->launch.repeats = false;
    r->launch.original = 0;
    r->launch.failure = NULL;
    sl_status status = SL_OK;
    if (r->config.count)
        status = sl_launch_counter_create(kernel, &r->launch, &r->config.count_options, &r->counter, error);
    if (!status && r->counter)
        sl_launch_counter_allocations(r->counter, range, ranges);
    if (!status && r->writer)
        status = begin_trace(r, range, ranges, error);
    /* Without anyone to see them, blocks need not be recorded. */
    *wanted = r->config.count || r->writer;
    return status;
}

static sl_status write_block(sl_recorder *r, const sl_block_view *view, sl_error *error)
{
    uint64_t before = sl_thread_cpu_ns();
    sl_status status = sl_trace_writer_block(r->writer, view, error);
    r->writing_ns += sl_thread_cpu_ns() - before;
    return status;
}

static sl_status block(void *context, const sl_block_view *view, sl_error *error)
{
    sl_recorder *r = context;
    r->launch.blocks_recorded += view->last;
    sl_status status = r->counter ? sl_launch_counter_block(r->counter, view, error) : SL_OK;
    if (!status && r->writer)
        status = write_block(r, view, error);
    return status;
}

/* Without a trace nobody needs the blocks themselves. */
static sl_launch_counter *counter(void *context)
{
    const sl_recorder *r = context;
    return r->writer ? NULL : r->counter;
}

/* ---- launches that come again ---- */

static bool copy_counts(sl_arena *arena, const sl_launch_counts *from, sl_launch_counts *to)
{
    sl_counts *slot = sl_arena_array(arena, sl_counts, from->slots + 1);
    sl_array_footprint *array = sl_arena_array(arena, sl_array_footprint, from->arrays + 1);
    bool good = slot && array;
    for (uint32_t i = 0; i < from->slots && good; i++)
        slot[i] = from->slot[i];
    for (size_t i = 0; i < from->arrays && good; i++) {
        array[i] = from->array[i];
        array[i].name = sl_arena_strdup(arena, from->array[i].name);
        array[i].allocation = sl_arena_strdup(arena, from->array[i].allocation);
        good = array[i].name && array[i].allocation;
    }
    *to = *from;
    to->slot = slot;
    to->array = array;
    return good;
}

static bool keep(void *context, uint32_t number)
{
    sl_recorder *r = context;
    sl_launch_counts counts;
    while (r->kept.count <= number)
        if (!sl_array_push(&r->kept, (kept_launch){0}))
            return false;
    kept_launch *kept = &r->kept.items[number];
    sl_arena_fini(&kept->arena);
    sl_arena_init(&kept->arena);
    kept->index = r->launch.index;
    kept->number = (uint32_t)r->recorded - 1;
    kept->blocks = r->launch.blocks_recorded;
    return !r->counter ||
           (!sl_launch_counter_result(r->counter, &counts, NULL) && copy_counts(&kept->arena, &counts, &kept->counts));
}

static sl_status repeat(void *context, uint32_t number, sl_error *error)
{
    sl_recorder *r = context;
    r->repeated = &r->kept.items[number];
    r->launch.repeats = true;
    r->launch.original = r->repeated->index;
    r->launch.blocks_recorded = r->repeated->blocks;
    return r->writer ? sl_trace_writer_repeat(r->writer, r->repeated->number, error) : SL_OK;
}

/* ---- the end of a launch ---- */

static sl_status report(sl_recorder *r, const sl_launch_stats *stats, sl_error *error)
{
    sl_launch_counts counts;
    sl_status status = SL_OK;
    if (r->repeated)
        counts = r->repeated->counts;
    else if (r->counter)
        status = sl_launch_counter_result(r->counter, &counts, error);
    if (!status && r->counter)
        r->launch.blocks_recorded = counts.blocks;
    if (status || !r->config.launch_done)
        return status;
    sl_launch_result result = {.index = r->launch.index,
                               .kernel = r->kernel,
                               .launch = &r->launch,
                               .counts = r->counter ? &counts : NULL,
                               .stats = stats};
    return r->config.launch_done(r->config.context, &result, error);
}

static sl_status end(void *context, const sl_launch_stats *stats, const char *failure, sl_error *error)
{
    sl_recorder *r = context;
    if (!r->wanted)
        return SL_OK;
    r->wanted = false;
    bool counted = stats && stats->interrupted && !r->writer; /* what it has counted is right as far as it goes */
    r->launch.failed = failure && !counted;
    r->launch.failure = r->launch.failed ? failure : NULL;
    uint64_t before = sl_thread_cpu_ns();
    sl_status status = r->writer ? sl_trace_writer_end(r->writer, failure, error) : SL_OK;
    r->writing_ns += sl_thread_cpu_ns() - before;
    if (!status)
        status = report(r, stats, error);
    r->launch.failure = NULL;
    sl_launch_counter_destroy(r->counter);
    r->counter = NULL;
    r->repeated = NULL;
    return status;
}

static void destroy(sl_recorder *r)
{
    sl_kernel_filter_fini(&r->kernels);
    sl_launch_counter_destroy(r->counter);
    for (size_t i = 0; i < r->kept.count; i++)
        sl_arena_fini(&r->kept.items[i].arena);
    sl_array_free(&r->kept);
    free(r);
}

sl_status sl_recorder_create(const sl_recorder_config *config, sl_recorder **recorder, sl_error *error)
{
    sl_recorder *r = calloc(1, sizeof *r);
    if (!r)
        return sl_fail_memory(error);
    r->config = *config;
    r->sink = (sl_launch_sink){
        .context = r, .begin = begin, .block = block, .end = end, .counter = counter, .keep = keep, .repeat = repeat};
    if (config->filter)
        r->filter = *config->filter;
    sl_status status = sl_launch_set_parse(r->filter.launches, &r->among, error);
    if (!status)
        status = sl_kernel_filter_init(&r->kernels, r->filter.kernel_regex, error);
    if (!status && config->trace_path)
        status = sl_trace_writer_create(config->trace_path, config->producer, config->zstd_level, &r->writer, error);
    if (r->writer && config->durable)
        sl_trace_writer_set_durable(r->writer);
    if (r->writer && config->writes_aside)
        sl_trace_writer_start_thread(r->writer);
    r->config.filter = NULL; /* these belong to the caller and may be gone later */
    r->config.trace_path = r->config.producer = NULL;
    r->filter.kernel_regex = r->filter.launches = NULL;
    if (status)
        destroy(r);
    else
        *recorder = r;
    return status;
}

const sl_launch_sink *sl_recorder_sink(const sl_recorder *r)
{
    return &r->sink;
}

uint64_t sl_recorder_writing_ns(const sl_recorder *r)
{
    return r->writing_ns + (r->writer ? sl_trace_writer_thread_ns(r->writer) : 0);
}

uint64_t sl_recorder_launches(const sl_recorder *r)
{
    return r->launches;
}

const char *sl_recorder_unmatched(const sl_recorder *r)
{
    return r->launches && !r->recorded ? r->others : NULL;
}

sl_status sl_recorder_finish(sl_recorder *r, sl_error *error)
{
    sl_status status = SL_OK;
    if (r->writer && r->wanted) /* the program ended within a launch */
        status = sl_trace_writer_end(r->writer, "the program ended within the launch", error);
    if (r->writer && !status)
        status = sl_trace_writer_close(r->writer, error);
    else
        sl_trace_writer_abandon(r->writer);
    destroy(r);
    return status;
}

void sl_recorder_abandon(sl_recorder *r)
{
    if (!r)
        return;
    sl_trace_writer_abandon(r->writer);
    destroy(r);
}
