/* SPDX-License-Identifier: MIT */
/* Kernels of a subject timed on a simulated machine: its launches are recorded by the emulator, and of each kernel the
 * one that executes most is simulated. */
#ifndef SL_CLI_TUNE_SIM_H
#define SL_CLI_TUNE_SIM_H

#include "cli/tune_gpu.h"
#include "machine/machine.h"

typedef struct sl_sim_tour {
    const sl_subject *subject;
    const sl_machine *machine;
    const char *kernel_regex; /* NULL: all kernels */
    uint64_t blocks;          /* of each launch, the first ones; 0: all */
    unsigned threads;         /* 0: all cores */
    bool cold;
    sl_status (*visit)(void *context, const sl_timed_launch *launch, sl_error *error);
    void *context;
} sl_sim_tour;

sl_status sl_sim_visit(const sl_sim_tour *tour, sl_error *error);

#endif
