/* SPDX-License-Identifier: MIT */
/* Kernel launches: configuration, arguments, running, and the questions about kernels that decide a configuration. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

/* ---- <<<grid, block, shared, stream>>> ---- */

typedef struct call_configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} call_configuration;

enum { MAX_CONFIGURATIONS = 64 }; /* an argument of a launch may itself launch: they nest, but not deeply */
static _Thread_local call_configuration configurations[MAX_CONFIGURATIONS];
static _Thread_local unsigned configuration_count;

SL_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (configuration_count == MAX_CONFIGURATIONS)
        return cudaErrorMissingConfiguration;
    configurations[configuration_count++] = (call_configuration){grid, block, shared, stream};
    return cudaSuccess;
}

SL_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!configuration_count) {
        sl_rt *rt = sl_rt_enter();
        return sl_rt_leave(rt, cudaErrorMissingConfiguration);
    }
    const call_configuration *c = &configurations[--configuration_count];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

/* ---- launching ---- */

/* What the driver refuses before a kernel starts, with its error numbers. */
static cudaError_t check_launch(sl_rt *rt, const sl_rt_function *f, dim3 grid, dim3 block, size_t shared,
                                bool cooperative)
{
    const sl_gpu_limits *limits = sl_emu_limits(rt->emu);
    const uint32_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
    const sl_ptx_func *func = sl_emu_kernel_func(f->kernel);
    for (int i = 0; i < 3; i++)
        if (!g[i] || !b[i] || g[i] > limits->max_grid[i] || b[i] > limits->max_block[i])
            return cudaErrorInvalidConfiguration;
    uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    if (threads > limits->max_threads_per_block)
        return cudaErrorInvalidConfiguration;
    if (shared > f->max_dynamic_shared)
        return cudaErrorInvalidValue;
    /* __launch_bounds__: the machine code was made for no more threads than this. */
    uint64_t bound = func->maxntid[0];
    for (int i = 1; i < 3; i++)
        bound *= func->maxntid[i] ? func->maxntid[i] : 1;
    if (bound && threads > bound)
        return cudaErrorLaunchOutOfResources;
    uint32_t resident = sl_emu_occupancy_known(rt->emu, f->kernel, (uint32_t)threads, (uint32_t)shared);
    if (!resident)
        return cudaErrorLaunchOutOfResources;
    if (cooperative && (uint64_t)g[0] * g[1] * g[2] > (uint64_t)resident * limits->sms)
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

static cudaError_t pack_params(const sl_ptx_func *func, void **args, sl_rt_launch *launch)
{
    launch->param_bytes = func->param_bytes;
    launch->params = calloc(1, func->param_bytes ? func->param_bytes : 1);
    if (!launch->params)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < func->params; i++) {
        if (!args || !args[i])
            return cudaErrorInvalidValue;
        memcpy((char *)launch->params + func->param[i]->offset, args[i], func->param[i]->bytes);
    }
    return cudaSuccess;
}

/* The part of the unified cache that a kernel wants for shared memory: its attribute, its cache configuration, or that
 * of the device. */
static uint32_t preferred_shared(const sl_rt *rt, const sl_rt_function *f)
{
    enum { NONE, SHARED, L1, EQUAL }; /* cudaFuncCache */
    if (f->carveout >= 0)
        return (uint32_t)f->carveout + 1;
    switch (f->cache_config ? f->cache_config : rt->cache_config) {
    case SHARED:
        return 1 + 100;
    case EQUAL:
        return 1 + 50;
    case L1:
        return 1 + 0;
    default:
        return 0;
    }
}

