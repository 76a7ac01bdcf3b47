/* SPDX-License-Identifier: MIT */
#include "cli/trace_input.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/temporary.h"
#include "device/device.h"
#include "trace/import.h"
#include "trace/recorder.h"
#include "workloads/workload.h"

static const char *const size_choices[] = {"small", "default", "large", NULL}; /* as sl_size_names */

#define AT(field) offsetof(sl_trace_input_options, field)
// clang-format off
const sl_option sl_trace_input_table[] = {
    {"kernel", 'k', SL_OPTION_STRING, "REGEX", "Look only at launches of kernels whose name matches", AT(kernel_regex), 0, 0, NULL},
    {"launch", 0, SL_OPTION_RANGE, "A-B", "Look only at launches A to B, counted from 0 over the whole run", AT(launch), 0, 0, NULL},
    {"size", 0, SL_OPTION_CHOICE, "SIZE", "Workload: its size (default: default)", AT(size), 0, 0, size_choices},
    {"lanes", 0, SL_OPTION_NUMBER, "N", "Workload: threads per warp, 32 or 64 (default: 32); a trace has its own", AT(lanes), 32, 64, NULL},
    {"seed", 0, SL_OPTION_NUMBER, "N", "Workload: seed of its inputs (default: 1)", AT(seed), 0, 0, NULL},
    {0},
};
// clang-format on

static const sl_trace_input_options *options_of(const sl_invocation *inv)
{
    return inv->values;
}

/* ---- traces made for the occasion ---- */

typedef struct occasion {
    char folder[1024], path[1040];
    sl_recorder *recorder;
} occasion;

static sl_status begin_recording(occasion *o, const sl_invocation *inv, sl_error *error)
{
    const sl_trace_input_options *options = options_of(inv);
    sl_status status = sl_temporary_folder(o->folder, sizeof o->folder, error);
    if (status)
        return status;
    snprintf(o->path, sizeof o->path, "%s/trace.slt", o->folder);
    sl_trace_filter filter = {
        .kernel_regex = options->kernel_regex,
        .first_launch = options->launch.first,
        .last_launch = options->launch.last,
        .ranged = options->launch.given,
    };
    sl_recorder_config config = {.filter = &filter, .trace_path = o->path, .producer = inv->line, .zstd_level = 1};
    status = sl_recorder_create(&config, &o->recorder, error);
    if (status)
        sl_temporary_folder_remove(o->folder);
    return status;
}

/* An open trace needs its name no more. */
static sl_status end_recording(occasion *o, sl_status status, sl_trace **trace, sl_error *error)
{
    if (status) {
        sl_recorder_abandon(o->recorder);
    } else {
        status = sl_recorder_finish(o->recorder, error);
        if (!status)
            status = sl_trace_open(o->path, trace, NULL, error);
    }
    sl_temporary_folder_remove(o->folder);
    return status;
}

static sl_status import_foreign(sl_trace_input *input, const sl_invocation *inv, sl_error *error)
{
    occasion o;
    sl_status status = begin_recording(&o, inv, error);
    if (status)
        return status;
    status = sl_import(input->name, sl_recorder_sink(o.recorder), inv->progress, error);
    return end_recording(&o, status, &input->trace, error);
}

size_t sl_workload_texts(const sl_workload *w, sl_source_text text[2])
{
    text[0] = (sl_source_text){w->source_name, w->source, (size_t)(w->source_end - w->source)};
    text[1] = (sl_source_text){w->ptx_name, w->ptx, (size_t)(w->ptx_end - w->ptx)};
    return 2;
}

static sl_status run_workload(sl_trace_input *input, const sl_workload *workload, const sl_invocation *inv,
                              sl_error *error)
{
    const sl_trace_input_options *options = options_of(inv);
    if (options->lanes != 32 && options->lanes != 64)
        return sl_fail(error, SL_INVALID, "--lanes: a warp has 32 or 64 lanes, not %llu",
                       (unsigned long long)options->lanes);
    occasion o;
    sl_status status = begin_recording(&o, inv, error);
    if (status)
        return status;
    sl_emu_config emu = {
        .lanes = (uint32_t)options->lanes,
        .threads = (uint32_t)inv->common->threads,
        .sink = sl_recorder_sink(o.recorder),
    };
    sl_workload_options wishes = {
        .size = sl_size_names[options->size],
        .sets = inv->args.operands - 1,
        .set = inv->args.operand + 1,
        .seed = options->seed,
        .skip_check = true,
    };
    sl_workload_result result = {0};
    sl_device *device = NULL;
    sl_progress_update(inv->progress, "launches run", 0, 0);
    status = sl_device_open("emu", &(sl_device_config){.emu = &emu}, &device, error);
    if (!status)
        status = sl_workload_run(workload, device, &wishes, &result, error);
    sl_device_close(device);
    snprintf(input->workload, sizeof input->workload, "%s %s", workload->name, result.params);
    input->texts = sl_workload_texts(workload, input->text);
    return end_recording(&o, status, &input->trace, error);
}

