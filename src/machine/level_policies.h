/* SPDX-License-Identifier: MIT */
/* Policies of a level in one text, as people write them: "decoupled(threshold=2)+srrip". */
#ifndef SL_MACHINE_LEVEL_POLICIES_H
#define SL_MACHINE_LEVEL_POLICIES_H

#include "machine/machine.h"

/* Gives a level of the machine the policies of the text (see sl_policies_parse); a role that it does not name keeps its
 * policy where it replaces, and has none where it bypasses. */
sl_status sl_level_set_policies(sl_machine *machine, uint32_t level, const char *text, sl_error *error);

#endif
