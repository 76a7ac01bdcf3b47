/* SPDX-License-Identifier: MIT */
/* A core: blocks and their warps, which issue in order as soon as their operands are ready, and the load/store unit
 * that takes their memory instructions to the first level.
 *
 * The scoreboard has, per warp and register, the cycle from which it may be read or written again; a register that
 * waits for memory has none. A warp is in `ready` once all registers of its next instruction are, in `wheel` when the
 * cycle is known at which they will be, and in neither while it waits for memory, a barrier or its end. */
#ifndef SL_SIM_CORE_H
#define SL_SIM_CORE_H

#include "access/request.h"
#include "access/scalar.h"
#include "lower/program.h"
#include "sim/bank.h"
#include "sim/engine.h"

enum { SL_WHEEL = 64, SL_MAX_QUEUES = 64, SL_MAX_TAG_BANKS = 64, SL_FETCHED = 128 };

typedef enum sl_warp_state {
    SL_WARP_NONE,
    SL_WARP_RUNS,    /* ready, or will be at a known cycle */
    SL_WARP_DATA,    /* waits for memory */
    SL_WARP_BARRIER, /* waits at a barrier of its CTA */
    SL_WARP_DRAIN,   /* has ended, but has requests in flight */
    SL_WARP_STATES
} sl_warp_state;

typedef struct sl_sim_warp {
    uint8_t state;
    uint8_t block;       /* its slot among the resident blocks of the core */
    uint32_t inst, end;  /* next instruction, and the end of its basic block */
    uint32_t age;        /* order of arrival */
    uint32_t loads;      /* instructions whose data is not back */
    uint64_t waits_from; /* SL_WARP_DATA: the cycle since which it waits */
    uint32_t asyncs;     /* asynchronous copies of these */
    bool waits;          /* issues nothing until all of them are back */
    uint32_t stores;     /* requests that have not completed */
    uint32_t queued;     /* requests in the load/store unit, where that has several queues */
    uint32_t lanes;      /* active in the current basic block */
    uint32_t issued;     /* machine instructions of the next uop that have been issued */
    uint64_t ready_at;
    uint64_t local_base;                /* of its local memory */
    uint32_t next_lanes;                /* active in the next block */
    uint32_t accesses;                  /* of the basic block that were read from the trace */
    uint32_t region;                    /* basic block where the region starts that was read ahead, */
    uint32_t iterations;                /* and how many of its iterations have not been entered */
    uint32_t ahead_from, ahead_count;   /* core->read_ahead: accesses of the iterations that were */
    uint64_t bb_copies;                 /* mask of the region's copies of basic blocks that the trace has, */
    uint32_t copies_from, copies_count; /* from where on they are those of the block that issues */
    bool sass;                          /* that block is SASS */
    uint8_t pending_scoreboards;        /* mask of scoreboards that loads in flight will release, */
    uint16_t pending_loads[SL_SCOREBOARDS];
    uint64_t scoreboard_at[SL_SCOREBOARDS]; /* when the others are released */
    bool at_next;                           /* the reader is at the block after those read ahead */
    bool hoisted;                           /* the chain at `region` was read ahead, and its hoisted copy applies; */
    uint32_t chained;                       /* mask of its blocks that have not been entered */
    uint8_t chain_lanes[SL_MAX_CHAIN];
    sl_access *access; /* of the memory instruction that is issued */
    sl_warp_reader reader;
} sl_sim_warp;

typedef struct sl_sim_block {
    uint32_t warps; /* that have not ended; 0: the slot is free */
    uint32_t waiting;
    uint64_t members; /* mask of warps */
} sl_sim_block;

/* A memory instruction whose requests are in flight. */
typedef struct sl_memop {
    uint32_t next; /* of the free ones */
    uint32_t requests, inst;
    uint16_t wavefronts;         /* that it takes in an L1 with data banks */
    uint16_t wavefront_requests; /* requests per wavefront */
    uint8_t warp;
    bool async, begun;
} sl_memop;

