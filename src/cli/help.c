/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/terminal.h"

enum { WIDTH = 100, HELP_COLUMN = 26 };

static const struct {
    unsigned bit;
    sl_option option;
} common_options[SL_COMMON_OPTIONS] = {
    {SL_COMMON_JSON,
     {"json", 0, SL_OPTION_FILE, "FILE",
      "Write the result as JSON to FILE (default: to standard output, instead of the text)", offsetof(sl_common, json),
      0, 0, NULL}},
    {SL_COMMON_CSV,
     {"csv", 0, SL_OPTION_FILE, "FILE",
      "Write the result as CSV to FILE (default: to standard output, instead of the text)", offsetof(sl_common, csv), 0,
      0, NULL}},
    {SL_COMMON_LOADS,
     {"loads", 0, SL_OPTION_FILE, "FILE",
      "Write a row per memory instruction as CSV to FILE (default: to standard output, instead of the text)",
      offsetof(sl_common, loads), 0, 0, NULL}},
    {SL_COMMON_MARKDOWN,
     {"markdown", 0, SL_OPTION_FILE, "FILE",
      "Write the text as Markdown, for a pull-request comment, to FILE (default: to standard output, instead of the "
      "text)",
      offsetof(sl_common, markdown), 0, 0, NULL}},
    {SL_COMMON_NOTES,
     {"notes", 0, SL_OPTION_FILE, "FILE",
      "Write the findings as lines 'file:line:column: note: ...', which editors and CI read as compiler "
      "messages, to FILE (default: to standard output, instead of the text)",
      offsetof(sl_common, notes), 0, 0, NULL}},
    {SL_COMMON_NOTES,
     {"sarif", 0, SL_OPTION_FILE, "FILE",
      "Write the findings as SARIF 2.1.0, which code-scanning services show in pull requests, to FILE (default: to "
      "standard output, instead of the text)",
      offsetof(sl_common, sarif), 0, 0, NULL}},
    {SL_COMMON_BY,
     {"by", 0, SL_OPTION_CHOICE, "LABEL",
      "Sum launches by kernel, or also by what they belong to in the program: range (NVTX ranges, nested), caller "
      "(functions that led to the launch) or mark (the last NVTX mark) (default: kernel)",
      offsetof(sl_common, by), 0, 0, (const char *const[]){"kernel", "range", "caller", "mark", NULL}}},
    {SL_COMMON_OUTPUT,
     {"output", 'o', SL_OPTION_STRING, "FILE", "Write the text to FILE", offsetof(sl_common, output), 0, 0, NULL}},
    {SL_COMMON_HTML,
     {"html", 0, SL_OPTION_STRING, "FILE", "Write the result as an HTML page to FILE", offsetof(sl_common, html), 0, 0,
      NULL}},
    {SL_COMMON_CALLGRIND,
     {"callgrind", 0, SL_OPTION_STRING, "FILE",
      "Write the counts of each source line to FILE in callgrind format, for KCachegrind",
      offsetof(sl_common, callgrind), 0, 0, NULL}},
    {SL_COMMON_ROOFLINE,
     {"roofline", 0, SL_OPTION_STRING, "FILE",
      "Draw the kernels under the roofs of the GPU as SVG: warp instructions per cycle over those per byte of L1, L2 "
      "and "
      "DRAM",
      offsetof(sl_common, roofline), 0, 0, NULL}},
    {SL_COMMON_ANNOTATE,
     {"annotate", 0, SL_OPTION_FILE, "FILE",
      "Write the sources of the kernels to FILE, with sectors, hits, misses and waits next to each line and the "
      "findings "
      "below it (default: to standard output, instead of the text)",
      offsetof(sl_common, annotate), 0, 0, NULL}},
    {SL_COMMON_SOURCE,
     {"source", 0, SL_OPTION_LIST, "PATH",
      "Sources of the kernels: a PTX file, a CUDA program, or a folder to search for the source files that kernels "
      "name; may be repeated (default with a program: the current folder)",
      offsetof(sl_common, source), 0, 0, NULL}},
    {SL_COMMON_PLUGINS,
     {"policy-plugin", 0, SL_OPTION_LIST, "FILE",
      "Take policies from a shared library (see docs/extending.md), which runs with your rights: load only what you "
      "trust; may be repeated",
      offsetof(sl_common, plugin), 0, 0, NULL}},
    {SL_COMMON_JOBS,
     {"jobs", 'j', SL_OPTION_NUMBER, "N", "Use at most N threads (default: all CPU cores); results do not depend on N",
      offsetof(sl_common, threads), 1, 4096, NULL}},
    {SL_COMMON_QUIET,
     {"quiet", 'q', SL_OPTION_FLAG, NULL, "Print errors only: no report, progress or warnings",
      offsetof(sl_common, quiet), 0, 0, NULL}},
    {SL_COMMON_TIMES,
     {"times", 0, SL_OPTION_FLAG, NULL,
      "At the end, print to standard error the CPU time of the program's own code, its other CUDA calls, emulation, "
      "trace writing and analysis; JSON has it, too",
      offsetof(sl_common, times), 0, 0, NULL}},
    {SL_COMMON_COLOR,
     {"color", 0, SL_OPTION_CHOICE, "WHEN",
      "Use colors: auto (on terminals, unless NO_COLOR is set), always or never (default: auto)",
      offsetof(sl_common, color), 0, 0, (const char *const[]){"auto", "always", "never", NULL}}},
    {SL_COMMON_WIDTH,
     {"width", 'w', SL_OPTION_NUMBER, "N",
      "Fit text to N columns; 0: print names and tables in full (default: the width of the terminal; in full to files "
      "and pipes)",
      offsetof(sl_common, width), 0, 100000, NULL}},
};

