/* SPDX-License-Identifier: MIT */
/* The program: finds the command, reads its options, runs it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/terminal.h"

/* The command line, quoted for a shell. */
static char *quote_line(int argc, char **argv)
{
    size_t bytes = sizeof "sluice";
    for (int i = 1; i < argc; i++)
        bytes += strlen(argv[i]) * 4 + 3;
    char *line = malloc(bytes), *at = line;
    if (!line)
        return NULL;
    at = stpcpy(at, "sluice");
    for (int i = 1; i < argc; i++) {
        *at++ = ' ';
        at = sl_shell_word(at, argv[i]);
    }
    return line;
}

static int check_args(const sl_invocation *inv)
{
    const sl_command *command = inv->command;
    const sl_args *args = &inv->args;
    if (args->program && !command->takes_program)
        return sl_cli_usage(inv, "this command runs no program: remove '--' and what follows");
    if (args->program && !args->program[0])
        return sl_cli_usage(inv, "a program is missing after '--'");
    if (args->program && args->operands)
        return sl_cli_usage(inv, "give either '%s' or a program after '--', not both", args->operand[0]);
    if (!args->program && args->operands < command->min_operands)
        return sl_cli_usage(inv, "%s is missing", command->operand);
    if (args->operands > command->max_operands)
        return sl_cli_usage(inv, "unexpected argument '%s'", args->operand[command->max_operands]);
    int code = sl_check_input_options(inv);
    if (code)
        return code;
    const sl_common *common = inv->common;
    const struct {
        const char *name, *path;
    } outputs[] = {{"json", common->json},         {"csv", common->csv},     {"loads", common->loads},
                   {"notes", common->notes},       {"sarif", common->sarif}, {"markdown", common->markdown},
                   {NULL, common->output},         {NULL, common->html},     {NULL, common->callgrind},
                   {"annotate", common->annotate}, {NULL, common->roofline}};
    const char *first = NULL; /* what goes to standard output */
    sl_error error = {0};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        bool out = outputs[i].name && outputs[i].path && !strcmp(outputs[i].path, "-");
        if (out && first)
            return sl_cli_usage(inv, "--%s and --%s cannot both go to standard output; give one of them a FILE", first,
                                outputs[i].name);
        first = out ? outputs[i].name : first;
        if (sl_output_probe(outputs[i].path, &error))
            return sl_cli_fail(inv, &error);
    }
    return SL_EXIT_OK;
}

static int run_command(const sl_command *command, int argc, char **argv)
{
    sl_option common[SL_COMMON_OPTIONS + 1];
    const sl_option *tables[SL_COMMAND_TABLES];
    size_t table_count = sl_command_tables(command, common, tables);
    sl_invocation inv = {.command = command};
    sl_error error = {0};
    void *values = calloc(1, command->values_bytes);
    inv.line = quote_line(argc, argv);
    if (!values || !inv.line) {
        sl_fail_memory(&error);
        free(values);
        free(inv.line);
        return sl_cli_fail(&inv, &error);
    }
    if (command->defaults)
        memcpy(values, command->defaults, command->values_bytes);
    inv.values = inv.common = values;
    sl_status status =
        sl_options_parse(tables, table_count, argc - 2, argv + 2, command->min_operands, values, &inv.args, &error);
    int code = SL_EXIT_OK;
    if (status)
        code = status == SL_INVALID ? sl_cli_usage(&inv, "%s", error.text) : sl_cli_fail(&inv, &error);
    else if (inv.args.help)
        sl_help_command(stdout, command, inv.args.help_all);
    else if (!(code = check_args(&inv))) {
        sl_progress_line line;
        sl_plugins plugins;
        sl_terminal_choose_colors(inv.common->color);
        if (sl_was_given(&inv, "width"))
            sl_terminal_choose_width(inv.common->width);
        sl_progress progress = sl_progress_line_init(&line, inv.common->quiet ? NULL : stderr);
        inv.progress = &progress;
        if (inv.common->plugin.count) {
            inv.policies = &plugins.list;
            inv.custom = &plugins.custom;
        }
        if (inv.policies && sl_plugins_load(&plugins, &inv.common->plugin, &error))
            code = sl_cli_fail(&inv, &error);
        else
            code = command->run(&inv);
        sl_progress_line_clear(&line);
        if (inv.common->times)
            sl_cli_times_show(&inv);
    }
    sl_args_fini(tables, table_count, values, &inv.args);
    free(values);
    free(inv.line);
    return code;
}

/* A failed write to standard output, such as a full disk, is a failure. */
static int finish(int code)
{
    if (!fflush(stdout) && !ferror(stdout))
        return code;
    sl_error error = {0};
    sl_fail_io(&error, "write", "standard output");
    sl_invocation inv = {0};
    return code ? code : sl_cli_fail(&inv, &error);
}

/* For man/make.sh: the generated parts of sluice(1) or of the page of a command. */
static int print_man(const char *name)
{
    const sl_invocation no_command = {0};
    const sl_command *command = name ? sl_command_find(name) : NULL;
    if (name && !command)
        return sl_cli_unknown_command(&no_command, name);
    if (command)
        sl_help_man_command(stdout, command);
    else
        sl_help_man(stdout);
    return SL_EXIT_OK;
}

/* A write beyond 'ulimit -f' is an error like others, which is reported. A handler, not SIG_IGN, which programs that
 * are started would inherit. */
static void go_on(int number)
{
    (void)number;
}

static void survive_file_limit(void)
{
    struct sigaction action = {.sa_handler = go_on, .sa_flags = SA_RESTART}, before;
    if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv)
{
    const sl_invocation no_command = {0};
    survive_file_limit();
    if (argc && sl_ptxas_is(argv[0]))
        return finish(sl_ptxas_main(argc, argv));
    if (argc < 2) {
        sl_help_program(stderr);
        return SL_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V"))
        printf("sluice %s\n", SLUICE_VERSION);
    else if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        sl_help_program(stdout);
    else if (!strcmp(name, "--man"))
        return finish(print_man(argv[2]));
    else if (name[0] == '-')
        return sl_cli_usage(&no_command, "unknown option '%s'", name);
    else {
        const sl_command *command = sl_command_find(name);
        if (!command)
            return sl_cli_unknown_command(&no_command, name);
        return finish(run_command(command, argc, argv));
    }
    return finish(SL_EXIT_OK);
}
