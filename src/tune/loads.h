/* SPDX-License-Identifier: MIT */
/* The loads and stores of a kernel and its settings, and their groups, for any language the kernel is written in.
 *
 * A front end (ptx_loads.c for PTX, another for LLVM IR) lists the loads that read global memory, in the order of the
 * code; sl_load_groups finds the groups. Mpache, section 3.2: loads of the same array, in the same stretch without
 * control flow or synchronization. Everything is allocated in the caller's arena. */
#ifndef SL_TUNE_LOADS_H
#define SL_TUNE_LOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "tune/controls.h"

enum {
    SL_LOAD_VOLATILE = 1,  /* volatile, relaxed, acquire: its meaning forbids a cache operator */
    SL_LOAD_READONLY = 2,  /* ld.global.nc, !invariant.load */
    SL_LOAD_UNIFORM = 4,   /* the same address in all lanes, as far as the code shows: AMD makes a scalar load of it */
    SL_LOAD_GENERIC = 8,   /* not certainly global memory */
    SL_LOAD_OPERATOR = 16, /* already has a cache operator or hint */
    SL_LOAD_FETCH = 32     /* already has a prefetch size */
};

/* A node: a load, a store, or a setting of a kernel. */
typedef struct sl_load {
    const char *function; /* symbol of the function that contains it */
    uint32_t inst;      /* index of the instruction in the function, from 0: with the function, it identifies the node.
                           SL_SETTING_*: a setting */
    uint8_t node;       /* sl_node */
    uint32_t line;      /* in the text of the code; 0: the code is no text */
    const char *source; /* file of the program it was compiled from; NULL: not known */
    uint32_t source_line; /* 0: not known */
    const char *opcode;   /* "ld.global.nc.f32", "load float" */
    const char *array;    /* base arrays, sorted and joined by '|': "param_0", "a|b", "param_2+8"; NULL: not known */
    uint32_t block;       /* basic block, from 0 */
    uint32_t segment;     /* stretch between barriers, fences and calls; need only differ within the function */
    uint32_t flags;       /* SL_LOAD_* */
    uint32_t width;       /* bytes per lane; 0: not known */
    uint32_t modes;       /* bit m: mode m can be written; bit 0 is always set */
    const char *fixed;    /* why modes are missing: "volatile"; NULL: none of those by level is */
    const char *not_nc;   /* why it cannot take the read-only path; NULL: it can */
    uint32_t group;       /* set by sl_load_groups */
} sl_load;

typedef struct sl_load_group {
    uint32_t loads;
    uint32_t *load; /* indices of nodes, ascending */
} sl_load_group;

typedef struct sl_load_graph {
    uint32_t loads; /* nodes that are loads */
    uint32_t nodes; /* all */
    sl_load *load;  /* [nodes]: loads in the order of the code, then stores, then settings */
    uint32_t groups;
    sl_load_group *group; /* by their first node */
} sl_load_graph;

/* Fills graph->group and the nodes' group from their function, array, block and segment. A node whose array is not
 * known forms a group by itself, and so does a setting. A graph without other nodes need not set `nodes`. */
sl_status sl_load_groups(sl_load_graph *graph, sl_arena *arena, sl_error *error);
/* Groups of loads. */
uint32_t sl_load_groups_of_loads(const sl_load_graph *graph);
/* Why the node cannot take a mode; a word that always says something. */
const char *sl_load_why_not(const sl_load *load, unsigned mode);

#endif
