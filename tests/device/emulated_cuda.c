/* SPDX-License-Identifier: MIT */
/* A CUDA driver library for tests that runs kernels on the emulator, and says how long they took by a rule of its own:
 * 200 microseconds, of which a load of the parameter with number 1 takes off 10 % for L1::no_allocate and 3 % for
 * L2::cache_hint with the policy "evict first", and a load of anything else adds 4 % and 2 %. A small noise repeats in
 * every run. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "device/cuda_driver.h"
#include "device/device.h"
#include "tune/ptx_loads.h"

#define EXPORT __attribute__((visibility("default")))

struct cu_context {
    int unused;
};
struct cu_module {
    sl_device_module *module;
};
struct cu_function {
    sl_device_kernel *kernel;
    double ms;
    cu_function next; /* of all, for leak checkers */
};
struct cu_event {
    double ms;
};

static struct cu_context context;
static sl_device *device;
static cu_function functions; /* live as long as the process, as few as they are */
static double now;
static sl_random noise;
static sl_error error;

#define DECLARE(member, symbol, params) EXPORT cu_result symbol params;
SL_CUDA_DRIVER_TABLE(DECLARE)

cu_result cuInit(unsigned flags)
{
    (void)flags;
    noise = sl_random_seed(7);
    now = 0;
    return device || !sl_device_open("emu", NULL, &device, &error) ? 0 : CU_NO_DEVICE;
}

cu_result cuGetErrorName(cu_result result, const char **name)
{
    (void)result;
    *name = "EMULATED";
    return 0;
}

cu_result cuGetErrorString(cu_result result, const char **text)
{
    (void)result;
    *text = error.text;
    return 0;
}

cu_result cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}

cu_result cuDeviceGet(cu_device *out, int ordinal)
{
    *out = ordinal;
    return 0;
}

cu_result cuDeviceGetName(char *name, int bytes, cu_device of)
{
    (void)of;
    snprintf(name, (size_t)bytes, "Emulated GPU");
    return 0;
}

cu_result cuDeviceGetAttribute(int *value, int attribute, cu_device of)
{
    (void)of;
    *value = attribute == CU_ATTR_CAPABILITY_MAJOR       ? 9
             : attribute == CU_ATTR_WARP_SIZE            ? 32
             : attribute == CU_ATTR_MAX_SHARED_PER_BLOCK ? 49152
                                                         : 0;
    return 0;
}

cu_result cuDeviceTotalMem_v2(size_t *bytes, cu_device of)
{
    (void)of;
    *bytes = (size_t)1 << 34;
    return 0;
}

cu_result cuDevicePrimaryCtxRetain(cu_context *out, cu_device of)
{
    (void)of;
    *out = &context;
    return 0;
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device of)
{
    (void)of;
    return 0;
}

cu_result cuCtxSetCurrent(cu_context current)
{
    (void)current;
    return 0;
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
    return 0;
}

cu_result cuMemAlloc_v2(cu_deviceptr *addr, size_t bytes)
{
    return sl_device_alloc(device, bytes, NULL, addr, &error) ? CU_OUT_OF_MEMORY : 0;
}

cu_result cuMemFree_v2(cu_deviceptr addr)
{
    return sl_device_free(device, addr, &error) ? CU_ILLEGAL_ADDRESS : 0;
}

cu_result cuMemcpyHtoD_v2(cu_deviceptr to, const void *from, size_t bytes)
{
    return sl_device_copy_in(device, to, from, bytes, &error) ? CU_ILLEGAL_ADDRESS : 0;
}

cu_result cuMemcpyDtoH_v2(void *to, cu_deviceptr from, size_t bytes)
{
    return sl_device_copy_out(device, to, from, bytes, &error) ? CU_ILLEGAL_ADDRESS : 0;
}

cu_result cuMemcpyDtoD_v2(cu_deviceptr to, cu_deviceptr from, size_t bytes)
{
    return sl_device_copy_within(device, to, from, bytes, &error) ? CU_ILLEGAL_ADDRESS : 0;
}

cu_result cuMemsetD8_v2(cu_deviceptr addr, unsigned char value, size_t bytes)
{
    return sl_device_fill(device, addr, value, bytes, &error) ? CU_ILLEGAL_ADDRESS : 0;
}

