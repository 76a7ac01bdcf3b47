/* SPDX-License-Identifier: MIT */
/* A plan: for each load and store of some code the mode it takes, settings of its kernels, and why. Made by `sluice
 * tune`, written as a small JSON file that people can read and edit, applied by tune/rewrite and by the simulator.
 *
 * A plan belongs to the code whose hash it names. sl_plan_check refuses other code, loads that are not there, and modes
 * that a load cannot take; a plan that passes can be applied. */
#ifndef SL_TUNE_PLAN_H
#define SL_TUNE_PLAN_H

#include <stdio.h>

#include "tune/loads.h"

typedef struct sl_plan_load {
    const char *function; /* function, inst and node: as in sl_load */
    uint32_t inst;
    uint8_t node;
    uint32_t line;        /* 0: none */
    const char *source;   /* NULL: none */
    uint32_t source_line; /* 0: none */
    const char *opcode;   /* NULL: none */
    const char *array;    /* NULL: not known */
    uint32_t group;
    uint8_t mode; /* sl_bypass */
    /* By mode: percent of the kernel's time gained by this load alone, and the standard error of it. NaN: not measured.
     */
    double affinity[SL_BYPASS_MODES], spread[SL_BYPASS_MODES];
    double predicted[SL_BYPASS_MODES]; /* what the ranking expects of it, in percent (sl_ranking); NaN: nothing */
    const char *why;                   /* NULL: no reason given */
} sl_plan_load;

/* Timings of one kernel, in the timer's unit; 0: not measured. */
typedef struct sl_plan_kernel {
    const char *function;
    double base, planned;     /* medians of the last timing */
    double gain, gain_spread; /* percent of base, and its standard error */
    double noise;             /* gains up to this, in percent, are noise */
    const char *ranking;      /* how choices were ranked before they were timed; NULL: they were not */
    const char *verdict;      /* a sentence; NULL: none */
} sl_plan_kernel;

typedef struct sl_plan {
    sl_arena arena;      /* of everything below */
    const char *form;    /* "ptx", "llvm-ir" */
    uint64_t code_hash;  /* of the code it belongs to: sl_hash64 of its canonical form */
    const char *code;    /* name of the code, for messages */
    const char *timer;   /* "gpu NVIDIA H200", "sim rx6900xt"; NULL: not timed */
    const char *unit;    /* "ns", "cycles"; NULL: not timed */
    const char *select;  /* selection strategy */
    const char *made_by; /* version and command line */
    double thresh1, thresh2, weight;
    double program_before, program_after; /* of all kernels of a program, without and with its plans: s, or cycles */
    uint32_t kernels;
    sl_plan_kernel *kernel;
    uint32_t loads; /* and stores and settings */
    sl_plan_load *load;
} sl_plan;

void sl_plan_init(sl_plan *plan);
void sl_plan_fini(sl_plan *plan);

/* Reads a plan; `name` is its file, for messages. Strict: a key that does not exist, twice the same load or a mode that
 * is none is an error with line and column. On failure there is nothing to free. */
sl_status sl_plan_parse(const char *text, size_t length, const char *name, sl_plan *plan, sl_error *error);
sl_status sl_plan_read(const char *path, sl_plan *plan, sl_error *error);
sl_status sl_plan_write(const sl_plan *plan, FILE *file, sl_error *error);

/* The plans of a program: one for each of its PTX modules with something to change. A file of several is a list of
 * plans; one of a single plan is read as a list of one. */
typedef struct sl_plan_list {
    uint32_t count;
    sl_plan *plan;
} sl_plan_list;
/* Adds an empty plan, which belongs to the list; NULL: out of memory. */
sl_plan *sl_plan_list_add(sl_plan_list *list);
sl_status sl_plan_list_read(const char *path, sl_plan_list *list, sl_error *error);
/* Of a list the plan for code with this hash, else the first: sl_plan_check then says what is wrong. */
sl_status sl_plan_read_for(const char *path, uint64_t code_hash, sl_plan *plan, sl_error *error);
sl_status sl_plan_list_write(const sl_plan_list *list, FILE *file, sl_error *error);
/* The same into a file of this path. */
sl_status sl_plan_list_save(const sl_plan_list *list, const char *path, sl_error *error);
void sl_plan_list_fini(sl_plan_list *list);
/* All plans as one, whose arrays are in the arena; for reports, and for recorded kernels, which are known by their
 * names.
 */
sl_status sl_plan_list_join(const sl_plan_list *list, sl_arena *arena, sl_plan *joined, sl_error *error);
/* Accesses and settings that they change. */
uint64_t sl_plan_list_chosen(const sl_plan_list *list);

/* Whether the plan belongs to code of this form and hash (`name`, for messages) with these loads, and each of its modes
 * can be written. */
sl_status sl_plan_check(const sl_plan *plan, const char *form, uint64_t code_hash, const char *name,
                        const sl_load_graph *graph, sl_error *error);

/* Accesses and settings that the plan changes. */
uint64_t sl_plan_chosen(const sl_plan *plan);
/* The mode of the node `inst` of `function`; SL_BYPASS_NONE when the plan does not name it. */
unsigned sl_plan_mode(const sl_plan *plan, const char *function, uint32_t inst);

/* What the host has to do for a setting of a plan, which no code can say: the CUDA call. */
char *sl_setting_call(const sl_plan_load *setting, char *buffer, size_t size);

#endif
