/* SPDX-License-Identifier: MIT */
/* The parts of the simulator and how they reach each other. Only src/sim includes this; sim.h is for everyone.
 *
 *   core (warps, issue) -> load/store unit -> bank of level 0 -> network -> banks of level 1 … -> channels of DRAM
 *
 * Time is one cycle at a time. Every part has a cycle at which something can next happen to it (`next`); parts whose
 * cycle has come are ticked in a fixed order, from memory to the cores, so that what is answered in a cycle is seen in
 * it; cycles in which no part has anything to do are skipped. */
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

/* Some first-level caches that lie side by side, with their cores: when something can next happen to them. */
enum { SL_SHARD_CACHES = 4 };
typedef struct __attribute__((aligned(64))) sl_shard {
    uint64_t core_next, fill_next; /* to one of the cores; a cache has data, or an answer: */
    uint64_t fill_at[SL_SHARD_CACHES];
    uint8_t senders;          /* mask of caches that have something new to send */
    uint8_t sent;             /* of those that have sent since the cores were ticked */
    sl_queue inbox;           /* data that is on its way to them, and not in their queues yet */
    _Atomic uint32_t claimed; /* 1 + the last cycle in which a thread has taken it, */
    _Atomic uint16_t owner;   /* and that thread */
} sl_shard;

enum { SL_CORE_WARPS = 64, SL_MAX_GRANULES = 32, SL_WORD_BYTES = 4 }; /* max warps of a core; as sl_request has them */

/* A number that is often divided by. Most are powers of two. */
typedef struct sl_divisor {
    uint32_t by;
    uint8_t shift;       /* 64: it is no power of two */
    uint64_t reciprocal; /* of 2^64, rounded up; 0: it has more than 16 bits */
} sl_divisor;

static inline sl_divisor sl_divisor_of(uint32_t by)
{
    return (sl_divisor){by, by & (by - 1) ? 64 : (uint8_t)__builtin_ctz(by), by >> 16 ? 0 : UINT64_MAX / by + 1};
}
/* What has up to 48 bits, as addresses have, is multiplied by the reciprocal: that is off by less than 2^16 / 2^64. */
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

/* Which of the banks of a level, or of the channels behind it, has a chunk of memory. SL_INDEX_ROTATE: as many chunks
 * in a row as there are places have one each, in an order that a hash of what is above decides. */
static inline uint32_t sl_interleave_of(const sl_level *level, uint64_t chunk, sl_divisor places)
{
    if (level->index != SL_INDEX_ROTATE)
        return (uint32_t)sl_modulo(level->index == SL_INDEX_MIX ? sl_hash_mix(chunk) : chunk, places);
    /* Primes above any number of places: they have no factor in common with it. */
    static const uint32_t prime[] = {65537, 65539, 65543, 65551, 65557, 65563, 65579, 65581,
                                     65587, 65599, 65609, 65617, 65629, 65633, 65647, 65651};
    uint64_t hash = sl_hash_mix(sl_divide(chunk, places));
    return (uint32_t)sl_modulo(sl_modulo(chunk, places) * prime[hash >> 60] + (hash & UINT32_MAX), places);
}

/* What a first-level cache sends next: all that the network has to know of it, in a line of the host's cache. */
typedef struct __attribute__((aligned(64))) sl_port {
    uint64_t send_at; /* when it can be sent */
    uint64_t free;    /* when the port is */
    uint32_t request, to;
    uint32_t cycles; /* that it takes the port */
} sl_port;

/* What is counted of each static memory instruction; sums are those of the launch. Sectors are those of level 0. */
typedef struct sl_slot_stats {
    uint64_t requests; /* warp instructions */
    uint64_t lines;    /* requests to level 0 */
    uint64_t sectors, hits, pending, misses;
    uint64_t bypasses, bypassed;      /* requests, and their sectors: of the misses */
    uint64_t next_sectors, next_hits; /* reads of level 1 */
    uint64_t memory_sectors;          /* reads of DRAM */
} sl_slot_stats;

/* More memory instructions than a kernel has, as a rule. */
enum { SL_KERNEL_PCS = 1024 };

