/* SPDX-License-Identifier: MIT */
/* A CUDA driver library for tests: the entry points that cuda.c calls, over host memory and with two kernels written in
 * C. What it was asked for can be read back through fake_cuda_log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda_driver.h"

#define EXPORT __attribute__((visibility("default")))

struct cu_context {
    int retained;
};
struct cu_module {
    char text[8];
};
struct cu_function {
    char name[32];
    int max_dynamic_shared;
};
struct cu_event {
    float time;
};

static struct cu_context context;
static struct cu_module module;
static struct cu_function functions[2];
static uint32_t bias;
static float now;         /* milliseconds; each launch takes 2.5 */
static cu_result pending; /* what a kernel went wrong with: told by the next call that waits for it */
static char journal[4096];

EXPORT const char *fake_cuda_log(void);
const char *fake_cuda_log(void)
{
    return journal;
}

static void note(const char *what)
{
    size_t used = strlen(journal);
    snprintf(journal + used, sizeof journal - used, "%s\n", what);
}

static cu_result finish(void)
{
    cu_result result = pending;
    pending = 0;
    return result;
}

#define DECLARE(member, symbol, params) EXPORT cu_result symbol params;
SL_CUDA_DRIVER_TABLE(DECLARE)

cu_result cuInit(unsigned flags)
{
    journal[0] = '\0';
    pending = 0;
    bias = 5;
    now = 0;
    return flags;
}

cu_result cuGetErrorName(cu_result result, const char **name)
{
    *name = result == CU_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return 0;
}

cu_result cuGetErrorString(cu_result result, const char **text)
{
    *text = result == CU_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "something else";
    return 0;
}

cu_result cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}

cu_result cuDeviceGet(cu_device *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

cu_result cuDeviceGetName(char *name, int bytes, cu_device device)
{
    snprintf(name, (size_t)bytes, "Fake %d", device);
    return 0;
}

cu_result cuDeviceGetAttribute(int *value, int attribute, cu_device device)
{
    (void)device;
    *value = attribute == CU_ATTR_CAPABILITY_MAJOR       ? 9
             : attribute == CU_ATTR_WARP_SIZE            ? 32
             : attribute == CU_ATTR_MAX_SHARED_PER_BLOCK ? 49152
             : attribute == CU_ATTR_SM_COUNT             ? 132
             : attribute == CU_ATTR_MAX_PERSISTING_L2    ? 4096
             : attribute == CU_ATTR_MAX_WINDOW           ? 1 << 20
                                                         : 0;
    return 0;
}

cu_result cuDeviceTotalMem_v2(size_t *bytes, cu_device device)
{
    (void)device;
    *bytes = (size_t)1 << 30;
    return 0;
}

cu_result cuDevicePrimaryCtxRetain(cu_context *out, cu_device device)
{
    (void)device;
    context.retained++;
    *out = &context;
    return 0;
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device device)
{
    (void)device;
    context.retained--;
    note("release");
    return 0;
}

cu_result cuCtxSetCurrent(cu_context current)
{
    return current != &context;
}

cu_result cuCtxGetCurrent(cu_context *current)
{
    *current = &context;
    return 0;
}

cu_result cuCtxGetDevice(cu_device *current)
{
    *current = 0;
    return 0;
}

cu_result cuCtxSynchronize(void)
{
    return finish();
}

cu_result cuMemAlloc_v2(cu_deviceptr *addr, size_t bytes)
{
    if (bytes > (size_t)1 << 30)
        return CU_OUT_OF_MEMORY;
    *addr = (cu_deviceptr)(uintptr_t)malloc(bytes);
    return *addr ? 0 : CU_OUT_OF_MEMORY;
}

cu_result cuMemFree_v2(cu_deviceptr addr)
{
    free((void *)(uintptr_t)addr);
    return 0;
}

cu_result cuMemcpyHtoD_v2(cu_deviceptr to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return finish();
}

cu_result cuMemcpyDtoH_v2(void *to, cu_deviceptr from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return finish();
}

cu_result cuMemcpyDtoD_v2(cu_deviceptr to, cu_deviceptr from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return finish();
}

cu_result cuMemsetD8_v2(cu_deviceptr addr, unsigned char value, size_t bytes)
{
    memset((void *)(uintptr_t)addr, value, bytes);
    return finish();
}

cu_result cuModuleLoadDataEx(cu_module *out, const void *image, unsigned options, int *option, void **value)
{
    const char *text = image;
    *out = &module;
    if (!strstr(text, "sm_999"))
        return 0;
    char *log = NULL;
    size_t bytes = 0;
    for (unsigned i = 0; i < options; i++) {
        if (option[i] == CU_JIT_OPT_ERROR_LOG)
            log = value[i];
        if (option[i] == CU_JIT_OPT_ERROR_LOG_BYTES)
            bytes = (size_t)(uintptr_t)value[i];
    }
    snprintf(log, bytes, "ptxas application ptx input, line 2; error : unknown target sm_999\nptxas fatal : no");
    return CU_INVALID_PTX;
}

cu_result cuModuleUnload(cu_module unloaded)
{
    note("unload");
    return unloaded != &module;
}

cu_result cuModuleGetFunction(cu_function *out, cu_module from, const char *name)
{
    cu_function function = &functions[strcmp(name, "fill_u32") != 0];
    snprintf(function->name, sizeof function->name, "%s", name);
    function->max_dynamic_shared = 49152;
    *out = function;
    return from != &module;
}

cu_result cuModuleGetGlobal_v2(cu_deviceptr *addr, size_t *bytes, cu_module from, const char *name)
{
    *addr = (cu_deviceptr)(uintptr_t)&bias;
    *bytes = sizeof bias;
    return from != &module || strcmp(name, "bias") != 0;
}

cu_result cuFuncSetAttribute(cu_function function, int attribute, int value)
{
    if (attribute == CU_FUNC_MAX_DYNAMIC_SHARED)
        function->max_dynamic_shared = value;
    char line[64];
    snprintf(line, sizeof line, "attribute %d %d", attribute, value);
    if (attribute != CU_FUNC_MAX_DYNAMIC_SHARED)
        note(line);
    return 0;
}

cu_result cuFuncGetAttribute(int *value, int attribute, cu_function function)
{
    (void)function;
    *value = attribute == CU_FUNC_STATIC_SHARED ? 0 : -1;
    return 0;
}

cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cu_function function, int threads, size_t shared)
{
    (void)function, (void)shared;
    *blocks = 2048 / threads;
    return 0;
}

