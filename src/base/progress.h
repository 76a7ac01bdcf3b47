/* How long work tells how far it is. The library calls; who listens decides whether anything is shown. */
#ifndef SL_BASE_PROGRESS_H
#define SL_BASE_PROGRESS_H

#include <stdint.h>

typedef struct sl_progress {
    /* `done` of `total` units (total 0: unknown) of the work named `what` ("launches", "blocks"). Called often: must be
     * cheap. Called by one thread at a time. */
    void (*update)(void *context, const char *what, uint64_t done, uint64_t total);
    void *context;
} sl_progress;

/* `progress` may be NULL. */
static inline void sl_progress_update(const sl_progress *progress, const char *what, uint64_t done, uint64_t total)
{
    if (progress && progress->update)
        progress->update(progress->context, what, done, total);
}

#endif
