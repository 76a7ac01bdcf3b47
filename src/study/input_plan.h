/* SPDX-License-Identifier: MIT */
/* The bypass plan of an input: sluice sim spmv --plan spmv.json. */
#ifndef SL_STUDY_INPUT_PLAN_H
#define SL_STUDY_INPUT_PLAN_H

#include "bypass/plan.h"
#include "machine/machine.h"
#include "study/recording.h"

/* Reads a plan and checks that it belongs to the code of the input, or, where that is a trace or a program, to the PTX
 * file `code` (NULL or "": none was named) that it was recorded from. On failure there is nothing to free. */
sl_status sl_input_plan(const sl_input *input, const char *path, const char *code, sl_plan *plan, sl_error *error);

/* The bypass masks of each launch of the recording, as sl_sim_launch takes them, in the arena. */
sl_status sl_plan_launches(const sl_plan *plan, const sl_recording *recording, const sl_machine *machine,
                           sl_arena *arena, const uint8_t *const **masks, sl_error *error);

#endif
