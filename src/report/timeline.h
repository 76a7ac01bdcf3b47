/* SPDX-License-Identifier: MIT */
/* What the parts of a simulated machine do in some cycles, as a trace that Perfetto shows: what
 * each scheduler of a core does, lines in flight in each first level, requests before the banks of the others, commands
 * of DRAM. A cycle is a microsecond there. Launches follow each other; cycles are counted over all of them. */
#ifndef SL_REPORT_TIMELINE_H
#define SL_REPORT_TIMELINE_H

#include <stdio.h>

#include "sim/sim.h"

typedef struct sl_timeline sl_timeline;

/* Writes cycles first … last as they come. The file stays the caller's. NULL when memory runs out. */
sl_timeline *sl_timeline_create(FILE *file, uint64_t first, uint64_t last);
/* Given to the simulator; lives as long as the timeline. */
const sl_sim_observer *sl_timeline_observer(const sl_timeline *timeline);
/* Whether nothing happened in the window; then gives the first cycle in which something did, and the last one. */
bool sl_timeline_is_empty(const sl_timeline *timeline, uint64_t *first, uint64_t *last);
/* Ends the file. SL_IO when anything could not be written. */
sl_status sl_timeline_finish(sl_timeline *timeline, sl_error *error);
void sl_timeline_destroy(sl_timeline *timeline); /* NULL is fine */

#endif
