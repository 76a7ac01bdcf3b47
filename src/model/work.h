/* SPDX-License-Identifier: MIT */
/* What the warps of a core did, for estimates of its time. */
#ifndef SL_MODEL_WORK_H
#define SL_MODEL_WORK_H

#include <stdint.h>

typedef struct sl_warps_work {
    uint64_t insts, longest_warp;                        /* warp instructions: of all, and of the warp with most */
    uint64_t accesses, longest_accesses;                 /* the same of memory instructions */
    uint64_t load_lines, load_sectors, fill_sectors;     /* line requests to the first level, and what it fetches */
    uint64_t store_lines, store_sectors, partial_stores; /* partial: lines that are not stored whole */
    uint64_t atomic_lines, atomic_sectors;
} sl_warps_work;

#endif
