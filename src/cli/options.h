/* SPDX-License-Identifier: MIT */
/* Command lines from tables: each option is declared once, with its type, its range and its help.
 *
 * Values land in a plain struct of the command, at the offset its table gives; what is not given keeps the default that
 * the struct was filled with. Accepted: --name VALUE, --name=VALUE, -x VALUE, -xVALUE, options before and after
 * operands. A bare `--` ends the options: what follows belongs to a program that is to be run. */
#ifndef SL_CLI_OPTIONS_H
#define SL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/suggest.h"
#include "base/text.h"
#include "sluice/error.h"

typedef enum sl_option_kind {
    SL_OPTION_FLAG,    /* bool; takes no value */
    SL_OPTION_STRING,  /* const char * */
    SL_OPTION_NUMBER,  /* uint64_t in [min, max]; suffixes K, M, G, T are powers of 1000 */
    SL_OPTION_BYTES,   /* uint64_t in [min, max]; suffixes K, M, G, T are powers of 1024 */
    SL_OPTION_CHOICE,  /* int: index into `choices` */
    SL_OPTION_NAME,    /* const char *: one of `choices` */
    SL_OPTION_FILE,    /* const char *; the value may be omitted and is "-" (standard output) then */
    SL_OPTION_LIST,    /* sl_option_list; may be given several times */
    SL_OPTION_RANGE,   /* sl_option_range: A or A-B, each in [min, max] */
    SL_OPTION_DIMS,    /* uint32_t[3]: X, X,Y or X,Y,Z, each in [min, max]; omitted ones are 1 */
    SL_OPTION_VERSION, /* uint64_t: X.Y as 10 * X + Y, in [min, max] */
} sl_option_kind;

typedef struct sl_option {
    const char *name; /* long name without dashes; NULL ends a table */
    char letter;      /* 0: no short form */
    sl_option_kind kind;
    const char *value;          /* what help calls the value ("FILE"); NULL for flags */
    const char *help;           /* one sentence without a full stop; defaults are part of it */
    size_t offset;              /* of the value in the command's struct */
    uint64_t min, max;          /* max 0: no upper bound */
    const char *const *choices; /* SL_OPTION_CHOICE, SL_OPTION_NAME: ends with NULL */
} sl_option;

typedef struct sl_option_list {
    size_t count;
    const char **item; /* in the order given; the strings are those of argv */
} sl_option_list;

typedef struct sl_option_range {
    bool given;
    uint64_t first, last; /* inclusive */
} sl_option_range;

typedef struct sl_args {
    bool help, help_all; /* --help or -h was given, --help=all; nothing else was checked */
    size_t operands;
    const char **operand;  /* in order; those of argv */
    char **program;        /* what follows `--`, NULL-terminated as argv is; NULL: there was no `--` */
    const sl_option **set; /* the options that were given, in table order */
    size_t sets;
} sl_args;

/* Parses argv[0 .. argc) (without the names of program and command; argv[argc] is NULL) by the tables, of which there
 * are `table_count`, into `values`. `min_operands` counts a program after `--` as one: when operands are missing, the
 * word that an SL_OPTION_FILE took as its file is given back, so that `info --json t.slt` means what it says. Lists and
 * `args` point into memory that sl_args_fini frees. */
sl_status sl_options_parse(const sl_option *const *tables, size_t table_count, int argc, char **argv,
                           size_t min_operands, void *values, sl_args *args, sl_error *error);
void sl_args_fini(const sl_option *const *tables, size_t table_count, void *values, sl_args *args);

/* Writes a word as a shell takes it: quoted where it must be, at most 4 bytes for each of its and 3 more. Returns the
 * end of the text. */
char *sl_shell_word(char *to, const char *word);

/* The value that an option has in `values`, as it could be typed (items of a list are separated by spaces); cut to
 * `size`. Returns `buffer`. */
char *sl_option_text(const sl_option *option, const void *values, char *buffer, size_t size);

#endif
