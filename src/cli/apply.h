/* SPDX-License-Identifier: MIT */
/* Parts of `sluice apply`: LLVM IR, and the report on each load as JSON and CSV. */
#ifndef SL_CLI_APPLY_H
#define SL_CLI_APPLY_H

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

/* ---- LLVM IR ---- */

typedef struct sl_apply_llvm_options {
    const char *llvm; /* version or library; NULL: the newest */
    const char *cpu;  /* for functions without "target-cpu"; NULL: gfx1030 */
} sl_apply_llvm_options;

/* Writes the annotated module (bitcode if the output is FILE.bc), compiles it, and reports which loads have the cache
 * bits of the plan. */
sl_status sl_apply_llvm(const sl_invocation *inv, const sl_plan *plan, const char *path,
                        const sl_apply_llvm_options *options, sl_error *error);

#endif
