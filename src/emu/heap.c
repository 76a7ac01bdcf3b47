/* SPDX-License-Identifier: MIT */
#include "emu/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/array.h"

/* Heaps start at the first of these ranges. Several whose addresses are the host's take the first that is free. Others
 * are given less, so that a hundred of them find room side by side. */
#define FIRST_BASE         0x300000000000u
#define HOST_RANGE_BYTES   ((uint64_t)1 << 42)
#define DEVICE_RANGE_BYTES ((uint64_t)1 << 40)
enum {
    HOST_RANGES = 16,
    ALIGNMENT = 512,
    SMALL_GAP = 512,           /* between small allocations, so that an overrun is noticed */
    LARGE_BYTES = 1024 * 1024, /* from here on, whole pages of the GPU, and such a page as gap */
    GPU_PAGE = SL_HEAP_PAGE_BYTES,
};

struct sl_heap {
    uint64_t base, cursor, end;
    uint64_t shift;     /* host address - device address */
    uint64_t committed; /* readable and writable up to here */
    void *mapped;       /* what the host has given, and how much */
    uint64_t mapped_bytes;
    bool host_addresses;
    uint64_t live_bytes, serial, generation;
    uint64_t kernels_bytes,
        kernels_limit;                  /* live allocations of kernels (SL_ALLOC_KERNEL), and how much they may take */
    size_t kernels_freed, kernels_next; /* freed ones that are remembered; where to look for one to use again */
    bool track_writes;
    SL_ARRAY(sl_alloc) allocs; /* by address */
};

static uint64_t round_up(uint64_t x, uint64_t to)
{
    return (x + to - 1) / to * to;
}

static bool reserve(sl_heap *heap, uint64_t at, uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    void *got = mmap((void *)(uintptr_t)at, bytes, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED)
        return false;
    if (at && got != (void *)(uintptr_t)at) { /* kernels before 4.17 take the address as a hint */
        munmap(got, bytes);
        return false;
    }
    heap->mapped = got;
    heap->mapped_bytes = bytes;
    return true;
}

/* Where the address space of the process is limited (ulimit -v), a quarter of it. */
static uint64_t range_bytes(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / 4 >= wanted)
        return wanted;
    return limit.rlim_cur / 4 / GPU_PAGE * GPU_PAGE;
}

/* Addresses of the host: the first free range. */
static bool map_at_host_addresses(sl_heap *heap)
{
    uint64_t bytes = range_bytes(HOST_RANGE_BYTES);
    for (int i = 0; i < HOST_RANGES; i++) {
        uint64_t base = FIRST_BASE + (uint64_t)i * HOST_RANGE_BYTES;
        if (reserve(heap, base, bytes)) {
            heap->base = base;
            heap->end = base + bytes;
            return true;
        }
    }
    return false;
}

/* A separate address range, wherever the host has room: pages of the GPU start at large pages of the host. */
static bool map_anywhere(sl_heap *heap, uint64_t base, uint64_t bytes)
{
    if (!reserve(heap, 0, bytes + GPU_PAGE))
        return false;
    heap->base = base;
    heap->end = base + bytes;
    heap->shift = round_up((uint64_t)(uintptr_t)heap->mapped, GPU_PAGE) - base;
    return true;
}

/* Makes addresses up to `end` readable and writable, and those of the rest of its page and of the next one. */
static bool commit(sl_heap *heap, uint64_t end)
{
    end = round_up(end, GPU_PAGE) + GPU_PAGE;
    end = end < heap->end ? end : heap->end;
    if (end <= heap->committed)
        return true;
    uint64_t upto = round_up(end, 64 * (uint64_t)LARGE_BYTES);
    if (upto > heap->end)
        upto = heap->end;
    if (mprotect(sl_heap_host(heap, heap->committed), upto - heap->committed, PROT_READ | PROT_WRITE))
        return false;
    heap->committed = upto;
    return true;
}