cudaError_t sl_rt_launch_make(sl_rt *rt, const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                              bool cooperative, sl_rt_op *op)
{
    sl_rt_function *function;
    cudaError_t error = sl_rt_function_get(rt, host, &function);
    if (!error)
        error = check_launch(rt, function, grid, block, shared, cooperative);
    if (error)
        return error;
    *op = (sl_rt_op){.kind = SL_RT_LAUNCH,
                     .launch = {.function = function,
                                .grid = grid,
                                .block = block,
                                .dynamic_shared = (uint32_t)shared,
                                .cooperative = cooperative,
                                .preferred_shared_plus = preferred_shared(rt, function)}};
    error = pack_params(sl_emu_kernel_func(function->kernel), args, &op->launch);
    if (error)
        sl_rt_op_fini(op);
    return error;
}

static cudaError_t error_of_fault(const sl_emu *emu, sl_status status)
{
    if (status != SL_FAULT && status != SL_LIMIT)
        return sl_rt_error_of(status);
    switch (sl_emu_last_fault(emu)) {
    case SL_FAULT_ILLEGAL_ADDRESS:
        return cudaErrorIllegalAddress;
    case SL_FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case SL_FAULT_ASSERT:
        return cudaErrorAssert;
    case SL_FAULT_ILLEGAL_INSTRUCTION:
        return cudaErrorIllegalInstruction;
    case SL_FAULT_STACK:
        return cudaErrorHardwareStackError;
    case SL_FAULT_LIMIT:
        return cudaErrorLaunchTimeout;
    case SL_FAULT_NONE:
    case SL_FAULT_BARRIER:
    case SL_FAULT_TRAP:
    case SL_FAULT_UNINITIALISED:
    case SL_FAULT_RACE:
        break;
    }
    return status == SL_LIMIT ? cudaErrorLaunchTimeout : cudaErrorLaunchFailure;
}

/* Plausible, not measured: a start of 2.5 us, then 0.3 warp instructions per scheduler and cycle at 2 GHz on as many
 * multiprocessors as have a block. */
static uint64_t launch_time_ns(const sl_rt *rt, const sl_launch_stats *stats)
{
    uint64_t sms = sl_emu_limits(rt->emu)->sms;
    uint64_t busy = stats->blocks < sms ? stats->blocks : sms;
    return 2500 + stats->warp_insts * 10 / (busy ? busy * 4 * 2 * 3 : 1);
}

cudaError_t sl_rt_launch_run(sl_rt *rt, const sl_rt_launch *launch, uint64_t stream)
{
    sl_error error = {0};
    sl_launch_stats stats = {0};
    const sl_emu_launch what = {.grid = {launch->grid.x, launch->grid.y, launch->grid.z},
                                .block = {launch->block.x, launch->block.y, launch->block.z},
                                .dynamic_shared_bytes = launch->dynamic_shared,
                                .params = launch->params,
                                .param_bytes = launch->param_bytes,
                                .cooperative = launch->cooperative,
                                .preferred_shared_plus = launch->preferred_shared_plus,
                                .stream = stream};
    if (!launch->function->kernel) { /* a graph that outlived the device it was made for */
        sl_rt_function *again;
        cudaError_t failed = sl_rt_function_get(rt, launch->function, &again);
        if (failed)
            return failed;
    }
    sl_rt_flush_printed(rt);
    rt->launching = launch->function;
    sl_status status = sl_emu_run(rt->emu, launch->function->kernel, &what, &stats, &error);
    rt->time_ns += launch_time_ns(rt, &stats);
    if (!status)
        return cudaSuccess;
    sl_rt_say_error(NULL, &error);
    cudaError_t failed = error_of_fault(rt->emu, status);
    if (status != SL_FAULT && status != SL_LIMIT)
        return failed;
    /* As on a GPU, the launch itself has succeeded; whatever waits for it, or comes after it, fails. */
    rt->fault = failed;
    return cudaSuccess;
}

/* CUDA 13 is less exact than its predecessors about why it refuses a launch. */
static cudaError_t refusal(cudaError_t error)
{
    if (SL_CUDART < 13)
        return error;
    return error == cudaErrorInvalidConfiguration || error == cudaErrorLaunchOutOfResources ? cudaErrorInvalidValue
                                                                                            : error;
}