size_t sl_command_tables(const sl_command *command, sl_option *common, const sl_option *tables[SL_COMMAND_TABLES])
{
    size_t count = 0, tables_count = 0;
    for (size_t i = 0; i < SL_COMMON_OPTIONS; i++)
        if (command->common & common_options[i].bit)
            common[count++] = common_options[i].option;
    common[count] = (sl_option){0};
    if (command->options)
        tables[tables_count++] = command->options;
    if (command->more_options)
        tables[tables_count++] = command->more_options;
    tables[tables_count++] = common;
    return tables_count;
}

const sl_command *sl_command_find(const char *name)
{
    for (size_t i = 0; i < sl_command_count; i++)
        if (!strcmp(sl_commands[i]->name, name))
            return sl_commands[i];
    return NULL;
}

static void wrap(FILE *file, const char *text, size_t column, size_t indent)
{
    size_t width = sl_terminal_width(file);
    sl_text_wrap(file, text, column, indent, width && width < WIDTH ? width : WIDTH);
    fputc('\n', file);
}

void sl_option_spell(const sl_option *o, char *text, size_t size)
{
    char letter[8] = "";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    const char *open = o->kind == SL_OPTION_FILE ? "[" : "", *close = *open ? "]" : "";
    snprintf(text, size, "%s--%s%s%s%s%s", letter, o->name, o->value ? " " : "", open, o->value ? o->value : "", close);
}

static void describe(FILE *file, const sl_option *o)
{
    char text[128];
    sl_option_spell(o, text, sizeof text);
    int column = fprintf(file, "  %s%s", o->letter ? "" : "    ", text);
    if (column >= HELP_COLUMN)
        fprintf(file, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(file, "%*s", HELP_COLUMN - column, "");
    char help[1024];
    size_t used = (size_t)snprintf(help, sizeof help, "%s", o->help);
    for (size_t i = 0; o->choices && o->choices[i] && used < sizeof help; i++)
        used += (size_t)snprintf(help + used, sizeof help - used, "%s%s", i ? ", " : "; one of ", o->choices[i]);
    wrap(file, help, HELP_COLUMN, HELP_COLUMN);
}

void sl_help_program(FILE *file)
{
    fprintf(file, "sluice: a laboratory for GPU caches\n\nUsage: sluice COMMAND [options]\n\nCommands:\n");
    for (size_t i = 0; i < sl_command_count; i++)
        wrap(file, sl_commands[i]->summary, (size_t)fprintf(file, "  %-12s ", sl_commands[i]->name), 15);
    fputc('\n', file);
    wrap(file, "'sluice COMMAND --help' explains a command with examples; 'sluice --version' prints the version.", 0,
         0);
}

bool sl_option_is_often(const sl_command *command, const sl_option *option)
{
    size_t length = strlen(option->name);
    for (const char *at = command->often; at && *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && !strncmp(at, option->name, length))
            return true;
    return !command->often;
}

void sl_help_command(FILE *file, const sl_command *command, bool all)
{
    sl_option common[SL_COMMON_OPTIONS + 1];
    const sl_option *tables[SL_COMMAND_TABLES];
    size_t count = sl_command_tables(command, common, tables);
    wrap(file, command->summary, (size_t)fprintf(file, "sluice %s:", command->name), 0);
    fputc('\n', file);
    wrap(file, command->usage, (size_t)fprintf(file, "Usage: sluice %s", command->name), 8);
    fputc('\n', file);
    wrap(file, command->description, 0, 0);
    fprintf(file, command->often && !all ? "\nOptions used most:\n" : "\nOptions:\n");
    size_t options = 0;
    for (size_t t = 0; t < count; t++)
        for (const sl_option *o = tables[t]; o->name; o++)
            if (sl_option_applies(command, o)) {
                options++;
                if (all || sl_option_is_often(command, o))
                    describe(file, o);
            }
    static const sl_option help = {"help", 'h', SL_OPTION_FLAG, NULL, "Show this help", 0, 0, 0, NULL};
    describe(file, &help);
    if (command->often && !all)
        fprintf(file, "      --help=all          Show all %zu options\n", options);
    fprintf(file, "\nExamples:\n");
    for (const sl_example *e = command->examples; e->line; e++)
        fprintf(file, "  %s\n      ", e->line), wrap(file, e->what, 6, 6);
}

/* The table of commands. */

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
