/* SPDX-License-Identifier: MIT */
/* A page: its results, joined, and which lines of which sources belong to each kernel. */
#ifndef SL_REPORT_PAGE_DATA_H
#define SL_REPORT_PAGE_DATA_H

#include "report/page.h"

/* The part of a source that belongs to a kernel; lines from 1, inclusive. */
typedef struct sl_page_view {
    size_t source; /* of the input's */
    uint32_t first, last;
    bool ptx;
} sl_page_view;

typedef struct sl_page_views {
    size_t count; /* PTX last */
    sl_page_view *view;
} sl_page_views;

/* Where the lines of a source start; behind the last one: where it ends. */
typedef struct sl_page_lines {
    uint32_t lines;
    const char **start; /* [lines + 1] */
} sl_page_lines;

struct sl_page {
    sl_page_input input;
    sl_arena arena;
    sl_joined joined;
    sl_page_views *views; /* [joined.kernels] */
    sl_page_lines *lines; /* [input.results.sources] */
};

/* Programs with more launches than these have a row for each kernel and shape in place of one for each launch. */
enum { SL_PAGE_MAX_LAUNCHES = 200 };
/* Whether a sweep has anything to show. */
static inline bool sl_page_has_sweep(const sl_sweep *sweep)
{
    return sweep && sweep->kernels;
}
static inline bool sl_page_folds_launches(const sl_page *page)
{
    return page->joined.launches.count > SL_PAGE_MAX_LAUNCHES;
}

/* Finds the views of all kernels; false when memory runs out. */
bool sl_page_find_views(sl_page *page);
/* The last line of a view that its source has, and the text of a line, without its end. */
uint32_t sl_page_view_last(const sl_page *page, const sl_page_view *view);
const char *sl_page_line_text(const sl_page *page, const sl_page_view *view, uint32_t line, size_t *bytes);

#endif
