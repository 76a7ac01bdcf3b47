/* SPDX-License-Identifier: MIT */
/* Kernel launches, attributes of kernels, occupancy. */
#include "cudadriver/driver.h"

/* ---- launching ---- */

static cudaError_t launch(sl_proc *rt, sl_proc_config *config, CUstream stream, void **extra)
{
    cudaError_t error = sl_proc_config_extra(config, extra);
    return error ? error : sl_proc_refusal(sl_proc_launch_issue(rt, config, stream));
}

SL_API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params,
                               void **extra)
{
    sl_proc_config config = {.function = function,
                             .grid = {grid_x, grid_y, grid_z},
                             .block = {block_x, block_y, block_z},
                             .shared = shared,
                             .args = params};
    SL_CALL(launch(rt, &config, stream, extra));
}
SL_PTSZ(cuLaunchKernel);

SL_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                          CUstream stream, void **params)
{
    sl_proc_config config = {.function = function,
                             .grid = {grid_x, grid_y, grid_z},
                             .block = {block_x, block_y, block_z},
                             .shared = shared,
                             .cooperative = true,
                             .args = params};
    SL_CALL(launch(rt, &config, stream, NULL));
}
SL_PTSZ(cuLaunchCooperativeKernel);

static cudaError_t config_of(const CUlaunchConfig *c, CUfunction function, void **params, sl_proc_config *config)
{
    if (!c)
        return cudaErrorInvalidValue;
    *config = (sl_proc_config){.function = function,
                               .grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
                               .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                               .shared = c->sharedMemBytes,
                               .args = params};
    return sl_proc_launch_attributes(c->attrs, c->numAttrs, config);
}

static cudaError_t launch_ex(sl_proc *rt, const CUlaunchConfig *c, CUfunction function, void **params, void **extra)
{
    sl_proc_config config;
    cudaError_t error = config_of(c, function, params, &config);
    return error ? error : launch(rt, &config, c->hStream, extra);
}

SL_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
    SL_CALL(launch_ex(rt, config, function, params, extra));
}
SL_PTSZ(cuLaunchKernelEx);

/* ---- attributes ---- */

enum {
    FUNCTION_MAX_THREADS,
    FUNCTION_SHARED,
    FUNCTION_CONST,
    FUNCTION_LOCAL,
    FUNCTION_REGISTERS,
    FUNCTION_PTX_VERSION,
    FUNCTION_BINARY_VERSION,
    FUNCTION_CACHE_MODE_CA,
    FUNCTION_MAX_DYNAMIC_SHARED,
    FUNCTION_CARVEOUT,
    FUNCTION_MUST_SET_CLUSTER,
    FUNCTION_CLUSTER_WIDTH,
    FUNCTION_CLUSTER_HEIGHT,
    FUNCTION_CLUSTER_DEPTH,
    FUNCTION_LARGE_CLUSTERS,
    FUNCTION_CLUSTER_POLICY,
    FUNCTION_ATTRIBUTES = 16,
};

static cudaError_t get_attribute(sl_proc *rt, int *value, int attribute, CUfunction function)
{
    sl_proc_function_facts f;
    if (!value || attribute < 0 || attribute >= FUNCTION_ATTRIBUTES)
        return cudaErrorInvalidValue;
    cudaError_t error = sl_proc_function_describe(rt, function, &f);
    if (error)
        return error;
    const int values[FUNCTION_ATTRIBUTES] = {[FUNCTION_MAX_THREADS] = (int)f.max_threads,
                                             [FUNCTION_SHARED] = (int)f.static_shared,
                                             [FUNCTION_CONST] = (int)f.const_bytes,
                                             [FUNCTION_LOCAL] = (int)f.local_bytes,
                                             [FUNCTION_REGISTERS] = (int)f.registers,
                                             [FUNCTION_PTX_VERSION] = (int)f.ptx_version,
                                             [FUNCTION_BINARY_VERSION] = (int)f.binary_version,
                                             [FUNCTION_MAX_DYNAMIC_SHARED] = (int)f.max_dynamic_shared,
                                             [FUNCTION_CARVEOUT] = f.carveout,
                                             [FUNCTION_MUST_SET_CLUSTER] = f.must_set_cluster,
                                             [FUNCTION_CLUSTER_WIDTH] = f.cluster[0],
                                             [FUNCTION_CLUSTER_HEIGHT] = f.cluster[1],
                                             [FUNCTION_CLUSTER_DEPTH] = f.cluster[2],
                                             [FUNCTION_LARGE_CLUSTERS] = f.large_clusters,
                                             [FUNCTION_CLUSTER_POLICY] = f.cluster_policy};
    *value = values[attribute];
    return cudaSuccess;
}