typedef struct sl_scheduler {
    uint64_t warps;  /* mask of its warps */
    uint64_t active; /* of these, two-level: those that may issue */
    uint32_t last;   /* warp that issued last */
    uint64_t busy_until[SL_UNITS];
} sl_scheduler;

struct sl_sim_core {
    uint64_t next; /* cycle of its next event */
    sl_shard *shard;
    uint32_t number;
    uint64_t ready;                    /* mask of warps that can issue */
    uint64_t wants_lsu;                /* of these, those whose next instruction goes to the load/store unit */
    uint64_t live;                     /* warps that are not SL_WARP_NONE */
    uint64_t in_state[SL_WARP_STATES]; /* warps by state */
    uint64_t wheel_slots;              /* of `wheel`: which are not empty */
    sl_sim_warp *warp;                 /* [SL_CORE_WARPS]; NULL, as are the arrays up to `block`: it had no block yet */
    uint32_t *ready_at;                /* [warps * registers]; SL_NONE: waits for memory */
    uint32_t *fetched;                 /* [uops / SL_FETCHED]: cycle in which the code was fetched; 0: not yet */
    sl_predictor *predictor;           /* [warps * slots] */
    sl_access *read_ahead; /* [warps * program->read_ahead]: accesses read from the trace before they issue */
    sl_sim_block *block;   /* [resident blocks] */
    uint32_t blocks, ages;
    uint32_t stale_warps; /* so many of `warp` may be as a launch before has left them */
    uint64_t starts;      /* cycle from which another block can start */
    sl_scheduler *scheduler;
    uint64_t throttled;           /* mask of warps whose loads the policy of L1 holds back */
    uint64_t throttled_until;     /* cycle in which the policy is asked again */
    uint64_t ticked;              /* last cycle in which schedulers were ticked; SL_NEVER: none */
    bool quiescent;               /* nothing issued then, and no warp has changed its state since */
    bool schedules_when_lsu_full; /* two-level scheduling and throttling see warps that wait for a full LSU */
    uint64_t shared_free;         /* cycle from which shared memory accepts an access */
    uint64_t constant_free;       /* the same of constant memory */
    uint64_t tensor_free;         /* cycle in which the products in tensor memory are done */
    /* load/store unit */
    uint32_t queues, queue_at;
    uint64_t queued;             /* mask of queues that are not empty */
    uint32_t instructions;       /* memory instructions with requests in the queues */
    uint64_t wavefronts_end;     /* L1 with data banks: cycle in which it accepts the next instruction */
    uint64_t wavefront_at;       /* cycle of the last wavefront, */
    uint32_t wavefront_accepted; /* and its requests so far */
    uint32_t loads;              /* instructions whose data is not back */
    sl_stall stall;
    uint32_t stalled_slot;  /* the memory instruction of */
    bool stalled;           /* a reservation failure of the request at the head, */
    uint64_t stalled_since; /* from then on */
    bool unblocked;         /* what it waits for may be free */
    sl_scalar_cache scalar;
    sl_memop *memop;
    uint32_t memop_capacity, memop_free;
    sl_request_stock *stock; /* free list of its requests and of write-backs of its L1: that of the simulator, or */
    sl_request_stock own;    /* this, if several threads simulate */
    uint8_t doing[SL_CORE_WARPS]; /* of each scheduler: sl_cycle_kind since the last tick */
    /* large, and behind what is used in every cycle: */
    sl_request_list queue[SL_MAX_QUEUES]; /* by warp, if the policy of L1 wants several */
    uint64_t wheel[SL_WHEEL];             /* warps by the cycle at which they become ready, modulo the size */
    uint64_t insts[SL_CORE_WARPS];        /* issued by each warp */
};

static inline void sl_core_wake(sl_sim_core *core, uint64_t time)
{
    core->next = sl_sooner(core->next, time);
    core->shard->core_next = sl_sooner(core->shard->core_next, time);
}

