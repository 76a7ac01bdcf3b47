/* SPDX-License-Identifier: MIT */
#include "interpose/program.h"

#include <stdlib.h>
#include <string.h>

#include "tune/ptx_loads.h"
#include "tune/tune.h"

static sl_tuning_result tuned; /* the kernels of all texts */

static sl_status tune(void *context, const sl_timed_launch *launch, sl_error *error)
{
    const sl_tune_job *job = context;
    uint64_t hash = 0;
    sl_status status = sl_ptx_code_hash(launch->module, &hash, error);
    return status ? status : sl_tune_launch(launch, "ptx", hash, &job->options, &job->selector, 1, &tuned, error);
}

enum { EXTRA_END = 0, EXTRA_BLOCK = 1 }; /* CU_LAUNCH_PARAM_* */

static sl_status list_args(const sl_ptx_func *func, const sl_program_launch *launch, sl_arena *arena,
                           sl_device_launch *out, sl_error *error)
{
    const char *block = NULL;
    sl_device_arg *arg = sl_arena_array(arena, sl_device_arg, func->params + 1);
    for (void **e = launch->extra; e && *e != (void *)EXTRA_END; e += 2)
        if (e[0] == (void *)EXTRA_BLOCK)
            block = e[1];
    if (!arg)
        return sl_fail_memory(error);
    if (func->params && !launch->params && !block)
        return sl_fail(error, SL_UNSUPPORTED, "its arguments are not known");
    for (uint32_t i = 0; i < func->params; i++)
        arg[i] =
            (sl_device_arg){launch->params ? launch->params[i] : block + func->param[i]->offset, func->param[i]->bytes};
    *out = (sl_device_launch){.dynamic_shared_bytes = launch->shared, .args = func->params, .arg = arg};
    memcpy(out->grid, launch->grid, sizeof out->grid);
    memcpy(out->block, launch->block, sizeof out->block);
    return SL_OK;
}

static sl_status tune_on(sl_device *device, const sl_program_handle *handle, void *module, void *function,
                         const sl_program_launch *launch, const sl_tune_job *job, const sl_tune_job_launch *wanted,
                         sl_error *error)
{
    const sl_ptx_source *text = sl_ptx_source_of(handle->image, handle->kernel, NULL);
    const sl_device_range *range;
    size_t ranges = sl_program_ranges(&range);
    sl_device_kernel *kernel = NULL;
    sl_load_graph graph;
    sl_device_launch repeated;
    sl_arena arena;
    if (!text)
        return sl_fail(error, SL_NOT_FOUND, "the program has no PTX of it");
    sl_arena_init(&arena);
    sl_status status =
        sl_device_adopt(device, text->ptx, text->length, text->name, module, handle->kernel, function, &kernel, error);
    for (size_t i = 0; i < ranges && !status; i++)
        status = sl_device_adopt_range(device, range[i].addr, range[i].bytes, error);
    if (!status)
        status = sl_ptx_loads(sl_device_module_ptx(kernel->module), sl_device_kernel_func(kernel),
                              sl_device_info_of(device)->sm, &arena, &graph, error);
    if (!status)
        status = list_args(sl_device_kernel_func(kernel), launch, &arena, &repeated, error);
    sl_timed_launch visited = {.module = status ? NULL : sl_device_module_ptx(kernel->module),
                               .code = text->name,
                               .kernel = handle->kernel,
                               .launch = wanted->number,
                               .launches = wanted->launches,
                               .graph = &graph};
    const sl_gpu_timer_options options = {.input = handle->kernel,
                                          .ptx = text->ptx,
                                          .ptx_length = text->length,
                                          .rounds = job->rounds,
                                          .cold = job->cold};
    const sl_rank_options rank = {.scratch = job->scratch, .seconds = job->options.seconds};
    if (!status)
        status = sl_time_launch_on_gpu(kernel, &repeated, &options, job->scratch ? &rank : NULL, &visited, tune,
                                       (void *)(uintptr_t)job, error);
    sl_arena_fini(&arena);
    return status;
}

sl_status sl_tune_in_program(const char *driver, const sl_program_handle *handle, void *module, void *function,
                             const sl_program_launch *launch, const sl_tune_job *job, const sl_tune_job_launch *wanted,
                             sl_error *error)
{
    sl_device *device = NULL;
    const sl_device_config config = {.library = driver, .attach = true};
    sl_status status = sl_device_open("gpu", &config, &device, error);
    if (!status)
        status = tune_on(device, handle, module, function, launch, job, wanted, error);
    sl_device_close(device);
    return status;
}

sl_status sl_tuned_write(const char *path, sl_error *error)
{
    return sl_plan_list_save(&tuned.plans, path, error);
}
