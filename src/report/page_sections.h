/* SPDX-License-Identifier: MIT */
/* The sections of a page, in their order. Each writes nothing where the page has nothing for it. */
#ifndef SL_REPORT_PAGE_SECTIONS_H
#define SL_REPORT_PAGE_SECTIONS_H

#include <stdio.h>

#include "report/metrics.h"
#include "report/page_data.h"

/* Columns of tables: a bar of hits and misses, then metrics; those that no row has a value for are left out. */
enum { SL_PAGE_COLUMNS = 48 };
/* Their cells. What `row` points to must outlive the table; `bar`: with the bar. */
void sl_page_cells(sl_table *table, const sl_metric_row *row, bool bar);
/* A table of other columns, then these. */
sl_table *sl_page_table(const sl_column *first, size_t firsts, const sl_column *last, size_t lasts);

/* A row of the page: what its profile says has the page's options. */
sl_metric_row sl_page_row(const sl_page *page, const sl_counts *counts, const sl_profile_counts *reuse);
/* Whether anything is known of hits and misses. */
bool sl_page_has_bars(const sl_page *page);
/* The cell of one metric, with its exact value. */
void sl_html_cell_metric(FILE *file, sl_metric metric, const sl_metric_row *row);
/* A stacked bar of load sectors: hits, pending hits, misses by class. Nothing where there are no loads, or no hits and
 * misses. */
void sl_page_bar(FILE *file, const sl_counts *counts);

/* What costs most; and of simulated kernels what their cycles were spent on. */
void sl_section_findings(FILE *file, const sl_page *page);
/* Counters of a kernel with cycles: its own, or those of the baseline among the policies; NULL: it was not simulated.
 */
const sl_counts *sl_page_simulated(const sl_page *page, size_t kernel);
bool sl_section_has_time(const sl_page *page);
/* A cell with the name of a kernel, as a link to its section. */
void sl_page_kernel_cell(sl_table *table, const sl_page *page, size_t kernel, bool failed);
sl_status sl_section_time(FILE *file, const sl_page *page, sl_error *error);
void sl_section_overview(FILE *file, const sl_page *page);
/* Where kernels are under the roofs of the GPU. */
sl_status sl_section_roofline(FILE *file, const sl_page *page, sl_error *error);
sl_status sl_section_worst_loads(FILE *file, const sl_page *page, sl_error *error);
sl_status sl_section_kernels(FILE *file, const sl_page *page, sl_error *error);
/* One kernel: its loads, arrays, reuse and sources. */
sl_status sl_section_kernel(FILE *file, const sl_page *page, size_t kernel, sl_error *error);
sl_status sl_section_launches(FILE *file, const sl_page *page, sl_error *error);

/* Parts of a kernel's section. */
sl_status sl_section_reuse(FILE *file, const sl_page *page, size_t kernel, sl_error *error);
sl_status sl_section_source(FILE *file, const sl_page *page, size_t kernel, sl_error *error);
/* The plan of the page for a kernel, for a load as table cells (NULL: none), for all loads of a line. */
void sl_section_planned(FILE *file, const sl_page *page, size_t kernel);
enum { SL_PLANNED_COLUMNS = 4 };
extern const sl_column sl_planned_columns[SL_PLANNED_COLUMNS];
void sl_planned_cells(sl_table *table, const sl_plan_load *planned);
void sl_planned_line_column(FILE *file);
void sl_planned_line(FILE *file, const sl_plan_load *const *planned, size_t count);
/* The location of a load, as a link to its line where the page has that. */
void sl_section_location(FILE *file, const sl_page *page, size_t kernel, const sl_inst_name *inst);

sl_status sl_section_sizes(FILE *file, const sl_page *page, sl_error *error);
sl_status sl_section_policies(FILE *file, const sl_page *page, sl_error *error);
sl_status sl_section_simulated(FILE *file, const sl_page *page, sl_error *error);
sl_status sl_section_hardware(FILE *file, const sl_page *page, sl_error *error);
sl_status sl_section_glossary(FILE *file, const sl_page *page, sl_error *error);

/* A figure in which the script of the page draws a chart; hidden without it. `kernel` SIZE_MAX: of all. */
void sl_section_chart(FILE *file, const char *what, size_t kernel, const char *caption);

/* What all pages begin and end with: the head with their style, and their script. */

/* The files of assets/, and Chart.js, as they are taken into the program. */
typedef struct sl_asset {
    const char *text;
    size_t bytes; /* 0: it was not installed when the program was built */
} sl_asset;
sl_asset sl_asset_style(void);
sl_asset sl_asset_script(void);
sl_asset sl_asset_charts(void);

/* From the doctype to </head>; the title is escaped. */
void sl_page_frame_head(FILE *file, const char *title);
/* The script of tables and charts, and the end of the page. The page has its data before it, in an element of the id
 * "data". */
void sl_page_frame_end(FILE *file);

#endif
