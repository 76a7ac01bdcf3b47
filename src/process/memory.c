/* SPDX-License-Identifier: MIT */
/* Memory: allocation of every kind, pools, and questions about pointers.
 *
 * Device, pinned and managed memory all come from the device's heap, whose addresses host code can use as they are: a
 * mapped pointer is the pointer itself, and managed memory never moves. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PITCH_ALIGNMENT = 512, MEM_LOCATION_DEVICE = 1, POLL_US = 100 };

struct sl_proc_pool {
    bool is_default;
    uint64_t release_threshold;
    int reuse[4];
    struct sl_proc_pool *next;
};

/* ---- allocation ---- */

cudaError_t sl_proc_alloc(sl_proc *rt, void **pointer, size_t bytes, sl_alloc_kind kind)
{
    uint64_t address;
    sl_heap *heap = sl_emu_heap(rt->emu);
    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (!bytes)
        return cudaSuccess;
    uint64_t live = sl_heap_live_bytes(heap), max = sl_emu_limits(rt->emu)->memory_bytes;
    char site[256];
    bool known = sl_proc_call_site(rt, site, sizeof site);
    if (bytes > max || live > max - bytes || sl_heap_alloc(heap, bytes, kind, known ? site : NULL, &address, NULL))
        return cudaErrorMemoryAllocation;
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

static cudaError_t release(sl_proc *rt, void *pointer, bool host)
{
    sl_heap *heap = sl_emu_heap(rt->emu);
    uint64_t address = (uintptr_t)pointer;
    if (!pointer)
        return cudaSuccess;
    for (size_t i = 0; i < rt->graph_memory.count; i++)
        if (rt->graph_memory.items[i] == pointer)
            return cudaSuccess; /* the graph may be launched again */
    const sl_alloc *found = sl_heap_find(heap, address);
    if (!found || found->base != address || (found->kind == SL_ALLOC_HOST) != host ||
        (!host && found->kind != SL_ALLOC_DEVICE && found->kind != SL_ALLOC_MANAGED))
        return cudaErrorInvalidValue;
    sl_proc_flush_printed(rt);
    return sl_proc_error_of(sl_heap_free(heap, address, NULL));
}

cudaError_t sl_proc_free_kind(sl_proc *rt, void *pointer, bool host)
{
    sl_proc_order_host_all(&rt->order);
    return release(rt, pointer, host);
}

cudaError_t sl_proc_free(sl_proc *rt, void *pointer)
{
    return release(rt, pointer, false);
}

/* Rows of `width` bytes, each starting at a multiple of the pitch alignment. */
cudaError_t sl_proc_alloc_pitched(sl_proc *rt, void **pointer, size_t *pitch, size_t width, size_t height, size_t depth)
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
    return sl_proc_alloc(rt, pointer, bytes, SL_ALLOC_DEVICE);
}

/* ---- host memory ---- */

cudaError_t sl_proc_register_host(sl_proc *rt, void *pointer, size_t bytes, unsigned flags)
{
    sl_heap *heap = sl_emu_heap(rt->emu);
    if (!pointer || !bytes || flags > 15)
        return cudaErrorInvalidValue;
    if (sl_heap_find(heap, (uintptr_t)pointer) || sl_heap_find(heap, (uintptr_t)pointer + bytes - 1))
        return cudaErrorHostMemoryAlreadyRegistered;
    return sl_proc_error_of(sl_heap_register(heap, pointer, bytes, NULL));
}

cudaError_t sl_proc_unregister_host(sl_proc *rt, void *pointer)
{
    sl_heap *heap = sl_emu_heap(rt->emu);
    const sl_alloc *found = sl_heap_find(heap, (uintptr_t)pointer);
    if (!found || found->kind != SL_ALLOC_HOST || found->base != (uintptr_t)pointer)
        return cudaErrorHostMemoryNotRegistered;
    return sl_proc_error_of(sl_heap_free(heap, (uintptr_t)pointer, NULL));
}

cudaError_t sl_proc_host_pointer(sl_proc *rt, void **device, void *host)
{
    const sl_alloc *found = sl_heap_find(sl_emu_heap(rt->emu), (uintptr_t)host);
    if (!device || !found || (found->kind != SL_ALLOC_HOST && found->kind != SL_ALLOC_MANAGED))
        return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}

