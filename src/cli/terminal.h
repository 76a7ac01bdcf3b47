/* SPDX-License-Identifier: MIT */
/* What terminals can show. */
#ifndef SL_CLI_TERMINAL_H
#define SL_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Columns that text has: what COLUMNS says (0: any number), else those of the terminal that `file` writes to, else 80.
 * A stream in memory counts as standard output. */
size_t sl_terminal_width(FILE *file);
/* Whether `file` takes colours: a terminal does, unless NO_COLOR is set or it is dumb. --color decides otherwise. */
bool sl_terminal_has_colours(FILE *file);
typedef enum sl_colour { SL_COLOUR_AUTO, SL_COLOUR_ALWAYS, SL_COLOUR_NEVER } sl_colour;
void sl_terminal_choose_colours(int choice);
/* Whether `file` is a terminal that has no UTF-8, by the locale. */
bool sl_terminal_is_plain(FILE *file);

#endif
