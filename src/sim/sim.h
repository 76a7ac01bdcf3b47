/* SPDX-License-Identifier: MIT */
/* A cycle-level simulator of a GPU's memory path, driven by traces: cores that issue the instructions of their warps in
 * order, and a list of cache levels, networks and DRAM as a machine describes them (src/machine).
 *
 * Not modeled: instruction fetch, register banks, the time of address translation, and refresh of DRAM. Warps go
 * where the trace says: data is not simulated.
 *
 * A simulator runs launches one after the other. Caches that all cores share keep what they hold from launch to
 * launch; the others, the first among them, are emptied at each: what is dirty there is written back at the end. The
 * result does not depend on anything but its inputs. */
#ifndef SL_SIM_SIM_H
#define SL_SIM_SIM_H

#include "base/pool.h"
#include "base/progress.h"
#include "machine/machine.h"
#include "policy/policy.h"
#include "sluice/counters.h"
#include "sluice/sim.h"
#include "trace/count.h"
#include "trace/loaded.h"

/* What a scheduler does in a cycle. */
typedef enum sl_cycle_kind {
    SL_CYCLE_ISSUE,    /* issues an instruction */
    SL_CYCLE_MEMORY,   /* a memory instruction finds the load/store unit full */
    SL_CYCLE_PIPELINE, /* all wait for results of arithmetic or shared memory, or for a unit */
    SL_CYCLE_DATA,     /* all wait for memory, some for nothing else */
    SL_CYCLE_BARRIER,  /* all wait for other warps of their block */
    SL_CYCLE_IDLE,     /* it has no warps */
    SL_CYCLES
} sl_cycle_kind;

/* Commands of a DRAM channel. */
typedef enum sl_dram_command {
    SL_DRAM_PRECHARGE, /* of another row */
    SL_DRAM_ACTIVATE,
    SL_DRAM_HIT,  /* an access to an active row */
    SL_DRAM_MISS, /* the first access to a row that was activated for it */
    SL_DRAM_COMMANDS
} sl_dram_command;

/* Notified of what the components of a machine do, in the order of simulation; cycles count from the launch. Any
 * function may be NULL. */
typedef struct sl_sim_observer {
    void *to;
    void (*launch)(void *to, const sl_machine *machine, const sl_loaded *loaded); /* starts */
    void (*done)(void *to, uint64_t cycles);                                      /* it has ended */
    /* What a scheduler did in the cycles [from, until). */
    void (*scheduler)(void *to, uint32_t core, uint32_t scheduler, sl_cycle_kind kind, uint64_t from, uint64_t until);
    /* A bank at the end of a cycle: MSHRs in use, and requests in its input queue. */
    void (*bank)(void *to, uint32_t level, uint32_t bank, uint64_t now, uint32_t mshrs, uint32_t queued);
    void (*dram)(void *to, uint32_t channel, uint64_t now, sl_dram_command command, bool write);
} sl_sim_observer;

typedef struct sl_sim_options {
    uint64_t seed;
    bool cold;                                    /* empties all levels before each launch */
    const struct sl_line_counts *counts;          /* of a profiling run, for policies that need them */
    struct sl_line_counts *record_counts;         /* counts requests to the first level; NULL: not wanted */
    struct sl_l1_requests *record_requests;       /* requests to the first level, in order; NULL: not wanted */
    const sl_sim_observer *observer;              /* NULL: none */
    uint64_t max_cycles;                          /* of a launch; 0: any number */
    const struct sl_data_observer *data_observer; /* data_observer.h; NULL: none */
    const sl_progress *progress;                  /* NULL: none */
    sl_pool *pool;        /* threads that simulate a launch together; NULL: the caller does it alone */
    uint32_t shared_from; /* min shards with work in a cycle that threads share; 0: default */
} sl_sim_options;

/* What a level counts: the fields are those of trace/metrics.def. */
typedef struct sl_sim_level_result {
#define SL_LEVEL(field, ...) uint64_t field;
#include "trace/metrics.def"
    uint64_t stall_cycles[SL_STALLS];
#define SL_LEVEL_ENERGY(field, ...) double field;
#include "trace/metrics.def"
} sl_sim_level_result;