cudaError_t sl_proc_host_flags(sl_proc *rt, unsigned *flags, void *host)
{
    void *ignored;
    cudaError_t error = flags ? sl_proc_host_pointer(rt, &ignored, host) : cudaErrorInvalidValue;
    if (!error)
        *flags = 3; /* portable and mapped: with unified addressing all pinned memory is */
    return error;
}

/* ---- questions ---- */

cudaError_t sl_proc_memory_info(sl_proc *rt, size_t *available, size_t *total)
{
    if (!available || !total)
        return cudaErrorInvalidValue;
    uint64_t all = sl_emu_limits(rt->emu)->memory_bytes, live = sl_heap_live_bytes(sl_emu_heap(rt->emu));
    *total = all;
    *available = live < all ? all - live : 0;
    return cudaSuccess;
}

bool sl_proc_pointer_find(sl_proc *rt, const void *pointer, cudaMemoryType *type, char **base, size_t *bytes)
{
    const sl_alloc *found = sl_heap_find(sl_emu_heap(rt->emu), (uintptr_t)pointer);
    if (!found)
        return false;
    *type = found->kind == SL_ALLOC_HOST      ? cudaMemoryTypeHost
            : found->kind == SL_ALLOC_MANAGED ? cudaMemoryTypeManaged
                                              : cudaMemoryTypeDevice;
    *base = (char *)(uintptr_t)found->base;
    *bytes = found->bytes;
    return true;
}

/* ---- managed memory: advice about placement that changes nothing here ---- */

cudaError_t sl_proc_check_managed(sl_proc *rt, const void *pointer, size_t bytes)
{
    const sl_alloc *found = sl_heap_find(sl_emu_heap(rt->emu), (uintptr_t)pointer);
    if (!bytes || !found || (found->kind != SL_ALLOC_MANAGED && found->kind != SL_ALLOC_SYMBOL) ||
        !sl_heap_contains(sl_emu_heap(rt->emu), (uintptr_t)pointer, bytes))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t sl_proc_check_managed_batch(sl_proc *rt, void *const *pointer, const size_t *bytes, size_t count)
{
    cudaError_t error = pointer && bytes && count ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < count && !error; i++)
        error = sl_proc_check_managed(rt, pointer[i], bytes[i]);
    return error;
}

/* ---- pools: every pool hands out memory of the one heap ---- */

static struct sl_proc_pool *new_pool(sl_proc *rt, bool is_default)
{
    struct sl_proc_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    *pool = (struct sl_proc_pool){.is_default = is_default, .reuse = {0, 1, 1, 1}, .next = rt->pools};
    rt->pools = pool;
    return pool;
}

bool sl_proc_pool_known(sl_proc *rt, cudaMemPool_t pool)
{
    for (struct sl_proc_pool *p = rt->pools; p; p = p->next)
        if (p == pool)
            return true;
    return false;
}

cudaError_t sl_proc_pool_check(sl_proc *rt, cudaMemPool_t pool)
{
    return sl_proc_pool_known(rt, pool) ? cudaSuccess : cudaErrorInvalidValue;
}

void sl_proc_memory_forget_device(sl_proc *rt)
{
    while (rt->pools) {
        struct sl_proc_pool *next = rt->pools->next;
        free(rt->pools);
        rt->pools = next;
    }
    sl_array_free(&rt->graph_memory);
    rt->graph_bytes = 0;
}