sl_status sl_heap_create(bool track_writes, bool host_addresses, sl_heap **result, sl_error *error)
{
    sl_heap *heap = calloc(1, sizeof *heap);
    if (!heap)
        return sl_fail_memory(error);
    if (!(host_addresses ? map_at_host_addresses(heap)
                         : map_anywhere(heap, FIRST_BASE, range_bytes(DEVICE_RANGE_BYTES)))) {
        free(heap);
        return sl_fail(error, SL_NO_MEMORY, "no room in the address space for device memory");
    }
    heap->cursor = heap->committed = heap->base;
    heap->track_writes = track_writes;
    heap->kernels_limit = SL_KERNELS_HEAP_BYTES;
    heap->host_addresses = host_addresses;
    *result = heap;
    return SL_OK;
}

sl_status sl_heap_create_around(uint64_t first, uint64_t bytes, sl_heap **result, sl_error *error)
{
    uint64_t base = first / GPU_PAGE * GPU_PAGE, taken = round_up(first - base + bytes, GPU_PAGE) + GPU_PAGE;
    sl_heap *heap = calloc(1, sizeof *heap);
    if (!heap)
        return sl_fail_memory(error);
    heap->kernels_limit = SL_KERNELS_HEAP_BYTES;
    if (bytes > HOST_RANGE_BYTES || !map_anywhere(heap, base, taken + range_bytes(DEVICE_RANGE_BYTES))) {
        free(heap);
        return sl_fail(error, SL_NO_MEMORY, "no room in the address space for %llu bytes of another device's memory",
                       (unsigned long long)bytes);
    }
    heap->committed = base;
    heap->cursor = base + taken;
    if (!commit(heap, heap->cursor)) {
        sl_heap_destroy(heap);
        return sl_fail_memory(error);
    }
    *result = heap;
    return SL_OK;
}

void sl_heap_destroy(sl_heap *heap)
{
    if (!heap)
        return;
    for (size_t i = 0; i < heap->allocs.count; i++) {
        free((char *)heap->allocs.items[i].label);
        free(heap->allocs.items[i].written);
    }
    sl_array_free(&heap->allocs);
    munmap(heap->mapped, heap->mapped_bytes);
    free(heap);
}

uint64_t sl_heap_shift(const sl_heap *heap)
{
    return heap->shift;
}

void *sl_heap_host(const sl_heap *heap, uint64_t addr)
{
    return (void *)(uintptr_t)(addr + heap->shift);
}

