/* SPDX-License-Identifier: MIT */
/* Starts a CUDA program with Sluice's runtime library in front of NVIDIA's. */
#ifndef SL_LAUNCH_LAUNCH_APP_H
#define SL_LAUNCH_LAUNCH_APP_H

#include <stdbool.h>
#include <sys/types.h>

#include "cudart/options.h"

/* Properties of a program before it starts. */
typedef struct sl_app {
    char path[4096]; /* the file that will run */
    char soname[64]; /* the CUDA runtime it was linked with; empty: it names none itself (a script, a launcher) */
} sl_app;

typedef struct sl_app_end {
    int code;   /* its exit code; 128 + signal when a signal ended it */
    int signal; /* 0: none */
    pid_t pid;
} sl_app_end;

/* Finds the program as execvp would. Fails, and names the nvcc flag that helps, when it cannot work: linked with the
 * static CUDA runtime, without PTX, or for an unsupported CUDA version. */
sl_status sl_app_inspect(const char *name, sl_app *app, sl_error *error);
/* How a program is started. */
typedef struct sl_app_start {
    const sl_cudart_options *emulate; /* Sluice's CUDA runtime in front of NVIDIA's, with these options; NULL: no */
    const char *folder;               /* for links to libraries that LD_PRELOAD cannot name; may be NULL */
    const char *preload;              /* a library of ours to load first: "libsluice_swap.so"; NULL: none */
    const char *variable[2];          /* more of its environment: "NAME=VALUE"; NULL: none */
    const char *output;               /* file for its standard output; NULL: ours */
} sl_app_start;

sl_status sl_app_start_and_wait(const sl_app *app, char **argv, const sl_app_start *start, sl_app_end *end,
                                sl_error *error);

/* Runs it to its end; it keeps its input, output and signals. `argv` ends with NULL. */
sl_status sl_app_run(const sl_app *app, char **argv, const sl_cudart_options *options, sl_app_end *end,
                     sl_error *error);

#endif
