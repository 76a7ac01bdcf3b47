/* SPDX-License-Identifier: MIT */
/* The part of the device interface that is the same for every implementation: names, checks, ownership, timing. */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "base/suggest.h"

const sl_device_ops *const sl_device_kinds[SL_DEVICE_KINDS] = {&sl_device_emulator, &sl_device_cuda};

sl_status sl_device_open(const char *kind, const sl_device_config *config, sl_device **device, sl_error *error)
{
    static const sl_device_config defaults;
    const char *names[SL_DEVICE_KINDS];
    if (!config)
        config = &defaults;
    for (int i = 0; i < SL_DEVICE_KINDS; i++) {
        names[i] = sl_device_kinds[i]->name;
        if (strcmp(kind, names[i]))
            continue;
        sl_status status = sl_device_kinds[i]->open(config, device, error);
        if (status)
            return status;
        (*device)->ops = sl_device_kinds[i];
        (*device)->config.timed = config->timed;
        (*device)->config.timed_context = config->timed_context;
        (*device)->config.launching = config->launching;
        (*device)->config.launching_context = config->launching_context;
        return SL_OK;
    }
    const char *near = sl_suggest(kind, names, SL_DEVICE_KINDS);
    return sl_fail(error, SL_NOT_FOUND, "unknown device '%s'%s%s%s; devices are emu and gpu", kind,
                   near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

void sl_device_close(sl_device *device)
{
    if (!device)
        return;
    while (device->modules)
        sl_device_unload(device->modules);
    sl_array_free(&device->ranges);
    device->ops->close(device);
}

const sl_device_info *sl_device_info_of(const sl_device *device)
{
    return &device->info;
}

sl_status sl_device_alloc(sl_device *device, uint64_t bytes, const char *label, uint64_t *addr, sl_error *error)
{
    sl_status status = device->ops->alloc(device, bytes, label, addr, error);
    if (!status && !sl_array_push(&device->ranges, (sl_device_range){*addr, bytes})) {
        device->ops->free(device, *addr, NULL);
        status = sl_fail_memory(error);
    }
    return status;
}

sl_status sl_device_free(sl_device *device, uint64_t addr, sl_error *error)
{
    sl_status status = device->ops->free(device, addr, error);
    for (size_t i = 0; !status && i < device->ranges.count; i++)
        if (device->ranges.items[i].addr == addr) {
            device->ranges.count--;
            memmove(&device->ranges.items[i], &device->ranges.items[i + 1],
                    (device->ranges.count - i) * sizeof *device->ranges.items);
            break;
        }
    return status;
}

size_t sl_device_ranges(const sl_device *device, const sl_device_range **range)
{
    *range = device->ranges.items;
    return device->ranges.count;
}

sl_status sl_device_copy_in(sl_device *device, uint64_t to, const void *from, uint64_t bytes, sl_error *error)
{
    return bytes ? device->ops->copy_in(device, to, from, bytes, error) : SL_OK;
}

sl_status sl_device_copy_out(sl_device *device, void *to, uint64_t from, uint64_t bytes, sl_error *error)
{
    return bytes ? device->ops->copy_out(device, to, from, bytes, error) : SL_OK;
}

sl_status sl_device_fill(sl_device *device, uint64_t addr, uint8_t value, uint64_t bytes, sl_error *error)
{
    return bytes ? device->ops->fill(device, addr, value, bytes, error) : SL_OK;
}

sl_status sl_device_copy_within(sl_device *device, uint64_t to, uint64_t from, uint64_t bytes, sl_error *error)
{
    return bytes ? device->ops->copy_within(device, to, from, bytes, error) : SL_OK;
}

/* A module that is not in the device's list yet. */
static sl_status load_one(sl_device *device, const char *ptx, size_t length, const char *name, sl_device_module **out,
                          sl_error *error)
{
    sl_device_module *module = calloc(1, sizeof *module);
    if (!module)
        return sl_fail_memory(error);
    module->device = device;
    sl_status status = sl_ptx_parse(ptx, length, name, &module->ptx, error);
    if (!status)
        status = device->ops->load(module, ptx, length, error);
    if (status) {
        sl_ptx_free(module->ptx);
        free(module);
        return status;
    }
    *out = module;
    return SL_OK;
}

static void enlist(sl_device *device, sl_device_module *module)
{
    module->next = device->modules;
    device->modules = module;
}

sl_status sl_device_load(sl_device *device, const char *ptx, size_t length, const char *name, sl_device_module **out,
                         sl_error *error)
{
    sl_status status = load_one(device, ptx, length, name, out, error);
    if (!status)
        enlist(device, *out);
    return status;
}

typedef struct load_work {
    sl_device *device;
    const char *const *ptx;
    const size_t *length;
    const char *name;
    sl_device_module **module;
} load_work;

static sl_status load_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    const load_work *w = context;
    (void)worker;
    return load_one(w->device, w->ptx[index], w->length[index], w->name, &w->module[index], error);
}

sl_status sl_device_load_many(sl_device *device, const char *const *ptx, const size_t *length, size_t count,
                              const char *name, sl_pool *pool, sl_device_module **module, sl_error *error)
{
    load_work work = {device, ptx, length, name, module};
    memset(module, 0, count * sizeof *module);
    sl_status status = sl_pool_run(device->ops->loads_side_by_side ? pool : NULL, count, load_job, &work, error);
    for (size_t i = 0; i < count; i++)
        if (module[i])
            enlist(device, module[i]);
    for (size_t i = 0; i < count && status; i++)
        sl_device_unload(module[i]);
    return status;
}

void sl_device_unload(sl_device_module *module)
{
    if (!module)
        return;
    sl_device_module **link = &module->device->modules;
    while (*link != module)
        link = &(*link)->next;
    *link = module->next;
    if (!module->adopted)
        module->device->ops->unload(module);
    while (module->kernels) {
        sl_device_kernel *kernel = module->kernels;
        module->kernels = kernel->next;
        free(kernel);
    }
    sl_ptx_free(module->ptx);
    free(module);
}

const sl_ptx_module *sl_device_module_ptx(const sl_device_module *module)
{
    return module->ptx;
}

static bool is_kernel(const sl_ptx_func *func)
{
    return func->entry && func->has_body;
}

/* The message for a name that is not there, with the nearest of `candidates`. */
static sl_status no_such(const sl_ptx_module *ptx, const char *what, const char *name, const char *const *candidates,
                         size_t count, sl_error *error)
{
    const char *near = sl_suggest(name, candidates, count);
    if (near)
        return sl_fail(error, SL_NOT_FOUND, "%s has no %s '%s'; the nearest is '%s'", ptx->name, what, name, near);
    if (count)
        return sl_fail(error, SL_NOT_FOUND, "%s has no %s '%s'; it has '%s'%s", ptx->name, what, name, candidates[0],
                       count > 1 ? " and others" : "");
    return sl_fail(error, SL_NOT_FOUND, "%s has no %s '%s', nor any other", ptx->name, what, name);
}

static sl_status find_kernel(const sl_ptx_module *ptx, const char *name, const sl_ptx_func **found, sl_error *error)
{
    const char **names = malloc((ptx->funcs + 1) * sizeof *names);
    if (!names)
        return sl_fail_memory(error);
    size_t count = 0;
    sl_status status = SL_OK;
    *found = NULL;
    for (uint32_t i = 0; i < ptx->funcs; i++) {
        if (!is_kernel(ptx->func[i]))
            continue;
        names[count++] = ptx->func[i]->name;
        if (!name || !strcmp(name, ptx->func[i]->name))
            *found = ptx->func[i];
    }
    if (!count)
        status = sl_fail(error, SL_NOT_FOUND, "%s has no kernel", ptx->name);
    else if (!name && count > 1)
        status = sl_fail(error, SL_INVALID, "%s has %zu kernels ('%s', '%s'%s); name one", ptx->name, count, names[0],
                         names[1], count > 2 ? ", …" : "");
    else if (!*found)
        status = no_such(ptx, "kernel", name, names, count, error);
    free(names);
    return status;
}

sl_status sl_device_kernel_get(sl_device_module *module, const char *name, sl_device_kernel **out, sl_error *error)
{
    const sl_ptx_func *func = NULL;
    sl_status status = find_kernel(module->ptx, name, &func, error);
    if (status)
        return status;
    for (sl_device_kernel *k = module->kernels; k; k = k->next)
        if (k->func == func) {
            *out = k;
            return SL_OK;
        }
    sl_device_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return sl_fail_memory(error);
    kernel->module = module;
    kernel->func = func;
    status = module->device->ops->prepare(kernel, error);
    if (status) {
        free(kernel);
        return status;
    }
    kernel->next = module->kernels;
    module->kernels = kernel;
    *out = kernel;
    return SL_OK;
}

sl_status sl_device_adopt(sl_device *device, const char *ptx, size_t length, const char *name, void *module_handle,
                          const char *kernel, void *kernel_handle, sl_device_kernel **out, sl_error *error)
{
    sl_device_module *module = calloc(1, sizeof *module);
    sl_device_kernel *adopted = calloc(1, sizeof *adopted);
    sl_status status = module && adopted ? SL_OK : sl_fail_memory(error);
    if (!status)
        status = sl_ptx_parse(ptx, length, name, &module->ptx, error);
    if (!status)
        status = find_kernel(module->ptx, kernel, &adopted->func, error);
    if (status) {
        sl_ptx_free(module ? module->ptx : NULL);
        free(module);
        free(adopted);
        return status;
    }
    module->device = device;
    module->handle = module_handle;
    module->adopted = true;
    module->kernels = adopted;
    adopted->module = module;
    adopted->handle = kernel_handle;
    enlist(device, module);
    *out = adopted;
    return SL_OK;
}

sl_status sl_device_adopt_range(sl_device *device, uint64_t addr, uint64_t bytes, sl_error *error)
{
    return sl_array_push(&device->ranges, (sl_device_range){addr, bytes}) ? SL_OK : sl_fail_memory(error);
}

const sl_ptx_func *sl_device_kernel_func(const sl_device_kernel *kernel)
{
    return kernel->func;
}

sl_status sl_device_symbol(sl_device_module *module, const char *name, uint64_t *addr, uint64_t *bytes, sl_error *error)
{
    const sl_ptx_module *ptx = module->ptx;
    const char **names = malloc((ptx->vars + 1) * sizeof *names);
    if (!names)
        return sl_fail_memory(error);
    size_t count = 0;
    bool found = false;
    for (uint32_t i = 0; i < ptx->vars; i++) {
        const sl_ptx_var *var = ptx->var[i];
        if (var->linkage == SL_LINK_EXTERN || (var->space != SL_SPACE_GLOBAL && var->space != SL_SPACE_CONST))
            continue;
        names[count++] = var->name;
        found |= !strcmp(name, var->name);
    }
    sl_status status = found ? module->device->ops->symbol(module, name, addr, bytes, error)
                             : no_such(ptx, "variable", name, names, count, error);
    free(names);
    return status;
}

static sl_status check_launch(const sl_ptx_func *func, const sl_device_launch *launch, sl_error *error)
{
    char name[256];
    sl_function_name(func->name, name, sizeof name);
    for (int i = 0; i < 3; i++)
        if (!launch->grid[i] || !launch->block[i])
            return sl_fail(error, SL_INVALID, "%s: %s.%c is 0", name, launch->grid[i] ? "block" : "grid", "xyz"[i]);
    if (launch->args != func->params)
        return sl_fail(error, SL_INVALID, "%s takes %u argument%s, not %zu", name, func->params,
                       func->params == 1 ? "" : "s", launch->args);
    for (uint32_t i = 0; i < func->params; i++)
        if (launch->arg[i].bytes != func->param[i]->bytes)
            return sl_fail(error, SL_INVALID, "argument %u of %s is %zu bytes, but the parameter takes %llu", i, name,
                           launch->arg[i].bytes, (unsigned long long)func->param[i]->bytes);
    return SL_OK;
}

static sl_status run_timed(sl_device *device, sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error)
{
    sl_device_event *begin = NULL, *end = NULL;
    double nanoseconds = 0;
    sl_status status = sl_device_event_create(device, &begin, error);
    if (!status)
        status = sl_device_event_create(device, &end, error);
    if (!status)
        status = sl_device_event_record(device, begin, error);
    if (!status)
        status = device->ops->launch(kernel, launch, error);
    if (!status)
        status = sl_device_event_record(device, end, error);
    if (!status)
        status = sl_device_event_elapsed(device, begin, end, &nanoseconds, error);
    if (!status)
        device->config.timed(device->config.timed_context, kernel, launch, nanoseconds);
    sl_device_event_destroy(device, begin);
    sl_device_event_destroy(device, end);
    return status;
}

sl_status sl_device_run(sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error)
{
    sl_device *device = kernel->module->device;
    sl_status status = check_launch(kernel->func, launch, error);
    if (status)
        return status;
    if (device->config.launching)
        return device->config.launching(device->config.launching_context, kernel, launch, error);
    if (device->config.timed && device->ops->event_create)
        return run_timed(device, kernel, launch, error);
    return device->ops->launch(kernel, launch, error);
}

sl_status sl_device_launch_now(sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error)
{
    sl_status status = check_launch(kernel->func, launch, error);
    return status ? status : kernel->module->device->ops->launch(kernel, launch, error);
}

sl_status sl_device_residency(sl_device_kernel *kernel, const sl_device_launch *launch, uint32_t *blocks,
                              uint32_t *static_shared_bytes, sl_error *error)
{
    const sl_device_ops *ops = kernel->module->device->ops;
    *blocks = *static_shared_bytes = 0;
    return ops->residency ? ops->residency(kernel, launch, blocks, static_shared_bytes, error) : SL_OK;
}

sl_status sl_device_synchronize(sl_device *device, sl_error *error)
{
    return device->ops->synchronize ? device->ops->synchronize(device, error) : SL_OK;
}

static sl_status no_events(const sl_device *device, sl_error *error)
{
    return sl_fail(error, SL_UNSUPPORTED, "device '%s' has no timer: only a real GPU can be timed", device->ops->name);
}

sl_status sl_device_event_create(sl_device *device, sl_device_event **event, sl_error *error)
{
    return device->ops->event_create ? device->ops->event_create(device, event, error) : no_events(device, error);
}

void sl_device_event_destroy(sl_device *device, sl_device_event *event)
{
    if (event)
        device->ops->event_destroy(device, event);
}

sl_status sl_device_event_record(sl_device *device, sl_device_event *event, sl_error *error)
{
    return device->ops->event_record ? device->ops->event_record(device, event, error) : no_events(device, error);
}

sl_status sl_device_event_elapsed(sl_device *device, sl_device_event *begin, sl_device_event *end, double *nanoseconds,
                                  sl_error *error)
{
    return device->ops->event_elapsed ? device->ops->event_elapsed(device, begin, end, nanoseconds, error)
                                      : no_events(device, error);
}
