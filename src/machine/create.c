/* SPDX-License-Identifier: MIT */
/* Machines for users of the library: on the heap, with fields accessed by name. */
#include <stdlib.h>

#include "machine/machine.h"
#include "policy/policy.h"

sl_status sl_machine_create(const char *name, const char *const *settings, size_t count, const sl_policy_list *policies,
                            sl_machine **machine, sl_error *error)
{
    sl_machine *made = malloc(sizeof *made);
    sl_status status = made ? sl_policy_list_check(policies, error) : sl_fail_memory(error);
    if (!status)
        status = sl_machine_load_among(name, settings, count, policies, made, error);
    if (status) {
        free(made);
        made = NULL;
    }
    *machine = made;
    return status;
}

void sl_machine_destroy(sl_machine *machine)
{
    free(machine);
}

const char *sl_machine_name(const sl_machine *machine)
{
    return machine->name;
}

uint32_t sl_machine_levels(const sl_machine *machine)
{
    return machine->levels;
}

const char *sl_machine_level_name(const sl_machine *machine, uint32_t level)
{
    return machine->level[level].name;
}
