/* SPDX-License-Identifier: MIT */
/* Charts as SVG: clusters of bars, stacked bars and lines, one or several panels in a picture. Colors come from the
 * style sheet of the page by class, or from the picture's own. */
#ifndef SL_REPORT_CHART_H
#define SL_REPORT_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "policy/states.h"
#include "study/paper.h"

typedef struct sl_chart_series {
    const char *name;
    unsigned color; /* series of the same color: ours, and the paper's */
    unsigned stack; /* of stacks: which bar of a cluster it is a part of */
    bool paper;     /* what the paper states: bars are pale, points of lines hollow */
} sl_chart_series;

typedef struct sl_chart_category {
    const char *name;
    bool strong; /* a mean */
} sl_chart_category;

/* A panel. Texts and arrays are the caller's. */
typedef struct sl_chart {
    sl_chart_kind kind;
    const char *title; /* "": none */
    const char *unit;
    int digits;
    double neutral; /* where bars begin; NaN: at 0 */
    size_t categories, series;
    const sl_chart_category *category;
    const sl_chart_series *serie;
    const double *value; /* [categories][series]; NaN: none */
} sl_chart;

enum { SL_CHART_PANELS = 64 };

bool sl_chart_is_empty(const sl_chart *chart);
/* Panels from left to right and top to bottom, with the legend of the first one below. `axis`: what is drawn upwards.
 * `alone`: a document with its own colors, otherwise an element of a page. */
void sl_charts_write(FILE *file, const sl_chart *panel, size_t panels, const char *title, const char *axis, bool alone);

/* The states of what a policy keeps, and what leads from one to the other. */
void sl_states_write(FILE *file, const sl_policy_transition *row, const char *title, bool alone);

#endif
