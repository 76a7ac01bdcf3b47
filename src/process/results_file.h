/* SPDX-License-Identifier: MIT */
/* What the CUDA library in a program tells `sluice run`: one file per process, one record per launch.
 *
 * A private format between two parts of one build. Records are appended and flushed one by one, so a program that
 * crashes loses nothing that had finished; the reader stops at the first record that is not whole. */
#ifndef SL_PROC_RESULTS_FILE_H
#define SL_PROC_RESULTS_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/recorder.h"

typedef struct sl_results_writer sl_results_writer;

/* CPU time of a process: in calls of CUDA, and, of these, in launches, and on writing the trace. */
typedef struct sl_cpu_times {
    uint64_t calls_ns, emulation_ns, writing_ns;
} sl_cpu_times;

/* Creates the next free file of `folder`: processes of one run number themselves in the order they start. *number is
 * 0 for the first. */
sl_status sl_results_writer_create(const char *folder, sl_results_writer **writer, uint32_t *number, sl_error *error);
sl_status sl_results_write(sl_results_writer *writer, const sl_launch_result *result, sl_error *error);
/* The last thing that is written. */
void sl_results_times(sl_results_writer *writer, const sl_cpu_times *spent);
/* Kernels are identified by their address: after this, addresses may mean other kernels. */
void sl_results_forget_kernels(sl_results_writer *writer);
/* `finished`: the program came to its end. NULL is fine. */
void sl_results_writer_close(sl_results_writer *writer, bool finished);

/* Called for each launch, in order. Everything pointed to is valid during the call. */
typedef sl_status sl_results_visit(void *context, const sl_launch_result *result, sl_error *error);

typedef struct sl_results_summary {
    uint32_t pid;  /* of the process */
    bool finished; /* it came to its end */
    sl_cpu_times spent;
} sl_results_summary;

/* Reads file `number` of `folder`. SL_NOT_FOUND: there is none. */
sl_status sl_results_read(const char *folder, uint32_t number, sl_results_visit *visit, void *context,
                          sl_results_summary *summary, sl_error *error);
/* The same for bytes in memory. */
sl_status sl_results_parse(const void *data, size_t bytes, sl_results_visit *visit, void *context,
                           sl_results_summary *summary, sl_error *error);
/* Path of file `number`, into `buffer`; returns it. */
char *sl_results_path(const char *folder, uint32_t number, char *buffer, size_t size);
/* Notes that a process of the run went on without something it needed, with a sentence: the run is then no success. An
 * empty folder: nobody reads it. */
void sl_results_problem(const char *folder, const char *text);
uint64_t sl_results_problems(const char *folder);
/* Something that the report should say about the run. False: there is nobody to say it. */
bool sl_results_note(const char *folder, const char *text);
/* All of them, a line each; cut off at `size`. */
void sl_results_notes(const char *folder, char *text, size_t size);
/* The same for the kernels that a process launched, where the filter let none of them through. */
void sl_results_unmatched(const char *folder, const char *kernels);
void sl_results_all_unmatched(const char *folder, char *text, size_t size);
/* Where process `number` records to: the first to the path that was asked for, further ones next to it. */
char *sl_results_trace_path(const char *trace, uint32_t number, char *buffer, size_t size);

#endif