static cudaError_t launch(sl_rt *rt, const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                          cudaStream_t stream, bool cooperative)
{
    sl_rt_op op;
    cudaError_t error = sl_rt_launch_make(rt, function, grid, block, args, shared, cooperative, &op);
    return error ? refusal(error) : sl_rt_submit(rt, stream, &op);
}

SL_API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream)
{
    SL_CALL(launch(rt, function, grid, block, args, shared, stream, false));
}
SL_ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);

SL_API cudaError_t __cudaLaunchKernel(cudaFunction_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                      cudaStream_t stream)
{
    SL_CALL(launch(rt, kernel, grid, block, args, shared, stream, false));
}
SL_ALIAS(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);

SL_API cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                               cudaStream_t stream)
{
    SL_CALL(launch(rt, function, grid, block, args, shared, stream, true));
}
SL_ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

static cudaError_t launch_ex(sl_rt *rt, const cudaLaunchConfig_t *config, const void *function, void **args)
{
    static bool said;
    bool cooperative = false;
    const cudaLaunchAttribute *carveout = NULL;
    if (!config || (config->numAttrs && !config->attrs))
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative)
            cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributePreferredSharedMemoryCarveout)
            carveout = a;
        if (a->id == cudaLaunchAttributeClusterDimension &&
            (uint64_t)a->val.clusterDim.x * a->val.clusterDim.y * a->val.clusterDim.z > 1)
            return sl_rt_missing("a launch with clusters of several blocks (cudaLaunchAttributeClusterDimension)",
                                 &said);
    }
    if (carveout && carveout->val.sharedMemCarveout > 100 && carveout->val.sharedMemCarveout != UINT32_MAX)
        return cudaErrorInvalidValue;
    sl_rt_op op;
    cudaError_t error = sl_rt_launch_make(rt, function, config->gridDim, config->blockDim, args,
                                          config->dynamicSmemBytes, cooperative, &op);
    if (error)
        return refusal(error);
    if (carveout) /* UINT32_MAX is -1, the default */
        op.launch.preferred_shared_plus = carveout->val.sharedMemCarveout + 1;
    return sl_rt_submit(rt, config->stream, &op);
}

SL_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    SL_CALL(launch_ex(rt, config, function, args));
}
SL_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

/* ---- attributes and occupancy ---- */

static int max_threads(const sl_rt *rt, const sl_rt_function *f)
{
    const sl_gpu_limits *limits = sl_emu_limits(rt->emu);
    const sl_ptx_func *func = sl_emu_kernel_func(f->kernel);
    const sl_trace_kernel *facts = sl_emu_kernel_static(f->kernel);
    uint32_t max = limits->max_threads_per_block;
    if (func->maxntid[0]) {
        uint32_t bound =
            func->maxntid[0] * (func->maxntid[1] ? func->maxntid[1] : 1) * (func->maxntid[2] ? func->maxntid[2] : 1);
        max = bound < max ? bound : max;
    }
    while (max > 32 && !sl_emu_occupancy(rt->emu, f->kernel, max, 0) && facts->regs_per_thread)
        max -= 32;
    return (int)max;
}

static cudaError_t attributes(sl_rt *rt, cudaFuncAttributes *a, const void *function)
{
    sl_rt_function *f;
    cudaError_t error = a ? sl_rt_function_get(rt, function, &f) : cudaErrorInvalidValue;
    if (error)
        return error;
    const sl_trace_kernel *facts = sl_emu_kernel_static(f->kernel);
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = facts->static_shared_bytes;
    a->constSizeBytes = f->binary->const_bytes;
    a->localSizeBytes = facts->local_bytes;
    a->maxThreadsPerBlock = max_threads(rt, f);
    a->numRegs = (int)facts->regs_per_thread;
    a->ptxVersion = (int)f->binary->modules.items[0]->sm;
    a->binaryVersion = 90;
    a->maxDynamicSharedSizeBytes = (int)f->max_dynamic_shared;
    a->preferredShmemCarveout = f->carveout;
    return cudaSuccess;
}

