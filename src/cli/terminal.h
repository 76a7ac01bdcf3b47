/* SPDX-License-Identifier: MIT */
/* What terminals can show. */
#ifndef SL_CLI_TERMINAL_H
#define SL_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Columns that text has: what COLUMNS says (0: any number), else those of the terminal that `file` writes to, or 80 if
 * it does not say; any number for files and pipes, whose readers want names in full. A stream in memory counts as
 * standard output. */
size_t sl_terminal_width(FILE *file);
/* Whether `file` takes colors: a terminal does, unless NO_COLOR is set or it is dumb. --color decides otherwise. */
bool sl_terminal_has_colors(FILE *file);
void sl_terminal_choose_width(uint64_t columns); /* --width: in place of COLUMNS */
typedef enum sl_color { SL_COLOR_AUTO, SL_COLOR_ALWAYS, SL_COLOR_NEVER } sl_color;
void sl_terminal_choose_colors(int choice);
/* A stream to a terminal that shows control characters as '?' (sl_text_append_bytes): what it gets may come from
 * strangers. Closing it flushes `terminal`, which stays open. NULL: out of memory. */
FILE *sl_terminal_filter(FILE *terminal);
/* Writes text of strangers, such as the output of kernels: to files and pipes as it is, to a terminal as above. */
void sl_terminal_write(FILE *file, const char *text, size_t length);
/* Whether `file` is a terminal that has no UTF-8, by the locale. */
bool sl_terminal_is_plain(FILE *file);

#endif
