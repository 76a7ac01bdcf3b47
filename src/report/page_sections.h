/* SPDX-License-Identifier: MIT */
/* The sections of a page, in their order. Each writes nothing where the page has nothing for it. */
#ifndef SL_REPORT_PAGE_SECTIONS_H
#define SL_REPORT_PAGE_SECTIONS_H

#include "report/metrics.h"
#include "report/page_data.h"

/* Columns of metrics: those that a row has a value for, and before them the bar. */
enum { SL_PAGE_METRICS = 44 };
typedef struct sl_page_columns {
    bool bars;
    bool metric[SL_PAGE_METRICS];
} sl_page_columns;

/* A row of the page: what its profile says has the page's options. */
sl_metric_row sl_page_row(const sl_page *page, const sl_counts *counts, const sl_profile_counts *reuse);
/* Whether anything is known of hits and misses. */
bool sl_page_has_bars(const sl_page *page);
void sl_page_columns_add(sl_page_columns *columns, const sl_metric_row *row);
void sl_page_columns_head(FILE *file, const sl_page_columns *columns);
void sl_page_columns_cells(FILE *file, const sl_page_columns *columns, const sl_metric_row *row);
/* The cell of one metric, with its exact value; `class`: "n", a number. */
void sl_html_cell_metric(FILE *file, const char *class, sl_metric metric, const sl_metric_row *row);
/* A stacked bar of load sectors: hits, pending hits, misses by class. Nothing where there are no loads, or no hits and
 * misses. */
void sl_page_bar(FILE *file, const sl_counts *counts);

/* What costs most; and of simulated kernels what their cycles were spent on. */
void sl_section_findings(FILE *file, const sl_page *page);
bool sl_section_has_time(const sl_page *page);
void sl_section_time(FILE *file, const sl_page *page);
/* A cell with the name of a kernel, as a link to its section; the first leaves it open. */
void sl_section_kernel_cell(FILE *file, const sl_page *page, size_t kernel);
void sl_section_kernel_link(FILE *file, const sl_page *page, size_t kernel);
void sl_section_overview(FILE *file, const sl_page *page);
sl_status sl_section_worst_loads(FILE *file, const sl_page *page, sl_error *error);
void sl_section_kernels(FILE *file, const sl_page *page);
/* One kernel: its loads, arrays, reuse and sources. */
sl_status sl_section_kernel(FILE *file, const sl_page *page, size_t kernel, sl_error *error);
sl_status sl_section_launches(FILE *file, const sl_page *page, sl_error *error);

/* Parts of a kernel's section. */
void sl_section_reuse(FILE *file, const sl_page *page, size_t kernel);
sl_status sl_section_source(FILE *file, const sl_page *page, size_t kernel, sl_error *error);
/* The plan of the page for a kernel, for a load as table cells (NULL: none), for all loads of a line. */
void sl_section_planned(FILE *file, const sl_page *page, size_t kernel);
void sl_planned_columns(FILE *file);
void sl_planned_cells(FILE *file, const sl_plan_load *planned);
void sl_planned_line_column(FILE *file);
void sl_planned_line(FILE *file, const sl_plan_load *const *planned, size_t count);
/* The location of a load, as a link to its line where the page has that. */
void sl_section_location(FILE *file, const sl_page *page, size_t kernel, const sl_inst_name *inst);

void sl_section_sizes(FILE *file, const sl_page *page);
void sl_section_policies(FILE *file, const sl_page *page);
void sl_section_simulated(FILE *file, const sl_page *page);
void sl_section_hardware(FILE *file, const sl_page *page);
void sl_section_glossary(FILE *file, const sl_page *page);

/* A figure in which the script of the page draws a chart; hidden without it. `kernel` SIZE_MAX: of all. */
void sl_section_chart(FILE *file, const char *what, size_t kernel, const char *caption);

#endif
