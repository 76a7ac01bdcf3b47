/* SPDX-License-Identifier: MIT */
/* A command of the program, declared once: parsing, help, completion and the man page derive from its sl_command.
 *
 * To add a command: cmd_<name>.c with a `const sl_command sl_cmd_<name>`, and a line in commands.def. */
#ifndef SL_CLI_COMMAND_H
#define SL_CLI_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/progress.h"
#include "cli/options.h"
#include "sluice/policy.h"
#include "study/point.h"

/* Exit codes of the program. `run` and `trace` of a program return the program's exit code. */
enum { SL_EXIT_OK = 0, SL_EXIT_FAILURE = 1, SL_EXIT_USAGE = 2 };

/* Options that several commands share. The struct of a command's options begins with it. */
typedef struct sl_common {
    const char *json, *csv, *loads, *markdown, *notes, *sarif; /* NULL: not given; "-": standard output */
    const char *output;                                        /* NULL: not given */
    const char *html, *callgrind;                              /* NULL: not given */
    const char *annotate;                                      /* NULL: not given; "-": standard output */
    const char *roofline;                                      /* NULL: not given */
    sl_option_list plugin;                                     /* policies of shared libraries */
    sl_option_list source; /* where to search for sources; none: the current folder */
    uint64_t threads;      /* 0: all cores */
    bool quiet, times;
    int color;      /* sl_color */
    uint64_t width; /* columns of text, if it was given */
    int by;         /* 0: kernels alone; else 1 + the sl_label that launches are grouped by */
} sl_common;

enum {
    SL_COMMON_JSON = 1 << 0,
    SL_COMMON_CSV = 1 << 1,
    SL_COMMON_OUTPUT = 1 << 2,
    SL_COMMON_JOBS = 1 << 3,
    SL_COMMON_QUIET = 1 << 4,
    SL_COMMON_SOURCE = 1 << 5,
    SL_COMMON_HTML = 1 << 6,
    SL_COMMON_CALLGRIND = 1 << 7,
    SL_COMMON_NOTES = 1 << 8,
    SL_COMMON_LOADS = 1 << 9,
    SL_COMMON_PLUGINS = 1 << 10,
    SL_COMMON_COLOR = 1 << 11,
    SL_COMMON_WIDTH = 1 << 12,
    SL_COMMON_ANNOTATE = 1 << 13,
    SL_COMMON_BY = 1 << 14,
    SL_COMMON_ROOFLINE = 1 << 15, /* of commands that know cycles */
    SL_COMMON_MARKDOWN = 1 << 16,
    SL_COMMON_TIMES = 1 << 17, /* of commands that run inputs */
    SL_COMMON_REPORT = SL_COMMON_JSON | SL_COMMON_CSV | SL_COMMON_MARKDOWN | SL_COMMON_OUTPUT | SL_COMMON_QUIET |
                       SL_COMMON_COLOR | SL_COMMON_WIDTH,
    SL_COMMON_PAGE =
        SL_COMMON_LOADS | SL_COMMON_SOURCE | SL_COMMON_HTML | SL_COMMON_CALLGRIND | SL_COMMON_ANNOTATE | SL_COMMON_BY,
};

typedef struct sl_example {
    const char *line; /* as typed, with the program's name */
    const char *what; /* what it does, one line */
} sl_example;

typedef struct sl_invocation sl_invocation;

typedef struct sl_command {
    const char *name;
    const char *summary;           /* one line without a full stop */
    const char *usage;             /* operands as help shows them: "[options] TRACE" */
    const char *description;       /* paragraphs separated by an empty line; wrapped by whoever shows them */
    const sl_option *options;      /* ends with a NULL name; NULL: none */
    const sl_option *more_options; /* a second table, shared with another command; NULL: none */
    const char *often;    /* names of the ten options that --help shows, separated by spaces; NULL: all of them */
    unsigned inputs;      /* SL_TAKES_* and SL_USES_* (input.h) where more_options are those of inputs; 0: all */
    unsigned common;      /* SL_COMMON_* it takes */
    size_t values_bytes;  /* of its struct of options, which begins with an sl_common */
    const void *defaults; /* such a struct; NULL: all zero */
    size_t min_operands;  /* a program after `--` counts as one */
    size_t max_operands;
    const char *operand;        /* what a missing or surplus operand is called: "a trace file" */
    bool takes_program;         /* `-- ./app args` is allowed */
    const sl_example *examples; /* ends with a NULL line; at least one */
    /* Returns the exit code; prints errors with sl_cli_fail and sl_cli_usage. */
    int (*run)(const sl_invocation *);
} sl_command;

struct sl_invocation {
    const sl_command *command;
    const void *values; /* the command's struct of options */
    const sl_common *common;
    sl_args args;
    const sl_policy_list *policies;   /* of --policy-plugin; NULL: none */
    const sl_custom_policies *custom; /* the same with what tells their code apart; NULL: none */
    const sl_progress *progress;      /* shown on a terminal, silent elsewhere and with --quiet */
    char *line;                       /* the whole command line, quoted as for a shell; for "made by" lines */
};

/* All commands, in the order of help. */
extern const sl_command *const sl_commands[];
extern const size_t sl_command_count;

/* Groups launches as --by says, and warns where none of them has such a label. */
struct sl_launch_log;
struct sl_result_set;
sl_status sl_group_launches(const sl_invocation *, struct sl_launch_log *, sl_error *);
sl_status sl_group_results(const sl_invocation *, struct sl_result_set *, sl_error *);

/* Writes "sluice NAME: location: text" to stderr; returns SL_EXIT_FAILURE. */
int sl_cli_fail(const sl_invocation *, const sl_error *);
/* The same for an invalid command line, with a pointer to --help; returns SL_EXIT_USAGE. */
int sl_cli_usage(const sl_invocation *, const char *format, ...) SL_PRINTF(2, 3);
/* The same for an unknown command, with the nearest one. */
int sl_cli_unknown_command(const sl_invocation *, const char *name);
/* --times: what is known of the CPU time of an input that has run, and in the end a line on stderr; members of the
 * document's JSON, as of now. */
struct sl_run_end;
struct sl_document;
void sl_cli_times_note(const struct sl_run_end *, bool in_program);
void sl_cli_times_show(const sl_invocation *);
void sl_cli_times_add(const sl_invocation *, struct sl_document *);
/* "sluice NAME: warning: text" unless --quiet. */
void sl_cli_warn(const sl_invocation *, const char *format, ...) SL_PRINTF(2, 3);

/* --policy-plugin: policies of shared libraries (SL_POLICY_PLUGIN of sluice/policy.h). A library is code that runs with
 * the rights of whoever loads it. */

typedef struct sl_plugins {
    const sl_policy_ops *ops[SL_MAX_CUSTOM_POLICIES];
    sl_policy_list list; /* of them */
    char id[SL_KEY_BYTES];
    sl_custom_policies custom; /* both */
} sl_plugins;

/* Loads the libraries; they stay loaded until the program ends. `plugins` must stay where it is. */
sl_status sl_plugins_load(sl_plugins *plugins, const sl_option_list *files, sl_error *error);

/* sluice-ptxas: the program under another name, in place of ptxas, for what compiles PTX before it loads it. */

/* Whether the program was started as sluice-ptxas. */
bool sl_ptxas_is(const char *program);
int sl_ptxas_main(int argc, char **argv);

#endif
