/* SPDX-License-Identifier: MIT */
/* Applies the rules of rules.def to kernels. */
#ifndef SL_REPORT_RULES_H
#define SL_REPORT_RULES_H

#include "report/kernel_facts.h"

typedef struct sl_finding_limits {
#define SL_FINDING_LIMIT(id, value, what) double id;
#include "report/rules.def"
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

#endif
