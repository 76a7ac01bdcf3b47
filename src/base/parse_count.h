/* SPDX-License-Identifier: MIT */
/* Counts and sizes as people type them. */
#ifndef SL_BASE_PARSE_COUNT_H
#define SL_BASE_PARSE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* "12", "64K", "1.5G": suffixes K, M, G and T are powers of `unit`, 1000 or 1024. False when it is not a number or too
 * large. */
bool sl_parse_count(const char *text, uint64_t unit, uint64_t *value);

#endif
