/* SPDX-License-Identifier: MIT */
/* Counts what a launch executed and accessed, from its blocks as they come. No cache is modeled here: these are facts
 * of the trace, given the size of a sector. */
#ifndef SL_TRACE_COUNT_H
#define SL_TRACE_COUNT_H

#include "base/pool.h"
#include "sluice/trace.h"
#include "trace/counters.h"

typedef struct sl_count_options {
    uint32_t sector_bytes; /* a power of two; 0: 32 */
    bool footprint;        /* also which memory was accessed: costs a little time and a bit per sector */
    bool no_shared;        /* accesses to shared memory, and their passes over the banks, are not asked for */
} sl_count_options;

typedef struct sl_array_footprint {
    const char *name; /* of the base array, as the kernel's table says; "" where that is unknown */
    uint64_t bytes;   /* whole sectors */
    /* The allocation that it is, as the table of allocations names it, and its bytes; "": unknown. */
    const char *allocation;
    uint64_t allocation_bytes;
} sl_array_footprint;

typedef struct sl_launch_counts {
    sl_counts total;
    uint64_t blocks; /* seen */
    uint32_t slots;  /* memory instructions of the kernel */
    const sl_counts *slot;
    size_t arrays; /* in order of first use in the kernel; 0 without footprint */
    const sl_array_footprint *array;
} sl_launch_counts;

typedef struct sl_launch_counter sl_launch_counter;

/* `kernel` and `launch` must stay valid as long as the counter. */
sl_status sl_launch_counter_create(const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                                   const sl_count_options *options, sl_launch_counter **counter, sl_error *error);
void sl_launch_counter_destroy(sl_launch_counter *counter); /* NULL is fine */
sl_status sl_launch_counter_block(sl_launch_counter *counter, const sl_block_view *block, sl_error *error);
/* Adds what another counter of the same launch saw: blocks may be counted on several threads. */
sl_status sl_launch_counter_merge(sl_launch_counter *into, const sl_launch_counter *from, sl_error *error);
/* ---- counting while a block runs, without a trace in between ---- */

/* A counter for blocks of the launch that `whole` counts, which must stay valid as long. */
sl_status sl_launch_counter_part(const sl_launch_counter *whole, sl_launch_counter **part, sl_error *error);
/* A memory instruction ran for the lanes of `mask`; addr[i] is valid where bit i of the mask is set. */
void sl_launch_counter_access(sl_launch_counter *part, uint32_t slot, uint64_t mask, const uint64_t *addr);
enum { SL_SHAPE_GROUPS = 4 };
/* What is known of accesses whose lanes lie at the same distances from each other. The caller sets the first part. */
typedef struct sl_shape_counts {
    uint64_t mask;
    int64_t lowest, highest; /* distances from the first lane of the mask */
    /* zeros at first */
    uint8_t kind;
    uint32_t sectors, bytes;  /* sectors: or passes over the banks of shared memory */
    uint64_t at, offset_mask; /* the same sectors are accessed wherever `offset_mask` has the bits of an address that
                                 `at` has… */
    uint32_t groups;          /* …which are in so many groups of less than 64 */
    struct {
        uint64_t from, bits; /* the first of them, counted from that of the lowest lane; which of 64 from there on */
    } group[SL_SHAPE_GROUPS];
    uint64_t stride; /* of neighboring lanes at one distance */
} sl_shape_counts;
/* The same for lanes at distances from the first of them, which is at `at`. All of them lie, aligned, within an
 * allocation or the block's shared memory. */
void sl_launch_counter_shape(sl_launch_counter *part, uint32_t slot, sl_shape_counts *shape, const uint64_t *distance,
                             uint64_t at);
/* Moves what a part has counted to the whole, together with what ran. */
sl_status sl_launch_counter_collect(sl_launch_counter *whole, sl_launch_counter *part, uint64_t warp_insts,
                                    uint64_t thread_insts, bool block_ends, sl_error *error);
/* Memory that what a part has counted takes. */
size_t sl_launch_counter_bytes(const sl_launch_counter *part);

/* Valid until the counter is used again or destroyed. */
/* The allocations of the launch, by address, which name arrays in the result; they must stay valid until then. */
void sl_launch_counter_allocations(sl_launch_counter *counter, const sl_trace_range *range, size_t ranges);
sl_status sl_launch_counter_result(sl_launch_counter *counter, sl_launch_counts *counts, sl_error *error);

/* Counts launches of a trace file, several blocks at once. */

/* Counts one launch; the caller destroys *counter. `pool` may be NULL. The result is the same for any number of
 * threads. Blocks that cannot be read are skipped and reported in *damage, whose status is SL_OK when there were
 * none. */
sl_status sl_trace_count_launch(const sl_trace *trace, uint32_t launch, const sl_count_options *options, sl_pool *pool,
                                sl_launch_counter **counter, sl_error *damage, sl_error *error);

#endif
