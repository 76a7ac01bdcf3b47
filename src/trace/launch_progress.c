/* SPDX-License-Identifier: MIT */
#include "trace/launch_progress.h"

#include <inttypes.h>

#include "trace/file.h"

enum { LAUNCH_BYTES = 2000 }; /* what a launch costs besides its accesses */

uint64_t sl_launch_work(const sl_trace *trace, uint32_t launch)
{
    const sl_launch_entry *entry = &trace->launches.items[launch];
    uint64_t bytes = LAUNCH_BYTES;
    for (size_t i = 0; i < entry->chunks; i++)
        bytes += entry->chunk[i].raw_bytes;
    return bytes;
}

static uint64_t work_of(const sl_launch_progress *p, uint32_t n)
{
    uint64_t work = sl_launch_work(p->trace, p->launch[n]);
    return p->wanted && !p->wanted[n] ? work / SL_LAUNCH_READ_SHARE : work;
}

/* A launch reports itself. */
static void update(void *context, const char *what, uint64_t done, uint64_t total)
{
    const sl_launch_progress *p = context;
    double share = total ? (double)done / (double)total : 0;
    if (!done && !total)
        sl_progress_update(p->to, what, 0, 0);
    else
        sl_progress_update(p->to, "", p->done + (uint64_t)(share * (double)p->now), p->all + 1);
}

void sl_launch_progress_init(sl_launch_progress *p, const sl_progress *to, const char *verb, const sl_trace *trace,
                             const uint32_t *launch, uint32_t launches, const bool *wanted)
{
    *p = (sl_launch_progress){.progress = {update, p},
                              .to = to,
                              .trace = trace,
                              .launch = launch,
                              .launches = launches,
                              .wanted = wanted,
                              .verb = verb};
    for (uint32_t n = 0; to && n < launches; n++)
        p->all += work_of(p, n);
}

void sl_launch_progress_begin(sl_launch_progress *p, uint32_t n)
{
    if (!p->to)
        return;
    for (; p->next <= n; p->next++) {
        p->done += p->now;
        p->now = work_of(p, p->next);
    }
    if (p->wanted && !p->wanted[n])
        return;
    const sl_trace_kernel *kernel = sl_trace_kernel_at(p->trace, sl_trace_launch_at(p->trace, p->launch[n])->kernel);
    sl_progress_phase(p->to, "%s launch %" PRIu32 " of %" PRIu32 "%s%s", p->verb, n + 1, p->launches,
                      kernel ? ", " : "", kernel ? kernel->name : "");
    update(p, "", 0, 1);
}

void sl_launch_progress_end(const sl_launch_progress *p)
{
    sl_progress_update(p->to, "", 1, 1);
}