typedef struct sl_level_metric {
    sl_counter_info info;
    const char *heading;
    size_t offset; /* in sl_sim_level_result: of a double where `real`, else of a uint64_t */
    bool real;
} sl_level_metric;
enum {
#define SL_LEVEL(field, ...)        SL_LEVEL_##field,
#define SL_LEVEL_STALL(field, ...)  SL_LEVEL_##field,
#define SL_LEVEL_ENERGY(field, ...) SL_LEVEL_##field,
#include "trace/metrics.def"
    SL_LEVEL_METRICS
};
extern const sl_level_metric sl_level_metrics[SL_LEVEL_METRICS];

/* A value of a level; counts are exact below 2^53. */
double sl_level_value(const sl_sim_level_result *level, int metric);
/* Adds every value of a level to that of another. */
void sl_level_add(sl_sim_level_result *to, const sl_sim_level_result *from);

struct sl_sim_result {
    uint64_t cycles;
    uint64_t warp_insts, thread_insts;
    uint64_t machine_insts;               /* of the warp instructions: SASS */
    uint64_t index_insts;                 /* of them: integers, moves and branches */
    uint64_t scheduler_cycles[SL_CYCLES]; /* of all schedulers: they sum to cycles * cores * schedulers */
    sl_sim_level_result level[SL_MAX_LEVELS];
    uint64_t dram_read_sectors, dram_written_sectors, dram_row_hits, dram_row_misses;
    double energy_nj; /* of all levels */
    uint32_t resident_blocks;
    uint64_t l1_bytes;
    sl_launch_counts counts; /* the same as the counters of all commands, and of each memory instruction */
    sl_counts *slots;        /* what counts.slot points to */
};

/* What a plan asks of a memory instruction; bit i of a mask stands for level i. */
typedef struct sl_sim_hint {
    uint8_t bypass;      /* loads: as the level's `hint` says; stores: they allocate no line in the first */
    uint8_t first, last; /* evict-first and evict-last priority, at levels that have priorities */
    bool half;           /* the priority holds for half of the lines */
    uint8_t log2_fetch;  /* min bytes that the last level fetches; 0: its fill_bytes */
} sl_sim_hint;

/* What a plan asks of a launch. */
typedef struct sl_sim_plan {
    const sl_sim_hint *hint;   /* [memory instructions of the kernel]; NULL: nothing */
    bool has_preferred_shared; /* instead of that of the launch */
    uint8_t preferred_shared;  /* percent, as in sl_trace_launch */
    uint8_t log2_fewer;        /* a core holds 2^-n times as many blocks, at least one */
} sl_sim_plan;

/* SL_UNSUPPORTED: the machine has something that the simulator cannot do. */
sl_status sl_sim_create_with(const sl_machine *machine, const sl_sim_options *options, sl_sim **sim, sl_error *error);
/* Runs a launch to its end, with a plan or without (NULL). The caller frees the result by sl_sim_result_fini, also
 * after a failure. A launch that makes no progress is a failure that says what waits for what; after one that failed
 * midway there can be no other. */
sl_status sl_sim_launch(sl_sim *sim, const sl_loaded *loaded, const sl_sim_plan *plan, sl_sim_result *result,
                        sl_error *error);
void sl_sim_result_fini(sl_sim_result *result);
/* Instead of simulating a launch: the levels that all cores share get the lines that it accesses, without time
 * (warm.c). That is a small part of the work of a simulation, and nearly what one would leave there. */
sl_status sl_sim_warm(sl_sim *sim, const sl_trace *trace, uint32_t launch, sl_error *error);
/* Whether what a launch leaves in the machine's caches is known without its time: levels that are kept from launch to
 * launch are shared by all cores, and evict without it. */
bool sl_sim_can_warm(const sl_machine *machine);
/* Replaces the counts of the options for later launches. Policies of L1 see them; those of
 * other levels see what the simulator was created with. */
void sl_sim_set_counts(sl_sim *sim, const struct sl_line_counts *counts, struct sl_line_counts *record_counts);
/* Whether later launches begin with empty caches, as sl_sim_options.cold. */
void sl_sim_set_cold(sl_sim *sim, bool cold);
/* After a launch that made no progress: every warp, queue, MSHR and channel that holds something. NULL otherwise. */
const char *sl_sim_state_text(const sl_sim *sim);

#endif
