/* SPDX-License-Identifier: MIT */
/* What the rules of findings look at: a kernel, its memory instructions by location, and what they are estimated to
 * cost.
 */
#ifndef SL_FINDINGS_KERNEL_FACTS_H
#define SL_FINDINGS_KERNEL_FACTS_H

#include "analysis/load_sums.h"
#include "findings/findings.h"
#include "trace/access_shapes.h"
#include "trace/file.h"

/* Cycles of an SM for what the parts of a GPU do. */
typedef struct sl_costs {
    double issue, l1_sector, l2_sector, dram_sector;
} sl_costs;

/* A source line and an opcode of a kernel, on one array; instructions that access sectors alike. */
typedef struct sl_location {
    const sl_inst_name *inst;
    uint32_t copies;
    sl_counts counted, measured;
} sl_location;

typedef struct sl_kernel_facts {
    const sl_logged_kernel *kernel;
    const sl_machine *machine;
    const sl_costs *cost;
    sl_counts counted, measured; /* of all launches */
    bool modeled;                /* hits and misses are known */
    uint64_t launches, blocks;
    uint32_t lanes;
    double footprint_bytes;            /* summed over the launches */
    double work, time;                 /* cycles of SMs; of the GPU */
    double busy;                       /* share of the GPU at work, 0 to 1 */
    double imbalance;                  /* of the launch with most instructions: sl_result_launch; 0: unknown */
    double index_share;                /* the same */
    uint64_t most_insts;               /* of that launch */
    uint32_t trace_launch;             /* of the launch with the most blocks */
    const sl_access_shape_sums *shape; /* [memory instructions] of the first blocks of that launch; NULL: unknown */
    /* of the launch with the most blocks */
    uint64_t most_blocks;
    uint32_t resident_blocks, resident_warps, block_warps;
    uint64_t l1_bytes;
    const char *limit;
    size_t locations;
    sl_location *location;
} sl_kernel_facts;

/* Bytes of an array in all launches of a kernel. */
typedef struct sl_array_sum {
    const sl_logged_kernel *kernel;
    const char *name;
    double bytes;
} sl_array_sum;

typedef struct sl_fact_list {
    sl_costs cost;
    uint32_t kernels;
    sl_kernel_facts *kernel;
    double time, launch_cycles; /* of all launches, with what launching takes; launch_cycles 0: unknown */
    uint64_t launches, timed;   /* timed: launches whose time has launching in it */
    SL_ARRAY(sl_array_sum) arrays;
    sl_index array_index; /* of `arrays`, by kernel and name */
} sl_fact_list;

static inline double sl_fact(const sl_counts *counts, sl_counter counter)
{
    return (double)counts->value[counter];
}
#define SL_FACT(counts, name) sl_fact(&(counts), SL_COUNTER_##name)

/* Bytes of an array, by name, in all launches of a kernel; 0: unknown. */
double sl_array_bytes(const sl_fact_list *facts, const sl_logged_kernel *kernel, const char *array);
void sl_facts_fini(sl_fact_list *facts);
/* The caller frees it by sl_facts_fini, also after a failure; kernels and locations are in the arena. */
sl_status sl_facts_gather(const sl_findings_input *input, sl_arena *arena, sl_fact_list *facts, sl_error *error);

/* The name of parameter `number` (from 0) of the `kernel` that has a line of a source text: the last one of that name,
 * behind "__global__", that begins at or before the line, or the only one. Template arguments of the name are left out.
 * Returns `buffer`, "" where it is not found. */
const char *sl_parameter_name(const char *text, uint32_t line, const char *kernel, uint32_t number, char *buffer,
                              size_t size);

#endif