cu_result cuCtxSetLimit(int limit, size_t bytes)
{
    char line[64];
    snprintf(line, sizeof line, "limit %d %zu", limit, bytes);
    note(line);
    return 0;
}

cu_result cuCtxResetPersistingL2Cache(void)
{
    note("reset L2");
    return 0;
}

cu_result cuLaunchKernelEx(const cu_launch_config *c, cu_function function, void **params, void **extra)
{
    char line[128];
    const cu_launch_attribute *a = c->attribute;
    snprintf(line, sizeof line, "window %zu bytes, ratio %g, %d %d", a->window.bytes, (double)a->window.hit_ratio,
             a->window.hit, a->window.miss);
    note(line);
    return cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                          c->shared_bytes, c->stream, params, extra);
}

/* fill_u32 works; any other kernel touches what it must not. */
cu_result cuLaunchKernel(cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                         unsigned bz, unsigned shared_bytes, cu_stream stream, void **params, void **extra)
{
    char line[128];
    snprintf(line, sizeof line, "%s %u,%u,%u %u,%u,%u %u", function->name, gx, gy, gz, bx, by, bz, shared_bytes);
    note(line);
    now += 2.5f;
    if (stream || extra || (int)shared_bytes > function->max_dynamic_shared)
        return CU_LAUNCH_OUT_OF_RESOURCES;
    if (strcmp(function->name, "fill_u32") != 0) {
        pending = CU_ILLEGAL_ADDRESS;
        return 0;
    }
    uint32_t *out = *(uint32_t **)params[0], value = *(uint32_t *)params[1], n = *(uint32_t *)params[2];
    for (uint32_t i = 0; i < n && i < gx * bx; i++)
        out[i] = value + i;
    return 0;
}

cu_result cuEventCreate(cu_event *event, unsigned flags)
{
    *event = calloc(1, sizeof **event);
    return *event ? (cu_result)flags : CU_OUT_OF_MEMORY;
}

cu_result cuEventDestroy_v2(cu_event event)
{
    free(event);
    return 0;
}

cu_result cuEventRecord(cu_event event, cu_stream stream)
{
    event->time = now;
    return stream != NULL;
}

cu_result cuEventSynchronize(cu_event event)
{
    (void)event;
    return finish();
}

cu_result cuEventElapsedTime(float *milliseconds, cu_event begin, cu_event end)
{
    *milliseconds = end->time - begin->time;
    return 0;
}
