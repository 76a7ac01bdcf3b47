/* SPDX-License-Identifier: MIT */
/* Progress on a terminal: one line on stderr that is redrawn a few times a second and cleared at the end. Work of known
 * size is shown with an estimate of the remaining time. */
#ifndef SL_CLI_TERMINAL_H
#define SL_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/progress.h"

typedef struct sl_terminal {
    bool shown;       /* stderr is a terminal and --quiet was not given */
    bool drawn;       /* the line is visible */
    uint64_t last_ns; /* when it was last drawn */
    uint64_t start_ns;
    const char *what; /* the work that is shown, since when, and how far it was then */
    uint64_t what_ns, what_done;
} sl_terminal;

sl_progress sl_terminal_init(sl_terminal *terminal, bool quiet);
/* Clears the line, so that other output starts at the left. Harmless when nothing is drawn. */
void sl_terminal_clear(sl_terminal *terminal);

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
