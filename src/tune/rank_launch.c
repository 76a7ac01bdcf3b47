/* SPDX-License-Identifier: MIT */
#include "tune/ranking.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "emu/emu.h"
#include "machine/vary.h"
#include "trace/format.h"
#include "trace/recorder.h"
#include "tune/ptx_loads.h"

enum {
    TRACE_BYTES = 8 << 20,  /* of recorded blocks, encoded */
    COPIED_BYTES = 1 << 30, /* of memory */
};
static const double MAX_SECONDS = 2, SHARE_OF_SECONDS = 0.1;

/* ---- memory ---- */

/* Whether an argument has an address in the range. */
static bool is_argument(const sl_device_launch *launch, const sl_device_range *range)
{
    for (size_t i = 0; i < launch->args; i++)
        for (size_t at = 0; at + sizeof(uint64_t) <= launch->arg[i].bytes; at += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, (const char *)launch->arg[i].data + at, sizeof word);
            if (word - range->addr < range->bytes)
                return true;
        }
    return false;
}

typedef struct copies {
    const sl_device_range *range;
    size_t ranges;
    const sl_device_launch *arguments; /* copy only what these point to; NULL: all */
    uint64_t first, end, bytes;
} copies;

static bool is_copied(const copies *c, size_t i)
{
    return c->range[i].bytes && (!c->arguments || is_argument(c->arguments, &c->range[i]));
}

/* All allocations, or, where they are too large, those that arguments point to. */
static sl_status choose_copies(sl_device *device, const sl_device_launch *launch, uint64_t max, copies *c,
                               sl_error *error)
{
    for (int pass = 0; pass < 2; pass++) {
        *c = (copies){.first = UINT64_MAX, .arguments = pass ? launch : NULL};
        c->ranges = sl_device_ranges(device, &c->range);
        for (size_t i = 0; i < c->ranges; i++) {
            const sl_device_range *range = &c->range[i];
            if (!is_copied(c, i))
                continue;
            c->bytes += range->bytes;
            c->first = range->addr < c->first ? range->addr : c->first;
            c->end = range->addr + range->bytes > c->end ? range->addr + range->bytes : c->end;
        }
        if (c->bytes && c->bytes <= max)
            return SL_OK;
    }
    return c->bytes ? sl_fail(error, SL_LIMIT, "its arguments point to %llu bytes", (unsigned long long)c->bytes)
                    : sl_fail(error, SL_UNSUPPORTED, "no memory that it accesses is known");
}

static sl_status copy_memory(sl_device *device, const copies *c, sl_emu *emu, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < c->ranges && !status; i++) {
        if (!is_copied(c, i))
            continue;
        const sl_device_range *range = &c->range[i];
        status = sl_heap_place(sl_emu_heap(emu), range->addr, range->bytes, NULL, error);
        if (!status)
            status = sl_device_copy_out(device, sl_heap_host(sl_emu_heap(emu), range->addr), range->addr, range->bytes,
                                        error);
    }
    return status;
}

/* Those that the device does not name are as the code initializes them. */
static sl_status copy_variables(sl_device_module *module, sl_emu *emu, const sl_emu_program *program, sl_error *error)
{
    const sl_ptx_module *ptx = sl_device_module_ptx(module);
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < ptx->vars && !status; i++) {
        uint64_t from, to, bytes, room;
        if (!sl_device_symbol(module, ptx->var[i]->name, &from, &bytes, NULL) &&
            !sl_emu_symbol(program, ptx->var[i]->name, &to, &room, NULL))
            status = sl_device_copy_out(module->device, sl_heap_host(sl_emu_heap(emu), to), from,
                                        bytes < room ? bytes : room, error);
    }
    return status;
}

/* ---- some blocks ---- */

/* A sink that ends the launch when the recorder behind it has enough blocks. */
typedef struct sampler {
    const sl_launch_sink *recorder;
    uint64_t bytes, max_bytes; /* of the trace, so far and when it is enough */
    double until;              /* seconds: the same of time */
    uint64_t unfinished;       /* blocks of which a part has been recorded */
    bool enough;
} sampler;

static sl_status sample_begin(void *context, const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                              const sl_trace_range *range, size_t ranges, bool *wanted, uint64_t *block_limit,
                              sl_error *error)
{
    const sampler *s = context;
    return s->recorder->begin(s->recorder->context, kernel, launch, range, ranges, wanted, block_limit, error);
}

