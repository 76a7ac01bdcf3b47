/* SPDX-License-Identifier: MIT */
/* Machines that differ in their first level: the points of a sweep. */
#ifndef SL_MACHINE_VARY_H
#define SL_MACHINE_VARY_H

#include "machine/machine.h"

#define SL_MSHRS_AS_THEY_ARE UINT32_MAX

typedef struct sl_first_level {
    uint64_t size_bytes;       /* 0: as it is */
    uint32_t ways, line_bytes; /* 0: as they are */
    uint32_t mshrs;            /* 0: any number; SL_MSHRS_AS_THEY_ARE */
} sl_first_level;

/* Changes the first level of a machine that was loaded. What belongs together stays together: sets follow from size,
 * ways and line; lines without sectors stay so; a hash of address bits moves with the line, and is cut or continued by
 * plain bits for fewer or more sets; an L1 that is given a size has it in all launches, whatever shared memory they
 * need. Errors as those of sl_machine_check. */
sl_status sl_machine_vary(sl_machine *machine, const sl_first_level *change, sl_error *error);

#endif
