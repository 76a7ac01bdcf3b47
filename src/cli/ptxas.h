/* SPDX-License-Identifier: MIT */
/* sluice-ptxas: the program under another name, in place of ptxas, for what compiles PTX before it loads it. */
#ifndef SL_CLI_PTXAS_H
#define SL_CLI_PTXAS_H

#include <stdbool.h>

/* Whether the program was started as sluice-ptxas. */
bool sl_ptxas_is(const char *program);
int sl_ptxas_main(int argc, char **argv);

#endif
