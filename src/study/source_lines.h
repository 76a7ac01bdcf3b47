/* SPDX-License-Identifier: MIT */
/* What the memory instructions of each source line do: the numbers next to sources, on pages and in terminals. */
#ifndef SL_STUDY_SOURCE_LINES_H
#define SL_STUDY_SOURCE_LINES_H

#include "analysis/metrics.h"
#include "study/joined.h"

typedef struct sl_line_column {
    sl_metric metric;
    const char *title;
    bool shaded; /* by its share of the kernel */
} sl_line_column;
enum { SL_LINE_COLUMNS = 7 };
extern const sl_line_column sl_line_columns[SL_LINE_COLUMNS];

/* A mask of the columns in which some line of the kernel has a number. */
unsigned sl_line_columns_known(const sl_joined *joined, const sl_joined_kernel *kernel);

/* The memory instructions of a kernel in some lines of a source, by line, each line's in program order. */
typedef struct sl_source_lines {
    const sl_joined *joined;
    const sl_joined_kernel *kernel;
    uint32_t from;               /* the first line */
    size_t *first;               /* [lines + 2] */
    const sl_joined_load **load; /* those of line n: from first[n - from] to the next */
} sl_source_lines;

/* A line of them. `row` points into it. */
typedef struct sl_line_sum {
    size_t loads;
    const sl_joined_load *const *load;
    sl_counts counts;
    sl_profile_counts reuse;
    sl_metric_row row;
} sl_line_sum;

bool sl_source_is_ptx(const sl_source_text *source);
/* The line of an instruction in a source; 0: it is not of it. */
uint32_t sl_line_of(const sl_inst_name *inst, const sl_source_text *source);
/* Lines `from` to `last`; the caller frees them by sl_source_lines_fini, also after false: memory ran out. */
bool sl_source_lines_init(sl_source_lines *lines, const sl_joined *joined, const sl_joined_kernel *kernel,
                          const sl_source_text *source, uint32_t from, uint32_t last);
void sl_source_lines_fini(sl_source_lines *lines);
void sl_source_lines_sum(const sl_source_lines *lines, uint32_t line, sl_line_sum *sum);
/* The value of a line, and its share of the kernel's, in percent (0: unknown). False: it has none. */
bool sl_line_value(const sl_source_lines *lines, const sl_line_sum *sum, int column, uint64_t *value, double *share);

#endif
