/* SPDX-License-Identifier: MIT */
/* Reports progress, and shows it in one line of a terminal. */
#ifndef SL_BASE_PROGRESS_H
#define SL_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "sluice/progress.h"

/* `progress` may be NULL. */
static inline void sl_progress_update(const sl_progress *progress, const char *what, uint64_t done, uint64_t total)
{
    if (progress && progress->update)
        progress->update(progress->context, what, done, total);
}

/* A phase begins: "recording". */
__attribute__((format(printf, 2, 3))) void sl_progress_phase(const sl_progress *progress, const char *format, ...);

/* A line that is redrawn a few times a second and cleared at the end of what it shows. Work of known size is shown with
 * an estimate of the remaining time: "kernel spmv: 37% of 4096 blocks, about 3 min left"; a share of work without a
 * name, "", may last for several phases: "simulating launch 3 of 900, spmv: 1%, about 3 min left". */
typedef struct sl_progress_line {
    FILE *file;       /* NULL: nothing is shown */
    bool drawn;       /* the line is visible */
    uint64_t last_ns; /* when it was last drawn */
    uint64_t start_ns;
    char phase[160], what[64]; /* the work that is shown, since when, and how far it was then */
    uint64_t what_ns, what_done, last_done, last_total;
} sl_progress_line;

/* `file` NULL, or no terminal: nothing is shown. */
sl_progress sl_progress_line_init(sl_progress_line *line, FILE *file);
/* Clears the line, so that other output starts at the left. Harmless when nothing is drawn. */
void sl_progress_line_clear(sl_progress_line *line);

#endif
