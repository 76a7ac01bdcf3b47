/* SPDX-License-Identifier: MIT */
/* Findings in documents, and as notes for editors. */
#ifndef SL_REPORT_FINDINGS_H
#define SL_REPORT_FINDINGS_H

#include "findings/findings.h"
#include "report/document.h"

/* Those of the document's info, where something was looked for: for programs, and, a few lines for each, for people. */
void sl_document_findings(sl_document *document);
void sl_document_findings_text(sl_document *document);

/* For other tools. What their paths are: */
typedef struct sl_findings_files {
    const char *ptx;  /* the file that PTX lines are of; NULL: unknown */
    const char *root; /* the folder that paths are relative to where they lie below it; NULL: none */
} sl_findings_files;

/* "spmv.cu:11:1: note: ..." for editors and CI. */
void sl_findings_notes(FILE *file, const sl_findings *findings, const sl_findings_files *files);
/* SARIF 2.1.0 for services that show findings in pull requests. `findings` NULL: there are none. */
sl_status sl_findings_sarif(FILE *file, const sl_findings *findings, const sl_findings_files *files, sl_error *error);

typedef struct sl_finding_line {
    const char *path; /* NULL: unknown */
    uint32_t line;
} sl_finding_line;
/* The line of an instruction in the source, or in PTX. */
sl_finding_line sl_finding_line_of(const sl_inst_name *inst, const char *ptx);
/* "15.0 M sectors, about 61% of the time". Returns `buffer`. */
char *sl_finding_cost(const sl_finding *finding, char *buffer, size_t size);

#endif
