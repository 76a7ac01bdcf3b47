/* SPDX-License-Identifier: MIT */
/* Blocks of a launch simulated on one core of a machine, which has the levels below and the memory to itself: what they
 * take where nothing but their own core limits them. */
#ifndef SL_TIME_SAMPLE_H
#define SL_TIME_SAMPLE_H

#include "model/model.h"
#include "sim/sim.h"
#include "trace/loaded.h"

typedef struct sl_sampler sl_sampler;

typedef struct sl_sample {
    uint64_t cycles;                      /* without those of the launch and before its first instruction */
    uint64_t insts;                       /* instructions of the trace that were simulated */
    uint64_t scheduler_cycles[SL_CYCLES]; /* as in sl_sim_result */
    uint64_t index_insts;                 /* the same, of those that issued */
} sl_sample;

/* What is simulated: blocks of a launch (indices, in this order), and how much of each of their warps. */
typedef struct sl_sampled {
    const sl_loaded *loaded;
    sl_part part;
    bool warm; /* the levels below hold what they access; false: all caches are empty */
} sl_sampled;

/* Launches that do the same by all that was counted of their busiest core: one of them is simulated. Where all of the
 * core is, `cost` and `grid` are 0: what others do does not matter. */
typedef struct sl_sampled_like {
    sl_warps_work work; /* of the busiest core */
    uint64_t cost;      /* of all cores, as a sample is chosen by it */
    uint64_t blocks;    /* of the busiest core */
    uint32_t kernel, grid[3], block[3], resident_blocks;
    bool warm; /* as sl_sampled */
} sl_sampled_like;

/* What simulating them gave. */
typedef struct sl_core_sample {
    sl_sample whole, start;                /* `start`: the first half, where not all was simulated */
    uint64_t warp_insts, start_warp_insts; /* that a warp executes at most in them */
    double lone_pace; /* cycles of an instruction of the longest warp, where it is alone; 0: not simulated */
} sl_core_sample;

/* *sampler is NULL where the simulator does not have such a machine, or needs more than a sample of a launch for it. */
sl_status sl_sampler_create(const sl_machine *machine, uint64_t seed, sl_sampler **sampler, sl_error *error);
void sl_sampler_destroy(sl_sampler *sampler); /* NULL is fine */
/* Where the sample of such launches is kept; `known`: it is there. Keys are compared as bytes: zero them first. */
sl_core_sample *sl_sampler_find(sl_sampler *sampler, const sl_sampled_like *like, bool *known);
sl_status sl_sampler_run(sl_sampler *sampler, const sl_sampled *sampled, sl_sample *sample, sl_error *error);

#endif
