/* SPDX-License-Identifier: MIT */
/* Results as parts of documents: launches with their memory instructions, reuse, samples, what-ifs, sweeps, tuning. */
#ifndef SL_REPORT_RESULTS_H
#define SL_REPORT_RESULTS_H

#include "analysis/result.h"
#include "model/hpca14.h"
#include "report/document.h"
#include "report/metrics.h"
#include "study/compare.h"
#include "study/ranking.h"
#include "study/reproduction.h"
#include "study/sweep.h"
#include "study/sweep_file.h"
#include "study/validation.h"
#include "trace/what_if.h"
#include "tune/plan.h"
#include "tune/tune.h"

/* ---- launches: counted, modeled or simulated ---- */

/* For programs: every launch with its counters, its memory instructions and its arrays; with `sim` (NULL: none) also
 * what only the simulator knows: levels, policies, bounds. */
void sl_document_launches(sl_document *document, const sl_launch_log *log, const sl_result *sim);

/* For people: a row per launch, or per kernel where there are many; then, per kernel, the memory instructions with the
 * most traffic or misses. */
void sl_document_counted(sl_document *document, const sl_launch_log *log);
void sl_document_modeled(sl_document *document, const sl_launch_log *log);
void sl_document_simulated(sl_document *document, const sl_result *result);

/* ---- launches summed by a label ---- */

/* For people: a row per group, and below it one per kernel. */
void sl_document_groups(sl_document *document, const char *title, const sl_launch_log *log,
                        const sl_metric_list *metrics);
/* For programs: each group before those within it, without the kernels, as launches have their labels. Nothing where
 * launches are not grouped. */
void sl_document_groups_data(sl_document *document, const sl_launch_log *log);

/* ---- launches and instructions in other tables ---- */

/* Launches beyond these are summed by kernel. */
enum { SL_MAX_LAUNCH_LINES = 40 };
/* Columns that say which launch a row is of, for programs: index, kernel, name; with SL_LAUNCH_SHAPE grid and block. */
#define SL_LAUNCH_ID                                                                                                   \
    SL_DATA_IN("index", SL_FORM_DATA | SL_FORM_LOADS), SL_DATA_IN("kernel", SL_FORM_DATA | SL_FORM_LOADS),             \
        SL_DATA_IN("name", SL_FORM_DATA | SL_FORM_LOADS)
#define SL_LAUNCH_SHAPE SL_LAUNCH_ID, SL_DATA_IN("grid", SL_FORM_DATA), SL_DATA_IN("block", SL_FORM_DATA)
void sl_launch_id_cells(sl_table *table, uint64_t index, const char *symbol, const char *name);
/* Columns that name a memory instruction, for programs, and their cells. */
#define SL_INST_ID                                                                                                     \
    SL_DATA("pc"), SL_DATA("line"), SL_DATA("source"), SL_DATA("opcode"), SL_DATA("array"),                            \
        SL_DATA_IN("allocation", SL_FORM_JSON), SL_DATA_IN("allocation_bytes", SL_FORM_JSON),                          \
        SL_DATA_IN("inlined", SL_FORM_JSON)
enum { SL_INST_ID_COLUMNS = 8 };
void sl_inst_id_cells(sl_table *table, const sl_inst_name *inst);
/* Location, opcode and array of an instruction, for people. */
void sl_inst_cells(sl_table *table, const sl_inst_name *inst, uint32_t copies, bool opcode);

/* ---- variants of one computation ---- */

void sl_document_ranking(sl_document *document, const sl_variants *ranking);

/* ---- the reuse of lines and sectors ---- */

/* A profile: for people tables and charts; for programs every value. In CSV a value per row, for plotting: where
 * `launch` is empty the row sums a kernel's launches, where `kernel` is empty all. `from` and `to` are the ends of a
 * histogram's bin or of a window (both inclusive); "never" stands for first accesses. */
void sl_document_profile(sl_document *document, const sl_result *result);

/* Its miss-ratio curve, as a table and as a picture; `result` is the sl_result of a profile. */
void sl_document_miss_ratios(sl_document *document, const sl_result *result);
sl_status sl_miss_ratios_svg(FILE *file, const void *result, sl_error *error);

/* Its part for programs. */
void sl_document_profile_data(sl_document *document, const sl_result *result);

/* What values of JSON are taken from. */
typedef struct sl_profile_value {
    const sl_profile_counts *counts;
    const sl_profile *footprint; /* NULL: none */
    const sl_profile_options *options;
} sl_profile_value;
/* An object: counters, shares, line_distance, sector_distance, line_gap, line_reuses. */
void sl_profile_counts_json(sl_json *json, const void *value);
/* An object: footprint over time. */
void sl_profile_footprint_json(sl_json *json, const void *value);

/* ---- sums over launches of which only some were analyzed, with their intervals ---- */

/* "57 of 10000 launches simulated, 95% intervals below"; for the heading of a report. `verb`: "simulated". Returns
 * `text`; "" where every launch was analyzed. */
