/* SPDX-License-Identifier: MIT */
/* One self-contained HTML page about a run: counters, model, reuse, comparisons of cache sizes and policies, and
 * hardware counters next to the model. Any of these may be missing.
 *
 * Tables are in the HTML; charts and sorting are added by the script of the page, from one JSON object: the document
 * that sl_document_page makes (without the list of launches, where there are many). Nothing is fetched from anywhere.
 */
#ifndef SL_REPORT_PAGE_H
#define SL_REPORT_PAGE_H

#include "machine/machine.h"
#include "report/results.h"
#include "study/joined.h"

/* What is NULL is not known, and left out. All of it is borrowed and must outlive the page. */
typedef struct sl_page_input {
    const char *subject; /* title of the page: "spmv rows=500", "app.slt" */
    const char *note;    /* a line under the overview */
    sl_report_info info;
    sl_joined_input results;
    const sl_sweep *sizes, *policies; /* of the model */
    const sl_sweep *simulated;        /* L1 policies in the simulator; the baseline first */
    const sl_validation *validation;
    const sl_machine *machine; /* that cycles are of */
} sl_page_input;

typedef struct sl_page sl_page;

sl_status sl_page_create(const sl_page_input *input, sl_page **page, sl_error *error);
void sl_page_destroy(sl_page *page); /* NULL is fine */

sl_status sl_page_html(FILE *file, const sl_page *page, sl_error *error);
/* The data of the page, for programs: in CSV a row per kernel, or per memory instruction of each kernel. `launches`:
 * with the list of launches. */
void sl_document_page(sl_document *document, const sl_page *page, bool launches);

/* What each source line of each kernel did, in the format of callgrind: for KCachegrind and callgrind_annotate. Kernels
 * are functions, counters are events. Counts of a kernel that belong to no line (instructions, say) are at its line 0,
 * so that the sums are right. */
sl_status sl_page_callgrind(FILE *file, const sl_page *page, sl_error *error);

/* Whether cycles are known of any kernel, and a roofline of them as a picture of its own; an error where none are. */
bool sl_page_has_roofline(const sl_page *page);
sl_status sl_page_roofline(FILE *file, const sl_page *page, sl_error *error);

/* The sources of its kernels with what the memory instructions of each line do, and what was found there: for a
 * terminal of `width` columns (0: any), with styles (base/text.h). */
sl_status sl_page_annotate(FILE *file, const sl_page *page, size_t width, sl_error *error);

#endif
