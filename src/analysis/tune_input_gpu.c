/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "analysis/tune_input.h"
#include "base/array.h"
#include "trace/kernel_filter.h"
#include "tune/memory_image.h"

/* One launch of the first run. */
typedef struct surveyed {
    char *kernel;
    double ns;
    uint64_t of_kernel; /* launches of the same kernel */
    bool wanted;
} surveyed;

typedef struct launch_survey {
    const sl_timed_kernels *wanted;
    SL_ARRAY(surveyed) launches;
    uint64_t next; /* launch */
    sl_device *device;
    sl_kernel_filter kernels;
} launch_survey;

/* ---- the first run ---- */

static bool already_seen(const launch_survey *t, const char *kernel)
{
    for (size_t i = 0; i < t->launches.count; i++)
        if (!strcmp(t->launches.items[i].kernel, kernel))
            return true;
    return false;
}

/* The first launch of a kernel includes loading its code to the GPU: a launch that is undone precedes it. */
static sl_status warm_up(launch_survey *t, sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error)
{
    sl_image image;
    sl_status status = sl_image_capture(&image, t->device, kernel->module, error);
    if (status)
        return status;
    status = sl_device_launch_now(kernel, launch, error);
    if (!status)
        status = sl_image_restore(&image, NULL, true, error);
    if (!status)
        status = sl_device_synchronize(t->device, error);
    sl_image_free(&image);
    return status;
}

static sl_status time_launch(launch_survey *t, sl_device_kernel *kernel, const sl_device_launch *launch, double *ns,
                             sl_error *error)
{
    sl_device_event *begin = NULL, *end = NULL;
    sl_status status = sl_device_event_create(t->device, &begin, error);
    if (!status)
        status = sl_device_event_create(t->device, &end, error);
    if (!status)
        status = sl_device_event_record(t->device, begin, error);
    if (!status)
        status = sl_device_launch_now(kernel, launch, error);
    if (!status)
        status = sl_device_event_record(t->device, end, error);
    if (!status)
        status = sl_device_event_elapsed(t->device, begin, end, ns, error);
    sl_device_event_destroy(t->device, begin);
    sl_device_event_destroy(t->device, end);
    return status;
}

static sl_status survey(void *context, sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error)
{
    launch_survey *t = context;
    const char *name = sl_device_kernel_func(kernel)->name;
    surveyed one = {.kernel = strdup(name)};
    if (!one.kernel)
        return sl_fail_memory(error);
    sl_status status = already_seen(t, name) ? SL_OK : warm_up(t, kernel, launch, error);
    if (!status)
        status = time_launch(t, kernel, launch, &one.ns, error);
    if (!status && !sl_array_push(&t->launches, one))
        status = sl_fail_memory(error);
    if (status)
        free(one.kernel);
    return status;
}

/* ---- launches to time ---- */

/* Longer ones of the same kernel, the earlier among equals. */
static uint64_t rank(const launch_survey *t, size_t index)
{
    const surveyed *one = &t->launches.items[index];
    uint64_t before = 0;
    for (size_t i = 0; i < t->launches.count; i++)
        if (!strcmp(t->launches.items[i].kernel, one->kernel))
            before += t->launches.items[i].ns > one->ns || (t->launches.items[i].ns == one->ns && i < index);
    return before;
}

static sl_status choose(launch_survey *t, sl_error *error)
{
    bool any = false;
    for (size_t i = 0; i < t->launches.count; i++) {
        surveyed *one = &t->launches.items[i];
        for (size_t k = 0; k < t->launches.count; k++)
            one->of_kernel += !strcmp(t->launches.items[k].kernel, one->kernel);
        one->wanted = sl_kernel_matches(&t->kernels, one->kernel, NULL) && rank(t, i) < t->wanted->max_launches;
        any |= one->wanted;
    }
    if (any)
        return SL_OK;
    return sl_fail(error, SL_NOT_FOUND, t->launches.count ? "no kernel of %s matches '%s'" : "%s launches no kernel%s",
                   t->wanted->input->spec.name, t->launches.count ? t->wanted->kernel_regex : "");
}

