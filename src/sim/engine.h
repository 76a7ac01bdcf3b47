/* SPDX-License-Identifier: MIT */
/* The simulator's components and how they interact. Internal to src/sim; sim.h is the interface.
 *
 *   core (warps, issue) -> load/store unit -> bank of level 0 -> network -> banks of level 1 … -> channels of DRAM
 *
 * Every component knows the cycle of its next event. Components with an event in the current cycle are ticked in a
 * fixed order, from DRAM to the cores, so that an answer is seen in the cycle in which it arrives; cycles without
 * events are skipped. */
#ifndef SL_SIM_ENGINE_H
#define SL_SIM_ENGINE_H

#include "access/cta.h"
#include "access/request.h"
#include "policy/policy.h"
#include "sim/queue.h"
#include "sim/request.h"
#include "sim/sim.h"
#include "sim/timing_wheel.h"

typedef struct sl_bank sl_bank;
typedef struct sl_sim_core sl_sim_core;
typedef struct sl_channel sl_channel;

/* A shard: neighboring L1s and their SMs, which one thread simulates, with the cycles of their next events. */
enum { SL_SHARD_CACHES = 4 };
typedef struct __attribute__((aligned(64))) sl_shard {
    uint64_t core_next, fill_next; /* of the SMs; of fills and answers of the L1s: */
    uint64_t fill_at[SL_SHARD_CACHES];
    uint8_t senders;          /* mask of L1s with a new request to send */
    uint8_t sent;             /* mask of L1s that have sent one since the SMs were ticked */
    sl_queue inbox;           /* data in flight to the L1s that is not in their queues yet */
    _Atomic uint32_t claimed; /* 1 + the last cycle in which a thread claimed it, */
    _Atomic uint16_t owner;   /* and that thread */
} sl_shard;

enum {
    SL_CORE_WARPS = 64,
    SL_MAX_GRANULES = 32,
    SL_WORD_BYTES = 4
}; /* max warps of a core; bits of sl_request's masks */

/* A divisor with what makes division by it fast. Most are powers of two. */
typedef struct sl_divisor {
    uint32_t by;
    uint8_t shift;       /* 64: it is no power of two */
    uint64_t reciprocal; /* 2^64 / by, rounded up; 0: `by` has more than 16 bits */
} sl_divisor;

static inline sl_divisor sl_divisor_of(uint32_t by)
{
    return (sl_divisor){by, by & (by - 1) ? 64 : (uint8_t)__builtin_ctz(by), by >> 16 ? 0 : UINT64_MAX / by + 1};
}
/* Numbers of up to 48 bits, as addresses are, are multiplied by the reciprocal: its error is below 2^16 / 2^64. */
static inline uint64_t sl_divide(uint64_t n, sl_divisor d)
{
    if (d.shift < 64)
        return n >> d.shift;
    return n >> 48 || !d.reciprocal ? n / d.by : (uint64_t)((unsigned __int128)n * d.reciprocal >> 64);
}
static inline uint64_t sl_modulo(uint64_t n, sl_divisor d)
{
    return d.shift < 64 ? n & (d.by - 1) : n - sl_divide(n, d) * d.by;
}

/* The bank of a level, or channel, that an interleaving chunk of memory maps to. SL_INDEX_ROTATE: each run of `targets`
 * chunks is permuted over all of them, by a hash of the higher address bits. */
static inline uint32_t sl_interleave_of(const sl_level *level, uint64_t chunk, sl_divisor targets)
{
    if (level->index != SL_INDEX_ROTATE)
        return (uint32_t)sl_modulo(level->index == SL_INDEX_MIX ? sl_hash_mix(chunk) : chunk, targets);
    /* Primes above any number of targets, so that multiplying by one is a permutation. */
    static const uint32_t prime[] = {65537, 65539, 65543, 65551, 65557, 65563, 65579, 65581,
                                     65587, 65599, 65609, 65617, 65629, 65633, 65647, 65651};
    uint64_t hash = sl_hash_mix(sl_divide(chunk, targets));
    return (uint32_t)sl_modulo(sl_modulo(chunk, targets) * prime[hash >> 60] + (hash & UINT32_MAX), targets);
}

