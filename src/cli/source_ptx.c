/* SPDX-License-Identifier: MIT */
/* A kernel of a PTX file as something to run: sluice run kernel.ptx --grid 8 --block 256 --arg f32[1K]:random ... */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/ptx_launch.h"
#include "cli/run_source.h"
#include "cli/session.h"

static bool ptx_accepts(const sl_args *args)
{
    if (args->program || !args->operands)
        return false;
    const char *dot = strrchr(args->operand[0], '.');
    return dot && !strcmp(dot, ".ptx");
}

static sl_status run_file(const char *path, const sl_run_options *options, sl_device *device, sl_error *error)
{
    char *text = NULL;
    size_t length = 0;
    sl_device_module *module = NULL;
    sl_status status = sl_file_read(path, &text, &length, error);
    if (!status)
        status = sl_device_load(device, text, length, path, &module, error);
    if (!status)
        status = sl_ptx_launch(module, options, device, error);
    free(text);
    return status;
}

static int ptx_run(const sl_invocation *inv, const sl_run_options *options, const sl_trace_filter *filter)
{
    if (inv->args.operands > 1)
        return sl_cli_usage(inv, "'%s' is one argument too many; arguments of the kernel are given by --arg",
                            inv->args.operand[1]);
    if (!options->grid[0] || !options->block[0])
        return sl_cli_usage(inv, "--%s is missing: how many %s", options->grid[0] ? "block" : "grid",
                            options->grid[0] ? "threads a block has" : "blocks to launch");
    sl_session session;
    sl_error error = {0};
    sl_status status = sl_session_open(&session, inv, options, filter, &error);
    if (!status)
        status = run_file(inv->args.operand[0], options, session.device, &error);
    return sl_session_close(&session, status, &error);
}

const sl_run_source sl_source_ptx = {
    .name = "a PTX file",
    .accepts = ptx_accepts,
    .run = ptx_run,
};
