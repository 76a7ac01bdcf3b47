/* SPDX-License-Identifier: MIT */
#include "machine/level_policies.h"

#include <string.h>

#include "policy/policy.h"

static sl_status copy(char to[SL_MACHINE_POLICY], const char *from, size_t bytes, sl_error *error)
{
    if (bytes >= SL_MACHINE_POLICY)
        return sl_fail(error, SL_INVALID, "'%.60s…' is too long for a policy and its parameters", from);
    memset(to, 0, SL_MACHINE_POLICY);
    memcpy(to, from, bytes);
    return SL_OK;
}

sl_status sl_level_set_policies(sl_machine *machine, uint32_t number, const char *text, sl_error *error)
{
    sl_level *level = &machine->level[number];
    sl_policy_pair pair;
    sl_policy_choice first;
    sl_status status = sl_policies_parse(machine->policies, text, &pair, error);
    if (status)
        return status;
    const char *plus = strchr(text, '+');
    size_t bytes = plus ? (size_t)(plus - text) : strlen(text);
    char part[SL_MACHINE_POLICY];
    status = copy(part, text, bytes, error);
    if (!status)
        status = sl_policy_parse_among(machine->policies, part, &first, error);
    if (status)
        return status;
    bool replaces = pair.replacement.ops == first.ops;
    level->bypass[0] = 0;
    memcpy(replaces ? level->replacement : level->bypass, part, sizeof part);
    if (plus)
        status = copy(replaces ? level->bypass : level->replacement, plus + 1, strlen(plus + 1), error);
    return status ? status : sl_machine_check(machine, error);
}
