/* SPDX-License-Identifier: MIT */
/* --kernel, wherever it is given: a POSIX extended regular expression that a kernel matches by its symbol or by its
 * name, which is the symbol demangled. */
#ifndef SL_TRACE_KERNEL_FILTER_H
#define SL_TRACE_KERNEL_FILTER_H

#include <regex.h>
#include <stdbool.h>

#include "sluice/error.h"

typedef struct sl_kernel_filter {
    bool filters; /* false: every kernel matches; zeros are such a filter */
    regex_t regex;
} sl_kernel_filter;

/* `regex` NULL or "": every kernel matches. On failure there is nothing to finish. */
sl_status sl_kernel_filter_init(sl_kernel_filter *filter, const char *regex, sl_error *error);
void sl_kernel_filter_fini(sl_kernel_filter *filter);
/* `name` NULL: it is made of the symbol. */
bool sl_kernel_matches(const sl_kernel_filter *filter, const char *symbol, const char *name);

#endif
