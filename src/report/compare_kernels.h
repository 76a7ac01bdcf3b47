/* SPDX-License-Identifier: MIT */
/* Kernels that are on one side of a comparison alone, because they were renamed: who asks for it says which belong
 * together ("old=new"); of the others those whose memory instructions are alike. */
#ifndef SL_REPORT_COMPARE_KERNELS_H
#define SL_REPORT_COMPARE_KERNELS_H

#include "report/compare.h"

/* Joins them: kernels of B alone disappear into those of A. Errors name what `match` names and neither side has. */
sl_status sl_compare_match_kernels(sl_comparison *comparison, const char *const *match, size_t matches,
                                   sl_error *error);

#endif
