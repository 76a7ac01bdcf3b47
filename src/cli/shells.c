/* SPDX-License-Identifier: MIT */
/* Shell completion, from the table of commands. The names in help select what is offered for values and operands: GPU,
 * "a workload" … */
#include <string.h>

#include "cli/help.h"
#include "cli/input.h"

/* Commands that list names in the first column of their CSV, and the option values and operands that take such names.
 */
static const struct {
    const char *command, *value, *operand;
} lists[] = {
    {"machines", "GPU", "GPU model"},
    {"workloads", "WORKLOAD", "workload"},
    {"policies", "POLICY", "policy"},
    {"explain", "RULE", "rule"},
};
enum { LISTS = sizeof lists / sizeof *lists };

/* The command that lists what an option takes; NULL: none. */
static const char *list_of_value(const sl_option *o)
{
    for (size_t i = 0; i < LISTS && o->value; i++)
        if (!strcmp(o->value, lists[i].value))
            return lists[i].command;
    return NULL;
}

static const char *list_of_operand(const sl_command *command)
{
    for (size_t i = 0; i < LISTS && command->operand; i++)
        if (strstr(command->operand, lists[i].operand))
            return lists[i].command;
    return NULL;
}

static bool operand_is_command(const sl_command *command)
{
    return command->operand && !strcmp(command->operand, "a command");
}

static bool operand_is_shell(const sl_command *command)
{
    return command->operand && !strcmp(command->operand, "a shell");
}

static void print_commands(FILE *file)
{
    for (size_t i = 0; i < sl_command_count; i++)
        fprintf(file, " %s", sl_commands[i]->name);
}

static void print_choices(FILE *file, const sl_option *o)
{
    for (size_t i = 0; o->choices[i]; i++)
        fprintf(file, "%s%s", i ? " " : "", o->choices[i]);
}

/* Text for the inside of single quotes; `special` characters are escaped by a backslash. */
static void quoted(FILE *file, const char *text, const char *special)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", file);
        else
            fprintf(file, strchr(special, *text) ? "\\%c" : "%c", *text);
}

/* ---- bash ---- */

/* A line of the case over "command option": what can follow the option. */
static void bash_value(FILE *file, const sl_command *command, const sl_option *o)
{
    const char *list = list_of_value(o);
    if (!o->value || o->kind == SL_OPTION_FILE) /* no value, or an optional one */
        return;
    fprintf(file, "    '%s --%s'", command->name, o->name);
    if (o->letter)
        fprintf(file, " | '%s -%c'", command->name, o->letter);
    fputs(") ", file);
    if (o->choices) {
        fputs("words='", file);
        print_choices(file, o);
        fputc('\'', file);
    } else if (list) {
        fprintf(file, "words=$(_sluice_list %s)", list);
    } else {
        fputs("words=", file);
    }
    fputs(" ;;\n", file);
}

static void bash_operand(FILE *file, const sl_command *command)
{
    const char *list = list_of_operand(command);
    if (!list && !operand_is_command(command) && !operand_is_shell(command))
        return;
    fprintf(file, "        %s) words=", command->name);
    if (list)
        fprintf(file, "$(_sluice_list %s)", list);
    else if (operand_is_shell(command))
        fputs("'bash zsh fish'", file);
    else
        fputs("$commands", file);
    fputs(" ;;\n", file);
}

static void bash_options(FILE *file, const sl_command *command)
{
    sl_option common[SL_COMMON_OPTIONS + 1];
    const sl_option *tables[SL_COMMAND_TABLES];
    size_t count = sl_command_tables(command, common, tables);
    fprintf(file, "        %s) words='--help", command->name);
    for (size_t t = 0; t < count; t++)
        for (const sl_option *o = tables[t]; o->name; o++)
            if (sl_option_applies(command, o))
                fprintf(file, " --%s", o->name);
    fputs("' ;;\n", file);
}

