/* SPDX-License-Identifier: MIT */
/* A GPU as a description: cores and their limits, a list of cache levels from the cores outwards, memory. Read from a
 * YAML file (built-in machines/NAME.yaml, or a user's file); every key is one line of keys.def.
 *
 * Sizes are in bytes, times in core cycles. An instance of a level belongs to `cores_per_instance` cores; that of the
 * last level usually to all. */
#ifndef SL_MACHINE_MACHINE_H
#define SL_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "sluice/machine.h"

enum {
    SL_MAX_LEVELS = 4,
    SL_MAX_CARVE_OUTS = 16,
    SL_MAX_SET_BITS = 24,
    SL_MACHINE_NAME = 32,
    SL_MACHINE_TEXT = 160,
    SL_MACHINE_POLICY = 96
};

/* Write policies. */
typedef enum sl_write_policy {
    SL_WRITE_ALLOCATE, /* write-through, allocating: keeps the written bytes, invalidates the rest of their sectors */
    SL_WRITE_THROUGH,  /* write-through, no allocation on a miss; a hit updates the line */
    SL_WRITE_EVICT,    /* write-through, no allocation on a miss; a hit invalidates the line */
    SL_WRITE_BACK,     /* write-back, write-allocate */
} sl_write_policy;

/* Set index functions. */
typedef enum sl_set_index {
    SL_INDEX_MODULO, /* line number modulo the number of sets, which need not be a power of two */
    SL_INDEX_BITS,   /* bit i of the set is the parity of the address bits in set_bits[i] */
    SL_INDEX_MIX,    /* a hash of all bits of the line number: no stride conflicts */
    SL_INDEX_ROTATE, /* neighboring lines in neighboring sets, rotated by a hash of the bits above: no conflicts of
                        strides either */
} sl_set_index;

/* How a level handles a miss whose way still holds the victim (the simulator). */
typedef enum sl_miss_handling {
    SL_MISS_OVERLAPPED, /* fetches at once; the victim is evicted at the same time */
    SL_MISS_SERIALIZED, /* the victim is invalidated above and written back first, then the line is fetched */
    SL_MISS_FRC,        /* fetches into an FRC entry, from which the victim is evicted afterwards */
} sl_miss_handling;

/* What a bypass hint, of a plan or of the load itself, does in a level (the simulator). Hardware has various cache
 * operators for it, and few bypass literally. */
typedef enum sl_hint {
    SL_HINT_BYPASS,      /* hits if the line is cached; a miss does not allocate */
    SL_HINT_EVICT_FIRST, /* allocates; the line is evicted before all lines without the hint */
    SL_HINT_MISS_EVICT,  /* evicts the line if it is cached, fetches it, and does not allocate */
    SL_HINT_STREAM,      /* replaces the next victim; no hit changes that */
} sl_hint;

/* Warp scheduling policies. */
typedef enum sl_scheduling {
    SL_SCHEDULE_LRR,       /* loose round robin */
    SL_SCHEDULE_GTO,       /* greedy, then the oldest */
    SL_SCHEDULE_TWO_LEVEL, /* round robin among a few active warps; one that waits for memory becomes inactive */
    SL_SCHEDULE_GTY,       /* greedy, then the youngest */
} sl_scheduling;