/* The port of an L1 to the network, with the request at the head of its miss queue; a line of the host's cache. */
typedef struct __attribute__((aligned(64))) sl_port {
    uint64_t send_at; /* cycle from which the request can be sent */
    uint64_t free;    /* cycle from which the port is free */
    uint32_t request, to;
    uint32_t cycles; /* that the request occupies the port */
} sl_port;

/* Counters of a static memory instruction over a launch, in sectors of L1. */
typedef struct sl_slot_stats {
    uint64_t requests; /* warp instructions */
    uint64_t lines;    /* requests to level 0 */
    uint64_t sectors, hits, pending, misses;
    uint64_t scalar, scalar_lines, scalar_hits; /* warp instructions that are scalar loads, their lines */
    uint64_t bypasses, bypassed;                /* requests, and their sectors: of the misses */
    uint64_t next_sectors, next_hits;           /* reads of level 1 */
    uint64_t memory_sectors;                    /* reads of DRAM */
    uint64_t wait_cycles;                       /* that warps waited for its data */
    uint64_t stall_cycles;                      /* reservation failures of its requests at the first level */
} sl_slot_stats;

/* Elements that arrays of a core have, by the kernel. */
typedef struct sl_core_sizes {
    uint32_t registers, slots, read_ahead, fetches, blocks;
} sl_core_sizes;

/* Kernels get disjoint ranges of PCs for policies; few have more memory instructions. */
enum { SL_KERNEL_PCS = 1024 };

struct sl_sim {
    sl_machine whole;   /* as given */
    sl_machine machine; /* with the size that L1 has in this launch */
    sl_sim_options options;
    sl_request_pool *pool;
    sl_request *request;    /* pool->item */
    sl_request_stock stock; /* of the levels below L1, and of cores without their own */
    unsigned log2_granule; /* bytes of a granule: what a bit of a request's masks stands for, the smallest sector of all
                              levels */
    uint32_t sector_granules;                                             /* of a sector of level 0 */
    unsigned log2_line;                                                   /* of level 0 */
    uint32_t banks[SL_MAX_LEVELS];                                        /* of all instances of a level together */
    sl_divisor interleave[SL_MAX_LEVELS], partition_banks[SL_MAX_LEVELS]; /* bytes of a bank; banks of a partition */
    sl_divisor channel_bytes, channels, row_bytes, dram_banks, bank_group_banks;
    sl_bank *bank[SL_MAX_LEVELS];
    void *lines[SL_MAX_LEVELS];                /* of the banks of a level (banks.c), */
    size_t line_bytes[SL_MAX_LEVELS];          /* and how large that is */
    sl_timing_wheel bank_wheel[SL_MAX_LEVELS]; /* of the levels below the first */
    void *shared_state[SL_MAX_LEVELS][2];      /* of the policies of a level: replacement, bypass */
    sl_sim_core *core;
    sl_core_sizes core_sizes;   /* of the arrays that cores have */
    sl_shard *shard;            /* [shards] */
    struct sl_workers *workers; /* further threads (workers.h); NULL: none */
    bool defers;                /* while other threads simulate the cores: events for cores are deferred */
    bool is_view;               /* this is the copy of a thread of the workers */
    sl_queue fills, acks;       /* deferred: data for L1, and stores that have completed */
    uint32_t shards;
    uint64_t *senders; /* mask of L1s with a request to send that do not wait for a queue entry */
    sl_port *port;     /* [L1s] */
    sl_channel *channel;
    sl_timing_wheel channel_wheel;
    sl_memory times;                /* the machine's memory, with timings converted to core cycles */
    struct sl_coalescer *coalescer; /* NULL: the machine has none */
    uint32_t memory_pad;            /* extra cycles of a read, so that its unloaded latency is the machine's */
    unsigned log2_last_granules;    /* of a sector of the last level */
    /* Time that a transfer of n granules occupies the bus of a channel, and a bank group, in sixteenths of a cycle. */
    uint64_t burst[SL_MAX_GRANULES + 1], bank_group_burst[SL_MAX_GRANULES + 1];

