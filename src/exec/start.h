/* SPDX-License-Identifier: MIT */
/* Starts a CUDA program with Sluice's runtime library in front of NVIDIA's. */
#ifndef SL_LAUNCH_LAUNCH_APP_H
#define SL_LAUNCH_LAUNCH_APP_H

#include <stdbool.h>
#include <sys/types.h>

#include "process/options.h"
#include "recording/recording.h"

/* The CUDA runtime libraries that there are: of CUDA 11, 12, 13. NULL past the last. */
extern const char *const sl_cudart_sonames[];

/* Properties of a program before it starts. */
typedef struct sl_app {
    char path[4096];     /* the file that will run */
    char soname[64];     /* the CUDA runtime it was linked with; empty: it names none itself (a script, a launcher) */
    bool static_runtime; /* which is inside of it */
} sl_app;

typedef struct sl_app_end {
    int code;   /* its exit code; 128 + signal when a signal ended it */
    int signal; /* 0: none */
    pid_t pid;
} sl_app_end;

/* The archives of static CUDA runtimes (libcudart_static.a), separated by colons: `given`, else what
 * SLUICE_CUDART_STATIC names, else those of the toolkits in CUDA_HOME, CUDA_PATH, next to nvcc and in the usual
 * folders.
 */
void sl_find_static_runtimes(const char *given, char *text, size_t size);
/* Finds the program as execvp would. `archives` NULL: it runs on a real GPU, and nothing else is asked. Otherwise
 * fails, and says what helps, when it cannot work: without PTX, for an unsupported CUDA version, with a static CUDA
 * runtime that is not known, or where the loader ignores preloaded libraries. */
sl_status sl_app_inspect(const char *name, const char *archives, sl_app *app, sl_error *error);

/* A folder of ours next to the program that runs now, as built and as installed: "cuda" has the CUDA libraries, "hip"
 * the headers for HIP programs. */
sl_status sl_library_folder(const char *name, char *folder, size_t size, sl_error *error);

enum { SL_APP_VARIABLES = 5 };

/* How a program is started. */
typedef struct sl_app_start {
    const sl_proc_options *emulate; /* Sluice's CUDA runtime in front of NVIDIA's, with these options; NULL: no */
    const char *folder;             /* for links to libraries that LD_PRELOAD cannot name; may be NULL */
    const char *preload;            /* a library of ours to load first: "libsluice_gpu.so"; NULL: none */
    const char *variable[SL_APP_VARIABLES]; /* more of its environment: "NAME=VALUE"; NULL: none */
    const char *working;                    /* folder in which it runs; NULL: ours */
    const char *output;                     /* file for its standard output; NULL: ours */
    bool output_to_stderr;                  /* …or our standard error */
} sl_app_start;

/* Runs it to its end; it keeps its input, output and signals. `argv` ends with NULL. */
sl_status sl_app_start_and_wait(const sl_app *app, char **argv, const sl_app_start *start, sl_app_end *end,
                                sl_error *error);

/* CUDA programs as inputs: started with the library of src/cudart in front, which records the launches. */

/* For sl_record_options.start_program, which needs a scratch folder; `context` is an sl_program_settings. */
typedef struct sl_program_settings {
    bool quiet;         /* no warnings of the program's launches */
    const char *model;  /* GPU model that an OpenCL device is; NULL: the emulator's */
    const char *output; /* file for its standard output; NULL: as sl_record_options says */
    const char *folder; /* in which it runs; NULL: ours */
} sl_program_settings;
sl_program_starter sl_program_start;

#endif
