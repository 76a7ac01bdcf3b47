/* SPDX-License-Identifier: MIT */
/* Errors and warnings: one line on stderr with the command, the location and the reason. */
#include <stdarg.h>

#include "base/text.h"
#include "cli/command.h"

static void complain(const sl_invocation *inv, const char *kind, const char *text)
{
    if (inv->progress)
        sl_progress_line_clear(inv->progress->context);
    const sl_command *command = inv->command;
    fprintf(stderr, "sluice%s%s: %s", command ? " " : "", command ? command->name : "", kind);
    sl_text_append(stderr, text, false, false);
    fputc('\n', stderr);
}

int sl_cli_fail(const sl_invocation *inv, const sl_error *error)
{
    char text[sizeof *error + 64];
    complain(inv, "", sl_error_format(error, text, sizeof text));
    return SL_EXIT_FAILURE;
}

int sl_cli_usage(const sl_invocation *inv, const char *format, ...)
{
    char text[1280];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain(inv, "", text);
    const sl_command *command = inv->command;
    fprintf(stderr, "Try 'sluice %s%s--help'.\n", command ? command->name : "", command ? " " : "");
    return SL_EXIT_USAGE;
}

void sl_cli_warn(const sl_invocation *inv, const char *format, ...)
{
    if (inv->common->quiet)
        return;
    char text[1280];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain(inv, "warning: ", text);
}
