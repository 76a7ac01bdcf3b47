/* SPDX-License-Identifier: MIT */
/* A built-in workload as something to run: sluice run matmul --size small n=48. */
#include <inttypes.h>
#include <string.h>

#include "cli/run_source.h"
#include "cli/session.h"
#include "cli/trace_input.h"
#include "workloads/workload.h"

static bool workload_accepts(const sl_args *args)
{
    const sl_workload *workload;
    return !args->program && args->operands && !sl_workload_find(args->operand[0], &workload, NULL);
}

static int workload_run(const sl_invocation *inv, const sl_run_options *options, const sl_trace_filter *filter)
{
    const sl_workload *workload = NULL;
    sl_session session;
    sl_error error = {0};
    sl_workload_result result = {0};
    sl_workload_options wishes = {
        .size = sl_size_names[options->size],
        .sets = inv->args.operands - 1,
        .set = inv->args.operand + 1,
        .seed = options->seed,
        .skip_check = options->no_check,
    };
    sl_status status = sl_session_open(&session, inv, options, filter, &error);
    if (!status)
        status = sl_workload_find(inv->args.operand[0], &workload, &error);
    if (!status)
        status = sl_workload_run(workload, session.device, &wishes, &result, &error);
    char subject[320];
    snprintf(subject, sizeof subject, "%s %s", inv->args.operand[0], result.params);
    session.subject = subject;
    if (workload)
        session.texts = sl_workload_texts(workload, session.text);
    sl_session_describe(&session, "workload", inv->args.operand[0]);
    sl_session_describe(&session, "parameters", result.params);
    sl_session_describe(&session, "check", options->no_check ? "skipped" : result.worst > 0 ? "near" : "equal");
    if (!status && result.compared)
        sl_session_note(&session, "%s %s, seed %" PRIu64 ": %" PRIu64 " values checked against the CPU%s",
                        workload->name, result.params, options->seed, result.compared,
                        result.worst > 0 ? ", all within the error allowed" : ", all equal");
    else if (!status)
        sl_session_note(&session, "%s %s, seed %" PRIu64 ": not checked", workload->name, result.params, options->seed);
    return sl_session_close(&session, status, &error);
}

/* For suggestions. The registry is small and constant; the list is made of its names. */
static const char *const *workload_names(void)
{
    static const char *const names[] = {
#define SL_WORKLOAD(name, ...) #name,
#include "workloads/registry.def"
#undef SL_WORKLOAD
        NULL,
    };
    return names;
}

const sl_run_source sl_source_workload = {
    .name = "a built-in workload",
    .accepts = workload_accepts,
    .run = workload_run,
    .names = workload_names,
};
