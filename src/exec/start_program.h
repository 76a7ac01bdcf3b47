/* SPDX-License-Identifier: MIT */
/* CUDA programs as inputs: started with the library of src/cudart in front, which records the launches. */
#ifndef SL_LAUNCH_START_PROGRAM_H
#define SL_LAUNCH_START_PROGRAM_H

#include "recording/recording.h"

/* For sl_record_options.start_program, which needs a scratch folder; `context` is a bool: no warnings of the program's
 * launches. */
sl_program_starter sl_program_start;

#endif
