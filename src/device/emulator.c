/* SPDX-License-Identifier: MIT */
/* The emulator as a device. The host has device memory a shift away (emu/heap.h): copies are memcpy after a check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "emu/emu.h"

typedef struct emulator {
    sl_device base;
    sl_emu *emu;
} emulator;

static sl_emu *emu_of(sl_device *device)
{
    return ((emulator *)device)->emu;
}

static sl_status emulator_open(const sl_device_config *config, sl_device **device, sl_error *error)
{
    static const sl_emu_config defaults;
    const sl_emu_config *settings = config->emu ? config->emu : &defaults;
    emulator *self = calloc(1, sizeof *self);
    if (!self)
        return sl_fail_memory(error);
    sl_status status = sl_emu_create(settings, &self->emu, error);
    if (status) {
        free(self);
        return status;
    }
    sl_device_info *info = &self->base.info;
    snprintf(info->name, sizeof info->name, "emulator");
    info->lanes = settings->settings.lanes ? (uint32_t)settings->settings.lanes : 32;
    info->emulated = true;
    info->limits = *sl_emu_limits(self->emu);
    *device = &self->base;
    return SL_OK;
}

static void emulator_close(sl_device *device)
{
    sl_emu_destroy(emu_of(device));
    free(device);
}

static sl_status emulator_alloc(sl_device *device, uint64_t bytes, const char *label, uint64_t *addr, sl_error *error)
{
    return sl_heap_alloc(sl_emu_heap(emu_of(device)), bytes, SL_ALLOC_DEVICE, label, addr, error);
}

static sl_status emulator_free(sl_device *device, uint64_t addr, sl_error *error)
{
    return sl_heap_free(sl_emu_heap(emu_of(device)), addr, error);
}

/* Host code is checked like kernels are: a range must lie in one live allocation. */
static sl_status check_range(sl_heap *heap, const char *what, uint64_t addr, uint64_t bytes, sl_error *error)
{
    if (sl_heap_contains(heap, addr, bytes))
        return SL_OK;
    const sl_alloc *near = sl_heap_nearest(heap, addr);
    if (!near)
        return sl_fail(error, SL_INVALID, "%s %llu bytes at 0x%llx: nothing is allocated", what,
                       (unsigned long long)bytes, (unsigned long long)addr);
    return sl_fail(error, SL_INVALID,
                   "%s %llu bytes at 0x%llx: not inside an allocation; the nearest%s%s%s is %llu bytes at 0x%llx%s",
                   what, (unsigned long long)bytes, (unsigned long long)addr, near->label ? " ('" : "",
                   near->label ? near->label : "", near->label ? "')" : "", (unsigned long long)near->bytes,
                   (unsigned long long)near->base, near->live ? "" : ", freed");
}

static sl_status emulator_copy_in(sl_device *device, uint64_t to, const void *from, uint64_t bytes, sl_error *error)
{
    sl_heap *heap = sl_emu_heap(emu_of(device));
    sl_status status = check_range(heap, "copy in", to, bytes, error);
    if (status)
        return status;
    memcpy(sl_heap_host(heap, to), from, bytes);
    sl_heap_mark_written(heap, to, bytes);
    return SL_OK;
}

static sl_status emulator_copy_out(sl_device *device, void *to, uint64_t from, uint64_t bytes, sl_error *error)
{
    sl_heap *heap = sl_emu_heap(emu_of(device));
    sl_status status = check_range(heap, "copy out", from, bytes, error);
    if (status)
        return status;
    memcpy(to, sl_heap_host(heap, from), bytes);
    return SL_OK;
}

static sl_status emulator_fill(sl_device *device, uint64_t addr, uint8_t value, uint64_t bytes, sl_error *error)
{
    sl_heap *heap = sl_emu_heap(emu_of(device));
    sl_status status = check_range(heap, "fill", addr, bytes, error);
    if (status)
        return status;
    memset(sl_heap_host(heap, addr), value, bytes);
    sl_heap_mark_written(heap, addr, bytes);
    return SL_OK;
}

static sl_status emulator_copy_within(sl_device *device, uint64_t to, uint64_t from, uint64_t bytes, sl_error *error)
{
    sl_heap *heap = sl_emu_heap(emu_of(device));
    sl_status status = check_range(heap, "copy out", from, bytes, error);
    return status ? status : emulator_copy_in(device, to, sl_heap_host(heap, from), bytes, error);
}

static sl_status emulator_load(sl_device_module *module, const char *ptx, size_t length, sl_error *error)
{
    (void)ptx, (void)length;
    const sl_ptx_module *parsed = module->ptx;
    sl_emu_program *program;
    sl_status status = sl_emu_load(emu_of(module->device), &parsed, 1, &program, error);
    if (!status)
        module->handle = program;
    return status;
}

static void emulator_unload(sl_device_module *module)
{
    sl_emu_unload(emu_of(module->device), module->handle);
}

static sl_status emulator_symbol(sl_device_module *module, const char *name, uint64_t *addr, uint64_t *bytes,
                                 sl_error *error)
{
    return sl_emu_symbol(module->handle, name, addr, bytes, error);
}

static sl_status emulator_prepare(sl_device_kernel *kernel, sl_error *error)
{
    sl_emu_kernel *prepared;
    sl_status status = sl_emu_kernel_get(kernel->module->handle, kernel->func->name, &prepared, error);
    if (!status)
        kernel->handle = prepared;
    return status;
}

static sl_status emulator_launch(sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error)
{
    const sl_ptx_func *func = kernel->func;
    uint8_t *params = calloc(1, func->param_bytes + 1);
    if (!params)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < func->params; i++)
        memcpy(params + func->param[i]->offset, launch->arg[i].data, launch->arg[i].bytes);
    sl_emu_launch emulated = {
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .params = params,
        .param_bytes = func->param_bytes,
    };
    memcpy(emulated.grid, launch->grid, sizeof emulated.grid);
    memcpy(emulated.block, launch->block, sizeof emulated.block);
    sl_status status = sl_emu_run(emu_of(kernel->module->device), kernel->handle, &emulated, NULL, error);
    free(params);
    return status;
}

const sl_device_ops sl_device_emulator = {
    .name = "emu",
    .summary = "the emulator: any machine, launches can be recorded",
    .open = emulator_open,
    .close = emulator_close,
    .alloc = emulator_alloc,
    .free = emulator_free,
    .copy_in = emulator_copy_in,
    .copy_out = emulator_copy_out,
    .fill = emulator_fill,
    .copy_within = emulator_copy_within,
    .load = emulator_load,
    .unload = emulator_unload,
    .symbol = emulator_symbol,
    .prepare = emulator_prepare,
    .launch = emulator_launch,
};
