/* SPDX-License-Identifier: MIT */
/* A sweep as a job array of Slurm: each task runs a part of the points into a separate database, and a final job
 * merges these. */
#ifndef SL_STUDY_SLURM_H
#define SL_STUDY_SLURM_H

#include <stdint.h>

#include "sluice/error.h"

typedef struct sl_slurm_job {
    const char *spec, *database; /* as they were given; the tasks start in the current folder */
    const char *cache;           /* NULL: the default */
    uint64_t tasks;
    char *const *environment; /* of sbatch */
} sl_slurm_job;

/* Writes NAME.sbatch and NAME-merge.sbatch next to the database and submits them; `id` gets the number of the
 * array. Without sbatch the scripts stay, and the error says so. */
sl_status sl_slurm_submit(const sl_slurm_job *job, char id[64], sl_error *error);

#endif
