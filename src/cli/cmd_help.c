/* SPDX-License-Identifier: MIT */
/* sluice help [COMMAND]: what --help shows. */
#include "cli/command.h"
#include "cli/help.h"

static int run(const sl_invocation *inv)
{
    if (!inv->args.operands) {
        sl_help_program(stdout);
        return SL_EXIT_OK;
    }
    const char *name = inv->args.operand[0];
    const sl_command *command = sl_command_find(name);
    if (!command)
        return sl_cli_unknown_command(inv, name);
    sl_help_command(stdout, command);
    return SL_EXIT_OK;
}

static const sl_example examples[] = {
    {"sluice help", "List the commands"},
    {"sluice help help", "Explain a command, as 'sluice help --help' does"},
    {0},
};

const sl_command sl_cmd_help = {
    .name = "help",
    .summary = "list the commands, or explain one",
    .usage = "[COMMAND]",
    .description = "List the commands, or show the options and examples of one.",
    .values_bytes = sizeof(sl_common),
    .max_operands = 1,
    .operand = "a command",
    .examples = examples,
    .run = run,
};