/* ---- the second run ---- */

static sl_status visit_launch(launch_survey *t, sl_device_kernel *kernel, const sl_device_launch *launch,
                              const surveyed *one, sl_arena *arena, sl_error *error)
{
    sl_load_graph graph;
    sl_timed_launch visited = {.module = sl_device_module_ptx(kernel->module),
                               .code = t->wanted->input->spec.name,
                               .kernel = sl_device_kernel_func(kernel)->name,
                               .launch = t->next,
                               .launches = one->of_kernel,
                               .graph = &graph};
    const sl_input *of = t->wanted->input;
    char text[512];
    char *input = sl_arena_printf(arena, "%s %s launch %llu", sl_input_text(of, text, sizeof text), visited.kernel,
                                  (unsigned long long)t->next);
    const sl_gpu_timer_options options = {.input = input,
                                          .ptx = of->ptx,
                                          .ptx_length = of->ptx_length,
                                          .rounds = t->wanted->rounds,
                                          .cold = t->wanted->cold};
    sl_status status = input ? sl_input_loads(of, visited.module, sl_device_kernel_func(kernel),
                                              sl_device_info_of(t->device)->sm, arena, &graph, error)
                             : sl_fail_memory(error);
    const sl_rank_options rank = {.scratch = t->wanted->scratch, .seconds = t->wanted->seconds};
    return status ? status
                  : sl_time_launch_on_gpu(kernel, launch, &options, t->wanted->rank ? &rank : NULL, &visited,
                                          t->wanted->visit, t->wanted->context, error);
}

static sl_status time_if_wanted(void *context, sl_device_kernel *kernel, const sl_device_launch *launch,
                                sl_error *error)
{
    launch_survey *t = context;
    sl_status status = SL_OK;
    if (t->next < t->launches.count && t->launches.items[t->next].wanted) {
        const surveyed *one = &t->launches.items[t->next];
        sl_arena arena;
        sl_arena_init(&arena);
        if (strcmp(one->kernel, sl_device_kernel_func(kernel)->name))
            status =
                sl_fail(error, SL_MISMATCH,
                        "launch %llu was %s in the first run and is %s in the second: the program is not deterministic",
                        (unsigned long long)t->next, one->kernel, sl_device_kernel_func(kernel)->name);
        else
            status = visit_launch(t, kernel, launch, one, &arena, error);
        sl_arena_fini(&arena);
    }
    t->next++;
    return status ? status : sl_device_launch_now(kernel, launch, error);
}

static sl_status run_with(launch_survey *t, bool check,
                          sl_status (*hook)(void *, sl_device_kernel *, const sl_device_launch *, sl_error *),
                          sl_error *error)
{
    sl_device_config config = {.launching = hook, .launching_context = t};
    sl_status status = sl_device_open("gpu", &config, &t->device, error);
    if (!status)
        status = sl_input_run(t->wanted->input, t->device, check, NULL, error);
    sl_device_close(t->device);
    t->device = NULL;
    return status;
}

sl_status sl_time_on_gpu(const sl_timed_kernels *wanted, sl_error *error)
{
    launch_survey t = {.wanted = wanted};
    if (wanted->input->ir.code)
        return sl_fail(error, SL_UNSUPPORTED, "%s is LLVM IR, which only the simulator can time; use --on sim",
                       wanted->input->spec.name);
    sl_status status = sl_kernel_filter_init(&t.kernels, wanted->kernel_regex, error);
    if (!status)
        status = run_with(&t, false, survey, error);
    if (!status)
        status = choose(&t, error);
    if (!status)
        status = run_with(&t, wanted->check, time_if_wanted, error);
    for (size_t i = 0; i < t.launches.count; i++)
        free(t.launches.items[i].kernel);
    sl_array_free(&t.launches);
    sl_kernel_filter_fini(&t.kernels);
    return status;
}
