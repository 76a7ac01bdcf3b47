/* SPDX-License-Identifier: MIT */
/* A GPU as a description: cores and their limits, a list of cache levels from the cores outwards, memory. Read from a
 * YAML file (machines/NAME.yaml, taken into the program, or a file of the user's); every key is one line of keys.def.
 *
 * Sizes are bytes, times are cycles of the core clock. A level belongs to `cores_per_instance` cores; the last one
 * usually to all. */
#ifndef SL_MACHINE_MACHINE_H
#define SL_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "sluice/machine.h"

enum {
    SL_MOST_LEVELS = 4,
    SL_MOST_CARVE_OUTS = 16,
    SL_MOST_SET_BITS = 24,
    SL_MACHINE_NAME = 32,
    SL_MACHINE_TEXT = 160,
    SL_MACHINE_POLICY = 96
};

/* What a core does with a store that finds its line, and with one that does not. */
typedef enum sl_write_policy {
    SL_WRITE_ALLOCATE, /* keeps the bytes that were written and drops the rest of their sectors; goes on to the next
                          level */
    SL_WRITE_THROUGH,  /* updates the line, always goes on to the next level; no allocation on a miss */
    SL_WRITE_EVICT,    /* drops the line, goes on to the next level; no allocation on a miss */
    SL_WRITE_BACK,     /* allocates and stays until it is evicted */
} sl_write_policy;

/* How sets are chosen. */
typedef enum sl_set_index {
    SL_INDEX_MODULO, /* line number modulo the number of sets, which need not be a power of two */
    SL_INDEX_BITS,   /* bit i of the set is the parity of the address bits in set_bits[i] */
    SL_INDEX_MIX,    /* a hash of all bits of the line number: no stride conflicts */
    SL_INDEX_ROTATE, /* neighbouring lines in neighbouring sets, turned by a hash of the bits above: neither do strides
                      */
} sl_set_index;

/* What a level does with a miss while the line's place still holds another one (the simulator). */
typedef enum sl_miss_handling {
    SL_MISS_OVERLAPPED, /* fetches at once; what was there leaves at the same time */
    SL_MISS_SERIALIZED, /* the victim is invalidated above and written back first, then the line is fetched */
    SL_MISS_FRC,        /* fetches into an entry beside the cache, where the victim then leaves from */
} sl_miss_handling;

/* What a level does with a load that a plan, or the load itself, wants to go past it (the simulator). Real caches are
 * asked in words of their own, and few take it literally. */
typedef enum sl_hint {
    SL_HINT_BYPASS,      /* it is served where its line is here; otherwise nothing of it is kept */
    SL_HINT_EVICT_FIRST, /* its line is kept, and leaves before all that came without the hint */
    SL_HINT_MISS_EVICT,  /* its line is dropped where it is here, fetched anew, and not kept */
} sl_hint;

/* Which warp of those that could issue does. */
typedef enum sl_scheduling {
    SL_SCHEDULE_LRR,       /* the next in turn */
    SL_SCHEDULE_GTO,       /* the last one again, else the oldest */
    SL_SCHEDULE_TWO_LEVEL, /* in turn among a few; one that waits for memory makes room for another */
    SL_SCHEDULE_GTY,       /* the last one again, else the youngest */
} sl_scheduling;