cu_result cuModuleLoadDataEx(cu_module *out, const void *image, unsigned options, int *option, void **value)
{
    (void)options, (void)option, (void)value;
    static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* drivers are called by several threads */
    *out = calloc(1, sizeof **out);
    pthread_mutex_lock(&loading);
    sl_status status = sl_device_load(device, image, strlen(image), "ptx", &(*out)->module, &error);
    pthread_mutex_unlock(&loading);
    if (!status)
        return 0;
    free(*out);
    return CU_INVALID_PTX;
}

cu_result cuModuleUnload(cu_module module)
{
    sl_device_unload(module->module);
    free(module);
    return 0;
}

/* Whether a load has a hint with the policy "evict first, all of it". */
static bool evicts_first(const sl_ptx_inst *load)
{
    return sl_ptx_has(load, SL_MOD_L2_CACHE_HINT) &&
           load->operand[load->operands - 1].bits == UINT64_C(0x12F0000000000000);
}

/* Percent that the operators of a kernel's loads take off its time. */
static double gain_of(const sl_ptx_module *module, const sl_ptx_func *func)
{
    sl_arena arena;
    sl_load_graph graph;
    double gain = 0;
    sl_arena_init(&arena);
    if (!sl_ptx_loads(module, func, 90, &arena, &graph, &error))
        for (uint32_t i = 0; i < graph.loads; i++) {
            const char *array = graph.load[i].array, *opcode = graph.load[i].opcode;
            bool stream = array && strstr(array, "param_1") && !strchr(array, '|');
            if (strstr(opcode, "L1::no_allocate"))
                gain += stream ? 10 : -4;
            if (evicts_first(&func->inst[graph.load[i].inst]))
                gain += stream ? 3 : -2;
        }
    sl_arena_fini(&arena);
    return gain;
}

cu_result cuModuleGetFunction(cu_function *out, cu_module from, const char *name)
{
    *out = calloc(1, sizeof **out);
    if (sl_device_kernel_get(from->module, name, &(*out)->kernel, &error)) {
        free(*out);
        return CU_INVALID_IMAGE;
    }
    (*out)->next = functions;
    functions = *out;
    const sl_ptx_func *func = sl_device_kernel_func((*out)->kernel);
    (*out)->ms = 0.2 * (1 - gain_of(sl_device_module_ptx(from->module), func) / 100);
    return 0;
}

cu_result cuModuleGetGlobal_v2(cu_deviceptr *addr, size_t *bytes, cu_module from, const char *name)
{
    uint64_t size;
    if (sl_device_symbol(from->module, name, addr, &size, &error))
        return CU_INVALID_IMAGE;
    *bytes = size;
    return 0;
}

cu_result cuFuncSetAttribute(cu_function function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
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
    (void)limit, (void)bytes;
    return 0;
}

cu_result cuCtxResetPersistingL2Cache(void)
{
    return 0;
}

cu_result cuLaunchKernelEx(const cu_launch_config *c, cu_function function, void **params, void **extra)
{
    return cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                          c->shared_bytes, c->stream, params, extra);
}

cu_result cuLaunchKernel(cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                         unsigned bz, unsigned shared_bytes, cu_stream stream, void **params, void **extra)
{
    const sl_ptx_func *func = sl_device_kernel_func(function->kernel);
    sl_device_arg arg[64];
    (void)stream, (void)extra;
    for (uint32_t i = 0; i < func->params && i < 64; i++)
        arg[i] = (sl_device_arg){params[i], func->param[i]->bytes};
    sl_device_launch launch = {{gx, gy, gz}, {bx, by, bz}, shared_bytes, func->params, arg, {0}};
    now += function->ms * (1 + 0.002 * (sl_random_f64(&noise) - 0.5));
    return sl_device_run(function->kernel, &launch, &error) ? CU_LAUNCH_FAILED : 0;
}

cu_result cuEventCreate(cu_event *event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return 0;
}

cu_result cuEventDestroy_v2(cu_event event)
{
    free(event);
    return 0;
}

cu_result cuEventRecord(cu_event event, cu_stream stream)
{
    (void)stream;
    event->ms = now;
    return 0;
}

cu_result cuEventSynchronize(cu_event event)
{
    (void)event;
    return 0;
}

cu_result cuEventElapsedTime(float *milliseconds, cu_event begin, cu_event end)
{
    *milliseconds = (float)(end->ms - begin->ms);
    return 0;
}
