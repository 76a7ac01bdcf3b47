/* SPDX-License-Identifier: MIT */
/* Programs that papers name by their command lines: recorded once each into the folder of traces. */
#ifndef SL_CLI_PAPER_PROGRAMS_H
#define SL_CLI_PAPER_PROGRAMS_H

#include "cli/command.h"
#include "study/reproduction.h"

typedef struct sl_cli_paper_programs {
    const sl_invocation *inv;
    const char *traces; /* the folder */
} sl_cli_paper_programs;

/* For sl_reproduction_plan. `programs` must outlive it. */
sl_paper_programs sl_cli_paper_programs_of(sl_cli_paper_programs *programs);

#endif
