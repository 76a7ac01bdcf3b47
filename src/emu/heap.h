/* SPDX-License-Identifier: MIT */
/* Device memory: allocations at fixed, reproducible addresses.
 *
 * The heap reserves a large range of the host's address space and hands out addresses in ascending order from a fixed
 * base, so the same program sees the same addresses in every run, whatever other heaps there are. Where the host has
 * the bytes of an address is one addition away (sl_heap_shift). Programs of the CUDA runtime use device addresses as
 * pointers: for them the addresses are the host's, and the second such heap of a process starts elsewhere.
 *
 * Freed addresses are not handed out again until the range is used up, so that a use after free is distinguished from
 * other illegal accesses. Not thread-safe: callers serialize. */
#ifndef SL_EMU_HEAP_H
#define SL_EMU_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/error.h"

enum { SL_HEAP_PAGE_BYTES = 2 * 1024 * 1024 }; /* what a GPU maps at once */

typedef enum sl_alloc_kind {
    SL_ALLOC_DEVICE, /* cudaMalloc */
    SL_ALLOC_KERNEL, /* malloc in a kernel */
    SL_ALLOC_HOST,   /* pinned or registered host memory that kernels may access */
    SL_ALLOC_MANAGED,
    SL_ALLOC_SYMBOL,   /* module variables */
    SL_ALLOC_INTERNAL, /* parameter blocks and the like */
} sl_alloc_kind;

typedef struct sl_alloc {
    uint64_t base, bytes; /* as asked for; base is 512-byte aligned (registered host memory: as it is) */
    uint64_t serial;      /* 1, 2, … in order of allocation */
    const char *label;    /* owned by the heap; NULL: none; what is given as "in f" is kept as "alloc N in f" */
    uint8_t kind;         /* sl_alloc_kind */
    bool live;
    bool mapped;      /* by the caller, who may write it or take it away: registered, placed, shared */
    bool touched;     /* found by its address since sl_heap_forget_touched */
    uint64_t version; /* grows when what it holds may have changed, apart from what the host writes by itself */
    uint8_t *written; /* with uninitialized-read checking: one bit per byte; else NULL */
} sl_alloc;

typedef struct sl_heap sl_heap;

/* track_writes: keep `written` maps for --check=uninit. host_addresses: addresses are valid host pointers as they are.
 */
sl_status sl_heap_create(bool track_writes, bool host_addresses, sl_heap **heap, sl_error *error);
/* A heap with copies of another device's memory at the addresses that it has there: those from `first` on, `bytes` of
 * them, become allocations by sl_heap_place alone, and others are handed out behind them. */
sl_status sl_heap_create_around(uint64_t first, uint64_t bytes, sl_heap **heap, sl_error *error);
void sl_heap_destroy(sl_heap *heap);
/* What to add to an address of this heap to get the host's; the same for all of them, as long as the heap lives. */
uint64_t sl_heap_shift(const sl_heap *heap);
/* Where the host has the bytes at addr. Does not look whether anything is allocated there. */
void *sl_heap_host(const sl_heap *heap, uint64_t addr);

/* Memory is zero-filled by the host but counts as never written. bytes may be 0 (a distinct address comes back). */
sl_status sl_heap_alloc(sl_heap *heap, uint64_t bytes, sl_alloc_kind kind, const char *label, uint64_t *addr,
                        sl_error *error);
/* Makes existing host memory accessible to kernels (cudaHostRegister). Needs a heap with host_addresses. */
sl_status sl_heap_register(sl_heap *heap, void *host, uint64_t bytes, sl_error *error);
/* Addresses for memory that the caller maps there (needs host_addresses): never handed out otherwise. `align` is a
 * power of 2 of at least a page. */
sl_status sl_heap_reserve(sl_heap *heap, uint64_t bytes, uint64_t align, uint64_t *addr, sl_error *error);
/* Makes such addresses, or those of sl_heap_create_around, an allocation, and no allocation again. */
sl_status sl_heap_place(sl_heap *heap, uint64_t addr, uint64_t bytes, const char *label, sl_error *error);
void sl_heap_withdraw(sl_heap *heap, uint64_t addr);
/* addr must be a live allocation's base. */
sl_status sl_heap_free(sl_heap *heap, uint64_t addr, sl_error *error);

/* Another process may write this allocation from now on. */
void sl_heap_share(sl_heap *heap, uint64_t addr);

/* The live allocation that holds addr, or NULL, which counts as touched. The pointer is valid until the next alloc or
 * free. */
const sl_alloc *sl_heap_find(const sl_heap *heap, uint64_t addr);
/* The allocation, live or freed, nearest to addr, without the emulator's internal ones; NULL: there is none. */
const sl_alloc *sl_heap_nearest(const sl_heap *heap, uint64_t addr);
/* True when there is memory at [addr, addr+bytes): in allocations of this heap, between them, and to the end of the
 * page behind that of the last one. */
bool sl_heap_backs(const sl_heap *heap, uint64_t addr, uint64_t bytes);
/* True when any of [addr, addr+bytes) lies in internal memory: kernels get there in no other way than by what the
 * emulator itself means by it. */
bool sl_heap_is_internal(const sl_heap *heap, uint64_t addr, uint64_t bytes);
/* True when [addr, addr+bytes) lies in one live allocation. */
bool sl_heap_contains(const sl_heap *heap, uint64_t addr, uint64_t bytes);
/* Host code wrote the range (copies, memset). */
void sl_heap_mark_written(sl_heap *heap, uint64_t addr, uint64_t bytes);
/* How many of these bytes nothing has written, where writes are tracked; else 0. */
uint64_t sl_heap_unwritten(const sl_heap *heap, uint64_t addr, uint64_t bytes);

/* Which allocations a launch touches: all accesses find them by their address. Taking them gives each a new version. */
void sl_heap_forget_touched(sl_heap *heap);
size_t sl_heap_take_touched(sl_heap *heap, const sl_alloc **touched, size_t max); /* how many there are */

/* What malloc in kernels may take in all. It takes no more than CUDA gives it by default unless it is set. */
enum { SL_KERNELS_HEAP_BYTES = 8 << 20 };
void sl_heap_limit_kernels(sl_heap *heap, uint64_t bytes);
uint64_t sl_heap_live_bytes(const sl_heap *heap);
uint64_t sl_heap_generation(const sl_heap *heap); /* grows with every allocation and every free */
size_t sl_heap_count(const sl_heap *heap);        /* live and freed, sorted by address */
const sl_alloc *sl_heap_at(const sl_heap *heap, size_t index);

#endif