typedef struct sl_level {
    char name[8];                      /* "L1" */
    uint64_t size_bytes;               /* of one instance */
    uint32_t line_bytes, sector_bytes; /* equal where lines have no sectors */
    uint32_t ways;
    uint32_t sets; /* size / line / ways, for each instance */
    sl_set_index index;
    uint64_t set_bits[SL_MAX_SET_BITS]; /* SL_INDEX_BITS: masks of byte-address bits, one for each bit of the set */
    uint32_t cores_per_instance;
    char replacement[SL_MACHINE_POLICY]; /* a policy, as sl_policy_parse_among takes it: "lru", "srrip(bits=3)" */
    sl_write_policy write;
    uint32_t fill_bytes;        /* what a miss fills: at least a sector, at most a line */
    uint32_t hit_cycles;        /* from a request's arrival at this level to its data, levels above not included */
    uint32_t mshrs;             /* max lines in flight; 0: no limit */
    uint32_t mshrs_per_warp;    /* 0: no limit */
    uint32_t mshr_lines;        /* 1: the model holds back lines of a load, not the whole load */
    uint32_t mshr_merges;       /* max requests to one line in flight; 0: no limit */
    uint32_t coalesce_requests; /* how many identical reads of SMs reach the next level as one; 0, 1: no coalescing */
    uint32_t coalesce_cores;    /* neighboring cores that share a coalescer; 0: none do */
    uint32_t partitions;        /* of an instance: each caches copies of lines that its cores read from another; 0: 1 */
    uint32_t partition_cores,
        partition_first;             /* neighboring cores that one serves, 0: those of a coalescer; the first */
    uint32_t banks, bank_interleave; /* banks of an instance, and consecutive bytes per bank */
    /* for the simulator */
    uint32_t data_banks; /* first level: of 4 bytes, in which words of a request conflict; 0: they never do */
    char bypass[SL_MACHINE_POLICY]; /* bypass policy: "decoupled(threshold=2)"; "": none */
    sl_hint hint;
    uint32_t hit_evict;             /* 1: a hint for a lower level alone evicts a line here that it hits */
    uint32_t last_ways, dirty_ways; /* of a set: that lines marked evict-last keep, that may be dirty; 0: all */
    sl_miss_handling miss_handling;
    uint32_t frc_entries, frc_ways;          /* of a bank */
    uint32_t frc_keeps_victims;              /* 1: sets grow instead */
    uint32_t write_fetch;                    /* 1: a store that writes a part of a sector fetches the rest first */
    uint32_t write_waits;                    /* 1: a store to a sector in flight waits for it */
    uint32_t join_cycles;                    /* that a store of a part of a sector waits for others of its warp */
    uint32_t keep;                           /* 1: contents stay from launch to launch, though not all cores share it */
    uint32_t inclusive;                      /* 1: evicted lines are invalidated in the levels above, too */
    uint32_t stale_sharers;                  /* 1: the levels above do not report their evictions */
    uint32_t invalidate_cycles;              /* until the levels above have invalidated a line */
    uint32_t clean_evict_cycles;             /* until the level below knows of an evicted line that is clean */
    uint32_t ports;                          /* requests that a bank takes per cycle */
    uint32_t queue;                          /* requests that wait before a bank */
    uint32_t miss_queue;                     /* requests that wait to be sent below */
    uint32_t network_cycles;                 /* one way from the level above; part of hit_cycles */
    uint32_t network_bytes;                  /* that a port of this network carries per cycle, each way */
    uint32_t bank_rate;                      /* cycles of a bank per 1000 of the cores; 0: 1000 */
    uint32_t output_queues;                  /* 1: packets wait at the port that they go to */
    uint32_t receive_bytes;                  /* of data per cycle to a cache above; 0: network_bytes */
    uint32_t atomic_rate, atomic_float_rate; /* passes of atomics per 1000 cycles and bank; 0: no limit */
    uint32_t network_partial;                /* sectors that one stored in part takes of it */
    uint32_t tag_fj, data_fj;                /* energy of a tag access and of a data access, in femtojoules */
    uint32_t leak_uw;                        /* leakage of an instance, in microwatts */
    const sl_policy_list *policies;          /* custom policies in addition to the built-in ones; may be NULL */
} sl_level;