typedef struct sl_level {
    char name[8];                      /* "L1" */
    uint64_t size_bytes;               /* of one instance */
    uint32_t line_bytes, sector_bytes; /* equal where lines have no sectors */
    uint32_t ways;
    uint32_t sets; /* size / line / ways, for each instance */
    sl_set_index index;
    uint64_t set_bits[SL_MOST_SET_BITS]; /* SL_INDEX_BITS: masks of byte-address bits, one for each bit of the set */
    uint32_t cores_per_instance;
    char replacement[SL_MACHINE_POLICY]; /* a policy, as sl_policy_parse_among takes it: "lru", "srrip(bits=3)" */
    sl_write_policy write;
    uint32_t fill_bytes;     /* what a miss brings from below: at least a sector, at most a line */
    uint32_t hit_cycles;     /* from a request's arrival at this level to its data, levels above not included */
    uint32_t mshrs;          /* lines that can be in flight; 0: any number */
    uint32_t mshrs_per_warp; /* 0: no limit */
    uint32_t mshr_merges;    /* requests to one line in flight; 0: any number */
    uint32_t merge_cores;    /* so many of the same requests reach the next level as one; 0, 1: none do */
    uint32_t merge_group;    /* cores next to each other whose requests can join; 0: none with another */
    uint32_t parts; /* halves of an instance, say: each keeps a copy of what its cores read from another; 0: 1 */
    uint32_t banks, bank_bytes; /* banks of an instance, and bytes until the next one */
    /* for the simulator */
    char bypass[SL_MACHINE_POLICY]; /* a policy that turns requests away: "decoupled(threshold=2)"; "": none */
    sl_hint hint;
    sl_miss_handling miss_handling;
    uint32_t frc_entries, frc_ways; /* of a bank */
    uint32_t write_fetch;           /* 1: a store that writes a part of a sector brings the rest first */
    uint32_t inclusive;             /* 1: what leaves is dropped by the levels above, too */
    uint32_t stale_sharers;         /* 1: the levels above do not tell what they drop */
    uint32_t invalidate_cycles;     /* until the levels above have dropped a line */
    uint32_t ports;                 /* requests that a bank takes per cycle */
    uint32_t queue;                 /* requests that wait before a bank */
    uint32_t miss_queue;            /* requests that wait to leave it */
    uint32_t network_cycles;        /* one way from the level above; part of hit_cycles */
    uint32_t network_bytes;         /* that a port of this network carries per cycle, each way */
    uint32_t tag_fj, data_fj;       /* energy of an access to the tags and of one to the data, in femtojoules */
    uint32_t leak_uw;               /* of an instance, in microwatts */
    const sl_policy_list *policies; /* that its policies are looked for in, beside the built-in ones; may be NULL */
} sl_level;

typedef struct sl_core_limits {
    uint32_t threads, warps, blocks; /* that a core holds at once */
    uint32_t registers;              /* 0: no limit; 4 bytes each */
    uint32_t register_granularity;   /* registers are given to warps in multiples of this; 0: 1 */
    uint32_t register_partitions;    /* equal parts of the registers, of which a warp's lie in one; 0: 1 */
    uint32_t shared_bytes;           /* that all its blocks together may have; 0: no limit */
    uint32_t shared_granularity;     /* shared memory is given to blocks in multiples of this; 0: 1 */
    uint32_t shared_per_block;       /* taken beside what a block asks for */
    uint32_t unified_bytes;          /* L1 and shared memory together; 0: L1 has its own size */
    uint32_t l1_reserved;            /* of what is left of the unified part, holds no lines */
    uint32_t carve_outs;             /* sizes that shared memory can have of the unified part, ascending */
    uint32_t carve_out[SL_MOST_CARVE_OUTS];
    uint32_t
        carve_out_needs; /* 0: the smallest carve-out that holds what the blocks need is taken; otherwise as many */
    uint32_t carve_out_need[SL_MOST_CARVE_OUTS]; /* as carve_outs: the most bytes needed with which each is taken */
    uint32_t schedulers;                         /* instructions issued per cycle, at most */
    uint32_t apart;       /* cores, numbered first, of a small cluster that gets rounds of blocks of its own */
    uint32_t apart_every; /* blocks of the others between two such rounds */
    uint32_t
        instruction_cycles; /* from an instruction of a warp to its next one; 0: the model takes no time for them */
    uint32_t stall_on_use;  /* 1: a warp waits where a loaded value is read; 0: at the load */
    uint32_t request_bytes; /* lanes whose words are more than this go in several requests; 0: never */
    /* for the simulator */
    sl_scheduling scheduling;
    uint32_t active_warps;  /* of a scheduler with two levels */
    uint32_t alu_cycles;    /* from issue to result: simple arithmetic, moves, conversions */
    uint32_t f64_cycles;    /* double precision */
    uint32_t sfu_cycles;    /* special functions and divisions */
    uint32_t tensor_cycles; /* matrices */
    uint32_t shared_cycles; /* shared memory without conflicts */
    uint32_t alu_interval;  /* cycles that an instruction keeps its unit of a scheduler busy */
    uint32_t f64_interval, sfu_interval, tensor_interval;
    uint32_t memory_queue;  /* memory instructions that wait before the first level */
    uint32_t loads_ahead;   /* loads of a basic block that its compiler brings together; 0: as in the trace */
    uint32_t launch_cycles; /* before the first block of a launch starts */
} sl_core_limits;

