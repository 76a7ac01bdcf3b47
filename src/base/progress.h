/* SPDX-License-Identifier: MIT */
/* Reports progress. */
#ifndef SL_BASE_PROGRESS_H
#define SL_BASE_PROGRESS_H

#include "sluice/progress.h"

/* `progress` may be NULL. */
static inline void sl_progress_update(const sl_progress *progress, const char *what, uint64_t done, uint64_t total)
{
    if (progress && progress->update)
        progress->update(progress->context, what, done, total);
}

#endif
