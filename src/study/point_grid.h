/* SPDX-License-Identifier: MIT */
/* What the points of a file gave, by what differs between them: along an axis, by line and by program. A parameter is a
 * part of a point, or a key of its settings; the axis is the one with most values, numbers before names. */
#ifndef SL_STUDY_POINT_GRID_H
#define SL_STUDY_POINT_GRID_H

#include "base/map.h"
#include "study/runner.h"
#include "study/sweep_file.h"

enum { SL_GRID_PROGRAMS = 12, SL_GRID_LINES = 16, SL_GRID_VALUES = 64 };

/* Sums: of parts of a program, all of them. */
typedef struct sl_grid_cell {
    double cycles, est_cycles, hits, sectors;
} sl_grid_cell;

typedef struct sl_point_grid {
    sl_arena arena;
    const char *axis;    /* name of the parameter */
    bool numeric, bytes; /* its values are numbers; they are sizes */
    size_t values;       /* along the axis */
    const char **value;
    double *number;         /* [values]; of names their position */
    sl_map programs, lines; /* in order of first sight; "" where nothing tells them apart */
    sl_grid_cell *cell;     /* [SL_GRID_PROGRAMS][SL_GRID_LINES][SL_GRID_VALUES] */
    bool beyond;            /* some points have no room in it */
} sl_point_grid;

/* The caller frees it by sl_point_grid_fini, also after a failure. */
sl_status sl_point_grid_init(sl_point_grid *grid, const sl_sweep_file *file, const sl_outcome *outcome,
                             sl_error *error);
void sl_point_grid_fini(sl_point_grid *grid);

#endif
