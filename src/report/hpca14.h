/* SPDX-License-Identifier: MIT */
/* The report of a run that mimics the authors' program of the reuse-distance paper. */
#ifndef SL_REPORT_HPCA14_H
#define SL_REPORT_HPCA14_H

#include "model/hpca14.h"
#include "report/document.h"

void sl_document_hpca14(sl_document *document, const sl_hpca14_result *result);

#endif