typedef struct sl_memory {
    uint32_t latency_cycles;    /* the least, from a miss in the first level to its data */
    uint32_t latency_sigma;     /* of the half-normal distribution on top of it */
    uint32_t launch_bytes;      /* what a launch reads beside its data and its instructions */
    uint32_t instruction_bytes; /* of an instruction; a launch reads them once */
    /* for the simulator */
    uint32_t channels, channel_bytes; /* channels, and bytes until the next one */
    uint32_t banks, row_bytes;        /* banks of a channel, and bytes of a row of one */
    uint32_t bytes_per_cycle;         /* of all channels, by the core clock */
    uint32_t queue;                   /* requests that wait before a channel */
    uint32_t clock_mhz;               /* of the cycles that follow */
    uint32_t ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr;
} sl_memory;

struct sl_machine {
    char name[SL_MACHINE_NAME];
    char summary[SL_MACHINE_TEXT];
    uint32_t cores;
    uint32_t lanes;     /* threads of a warp: 32 or 64 */
    uint32_t clock_mhz; /* 0: unknown */
    sl_core_limits core;
    uint32_t levels;
    sl_level level[SL_MOST_LEVELS]; /* from the cores outwards */
    sl_memory memory;
    const sl_policy_list *policies; /* of the program that uses the library; the check gives it to the levels */
};

/* How a level's cores_per_instance is written for all cores of the machine, however many: the check puts the number. */
enum { SL_ALL_CORES = 0 };

/* The machine of that name among the built-in ones, or, where `name` has a '/' or ends in ".yaml", the one described by
 * that file. Errors name file, line and the nearest key or machine. */
sl_status sl_machine_load(const char *name, sl_machine *machine, sl_error *error);
/* The same with some keys changed: "cores=8", "core.warps=32", "L1.size=32K", "memory.latency_cycles=400". What follows
 * from the keys follows from the changed ones. */
sl_status sl_machine_load_with(const char *name, const char *const *settings, size_t count, sl_machine *machine,
                               sl_error *error);
/* The same for levels that may have policies of the program's own, which must outlive the machine; NULL: none. */
sl_status sl_machine_load_among(const char *name, const char *const *settings, size_t count,
                                const sl_policy_list *policies, sl_machine *machine, sl_error *error);
/* From text; `path` is for messages, and where files are looked for that it is based on. */
sl_status sl_machine_parse(const char *path, const char *text, size_t bytes, sl_machine *machine, sl_error *error);
/* Derives what follows from the rest (sets where they are 0, sectors, fills) and says what cannot be: ways * line *
 * sets other than size, limits on MSHRs where there is any number, index bits that do not make the sets, a fill larger
 * than a line … Called by the loader, and by whoever changes a machine: who changes size, line or ways of a level puts
 * its sets to 0 first. */
sl_status sl_machine_check(sl_machine *machine, sl_error *error);

/* Gives the first level another size: with other sets, or where these are given by bits, with other ways. For
 * carve-outs. */
sl_status sl_machine_resize_first(sl_machine *machine, uint64_t size_bytes, sl_error *error);

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
    if (level->index == SL_INDEX_MIX)
        line = sl_hash_mix(line);
    else if (level->index == SL_INDEX_ROTATE)
        line += sl_hash_mix(line / level->sets) % level->sets;
    return (uint32_t)(line % level->sets);
}

#endif
