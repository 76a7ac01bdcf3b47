/* SPDX-License-Identifier: MIT */
/* Plots as SVG: series of points in a frame with two axes, linear or logarithmic, and a legend below. Looks come from
 * classes: .k0 … .k7 are the colors of series. */
#ifndef SL_REPORT_PLOT_H
#define SL_REPORT_PLOT_H

#include "base/text.h"
#include "report/svg.h"

typedef enum sl_plot_scale {
    SL_PLOT_LINEAR,
    SL_PLOT_LOG,   /* by powers of ten */
    SL_PLOT_LOG2,  /* by powers of two */
    SL_PLOT_NAMES, /* positions 0, 1, …, each with a name */
} sl_plot_scale;

typedef char *sl_plot_tick(double value, char text[SL_HUMAN_BYTES]);

/* Texts are borrowed, as those that follow. */
typedef struct sl_plot_axis {
    const char *title;
    sl_plot_scale scale;
    double min, max;         /* min < max, of logarithmic ones above 0; sl_plot_fit finds them */
    sl_plot_tick *tick;      /* NULL: the number */
    const char *const *name; /* SL_PLOT_NAMES: [max + 1] */
} sl_plot_axis;

typedef struct sl_plot_dot {
    double x, y;
    const char *title; /* shown where a pointer rests on it */
    const char *label; /* next to it; NULL: none */
} sl_plot_dot;

typedef struct sl_plot_series {
    const char *name; /* in the legend; NULL: not there */
    unsigned color;   /* modulo 8 */
    bool line, dots;  /* that connects its points; the points themselves */
    bool thin;        /* the line */
    const char *at;   /* next to its last point; NULL: nothing */
    size_t count;
    const sl_plot_dot *dot;
} sl_plot_series;

typedef struct sl_plot {
    const char *title, *note;
    sl_plot_axis x, y;
    size_t count;
    const sl_plot_series *series;
    size_t keys; /* further entries of the legend, without a color */
    const char *const *key;
} sl_plot;

/* The smallest range of the axis that has all points, on whole steps. `zero`: from 0, of linear ones. */
void sl_plot_fit(const sl_plot *chart, bool of_x, bool zero, sl_plot_axis *axis);
/* What standalone pictures begin with. */
extern const char sl_plot_style[];
/* The height that it takes at this width. */
double sl_plot_height(const sl_plot *chart, double width);
/* Draws it with its upper left corner at (0, y). */
void sl_plot_draw(FILE *file, const sl_plot *chart, double y, double width);
/* Charts, one below the other, as a picture. */
sl_status sl_plots_svg(FILE *file, const sl_plot *chart, size_t charts, sl_error *error);

char *sl_tick_bytes(double value, char text[SL_HUMAN_BYTES]);
char *sl_tick_percent(double value, char text[SL_HUMAN_BYTES]);
char *sl_tick_count(double value, char text[SL_HUMAN_BYTES]);

#endif
