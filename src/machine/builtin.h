/* SPDX-License-Identifier: MIT */
/* Where the text of a machine comes from: the program itself, or a file. */
#ifndef SL_MACHINE_BUILTIN_H
#define SL_MACHINE_BUILTIN_H

#include "machine/machine.h"

typedef struct sl_machine_source {
    char *path; /* for messages */
    const char *text;
    size_t bytes;
    char *owned; /* the text of a file; NULL for built-in ones */
} sl_machine_source;

/* Whether a name stands for a file: it has a '/' or ends in ".yaml". */
bool sl_machine_is_path(const char *name);
sl_status sl_machine_source_open(const char *name, sl_machine_source *source, sl_error *error);
void sl_machine_source_close(sl_machine_source *source);

#endif
