/* SPDX-License-Identifier: MIT */
#include "cli/input.h"

#include <string.h>
#include <unistd.h>

#include "analysis/input_plan.h"
#include "cli/folders.h"
#include "cli/output.h"
#include "exec/start.h"
#include "trace/kernel_filter.h"

#define SL_OPTION_TEXT SL_OPTION_STRING /* as settings.def calls it */

const sl_option sl_input_table[] = {
#define SL_INPUT_OPTION(kind, field, inputs, option, letter, value, min, max, choices, help)                           \
    {option, letter, SL_OPTION_##kind, value, help, offsetof(sl_input_options, field), min, max, choices},
#include "cli/input.def"
#undef SL_INPUT_OPTION
    {0},
};

/* Of each option of the table, to which inputs it applies. */
static const unsigned applies_to[] = {
#define SL_INPUT_OPTION(kind, field, inputs, ...) inputs,
#include "cli/input.def"
#undef SL_INPUT_OPTION
};
enum { INPUT_OPTIONS = sizeof applies_to / sizeof *applies_to };

static unsigned inputs_of(const sl_option *option)
{
    bool ours = option >= sl_input_table && option < sl_input_table + INPUT_OPTIONS;
    return ours ? applies_to[option - sl_input_table] : SL_TAKES_ALL;
}

bool sl_option_applies(const sl_command *command, const sl_option *option)
{
    unsigned inputs = inputs_of(option), uses = inputs & SL_USES_ALL;
    return !command->inputs || (inputs & command->inputs & SL_TAKES_ALL && (command->inputs & uses) == uses);
}

int sl_check_input_options(const sl_invocation *inv)
{
    const sl_command *command = inv->command;
    for (size_t i = 0; i < inv->args.sets; i++) {
        const sl_option *o = inv->args.set[i];
        if (sl_option_applies(command, o))
            continue;
        if (!(inputs_of(o) & command->inputs & SL_TAKES_ALL))
            return sl_cli_usage(inv, "--%s does not apply to '%s', which takes %s", o->name, command->name,
                                command->operand);
        return sl_cli_usage(inv, "--%s does not apply to '%s', which %s", o->name, command->name,
                            inputs_of(o) & SL_USES_EMULATOR & ~command->inputs ? "does not use the emulator"
                                                                               : "does nothing at random");
    }
    return SL_EXIT_OK;
}

bool sl_is_input_option(const sl_option *option)
{
    return option->offset > offsetof(sl_input_options, blocks) && option->offset < sizeof(sl_input_options);
}

static const sl_input_options *options_of(const sl_invocation *inv)
{
    return inv->values;
}

/* ---- from the command line ---- */

static bool join_params(sl_cli_input *to, const sl_args *args)
{
    size_t used = 0;
    for (size_t i = 1; i < args->operands && used < sizeof to->params; i++)
        used +=
            (size_t)snprintf(to->params + used, sizeof to->params - used, "%s%s", i > 1 ? " " : "", args->operand[i]);
    return used < sizeof to->params;
}

static sl_input_spec spec_of(const sl_cli_input *to, const sl_invocation *inv, bool number_loads)
{
    const sl_input_options *o = options_of(inv);
    const sl_args *args = &inv->args;
    sl_input_spec spec = {
        .name = args->program ? args->program[0] : args->operand[0],
        .program = args->program,
        .size = sl_size_names[o->size],
        .params = to->params,
        .host = o->workload ? o->workload : "",
        .cubin = o->cubin ? o->cubin : "",
        .llvm = o->llvm ? o->llvm : "",
        .optimize = o->optimize,
        .number_loads = number_loads,
        .seed = o->seed,
        .launch = {.entry = o->entry, .shared_bytes = o->shared_bytes, .args = o->arg.count, .arg = o->arg.item}};
    memcpy(spec.launch.grid, o->grid, sizeof spec.launch.grid);
    memcpy(spec.launch.block, o->block, sizeof spec.launch.block);
    return spec;
}

/* The value of --gpu where it is one. */
static const char *given_model(const sl_invocation *inv)
{
    for (size_t i = 0; i < inv->args.sets; i++) {
        const sl_option *o = inv->args.set[i];
        if (!strcmp(o->name, "gpu") && o->kind == SL_OPTION_STRING)
            return *(const char *const *)((const char *)inv->values + o->offset);
    }
    return NULL;
}

static void fill_record(sl_cli_input *to, const sl_invocation *inv, uint32_t lanes)
{
    const sl_input_options *o = options_of(inv);
    bool plans = to->input.spec.number_loads || sl_was_given(inv, "plan");
    if (plans && to->input.kind == SL_INPUT_PROGRAM)
        snprintf(to->ptx, sizeof to->ptx, "%s/ptx", to->scratch);
    to->record =
        (sl_record_options){.filter = {.kernel_regex = o->kernel_regex, .launches = o->launch, .blocks = o->blocks},
                            .process = (uint32_t)o->process,
                            .settings = o->settings,
                            .output_to_stderr = sl_output_takes_stdout(inv->common),
                            .producer = inv->line,
                            .scratch = to->scratch,
                            .ptx_path = *to->ptx ? to->ptx : NULL,
                            .spill = sl_temporary_base(),
                            .start_program = sl_program_start,
                            .program_context = &to->program,
                            .progress = inv->progress};
    to->record.settings.threads = inv->common->threads;
    to->program = (sl_program_settings){.quiet = inv->common->quiet, .model = given_model(inv)};
    if (!o->settings.lanes)
        to->record.settings.lanes = lanes ? lanes : 32;
}

/* Rejects options that do not apply to this kind of input. */
static int check_options(const sl_invocation *inv, sl_input_kind kind, const char *name)
{
    for (size_t i = 0; i < inv->args.sets; i++)
        if (!(inputs_of(inv->args.set[i]) & 1u << kind))
            return sl_cli_usage(inv, "--%s does not apply to %s, which is %s", inv->args.set[i]->name, name,
                                sl_input_kind_name(kind));
    return SL_EXIT_OK;
}

static int check_lanes(const sl_invocation *inv, uint32_t machine)
{
    uint64_t lanes = options_of(inv)->settings.lanes;
    if (lanes && lanes != 32 && lanes != 64)
        return sl_cli_usage(inv, "--lanes: a warp has 32 or 64 lanes, not %llu", (unsigned long long)lanes);
    if (lanes && machine && lanes != machine)
        return sl_cli_usage(inv, "--lanes %llu: warps of this GPU model have %u lanes", (unsigned long long)lanes,
                            machine);
    return SL_EXIT_OK;
}

static int check_kind(const sl_invocation *inv, unsigned kinds, sl_input_kind kind, const char *name)
{
    if (kinds & 1u << kind)
        return SL_EXIT_OK;
    return sl_cli_usage(inv, "%s is %s; '%s' takes %s", name, sl_input_kind_name(kind), inv->command->name,
                        inv->command->operand);
}

/* ---- for reports ---- */

/* The PTX of a workload and its source. Returns how many there are. */
static size_t workload_sources(const sl_workload *w, sl_source_text text[2])
{
    text[0] = (sl_source_text){w->source_name, w->source, (size_t)(w->source_end - w->source)};
    text[1] = (sl_source_text){w->ptx_name, w->ptx, (size_t)(w->ptx_end - w->ptx)};
    return 2;
}

static void describe(sl_cli_input *to)
{
    static const char *const facts[] = {"workload", "ptx", "llvm-ir", "program"};
    const sl_input *input = &to->input;
    const char *params = to->recording.end.workload.params;
    if (input->kind == SL_INPUT_WORKLOAD) {
        snprintf(to->subject, sizeof to->subject, "%s%s%s", input->spec.name, *params ? " " : "", params);
        to->texts = workload_sources(input->workload, to->text);
    } else {
        snprintf(to->subject, sizeof to->subject, "%s", input->spec.name);
    }
    if (input->kind < SL_INPUT_TRACE) {
        to->fact = (sl_report_option){facts[input->kind], to->subject};
        return;
    }
    to->about = (sl_report_trace){.path = input->spec.name, .format = sl_trace_format_name(input->format)};
    if (input->kind == SL_INPUT_TRACE && to->recording.trace) {
        to->about.bytes = sl_trace_bytes(to->recording.trace);
        to->about.producer = sl_trace_producer(to->recording.trace);
        to->about.damage = to->recording.damage.status ? to->recording.damage.text : NULL;
    }
    to->trace = &to->about;
}

/* ---- opening and recording ---- */

int sl_cli_input_open(sl_cli_input *to, const sl_invocation *inv, unsigned kinds, uint32_t lanes, bool number_loads)
{
    sl_error error = {0};
    sl_input_kind kind;
    memset(to, 0, sizeof *to);
    if (!join_params(to, &inv->args))
        return sl_cli_usage(inv, "the parameters are longer than %zu characters", sizeof to->params - 1);
    const sl_input_spec spec = spec_of(to, inv, number_loads);
    sl_status status = sl_input_detect(&spec, &kind, &error);
    if (status == SL_IO && !(kinds & SL_TAKES_TRACES) && strchr(spec.name, '/'))
        return sl_cli_usage(inv, "%s; give a program after '--': sluice %s -- %s", error.text, inv->command->name,
                            spec.name);
    if (status)
        return status == SL_NOT_FOUND ? sl_cli_usage(inv, "%s", error.text) : sl_cli_fail(inv, &error);
    int code = check_kind(inv, kinds, kind, spec.name);
    if (!code)
        code = check_options(inv, kind, spec.name);
    if (!code)
        code = check_lanes(inv, lanes);
    if (code)
        return code;
    sl_launch_set launches;
    if (sl_launch_set_parse(options_of(inv)->launch, &launches, &error) || sl_input_check(&spec, kind, &error))
        return sl_cli_usage(inv, "%s", error.text);
    status = sl_input_open(&spec, &to->input, &error);
    if (!status && kind != SL_INPUT_TRACE && sl_temporary_folder(to->scratch, sizeof to->scratch, &error)) {
        *to->scratch = 0;
        sl_input_close(&to->input);
        status = error.status;
    }
    if (status)
        return sl_cli_fail(inv, &error);
    fill_record(to, inv, lanes);
    describe(to);
    return SL_EXIT_OK;
}

void sl_cli_input_warn(const sl_invocation *inv, const sl_run_end *end, const char *trace)
{
    sl_cli_times_note(end, inv->args.program != NULL);
    if (end->unfinished)
        sl_cli_warn(inv, "the program ended early; %s contains what was recorded until then",
                    trace ? trace : "the recording");
    if (end->signal)
        sl_cli_warn(inv, "the program was killed by signal %d (%s)", end->signal, strsignal(end->signal));
}

int sl_cli_input_run(sl_cli_input *to, const sl_invocation *inv, bool damaged)
{
    sl_error error = {0};
    sl_status status = sl_record(&to->input, &to->record, &to->recording, &error);
    if (!status)
        status = sl_pool_create((unsigned)inv->common->threads, &to->pool, &error);
    if (!status && to->recording.damage.status && !damaged) {
        error = to->recording.damage;
        status = error.status;
    }
    if (status) {
        sl_cli_input_close(to);
        return sl_cli_fail(inv, &error);
    }
    describe(to);
    sl_cli_input_warn(inv, &to->recording.end, NULL);
    if (*to->recording.end.note)
        sl_cli_warn(inv, "%s", to->recording.end.note);
    return SL_EXIT_OK;
}

int sl_cli_input_record(sl_cli_input *to, const sl_invocation *inv, unsigned kinds, uint32_t lanes, bool damaged)
{
    int code = sl_cli_input_open(to, inv, kinds, lanes, false);
    return code ? code : sl_cli_input_run(to, inv, damaged);
}

void sl_cli_input_close(sl_cli_input *to)
{
    sl_pool_destroy(to->pool);
    to->pool = NULL;
    sl_recording_close(&to->recording);
    sl_input_close(&to->input);
    if (*to->scratch)
        sl_temporary_folder_remove(to->scratch);
    *to->scratch = 0;
}

sl_status sl_cli_input_find_code(sl_cli_input *to, const char *code, sl_error *error)
{
    const char *path = code ? code : !access(to->ptx, R_OK) ? to->ptx : NULL;
    return path ? sl_input_find_code(&to->input, path, error) : SL_OK;
}

FILE *sl_cli_input_stream(const sl_cli_input *input)
{
    return input->input.kind == SL_INPUT_PROGRAM ? stderr : stdout;
}

int sl_cli_input_code(const sl_cli_input *input, int code)
{
    const sl_run_end *end = &input->recording.end;
    return code ? code : end->exit_code ? end->exit_code : end->problems ? SL_EXIT_FAILURE : SL_EXIT_OK;
}
