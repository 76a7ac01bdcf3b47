/* SPDX-License-Identifier: MIT */
/* Writes SVG as it comes, to a FILE: lines, dots and text in pixels from the upper left. Numbers are the same in any
 * locale; text is escaped. Looks come from the style sheet, by class. */
#ifndef SL_REPORT_SVG_H
#define SL_REPORT_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "sluice/error.h"
#include "tune/plan.h"

typedef enum sl_anchor { SL_ANCHOR_START, SL_ANCHOR_MIDDLE, SL_ANCHOR_END } sl_anchor;

/* `style`: CSS; NULL: that of the page around it. */
void sl_svg_start(FILE *file, unsigned width, unsigned height, const char *style);
void sl_svg_line(FILE *file, const char *class, double x1, double y1, double x2, double y2);
void sl_svg_rect(FILE *file, const char *class, double x, double y, double width, double height);
/* `title` is shown where a pointer rests on it. */
void sl_svg_dot(FILE *file, const char *class, double x, double y, double radius, const char *title);
/* `turned`: upwards. */
void sl_svg_text(FILE *file, const char *class, sl_anchor anchor, bool turned, double x, double y, const char *text);
sl_status sl_svg_finish(FILE *file, sl_error *error);

/* The load interaction graph of a plan as a picture: a box per group, with its array, a dot per load, lines between the
 * loads of a group (Mpache, figure 4). */
sl_status sl_graph_svg(FILE *file, const sl_plan *plan, sl_error *error);

#endif
