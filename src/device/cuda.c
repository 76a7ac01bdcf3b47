/* SPDX-License-Identifier: MIT */
/* A real GPU as a device, through the CUDA driver library (libcuda.so.1), which is loaded when the device is opened:
 * neither building nor starting Sluice needs CUDA. PTX is compiled by the driver. One context, the default stream. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda_driver.h"
#include "device/device.h"

typedef struct cuda_device {
    sl_device base;
    void *library;
    sl_cuda_driver cu;
    cu_device device;
    cu_context context;
    bool attached;         /* the context is another's */
    uint64_t set_aside;    /* bytes of L2 for windows of launches */
    char last_kernel[128]; /* errors of a kernel are reported by a later call */
} cuda_device;

static cuda_device *self_of(sl_device *device)
{
    return (cuda_device *)device;
}

static sl_status status_of(cu_result result)
{
    if (result == CU_OUT_OF_MEMORY)
        return SL_LIMIT;
    if (result == CU_NO_DEVICE || result == CU_INVALID_DEVICE)
        return SL_NOT_FOUND;
    if (result == CU_NO_BINARY_FOR_GPU || result == CU_UNSUPPORTED_PTX_VERSION)
        return SL_UNSUPPORTED;
    if (result == CU_INVALID_IMAGE || result == CU_INVALID_PTX)
        return SL_SYNTAX;
    if (result >= CU_ILLEGAL_ADDRESS && result <= CU_LAUNCH_FAILED)
        return SL_FAULT;
    return SL_INVALID;
}

/* SL_OK, or the driver's description of the error in `what`. */
static sl_status check(cuda_device *self, cu_result result, const char *what, sl_error *error)
{
    if (!result)
        return SL_OK;
    const char *name = NULL, *text = NULL;
    self->cu.get_error_name(result, &name);
    self->cu.get_error_string(result, &text);
    sl_status status = status_of(result);
    bool asynchronous = status == SL_FAULT && self->last_kernel[0];
    return sl_fail(error, status, "the GPU failed to %s: %s (%s, error %d)%s%s", what, text ? text : "no description",
                   name ? name : "unknown", result, asynchronous ? "; the last kernel launched was " : "",
                   asynchronous ? self->last_kernel : "");
}

static sl_status load_driver(cuda_device *self, const char *library, sl_error *error)
{
    self->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!self->library) {
        const char *reason = dlerror();
        return sl_fail(error, SL_NOT_FOUND,
                       "no GPU to run on: the CUDA driver library %s cannot be loaded (%s). It comes with the NVIDIA "
                       "driver; without one there are the emulator and the simulator (leave out --on gpu)",
                       library, reason ? reason : "no reason given");
    }
    /* POSIX wants function pointers read through an object pointer. */
