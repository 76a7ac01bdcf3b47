/* SPDX-License-Identifier: MIT */
/* Virtual memory management: addresses, memory, and which memory is at which address, each by calls of its own.
 *
 * Memory is a file without a name, so that the same bytes can be at several addresses (and in several processes).
 * Kernels and copies see a run of accessible mappings as one allocation, as a GPU does. */
#include "process/core.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"

enum { GRANULARITY = 2 << 20 };

struct sl_proc_physical {
    int file;
    size_t bytes;
    unsigned users; /* the program's handles, and mappings */
    struct sl_proc_physical *next;
};

typedef struct mapping {
    uint64_t address;
    size_t bytes;
    struct sl_proc_physical *memory;
    unsigned access; /* 0: not yet */
} mapping;

struct sl_proc_range {
    uint64_t address;
    size_t bytes;
    SL_ARRAY(mapping) mappings; /* by address */
    SL_ARRAY(uint64_t) runs;    /* allocations of the heap that stand for them */
    struct sl_proc_range *next;
};

static struct sl_proc_range *range_of(const sl_proc *rt, uint64_t address, size_t bytes)
{
    for (struct sl_proc_range *r = rt->ranges; r; r = r->next)
        if (address >= r->address && bytes <= r->bytes && address - r->address <= r->bytes - bytes)
            return r;
    return NULL;
}

bool sl_proc_vm_holds(const sl_proc *rt, uint64_t address)
{
    return range_of(rt, address, 1) != NULL;
}

static bool is_memory(const sl_proc *rt, const struct sl_proc_physical *memory)
{
    for (const struct sl_proc_physical *m = rt->physical; m; m = m->next)
        if (m == memory)
            return true;
    return false;
}

static bool is_size(size_t bytes)
{
    return bytes && bytes % GRANULARITY == 0;
}

size_t sl_proc_vm_granularity(void)
{
    return GRANULARITY;
}

/* ---- addresses ---- */

cudaError_t sl_proc_vm_reserve(sl_proc *rt, uint64_t *address, size_t bytes, size_t align)
{
    if (!address || !is_size(bytes) || (align & (align - 1)))
        return cudaErrorInvalidValue;
    struct sl_proc_range *r = calloc(1, sizeof *r);
    if (!r || sl_heap_reserve(sl_emu_heap(rt->emu), bytes, align, &r->address, NULL)) {
        free(r);
        return cudaErrorMemoryAllocation;
    }
    r->bytes = bytes;
    r->next = rt->ranges;
    rt->ranges = r;
    *address = r->address;
    return cudaSuccess;
}