/* Index of the first allocation whose base is above addr. */
static size_t first_above(const sl_heap *heap, uint64_t addr)
{
    size_t low = 0, high = heap->allocs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (heap->allocs.items[middle].base <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static char *copy_label(const char *label, uint64_t serial)
{
    char *copy;
    if (strncmp(label, "in ", 3) != 0)
        return strdup(label);
    return asprintf(&copy, "alloc %llu %s", (unsigned long long)serial, label) < 0 ? NULL : copy;
}

static sl_status insert(sl_heap *heap, uint64_t base, uint64_t bytes, sl_alloc_kind kind, const char *label,
                        sl_error *error)
{
    sl_alloc alloc = {.base = base, .bytes = bytes, .serial = heap->serial + 1, .kind = (uint8_t)kind, .live = true};
    if (label && !(alloc.label = copy_label(label, alloc.serial)))
        return sl_fail_memory(error);
    if (heap->track_writes && !(alloc.written = calloc(1, bytes / 8 + 1))) {
        free((char *)alloc.label);
        return sl_fail_memory(error);
    }
    if (!sl_array_reserve(&heap->allocs, 1)) {
        free((char *)alloc.label);
        free(alloc.written);
        return sl_fail_memory(error);
    }
    size_t at = first_above(heap, base);
    memmove(&heap->allocs.items[at + 1], &heap->allocs.items[at], (heap->allocs.count - at) * sizeof alloc);
    heap->allocs.items[at] = alloc;
    heap->allocs.count++;
    heap->serial++;
    heap->generation++;
    heap->live_bytes += bytes;
    heap->kernels_bytes += kind == SL_ALLOC_KERNEL ? bytes : 0;
    return SL_OK;
}

static void remove_at(sl_heap *heap, size_t index)
{
    sl_alloc *old = &heap->allocs.items[index];
    heap->kernels_freed -= old->kind == SL_ALLOC_KERNEL && !old->live;
    free((char *)old->label);
    free(old->written);
    memmove(old, old + 1, (heap->allocs.count - index - 1) * sizeof *old);
    heap->allocs.count--;
}

/* Reuses the addresses of a freed allocation once fresh ones have run out. */
static bool recycle(sl_heap *heap, uint64_t bytes, uint64_t *base)
{
    for (size_t i = 0; i < heap->allocs.count; i++) {
        sl_alloc *old = &heap->allocs.items[i];
        if (old->live || old->bytes < bytes || old->base < heap->base || old->base >= heap->end)
            continue;
        *base = old->base;
        memset(sl_heap_host(heap, old->base), 0, old->bytes);
        remove_at(heap, i);
        return true;
    }
    return false;
}

/* Addresses that kernels freed are used again, too, once there are many: each is remembered, and a kernel may allocate
 * and free in a loop. The entry stays where it is. */
static bool recycle_of_kernels(sl_heap *heap, uint64_t bytes, uint64_t *addr)
{
    enum { MAX_REMEMBERED = 1 << 18, LOOKED_AT = 64 };
    for (size_t i = 0; i < LOOKED_AT && heap->kernels_freed > MAX_REMEMBERED && !heap->track_writes; i++) {
        heap->kernels_next = heap->kernels_next + 1 < heap->allocs.count ? heap->kernels_next + 1 : 0;
        sl_alloc *old = &heap->allocs.items[heap->kernels_next];
        if (old->live || old->kind != SL_ALLOC_KERNEL || old->bytes != bytes)
            continue;
        memset(sl_heap_host(heap, old->base), 0, old->bytes);
        old->live = true;
        old->serial = ++heap->serial;
        heap->generation++;
        heap->live_bytes += bytes;
        heap->kernels_bytes += bytes;
        heap->kernels_freed--;
        *addr = old->base;
        return true;
    }
    return false;
}

sl_status sl_heap_alloc(sl_heap *heap, uint64_t bytes, sl_alloc_kind kind, const char *label, uint64_t *addr,
                        sl_error *error)
{
    bool large = bytes >= LARGE_BYTES;
    if (kind == SL_ALLOC_KERNEL && (bytes > heap->kernels_limit || heap->kernels_bytes > heap->kernels_limit - bytes))
        return sl_fail(error, SL_NO_MEMORY, "the heap of kernels is full");
    uint64_t base = round_up(heap->cursor, large ? GPU_PAGE : ALIGNMENT);
    uint64_t taken = large ? round_up(bytes, GPU_PAGE) + GPU_PAGE : round_up(bytes, ALIGNMENT) + SMALL_GAP;
    if (kind == SL_ALLOC_KERNEL && recycle_of_kernels(heap, bytes, addr))
        return SL_OK;
    if (bytes > heap->end - heap->base || taken > heap->end - base) {
        if (!recycle(heap, bytes, &base))
            return sl_fail(error, SL_NO_MEMORY, "device memory is full: %llu bytes asked for, %llu in use",
                           (unsigned long long)bytes, (unsigned long long)heap->live_bytes);
    } else {
        if (!commit(heap, base + taken))
            return sl_fail_memory(error);
        heap->cursor = base + taken;
    }
    sl_status status = insert(heap, base, bytes, kind, label, error);
    if (status == SL_OK)
        *addr = base;
    return status;
}

sl_status sl_heap_reserve(sl_heap *heap, uint64_t bytes, uint64_t align, uint64_t *addr, sl_error *error)
{
    uint64_t base = round_up(heap->cursor, align < GPU_PAGE ? GPU_PAGE : align);
    if (!heap->host_addresses || base >= heap->end || bytes > heap->end - base || GPU_PAGE > heap->end - base - bytes ||
        !commit(heap, base + bytes + GPU_PAGE))
        return sl_fail(error, SL_NO_MEMORY, "no %llu addresses are left", (unsigned long long)bytes);
    heap->cursor = base + bytes + GPU_PAGE;
    *addr = base;
    return SL_OK;
}

/* Memory that is not the heap's own; it may have been written elsewhere. */
static void note_mapped(sl_heap *heap, uint64_t addr, uint64_t bytes)
{
    size_t above = first_above(heap, addr);
    if (above)
        heap->allocs.items[above - 1].mapped = true;
    sl_heap_mark_written(heap, addr, bytes);
}

sl_status sl_heap_place(sl_heap *heap, uint64_t addr, uint64_t bytes, const char *label, sl_error *error)
{
    sl_status status = insert(heap, addr, bytes, SL_ALLOC_DEVICE, label, error);
    if (status == SL_OK)
        note_mapped(heap, addr, bytes);
    return status;
}

void sl_heap_withdraw(sl_heap *heap, uint64_t addr)
{
    size_t above = first_above(heap, addr);
    if (!above || heap->allocs.items[above - 1].base != addr)
        return;
    heap->live_bytes -= heap->allocs.items[above - 1].bytes;
    heap->generation++;
    remove_at(heap, above - 1);
}

sl_status sl_heap_register(sl_heap *heap, void *host, uint64_t bytes, sl_error *error)
{
    if (!heap->host_addresses)
        return sl_fail(error, SL_INVALID, "host memory cannot be registered: device addresses are not the host's");
    uint64_t base = (uint64_t)(uintptr_t)host;
    size_t above = first_above(heap, base);
    bool overlaps =
        above < heap->allocs.count && heap->allocs.items[above].live && heap->allocs.items[above].base < base + bytes;
    if (sl_heap_find(heap, base) || overlaps)
        return sl_fail(error, SL_INVALID, "host memory at 0x%llx is registered already", (unsigned long long)base);
    /* A freed registration of the same address is replaced. */
    if (above && heap->allocs.items[above - 1].base == base)
        remove_at(heap, above - 1);
    sl_status status = insert(heap, base, bytes, SL_ALLOC_HOST, "registered", error);
    if (status == SL_OK)
        note_mapped(heap, base, bytes);
    return status;
}

sl_status sl_heap_free(sl_heap *heap, uint64_t addr, sl_error *error)
{
    size_t above = first_above(heap, addr);
    sl_alloc *alloc = above ? &heap->allocs.items[above - 1] : NULL;
    if (!alloc || alloc->base != addr)
        return sl_fail(error, SL_INVALID, "0x%llx is not the start of an allocation", (unsigned long long)addr);
    if (!alloc->live)
        return sl_fail(error, SL_INVALID, "0x%llx was freed already", (unsigned long long)addr);
    alloc->live = false;
    heap->generation++;
    heap->live_bytes -= alloc->bytes;
    heap->kernels_bytes -= alloc->kind == SL_ALLOC_KERNEL ? alloc->bytes : 0;
    heap->kernels_freed += alloc->kind == SL_ALLOC_KERNEL;
    free(alloc->written);
    alloc->written = NULL;
    if (addr >= heap->base && addr < heap->end) {
        uint64_t first = round_up(addr, 4096), end = (addr + alloc->bytes) & ~(uint64_t)4095;
        if (end > first)
            madvise(sl_heap_host(heap, first), end - first, MADV_DONTNEED);
    }
    return SL_OK;
}

static const sl_alloc *holder(const sl_heap *heap, uint64_t addr)
{
    size_t above = first_above(heap, addr);
    if (!above)
        return NULL;
    const sl_alloc *alloc = &heap->allocs.items[above - 1];
    return alloc->live && addr - alloc->base < alloc->bytes ? alloc : NULL;
}

const sl_alloc *sl_heap_find(const sl_heap *heap, uint64_t addr)
{
    const sl_alloc *alloc = holder(heap, addr);
    /* Several threads may set it, and only once: they would take the line from each other. */
    if (alloc && !__atomic_load_n(&alloc->touched, __ATOMIC_RELAXED))
        __atomic_store_n((bool *)(uintptr_t)&alloc->touched, true, __ATOMIC_RELAXED);
    return alloc;
}

void sl_heap_forget_touched(sl_heap *heap)
{
    for (size_t i = 0; i < heap->allocs.count; i++)
        heap->allocs.items[i].touched = false;
}

size_t sl_heap_take_touched(sl_heap *heap, const sl_alloc **touched, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < heap->allocs.count; i++) {
        sl_alloc *alloc = &heap->allocs.items[i];
        if (!alloc->touched)
            continue;
        alloc->touched = false;
        alloc->version++;
        if (count < max)
            touched[count] = alloc;
        count++;
    }
    return count;
}

void sl_heap_share(sl_heap *heap, uint64_t addr)
{
    sl_alloc *alloc = (sl_alloc *)(uintptr_t)holder(heap, addr);
    if (alloc)
        alloc->mapped = true;
    heap->generation++;
}

const sl_alloc *sl_heap_nearest(const sl_heap *heap, uint64_t addr)
{
    size_t above = first_above(heap, addr), under = above;
    while (under && heap->allocs.items[under - 1].kind == SL_ALLOC_INTERNAL)
        under--;
    while (above < heap->allocs.count && heap->allocs.items[above].kind == SL_ALLOC_INTERNAL)
        above++;
    const sl_alloc *below = under ? &heap->allocs.items[under - 1] : NULL;
    const sl_alloc *next = above < heap->allocs.count ? &heap->allocs.items[above] : NULL;
    if (!below || !next)
        return below ? below : next;
    uint64_t below_end = below->base + below->bytes;
    uint64_t down = addr < below_end ? 0 : addr - below_end, up = next->base - addr;
    return down <= up ? below : next;
}

bool sl_heap_backs(const sl_heap *heap, uint64_t addr, uint64_t bytes)
{
    return addr >= heap->base && addr < heap->committed && bytes <= heap->committed - addr;
}

bool sl_heap_is_internal(const sl_heap *heap, uint64_t addr, uint64_t bytes)
{
    for (size_t i = first_above(heap, addr + bytes - 1); i-- > 0;) {
        const sl_alloc *alloc = &heap->allocs.items[i];
        if (alloc->base + alloc->bytes <= addr)
            break;
        if (alloc->kind == SL_ALLOC_INTERNAL)
            return true;
    }
    return false;
}

bool sl_heap_contains(const sl_heap *heap, uint64_t addr, uint64_t bytes)
{
    const sl_alloc *alloc = holder(heap, addr);
    return alloc && bytes <= alloc->bytes - (addr - alloc->base);
}

void sl_heap_mark_written(sl_heap *heap, uint64_t addr, uint64_t bytes)
{
    sl_alloc *alloc = (sl_alloc *)(uintptr_t)holder(heap, addr);
    if (alloc)
        alloc->version++;
    if (!alloc || !alloc->written)
        return;
    uint64_t first = addr - alloc->base, end = first + bytes;
    if (end > alloc->bytes)
        end = alloc->bytes;
    for (uint64_t i = first; i < end;) {
        if (i % 8 == 0 && end - i >= 8) {
            uint64_t whole = (end - i) / 8;
            memset(alloc->written + i / 8, 0xff, whole);
            i += whole * 8;
        } else {
            alloc->written[i / 8] |= (uint8_t)(1 << i % 8);
            i++;
        }
    }
}

uint64_t sl_heap_unwritten(const sl_heap *heap, uint64_t addr, uint64_t bytes)
{
    const sl_alloc *alloc = holder(heap, addr);
    uint64_t count = 0;
    if (!alloc || !alloc->written)
        return 0;
    uint64_t first = addr - alloc->base, end = bytes < alloc->bytes - first ? first + bytes : alloc->bytes;
    for (uint64_t i = first; i < end;) {
        bool whole = i % 8 == 0 && end - i >= 8;
        if (!whole || alloc->written[i / 8] != 0xff)
            for (uint64_t j = i; j < (whole ? i + 8 : i + 1); j++)
                count += !(alloc->written[j / 8] >> j % 8 & 1);
        i += whole ? 8 : 1;
    }
    return count;
}

void sl_heap_limit_kernels(sl_heap *heap, uint64_t bytes)
{
    heap->kernels_limit = bytes;
}

uint64_t sl_heap_live_bytes(const sl_heap *heap)
{
    return heap->live_bytes;
}

uint64_t sl_heap_generation(const sl_heap *heap)
{
    return heap->generation;
}

size_t sl_heap_count(const sl_heap *heap)
{
    return heap->allocs.count;
}

const sl_alloc *sl_heap_at(const sl_heap *heap, size_t index)
{
    return &heap->allocs.items[index];
}
