/* SPDX-License-Identifier: MIT */
/* sluice apply for LLVM IR. */
#ifndef SL_CLI_APPLY_LLVM_H
#define SL_CLI_APPLY_LLVM_H

#include "cli/command.h"
#include "tune/plan.h"

typedef struct sl_apply_llvm_options {
    const char *llvm; /* version or library; NULL: the newest */
    const char *cpu;  /* for functions without "target-cpu"; NULL: gfx1030 */
} sl_apply_llvm_options;

/* Writes the annotated module (bitcode if the output is FILE.bc), compiles it, and reports which loads have the cache
 * bits of the plan. */
sl_status sl_apply_llvm(const sl_invocation *inv, const sl_plan *plan, const char *path,
                        const sl_apply_llvm_options *options, sl_error *error);

#endif
