/* SPDX-License-Identifier: MIT */
/* What the benchmarks share: time, and lines that say what was measured, against what, and whether a goal was met. */
#ifndef SL_BENCH_BENCH_H
#define SL_BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static inline double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The shortest of the runs that fit into `budget` seconds, at least three: what disturbs a run only makes it longer. */
static inline double bench_best(void (*run)(void *context), void *context, double budget)
{
    double best = 1e300, start = bench_seconds();
    for (int i = 0; i < 3 || bench_seconds() - start < budget; i++) {
        double before = bench_seconds();
        run(context);
        double took = bench_seconds() - before;
        best = took < best ? took : best;
    }
    return best;
}

/* One measured value. */
static inline void bench_value(const char *what, double value, const char *unit)
{
    printf("  %-56s %10.4g %s\n", what, value, unit);
}

/* One measured value with a goal; returns 1 when it is missed, so that the sum is the number of misses. */
static inline int bench_goal(const char *what, double value, const char *unit, bool at_least, double goal)
{
    bool met = at_least ? value >= goal : value <= goal;
    printf("  %-56s %10.4g %s, goal %s %.4g: %s\n", what, value, unit, at_least ? "at least" : "at most", goal,
           met ? "met" : "MISSED");
    return !met;
}

#endif
