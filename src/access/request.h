/* SPDX-License-Identifier: MIT */
/* From the accesses of a warp's lanes to requests to the first cache: sectors of lines. */
#ifndef SL_ACCESS_REQUEST_H
#define SL_ACCESS_REQUEST_H

#include "machine/machine.h"
#include "sluice/trace.h"

enum {
    SL_MAX_LANE_BYTES = 32,                       /* bytes that a lane may access */
    SL_MIN_LINE_BYTES = 16,                       /* bytes of a line */
    SL_MIN_SECTOR_BYTES = 4,                      /* bytes of a sector */
    SL_MAX_LINE_SECTORS = 16,                     /* of a line */
    SL_MAX_LINE_REQUESTS = SL_MAX_LANES * 32 / 4, /* each word of each lane's local memory may be in a different line */
    SL_JOINED_LINES =
        16, /* stores of a warp to as many join before L1 (papers/h200-micro/stored.csv: 16 do, 32 do not) */
};

typedef struct sl_line_request {
    uint64_t line;    /* address / line_bytes */
    uint32_t sectors; /* a mask */
} sl_line_request;

/* How many sectors a mask of a line holds. Without a popcount instruction compilers call a function, which took a
 * twentieth of the model's time. */
static inline uint64_t sl_sector_count(uint32_t sectors)
{
    sectors -= sectors >> 1 & 0x5555;
    sectors = (sectors & 0x3333) + (sectors >> 2 & 0x3333);
    sectors = (sectors + (sectors >> 4)) & 0x0f0f;
    return (sectors + (sectors >> 8)) & 0x1f;
}

typedef struct sl_access_shape {
    unsigned log2_line, log2_sector;
    uint32_t split_bytes; /* max bytes of a request: wider accesses are split; 0: no limit */
    const sl_trace_launch *launch;
    uint64_t local_base; /* address of the warp's local memory */
} sl_access_shape;

/* Requests to a cache with lines of `line_bytes`, by sectors of `sector_bytes`. Each warp has its local_base. */
static inline sl_access_shape sl_access_shape_of(const sl_machine *machine, const sl_trace_launch *launch,
                                                 uint32_t line_bytes, uint32_t sector_bytes)
{
    return (sl_access_shape){.log2_line = (unsigned)__builtin_ctz(line_bytes),
                             .log2_sector = (unsigned)__builtin_ctz(sector_bytes),
                             .split_bytes = machine->core.request_bytes,
                             .launch = launch};
}

/* Whether an instruction goes to the caches: not shared memory, not parameters and constants. */
static inline bool sl_inst_uses_cache(const sl_inst *inst)
{
    return inst->mem_slot != UINT32_MAX && inst->space != SL_MEM_SHARED && inst->space != SL_MEM_CONST;
}
/* Whether it reads lines of a cache: prefetches and asynchronous copies do, atomics do not. */
static inline bool sl_inst_loads(const sl_inst *inst)
{
    return inst->access == SL_ACCESS_LOAD || inst->access == SL_ACCESS_ASYNC_COPY ||
           inst->access == SL_ACCESS_PREFETCH || inst->access == SL_ACCESS_BULK_LOAD ||
           inst->access == SL_ACCESS_BULK_PREFETCH;
}
/* Whether it accesses rows, through L2 and not L1. */
static inline bool sl_inst_is_atomic(const sl_inst *inst)
{
    return inst->access == SL_ACCESS_ATOMIC || inst->access == SL_ACCESS_REDUCTION ||
           inst->access == SL_ACCESS_BULK_REDUCTION;
}
static inline bool sl_inst_is_bulk(const sl_inst *inst)
{
    return inst->access >= SL_ACCESS_BULK_LOAD && inst->access <= SL_ACCESS_BULK_PREFETCH;
}
/* Whether it is what profilers call a global load. */
static inline bool sl_inst_is_global_load(const sl_inst *inst)
{
    return inst->access == SL_ACCESS_LOAD && (inst->space == SL_MEM_GLOBAL || inst->space == SL_MEM_GENERIC);
}

/* Fails, with the reason, if the model does not support the accesses of the kernel to this level. */
sl_status sl_access_check(const sl_level *level, const sl_trace_kernel *kernel, sl_error *error);

/* Writes the pieces of an access, lines ascending within a request, and returns how many there are. Lanes in shared
 * memory are skipped; `access` is expanded where that is needed. */
uint32_t sl_line_requests(const sl_access_shape *shape, const sl_inst *inst, sl_access *access,
                          sl_line_request piece[SL_MAX_LINE_REQUESTS]);

/* The accessed bytes of a line, as a mask, for lines of at most 128 bytes. Global memory only. */
void sl_line_bytes(const sl_access_shape *shape, const sl_inst *inst, sl_access *access, uint64_t line,
                   uint64_t bytes[2]);

/* Which levels an access looks up and allocates in: decided once, from its cache operator, and carried along with its
 * requests. */

typedef enum sl_evict_priority { SL_EVICT_NORMAL, SL_EVICT_FIRST, SL_EVICT_LAST } sl_evict_priority;

/* See cache_ops.def. */
typedef struct sl_cache_decision {
    bool lookup, allocate, half;
    uint8_t l1, l2; /* sl_evict_priority */
    uint8_t log2_fetch;
    const char *reason;
} sl_cache_decision;

extern const sl_cache_decision sl_cache_decisions[SL_CACHE_OPS];

/* Operators of stores that do what they do to loads (papers/h200-micro/retention.csv); .cg and .wt change nothing. */
static inline bool sl_cache_op_of_stores(uint8_t op)
{
    return op == SL_CACHE_CS || op == SL_CACHE_L1_NO_ALLOCATE || op == SL_CACHE_L1_EVICT_FIRST ||
           op >= SL_CACHE_L2_EVICT_FIRST;
}

/* How an access is handled in L1 and in the last level. Others than loads and stores have no such operators.
 * `cached_volatile`: L1 caches volatile loads, too. */
static inline const sl_cache_decision *sl_cache_decide(const sl_inst *inst, bool cached_volatile)
{
    bool decides = sl_inst_loads(inst) || (inst->access == SL_ACCESS_STORE && sl_cache_op_of_stores(inst->cache_op));
    decides &= !(cached_volatile && inst->cache_op == SL_CACHE_VOLATILE);
    return &sl_cache_decisions[decides ? (sl_cache_op)inst->cache_op : SL_CACHE_DEFAULT];
}

#endif
