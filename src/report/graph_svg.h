/* SPDX-License-Identifier: MIT */
/* The load interaction graph of a plan as a picture: a box per group, with its array, a dot per load, lines between the
 * loads of a group (Mpache, figure 4). */
#ifndef SL_REPORT_GRAPH_SVG_H
#define SL_REPORT_GRAPH_SVG_H

#include <stdio.h>

#include "tune/plan.h"

sl_status sl_graph_svg(FILE *file, const sl_plan *plan, sl_error *error);

#endif
