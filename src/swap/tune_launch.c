/* SPDX-License-Identifier: MIT */
#include "swap/tune_launch.h"

#include <stdlib.h>
#include <string.h>

#include "bypass/ptx_loads.h"
#include "study/tuning.h"

/* The kernels of one text. */
typedef struct tuned_text {
    const sl_program_text *text;
    uint64_t hash;
    sl_tuning_result result;
} tuned_text;

static SL_ARRAY(tuned_text) tuned;

typedef struct visit {
    const sl_tune_job *job;
    tuned_text *of;
} visit;

static sl_status find_text(const sl_program_text *text, const sl_ptx_module *ptx, const sl_tune_job *job,
                           tuned_text **found, sl_error *error)
{
    for (size_t i = 0; i < tuned.count; i++)
        if (tuned.items[i].text == text) {
            *found = &tuned.items[i];
            return SL_OK;
        }
    tuned_text one = {.text = text};
    sl_status status = sl_ptx_code_hash(ptx, &one.hash, error);
    if (status)
        return status;
    sl_tuning_result_init(&one.result, "ptx", text->name, &job->options, job->selector);
    if (!sl_array_push(&tuned, one))
        return sl_fail_memory(error);
    *found = &tuned.items[tuned.count - 1];
    return SL_OK;
}

static sl_status tune(void *context, const sl_timed_launch *launch, sl_error *error)
{
    const visit *v = context;
    return sl_tune_launch(launch, v->of->hash, &v->job->options, &v->job->selector, 1, &v->of->result, error);
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
    const sl_program_text *text = sl_program_text_of(handle->image, handle->kernel);
    const sl_device_range *range;
    size_t ranges = sl_program_ranges(&range);
    sl_device_kernel *kernel = NULL;
    visit v = {.job = job};
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
        status = find_text(text, sl_device_module_ptx(kernel->module), job, &v.of, error);
    if (!status)
        status = sl_ptx_loads(sl_device_module_ptx(kernel->module), sl_device_kernel_func(kernel),
                              sl_device_info_of(device)->sm, &arena, &graph, error);
    if (!status)
        status = list_args(sl_device_kernel_func(kernel), launch, &arena, &repeated, error);
    sl_timed_launch visited = {.module = status ? NULL : sl_device_module_ptx(kernel->module),
                               .kernel = handle->kernel,
                               .launch = wanted->number,
                               .launches = wanted->launches,
                               .graph = &graph};
    const sl_gpu_timer_options options = {.input = handle->kernel,
                                          .ptx = text->ptx,
                                          .ptx_length = text->length,
                                          .rounds = job->rounds,
                                          .cold = job->cold};
    if (!status)
        status = sl_time_launch_on_gpu(kernel, &repeated, &options, &visited, tune, &v, error);
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
    sl_plan_list list = {0, calloc(tuned.count + 1, sizeof *list.plan)};
    FILE *file = list.plan ? fopen(path, "w") : NULL;
    sl_status status = file ? SL_OK : sl_fail_io(error, "write", path);
    for (size_t i = 0; i < tuned.count && !status; i++)
        list.plan[list.count++] = tuned.items[i].result.plan;
    if (!status)
        status = sl_plan_list_write(&list, file, error);
    if (file && fclose(file) && !status)
        status = sl_fail_io(error, "write", path);
    free(list.plan);
    return status;
}
