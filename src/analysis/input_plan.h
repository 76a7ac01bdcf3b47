/* SPDX-License-Identifier: MIT */
/* The bypass plan of an input: sluice sim spmv --plan spmv.json. */
#ifndef SL_ANALYSIS_INPUT_PLAN_H
#define SL_ANALYSIS_INPUT_PLAN_H

#include "machine/machine.h"
#include "recording/recording.h"
#include "sim/sim.h"
#include "tune/plan.h"

/* Gives a program or trace the PTX that it was recorded from: of a PTX file, of a program, or what a program kept as it
 * ran (sl_record_options.ptx_path). */
sl_status sl_input_find_code(sl_input *input, const char *path, sl_error *error);

/* Identifies the recorded kernels, for plans whose code is not at hand. */
uint64_t sl_recording_hash(const sl_recording *recording);

/* Reads a plan and checks that it belongs to the code of the input, or, where that is not at hand, to the recorded
 * kernels. Plans for several modules are joined. What it has is in the arena. */
sl_status sl_input_plan(const sl_input *input, const char *path, const sl_recording *recording, sl_arena *arena,
                        sl_plan *plan, sl_error *error);

/* The plan of each launch of the recording, in the arena. */
sl_status sl_plan_launches(const sl_plan *plan, const sl_recording *recording, const sl_machine *machine,
                           sl_arena *arena, const sl_sim_plan **plans, sl_error *error);

#endif
