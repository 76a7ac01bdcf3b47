/* SPDX-License-Identifier: MIT */
/* The data of a page: results of several analyses, joined by kernel, load and launch. */
#ifndef SL_REPORT_PAGE_DATA_H
#define SL_REPORT_PAGE_DATA_H

#include "analysis/inst_name.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/multimap.h"
#include "report/page.h"

/* A memory instruction of a kernel, summed over its launches. */
typedef struct sl_page_load {
    sl_inst_name inst;
    sl_counts counts;
    const sl_profile_counts *reuse; /* NULL: unknown */
    const sl_plan_load *planned;    /* NULL: no plan names it */
} sl_page_load;

/* The part of a source that belongs to a kernel; lines from 1, inclusive. */
typedef struct sl_page_view {
    size_t source; /* of the input's */
    uint32_t first, last;
    bool ptx;
} sl_page_view;

typedef struct sl_page_kernel {
    const char *symbol, *code_symbol, *name; /* as in sl_logged_kernel */
    uint64_t launches;
    sl_counts counts;            /* sums; the footprint is the largest */
    const sl_profile_sum *reuse; /* NULL: unknown */
    uint32_t loads;              /* that ran, in program order */
    sl_page_load *load;
    const sl_plan_kernel *planned; /* NULL: no plan has it */
    size_t views;                  /* PTX last */
    sl_page_view *view;
} sl_page_kernel;

typedef struct sl_page_launch {
    uint64_t index;
    size_t kernel;
    uint32_t grid[3], block[3];
    bool failed;
    const char *failure;
    sl_counts counts;
} sl_page_launch;

/* Where the lines of a source start; behind the last one: where it ends. */
typedef struct sl_page_lines {
    uint32_t lines;
    const char **start; /* [lines + 1] */
} sl_page_lines;

struct sl_page {
    sl_page_input input;
    sl_arena arena;
    sl_counts counts; /* of everything */
    SL_ARRAY(sl_page_kernel) kernels;
    sl_multimap symbols;  /* of `kernels` */
    sl_page_lines *lines; /* [input.sources] */
    SL_ARRAY(sl_page_launch) launches;
};

/* Programs with more launches than these have a row for each kernel and shape in place of one for each launch. */
enum { SL_PAGE_MAX_LAUNCHES = 200 };
/* Whether a sweep has anything to show. */
static inline bool sl_page_has_sweep(const sl_sweep *sweep)
{
    return sweep && sweep->kernels;
}
/* Launches by their labels; NULL: they are not grouped. */
static inline const sl_launch_log *sl_page_groups(const sl_page *page)
{
    const sl_launch_log *log = page->input.modeled ? page->input.modeled : page->input.counted;
    return log && log->grouped ? log : NULL;
}
static inline bool sl_page_folds_launches(const sl_page *page)
{
    return page->launches.count > SL_PAGE_MAX_LAUNCHES;
}

/* Finds the views of all kernels; false when memory runs out. */
bool sl_page_find_views(sl_page *page);

/* Whether anything was accessed. */
static inline bool sl_page_load_ran(const sl_page_load *load)
{
    return load->reuse || sl_counter_set_any(&load->counts.known);
}

#endif
