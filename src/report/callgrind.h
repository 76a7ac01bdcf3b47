/* SPDX-License-Identifier: MIT */
/* What each source line of each kernel did, in the format of callgrind: for KCachegrind and callgrind_annotate. Kernels
 * are functions, counters are events. What a kernel counted that no line is to blame for (instructions, say) stands at
 * its line 0, so that the sums are right. */
#ifndef SL_REPORT_CALLGRIND_H
#define SL_REPORT_CALLGRIND_H

#include "report/page.h"

sl_status sl_page_callgrind(FILE *file, const sl_page *page, sl_error *error);

#endif