char *sl_sample_heading(const sl_result_sample *sample, uint32_t launches, const char *verb, char *text, size_t size);
/* Nothing where every launch was analyzed. */
void sl_document_sample(sl_document *document, const sl_result *result);

/* ---- predictions compared with hardware counters ---- */

/* For people and for programs; in CSV a row per launch and quantity or counter. The second: for programs alone. */
void sl_document_validation(sl_document *document, const sl_validation *validation);
void sl_document_validation_data(sl_document *document, const sl_validation *validation);
/* A panel per quantity: measured across, predicted upwards, a dot per launch. */
sl_status sl_validation_plot(FILE *file, const sl_validation *validation, sl_error *error);

/* ---- launches before and after a what-if ---- */

/* Results of the same analysis of the same launches: simulated, else estimated. */
typedef struct sl_what_if_results {
    const sl_what_if *what_if;
    const sl_result *before, *after;
} sl_what_if_results;

/* What is assumed, a row per launch, and the ratio of all cycles. */
void sl_document_what_if(sl_document *document, const sl_what_if_results *results);

/* ---- comparisons ---- */

/* For people and for programs; in CSV a row per kernel and metric (without a kernel: of all together), or per memory
 * instruction and metric. */
void sl_document_comparison(sl_document *document, const sl_comparison *comparison);
sl_status sl_comparison_page(FILE *file, const sl_comparison *comparison, sl_error *error);
/* Location, opcode and array of an instruction. */
void sl_compared_load_cells(sl_table *table, const sl_compared_load *load);

/* ---- sweeps ---- */

/* For people a row per point, summed over the launches of each kernel; for programs every point of every launch. */
void sl_document_sweep(sl_document *document, const sl_sweep *sweep);
/* The same for points that differ in their seeds alone: means over them, with the standard deviation. */
void sl_document_seeds(sl_document *document, const sl_sweep *sweep);
/* The points of a file, in order, and what they gave: a column for each counter that any of them has. */
/* Points that have not run: their numbers, and how long they may take. */
void sl_document_costs(sl_document *document, const sl_sweep_file *file, const double *seconds);
void sl_document_points(sl_document *document, const sl_sweep_file *file, const sl_outcome *outcome);

/* The same as a picture: for each program cycles and L1 hit rates over the parameter with most values, a line for each
 * combination of the others. `points` is an sl_points_drawn. */
typedef struct sl_points_drawn {
    const sl_sweep_file *file;
    const sl_outcome *outcome;
} sl_points_drawn;
sl_status sl_points_svg(FILE *file, const void *points, sl_error *error);

/* Columns of a point of a sweep, for programs, and their cells. */
#define SL_SWEPT_COLUMNS                                                                                               \
    SL_DATA("varied"), SL_DATA("factor"), SL_DATA("size"), SL_DATA("ways"), SL_DATA("line"), SL_DATA("mshrs"),         \
        SL_DATA_IN("replacement", SL_FORM_DATA | SL_FORM_OPTIONAL), SL_DATA("counters")
enum { SL_SWEPT_COLUMN_COUNT = 8 };
void sl_swept_cells(sl_table *table, const sl_sweep_point *point, uint64_t l1_bytes, const sl_counts *counts);

/* ---- what tuning and measuring found, kernel by kernel ---- */

typedef struct sl_tuning {
    sl_report_info info;
    const char *subject; /* workload or file */
    const char *timer, *unit;
    size_t kernels;
    const sl_tuned_kernel *kernel; /* times are medians; the gain is of pairs, so not quite what the medians say */
    const sl_plan *plan;           /* whose loads are shown; NULL: none are */
} sl_tuning;

void sl_document_tuning(sl_document *document, const sl_tuning *tuning);

/* ---- a run that mimics the authors' program of the reuse-distance paper ---- */

void sl_document_hpca14(sl_document *document, const sl_hpca14_result *result);

/* ---- reproductions of papers ---- */

enum { SL_MEASURE_BYTES = 48 };
/* "1.36", "8.9 %"; "" for NaN. Returns `buffer`. */
char *sl_measure_text(const sl_paper_measure *measure, double value, char buffer[SL_MEASURE_BYTES]);

/* Papers, with the numbers of all their figures. */
void sl_document_reproductions(sl_document *document, const sl_reproduction *item, size_t count);
/* The chart of a figure as SVG: for a page, or `alone` as a file. `drawn`: there was something to draw. Without a file
 * it only finds that out. */
sl_status sl_reproduction_chart(FILE *file, const sl_reproduction *reproduction, const sl_paper_figure *figure,
                                bool alone, bool *drawn, sl_error *error);
/* The numbers of a figure as CSV, with the paper's and their verdicts. */
sl_status sl_reproduction_csv(FILE *file, const sl_reproduction *reproduction, const sl_paper_figure *figure,
                              sl_error *error);
/* One page of one paper. */
sl_status sl_reproduction_page(FILE *file, const sl_reproduction *reproduction, sl_error *error);

#endif
