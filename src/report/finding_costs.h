/* SPDX-License-Identifier: MIT */
/* What findings cost: the estimated time of the launches less that with the cause taken away. */
#ifndef SL_REPORT_FINDING_COSTS_H
#define SL_REPORT_FINDING_COSTS_H

#include "report/findings.h"

/* Replaces the shares and cycles of those findings whose rule has a what-if (trace/what_if.def): the cost of a rule in
 * a kernel is estimated again without the cause, and its places have parts of it as large as their shares of work were.
 * The others keep theirs. A what-if is a run of the model: those of rules that cost less than MIN_SHARE are left out.
 */
sl_status sl_findings_estimate(const sl_findings_input *input, sl_findings *findings, sl_error *error);

/* Lists kernels with at least a tenth of the estimated time that have no finding. */
sl_status sl_findings_add_quiet(const sl_findings_input *input, sl_findings *findings, sl_error *error);

#endif
