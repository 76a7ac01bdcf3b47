/* SPDX-License-Identifier: MIT */
/* What the memory instructions of each source line do: the numbers next to sources, on pages and in terminals. */
#ifndef SL_REPORT_SOURCE_LINES_H
#define SL_REPORT_SOURCE_LINES_H

#include "report/metrics.h"
#include "report/page_data.h"

typedef struct sl_line_column {
    sl_metric metric;
    const char *title;
    bool shaded; /* by its share of the kernel */
} sl_line_column;
enum { SL_LINE_COLUMNS = 7 };
extern const sl_line_column sl_line_columns[SL_LINE_COLUMNS];

/* A mask of the columns in which some line of the kernel has a number. */
unsigned sl_line_columns_known(const sl_page *page, const sl_page_kernel *kernel);

/* The memory instructions of a view by line, each line's in program order. */
typedef struct sl_source_lines {
    const sl_page *page;
    const sl_page_kernel *kernel;
    const sl_page_view *view;
    size_t *first;             /* [lines + 2] */
    const sl_page_load **load; /* those of line n: from first[n - view->first] to the next */
} sl_source_lines;

/* A line of them. `row` points into it. */
typedef struct sl_line_sum {
    size_t loads;
    const sl_page_load *const *load;
    sl_counts counts;
    sl_profile_counts reuse;
    sl_metric_row row;
} sl_line_sum;

/* The line of an instruction in a source; 0: it is not of it. */
uint32_t sl_line_of(const sl_inst_name *inst, const sl_source_text *source);
/* False when memory runs out. */
bool sl_source_lines_init(sl_source_lines *lines, const sl_page *page, const sl_page_kernel *kernel,
                          const sl_page_view *view);
void sl_source_lines_fini(sl_source_lines *lines);
void sl_source_lines_sum(const sl_source_lines *lines, uint32_t line, sl_line_sum *sum);
/* The value of a line, and its share of the kernel's, in percent (0: unknown). False: it has none. */
bool sl_line_value(const sl_source_lines *lines, const sl_line_sum *sum, int column, uint64_t *value, double *share);
/* The last line of the view that the source has, and the text of one, without its end. */
uint32_t sl_source_lines_last(const sl_source_lines *lines);
const char *sl_source_line_text(const sl_source_lines *lines, uint32_t line, size_t *bytes);

#endif