/* ---- which launches ---- */

static sl_status choose_launches(sl_trace_input *input, const sl_trace_input_options *options, sl_error *error)
{
    regex_t regex;
    int code = options->kernel_regex ? regcomp(&regex, options->kernel_regex, REG_EXTENDED | REG_NOSUB) : 0;
    if (code) {
        char reason[256];
        regerror(code, &regex, reason, sizeof reason);
        return sl_fail(error, SL_INVALID, "'%s' is not a regular expression: %s", options->kernel_regex, reason);
    }
    uint32_t all = sl_trace_launches(input->trace);
    input->launch = calloc(all ? all : 1, sizeof *input->launch);
    for (uint32_t n = 0; input->launch && n < all; n++) {
        const sl_trace_launch *launch = sl_trace_launch_at(input->trace, n);
        const sl_trace_kernel *kernel = sl_trace_kernel_at(input->trace, launch->kernel);
        bool named = !options->kernel_regex || !regexec(&regex, kernel->symbol, 0, NULL, 0) ||
                     !regexec(&regex, kernel->name, 0, NULL, 0);
        bool within =
            !options->launch.given || (launch->index >= options->launch.first && launch->index <= options->launch.last);
        if (named && within)
            input->launch[input->launches++] = n;
    }
    if (options->kernel_regex)
        regfree(&regex);
    return input->launch ? SL_OK : sl_fail_memory(error);
}

/* ---- the operand ---- */

static sl_status unknown_operand(const char *word, sl_error *error)
{
    enum { MOST_NAMES = 256 };
    const char *names[MOST_NAMES];
    size_t count = 0;
    char hint[128];
    for (; count < sl_workload_count() && count < MOST_NAMES; count++)
        names[count] = sl_workload_at(count)->name;
    return sl_fail(error, SL_NOT_FOUND, "'%s' is neither a file nor a workload%s", word,
                   sl_did_you_mean(word, names, count, "", hint, sizeof hint));
}

static sl_status open_file(sl_trace_input *input, const sl_invocation *inv, sl_error *error)
{
    sl_trace_format format;
    sl_status status = sl_trace_detect(input->name, &format, error);
    if (status)
        return status;
    if (inv->args.operands > 1)
        return sl_fail(error, SL_INVALID, "'%s' is one argument too many: %s is a trace", inv->args.operand[1],
                       input->name);
    input->about.format = sl_trace_format_name(format);
    if (format == SL_FORMAT_UNKNOWN)
        return sl_fail_at(error, SL_INVALID, input->name, 0, 0, "this is no trace that Sluice can read");
    if (format != SL_FORMAT_SLUICE)
        return import_foreign(input, inv, error);
    status = sl_trace_open(input->name, &input->trace, &input->damage, error);
    if (status)
        return status;
    input->about.bytes = sl_trace_bytes(input->trace);
    input->about.producer = sl_trace_producer(input->trace);
    input->about.damage = input->damage.status ? input->damage.text : NULL;
    return SL_OK;
}

sl_status sl_trace_input_open(sl_trace_input *input, const sl_invocation *inv, sl_error *error)
{
    const sl_workload *workload = NULL;
    *input = (sl_trace_input){.name = inv->args.operand[0], .about = {.path = inv->args.operand[0]}};
    sl_status status;
    if (!sl_workload_find(input->name, &workload, NULL))
        status = run_workload(input, workload, inv, error);
    else if (access(input->name, F_OK) && !strchr(input->name, '/'))
        status = unknown_operand(input->name, error);
    else
        status = open_file(input, inv, error);
    if (!status)
        status = choose_launches(input, options_of(inv), error);
    if (status)
        sl_trace_input_close(input);
    return status;
}

void sl_trace_input_close(sl_trace_input *input)
{
    free(input->launch);
    sl_trace_close(input->trace);
    input->launch = NULL;
    input->trace = NULL;
}