/* Cores without blocks, for a launch; they keep the memory that cores had in launches before. */
sl_status sl_cores_start(sl_sim *sim, sl_error *error);
void sl_cores_destroy(sl_sim *sim);
/* The policy of the core's first level that bypasses; NULL: none. */
static inline sl_policy *sl_core_bypass_policy(const sl_sim *sim, uint32_t core)
{
    return sim->bank[0][core / sim->machine.level[0].cores_per_instance].bypass_policy;
}
/* Before the first block of a core in a launch. */
sl_status sl_core_make_room(const sl_sim *sim, sl_sim_core *core, sl_error *error);
/* Whether the core has room for a block now. */
bool sl_core_has_room(const sl_sim *sim, const sl_sim_core *core);
/* Its first instructions are issued at `at`. */
sl_status sl_core_start_block(sl_sim *sim, sl_sim_core *core, uint64_t block, uint64_t at, sl_error *error);
/* One cycle; *next: the cycle of its next event. */
sl_status sl_core_tick(sl_sim *sim, sl_sim_core *core, uint64_t *next, sl_error *error);
/* Counts the cycles up to the end of the launch. */
void sl_core_finish(sl_sim *sim, sl_sim_core *core);

/* An access to shared memory is at the head of the load/store unit's queue. */
void sl_core_shared(sl_sim *sim, sl_sim_core *core, const sl_memop *memop, uint32_t wavefronts);
/* All requests of a warp have left the load/store unit, which has several queues. */
void sl_core_drained(sl_sim *sim, sl_sim_core *core, uint32_t warp);

/* A load of SASS was issued: its scoreboard is released when the data arrives. */
static inline void sl_warp_set_scoreboard(sl_sim_warp *warp, const sl_uop *uop)
{
    if (!uop->sass || uop->write_scoreboard >= SL_SCOREBOARDS)
        return;
    warp->pending_scoreboards |= (uint8_t)(1u << uop->write_scoreboard);
    warp->pending_loads[uop->write_scoreboard]++;
}

/* ---- reading.c ---- */

/* Reads the next access of the warp's basic block from the trace. */
sl_status sl_warp_read_access(sl_sim_warp *warp, sl_error *error);
/* Advances to the next basic block of the trace, and reads the rest of its region or chain ahead. */
sl_status sl_warp_next_block(const sl_sim *sim, sl_sim_core *core, uint32_t w, bool *more, sl_error *error);
/* The range of uops to issue next: a basic block, or several iterations of a region. */
const sl_trace_bb *sl_warp_choose_block(const sl_program *program, sl_sim_warp *warp);

/* ---- lsu.c ---- */

/* Coalesces the access of a memory instruction into requests, and queues them. */
sl_status sl_lsu_issue(sl_sim *sim, sl_sim_core *core, uint32_t warp, uint32_t inst, sl_error *error);
/* one_pipeline: queues an access to shared memory. */
sl_status sl_lsu_issue_shared(sl_sim *sim, sl_sim_core *core, uint32_t warp, uint32_t inst, uint32_t wavefronts,
                              sl_error *error);
static inline bool sl_lsu_has_room(const sl_sim *sim, const sl_sim_core *core)
{
    uint32_t limit = sim->machine.core.loads_in_flight;
    return core->instructions < sim->machine.core.memory_queue && (!limit || core->loads < limit);
}
/* Counts the cycles for which the request at the head has waited. */
void sl_lsu_end_stall(sl_sim *sim, sl_sim_core *core);
/* Sends requests to L1; returns whether it has work in the next cycle. */
bool sl_lsu_tick(sl_sim *sim, sl_sim_core *core);

/* ---- schedule.c ---- */

/* Of the warps in `from` (not empty), the one that the scheduling policy prefers. */
uint32_t sl_schedule_pick(const sl_sim *sim, const sl_sim_core *core, const sl_scheduler *scheduler, uint64_t from);
/* Two-level: fills up the active warps from those that do not wait for memory. */
void sl_schedule_refill(const sl_sim *sim, const sl_sim_core *core, sl_scheduler *scheduler);

#endif
