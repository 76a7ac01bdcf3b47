/* SPDX-License-Identifier: MIT */
/* A report before it has a form: what made it, then members, lines of text and tables, in order. Commands build one
 * document out of their results; its writers turn it into text, JSON and CSV. */
#ifndef SL_REPORT_DOCUMENT_H
#define SL_REPORT_DOCUMENT_H

#include "report/table.h"

/* Where numbers came from, for the head of a JSON report. */
typedef struct sl_report_option {
    const char *name, *value;
} sl_report_option;
typedef struct sl_report_trace {
    const char *path, *producer; /* producer NULL: unknown */
    const char *format;          /* "sluice", "accel-sim", "threads" */
    uint64_t bytes;              /* 0: unknown */
    const char *damage;          /* what cannot be read; NULL: nothing */
} sl_report_trace;
typedef struct sl_report_info {
    const char *command; /* "run" */
    const char *heading; /* what was analyzed, on which GPU and how, for a line above tables; NULL: none */
    const char *machine; /* NULL: none was involved, and the member is left out */
    const sl_report_option *option;
    size_t options;
    const uint64_t *seed;               /* NULL: none was involved */
    const sl_report_trace *trace;       /* NULL: the launches do not come from a trace file */
    const struct sl_findings *findings; /* NULL: nothing was looked for, and the member is left out */
} sl_report_info;

/* The version of what JSON reports look like: it grows when a member is renamed, moved, removed or means something
 * else, not when one is added. tests/cli/schema.sh lists the members. */
enum { SL_JSON_SCHEMA = 1 };

typedef struct sl_document sl_document;

/* `forms`: those that will be written; parts that none of them shows are not made. What `info` points to must outlive
 * the document. NULL when memory runs out: all functions take that, and a later lack of memory is remembered until the
 * document is written. */
sl_document *sl_document_create(const sl_report_info *info, unsigned forms);
void sl_document_destroy(sl_document *document);
/* Text that stays as it is: lines are not broken to fit a terminal. */
void sl_document_is_verbatim(sl_document *document);
bool sl_document_verbatim(const sl_document *document);

/* Lines of text, as they are: for people only. */
void sl_document_line(sl_document *document, const char *format, ...) SL_PRINTF(2, 3);
void sl_document_text(sl_document *document, const char *text, size_t bytes);
/* Text that depends on the width of the terminal (0: none): for people only. `of` must outlive the document. */
typedef void sl_prose(FILE *file, const void *of, size_t width);
void sl_document_prose(sl_document *document, sl_prose *write, const void *of);
/* Members of the outermost object: for JSON only. */
void sl_document_count(sl_document *document, const char *key, uint64_t value);
void sl_document_number(sl_document *document, const char *key, double value);
void sl_document_string(sl_document *document, const char *key, const char *value);
void sl_document_counts(sl_document *document, const char *key, const struct sl_counts *counts);
void sl_document_json(sl_document *document, const char *key, sl_json_writer *write, const void *of);
/* Members that follow are those of an object, until it is closed. */
void sl_document_open(sl_document *document, const char *key);
void sl_document_close(sl_document *document);
/* A table. `name`: of the member of JSON; NULL: for people only. `title`: a line above it, behind an empty one; "":
 * the empty line alone; NULL: none. Where it has no rows, neither is shown. With SL_FORM_OBJECT its only row is an
 * object in JSON. NULL where no form of it is wanted: cells of no table cost nothing. */
sl_table *sl_document_table(sl_document *document, const char *name, const char *title, unsigned forms,
                            const sl_column *columns, size_t count);
/* The same for a table that was made elsewhere; the document owns it from now on. */
sl_table *sl_document_add(sl_document *document, const char *name, const char *title, unsigned forms, sl_table *table);

const sl_report_info *sl_document_info(const sl_document *document);
/* Memory that lives as long as the document, zeroed; NULL where there is none, which is remembered. */
void *sl_document_alloc(sl_document *document, size_t bytes);
/* Remembers that memory ran out. */
void sl_document_fail(sl_document *document);

/* Whether it has anything in a form: text, JSON, CSV, or the CSV of memory instructions. */
bool sl_document_has(const sl_document *document, unsigned form);
/* Writes it in one form. `width`: of a terminal; 0: none. */
sl_status sl_document_write(const sl_document *document, unsigned form, FILE *file, size_t width, sl_error *error);

#endif
