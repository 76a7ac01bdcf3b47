/* SPDX-License-Identifier: MIT */
/* Progress over launches, which may be thousands and of very different length: what each reports of itself becomes a
 * share of the work of all, from which the remaining time follows. The work of a launch is taken to be proportional to
 * what the trace has of it. */
#ifndef SL_TRACE_LAUNCH_PROGRESS_H
#define SL_TRACE_LAUNCH_PROGRESS_H

#include "base/progress.h"
#include "sluice/trace.h"

typedef struct sl_launch_progress {
    sl_progress progress;  /* for what works on a launch */
    const sl_progress *to; /* NULL: nobody looks */
    const sl_trace *trace;
    const uint32_t *launch; /* [launches] */
    uint32_t launches, next;
    const bool *wanted; /* [launches]; of others only the lines are read. NULL: all */
    const char *verb;   /* "simulating" */
    uint64_t done, now, all;
} sl_launch_progress;

/* The work of a launch, in bytes of its trace: of number `launch` of the trace. */
uint64_t sl_launch_work(const sl_trace *trace, uint32_t launch);
/* What is left of it where only the lines are read, to keep L2 warm. */
enum { SL_LAUNCH_READ_SHARE = 10 };

/* `p` must stay where it is; what it points to must stay, too. */
void sl_launch_progress_init(sl_launch_progress *p, const sl_progress *to, const char *verb, const sl_trace *trace,
                             const uint32_t *launch, uint32_t launches, const bool *wanted);
/* Launch `n` begins; those before have ended. */
void sl_launch_progress_begin(sl_launch_progress *p, uint32_t n);
/* All have ended. */
void sl_launch_progress_end(const sl_launch_progress *p);

#endif
