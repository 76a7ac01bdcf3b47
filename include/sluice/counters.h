/* SPDX-License-Identifier: MIT */
/* Counters: what is known of a launch in numbers, under the names that `sluice model --json` uses. Where a profiler of
 * GPUs counts the same, its name is there too. Programs ask by name: new versions add counters. */
#ifndef SLUICE_COUNTERS_H
#define SLUICE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sl_counter_info {
    const char *name, *unit, *meaning;
    const char *metric; /* of Nsight Compute; empty: none counts the same */
} sl_counter_info;

/* All counters there are: 0 … sl_counter_count() - 1. */
SL_API size_t sl_counter_count(void);
SL_API const sl_counter_info *sl_counter_at(size_t index);

/* Values, of which some are known and others are not. */
typedef struct sl_counts sl_counts;

/* The value of a counter ("ld_sectors"). SL_NOT_FOUND with the nearest name where there is no such counter;
 * SL_UNSUPPORTED where its value is not known, and *value is 0 then. */
SL_API sl_status sl_counts_value(const sl_counts *counts, const char *name, uint64_t *value, sl_error *error);

#ifdef __cplusplus
}
#endif

#endif