void sl_help_bash(FILE *file)
{
    fputs("_sluice_list()\n{\n    \"${COMP_WORDS[0]}\" \"$1\" --csv 2>/dev/null | sed 1d | cut -d, -f1 | sort -u\n}\n\n"
          "_sluice()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words='' commands='",
          file);
    print_commands(file);
    /* bash passes --gpu=h200 as three words. */
    fputs("'\n    if [ \"$word\" = = ]; then\n        word=''\n    elif [ \"$before\" = = ]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n"
          "    case \"${COMP_WORDS[1]} $before\" in\n",
          file);
    for (size_t i = 0; i < sl_command_count; i++) {
        sl_option common[SL_COMMON_OPTIONS + 1];
        const sl_option *tables[SL_COMMAND_TABLES];
        size_t count = sl_command_tables(sl_commands[i], common, tables);
        for (size_t t = 0; t < count; t++)
            for (const sl_option *o = tables[t]; o->name; o++)
                if (sl_option_applies(sl_commands[i], o))
                    bash_value(file, sl_commands[i], o);
    }
    fputs(
        "    *) case \"$COMP_CWORD $word\" in\n    '1 -'*) words='--help --version' ;;\n    '1 '*) words=$commands ;;\n"
        "    *' -'*)\n        case ${COMP_WORDS[1]} in\n",
        file);
    for (size_t i = 0; i < sl_command_count; i++)
        bash_options(file, sl_commands[i]);
    fputs("        esac ;;\n    *)\n        case ${COMP_WORDS[1]} in\n", file);
    for (size_t i = 0; i < sl_command_count; i++)
        bash_operand(file, sl_commands[i]);
    fputs("        esac ;;\n    esac ;;\n    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
          "complete -o default -F _sluice sluice\n",
          file);
}

/* ---- zsh ---- */

/* "[help]:MACHINE:what to offer", the part of a spec of _arguments behind the option's name. */
static void zsh_value(FILE *file, const sl_option *o)
{
    const char *list = list_of_value(o);
    fputc('[', file);
    quoted(file, o->help, "[]\\");
    fputc(']', file);
    if (!o->value)
        return;
    fprintf(file, "%s:", o->kind == SL_OPTION_FILE ? ":" : "");
    quoted(file, o->value, ":\\");
    fputc(':', file);
    if (o->choices) {
        fputc('(', file);
        print_choices(file, o);
        fputc(')', file);
    } else if (list) {
        fprintf(file, "_sluice_names %s", list);
    } else {
        fputs(strstr(o->value, "FILE") ? "_files" : " ", file);
    }
}

static void zsh_option(FILE *file, const sl_option *o)
{
    const char *often = o->kind == SL_OPTION_LIST ? "*" : "";
    fprintf(file, " \\\n            '%s--%s%s", often, o->name, o->value ? "=" : "");
    zsh_value(file, o);
    fputc('\'', file);
    if (!o->letter)
        return;
    fprintf(file, " \\\n            '%s-%c%s", often, o->letter, o->value ? "+" : "");
    zsh_value(file, o);
    fputc('\'', file);
}

static void zsh_operand(FILE *file, const sl_command *command)
{
    const char *list = list_of_operand(command);
    fputs(" \\\n            '*:", file);
    quoted(file, command->operand ? command->operand : "argument", ":\\");
    if (list)
        fprintf(file, ":_sluice_names_or_files %s'", list);
    else if (operand_is_shell(command))
        fputs(":(bash zsh fish)'", file);
    else if (operand_is_command(command))
        fputs(":_sluice_commands'", file);
    else
        fputs(":_files'", file);
}

static void zsh_command(FILE *file, const sl_command *command)
{
    sl_option common[SL_COMMON_OPTIONS + 1];
    const sl_option *tables[SL_COMMAND_TABLES];
    size_t count = sl_command_tables(command, common, tables);
    fprintf(file, "        %s)\n            _arguments -s", command->name);
    for (size_t t = 0; t < count; t++)
        for (const sl_option *o = tables[t]; o->name; o++)
            if (sl_option_applies(command, o))
                zsh_option(file, o);
    fputs(" \\\n            '--help[Show a summary]'", file);
    zsh_operand(file, command);
    fputs(" ;;\n", file);
}

