/* SPDX-License-Identifier: MIT */
/* A paper and how to reproduce it: programs, configurations of machines, and for each table and figure the counters and
 * the numbers of the paper. Read from papers/NAME.yaml, which docs/reproduce.md describes. */
#ifndef SL_STUDY_PAPER_H
#define SL_STUDY_PAPER_H

#include "study/expression.h"
#include "study/point.h"

/* A program as the paper calls it. */
typedef struct sl_paper_program {
    const char *name, *workload, *params;
    const char *command; /* "", or the command line of a program that is run instead of a workload */
    const char *kernel;  /* "", or the kernel that the program is */
    const char *launch;  /* "", or the number of the launch that it is */
    bool quick;          /* also in quick runs */
} sl_paper_program;

typedef struct sl_paper_group {
    const char *name;
    size_t count;
    int *program;
} sl_paper_group;

/* A number that was measured elsewhere. */
typedef struct sl_paper_known {
    int program;
    const char *counter;
    double number;
} sl_paper_known;

/* A machine with policies, and the kind of analysis. */
typedef struct sl_paper_config {
    const char *name;
    sl_point start;  /* before it is varied */
    size_t variants; /* at least 1; of several the one with the lowest `best` is taken, for each program */
    sl_point *variant;
    const char *best;
    size_t known; /* of a configuration without variants: numbers that were measured elsewhere */
    struct sl_paper_known *value;
} sl_paper_config;

typedef enum sl_paper_mean { SL_MEAN_NONE, SL_MEAN_GEOMETRIC, SL_MEAN_ARITHMETIC } sl_paper_mean;

/* How a number is compared with ours. They agree if they differ by at most `within`. Numbers on the same side of the
 * neutral value have the same direction (values within `still` of it are on neither side). A number that is no
 * further from the neutral value than its own noise has no direction. An input is what the machine or a policy was
 * given: it cannot differ. */
typedef struct sl_paper_measure {
    const char *unit; /* "", "%", "x" */
    int digits;
    double neutral; /* NaN: none */
    double within, still;
    const sl_expression *noise; /* NULL: none */
    bool input;
} sl_paper_measure;

/* A number of the paper, for a program or the mean of a group. */
typedef struct sl_paper_number {
    int program, group; /* -1: the other one */
    double number;
} sl_paper_number;

typedef struct sl_paper_reason {
    int program, group;
    const char *text;
} sl_paper_reason;

/* How a figure is drawn: a cluster of bars for each program, stacked bars, or lines. */
typedef enum sl_chart_kind { SL_CHART_CLUSTERS, SL_CHART_STACKS, SL_CHART_LINES } sl_chart_kind;

/* A number for each program of a figure. */
typedef struct sl_paper_column {
    const char *name;
    /* Of its chart: "", or the bar of stacks or the line that it belongs to; "", or its position on the
     * axis, where programs are not the categories. */
    const char *series, *at;
    bool drawn; /* not in the table alone */
    const sl_expression *value;
    const char *formula; /* its text */
    sl_paper_measure measure;
    sl_paper_mean mean; /* of groups */
    size_t numbers, reasons;
    sl_paper_number *number;
    sl_paper_reason *reason;
} sl_paper_column;

/* A sentence of the paper, with a number or with a condition that holds or not. */
typedef struct sl_paper_claim {
    const char *says, *why;         /* why: where ours differs */
    const sl_expression *value;     /* NULL: none */
    const sl_expression *holds;     /* NULL: the numbers are compared */
    const sl_expression *direction; /* the same without the size that it states; NULL: it states none */
    sl_paper_measure measure;
    double number; /* NaN: none is stated */
} sl_paper_claim;

typedef struct sl_paper_figure {
    const char *id, *title, *where, *note;
    bool quick;
    bool ranked; /* the columns with the largest means of the first group come first */
    sl_chart_kind chart;
    const char *axis;                          /* "", or what is drawn upwards */
    const struct sl_policy_transition *states; /* NULL, or those of a policy, which are drawn instead of a chart */
    bool means;                                /* only means are drawn */
    size_t groups, columns, claims;
    int *group; /* whose programs are rows */
    sl_paper_column *column;
    sl_paper_claim *claim;
} sl_paper_figure;

typedef struct sl_paper {
    sl_arena arena;
    const char *name, *title, *source, *summary;
    const char *quick_size; /* of workloads in quick runs */
    bool alone;             /* it is run only where it is named */
    size_t programs, groups, configs, figures;
    sl_paper_program *program;
    sl_paper_group *group;
    sl_paper_config *config;
    sl_paper_figure *figure;
} sl_paper;

/* From text; `path` is for messages. The caller frees it by sl_paper_free, also after a failure. `custom`: policies
 * that it may name, and that are among its "policies"; they must outlive it; NULL: none. */
sl_status sl_paper_parse(const char *path, const char *text, size_t bytes, const sl_custom_policies *custom,
                         sl_paper *paper, sl_error *error);
void sl_paper_free(sl_paper *paper);

/* The built-in papers. */
size_t sl_paper_count(void);
const char *sl_paper_name_at(size_t index);
/* A built-in one, or a file if the name has a '/' or ends in ".yaml"; the error has the nearest name. */
sl_status sl_paper_load(const char *name, const sl_custom_policies *custom, sl_paper *paper, sl_error *error);

#endif
