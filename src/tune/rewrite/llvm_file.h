/* SPDX-License-Identifier: MIT */
/* A file of LLVM IR: FILE.ll or FILE.bc. LLVM's back ends run in a child (isolate.c). */
#ifndef SL_TUNE_REWRITE_LLVM_FILE_H
#define SL_TUNE_REWRITE_LLVM_FILE_H

#include <stddef.h>

#include "sluice/error.h"
#include "tune/plan.h"
#include "tune/rewrite/llvm.h"

typedef struct sl_llvm_file {
    sl_llvm *llvm;
    sl_llvm_code *code;
} sl_llvm_file;

/* By the name. */
bool sl_llvm_file_is(const char *path);
/* `wanted`: as sl_llvm_open takes it. On failure there is nothing to close. */
sl_status sl_llvm_file_open(sl_llvm_file *file, const char *path, const char *wanted, const sl_llvm_options *options,
                            sl_error *error);
void sl_llvm_file_close(sl_llvm_file *file);

/* sl_llvm_emit_ptx and sl_llvm_check_code. *text is malloc'ed and terminated. */
sl_status sl_llvm_file_ptx(const sl_llvm_file *file, bool numbered, char **text, size_t *length, sl_error *error);
sl_status sl_llvm_file_check(const sl_llvm_file *file, sl_llvm_check *check, sl_error *error);

/* Opens what a plan is for: the code as it lies there, or what -O2 makes of it; where neither is, the first. `cpu` as
 * in sl_llvm_options. */
sl_status sl_llvm_file_open_planned(sl_llvm_file *file, const char *path, const char *wanted, const char *cpu,
                                    const sl_plan *plan, sl_error *error);
/* Checks that the plan is for this code, and marks its loads; mode[loads] gets what each has. */
sl_status sl_llvm_file_apply(const sl_llvm_file *file, const sl_plan *plan, const char *path, uint8_t *mode,
                             sl_error *error);

/* Runs work that may end the process in a child: LLVM's back ends exit on code that they cannot compile. */

/* Sets *data to malloc'ed bytes; its other side effects are lost with the child. */
typedef sl_status (*sl_isolated_work)(void *context, char **data, size_t *bytes, sl_error *error);

/* As if `work` were called here. Where it does not return, SL_UNSUPPORTED with `what` ("LLVM") and its last output. */
sl_status sl_isolate(const char *what, sl_isolated_work work, void *context, char **data, size_t *bytes,
                     sl_error *error);

#endif