void sl_help_zsh(FILE *file)
{
    /* _arguments puts options of compadd before the argument. */
    fputs("#compdef sluice\n\n"
          "_sluice_names()\n{\n"
          "    compadd \"${@[1,-2]}\" -- ${(f)\"$(sluice $@[-1] --csv 2>/dev/null | sed 1d | cut -d, -f1 | sort "
          "-u)\"}\n}\n\n"
          "_sluice_names_or_files()\n{\n    _sluice_names \"$@\"\n    _files\n}\n\n"
          "_sluice_commands()\n{\n    local -a commands=(\n",
          file);
    for (size_t i = 0; i < sl_command_count; i++) {
        fprintf(file, "        '%s:", sl_commands[i]->name);
        quoted(file, sl_commands[i]->summary, "\\");
        fputs("'\n", file);
    }
    fputs("    )\n    _describe command commands\n}\n\n"
          "_sluice()\n{\n    local curcontext=$curcontext state line\n    typeset -A opt_args\n"
          "    _arguments -C '--help[List the commands]' '--version[Print the version]' '1: :_sluice_commands' "
          "'*:: :->rest'\n"
          "    [[ $state = rest ]] || return\n    case $words[1] in\n",
          file);
    for (size_t i = 0; i < sl_command_count; i++)
        zsh_command(file, sl_commands[i]);
    fputs("    esac\n}\n\n"
          "if [[ $funcstack[1] = _sluice ]]; then\n    _sluice \"$@\"\nelse\n    compdef _sluice sluice\nfi\n",
          file);
}

/* ---- fish ---- */

/* A string within single quotes of fish. */
static void fish_quote(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; *text; text++)
        fprintf(file, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('\'', file);
}

static void fish_option(FILE *file, const sl_command *command, const sl_option *o)
{
    const char *list = list_of_value(o);
    fprintf(file, "complete -c sluice -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
    if (o->letter)
        fprintf(file, " -s %c", o->letter);
    fputs(" -d ", file);
    fish_quote(file, o->help);
    if (o->choices) {
        fputs(" -x -a '", file);
        print_choices(file, o);
        fputc('\'', file);
    } else if (list) {
        fprintf(file, " -x -a '(__sluice_names %s)'", list);
    } else if (o->value) {
        fputs(" -r", file);
    }
    fputc('\n', file);
}

static void fish_operand(FILE *file, const sl_command *command)
{
    const char *list = list_of_operand(command);
    if (!list && !operand_is_command(command) && !operand_is_shell(command))
        return;
    fprintf(file, "complete -c sluice -n '__fish_seen_subcommand_from %s' -a '", command->name);
    if (list)
        fprintf(file, "(__sluice_names %s)", list);
    else if (operand_is_shell(command))
        fputs("bash zsh fish", file);
    else
        print_commands(file);
    fputs("'\n", file);
}

void sl_help_fish(FILE *file)
{
    fputs("function __sluice_names\n"
          "    sluice $argv[1] --csv 2>/dev/null | sed 1d | cut -d, -f1 | sort -u\nend\n",
          file);
    for (size_t i = 0; i < sl_command_count; i++) {
        fprintf(file, "complete -c sluice -n __fish_use_subcommand -a %s -d ", sl_commands[i]->name);
        fish_quote(file, sl_commands[i]->summary);
        fputc('\n', file);
    }
    for (size_t i = 0; i < sl_command_count; i++) {
        sl_option common[SL_COMMON_OPTIONS + 1];
        const sl_option *tables[SL_COMMAND_TABLES];
        size_t count = sl_command_tables(sl_commands[i], common, tables);
        fish_operand(file, sl_commands[i]);
        for (size_t t = 0; t < count; t++)
            for (const sl_option *o = tables[t]; o->name; o++)
                if (sl_option_applies(sl_commands[i], o))
                    fish_option(file, sl_commands[i], o);
    }
}
