/* SPDX-License-Identifier: MIT */
/* A kernel of a PTX file with a launch from the command line. */
#include "cli/ptx_launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/kernel_args.h"
#include "cli/output.h"

/* The arguments of the launch, as typed and as the device takes them. */
typedef struct launch_args {
    size_t count;
    sl_kernel_arg *typed;
    sl_device_arg *value;
} launch_args;

/* A kernel's parameters, for a message that says what arguments it wants. */
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

static sl_status place_args(const sl_ptx_func *func, const sl_run_options *options, sl_device *device,
                            launch_args *args, sl_error *error)
{
    sl_random random = sl_random_seed(options->seed);
    char params[512], label[48];
    args->count = options->arg.count;
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
        sl_status status = sl_kernel_arg_parse(options->arg.item[i], &args->typed[i], error);
        snprintf(label, sizeof label, "arg %zu", i);
        if (!status)
            status = sl_kernel_arg_place(&args->typed[i], device, label, &random, error);
        if (status)
            return status;
        args->value[i] = sl_kernel_arg_value(&args->typed[i]);
    }
    return SL_OK;
}

/* One --dump: "2" prints argument 2, "2:FILE" writes its bytes. */
static sl_status dump(const char *wish, const launch_args *args, sl_device *device, sl_error *error)
{
    char *end;
    unsigned long index = strtoul(wish, &end, 10);
    void *data = NULL;
    if (end == wish || (*end && *end != ':') || index >= args->count || !args->typed[index].buffer)
        return sl_fail(error, SL_INVALID, "--dump %s: write the number of an argument that is a buffer, from 0%s", wish,
                       *end == ':' ? "" : "; a FILE may follow after a colon");
    const sl_kernel_arg *arg = &args->typed[index];
    sl_status status = sl_kernel_arg_fetch(arg, device, &data, error);
    if (status)
        return status;
    sl_output output;
    status = sl_output_open(&output, *end ? end + 1 : NULL, error);
    if (!status) {
        if (*end) {
            fwrite(data, arg->bytes, arg->count, output.file);
        } else {
            printf("argument %lu, %s\n", index, arg->text);
            sl_kernel_arg_print(arg, data, stdout);
        }
        status = sl_output_close(&output, error);
    }
    free(data);
    return status;
}

sl_status sl_ptx_launch(sl_device_module *module, const sl_run_options *options, sl_device *device, sl_error *error)
{
    launch_args args = {0};
    sl_device_kernel *kernel = NULL;
    sl_status status = sl_device_kernel_get(module, options->entry, &kernel, error);
    if (!status)
        status = place_args(sl_device_kernel_func(kernel), options, device, &args, error);
    if (!status) {
        sl_device_launch launch = {
            .dynamic_shared_bytes = (uint32_t)options->shared_bytes, .args = args.count, .arg = args.value};
        for (int i = 0; i < 3; i++) {
            launch.grid[i] = options->grid[i] ? options->grid[i] : 1;
            launch.block[i] = options->block[i] ? options->block[i] : 1;
        }
        status = sl_device_run(kernel, &launch, error);
    }
    if (!status)
        status = sl_device_synchronise(device, error);
    for (size_t i = 0; i < options->dump.count && !status; i++)
        status = dump(options->dump.item[i], &args, device, error);
    for (size_t i = 0; args.typed && i < args.count; i++)
        if (args.typed[i].buffer && args.typed[i].addr)
            sl_device_free(device, args.typed[i].addr, NULL);
    free(args.typed);
    free(args.value);
    return status;
}
