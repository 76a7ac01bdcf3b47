/* SPDX-License-Identifier: MIT */
/* The table of commands. */
#include "cli/command.h"

#include <stdlib.h>

#define X(name) extern const sl_command sl_cmd_##name;
#include "cli/commands.def"
#undef X

#define X(name) &sl_cmd_##name,
const sl_command *const sl_commands[] = {
#include "cli/commands.def"
};
#undef X

const size_t sl_command_count = sizeof sl_commands / sizeof *sl_commands;

int sl_cli_unknown_command(const sl_invocation *inv, const char *name)
{
    const char **names = calloc(sl_command_count, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; names && i < sl_command_count; i++)
        names[count++] = sl_commands[i]->name;
    char hint[128];
    sl_did_you_mean(name, names, count, "", hint, sizeof hint);
    free(names);
    return sl_cli_usage(inv, "unknown command '%s'%s", name, hint);
}
