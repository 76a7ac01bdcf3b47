/* SPDX-License-Identifier: MIT */
/* sluice help [COMMAND]: what --help shows, also for programs. */
#include "cli/command.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/output.h"

static void write_help(FILE *file, const void *command, size_t width)
{
    (void)width;
    if (command)
        sl_help_command(file, command, false);
    else
        sl_help_program(file);
}

static void json_option(sl_json *j, const sl_option *o, bool often)
{
    static const char *const kinds[] = {
        [SL_OPTION_FLAG] = "flag",   [SL_OPTION_STRING] = "text",   [SL_OPTION_NUMBER] = "number",
        [SL_OPTION_BYTES] = "bytes", [SL_OPTION_CHOICE] = "choice", [SL_OPTION_FILE] = "optional file",
        [SL_OPTION_LIST] = "list",   [SL_OPTION_RANGE] = "range",   [SL_OPTION_DIMS] = "dimensions",
        [SL_OPTION_NAME] = "choice", [SL_OPTION_VERSION] = "text"};
    sl_json_object(j, false);
    sl_json_string_member(j, "name", o->name);
    if (o->letter)
        sl_json_string_member(j, "letter", (const char[]){o->letter, 0});
    sl_json_string_member(j, "kind", kinds[o->kind]);
    if (o->value)
        sl_json_string_member(j, "value", o->value);
    if (o->choices) {
        sl_json_array_member(j, "choices", false);
        for (size_t i = 0; o->choices[i]; i++)
            sl_json_string(j, o->choices[i]);
        sl_json_close(j, ']');
    }
    sl_json_string_member(j, "help", o->help);
    sl_json_key(j, "often");
    sl_json_bool(j, often);
    sl_json_close(j, '}');
}

static void json_command(sl_json *j, const sl_command *command)
{
    sl_option common[SL_COMMON_OPTIONS + 1];
    const sl_option *tables[SL_COMMAND_TABLES];
    size_t count = sl_command_tables(command, common, tables);
    sl_json_object(j, true);
    sl_json_string_member(j, "name", command->name);
    sl_json_string_member(j, "summary", command->summary);
    sl_json_string_member(j, "usage", command->usage);
    sl_json_string_member(j, "description", command->description);
    sl_json_array_member(j, "options", true);
    for (size_t t = 0; t < count; t++)
        for (const sl_option *o = tables[t]; o->name; o++)
            if (sl_option_applies(command, o))
                json_option(j, o, sl_option_is_often(command, o));
    sl_json_close(j, ']');
    sl_json_array_member(j, "examples", true);
    for (const sl_example *e = command->examples; e->line; e++) {
        sl_json_object(j, false);
        sl_json_string_member(j, "line", e->line);
        sl_json_string_member(j, "what", e->what);
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
    sl_json_close(j, '}');
}

static void write_commands(sl_json *j, const void *command)
{
    sl_json_array(j, true);
    for (size_t i = 0; i < sl_command_count; i++)
        if (!command || command == sl_commands[i])
            json_command(j, sl_commands[i]);
    sl_json_close(j, ']');
}

static int run(const sl_invocation *inv)
{
    static const sl_report_info info = {.command = "help"};
    const char *name = inv->args.operands ? inv->args.operand[0] : NULL;
    const sl_command *command = name ? sl_command_find(name) : NULL;
    if (name && !command)
        return sl_cli_unknown_command(inv, name);
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    sl_document_is_verbatim(d);
    sl_document_json(d, "commands", write_commands, command);
    sl_document_prose(d, write_help, command);
    return sl_document_show(inv, d, NULL, stdout);
}

static const sl_example examples[] = {
    {"sluice help", "List the commands"},
    {"sluice help help", "Explain a command, as 'sluice help --help' does"},
    {"sluice help --json", "Print the commands and their options for a program"},
    {0},
};

const sl_command sl_cmd_help = {
    .name = "help",
    .summary = "list the commands, or explain one",
    .usage = "[options] [COMMAND]",
    .description = "List the commands, or show the options and examples of one.",
    .common = SL_COMMON_JSON,
    .values_bytes = sizeof(sl_common),
    .max_operands = 1,
    .operand = "a command",
    .examples = examples,
    .run = run,
};
