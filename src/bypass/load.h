/* SPDX-License-Identifier: MIT */
/* The loads of a kernel and their groups, for any language the kernel is written in.
 *
 * A front end (ptx_loads.c for PTX, another for LLVM IR) lists the loads that read global memory, in the order of the
 * code; sl_load_groups finds the groups. Mpache, section 3.2: loads of the same array, in the same stretch without
 * control flow or synchronisation. Everything is allocated in the caller's arena. */
#ifndef SL_BYPASS_LOAD_H
#define SL_BYPASS_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "sluice/error.h"

/* The levels that a load bypasses: a mask. With two levels the first is L1 and the last is L2; with three (RDNA) L0
 * and L1 together are the first, and L2 is the last. */
typedef enum sl_bypass {
    SL_BYPASS_NONE = 0,
    SL_BYPASS_L1 = 1, /* the first levels: those that are not shared by the whole GPU */
    SL_BYPASS_L2 = 2, /* the last level */
    SL_BYPASS_BOTH = SL_BYPASS_L1 | SL_BYPASS_L2,
    SL_BYPASS_MODES = 4, /* how many masks there are, SL_BYPASS_NONE included */
} sl_bypass;

/* "none", "L1", "L2", "both": as plans and options write them. */
const char *sl_bypass_name(unsigned mode);
/* The mask of a name; SL_NOT_FOUND with the nearest name. "L0/1" is another name of "L1". */
sl_status sl_bypass_parse(const char *name, unsigned *mode, sl_error *error);

enum {
    SL_LOAD_VOLATILE = 1, /* volatile, relaxed, acquire: its meaning forbids a cache operator */
    SL_LOAD_READONLY = 2, /* ld.global.nc, !invariant.load */
    SL_LOAD_UNIFORM = 4,  /* the same address in all lanes, as far as the code shows: AMD makes a scalar load of it */
    SL_LOAD_GENERIC = 8,  /* not certainly global memory */
    SL_LOAD_OPERATOR = 16 /* already has a cache operator or hint */
};

typedef struct sl_load {
    const char *function; /* symbol of the function that contains it */
    uint32_t inst; /* index of the instruction in the function, from 0: with the function, it identifies the load */
    uint32_t line; /* in the text of the code; 0: the code is no text */
    const char *source;   /* file of the program it was compiled from; NULL: not known */
    uint32_t source_line; /* 0: not known */
    const char *opcode;   /* "ld.global.nc.f32", "load float" */
    const char *array;    /* base arrays, sorted and joined by '|': "param_0", "a|b", "param_2+8"; NULL: not known */
    uint32_t block;       /* basic block, from 0 */
    uint32_t segment;     /* stretch between barriers, fences and calls; need only differ within the function */
    uint32_t flags;       /* SL_LOAD_* */
    uint32_t width;       /* bytes per lane; 0: not known */
    uint8_t modes;        /* bit m: mode m can be written; bit 0 is always set */
    const char *fixed;    /* why modes are missing: "volatile"; NULL: none is */
    uint32_t group;       /* set by sl_load_groups */
} sl_load;

typedef struct sl_load_group {
    uint32_t loads;
    uint32_t *load; /* indices of loads, ascending */
} sl_load_group;

typedef struct sl_load_graph {
    uint32_t loads;
    sl_load *load; /* in the order of the code */
    uint32_t groups;
    sl_load_group *group; /* by their first load */
} sl_load_graph;

/* Fills graph->group and the loads' group from their function, array, block and segment. A load whose array is not
 * known forms a group alone. */
sl_status sl_load_groups(sl_load_graph *graph, sl_arena *arena, sl_error *error);

#endif
