/* SPDX-License-Identifier: MIT */
/* Applies the rules of rules.def to kernels. */
#ifndef SL_FINDINGS_RULES_H
#define SL_FINDINGS_RULES_H

#include "findings/findings.h"
#include "findings/kernel_facts.h"

typedef struct sl_finding_limits {
#define SL_FINDING_LIMIT(id, value, what) double id;
#include "findings/rules.def"
} sl_finding_limits;
extern const sl_finding_limits sl_finding_limit;

typedef struct sl_rule_run {
    const sl_fact_list *facts;
    sl_findings *findings; /* receives them, unsorted and whatever their share */
    /* of the rule at work */
    const sl_rule *rule;
    const sl_kernel_facts *kernel;
    bool failed; /* memory ran out */
} sl_rule_run;

/* False when memory runs out. */
bool sl_rules_apply(sl_rule_run *run);

/* What findings cost: the estimated time of the launches less that with the cause taken away. */

/* Replaces the shares and cycles of those findings whose rule has a what-if (trace/what_if.def): the cost of a rule in
 * a kernel is estimated again without the cause, and its locations have parts of it as large as their shares of work
 * were. The others keep theirs. A what-if is a run of the model: those of rules that cost less than MIN_SHARE are left
 * out.
 */
sl_status sl_findings_estimate(const sl_findings_input *input, sl_findings *findings, sl_error *error);

/* The simulator's word on the largest findings: simulated_share of the first of a rule in a kernel. */
sl_status sl_findings_confirm(const sl_findings_input *input, sl_findings *findings, sl_error *error);

/* Lists kernels with at least a tenth of the estimated time that have no finding. */
sl_status sl_findings_add_quiet(const sl_findings_input *input, sl_findings *findings, sl_error *error);

#endif
