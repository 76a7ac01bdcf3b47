/* SPDX-License-Identifier: MIT */
/* Memory: allocation of every kind, pools, and questions about pointers.
 *
 * Device, pinned and managed memory all come from the device's heap, whose addresses host code can use as they are: a
 * mapped pointer is the pointer itself, and managed memory never moves. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

enum { PITCH_ALIGNMENT = 512, MEM_LOCATION_DEVICE = 1 };

struct sl_rt_pool {
    bool is_default;
    uint64_t release_threshold;
    int reuse[4];
    struct sl_rt_pool *next;
};

/* ---- allocation ---- */

cudaError_t sl_rt_alloc(sl_rt *rt, void **pointer, size_t bytes, sl_alloc_kind kind)
{
    uint64_t address;
    sl_heap *heap = sl_emu_heap(rt->emu);
    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (!bytes)
        return cudaSuccess;
    uint64_t live = sl_heap_live_bytes(heap), max = sl_emu_limits(rt->emu)->memory_bytes;
    if (bytes > max || live > max - bytes || sl_heap_alloc(heap, bytes, kind, NULL, &address, NULL))
        return cudaErrorMemoryAllocation;
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

static cudaError_t free_kind(sl_rt *rt, void *pointer, bool host)
{
    sl_heap *heap = sl_emu_heap(rt->emu);
    uint64_t address = (uintptr_t)pointer;
    if (!pointer)
        return cudaSuccess;
    const sl_alloc *found = sl_heap_find(heap, address);
    if (!found || found->base != address || (found->kind == SL_ALLOC_HOST) != host ||
        (!host && found->kind != SL_ALLOC_DEVICE && found->kind != SL_ALLOC_MANAGED))
        return cudaErrorInvalidValue;
    sl_rt_flush_printed(rt);
    return sl_rt_error_of(sl_heap_free(heap, address, NULL));
}

cudaError_t sl_rt_free(sl_rt *rt, void *pointer)
{
    return free_kind(rt, pointer, false);
}

SL_API cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    SL_CALL(sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_DEVICE));
}

SL_API cudaError_t cudaFree(void *pointer)
{
    SL_CALL(free_kind(rt, pointer, false));
}

SL_API cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    SL_CALL(flags == 1 || flags == 2 ? sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_MANAGED) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    SL_CALL(sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_HOST));
}

SL_API cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    SL_CALL(flags < 16 ? sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_HOST) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaFreeHost(void *pointer)
{
    SL_CALL(free_kind(rt, pointer, true));
}

/* Rows of `width` bytes, each starting at a multiple of the pitch alignment. */
static cudaError_t alloc_pitched(sl_rt *rt, void **pointer, size_t *pitch, size_t width, size_t height, size_t depth)
{
    size_t row, rows, bytes;
    if (!pointer || !pitch)
        return cudaErrorInvalidValue;
    if (__builtin_add_overflow(width, PITCH_ALIGNMENT - 1, &row) || __builtin_mul_overflow(height, depth, &rows))
        return cudaErrorInvalidValue;
    row = row / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    if (__builtin_mul_overflow(row, rows, &bytes))
        return cudaErrorMemoryAllocation;
    *pitch = row;
    return sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_DEVICE);
}

SL_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    SL_CALL(alloc_pitched(rt, pointer, pitch, width, height, 1));
}

static cudaError_t alloc_3d(sl_rt *rt, cudaPitchedPtr *pitched, cudaExtent extent)
{
    if (!pitched)
        return cudaErrorInvalidValue;
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return alloc_pitched(rt, &pitched->ptr, &pitched->pitch, extent.width, extent.height, extent.depth);
}

SL_API cudaError_t cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent)
{
    SL_CALL(alloc_3d(rt, pitched, extent));
}

/* ---- host memory ---- */

static cudaError_t register_host(sl_rt *rt, void *pointer, size_t bytes, unsigned flags)
{
    sl_heap *heap = sl_emu_heap(rt->emu);
    if (!pointer || !bytes || flags > 15)
        return cudaErrorInvalidValue;
    if (sl_heap_find(heap, (uintptr_t)pointer) || sl_heap_find(heap, (uintptr_t)pointer + bytes - 1))
        return cudaErrorHostMemoryAlreadyRegistered;
    return sl_rt_error_of(sl_heap_register(heap, pointer, bytes, NULL));
}

SL_API cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    SL_CALL(register_host(rt, pointer, bytes, flags));
}

