/* SPDX-License-Identifier: MIT */
/* Sweeps, as parts of documents. */
#ifndef SL_REPORT_SWEEP_H
#define SL_REPORT_SWEEP_H

#include "report/document.h"
#include "study/sweep.h"
#include "study/sweep_file.h"

/* For people a row per point, summed over the launches of each kernel; for programs every point of every launch. */
void sl_document_sweep(sl_document *document, const sl_sweep *sweep);
/* The same for points that differ in their seeds alone: means over them, with the standard deviation. */
void sl_document_seeds(sl_document *document, const sl_sweep *sweep);
/* The points of a file, in order, and what they gave: a column for each counter that any of them has. */
void sl_document_points(sl_document *document, const sl_sweep_file *file, const sl_outcome *outcome);

/* Columns of a point of a sweep, for programs, and their cells. */
#define SL_SWEPT_COLUMNS                                                                                               \
    SL_DATA("varied"), SL_DATA("factor"), SL_DATA("size"), SL_DATA("ways"), SL_DATA("line"), SL_DATA("mshrs"),         \
        SL_DATA_IN("replacement", SL_FORM_DATA | SL_FORM_OPTIONAL), SL_DATA("counters")
enum { SL_SWEPT_COLUMN_COUNT = 8 };
void sl_swept_cells(sl_table *table, const sl_sweep_point *point, uint64_t l1_bytes, const sl_counts *counts);

#endif
