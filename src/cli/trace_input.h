/* SPDX-License-Identifier: MIT */
/* What analyses look at: a trace, ours or another program's, or a built-in workload that is run and recorded for the
 * occasion. Traces that are made for the occasion are temporary and gone at the end. */
#ifndef SL_CLI_TRACE_INPUT_H
#define SL_CLI_TRACE_INPUT_H

#include "cli/command.h"
#include "report/launches.h"
#include "report/page.h"

/* The struct of an analysis' options begins with this one, and the command's more_options are sl_trace_input_table. */
typedef struct sl_trace_input_options {
    sl_common common;
    const char *kernel_regex; /* NULL: all kernels */
    sl_option_range launch;
    /* workloads */
    int size; /* index into sl_size_names */
    uint64_t lanes, seed;
} sl_trace_input_options;

extern const sl_option sl_trace_input_table[];
#define SL_TRACE_INPUT_DEFAULTS                                                                                        \
    {                                                                                                                  \
        .size = 1, .lanes = 32, .seed = 1                                                                              \
    }
#define SL_TRACE_INPUT_USAGE   "(TRACE | WORKLOAD [NAME=VALUE...])"
#define SL_TRACE_INPUT_OPERAND "a trace or a workload"
enum { SL_TRACE_INPUT_MOST_OPERANDS = 64 };

typedef struct sl_trace_input {
    sl_trace *trace;
    uint32_t launches; /* that --kernel and --launch let through */
    uint32_t *launch;  /* [launches]: numbers for sl_trace_launch_at */
    const char *name;  /* the operand */
    sl_report_trace about;
    sl_error damage;    /* of the file; its status is SL_OK where there is none */
    char workload[320]; /* name and parameters; empty: it was a trace */
    size_t texts;       /* that lines of the workload's kernels are in */
    sl_source_text text[2];
} sl_trace_input;

/* On failure there is nothing to close. */
sl_status sl_trace_input_open(sl_trace_input *input, const sl_invocation *inv, sl_error *error);
void sl_trace_input_close(sl_trace_input *input);

/* The PTX of a workload and its source. Returns how many there are. */
struct sl_workload;
size_t sl_workload_texts(const struct sl_workload *workload, sl_source_text text[2]);

#endif
