/* SPDX-License-Identifier: MIT */
/* Findings in documents, and as notes for editors. */
#ifndef SL_REPORT_FINDINGS_H
#define SL_REPORT_FINDINGS_H

#include "findings/findings.h"
#include "report/document.h"

/* Those of the document's info, where something was looked for: for programs, and, a few lines for each, for people. */
void sl_document_findings(sl_document *document);
void sl_document_findings_text(sl_document *document);
/* "spmv.cu:11:1: note: ..." for editors and CI. `ptx` names the file that PTX lines are of; NULL: unknown. */
void sl_findings_notes(FILE *file, const sl_findings *findings, const char *ptx);

#endif