typedef struct sl_core_limits {
    uint32_t threads, warps, blocks; /* that a core holds at once */
    uint32_t block_threads;          /* max threads of a block */
    uint32_t registers;              /* 0: no limit; 4 bytes each */
    uint32_t register_granularity;   /* allocation granularity, per warp; 0: 1 */
    uint32_t register_partitions;    /* a warp's registers are in one of them; 0: 1 */
    uint32_t shared_bytes;           /* of all blocks of a core; 0: no limit */
    uint32_t shared_granularity;     /* allocation granularity, per block; 0: 1 */
    uint32_t shared_per_block;       /* reserved by the system */
    uint32_t unified_bytes;          /* L1 and shared memory together; 0: they are separate */
    uint32_t l1_reserved;            /* bytes of the unified part outside the carve-out that hold no lines */
    uint32_t carve_outs;             /* number of sizes that shared memory can have, ascending */
    uint32_t carve_out[SL_MAX_CARVE_OUTS];
    uint32_t
        carve_out_needs; /* 0: the smallest carve-out that holds what the blocks need is chosen; otherwise carve_outs */
    uint32_t carve_out_need[SL_MAX_CARVE_OUTS]; /* the largest need in bytes for which each carve-out is chosen */
    uint32_t schedulers;                        /* max instructions issued per cycle */
    uint32_t small_gpc_cores;    /* cores of a smaller GPC, numbered first, scheduled in separate waves */
    uint32_t small_gpc_interval; /* blocks of the others between two such waves */
    uint32_t instruction_cycles; /* from an instruction of a warp to its next one; 0: instructions take no time */
    uint32_t stall_on_use;       /* 1: a warp stalls at the first use of a loaded value; 0: at the load */
    uint32_t request_bytes;      /* max bytes of a request; 0: no limit */
    uint32_t scalar_bytes, scalar_ways, scalar_cycles; /* scalar data cache: its size, 0: none; its hit latency */
    /* for the simulator */
    sl_scheduling scheduling;
    uint32_t active_warps;  /* of a two-level scheduler */
    uint32_t alu_cycles;    /* from issue to result: simple arithmetic, moves, conversions */
    uint32_t f64_cycles;    /* double precision */
    uint32_t sfu_cycles;    /* special functions and divisions */
    uint32_t tensor_cycles; /* matrices */
    uint32_t shared_cycles; /* shared memory without conflicts */
    uint32_t alu_interval;  /* issue interval of a unit, in cycles */
    uint32_t f64_interval, sfu_interval, tensor_interval;
    uint32_t tensor_columns;  /* of products in tensor memory, per cycle */
    uint32_t memory_queue;    /* memory instructions that wait before the first level */
    uint32_t one_pipeline;    /* 1: shared memory is accessed through that queue, too */
    uint32_t volatile_hints;  /* 1: a load with a hint for the first level is waited for */
    uint32_t cached_volatile; /* 1: volatile loads are cached in the first level */
    uint32_t loads_in_flight; /* max load instructions in flight; 0: no limit */
    uint32_t load_batching;   /* loads of a basic block that the compiler batches; 0: as in the trace */
    uint32_t machine_code;    /* compute capability whose machine code is simulated instead of PTX; 0: none */
    uint32_t lowering;        /* 1: PTX instructions are issued as what a compiler makes of them */
    uint32_t branch_cycles;   /* from a branch that is taken to the next instruction */
    uint32_t barrier_cycles, barrier_warp_cycles; /* from the last arrival to the next instruction; for each warp */
    uint32_t fetch_cycles;                        /* for 128 instructions that are new to a core */
    uint32_t launch_cycles;                       /* before the first block of a launch starts */
    uint32_t block_cycles;                        /* from room for a block to its first instruction */
    uint32_t block_rate;                          /* blocks that end per 1000 cycles, on all cores; 0: no limit */
    uint32_t block_interval, block_warp_interval; /* cycles between starts on a core: at least, and for each warp */
} sl_core_limits;

typedef struct sl_memory {
    uint64_t size_bytes;        /* 0: no limit */
    uint32_t latency_cycles;    /* minimum, from a miss in the first level to its data */
    uint32_t latency_sigma;     /* of the half-normal distribution on top of it */
    uint32_t launch_bytes;      /* what a launch reads in addition to its data and its instructions */
    uint32_t instruction_bytes; /* of an instruction; a launch reads them once */
    /* for the simulator */
    uint32_t channels, channel_interleave; /* channels, and consecutive bytes per channel */
    uint32_t banks, row_bytes;             /* banks of a channel, and bytes of a row of one */
    uint32_t bytes_per_cycle;              /* of all channels, by the core clock */
    uint32_t queue;                        /* requests that wait before a channel */
    uint32_t read_pj, write_pj, row_pj;    /* energy of a byte, and of a row that is opened */
    uint32_t clock_mhz;                    /* of the timings that follow */
    uint32_t bank_groups, ccdl;            /* ccdl: as ccd within a group; 0: ccd */
    uint32_t ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr;
} sl_memory;

