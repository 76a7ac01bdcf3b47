/* SPDX-License-Identifier: MIT */
/* Results of several analyses of the same launches, joined by kernel, memory instruction and launch. */
#ifndef SL_STUDY_JOINED_H
#define SL_STUDY_JOINED_H

#include "analysis/inst_name.h"
#include "analysis/result.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/multimap.h"
#include "tune/plan.h"

/* A text that memory instructions have their lines in. */
typedef struct sl_source_text {
    const char *name; /* as the instructions name it ("workloads/spmv/spmv.cu"); PTX: ends in ".ptx" */
    const char *text;
    size_t bytes;
} sl_source_text;

/* What is NULL is not known. All of it is borrowed and must outlive what is joined. */
typedef struct sl_joined_input {
    const sl_launch_log *counted, *modeled; /* of the same launches, in the same order */
    const sl_launch_log *estimated;         /* of these launches too: the estimated time next to a simulated one */
    const sl_result *profile;               /* of these launches too */
    const sl_plan *plan;                    /* of the code that ran: what loads gain by bypassing */
    size_t sources;
    const sl_source_text *source;
} sl_joined_input;

/* A memory instruction of a kernel, summed over its launches. */
typedef struct sl_joined_load {
    sl_inst_name inst;
    sl_counts counts;
    const sl_profile_counts *reuse; /* NULL: unknown */
    const sl_plan_load *planned;    /* NULL: no plan names it */
} sl_joined_load;

typedef struct sl_joined_kernel {
    const char *symbol, *code_symbol, *name; /* as in sl_logged_kernel */
    uint64_t launches;
    sl_counts counts;            /* sums; the footprint is the largest */
    const sl_profile_sum *reuse; /* NULL: unknown */
    uint32_t loads;              /* that ran, in program order */
    sl_joined_load *load;
    const sl_plan_kernel *planned; /* NULL: no plan has it */
} sl_joined_kernel;

/* A launch, or those of one kernel and shape: then the first of them, with the sums of all. */
typedef struct sl_joined_launch {
    uint64_t index;
    size_t kernel;
    uint32_t grid[3], block[3];
    bool failed;
    const char *failure;
    uint64_t launches;
    sl_counts counts;
} sl_joined_launch;

typedef struct sl_joined_launches {
    sl_joined_launch *items;
    size_t count, capacity;
} sl_joined_launches;

typedef struct sl_joined {
    sl_joined_input of;
    sl_arena arena;
    sl_counts counts; /* of everything */
    SL_ARRAY(sl_joined_kernel) kernels;
    sl_multimap symbols; /* of `kernels` */
    sl_joined_launches launches;
} sl_joined;

/* The caller frees it by sl_joined_fini, also after a failure. */
sl_status sl_joined_init(sl_joined *joined, const sl_joined_input *input, sl_error *error);
void sl_joined_fini(sl_joined *joined); /* zeros are fine */

/* Launches by their labels; NULL: they are not grouped. */
static inline const sl_launch_log *sl_joined_groups(const sl_joined *joined)
{
    const sl_launch_log *log = joined->of.modeled ? joined->of.modeled : joined->of.counted;
    return log && log->grouped ? log : NULL;
}

/* One for each kernel and shape, in the order of the first launches. The caller frees the items; false when memory
 * runs out. */
bool sl_joined_shapes(const sl_joined *joined, sl_joined_launches *shapes);
/* What a kernel counted beyond its memory instructions. */
sl_counts sl_joined_rest(const sl_joined_kernel *kernel);

/* ---- sources ---- */

/* Where to look for the sources of kernels. */
typedef struct sl_source_paths {
    const char *code; /* the PTX file or the program that ran; others, and NULL, are passed over */
    size_t count;
    const char *const *path; /* [count]: PTX files, CUDA programs, and folders that are searched */
    bool here; /* the current folder is searched if none is named: for programs, which could read it themselves */
} sl_source_paths;

/* Adds to the sources of the input: PTX of `code` and of files and programs among the paths, and what is found of the
 * files that the kernels name in the folders. Paths of a trace are not trusted: files are looked for below these
 * folders alone, by the ends of their paths, and links that lead out of them are not followed. All in the arena. */
sl_status sl_sources_find(const sl_source_paths *paths, sl_joined_input *input, sl_arena *arena, sl_error *error);

#endif