    struct sl_host_prefetch *prefetch; /* scratch of this cycle (host_prefetch.h); NULL: no prefetching */
    uint32_t prefetch_parts;           /* its capacity */
    uint64_t now;
    uint64_t earlier;             /* cycles of earlier launches */
    uint64_t last_progress;       /* when an instruction was last issued, or a request last answered */
    bool failed;                  /* memory ran out */
    bool broken_off;              /* a launch failed before its end */
    uint32_t evictions_in_flight; /* lines that are being evicted from banks */
    bool watched;                 /* there is an observer: no event may be left out */
    char *state;                  /* text for a deadlock; NULL: there was none */
    /* of this launch */
    const struct sl_program *program;
    const sl_loaded *loaded;
    sl_access_shape shape;
    const sl_sim_hint *plan;                 /* [slots]; NULL: none */
    uint8_t evict_hints, evict_first_levels; /* bit i: the hint of level i is not `bypass`; is `evict_first` */
    uint8_t priorities;                      /* bit i: level i knows evict-first and evict-last */
    uint64_t next_block, blocks_done;
    uint64_t ends_seen;  /* finished blocks that CTA scheduling has seen, */
    uint64_t block_ends; /* and when it saw the last, in cycles * block_rate */
    sl_cta_config cta;
    sl_cta_rounds rounds;
    bool room; /* some core may have room for a block */
    uint32_t resident_blocks;
    uint32_t first_pc;     /* of the kernel, for policies */
    sl_slot_stats *slot;   /* [mem_slots] */
    sl_sim_result *result; /* being counted */
};

static inline sl_request *sl_request_at(sl_sim *sim, uint32_t number)
{
    return &sim->request[number];
}
/* Population count, without assuming that the host has an instruction for it. */
static inline uint32_t sl_bits(uint32_t mask)
{
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
/* Number of sectors that a mask of granules falls into; a sector has `sector_granules`, a power of two. */
static inline uint32_t sl_sectors(uint32_t granules, uint32_t sector_granules)
{
    static const uint32_t firsts[] = {0xffffffff, 0x55555555, 0x11111111, 0x01010101, 0x00010001, 1};
    if (!(granules & (granules - 1)))
        return granules != 0;
    for (uint32_t size = 1; size < sector_granules; size *= 2)
        granules |= granules >> size;
    return sl_bits(granules & firsts[__builtin_ctz(sector_granules)]);
}

/* Caches that not all cores share. */
static inline bool sl_is_private(const sl_sim *sim, uint32_t level)
{
    return !level || sim->machine.level[level].cores_per_instance != sim->machine.cores;
}

/* The cycles of a launch, up to its end (cycle.c). */
sl_status sl_sim_cycles(sl_sim *sim, sl_error *error);
/* Scratch for prefetching, for another thread as well; freed by free. */
sl_status sl_host_prefetch_create(sl_sim *sim, sl_error *error);
/* Requests in flight anywhere (core.c). */
uint32_t sl_requests_used(const sl_sim *sim);
/* Starts blocks on cores with room, in order, at most one on each core in a cycle (dispatch.c). */
sl_status sl_dispatch(sl_sim *sim, sl_error *error);
uint64_t sl_dispatch_end(sl_sim *sim); /* when the last end of a block was seen */
/* Completes the result of a launch from its counters (results.c). */
sl_status sl_sim_collect(sl_sim *sim, sl_error *error);
/* Deadlock: SL_FAULT with a summary; sl_sim_state_text has the whole state (state.c). */
sl_status sl_sim_stuck(sl_sim *sim, sl_error *error);

/* An entry of the miss queue of an L1 is free (`queue`), or data has arrived: retries stalled requests of its SMs. */
void sl_core_unblock(sl_sim *sim, uint32_t instance, bool queue);
/* A request will be answered: whether it is the last that its instruction waits for. Frees the others. */
bool sl_core_is_last(sl_sim *sim, uint32_t number);
/* The answer to the last request of an instruction has reached its core. Frees the request. */
void sl_core_answer(sl_sim *sim, uint32_t number);
/* A store or write-back has reached the level that keeps it. Frees the request. */
void sl_core_stored(sl_sim *sim, uint32_t number);

#endif
