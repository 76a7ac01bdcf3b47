/* SPDX-License-Identifier: MIT */
/* Names of a kernel's parameters in its source. */
#ifndef SL_FINDINGS_PARAMETER_NAMES_H
#define SL_FINDINGS_PARAMETER_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* The name of parameter `number` (from 0) of the `kernel` that has a line of a source text: the last one of that name,
 * behind "__global__", that begins at or before the line, or the only one. Template arguments of the name are left out.
 * Returns `buffer`, "" where it is not found. */
const char *sl_parameter_name(const char *text, uint32_t line, const char *kernel, uint32_t number, char *buffer,
                              size_t size);

#endif
