/* SPDX-License-Identifier: MIT */
#include "cli/tune_sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bypass/clock_sim.h"
#include "bypass/ptx_loads.h" /* SL_PTX_L2_SM */
#include "cli/temporary.h"
#include "experiment/point.h"
#include "trace/recorder.h"

typedef struct recorded {
    char *kernel;
    uint64_t warp_insts;
} recorded;

typedef struct tour {
    const sl_sim_tour *wishes;
    char folder[512], path[600];
    SL_ARRAY(recorded) launches; /* as in the trace */
} tour;

/* ---- recording ---- */

static sl_status remember(void *context, const sl_launch_result *result, sl_error *error)
{
    tour *t = context;
    recorded one = {strdup(result->kernel->symbol), result->stats->warp_insts};
    if (one.kernel && sl_array_push(&t->launches, one))
        return SL_OK;
    free(one.kernel);
    return sl_fail_memory(error);
}

static sl_status record(tour *t, sl_error *error)
{
    sl_trace_filter filter = {.kernel_regex = t->wishes->kernel_regex, .blocks = t->wishes->blocks};
    sl_recorder_config recording = {.filter = &filter,
                                    .trace_path = t->path,
                                    .producer = "sluice tune",
                                    .zstd_level = 1,
                                    .launch_done = remember,
                                    .context = t};
    sl_recorder *recorder = NULL;
    sl_device *device = NULL;
    sl_status status = sl_recorder_create(&recording, &recorder, error);
    if (status)
        return status;
    sl_emu_config emu = {
        .lanes = t->wishes->machine->lanes, .threads = t->wishes->threads, .sink = sl_recorder_sink(recorder)};
    sl_device_config config = {.emu = &emu};
    status = sl_device_open("emu", &config, &device, error);
    if (!status)
        status = sl_subject_run(t->wishes->subject, device, false, error);
    sl_device_close(device);
    if (!status)
        return sl_recorder_finish(recorder, error);
    sl_recorder_abandon(recorder);
    return status;
}

/* ---- visiting ---- */

/* How many launches of the kernel there are; 0: this is not the one of them that executes most. */
static uint64_t launches_if_largest(const tour *t, size_t index)
{
    const recorded *one = &t->launches.items[index];
    uint64_t count = 0;
    for (size_t i = 0; i < t->launches.count; i++) {
        const recorded *other = &t->launches.items[i];
        if (strcmp(other->kernel, one->kernel))
            continue;
        count++;
        if (other->warp_insts > one->warp_insts || (other->warp_insts == one->warp_insts && i < index))
            return 0;
    }
    return count;
}

/* Which load each memory instruction of the recorded kernel belongs to. */
static uint32_t *map_slots(const tour *t, const sl_trace_kernel *kernel, const sl_load_graph *graph, sl_arena *arena)
{
    uint32_t *load_of = sl_arena_array(arena, uint32_t, kernel->mem_slots + 1);
    for (uint32_t slot = 0; load_of && slot < kernel->mem_slots; slot++)
        load_of[slot] = sl_subject_load_of(t->wishes->subject, graph, &kernel->inst[kernel->mem_inst[slot]]);
    return load_of;
}

static sl_status visit_launch(const tour *t, const sl_trace *trace, uint32_t n, uint64_t launches,
                              const sl_ptx_module *module, sl_pool *pool, sl_arena *arena, sl_error *error)
{
    const sl_sim_tour *wishes = t->wishes;
    sl_load_graph graph;
    sl_loaded *loaded = NULL;
    sl_sim_clock *clock = NULL;
    sl_timed_launch visited = {.module = module,
                               .func = sl_ptx_find(module, t->launches.items[n].kernel),
                               .launch = sl_trace_launch_at(trace, n)->index,
                               .launches = launches,
                               .repeats = true};
    char machine[SL_KEY_BYTES];
    sl_point_machine_key(wishes->machine, machine);
    char *input = sl_arena_printf(arena, "%s %s launch %llu blocks %llu machine %s", wishes->subject->input,
                                  t->launches.items[n].kernel, (unsigned long long)visited.launch,
                                  (unsigned long long)wishes->blocks, machine);
    const sl_sim_clock_options options = {
        .input = input, .seed = wishes->subject->options->seed, .cold = wishes->cold, .pool = pool};
    uint32_t *load_of = NULL;
    sl_status status = input && visited.func
                           ? sl_subject_loads(wishes->subject, module, visited.func, SL_PTX_L2_SM, arena, &graph, error)
                           : sl_fail_memory(error);
    if (!status)
        status = sl_loaded_create(trace, n, pool, &loaded, error);
    if (!status && !(load_of = map_slots(t, sl_loaded_kernel(loaded), &graph, arena)))
        status = sl_fail_memory(error);
    if (!status)
        status = sl_sim_clock_create(wishes->machine, loaded, load_of, &options, &clock, error);
    if (!status) {
        visited.graph = &graph;
        visited.clock = sl_sim_clock_interface(clock);
        status = wishes->visit(wishes->context, &visited, error);
    }
    sl_sim_clock_destroy(clock);
    sl_loaded_destroy(loaded);
    return status;
}

static sl_status visit_all(tour *t, sl_error *error)
{
    const sl_subject *subject = t->wishes->subject;
    sl_trace *trace = NULL;
    sl_pool *pool = NULL;
    sl_ptx_module *module = NULL;
    sl_status status = sl_trace_open(t->path, &trace, NULL, error);
    if (!status)
        status = sl_pool_create(t->wishes->threads, &pool, error);
    if (!status)
        status = sl_ptx_parse(subject->ptx, subject->ptx_length, subject->name, &module, error);
    for (uint32_t n = 0; n < t->launches.count && !status; n++) {
        uint64_t launches = launches_if_largest(t, n);
        sl_arena arena;
        sl_arena_init(&arena);
        if (launches)
            status = visit_launch(t, trace, n, launches, module, pool, &arena, error);
        sl_arena_fini(&arena);
    }
    sl_ptx_free(module);
    sl_pool_destroy(pool);
    sl_trace_close(trace);
    return status;
}

sl_status sl_sim_visit(const sl_sim_tour *wishes, sl_error *error)
{
    tour t = {.wishes = wishes};
    sl_status status = sl_temporary_folder(t.folder, sizeof t.folder, error);
    if (status)
        return status;
    snprintf(t.path, sizeof t.path, "%s/launches.slt", t.folder);
    status = record(&t, error);
    if (!status && !t.launches.count)
        status = sl_fail(error, SL_NOT_FOUND,
                         wishes->kernel_regex ? "no kernel of %s matches '%s'" : "%s launches no kernel%s",
                         wishes->subject->name, wishes->kernel_regex ? wishes->kernel_regex : "");
    if (!status)
        status = visit_all(&t, error);
    sl_temporary_folder_remove(t.folder);
    for (size_t i = 0; i < t.launches.count; i++)
        free(t.launches.items[i].kernel);
    sl_array_free(&t.launches);
    return status;
}