static cudaError_t unregister_host(sl_rt *rt, void *pointer)
{
    sl_heap *heap = sl_emu_heap(rt->emu);
    const sl_alloc *found = sl_heap_find(heap, (uintptr_t)pointer);
    if (!found || found->kind != SL_ALLOC_HOST || found->base != (uintptr_t)pointer)
        return cudaErrorHostMemoryNotRegistered;
    return sl_rt_error_of(sl_heap_free(heap, (uintptr_t)pointer, NULL));
}

SL_API cudaError_t cudaHostUnregister(void *pointer)
{
    SL_CALL(unregister_host(rt, pointer));
}

static cudaError_t host_device_pointer(sl_rt *rt, void **device, void *host)
{
    const sl_alloc *found = sl_heap_find(sl_emu_heap(rt->emu), (uintptr_t)host);
    if (!device || !found || (found->kind != SL_ALLOC_HOST && found->kind != SL_ALLOC_MANAGED))
        return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}

SL_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    (void)flags;
    SL_CALL(host_device_pointer(rt, device, host));
}

static cudaError_t host_flags(sl_rt *rt, unsigned *flags, void *host)
{
    void *ignored;
    cudaError_t error = flags ? host_device_pointer(rt, &ignored, host) : cudaErrorInvalidValue;
    if (!error)
        *flags = 3; /* portable and mapped: with unified addressing all pinned memory is */
    return error;
}

SL_API cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    SL_CALL(host_flags(rt, flags, host));
}

/* ---- questions ---- */

static cudaError_t memory_info(sl_rt *rt, size_t *available, size_t *total)
{
    if (!available || !total)
        return cudaErrorInvalidValue;
    uint64_t all = sl_emu_limits(rt->emu)->memory_bytes, live = sl_heap_live_bytes(sl_emu_heap(rt->emu));
    *total = all;
    *available = live < all ? all - live : 0;
    return cudaSuccess;
}

SL_API cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    SL_CALL(memory_info(rt, available, total));
}

static cudaError_t pointer_attributes(sl_rt *rt, cudaPointerAttributes *a, const void *pointer)
{
    if (!a)
        return cudaErrorInvalidValue;
    const sl_alloc *found = sl_heap_find(sl_emu_heap(rt->emu), (uintptr_t)pointer);
    memset(a, 0, sizeof *a);
    if (!found) {
        a->type = cudaMemoryTypeUnregistered;
        a->device = -2;
        a->hostPointer = (void *)(uintptr_t)pointer;
        return cudaSuccess;
    }
    a->type = found->kind == SL_ALLOC_HOST      ? cudaMemoryTypeHost
              : found->kind == SL_ALLOC_MANAGED ? cudaMemoryTypeManaged
                                                : cudaMemoryTypeDevice;
    a->devicePointer = (void *)(uintptr_t)pointer;
    a->hostPointer = a->type == cudaMemoryTypeDevice ? NULL : (void *)(uintptr_t)pointer;
    return cudaSuccess;
}

SL_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    SL_CALL(pointer_attributes(rt, attributes, pointer));
}

/* ---- managed memory: advice about placement that changes nothing here ---- */

static cudaError_t check_managed(sl_rt *rt, const void *pointer, size_t bytes)
{
    const sl_alloc *found = sl_heap_find(sl_emu_heap(rt->emu), (uintptr_t)pointer);
    if (!bytes || !found || (found->kind != SL_ALLOC_MANAGED && found->kind != SL_ALLOC_SYMBOL) ||
        !sl_heap_contains(sl_emu_heap(rt->emu), (uintptr_t)pointer, bytes))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

#if SL_CUDART >= 13
SL_API cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                        cudaStream_t stream)
{
    (void)location, (void)flags, (void)stream;
    SL_CALL(check_managed(rt, pointer, bytes));
}

SL_API cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, cudaMemLocation location)
{
    (void)advice, (void)location;
    SL_CALL(check_managed(rt, pointer, bytes));
}
#else
SL_API cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cudaStream_t stream)
{
    (void)device, (void)stream;
    SL_CALL(check_managed(rt, pointer, bytes));
}

SL_API cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, int device)
{
    (void)advice, (void)device;
    SL_CALL(check_managed(rt, pointer, bytes));
}

SL_API cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                           cudaStream_t stream)
{
    (void)location, (void)flags, (void)stream;
    SL_CALL(check_managed(rt, pointer, bytes));
}
SL_ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2);

