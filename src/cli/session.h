/* SPDX-License-Identifier: MIT */
/* One run of kernels on a device, on behalf of run and trace: opens the device, listens to its launches, and in the end
 * shows the report or says what went wrong. */
#ifndef SL_CLI_SESSION_H
#define SL_CLI_SESSION_H

#include "cli/run_source.h"
#include "device/device.h"
#include "report/launches.h"
#include "report/page.h"

enum { SL_SESSION_OPTIONS = 4 };

typedef struct sl_session {
    const sl_invocation *inv;
    const sl_run_options *options;
    sl_device *device;
    sl_recorder *recorder; /* NULL on a real GPU */
    sl_launch_log *log;
    sl_status late; /* of a callback that cannot fail itself */
    char note[512]; /* shown under the report; empty: none */
    size_t described;
    sl_report_option described_as[SL_SESSION_OPTIONS]; /* for the head of a JSON report; strings are borrowed */
    const char *subject;                               /* of a page; NULL: the operand */
    sl_source_text text[2];                            /* that lines of kernels are in */
    size_t texts;
} sl_session;

/* On failure nothing is left to close, but sl_session_close may be called all the same. */
sl_status sl_session_open(sl_session *session, const sl_invocation *inv, const sl_run_options *options,
                          const sl_trace_filter *filter, sl_error *error);
void sl_session_note(sl_session *session, const char *format, ...) SL_PRINTF(2, 3);
/* A fact about the run for the head of the JSON report; at most SL_SESSION_OPTIONS. */
void sl_session_describe(sl_session *session, const char *name, const char *value);
/* With `status` SL_OK finishes the trace and shows the report; otherwise drops them and tells the error. Returns the
 * exit code. */
int sl_session_close(sl_session *session, sl_status status, sl_error *error);

#endif
