/* SPDX-License-Identifier: MIT */
/* Manual pages in roff, as far as they follow from the table of commands; man/make.sh makes whole pages of them. */
#include "cli/help.h"
#include "cli/input.h"

/* roff takes '-' for a hyphen, a leading '.' or '\'' for a request, and '\' for an escape. */
static void roff(FILE *file, const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (text[0] == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", file);
            text++;
            start = true;
            continue;
        }
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", file);
        start = *text == '\n';
        if (*text == '-')
            fputs("\\-", file);
        else if (*text == '\\')
            fputs("\\e", file);
        else
            fputc(*text, file);
    }
}

static void man_option(FILE *file, const sl_option *o)
{
    char text[128];
    sl_option_spell(o, text, sizeof text);
    fputs(".TP\n.B ", file);
    roff(file, text);
    fputc('\n', file);
    roff(file, o->help);
    for (size_t i = 0; o->choices && o->choices[i]; i++) {
        fputs(i ? ", " : "; one of ", file);
        roff(file, o->choices[i]);
    }
    fputs(".\n", file);
}

static void man_examples(FILE *file, const sl_command *command)
{
    fputs(".SH EXAMPLES\n", file);
    for (const sl_example *e = command->examples; e->line; e++) {
        fputs(".TP\n.B ", file);
        roff(file, e->line);
        fputc('\n', file);
        roff(file, e->what);
        fputs(".\n", file);
    }
}

void sl_help_man_command(FILE *file, const sl_command *command)
{
    static const sl_option help = {
        "help", 'h', SL_OPTION_FLAG, NULL, "Show a summary of this page; --help=all with all options", 0, 0, 0, NULL};
    sl_option common[SL_COMMON_OPTIONS + 1];
    const sl_option *tables[SL_COMMAND_TABLES];
    size_t count = sl_command_tables(command, common, tables);
    fprintf(file, ".SH NAME\nsluice\\-%s \\- ", command->name);
    roff(file, command->summary);
    fprintf(file, "\n.SH SYNOPSIS\n.B sluice %s\n", command->name);
    roff(file, command->usage);
    fputs("\n.SH DESCRIPTION\n", file);
    roff(file, command->description);
    fputs("\n.SH OPTIONS\n", file);
    for (size_t t = 0; t < count; t++)
        for (const sl_option *o = tables[t]; o->name; o++)
            if (sl_option_applies(command, o))
                man_option(file, o);
    man_option(file, &help);
    man_examples(file, command);
    fputs(".SH SEE ALSO\n.BR sluice (1),\nfor output formats and exit status.\n", file);
}

void sl_help_man(FILE *file)
{
    fputs(".SH COMMANDS\nEach command has a manual page.\n", file);
    for (size_t i = 0; i < sl_command_count; i++) {
        fprintf(file, ".TP\n.BR sluice\\-%s (1)\n", sl_commands[i]->name);
        roff(file, sl_commands[i]->summary);
        fputs(".\n", file);
    }
}
