/* SPDX-License-Identifier: MIT */
/* Launches with their memory instructions, as parts of documents: counted, modeled or simulated. */
#ifndef SL_REPORT_LAUNCHES_H
#define SL_REPORT_LAUNCHES_H

#include "analysis/result.h"
#include "report/document.h"
#include "report/metrics.h"

/* For programs: every launch with its counters, its memory instructions and its arrays; with `sim` (NULL: none) also
 * what only the simulator knows: levels, policies, bounds. */
void sl_document_launches(sl_document *document, const sl_launch_log *log, const sl_result *sim);

/* For people: a row per launch, or per kernel where there are many; then, per kernel, the memory instructions with the
 * most traffic or misses. */
void sl_document_counted(sl_document *document, const sl_launch_log *log);
void sl_document_modeled(sl_document *document, const sl_launch_log *log);
void sl_document_simulated(sl_document *document, const sl_result *result);

/* ---- for other parts ---- */

/* Launches beyond these are summed by kernel. */
enum { SL_MAX_LAUNCH_LINES = 40 };
/* Columns that say which launch a row is of, for programs: index, kernel, name; with SL_LAUNCH_SHAPE grid and block. */
#define SL_LAUNCH_ID                                                                                                   \
    SL_DATA_IN("index", SL_FORM_DATA | SL_FORM_LOADS), SL_DATA_IN("kernel", SL_FORM_DATA | SL_FORM_LOADS),             \
        SL_DATA_IN("name", SL_FORM_DATA | SL_FORM_LOADS)
#define SL_LAUNCH_SHAPE SL_LAUNCH_ID, SL_DATA_IN("grid", SL_FORM_DATA), SL_DATA_IN("block", SL_FORM_DATA)
void sl_launch_id_cells(sl_table *table, uint64_t index, const char *symbol, const char *name);
void sl_launch_shape_cells(sl_table *table, const sl_logged_launch *launch);
/* Columns that name a memory instruction, for programs, and their cells. */
#define SL_INST_ID                                                                                                     \
    SL_DATA("pc"), SL_DATA("line"), SL_DATA("source"), SL_DATA("opcode"), SL_DATA("array"),                            \
        SL_DATA_IN("allocation", SL_FORM_JSON), SL_DATA_IN("allocation_bytes", SL_FORM_JSON),                          \
        SL_DATA_IN("inlined", SL_FORM_JSON)
enum { SL_INST_ID_COLUMNS = 8 };
void sl_inst_id_cells(sl_table *table, const sl_inst_name *inst);
/* Location, opcode and array of an instruction, for people. */
void sl_inst_cells(sl_table *table, const sl_inst_name *inst, uint32_t copies, bool opcode);

#endif