static sl_status sample_block(void *context, const sl_block_view *block, sl_error *error)
{
    sampler *s = context;
    sl_status status = s->recorder->block(s->recorder->context, block, error);
    for (uint32_t i = 0; i < block->warps; i++)
        s->bytes += block->warp[i].control_bytes + block->warp[i].memory_bytes;
    s->unfinished += !block->part && !block->last;
    s->unfinished -= block->part && block->last;
    double late = sl_now_seconds() - s->until;
    if (status || (s->bytes < s->max_bytes && late < 0))
        return status;
    s->enough = !s->unfinished;
    bool wait = !s->enough && s->bytes < s->max_bytes + TRACE_BYTES && late < MAX_SECONDS;
    return wait ? SL_OK : sl_fail(error, SL_LIMIT, "its blocks are too long"); /* no failure where it is enough */
}

static sl_status sample_end(void *context, const sl_launch_stats *stats, const char *failure, sl_error *error)
{
    const sampler *s = context;
    return s->recorder->end(s->recorder->context, stats, s->enough ? NULL : failure, error);
}

static sl_status run(sl_emu *emu, sl_emu_program *program, const sl_ptx_func *func, const sl_device_launch *launch,
                     sl_error *error)
{
    uint8_t *params = calloc(1, func->param_bytes + 1);
    sl_emu_kernel *kernel = NULL;
    sl_emu_launch emulated = {
        .dynamic_shared_bytes = launch->dynamic_shared_bytes, .params = params, .param_bytes = func->param_bytes};
    memcpy(emulated.grid, launch->grid, sizeof emulated.grid);
    memcpy(emulated.block, launch->block, sizeof emulated.block);
    sl_status status = params ? sl_emu_kernel_get(program, func->name, &kernel, error) : sl_fail_memory(error);
    for (uint32_t i = 0; i < func->params && !status; i++)
        memcpy(params + func->param[i]->offset, launch->arg[i].data, launch->arg[i].bytes);
    if (!status)
        status = sl_emu_run(emu, kernel, &emulated, NULL, error);
    free(params);
    return status;
}

/* Runs the launch on copies of the memory until the sampler has enough. */
static sl_status emulate(sl_device_kernel *kernel, const sl_device_launch *launch, const sl_rank_options *o,
                         sampler *sample, sl_error *error)
{
    const sl_ptx_module *ptx = sl_device_module_ptx(kernel->module);
    const sl_launch_sink sink = {.context = sample, .begin = sample_begin, .block = sample_block, .end = sample_end};
    copies c;
    sl_emu *emu = NULL;
    sl_emu_program *program = NULL;
    sl_status status =
        choose_copies(kernel->module->device, launch, o->max_bytes ? o->max_bytes : COPIED_BYTES, &c, error);
    if (!status)
        status = sl_emu_create(&(sl_emu_config){.around = c.first, .around_bytes = c.end - c.first, .sink = &sink},
                               &emu, error);
    if (!status)
        status = copy_memory(kernel->module->device, &c, emu, error);
    if (!status)
        status = sl_emu_load(emu, &ptx, 1, &program, error);
    if (!status)
        status = copy_variables(kernel->module, emu, program, error);
    if (!status) {
        double seconds = o->seconds > 0 ? fmin(SHARE_OF_SECONDS * o->seconds, MAX_SECONDS) : MAX_SECONDS;
        sample->until = sl_now_seconds() + seconds;
        sample->max_bytes = (uint64_t)(TRACE_BYTES * seconds / MAX_SECONDS);
        status = run(emu, program, sl_device_kernel_func(kernel), launch, error);
    }
    if (program)
        sl_emu_unload(emu, program);
    sl_emu_destroy(emu);
    return sample->enough ? SL_OK : status;
}

static sl_status record(sl_device_kernel *kernel, const sl_device_launch *launch, const sl_rank_options *o,
                        const char *path, sl_trace **trace, sl_error *error)
{
    sl_recorder *recorder = NULL;
    const sl_recorder_config config = {.trace_path = path, .producer = "ranking", .zstd_level = SL_LEVEL_TEMPORARY};
    sl_status status = sl_recorder_create(&config, &recorder, error);
    if (status)
        return status;
    sampler sample = {.recorder = sl_recorder_sink(recorder)};
    status = emulate(kernel, launch, o, &sample, error);
    if (status)
        sl_recorder_abandon(recorder);
    else
        status = sl_recorder_finish(recorder, error);
    if (!status)
        status = sl_trace_open(path, trace, NULL, error);
    unlink(path);
    return status;
}

