/* SPDX-License-Identifier: MIT */
/* Shows launches and tuning in the requested formats, with a header that says how they were made. */
#ifndef SL_CLI_SHOW_RESULTS_H
#define SL_CLI_SHOW_RESULTS_H

#include "cli/command.h"
#include "cli/input.h"
#include "report/findings.h"
#include "report/page.h"
#include "report/results.h"

typedef struct sl_shown_launches {
    const sl_launch_log *log;
    const sl_result *sim;     /* where the simulator made the log, and says more; NULL otherwise */
    bool modeled;             /* by the model: text has its columns */
    const sl_result *sampled; /* where some of its launches may stand for others; NULL otherwise */
    const char *machine;      /* NULL: none was involved */
    sl_findings_input find;   /* what findings are sought in; its machine NULL: none are */
    const char *note;         /* a line under the text; NULL or empty: none */
    /* Facts about the run for the head of the JSON, before the options that were given. */
    const sl_report_option *fact;
    size_t facts;
    const uint64_t *seed;         /* NULL: none was involved */
    const sl_report_trace *trace; /* NULL: the launches do not come from a trace */
    const char *subject;          /* of a page; NULL: the operand, or the program */
    size_t sources;               /* source texts of kernels that are not files */
    const sl_source_text *source;
} sl_shown_launches;

/* Prints errors and returns the exit code. `text_default` is the stream of the text without -o. */
int sl_show_launches(const sl_invocation *inv, const sl_shown_launches *shown, FILE *text_default);

/* Launches of a recorded input, modeled or simulated. */
typedef struct sl_analyzed_input {
    const sl_invocation *inv;
    const sl_cli_input *input;
    sl_analysis analysis;
    bool confirm;      /* findings get the simulator's word */
    sl_result_set set; /* the caller frees it, also after a failure */
    bool stopped;      /* by Ctrl-C: not every launch was analyzed */
} sl_analyzed_input;

sl_status sl_analyze_input(sl_analyzed_input *analyzed, sl_error *error);
/* Prints errors and returns the exit code. */
int sl_show_analyzed(const sl_analyzed_input *analyzed);

/* The same for what was tuned or measured. `input` is what was tuned; `shown` has all but its header. */
int sl_show_tuning(const sl_invocation *inv, const sl_cli_input *input, sl_tuning *shown);

/* A CUDA program with and without a bypass plan: sluice run --plan p.json --on gpu -- ./app. */

/* Runs it twice (swap/planned.h) and shows the times of each kernel side by side. Returns the exit code: that of the
 * program, or a failure. */
int sl_run_planned(const sl_invocation *inv, const char *plan, bool gpu);

#endif
