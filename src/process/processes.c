/* SPDX-License-Identifier: MIT */
/* Memory and events that several processes share.
 *
 * What a process gives a handle of moves to a file without a name and stays at its address: which is also its
 * place in the file, because small allocations have pages in common. A handle says which process has that file
 * open, and where in it the allocation is; others map its pages. Work is done when it is issued, in every process: an
 * event of another one has always happened. */
#include "process/core.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"

enum { PAGE = 4096, MEMORY = 0x6d656d31, EVENT = 0x65766e31, LAZY_PEER_ACCESS = 1 };

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(PAGE - 1);
}

/* ---- giving ---- */

static bool move_to_file(const sl_proc *rt, uint64_t first, uint64_t end)
{
    for (uint64_t at = first; at < end;) {
        ssize_t wrote = pwrite(rt->shared_file, (const void *)(uintptr_t)at, end - at, (off_t)at);
        if (wrote <= 0)
            return false;
        at += (uint64_t)wrote;
    }
    return mmap((void *)(uintptr_t)first, end - first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, rt->shared_file,
                (off_t)first) != MAP_FAILED;
}

/* Moves those of the pages that are not in the file yet. */
static bool share_pages(sl_proc *rt, uint64_t first, uint64_t end)
{
    while (first < end) {
        uint64_t upto = end;
        for (size_t i = 0; i < rt->shared_pages.count && first < end; i++) {
            const sl_proc_pages *p = &rt->shared_pages.items[i];
            if (first >= p->first && first < p->end) {
                first = upto = p->end;
                break;
            }
            if (p->first > first && p->first < upto)
                upto = p->first;
        }
        if (first == upto)
            continue;
        if (!sl_array_reserve(&rt->shared_pages, 1) || !move_to_file(rt, first, upto))
            return false;
        rt->shared_pages.items[rt->shared_pages.count++] = (sl_proc_pages){first, upto};
        first = upto;
    }
    return true;
}

cudaError_t sl_proc_share_memory(sl_proc *rt, void *handle, const void *pointer)
{
    const sl_alloc *alloc = sl_heap_find(sl_emu_heap(rt->emu), (uintptr_t)pointer);
    if (!handle || !alloc || alloc->kind != SL_ALLOC_DEVICE || sl_proc_vm_holds(rt, alloc->base))
        return cudaErrorInvalidValue;
    if (rt->shared_file <= 0)
        rt->shared_file = sl_memory_file("sluice shared memory");
    uint64_t first = page_of(alloc->base), end = page_of(alloc->base + alloc->bytes + PAGE - 1);
    if (rt->shared_file < 0 || !share_pages(rt, first, end))
        return cudaErrorOperatingSystem;
    sl_heap_share(sl_emu_heap(rt->emu), alloc->base);
    sl_proc_ipc_handle made = {
        .kind = MEMORY, .owner = getpid(), .file = rt->shared_file, .address = alloc->base, .bytes = alloc->bytes};
    memcpy(handle, &made, sizeof made); /* CUDA's has no alignment */
    return cudaSuccess;
}

cudaError_t sl_proc_share_event(sl_proc *rt, void *handle, cudaEvent_t event)
{
    const struct sl_proc_event *e = rt->events;
    while (e && e != event)
        e = e->next;
    if (!handle || !e || !(e->flags & cudaEventInterprocess))
        return handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    sl_proc_ipc_handle made = {.kind = EVENT, .owner = getpid()};
    memcpy(handle, &made, sizeof made);
    return cudaSuccess;
}

/* ---- taking ---- */

/* Maps the pages of the file that hold the allocation. */
static cudaError_t map_foreign(sl_proc *rt, sl_proc_foreign *f)
{
    char path[64];
    struct stat facts;
    uint64_t skip = f->handle.address % PAGE, end;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", f->handle.owner, f->handle.file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    bool fits = file >= 0 && f->handle.bytes && !fstat(file, &facts) && S_ISREG(facts.st_mode) &&
                !__builtin_add_overflow(f->handle.address, f->handle.bytes, &end) && end <= (uint64_t)facts.st_size;
    sl_heap *heap = sl_emu_heap(rt->emu);
    cudaError_t error = cudaErrorMapBufferObjectFailed;
    f->mapped = fits ? page_of(skip + f->handle.bytes + PAGE - 1) : 0;
    if (fits && !sl_heap_reserve(heap, f->mapped, PAGE, &f->at, NULL) &&
        mmap((void *)(uintptr_t)f->at, f->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             (off_t)(f->handle.address - skip)) != MAP_FAILED)
        error = sl_proc_error_of(sl_heap_place(heap, f->at + skip, f->handle.bytes, "memory of another process", NULL));
    if (file >= 0)
        close(file);
    return error;
}

cudaError_t sl_proc_open_memory(sl_proc *rt, void **pointer, sl_proc_ipc_handle handle, unsigned flags)
{
    if (!pointer || flags != LAZY_PEER_ACCESS)
        return cudaErrorInvalidValue;
    if (handle.kind != MEMORY)
        return cudaErrorInvalidResourceHandle;
    if (handle.owner == getpid())
        return cudaErrorDeviceUninitialized;
    sl_proc_foreign *f = NULL;
    for (size_t i = 0; i < rt->foreign.count && !f; i++)
        if (!memcmp(&rt->foreign.items[i].handle, &handle, sizeof handle))
            f = &rt->foreign.items[i];
    if (!f) {
        sl_proc_foreign made = {.handle = handle};
        if (!sl_array_reserve(&rt->foreign, 1))
            return cudaErrorMemoryAllocation;
        cudaError_t error = map_foreign(rt, &made);
        if (error)
            return error;
        f = &rt->foreign.items[rt->foreign.count++];
        *f = made;
    }
    f->users++;
    *pointer = (void *)(uintptr_t)(f->at + handle.address % PAGE);
    return cudaSuccess;
}

cudaError_t sl_proc_close_memory(sl_proc *rt, const void *pointer)
{
    for (size_t i = 0; i < rt->foreign.count; i++) {
        sl_proc_foreign *f = &rt->foreign.items[i];
        uint64_t address = f->at + f->handle.address % PAGE;
        if (address != (uintptr_t)pointer)
            continue;
        if (--f->users)
            return cudaSuccess;
        sl_heap_withdraw(sl_emu_heap(rt->emu), address);
        void *gone = mmap((void *)(uintptr_t)f->at, f->mapped, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        *f = rt->foreign.items[--rt->foreign.count];
        return gone == MAP_FAILED ? cudaErrorOperatingSystem : cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t sl_proc_open_event(sl_proc *rt, cudaEvent_t *event, sl_proc_ipc_handle handle)
{
    return handle.kind == EVENT ? sl_proc_event_create(rt, event, cudaEventDisableTiming | cudaEventInterprocess)
                                : cudaErrorInvalidResourceHandle;
}

void sl_proc_processes_forget_device(sl_proc *rt)
{
    if (rt->shared_file > 0)
        close(rt->shared_file);
    rt->shared_file = 0;
    sl_array_free(&rt->shared_pages);
    sl_array_free(&rt->foreign);
}