SL_API CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    SL_CALL(get_attribute(rt, value, attribute, function));
}

SL_API CUresult cuKernelGetAttribute(int *value, int attribute, CUfunction kernel, CUdevice device)
{
    SL_CALL_FREE(device ? cudaErrorInvalidDevice : get_attribute(rt, value, attribute, kernel));
}

SL_API CUresult cuKernelSetAttribute(cudaFuncAttribute attribute, int value, CUfunction kernel, CUdevice device)
{
    SL_CALL_FREE(device ? cudaErrorInvalidDevice : sl_proc_function_set(rt, kernel, attribute, value));
}

SL_API CUresult cuKernelSetCacheConfig(CUfunction kernel, int config, CUdevice device)
{
    (void)device;
    SL_CALL_FREE(sl_proc_function_cache_config(rt, kernel, config));
}

SL_API CUresult cuFuncLoad(CUfunction function)
{
    SL_CALL(sl_proc_function_check(rt, function));
}

SL_API CUresult cuFuncIsLoaded(int *state, CUfunction function)
{
    SL_CALL(!state || !sl_proc_function_find(rt, function) ? cudaErrorInvalidValue
                                                           : (*state = function->kernel != NULL, cudaSuccess));
}

SL_API CUresult cuFuncGetName(const char **name, CUfunction function)
{
    SL_CALL_FREE(!name || !sl_proc_function_find(rt, function) ? cudaErrorInvalidValue
                                                               : (*name = function->name, cudaSuccess));
}
SL_ALIAS(cuKernelGetName, cuFuncGetName);

SL_API CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    SL_CALL_FREE(!module || !sl_proc_function_find(rt, function) ? cudaErrorInvalidValue
                                                                 : (*module = function->binary, cudaSuccess));
}
SL_ALIAS(cuKernelGetLibrary, cuFuncGetModule);

SL_API CUresult cuKernelGetFunction(CUfunction *function, CUfunction kernel)
{
    SL_CALL_FREE(!function || !sl_proc_function_find(rt, kernel) ? cudaErrorInvalidValue
                                                                 : (*function = kernel, cudaSuccess));
}

/* ---- occupancy ---- */

/* The largest block of those that keep the most threads on a multiprocessor. */
static cudaError_t best_block(sl_proc *rt, int *grid, int *block, CUfunction function, size_t (*shared_of)(int),
                              size_t shared, int limit)
{
    enum { WARP = 32 };
    sl_proc_function_facts f;
    int most = -1;
    if (!grid || !block)
        return cudaErrorInvalidValue;
    cudaError_t error = sl_proc_function_describe(rt, function, &f);
    if (error)
        return error;
    int largest = limit > 0 && limit < (int)f.max_threads ? limit : (int)f.max_threads;
    for (int threads = (largest + WARP - 1) / WARP * WARP; threads > 0 && !error; threads -= WARP) {
        int size = threads < largest ? threads : largest, blocks = 0;
        if (shared_of) { /* a function of the program */
            sl_proc_unlock(rt);
            shared = shared_of(size);
            sl_proc_relock(rt);
        }
        error = sl_proc_occupancy(rt, &blocks, function, size, shared);
        if (!error && blocks * size > most) {
            most = blocks * size;
            *block = size;
            *grid = blocks * (int)sl_proc_limits(rt)->sms;
        }
    }
    return error;
}

SL_API CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, size_t (*shared_of)(int),
                                                 size_t shared, int limit)
{
    SL_CALL(best_block(rt, grid, block, function, shared_of, shared, limit));
}

SL_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                          size_t (*shared_of)(int), size_t shared, int limit,
                                                          unsigned flags)
{
    (void)flags;
    SL_CALL(best_block(rt, grid, block, function, shared_of, shared, limit));
}

static cudaError_t active_clusters(sl_proc *rt, int *clusters, CUfunction function, const CUlaunchConfig *c)
{
    sl_proc_config config;
    cudaError_t error = config_of(c, function, NULL, &config);
    return error ? error : sl_proc_active_clusters(rt, clusters, &config);
}

SL_API CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    SL_CALL(active_clusters(rt, clusters, function, config));
}

static cudaError_t largest_cluster(sl_proc *rt, int *blocks, CUfunction function, const CUlaunchConfig *c)
{
    sl_proc_config config;
    cudaError_t error = config_of(c, function, NULL, &config);
    return error ? error : sl_proc_largest_cluster(rt, blocks, &config);
}

SL_API CUresult cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction function, const CUlaunchConfig *config)
{
    SL_CALL(largest_cluster(rt, blocks, function, config));
}
