/* SPDX-License-Identifier: MIT */
/* The roofline of instructions (Ding and Williams, "An Instruction Roofline Model for GPUs", 2019): how many warp
 * instructions a kernel executes per cycle, over how many it executes per byte that moves at L1, L2 and DRAM. The roofs
 * are what the GPU issues, and what each level delivers. Cycles are simulated where they are, else estimated. */
#ifndef SL_ANALYSIS_ROOFLINE_H
#define SL_ANALYSIS_ROOFLINE_H

#include "machine/machine.h"
#include "trace/counters.h"

typedef enum sl_roof { SL_ROOF_L1, SL_ROOF_L2, SL_ROOF_DRAM, SL_ROOFS } sl_roof;

/* What a GPU can do in a cycle, of the core clock. */
typedef struct sl_roofs {
    double insts;           /* warp instructions issued */
    double bytes[SL_ROOFS]; /* 0: unknown */
} sl_roofs;
sl_roofs sl_roofs_of(const sl_machine *machine);

/* What a kernel does. */
typedef struct sl_roof_use {
    double cycles;
    bool simulated;         /* else estimated */
    double insts;           /* warp instructions per cycle */
    double bytes[SL_ROOFS]; /* per cycle */
} sl_roof_use;
/* False: its cycles are not known. */
bool sl_roof_use_of(const sl_machine *machine, const sl_counts *counts, sl_roof_use *use);

#endif