SL_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *result, const void *function)
{
    SL_CALL(attributes(rt, result, function));
}

static cudaError_t set_attribute(sl_rt *rt, const void *function, cudaFuncAttribute attribute, int value)
{
    sl_rt_function *f;
    cudaError_t error = sl_rt_function_get(rt, function, &f);
    if (error)
        return error;
    const sl_gpu_limits *limits = sl_emu_limits(rt->emu);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 ||
            (uint32_t)value + sl_emu_kernel_static(f->kernel)->static_shared_bytes > limits->shared_per_block_optin)
            return cudaErrorInvalidValue;
        f->max_dynamic_shared = (uint32_t)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        f->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        break;
    }
    return cudaErrorInvalidValue;
}

SL_API cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value)
{
    SL_CALL(set_attribute(rt, function, attribute, value));
}

SL_API cudaError_t cudaKernelSetAttributeForDevice(cudaFunction_t kernel, cudaFuncAttribute attribute, int value,
                                                   int device)
{
    (void)device;
    SL_CALL(set_attribute(rt, kernel, attribute, value));
}

static cudaError_t set_cache_config(sl_rt *rt, const void *function, int config)
{
    sl_rt_function *f;
    cudaError_t error = config < 0 || config > 3 ? cudaErrorInvalidValue : sl_rt_function_get(rt, function, &f);
    if (!error)
        f->cache_config = config;
    return error;
}

SL_API cudaError_t cudaFuncSetCacheConfig(const void *function, int config)
{
    SL_CALL(set_cache_config(rt, function, config));
}

/* Bank widths: a preference that changes nothing since Maxwell. */
static cudaError_t check_function(sl_rt *rt, const void *function)
{
    sl_rt_function *f;
    return sl_rt_function_get(rt, function, &f);
}

SL_API cudaError_t cudaFuncSetSharedMemConfig(const void *function, int config)
{
    (void)config;
    SL_CALL(check_function(rt, function));
}

static cudaError_t occupancy(sl_rt *rt, int *blocks, const void *function, int threads, size_t shared)
{
    sl_rt_function *f;
    cudaError_t error = blocks ? sl_rt_function_get(rt, function, &f) : cudaErrorInvalidValue;
    if (error)
        return error;
    if (threads <= 0)
        return cudaErrorInvalidValue;
    *blocks = shared > sl_emu_limits(rt->emu)->shared_per_block_optin
                  ? 0
                  : (int)sl_emu_occupancy(rt->emu, f->kernel, (uint32_t)threads, (uint32_t)shared);
    return cudaSuccess;
}

SL_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                          int threads, size_t shared, unsigned flags)
{
    (void)flags;
    SL_CALL(occupancy(rt, blocks, function, threads, shared));
}

SL_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                                 size_t shared)
{
    SL_CALL(occupancy(rt, blocks, function, threads, shared));
}

static cudaError_t available_shared(sl_rt *rt, size_t *shared, const void *function, int blocks, int threads)
{
    sl_rt_function *f;
    cudaError_t error = shared ? sl_rt_function_get(rt, function, &f) : cudaErrorInvalidValue;
    if (error)
        return error;
    const sl_gpu_limits *limits = sl_emu_limits(rt->emu);
    if (blocks <= 0 || threads <= 0)
        return cudaErrorInvalidValue;
    uint32_t taken = sl_emu_kernel_static(f->kernel)->static_shared_bytes + limits->reserved_shared_per_block;
    uint32_t unit = sl_emu_machine(rt->emu)->core.shared_granularity;
    unit = unit ? unit : 1;
    uint32_t share = limits->shared_per_sm / (uint32_t)blocks / unit * unit;
    *shared = share > taken ? share - taken : 0;
    if (*shared > f->max_dynamic_shared)
        *shared = f->max_dynamic_shared;
    return cudaSuccess;
}

SL_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function, int blocks,
                                                             int threads)
{
    SL_CALL(available_shared(rt, shared, function, blocks, threads));
}
