/* SPDX-License-Identifier: MIT */
/* Time that passes, whatever the time of day. */
#ifndef SL_BASE_CLOCK_H
#define SL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t sl_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* CPU time of this thread, and of all threads of the process. */
static inline uint64_t sl_cpu_ns(clockid_t clock)
{
    struct timespec spent;
    clock_gettime(clock, &spent);
    return (uint64_t)spent.tv_sec * 1000000000 + (uint64_t)spent.tv_nsec;
}

static inline uint64_t sl_thread_cpu_ns(void)
{
    return sl_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline double sl_now_seconds(void)
{
    return 1e-9 * (double)sl_now_ns();
}

#endif