cudaError_t sl_proc_vm_unreserve(sl_proc *rt, uint64_t address, size_t bytes)
{
    for (struct sl_proc_range **at = &rt->ranges; *at; at = &(*at)->next) {
        struct sl_proc_range *r = *at;
        if (r->address != address || r->bytes != bytes || r->mappings.count)
            continue;
        *at = r->next;
        sl_array_free(&r->mappings);
        sl_array_free(&r->runs);
        free(r);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

/* ---- memory ---- */

static cudaError_t keep(sl_proc *rt, int file, size_t bytes, struct sl_proc_physical **memory)
{
    struct sl_proc_physical *m = malloc(sizeof *m);
    if (!m) {
        close(file);
        return cudaErrorMemoryAllocation;
    }
    *m = (struct sl_proc_physical){file, bytes, 1, rt->physical};
    *memory = rt->physical = m;
    return cudaSuccess;
}

cudaError_t sl_proc_vm_create(sl_proc *rt, struct sl_proc_physical **memory, size_t bytes)
{
    if (!memory || !is_size(bytes))
        return cudaErrorInvalidValue;
    if (bytes > sl_emu_limits(rt->emu)->memory_bytes)
        return cudaErrorMemoryAllocation;
    int file = sl_memory_file("sluice device memory");
    if (file < 0 || ftruncate(file, (off_t)bytes)) {
        if (file >= 0)
            close(file);
        return cudaErrorMemoryAllocation;
    }
    return keep(rt, file, bytes, memory);
}

static void release(sl_proc *rt, struct sl_proc_physical *memory)
{
    if (--memory->users)
        return;
    struct sl_proc_physical **at = &rt->physical;
    while (*at != memory)
        at = &(*at)->next;
    *at = memory->next;
    close(memory->file);
    free(memory);
}

cudaError_t sl_proc_vm_release(sl_proc *rt, struct sl_proc_physical *memory)
{
    if (!is_memory(rt, memory))
        return cudaErrorInvalidValue;
    release(rt, memory);
    return cudaSuccess;
}

cudaError_t sl_proc_vm_size(const sl_proc *rt, const struct sl_proc_physical *memory, size_t *bytes)
{
    if (!is_memory(rt, memory))
        return cudaErrorInvalidValue;
    *bytes = memory->bytes;
    return cudaSuccess;
}

cudaError_t sl_proc_vm_export(const sl_proc *rt, const struct sl_proc_physical *memory, int *file)
{
    if (!is_memory(rt, memory))
        return cudaErrorInvalidValue;
    *file = dup(memory->file);
    return *file < 0 ? cudaErrorOperatingSystem : cudaSuccess;
}

cudaError_t sl_proc_vm_import(sl_proc *rt, struct sl_proc_physical **memory, int file)
{
    struct stat facts;
    int own = memory ? dup(file) : -1;
    if (own < 0 || fstat(own, &facts) || !S_ISREG(facts.st_mode) || !is_size((size_t)facts.st_size)) {
        if (own >= 0)
            close(own);
        return cudaErrorInvalidValue;
    }
    return keep(rt, own, (size_t)facts.st_size, memory);
}

/* ---- which memory is at which address ---- */

/* Tells the heap which addresses can be accessed. */
static cudaError_t show(sl_proc *rt, struct sl_proc_range *r)
{
    sl_heap *heap = sl_emu_heap(rt->emu);
    for (size_t i = 0; i < r->runs.count; i++)
        sl_heap_withdraw(heap, r->runs.items[i]);
    r->runs.count = 0;
    for (size_t i = 0, next; i < r->mappings.count; i = next) {
        const mapping *m = r->mappings.items;
        uint64_t end = m[i].address + m[i].bytes;
        for (next = i + 1; m[i].access && next < r->mappings.count && m[next].access && m[next].address == end; next++)
            end += m[next].bytes;
        if (!m[i].access)
            continue;
        if (sl_heap_place(heap, m[i].address, end - m[i].address, "mapped memory", NULL) ||
            !sl_array_push(&r->runs, m[i].address))
            return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

cudaError_t sl_proc_vm_map(sl_proc *rt, uint64_t address, size_t bytes, struct sl_proc_physical *memory)
{
    struct sl_proc_range *r = range_of(rt, address, bytes);
    if (!r || !is_memory(rt, memory) || !is_size(bytes) || bytes > memory->bytes ||
        (address - r->address) % GRANULARITY)
        return cudaErrorInvalidValue;
    size_t at = 0;
    while (at < r->mappings.count && r->mappings.items[at].address < address)
        at++;
    if ((at && r->mappings.items[at - 1].address + r->mappings.items[at - 1].bytes > address) ||
        (at < r->mappings.count && r->mappings.items[at].address < address + bytes))
        return cudaErrorInvalidValue; /* something is there */
    if (!sl_array_reserve(&r->mappings, 1) || mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE,
                                                   MAP_SHARED | MAP_FIXED, memory->file, 0) == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    for (size_t i = r->mappings.count; i > at; i--)
        r->mappings.items[i] = r->mappings.items[i - 1];
    r->mappings.items[at] = (mapping){address, bytes, memory, 0};
    r->mappings.count++;
    memory->users++;
    return cudaSuccess;
}

/* The mappings that [address, +bytes) consists of; false: it does not consist of whole mappings. */
static bool whole(const struct sl_proc_range *r, uint64_t address, size_t bytes, size_t *first, size_t *count)
{
    *first = *count = 0;
    while (*first < r->mappings.count && r->mappings.items[*first].address < address)
        ++*first;
    size_t covered = 0;
    for (size_t i = *first; covered < bytes && i < r->mappings.count; i++, ++*count) {
        if (r->mappings.items[i].address != address + covered)
            return false;
        covered += r->mappings.items[i].bytes;
    }
    return bytes && covered == bytes;
}

cudaError_t sl_proc_vm_unmap(sl_proc *rt, uint64_t address, size_t bytes)
{
    struct sl_proc_range *r = range_of(rt, address, bytes);
    size_t first, count;
    if (!r || !whole(r, address, bytes, &first, &count))
        return cudaErrorInvalidValue;
    if (mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < count; i++)
        release(rt, r->mappings.items[first + i].memory);
    for (size_t i = first; i + count < r->mappings.count; i++)
        r->mappings.items[i] = r->mappings.items[i + count];
    r->mappings.count -= count;
    return show(rt, r);
}

cudaError_t sl_proc_vm_set_access(sl_proc *rt, uint64_t address, size_t bytes, unsigned access)
{
    struct sl_proc_range *r = range_of(rt, address, bytes);
    size_t first, count;
    if (!r || !whole(r, address, bytes, &first, &count))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        r->mappings.items[first + i].access = access;
    return show(rt, r);
}

/* The mapping at an address. */
static const mapping *mapping_at(const sl_proc *rt, uint64_t address)
{
    const struct sl_proc_range *r = range_of(rt, address, 1);
    for (size_t i = 0; r && i < r->mappings.count; i++)
        if (address - r->mappings.items[i].address < r->mappings.items[i].bytes)
            return &r->mappings.items[i];
    return NULL;
}

cudaError_t sl_proc_vm_access(const sl_proc *rt, uint64_t address, unsigned *access)
{
    const mapping *m = mapping_at(rt, address);
    *access = m ? m->access : 0;
    return m ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t sl_proc_vm_retain(const sl_proc *rt, uint64_t address, struct sl_proc_physical **memory)
{
    const mapping *m = mapping_at(rt, address);
    if (!m)
        return cudaErrorInvalidValue;
    m->memory->users++;
    *memory = m->memory;
    return cudaSuccess;
}

void sl_proc_vm_forget_device(sl_proc *rt)
{
    while (rt->ranges) {
        struct sl_proc_range *r = rt->ranges;
        rt->ranges = r->next;
        sl_array_free(&r->mappings);
        sl_array_free(&r->runs);
        free(r);
    }
    while (rt->physical) {
        struct sl_proc_physical *m = rt->physical;
        rt->physical = m->next;
        close(m->file);
        free(m);
    }
}