struct sl_sim {
    sl_machine whole;   /* as it was given */
    sl_machine machine; /* its first level as it is in this launch */
    sl_sim_options options;
    sl_request_pool *pool;
    sl_request *request;           /* those of the pool */
    sl_request_stock stock;        /* of the levels below the first, and of cores that do not have their own */
    unsigned log2_granule;         /* of the bytes that a bit of a request's masks stands for */
    uint32_t sector_granules;      /* of a sector of level 0 */
    unsigned log2_line;            /* of level 0 */
    uint32_t banks[SL_MAX_LEVELS]; /* of all instances of a level together */
    sl_divisor interleave[SL_MAX_LEVELS], partition_banks[SL_MAX_LEVELS]; /* bytes of a bank; banks of a partition */
    sl_divisor channel_bytes, channels, row_bytes, dram_banks, bank_group_banks;
    sl_bank *bank[SL_MAX_LEVELS];
    void *lines[SL_MAX_LEVELS];                /* of the banks of a level (banks.c) */
    sl_timing_wheel bank_wheel[SL_MAX_LEVELS]; /* of the levels below the first */
    void *shared_state[SL_MAX_LEVELS][2];      /* of the policies of a level: replacement, bypass */
    sl_sim_core *core;
    sl_shard *shard;      /* [shards] */
    struct sl_crew *crew; /* threads beside this one (crew.h); NULL: none */
    bool defers;          /* what concerns cores is put off: they are simulated at the same time */
    bool is_view;         /* of a thread of the crew */
    sl_queue fills, acks; /* what was: data for the first level, and stores that have arrived */
    uint32_t shards;
    uint64_t *senders; /* mask of banks of the first level that have something to send, and do not wait for a
                          queue entry */
    sl_port *port;     /* [banks of the first level] */
    sl_channel *channel;
    sl_timing_wheel channel_wheel;
    sl_memory times;                /* the machine's memory, its times in cycles of the cores */
    struct sl_coalescer *coalescer; /* NULL: the machine has none */
    uint32_t memory_pad;            /* cycles that a read takes beside what networks and DRAM take */
    unsigned log2_last_granules;    /* of a sector of the last level */
    /* How long so many granules take the bus of a channel, and a group of its banks, in sixteenths of a cycle. */
    uint64_t burst[SL_MAX_GRANULES + 1], bank_group_burst[SL_MAX_GRANULES + 1];

    struct sl_host_prefetch *prefetch; /* scratch of this cycle (prefetch.h); NULL: no prefetching */
    uint32_t prefetch_parts;           /* that it has room for */
    uint64_t now;
    uint64_t earlier;             /* cycles of the launches before */
    uint64_t last_progress;       /* when an instruction was last issued, or a request last answered */
    bool failed;                  /* memory ran out */
    bool broken_off;              /* a launch did not come to its end */
    uint32_t evictions_in_flight; /* lines that are being evicted from banks */
    bool watched;                 /* there is an observer: no event may be left out */
    char *state;                  /* text; NULL: it was never stuck */
    /* of this launch */
    const struct sl_program *program;
    const sl_loaded *loaded;
    sl_access_shape shape;
    const sl_sim_hint *plan;                 /* [slots]; NULL: none */
    uint8_t evict_hints, evict_first_levels; /* bit i: the hint of level i is not `bypass`; is `evict_first` */
    uint8_t priorities;                      /* bit i: level i knows evict-first and evict-last */
    uint64_t next_block, blocks_done;
    uint64_t ends_seen;  /* of the blocks that are done, */
    uint64_t block_ends; /* and when the last of these was, in cycles times the machine's block_rate */
    sl_cta_config cta;
    sl_cta_rounds rounds;
    bool room; /* some core may have room for a block */
    uint32_t resident_blocks;
    uint32_t first_pc;     /* of the kernel: PCs of kernels are distinct for policies */
    sl_slot_stats *slot;   /* [mem_slots] */
    sl_sim_result *result; /* counted into as it goes */
};

static inline sl_request *sl_request_at(sl_sim *sim, uint32_t number)
{
    return &sim->request[number];
}
/* Bits that are set; hosts that have an instruction for that are not taken for granted. */
static inline uint32_t sl_bits(uint32_t mask)
{
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
/* Sectors of so many granules (a power of two) that a mask of granules falls into. */
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
/* Requests that are somewhere (core.c). */
uint32_t sl_requests_used(const sl_sim *sim);
/* Starts blocks on cores with room, in order, at most one on each core in a cycle (dispatch.c). */
sl_status sl_dispatch(sl_sim *sim, sl_error *error);
uint64_t sl_dispatch_end(sl_sim *sim); /* when the last end of a block was seen */
/* From what was counted while a launch ran to its result (results.c). */
sl_status sl_sim_collect(sl_sim *sim, sl_error *error);
/* Deadlock: SL_FAULT with a summary; sl_sim_state_text has the whole state (state.c). */
sl_status sl_sim_stuck(sl_sim *sim, sl_error *error);

/* An entry of the miss queue of a first-level cache has become free, or data has arrived: a stalled request may go on.
 */
void sl_core_unblock(sl_sim *sim, uint32_t instance, bool queue);
/* A request will be answered: whether it is the last one that its instruction waits for. Takes the others. */
bool sl_core_is_last(sl_sim *sim, uint32_t number);
/* The answer to the last request of an instruction has reached its core. Takes the request. */
void sl_core_answer(sl_sim *sim, uint32_t number);
/* A store of a core has reached the level that keeps it. Takes the request. */
void sl_core_stored(sl_sim *sim, uint32_t number);

#endif
