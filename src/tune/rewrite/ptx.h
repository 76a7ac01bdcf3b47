/* SPDX-License-Identifier: MIT */
/* Plans written into PTX, as an edit of its text: the chosen loads and stores get their operators
 * (tune/controls.def), or a prefetch in front of them; .version and .target are raised where those need it, and every
 * other byte stays as it was. Settings of kernels are not of the text.
 *
 * LLVM's backend never writes these and sl_ptx_print would lose comments, so that the text is what is edited. */
#ifndef SL_TUNE_REWRITE_PTX_H
#define SL_TUNE_REWRITE_PTX_H

#include "ptx/module.h"
#include "tune/plan.h"

/* The modes of one function's instructions: sl_bypass of each, SL_BYPASS_NONE for all that are not chosen. */
typedef struct sl_ptx_modes {
    const sl_ptx_func *func;
    const uint8_t *mode; /* [func->insts] */
} sl_ptx_modes;

/* `module` was parsed from `text`. Modes must be ones that the loads can take (sl_load.modes). `sm`: what .target is
 * raised to where it is lower and something is edited; 0: it stays. *out is malloc'ed, with a zero behind it. */
sl_status sl_ptx_rewrite(const char *text, size_t length, const sl_ptx_module *module, const sl_ptx_modes *modes,
                         size_t count, uint32_t sm, char **out, size_t *out_length, sl_error *error);

/* The same for a plan: parses `text` (of file `name`), refuses a plan for other code, edits. */
sl_status sl_ptx_apply(const char *text, size_t length, const char *name, const sl_plan *plan, uint32_t sm, char **out,
                       size_t *out_length, sl_error *error);

/* Those of several plans that belong to this text applied to it; *out is NULL where none does, or it does not parse.
 * *changed grows by what they change. */
sl_status sl_ptx_apply_plans(const char *text, size_t length, const char *name, const sl_plan_list *plans, uint32_t sm,
                             char **out, size_t *out_length, uint64_t *changed, sl_error *error);

/* Many choices of modes for one kernel as one text, so that they are compiled and loaded together: a copy of the
 * kernel for each choice under the name that sl_ptx_variant_name gives. The kernel itself, other kernels and debug
 * sections are left out. */
sl_status sl_ptx_variants(const char *text, size_t length, const sl_ptx_module *module, const sl_ptx_func *kernel,
                          const uint8_t *const *choice, size_t choices, uint32_t sm, char **out, size_t *out_length,
                          sl_error *error);
char *sl_ptx_variant_name(const sl_ptx_func *kernel, size_t index, char *buffer, size_t size);

#endif
