/* SPDX-License-Identifier: MIT */
/* Numbers by name: a result in the form in which it is stored, and in which papers and sweeps ask for it. */
#ifndef SL_ANALYSIS_VALUES_H
#define SL_ANALYSIS_VALUES_H

#include "base/array.h"

enum { SL_VALUE_NAME = 40 };

/* A counter of a result, summed over the launches of the program. */
typedef struct sl_value {
    char name[SL_VALUE_NAME];
    double value; /* counters are whole and exact below 2^53 */
} sl_value;

typedef SL_ARRAY(sl_value) sl_values;

/* False when memory runs out. Adds to a value that is there. */
bool sl_values_add(sl_values *values, const char *name, double amount);
/* Adds a histogram as "gap_0", "gap_1", "gap_2", "gap_4": bins are named after their lower bounds; empty ones beyond
 * the twelfth are left out. */
bool sl_values_add_bins(sl_values *values, const char *what, const uint64_t *bin, unsigned bins,
                        uint64_t (*min)(unsigned));
const double *sl_values_find(const sl_values *values, const char *name); /* NULL: there is none */

#endif
