/* SPDX-License-Identifier: MIT */
/* Plans written into a fat binary: the PTX that the plan belongs to is edited, and what else the container holds for
 * the same code (machine code, PTX for other architectures) is left out, so that the driver compiles the edited text.
 */
#ifndef SL_REWRITE_FATBIN_H
#define SL_REWRITE_FATBIN_H

#include "bypass/plan.h"

/* `container`: as a program hands it to the CUDA runtime. *out is malloc'ed; NULL when the plan belongs to none of its
 * PTX texts, which is no error. *texts (may be NULL): how many texts it holds. */
sl_status sl_fatbin_apply(const void *container, const sl_plan *plan, uint32_t sm, void **out, size_t *out_bytes,
                          uint32_t *texts, sl_error *error);

#endif
