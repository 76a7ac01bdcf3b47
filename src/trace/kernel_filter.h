/* SPDX-License-Identifier: MIT */
/* --kernel and --launch, wherever they are given: a POSIX extended regular expression that a kernel matches by its
 * symbol or by its name, which is the symbol demangled; and launches by their index in the whole run. */
#ifndef SL_TRACE_KERNEL_FILTER_H
#define SL_TRACE_KERNEL_FILTER_H

#include <regex.h>
#include <stdbool.h>

#include "trace/sink.h"

typedef struct sl_kernel_filter {
    bool filters; /* false: every kernel matches; zeros are such a filter */
    regex_t regex;
} sl_kernel_filter;

/* `regex` NULL or "": every kernel matches. On failure there is nothing to finish. */
sl_status sl_kernel_filter_init(sl_kernel_filter *filter, const char *regex, sl_error *error);
void sl_kernel_filter_fini(sl_kernel_filter *filter);
/* `name` NULL: it is made of the symbol. */
bool sl_kernel_matches(const sl_kernel_filter *filter, const char *symbol, const char *name);

/* "3,17,100-120": launches and ranges of them; "0-999/10", "/10": every tenth of a range, or of all. */
enum { SL_LAUNCH_RANGES = 128 };
typedef struct sl_launch_set {
    size_t ranges; /* 0: all launches; zeros are such a set */
    struct {
        uint64_t first, last, step;
    } range[SL_LAUNCH_RANGES];
} sl_launch_set;

/* `text` NULL or "": all launches. */
sl_status sl_launch_set_parse(const char *text, sl_launch_set *set, sl_error *error);
bool sl_launch_set_has(const sl_launch_set *set, uint64_t index);

enum { SL_KERNEL_LIST = 600 };
/* Adds a kernel's name to a list for a message, once. */
void sl_kernel_list_add(char list[SL_KERNEL_LIST], const char *name);
/* The error where launches were seen, of the kernels in the list, and none of them matches the filter. */
sl_status sl_filter_unmatched(const sl_trace_filter *filter, const char *kernels, sl_error *error);

#endif
