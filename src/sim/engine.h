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

enum { SL_CORE_WARPS = 64, SL_WORD_BYTES = 4 }; /* max warps of a core; as sl_request has them */

/* A number that is often divided by. Most are powers of two. */
typedef struct sl_divisor {
    uint32_t by;
    uint8_t shift; /* 64: it is no power of two */
} sl_divisor;

static inline sl_divisor sl_divisor_of(uint32_t by)
{
    return (sl_divisor){by, by & (by - 1) ? 64 : (uint8_t)__builtin_ctz(by)};
}
static inline uint64_t sl_divide(uint64_t n, sl_divisor d)
{
    return d.shift < 64 ? n >> d.shift : n / d.by;
}
static inline uint64_t sl_modulo(uint64_t n, sl_divisor d)
{
    return d.shift < 64 ? n & (d.by - 1) : n % d.by;
}

/* Which of the banks of a level, or of the channels behind it, has a chunk of memory. */
static inline uint32_t sl_interleave_of(const sl_level *level, uint64_t chunk, sl_divisor places)
{
    if (level->index == SL_INDEX_MIX)
        chunk = sl_hash_mix(chunk);
    else if (level->index == SL_INDEX_ROTATE)
        chunk += sl_modulo(sl_hash_mix(sl_divide(chunk, places)), places);
    return (uint32_t)sl_modulo(chunk, places);
}

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
    sl_request_pool pool;
    unsigned log2_unit;            /* of the bytes that a bit of a request's masks stands for */
    uint32_t sector_units;         /* of a sector of level 0 */
    unsigned log2_line;            /* of level 0 */
    uint32_t banks[SL_MAX_LEVELS]; /* of all instances of a level together */
    sl_divisor interleave[SL_MAX_LEVELS], partition_banks[SL_MAX_LEVELS]; /* bytes of a bank; banks of a partition */
    sl_divisor channel_bytes, channels, row_bytes, dram_banks;
    sl_bank *bank[SL_MAX_LEVELS];
    void *lines[SL_MAX_LEVELS]; /* of the banks of a level (banks.c) */
    sl_timing_wheel bank_wheel[SL_MAX_LEVELS];
    void *shared_state[SL_MAX_LEVELS][2]; /* of the policies of a level: replacement, bypass */
    sl_sim_core *core;
    sl_timing_wheel core_wheel;
    sl_channel *channel;
    sl_timing_wheel channel_wheel;
    sl_memory times;                /* the machine's memory, its times in cycles of the cores */
    struct sl_coalescer *coalescer; /* NULL: the machine has none */
    uint32_t memory_pad;            /* cycles that a read takes beside what networks and DRAM take */

    struct sl_prefetch *prefetch; /* scratch of this cycle (prefetch.h); NULL: no prefetching */
    uint64_t now;
    uint64_t earlier;                 /* cycles of the launches before */
    uint64_t last_progress;           /* when an instruction was last issued, or a request last answered */
    bool failed;                      /* memory ran out */
    bool broken_off;                  /* a launch did not come to its end */
    uint32_t evictions_in_flight;     /* lines that are being evicted from banks */
    struct sl_data_check *data_check; /* NULL: data is not checked */
    char *state;                      /* text; NULL: it was never stuck */
    /* of this launch */
    const struct sl_program *program;
    const sl_loaded *loaded;
    sl_access_shape shape;
    const sl_sim_hint *plan; /* [slots]; NULL: none */
    uint8_t hints, first;    /* bit i: the hint of level i is not `bypass`; is `evict_first` */
    uint8_t priorities;      /* bit i: level i knows evict-first and evict-last */
    uint64_t next_block, blocks_done;
    uint64_t block_starts; /* earliest start of the next block, in cycles times the machine's block_rate */
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
    return sl_pool_at(&sim->pool, number);
}
static inline uint32_t sl_sectors(const sl_sim *sim, uint32_t units, uint32_t sector_units)
{
    (void)sim;
    uint32_t count = 0;
    uint32_t sector = sector_units >= 32 ? UINT32_MAX : (1u << sector_units) - 1;
    for (; units; count++) {
        uint32_t at = (uint32_t)__builtin_ctz(units) / sector_units * sector_units;
        units &= ~(sector << at);
    }
    return count;
}

/* Starts blocks on cores with room, in order, at most one on each core in a cycle (dispatch.c). */
sl_status sl_dispatch(sl_sim *sim, sl_error *error);
/* From what was counted while a launch ran to its result (results.c). */
sl_status sl_sim_collect(sl_sim *sim, sl_error *error);
/* Deadlock: SL_FAULT with a summary; sl_sim_state_text has the whole state (state.c). */
sl_status sl_sim_stuck(sl_sim *sim, sl_error *error);

/* An entry of the miss queue of a first-level cache has become free, or data has arrived: a stalled request may go on.
 */
void sl_core_unblock(sl_sim *sim, uint32_t instance, bool queue);
/* The answer to a request has reached its core. Takes the request. */
void sl_core_answer(sl_sim *sim, uint32_t number);
/* A store of a core has reached the level that keeps it. Takes the request. */
void sl_core_stored(sl_sim *sim, uint32_t number);

#endif
