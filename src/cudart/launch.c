/* SPDX-License-Identifier: MIT */
/* Kernel launches, and the questions about kernels that decide a configuration. */
#include "cudart/runtime.h"

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
        sl_proc *rt = sl_proc_enter();
        return sl_cudart_leave(rt, cudaErrorMissingConfiguration);
    }
    const call_configuration *c = &configurations[--configuration_count];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

/* ---- launching ---- */

static cudaError_t issue(sl_proc *rt, const sl_proc_config *config, cudaStream_t stream)
{
    cudaError_t error = sl_proc_launch_issue(rt, config, stream);
    return SL_CUDART < 13 ? error : sl_proc_refusal(error);
}

static cudaError_t launch(sl_proc *rt, const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                          cudaStream_t stream, bool cooperative)
{
    const sl_proc_config config = {
        .function = function, .grid = grid, .block = block, .shared = shared, .cooperative = cooperative, .args = args};
    return issue(rt, &config, stream);
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

static cudaError_t config_of(const cudaLaunchConfig_t *c, const void *function, void **args, sl_proc_config *config)
{
    if (!c)
        return cudaErrorInvalidValue;
    *config = (sl_proc_config){
        .function = function, .grid = c->gridDim, .block = c->blockDim, .shared = c->dynamicSmemBytes, .args = args};
    return sl_proc_launch_attributes(c->attrs, c->numAttrs, config);
}

static cudaError_t launch_ex(sl_proc *rt, const cudaLaunchConfig_t *c, const void *function, void **args)
{
    sl_proc_config config;
    cudaError_t error = config_of(c, function, args, &config);
    return error ? error : issue(rt, &config, c->stream);
}

SL_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    SL_CALL(launch_ex(rt, config, function, args));
}
SL_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

/* ---- attributes and occupancy ---- */

static cudaError_t attributes(sl_proc *rt, cudaFuncAttributes *a, const void *function)
{
    sl_proc_function_facts facts;
    cudaError_t error = a ? sl_proc_function_describe(rt, function, &facts) : cudaErrorInvalidValue;
    if (error)
        return error;
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = facts.static_shared;
    a->constSizeBytes = facts.const_bytes;
    a->localSizeBytes = facts.local_bytes;
    a->maxThreadsPerBlock = (int)facts.max_threads;
    a->numRegs = (int)facts.registers;
    a->ptxVersion = (int)facts.ptx_version;
    a->binaryVersion = (int)facts.binary_version;
    a->maxDynamicSharedSizeBytes = (int)facts.max_dynamic_shared;
    a->preferredShmemCarveout = facts.carveout;
#if SL_CUDART >= 12
    a->clusterDimMustBeSet = facts.must_set_cluster;
    a->requiredClusterWidth = facts.cluster[0];
    a->requiredClusterHeight = facts.cluster[1];
    a->requiredClusterDepth = facts.cluster[2];
    a->clusterSchedulingPolicyPreference = facts.cluster_policy;
    a->nonPortableClusterSizeAllowed = facts.large_clusters;
#endif
    return cudaSuccess;
}

SL_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *result, const void *function)
{
    SL_CALL(attributes(rt, result, function));
}

SL_API cudaError_t cudaKernelSetAttributeForDevice(cudaFunction_t kernel, cudaFuncAttribute attribute, int value,
                                                   int device)
{
    (void)device;
    SL_CALL(sl_proc_function_set(rt, kernel, attribute, value));
}

static cudaError_t active_clusters(sl_proc *rt, int *clusters, const void *function, const cudaLaunchConfig_t *c)
{
    sl_proc_config config;
    cudaError_t error = config_of(c, function, NULL, &config);
    return error ? error : sl_proc_active_clusters(rt, clusters, &config);
}

SL_API cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config)
{
    SL_CALL(active_clusters(rt, clusters, function, config));
}

static cudaError_t largest_cluster(sl_proc *rt, int *blocks, const void *function, const cudaLaunchConfig_t *c)
{
    sl_proc_config config;
    cudaError_t error = config_of(c, function, NULL, &config);
    return error ? error : sl_proc_largest_cluster(rt, blocks, &config);
}

SL_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *function,
                                                        const cudaLaunchConfig_t *config)
{
    SL_CALL(largest_cluster(rt, blocks, function, config));
}
