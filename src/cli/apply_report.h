/* SPDX-License-Identifier: MIT */
/* The report of `sluice apply` on each load, as JSON and CSV. */
#ifndef SL_CLI_APPLY_REPORT_H
#define SL_CLI_APPLY_REPORT_H

#include "cli/command.h"
#include "tune/plan.h"

/* A load of the code that the plan was written into. */
typedef struct sl_applied_load {
    const char *function, *source, *opcode, *array; /* NULL: not known */
    uint32_t inst, line, source_line;
    unsigned mode;
    const char *instruction, *wanted, *got; /* in the assembly, and its cache bits; NULL: not checked */
    const char *trouble;                    /* why it differs from the request; NULL: it does not */
} sl_applied_load;

typedef struct sl_applied {
    const char *plan, *code;
    size_t loads; /* and stores */
    const sl_applied_load *load;
    const sl_plan *settings; /* the plan whose settings the host has to make; NULL: none */
} sl_applied;

/* False, with a message: the report and the code would both go to standard output. */
bool sl_apply_outputs_differ(const sl_invocation *inv);
/* Whether a summary may be printed to standard output. */
bool sl_apply_prints_summary(const sl_invocation *inv);
/* Writes --json and --csv. */
sl_status sl_apply_report(const sl_invocation *inv, const sl_applied *applied, sl_error *error);

#endif
