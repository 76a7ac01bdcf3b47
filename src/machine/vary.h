/* SPDX-License-Identifier: MIT */
/* Machines that differ from others: variants, settings, and the first levels of a sweep.
 *
 * What belongs together stays together, where it was not changed itself:
 * - sets follow from size, ways and line; lines without sectors stay so; a hash of address bits moves with the line,
 * and is cut or continued by plain bits for fewer or more sets
 * - an L1 that is given a size has it in all launches, whatever shared memory they need; where the unified part is
 * given another size, L1 gets what is left, and carve-outs that do not fit are dropped
 * - with fewer cores there is no smaller GPC than all of them, instances belong to fewer cores, and fewer requests
 * coalesce
 * - threads of a core follow its warps, limits per warp its MSHRs */
#ifndef SL_MACHINE_VARY_H
#define SL_MACHINE_VARY_H

#include "machine/machine.h"

#define SL_MSHRS_AS_THEY_ARE UINT32_MAX

typedef struct sl_first_level {
    uint64_t size_bytes;       /* 0: as it is */
    uint32_t ways, line_bytes; /* 0: as they are */
    uint32_t mshrs;            /* 0: any number; SL_MSHRS_AS_THEY_ARE */
} sl_first_level;

/* Lets what was not changed follow what was. Machines with and without derived values are fine. */
void sl_machine_adapt(sl_machine *machine, const sl_machine *before);

/* Changes the first level of a machine that was loaded. Errors as those of sl_machine_check. */
sl_status sl_machine_vary(sl_machine *machine, const sl_first_level *change, sl_error *error);

/* Gives a level of the machine the policies of a text as people write them, "decoupled(threshold=2)+srrip" (see
 * sl_policies_parse); a role that it does not name keeps its policy where it replaces, and has none where it bypasses.
 */
sl_status sl_level_set_policies(sl_machine *machine, uint32_t level, const char *text, sl_error *error);

#endif
