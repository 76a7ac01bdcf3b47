/* SPDX-License-Identifier: MIT */
/* What modeling costs as the trace grows, as a picture: nanoseconds per load over three decades of loads. */
#ifndef SL_BENCH_GROWTH_PLOT_H
#define SL_BENCH_GROWTH_PLOT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct growth_point {
    double loads, lines; /* N, of threads; M, that are different */
    double nanoseconds;  /* per load */
} growth_point;

/* nanoseconds = constant + slope * log2 M, fitted by least squares. Draws nothing. */
void growth_fit(const growth_point *point, size_t count, double *constant, double *slope);
/* Writes the SVG; false, with a line on standard error, where that fails. */
bool growth_plot(const char *path, const growth_point *point, size_t count);

#endif