/* ---- the model ---- */

/* Whether the word is in the text, whatever the case and the spaces, and is no part of a longer number. */
static bool contains(const char *text, const char *word)
{
    for (; *text; text++) {
        const char *at = text, *w = word;
        for (; *w && (*at == ' ' || tolower((unsigned char)*at) == *w); at++)
            w += *at != ' ';
        if (!*w && !isdigit((unsigned char)*at))
            return true;
    }
    return false;
}

/* The description whose name is in that of the device ("NVIDIA GeForce RTX 4090"), up to a hyphen; else the H200's. */
static sl_status find_machine(const char *device, sl_machine *machine, sl_error *error)
{
    const char *found = "h200";
    for (size_t i = sl_machine_count(); i-- > 0;) {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(sl_machine_name_at(i), "-"), sl_machine_name_at(i));
        if (contains(device, word))
            found = sl_machine_name_at(i);
    }
    return sl_machine_load(found, machine, error);
}

/* The share of the cores that the recorded blocks are of all, so that each runs as many. The other levels stay as they
 * are: arrays that all blocks read do not become smaller. */
static sl_status scale_cores(sl_machine *machine, double share, sl_error *error)
{
    const sl_machine whole = *machine;
    machine->cores = (uint32_t)fmax(ceil(whole.cores * share), 1);
    if (machine->cores == whole.cores)
        return SL_OK;
    sl_machine_adapt(machine, &whole);
    return sl_machine_check(machine, error);
}

static sl_status rank(const char *device, const sl_trace *trace, const sl_load_graph *graph, sl_arena *arena,
                      sl_ranking *ranking, sl_error *error)
{
    sl_machine *machine = sl_arena_new(arena, sl_machine);
    const sl_trace_launch *launch = sl_trace_launch_at(trace, 0);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(trace, launch->kernel);
    uint32_t *node_of = sl_arena_array(arena, uint32_t, kernel->mem_slots + 1);
    double share = (double)launch->blocks_recorded / (double)sl_launch_blocks(launch);
    sl_pool *pool = NULL;
    sl_loaded *loaded = NULL;
    sl_status status = machine && node_of ? find_machine(device, machine, error) : sl_fail_memory(error);
    for (uint32_t slot = 0; slot < kernel->mem_slots && !status; slot++)
        node_of[slot] = sl_ptx_load_of(graph, &kernel->inst[kernel->mem_inst[slot]]);
    if (!status)
        status = scale_cores(machine, share, error);
    if (!status)
        status = sl_pool_create(0, &pool, error);
    if (!status)
        status = sl_loaded_create(trace, 0, pool, &loaded, error);
    if (!status)
        status = sl_rank_loads(machine, loaded, share, graph, node_of, 1, pool, arena, ranking, error);
    if (!status) {
        const char *text =
            sl_arena_printf(arena, "%s, %llu of %llu blocks", ranking->text,
                            (unsigned long long)launch->blocks_recorded, (unsigned long long)sl_launch_blocks(launch));
        ranking->text = text ? text : ranking->text;
    }
    sl_loaded_destroy(loaded);
    sl_pool_destroy(pool);
    return status;
}

sl_status sl_rank_launch(sl_device_kernel *kernel, const sl_device_launch *launch, const sl_load_graph *graph,
                         const sl_rank_options *options, sl_arena *arena, sl_ranking *ranking, sl_error *error)
{
    char path[1100];
    sl_trace *trace = NULL;
    sl_error why;
    *ranking = (sl_ranking){0};
    snprintf(path, sizeof path, "%s/ranking-%ld.slt", options->scratch, (long)getpid());
    sl_status status = record(kernel, launch, options, path, &trace, &why);
    if (!status)
        status = rank(sl_device_info_of(kernel->module->device)->name, trace, graph, arena, ranking, &why);
    sl_trace_close(trace);
    return status ? sl_not_ranked(&why, arena, ranking, error) : SL_OK;
}