cudaError_t sl_proc_default_pool(sl_proc *rt, cudaMemPool_t *pool, int device)
{
    if (!pool)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    for (struct sl_proc_pool *p = rt->pools; p; p = p->next)
        if (p->is_default) {
            *pool = p;
            return cudaSuccess;
        }
    *pool = new_pool(rt, true);
    return *pool ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t sl_proc_pool_create(sl_proc *rt, cudaMemPool_t *pool, const cudaMemPoolProps *props)
{
    if (!pool || !props || props->allocType != 1 || props->location.type != MEM_LOCATION_DEVICE)
        return cudaErrorInvalidValue;
    *pool = new_pool(rt, false);
    return *pool ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t sl_proc_pool_destroy(sl_proc *rt, cudaMemPool_t pool)
{
    for (struct sl_proc_pool **p = &rt->pools; *p; p = &(*p)->next)
        if (*p == pool && !pool->is_default) {
            *p = pool->next;
            free(pool);
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

cudaError_t sl_proc_pool_attribute(sl_proc *rt, cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value, bool set)
{
    if (!value || !sl_proc_pool_known(rt, pool))
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

cudaError_t sl_proc_alloc_for_graph(sl_proc *rt, void **pointer, size_t bytes)
{
    cudaError_t error = sl_proc_alloc(rt, pointer, bytes, SL_ALLOC_DEVICE);
    if (!error && *pointer && !sl_array_push(&rt->graph_memory, *pointer))
        error = cudaErrorMemoryAllocation;
    if (!error)
        rt->graph_bytes += bytes;
    return error;
}

cudaError_t sl_proc_graph_memory(sl_proc *rt, int attribute, uint64_t *bytes)
{
    enum { ATTRIBUTES = 4 }; /* used and reserved, now and at most: all the same here */
    if (!bytes || attribute < 0 || attribute >= ATTRIBUTES)
        return cudaErrorInvalidValue;
    *bytes = rt->graph_bytes;
    return cudaSuccess;
}

cudaError_t sl_proc_alloc_async(sl_proc *rt, void **pointer, size_t bytes, cudaStream_t stream)
{
    struct sl_proc_stream *s;
    sl_proc_op op = {.kind = SL_PROC_ALLOC};
    if (!sl_proc_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (!s->capture)
        return sl_proc_alloc(rt, pointer, bytes, SL_ALLOC_DEVICE);
    cudaError_t error = sl_proc_alloc_for_graph(rt, pointer, bytes);
    if (error)
        return error;
    op.memory.pointer = *pointer;
    op.memory.bytes = bytes;
    return sl_proc_submit(rt, stream, &op);
}

cudaError_t sl_proc_free_async(sl_proc *rt, void *pointer, cudaStream_t stream)
{
    sl_proc_op op = {.kind = SL_PROC_FREE, .memory = {pointer, 0}};
    return sl_proc_submit(rt, stream, &op);
}

/* ---- values that streams write and wait for ---- */

static bool has_come(const sl_proc_value *v, uint64_t now)
{
    enum { GEQ, EQ, AND, NOR };
    uint64_t all = v->bytes == 4 ? UINT32_MAX : UINT64_MAX;
    int64_t ahead = v->bytes == 4 ? (int32_t)(now - v->value) : (int64_t)(now - v->value);
    switch (v->flags & 3) {
    case GEQ:
        return ahead >= 0;
    case EQ:
        return now == (v->value & all);
    case AND:
        return (now & v->value & all) != 0;
    default:
        return (~(now | v->value) & all) != 0;
    }
}

cudaError_t sl_proc_values_run(sl_proc *rt, const sl_proc_op *op)
{
    for (unsigned i = 0; i < op->values.count; i++) {
        const sl_proc_value *v = &op->values.item[i];
        uint64_t now = 0;
        if (!v->bytes)
            continue;
        if ((uintptr_t)v->address % v->bytes ||
            !sl_heap_contains(sl_emu_heap(rt->emu), (uintptr_t)v->address, v->bytes))
            return cudaErrorInvalidValue;
        if (!v->wait) {
            memcpy(v->address, &v->value, v->bytes);
            sl_heap_mark_written(sl_emu_heap(rt->emu), (uintptr_t)v->address, v->bytes);
            continue;
        }
        /* Another thread of the program may write it; work of other streams that would is done already. */
        unsigned turns = 0;
        for (memcpy(&now, v->address, v->bytes); !has_come(v, now); memcpy(&now, v->address, v->bytes)) {
            sl_proc_flush_printed(rt);
            if (++turns == 1000000 / POLL_US)
                sl_proc_say("a stream waits for a value at %p; work is done when it is issued, so that only another "
                            "thread of the program can write it now",
                            v->address);
            sl_proc_unlock(rt);
            usleep(POLL_US);
            sl_proc_relock(rt);
            if (rt->fault || !rt->emu)
                return rt->fault;
        }
    }
    return cudaSuccess;
}
