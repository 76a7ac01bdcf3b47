/* SPDX-License-Identifier: MIT */
/* Launches summed by a label, nested as the program is: a range with what it encloses, then its kernels. */
#ifndef SL_ANALYSIS_LAUNCH_GROUPS_H
#define SL_ANALYSIS_LAUNCH_GROUPS_H

#include "analysis/launch_log.h"
#include "base/array.h"

typedef struct sl_group {
    const char *name; /* of the range, caller or mark, or of a kernel; not terminated */
    size_t name_bytes;
    const char *path; /* the label down to here; NULL: there is none */
    size_t path_bytes;
    const sl_logged_kernel *kernel; /* NULL: a group */
    uint32_t depth;
    uint64_t launches, failed;
    sl_counts counts;           /* with those of all within it */
    uint32_t first, last, next; /* groups within it, and the one behind it; 0: none */
} sl_group;

/* Groups in the order of their first launches, each before those within it. The first stands for all launches. */
typedef struct sl_groups {
    SL_ARRAY(sl_group) list;
    uint32_t *order; /* [list.count - 1]: the others as they are shown */
} sl_groups;

/* Of a grouped log, which must outlive them. False when memory runs out; they have to be freed all the same. */
bool sl_groups_of(const sl_launch_log *log, sl_groups *groups);
void sl_groups_fini(sl_groups *groups);
/* "NVTX range", "caller", "NVTX mark" */
const char *sl_group_heading(sl_label by);

#endif
