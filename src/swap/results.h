/* SPDX-License-Identifier: MIT */
/* What the interposer tells `sluice run --plan` about a program: a text file, one fact per line.
 *
 *   applied LOADS                      a fat binary was exchanged; that many loads bypass
 *   refused REASON                     the plan could not be applied
 *   texts COUNT                        PTX texts that were looked at
 *   kernel LAUNCHES NANOSECONDS LONGEST NANOSECONDS NAME
 *                                      time of all launches of a kernel; which of them took longest, and its time
 *   left REASON                        a kernel that was not tuned, and why
 *   untimed LAUNCHES                   launches inside of graphs, or whose events failed
 *   copies COUNT BYTES HASH            copies to the host, all in order
 *
 * Both sides use this module. */
#ifndef SL_SWAP_RESULTS_H
#define SL_SWAP_RESULTS_H

#include <stdio.h>

#include "base/arena.h"
#include "base/array.h"

#define SL_SWAP_PLAN_VARIABLE    "SLUICE_SWAP_PLAN"
#define SL_SWAP_RESULTS_VARIABLE "SLUICE_SWAP_RESULTS"

typedef struct sl_swap_kernel {
    char *name;
    uint64_t launches;
    double ns;
    uint64_t longest; /* of these launches, counted from 0 */
    double longest_ns;
} sl_swap_kernel;

typedef struct sl_swap_results {
    uint64_t applied, texts; /* loads that bypass; PTX texts seen */
    char *refused;           /* NULL: no */
    SL_ARRAY(char *) left;   /* "KERNEL: REASON" */
    SL_ARRAY(sl_swap_kernel) kernels;
    uint64_t untimed; /* launches that are in none of them */
    uint64_t copies, bytes, hash;
} sl_swap_results;

void sl_swap_results_fini(sl_swap_results *results);
/* Adds a launch of a kernel; false when memory runs out. */
bool sl_swap_results_launch(sl_swap_results *results, const char *kernel, double ns);
/* Notes a kernel that could not be tuned. */
void sl_swap_results_left(sl_swap_results *results, const char *kernel, const char *reason);
/* Adds bytes that came to the host. */
void sl_swap_results_copy(sl_swap_results *results, const void *data, size_t bytes);
bool sl_swap_results_write(const sl_swap_results *results, const char *path);
sl_status sl_swap_results_read(const char *path, sl_swap_results *results, sl_error *error);

#endif
