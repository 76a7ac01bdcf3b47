/* SPDX-License-Identifier: MIT */
#include "recording/kernel_launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The arguments of the launch, as typed and as the device takes them. */
typedef struct launch_args {
    size_t count;
    sl_kernel_arg *typed;
    sl_device_arg *value;
} launch_args;

/* The parameters of a kernel, for messages. */
static void describe_params(const sl_ptx_func *func, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < func->params && used < size; i++) {
        const sl_ptx_var *param = func->param[i];
        used += (size_t)snprintf(text + used, size - used, "%s.%s", i ? ", " : "", sl_ptx_type_text(param->type));
        if (param->dims && used < size)
            used += (size_t)snprintf(text + used, size - used, "[%" PRIu64 "]", param->dim[0]);
    }
}

static sl_status prepare_args(const sl_ptx_func *func, const sl_kernel_launch *launch, uint64_t seed, sl_device *device,
                              launch_args *args, sl_error *error)
{
    sl_random random = sl_random_seed(seed);
    char params[512], label[48];
    args->count = launch->args;
    args->typed = calloc(args->count + 1, sizeof *args->typed);
    args->value = calloc(args->count + 1, sizeof *args->value);
    if (!args->typed || !args->value)
        return sl_fail_memory(error);
    if (args->count != func->params) {
        describe_params(func, params, sizeof params);
        return sl_fail(error, SL_INVALID, "kernel %s takes %u argument%s (%s), but %zu --arg %s given", func->name,
                       func->params, func->params == 1 ? "" : "s", params, args->count,
                       args->count == 1 ? "was" : "were");
    }
    for (size_t i = 0; i < args->count; i++) {
        sl_status status = sl_kernel_arg_parse(launch->arg[i], &args->typed[i], error);
        snprintf(label, sizeof label, "arg %zu", i);
        if (!status)
            status = sl_kernel_arg_allocate(&args->typed[i], device, label, &random, error);
        if (status)
            return status;
        args->value[i] = sl_kernel_arg_value(&args->typed[i]);
    }
    return SL_OK;
}

sl_status sl_kernel_launch_run(const sl_kernel_launch *launch, sl_device_module *module, uint64_t seed,
                               sl_device *device, sl_error *error)
{
    launch_args args = {0};
    sl_device_kernel *kernel = NULL;
    sl_status status = sl_device_kernel_get(module, launch->entry, &kernel, error);
    if (!status)
        status = prepare_args(sl_device_kernel_func(kernel), launch, seed, device, &args, error);
    if (!status) {
        sl_device_launch placed = {
            .dynamic_shared_bytes = (uint32_t)launch->shared_bytes, .args = args.count, .arg = args.value};
        for (int i = 0; i < 3; i++) {
            placed.grid[i] = launch->grid[i] ? launch->grid[i] : 1;
            placed.block[i] = launch->block[i] ? launch->block[i] : 1;
        }
        status = sl_device_run(kernel, &placed, error);
    }
    if (!status)
        status = sl_device_synchronize(device, error);
    if (!status && launch->after)
        status = launch->after(launch->after_context, args.typed, args.count, device, error);
    for (size_t i = 0; args.typed && i < args.count; i++)
        if (args.typed[i].buffer && args.typed[i].addr)
            sl_device_free(device, args.typed[i].addr, NULL);
    free(args.typed);
    free(args.value);
    return status;
}
