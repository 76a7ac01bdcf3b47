/* SPDX-License-Identifier: MIT */
/* Progress of long work. The library calls; the callback decides whether anything is shown. */
#ifndef SLUICE_PROGRESS_H
#define SLUICE_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sl_progress {
    /* `done` of `total` units (total 0: unknown) of the work named `what` ("launches", "blocks"). With both 0, a phase
     * begins that is named `what` ("simulating launch 3 of 12, spmv"). The text is gone afterwards. Called often: must
     * be cheap. Called by one thread at a time. */
    void (*update)(void *context, const char *what, uint64_t done, uint64_t total);
    void *context;
} sl_progress;

#ifdef __cplusplus
}
#endif

#endif
