/* SPDX-License-Identifier: MIT */
/* A kernel of LLVM IR as something to run, launched as a PTX file is or by the host of a workload:
 *
 *     sluice run kernel.ll --grid 8 --block 256 --arg f32[1K]:random ...
 *     sluice run spmv_jds.ll --workload spmv_jds n=1000 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/llvm_file.h"
#include "cli/ptx_launch.h"
#include "cli/run_source.h"
#include "cli/session.h"
#include "workloads/workload.h"

static bool llvm_accepts(const sl_args *args)
{
    return !args->program && args->operands && sl_llvm_file_is(args->operand[0]);
}

static sl_status make_ptx(const char *path, const sl_run_options *options, char **ptx, size_t *length, sl_error *error)
{
    sl_llvm_file file;
    sl_llvm_options wishes = {.optimise = options->optimise};
    sl_status status = sl_llvm_file_open(&file, path, options->llvm, &wishes, error);
    if (status)
        return status;
    status = sl_llvm_file_ptx(&file, false, ptx, length, error);
    sl_llvm_file_close(&file);
    return status;
}

static sl_status run_workload(sl_session *session, const sl_invocation *inv, const sl_run_options *options,
                              const char *ptx, size_t length, sl_error *error)
{
    const sl_workload *found = NULL;
    sl_workload_result result = {0};
    sl_workload_options wishes = {.size = sl_size_names[options->size],
                                  .sets = inv->args.operands - 1,
                                  .set = inv->args.operand + 1,
                                  .seed = options->seed,
                                  .skip_check = options->no_check};
    sl_status status = sl_workload_find(options->workload, &found, error);
    if (status)
        return status;
    sl_workload workload = *found;
    workload.ptx = ptx;
    workload.ptx_end = ptx + length;
    status = sl_workload_run(&workload, session->device, &wishes, &result, error);
    if (!status)
        sl_session_note(session, "%s with the host of %s %s, seed %" PRIu64 ": %s", inv->args.operand[0], workload.name,
                        result.params, options->seed,
                        !result.compared   ? "not checked"
                        : result.worst > 0 ? "checked against the CPU, all within the error allowed"
                                           : "checked against the CPU, all equal");
    return status;
}

static sl_status run_file(sl_session *session, const sl_invocation *inv, const sl_run_options *options, sl_error *error)
{
    char *ptx = NULL;
    size_t length = 0;
    sl_device_module *module = NULL;
    sl_status status = make_ptx(inv->args.operand[0], options, &ptx, &length, error);
    if (!status && options->workload)
        status = run_workload(session, inv, options, ptx, length, error);
    else if (!status) {
        status = sl_device_load(session->device, ptx, length, inv->args.operand[0], &module, error);
        if (!status)
            status = sl_ptx_launch(module, options, session->device, error);
    }
    free(ptx);
    return status;
}

static int llvm_run(const sl_invocation *inv, const sl_run_options *options, const sl_trace_filter *filter)
{
    if (!options->workload && inv->args.operands > 1)
        return sl_cli_usage(inv, "'%s' is one argument too many; arguments of the kernel are given by --arg",
                            inv->args.operand[1]);
    if (!options->workload && (!options->grid[0] || !options->block[0]))
        return sl_cli_usage(inv, "--%s is missing: how many %s; or --workload, whose host launches the kernels",
                            options->grid[0] ? "block" : "grid",
                            options->grid[0] ? "threads a block has" : "blocks to launch");
    sl_session session;
    sl_error error = {0};
    sl_status status = sl_session_open(&session, inv, options, filter, &error);
    if (!status)
        status = run_file(&session, inv, options, &error);
    return sl_session_close(&session, status, &error);
}

const sl_run_source sl_source_llvm = {
    .name = "a file of LLVM IR",
    .accepts = llvm_accepts,
    .run = llvm_run,
};