#define SL_CUDA_RESOLVE(member, symbol, params)                                                                        \
    *(void **)&self->cu.member = dlsym(self->library, #symbol);                                                        \
    if (!self->cu.member)                                                                                              \
        return sl_fail(error, SL_UNSUPPORTED, "the CUDA driver library %s has no %s: the driver is too old", library,  \
                       #symbol);
    SL_CUDA_DRIVER_TABLE(SL_CUDA_RESOLVE)
#undef SL_CUDA_RESOLVE
    return SL_OK;
}

static uint32_t attribute(cuda_device *self, int which)
{
    int value = 0;
    self->cu.device_attribute(&value, which, self->device);
    return value > 0 ? (uint32_t)value : 0;
}

static void describe(cuda_device *self)
{
    sl_device_info *info = &self->base.info;
    if (self->cu.device_name(info->name, sizeof info->name, self->device))
        snprintf(info->name, sizeof info->name, "GPU");
    info->sm = 10 * attribute(self, CU_ATTR_CAPABILITY_MAJOR) + attribute(self, CU_ATTR_CAPABILITY_MINOR);
    info->lanes = attribute(self, CU_ATTR_WARP_SIZE);
    sl_gpu_limits *limits = &info->limits;
    limits->sms = attribute(self, CU_ATTR_SM_COUNT);
    limits->max_threads_per_block = attribute(self, CU_ATTR_MAX_THREADS_PER_BLOCK);
    for (int i = 0; i < 3; i++) {
        limits->max_block[i] = attribute(self, CU_ATTR_MAX_BLOCK_DIM_X + i);
        limits->max_grid[i] = attribute(self, CU_ATTR_MAX_GRID_DIM_X + i);
    }
    limits->max_threads_per_sm = attribute(self, CU_ATTR_MAX_THREADS_PER_SM);
    limits->max_blocks_per_sm = attribute(self, CU_ATTR_MAX_BLOCKS_PER_SM);
    limits->registers_per_sm = attribute(self, CU_ATTR_MAX_REGISTERS_PER_SM);
    limits->shared_per_block = attribute(self, CU_ATTR_MAX_SHARED_PER_BLOCK);
    limits->shared_per_block_optin = attribute(self, CU_ATTR_MAX_SHARED_PER_BLOCK_OPTIN);
    limits->shared_per_sm = attribute(self, CU_ATTR_MAX_SHARED_PER_SM);
    limits->reserved_shared_per_block = attribute(self, CU_ATTR_RESERVED_SHARED_PER_BLOCK);
    limits->const_bytes = attribute(self, CU_ATTR_TOTAL_CONST);
    size_t bytes = 0;
    self->cu.device_memory(&bytes, self->device);
    limits->memory_bytes = bytes;
}

static sl_status find_device(cuda_device *self, int ordinal, sl_error *error)
{
    int count = 0;
    sl_status status = check(self, self->cu.init(0), "start (cuInit)", error);
    if (!status)
        status = check(self, self->cu.device_count(&count), "count devices", error);
    if (status)
        return status;
    if (ordinal < 0 || ordinal >= count)
        return sl_fail(error, SL_NOT_FOUND, "no GPU %d: the driver sees %d (numbered from 0)", ordinal, count);
    status = check(self, self->cu.device_get(&self->device, ordinal), "open the device", error);
    if (!status)
        status = check(self, self->cu.context_retain(&self->context, self->device), "make a context", error);
    if (!status)
        status = check(self, self->cu.context_set(self->context), "enter its context", error);
    return status;
}

/* The context that the thread has. */
static sl_status attach(cuda_device *self, sl_error *error)
{
    self->attached = true;
    sl_status status = check(self, self->cu.context_get(&self->context), "find its context", error);
    return status ? status : check(self, self->cu.context_device(&self->device), "find its device", error);
}

/* Sets L2 aside for the window of a launch, as much of it as there may be; nothing where there is none. */
static sl_status set_aside(cuda_device *self, uint64_t bytes, sl_error *error)
{
    int max = 0;
    if (bytes)
        self->cu.device_attribute(&max, CU_ATTR_MAX_PERSISTING_L2, self->device);
    bytes = bytes < (uint64_t)max ? bytes : (uint64_t)max;
    if (bytes == self->set_aside)
        return SL_OK;
    sl_status status = SL_OK;
    if (self->set_aside)
        status = check(self, self->cu.reset_persisting(), "reset L2", error);
    if (!status)
        status = check(self, self->cu.limit_set(CU_LIMIT_PERSISTING_L2, bytes), "set L2 aside", error);
    self->set_aside = bytes;
    return status;
}

static void cuda_close(sl_device *device)
{
    cuda_device *self = self_of(device);
    if (self->set_aside)
        set_aside(self, 0, NULL);
    if (self->context && !self->attached)
        self->cu.context_release(self->device);
    if (self->library)
        dlclose(self->library);
    free(self);
}

static sl_status cuda_open(const sl_device_config *config, sl_device **device, sl_error *error)
{
    cuda_device *self = calloc(1, sizeof *self);
    if (!self)
        return sl_fail_memory(error);
    sl_status status = load_driver(self, config->library ? config->library : "libcuda.so.1", error);
    if (!status)
        status = config->attach ? attach(self, error) : find_device(self, config->ordinal, error);
    if (status) {
        cuda_close(&self->base);
        return status;
    }
    describe(self);
    *device = &self->base;
    return SL_OK;
}

static sl_status cuda_alloc(sl_device *device, uint64_t bytes, const char *label, uint64_t *addr, sl_error *error)
{
    cuda_device *self = self_of(device);
    char what[96];
    snprintf(what, sizeof what, "allocate %llu bytes%s%.40s", (unsigned long long)bytes, label ? " for " : "",
             label ? label : "");
    return check(self, self->cu.mem_alloc(addr, bytes ? bytes : 1), what, error);
}

static sl_status cuda_free(sl_device *device, uint64_t addr, sl_error *error)
{
    return check(self_of(device), self_of(device)->cu.mem_free(addr), "free memory", error);
}

static sl_status cuda_copy_in(sl_device *device, uint64_t to, const void *from, uint64_t bytes, sl_error *error)
{
    return check(self_of(device), self_of(device)->cu.copy_htod(to, from, bytes), "copy in", error);
}

static sl_status cuda_copy_out(sl_device *device, void *to, uint64_t from, uint64_t bytes, sl_error *error)
{
    return check(self_of(device), self_of(device)->cu.copy_dtoh(to, from, bytes), "copy out", error);
}

static sl_status cuda_fill(sl_device *device, uint64_t addr, uint8_t value, uint64_t bytes, sl_error *error)
{
    return check(self_of(device), self_of(device)->cu.memset_d8(addr, value, bytes), "fill memory", error);
}

static sl_status cuda_copy_within(sl_device *device, uint64_t to, uint64_t from, uint64_t bytes, sl_error *error)
{
    return check(self_of(device), self_of(device)->cu.copy_dtod(to, from, bytes), "copy on the device", error);
}

static sl_status cuda_load(sl_device_module *module, const char *ptx, size_t length, sl_error *error)
{
    cuda_device *self = self_of(module->device);
    char log[700] = "";
    char *text = malloc(length + 1); /* the driver wants an end mark */
    if (!text)
        return sl_fail_memory(error);
    memcpy(text, ptx, length);
    text[length] = '\0';
    self->cu.context_set(self->context); /* of this thread: several may be compiling */
    int options[] = {CU_JIT_OPT_ERROR_LOG, CU_JIT_OPT_ERROR_LOG_BYTES, CU_JIT_OPT_LINE_INFO};
    void *values[] = {log, (void *)(uintptr_t)sizeof log, (void *)(uintptr_t)1};
    cu_module loaded;
    cu_result result = self->cu.module_load(&loaded, text, 3, options, values);
    free(text);
    if (!result) {
        module->handle = loaded;
        return SL_OK;
    }
    log[sizeof log - 1] = '\0';
    log[strcspn(log, "\n")] = '\0'; /* its first line says what is wrong, the rest what follows from it */
    if (!log[0])
        return check(self, result, "compile the PTX", error);
    return sl_fail_at(error, status_of(result), module->ptx->name, 0, 0, "the driver rejects this PTX: %s", log);
}

static void cuda_unload(sl_device_module *module)
{
    self_of(module->device)->cu.module_unload(module->handle);
}

static sl_status cuda_symbol(sl_device_module *module, const char *name, uint64_t *addr, uint64_t *bytes,
                             sl_error *error)
{
    cuda_device *self = self_of(module->device);
    size_t size = 0;
    sl_status status = check(self, self->cu.module_global(addr, &size, module->handle, name), "find a variable", error);
    *bytes = size;
    return status;
}

static sl_status cuda_prepare(sl_device_kernel *kernel, sl_error *error)
{
    cuda_device *self = self_of(kernel->module->device);
    cu_function function;
    sl_status status = check(self, self->cu.module_function(&function, kernel->module->handle, kernel->func->name),
                             "find a kernel", error);
    if (!status)
        kernel->handle = function;
    return status;
}

static sl_status cuda_residency(sl_device_kernel *kernel, const sl_device_launch *launch, uint32_t *blocks,
                                uint32_t *static_shared_bytes, sl_error *error)
{
    cuda_device *self = self_of(kernel->module->device);
    int resident = 0, bytes = 0;
    sl_status status =
        check(self, self->cu.function_get(&bytes, CU_FUNC_STATIC_SHARED, kernel->handle), "describe a kernel", error);
    if (!status)
        status = check(self,
                       self->cu.occupancy(&resident, kernel->handle,
                                          (int)(launch->block[0] * launch->block[1] * launch->block[2]),
                                          launch->dynamic_shared_bytes),
                       "describe a kernel", error);
    *blocks = (uint32_t)resident;
    *static_shared_bytes = (uint32_t)bytes;
    return status;
}

/* What the settings of a launch change before it. */
static sl_status set(cuda_device *self, sl_device_kernel *kernel, const sl_launch_settings *settings, sl_error *error)
{
    enum { NO_PREFERENCE = -1 };
    sl_status status = SL_OK;
    if (settings->shared_percent_plus != kernel->shared_percent_plus) {
        uint32_t plus = kernel->shared_percent_plus = settings->shared_percent_plus;
        int percent = plus ? (int)plus - 1 : NO_PREFERENCE;
        status =
            check(self, self->cu.function_set(kernel->handle, CU_FUNC_CARVE_OUT, percent), "set a carve-out", error);
    }
    return status ? status : set_aside(self, settings->window_bytes, error);
}

static cu_result launch_with_window(cuda_device *self, sl_device_kernel *kernel, const sl_device_launch *launch,
                                    void **params)
{
    const sl_launch_settings *s = &launch->settings;
    int max = 0;
    self->cu.device_attribute(&max, CU_ATTR_MAX_WINDOW, self->device);
    cu_launch_attribute window = sl_cu_window(s->window, s->window_bytes, max, self->set_aside);
    cu_launch_config config = {.shared_bytes = launch->dynamic_shared_bytes, .attribute = &window, .attributes = 1};
    memcpy(config.grid, launch->grid, sizeof config.grid);
    memcpy(config.block, launch->block, sizeof config.block);
    return self->cu.launch_ex(&config, kernel->handle, params, NULL);
}

static sl_status cuda_launch(sl_device_kernel *kernel, const sl_device_launch *launch, sl_error *error)
{
    cuda_device *self = self_of(kernel->module->device);
    char what[160];
    snprintf(what, sizeof what, "launch %.128s", kernel->func->name);
    void **params = calloc(launch->args + 1, sizeof *params);
    if (!params)
        return sl_fail_memory(error);
    for (size_t i = 0; i < launch->args; i++)
        params[i] = (void *)(uintptr_t)launch->arg[i].data; /* the driver only reads them */
    sl_status status = SL_OK;
    /* More shared memory than every GPU has must be asked for by name. */
    if (launch->dynamic_shared_bytes > self->base.info.limits.shared_per_block)
        status = check(
            self, self->cu.function_set(kernel->handle, CU_FUNC_MAX_DYNAMIC_SHARED, (int)launch->dynamic_shared_bytes),
            what, error);
    if (!status)
        status = set(self, kernel, &launch->settings, error);
    const uint32_t *grid = launch->grid, *block = launch->block;
    if (!status && launch->settings.window_bytes)
        status = check(self, launch_with_window(self, kernel, launch, params), what, error);
    else if (!status)
        status = check(self,
                       self->cu.launch(kernel->handle, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                       launch->dynamic_shared_bytes, NULL, params, NULL),
                       what, error);
    free(params);
    if (!status)
        snprintf(self->last_kernel, sizeof self->last_kernel, "%s", kernel->func->name);
    return status;
}

static sl_status cuda_synchronize(sl_device *device, sl_error *error)
{
    return check(self_of(device), self_of(device)->cu.context_synchronize(), "finish", error);
}

static sl_status cuda_event_create(sl_device *device, sl_device_event **event, sl_error *error)
{
    cu_event created;
    sl_status status = check(self_of(device), self_of(device)->cu.event_create(&created, 0), "make an event", error);
    if (!status)
        *event = (sl_device_event *)created;
    return status;
}

static void cuda_event_destroy(sl_device *device, sl_device_event *event)
{
    self_of(device)->cu.event_destroy((cu_event)event);
}

static sl_status cuda_event_record(sl_device *device, sl_device_event *event, sl_error *error)
{
    return check(self_of(device), self_of(device)->cu.event_record((cu_event)event, NULL), "record an event", error);
}

static sl_status cuda_event_elapsed(sl_device *device, sl_device_event *begin, sl_device_event *end,
                                    double *nanoseconds, sl_error *error)
{
    cuda_device *self = self_of(device);
    float milliseconds = 0;
    sl_status status = check(self, self->cu.event_synchronize((cu_event)end), "reach an event", error);
    if (!status)
        status = check(self, self->cu.event_elapsed(&milliseconds, (cu_event)begin, (cu_event)end),
                       "take the time between events", error);
    *nanoseconds = 1e6 * (double)milliseconds;
    return status;
}

const sl_device_ops sl_device_cuda = {
    .name = "gpu",
    .summary = "a real GPU through the CUDA driver",
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .copy_in = cuda_copy_in,
    .copy_out = cuda_copy_out,
    .fill = cuda_fill,
    .copy_within = cuda_copy_within,
    .load = cuda_load,
    .loads_side_by_side = true,
    .unload = cuda_unload,
    .symbol = cuda_symbol,
    .prepare = cuda_prepare,
    .launch = cuda_launch,
    .residency = cuda_residency,
    .synchronize = cuda_synchronize,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .event_record = cuda_event_record,
    .event_elapsed = cuda_event_elapsed,
};