struct sl_machine {
    char name[SL_MACHINE_NAME];
    char summary[SL_MACHINE_TEXT];
    char trust[SL_MACHINE_NAME]; /* where the numbers come from; "": not stated */
    uint32_t cores;
    uint32_t lanes;     /* threads of a warp: 32 or 64 */
    uint32_t clock_mhz; /* 0: unknown */
    sl_core_limits core;
    uint32_t levels;
    sl_level level[SL_MAX_LEVELS]; /* from the cores outwards */
    sl_memory memory;
    const sl_policy_list *policies; /* custom policies; the check copies the pointer to the levels */
};

/* cores_per_instance: all. The check replaces it by the number of cores. */
enum { SL_ALL_CORES = 0 };

/* The machine of that name among the built-in ones, or, where `name` has a '/' or ends in ".yaml", the one described by
 * that file. Errors name file, line and the nearest key or machine. */
sl_status sl_machine_load(const char *name, sl_machine *machine, sl_error *error);
/* The same with some keys changed: "cores=8", "core.warps=32", "L1.size=32K", "memory.latency_cycles=400". What follows
 * from the keys is derived again. */
sl_status sl_machine_load_with(const char *name, const char *const *settings, size_t count, sl_machine *machine,
                               sl_error *error);
/* The same with custom policies for levels, which must outlive the machine; NULL: none. */
sl_status sl_machine_load_among(const char *name, const char *const *settings, size_t count,
                                const sl_policy_list *policies, sl_machine *machine, sl_error *error);
/* From text; `path` is for messages, and `based_on` files are relative to it. */
sl_status sl_machine_parse(const char *path, const char *text, size_t bytes, sl_machine *machine, sl_error *error);
/* Derives missing values (sets where they are 0, sectors, fills) and rejects what is inconsistent: ways * line * sets
 * other than size, limits of MSHRs without MSHRs, index bits that do not make the sets, a fill larger than a line …
 * Called by the loader, and after each change of a machine. A change of size, line or ways of a level sets its `sets`
 * to 0 first. */
sl_status sl_machine_check(sl_machine *machine, sl_error *error);

/* Gives the first level another size: with other sets, or where these are given by bits, with other ways. For
 * carve-outs. */
sl_status sl_machine_resize_first(sl_machine *machine, uint64_t size_bytes, sl_error *error);

/* Sectors that memory delivers for a launch in addition to its data: its instructions and the like. */
static inline uint64_t sl_machine_launch_sectors(const sl_machine *machine, uint32_t insts)
{
    uint64_t bytes = machine->memory.launch_bytes + (uint64_t)insts * machine->memory.instruction_bytes;
    return bytes / machine->level[machine->levels - 1].sector_bytes;
}

/* SL_INDEX_ROTATE: one of so many sets for a line, or another unit of memory. */
static inline uint64_t sl_rotate(uint64_t number, uint64_t units)
{
    return (number + sl_hash_mix(number / units) % units) % units;
}

/* The set of an address in a level. */
static inline uint32_t sl_level_set(const sl_level *level, uint64_t address)
{
    if (level->index == SL_INDEX_BITS) {
        uint32_t set = 0;
        for (uint32_t bit = 0; 1u << bit < level->sets; bit++)
            set |= (uint32_t)__builtin_parityll(address & level->set_bits[bit]) << bit;
        return set;
    }
    uint64_t line = address / level->line_bytes;
    if (level->index == SL_INDEX_ROTATE)
        return (uint32_t)sl_rotate(line, level->sets);
    return (uint32_t)((level->index == SL_INDEX_MIX ? sl_hash_mix(line) : line) % level->sets);
}

/* Where the text of a machine comes from: the program itself, or a file. */

typedef struct sl_machine_source {
    char *path; /* for messages */
    const char *text;
    size_t bytes;
    char *owned; /* the text of a file; NULL for built-in ones */
} sl_machine_source;

/* Whether a name stands for a file: it has a '/' or ends in ".yaml". */
bool sl_machine_is_path(const char *name);
sl_status sl_machine_source_open(const char *name, sl_machine_source *source, sl_error *error);
void sl_machine_source_close(sl_machine_source *source);

#endif
