/* SPDX-License-Identifier: MIT */
/* Everything that is derived from the table of commands: help, man page, shell completion. */
#ifndef SL_CLI_HELP_H
#define SL_CLI_HELP_H

#include "cli/command.h"

/* The option tables of a command: common options and specific ones. `common` receives the former and must
 * have room for SL_COMMON_OPTIONS + 1 entries; `tables` receives pointers to them. Returns their number. */
enum { SL_COMMON_OPTIONS = 19, SL_COMMAND_TABLES = 3 };
size_t sl_command_tables(const sl_command *, sl_option *common, const sl_option *tables[SL_COMMAND_TABLES]);

/* NULL when there is no such command. */
const sl_command *sl_command_find(const char *name);

void sl_help_program(FILE *);
/* `all`: with every option, not only those that people use most. */
void sl_help_command(FILE *, const sl_command *, bool all);
/* Whether --help shows the option. */
bool sl_option_is_often(const sl_command *, const sl_option *);
/* "-o, --output FILE" as help and man show it. */
void sl_option_spell(const sl_option *, char *text, size_t size);

/* roff: the list of commands in sluice(1), and the page of one but for its title. */
void sl_help_man(FILE *);
void sl_help_man_command(FILE *, const sl_command *);

/* Completion scripts for commands, options, their values and operands. */
void sl_help_bash(FILE *);
void sl_help_zsh(FILE *);
void sl_help_fish(FILE *);

#endif
