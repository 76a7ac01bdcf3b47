/* SPDX-License-Identifier: MIT */
/* sluice completion SHELL: completion for a shell, made from the table of commands. */
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"

static const struct {
    const char *shell;
    void (*print)(FILE *);
} shells[] = {{"bash", sl_help_bash}, {"zsh", sl_help_zsh}, {"fish", sl_help_fish}};

static int run(const sl_invocation *inv)
{
    const char *names[sizeof shells / sizeof *shells];
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (!strcmp(shells[i].shell, inv->args.operand[0])) {
            shells[i].print(stdout);
            return SL_EXIT_OK;
        }
        names[i] = shells[i].shell;
    }
    char hint[64];
    return sl_cli_usage(
        inv, "unknown shell '%s'; give bash, zsh or fish%s", inv->args.operand[0],
        sl_did_you_mean(inv->args.operand[0], names, sizeof shells / sizeof *shells, "", hint, sizeof hint));
}

static const sl_example examples[] = {
    {"source <(sluice completion bash)", "Complete commands and options in this bash"},
    {"sluice completion zsh > ~/.zfunc/_sluice", "Complete in every zsh with ~/.zfunc in its fpath"},
    {"sluice completion fish > ~/.config/fish/completions/sluice.fish", "Complete in every fish"},
    {0},
};

const sl_command sl_cmd_completion = {
    .name = "completion",
    .summary = "print a completion script for a shell",
    .usage = "bash|zsh|fish",
    .description = "Print a script that completes the commands and options of sluice, the values of options, and the "
                   "names of workloads, GPU models and policies. Packages install it where the shell finds it.",
    .values_bytes = sizeof(sl_common),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "a shell",
    .examples = examples,
    .run = run,
};