SL_API cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice, cudaMemLocation location)
{
    (void)advice, (void)location;
    SL_CALL(check_managed(rt, pointer, bytes));
}
#endif
SL_ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

/* ---- pools: every pool hands out memory of the one heap ---- */

static struct sl_rt_pool *new_pool(sl_rt *rt, bool is_default)
{
    struct sl_rt_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    *pool = (struct sl_rt_pool){.is_default = is_default, .reuse = {0, 1, 1, 1}, .next = rt->pools};
    rt->pools = pool;
    return pool;
}

static bool pool_known(sl_rt *rt, cudaMemPool_t pool)
{
    for (struct sl_rt_pool *p = rt->pools; p; p = p->next)
        if (p == pool)
            return true;
    return false;
}

void sl_rt_memory_forget_device(sl_rt *rt)
{
    while (rt->pools) {
        struct sl_rt_pool *next = rt->pools->next;
        free(rt->pools);
        rt->pools = next;
    }
}

static cudaError_t default_pool(sl_rt *rt, cudaMemPool_t *pool, int device)
{
    if (!pool)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    for (struct sl_rt_pool *p = rt->pools; p; p = p->next)
        if (p->is_default) {
            *pool = p;
            return cudaSuccess;
        }
    *pool = new_pool(rt, true);
    return *pool ? cudaSuccess : cudaErrorMemoryAllocation;
}

SL_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    SL_CALL(default_pool(rt, pool, device));
}

SL_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    SL_CALL(default_pool(rt, pool, device));
}

SL_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    SL_CALL(device ? cudaErrorInvalidDevice : pool_known(rt, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t create_pool(sl_rt *rt, cudaMemPool_t *pool, const cudaMemPoolProps *props)
{
    if (!pool || !props || props->allocType != 1 || props->location.type != MEM_LOCATION_DEVICE)
        return cudaErrorInvalidValue;
    *pool = new_pool(rt, false);
    return *pool ? cudaSuccess : cudaErrorMemoryAllocation;
}

SL_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *props)
{
    SL_CALL(create_pool(rt, pool, props));
}

static cudaError_t destroy_pool(sl_rt *rt, cudaMemPool_t pool)
{
    for (struct sl_rt_pool **p = &rt->pools; *p; p = &(*p)->next)
        if (*p == pool && !pool->is_default) {
            *p = pool->next;
            free(pool);
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

SL_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    SL_CALL(destroy_pool(rt, pool));
}

static cudaError_t pool_attribute(sl_rt *rt, cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value, bool set)
{
    if (!value || !pool_known(rt, pool))
        return cudaErrorInvalidValue;
    if (attribute >= cudaMemPoolReuseFollowEventDependencies &&
        attribute <= cudaMemPoolReuseAllowInternalDependencies) {
        int *location = &pool->reuse[attribute];
        set ? (void)(*location = *(int *)value) : (void)(*(int *)value = *location);
        return cudaSuccess;
    }
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        set ? (void)(pool->release_threshold = *(uint64_t *)value)
            : (void)(*(uint64_t *)value = pool->release_threshold);
        return cudaSuccess;
    }
    if (attribute > cudaMemPoolAttrUsedMemHigh)
        return cudaErrorInvalidValue;
    if (!set) /* memory of pools is not distinguished from the rest of the heap */
        *(uint64_t *)value = sl_heap_live_bytes(sl_emu_heap(rt->emu));
    return cudaSuccess;
}

SL_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    SL_CALL(pool_attribute(rt, pool, attribute, value, true));
}

SL_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    SL_CALL(pool_attribute(rt, pool, attribute, value, false));
}

SL_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes;
    SL_CALL(pool_known(rt, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t alloc_async(sl_rt *rt, void **pointer, size_t bytes, cudaStream_t stream)
{
    static bool said;
    struct sl_rt_stream *s;
    if (!sl_rt_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (s->capture)
        return sl_rt_missing("cudaMallocAsync in a capturing stream", &said);
    return sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_DEVICE);
}

SL_API cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    SL_CALL(alloc_async(rt, pointer, bytes, stream));
}
SL_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);

SL_API cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    SL_CALL(pool_known(rt, pool) ? alloc_async(rt, pointer, bytes, stream) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

static cudaError_t free_async(sl_rt *rt, void *pointer, cudaStream_t stream)
{
    sl_rt_op op = {.kind = SL_RT_FREE, .pointer = pointer};
    return sl_rt_submit(rt, stream, &op);
}

SL_API cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    SL_CALL(free_async(rt, pointer, stream));
}
SL_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);
