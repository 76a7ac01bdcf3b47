/* The table of commands. */
#include "cli/command.h"

#define X(name) extern const sl_command sl_cmd_##name;
#include "cli/commands.def"
#undef X

#define X(name) &sl_cmd_##name,
const sl_command *const sl_commands[] = {
#include "cli/commands.def"
};
#undef X

const size_t sl_command_count = sizeof sl_commands / sizeof *sl_commands;
