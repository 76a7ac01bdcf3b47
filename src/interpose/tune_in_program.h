/* SPDX-License-Identifier: MIT */
/* Tunes a launch inside of the program that makes it: on the arguments and the memory it really has. */
#ifndef SL_INTERPOSE_TUNE_IN_PROGRAM_H
#define SL_INTERPOSE_TUNE_IN_PROGRAM_H

#include "interpose/program.h"
#include "tune/job.h"

/* Called before the launch, with the GPU idle. Memory is as it was afterwards. `driver` is the path of NVIDIA's
 * library. A kernel that cannot be tuned is an error, after which the program can continue. */
sl_status sl_tune_in_program(const char *driver, const sl_program_handle *handle, void *module, void *function,
                             const sl_program_launch *launch, const sl_tune_job *job, const sl_tune_job_launch *wanted,
                             sl_error *error);
/* Writes what was chosen so far, as a list of plans. */
sl_status sl_tuned_write(const char *path, sl_error *error);

#endif
