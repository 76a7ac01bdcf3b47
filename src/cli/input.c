/* SPDX-License-Identifier: MIT */
#include "cli/input.h"

#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/temporary.h"
#include "exec/start_program.h"
#include "study/input_plan.h"

static const char *const size_choices[] = {"small", "default", "large", NULL}; /* as sl_size_names */
static const char *const isa_choices[] = {"best", "portable", "v2", "v3", NULL};
static const char *const contract_choices[] = {"ptxas", "off", NULL};
static const char *const check_choices[] = {"gpu", "address", "uninit", "race", NULL};
enum { CHECK_GPU, CHECK_ADDRESS, CHECK_UNINIT, CHECK_RACE };
enum { SL_INPUT_OPTIONS = 20 }; /* of the table */

#define AT(field) offsetof(sl_input_options, field)
// clang-format off
const sl_option sl_input_table[] = {
    {"kernel", 'k', SL_OPTION_STRING, "REGEX", "Analyse only launches of kernels whose symbol or name matches REGEX", AT(kernel_regex), 0, 0, NULL},
    {"launch", 0, SL_OPTION_RANGE, "A-B", "Analyse only launches A to B, counted from 0 over the whole run", AT(launch), 0, 0, NULL},
    {"blocks", 0, SL_OPTION_NUMBER, "N", "Analyse only the first N blocks of each launch", AT(blocks), 1, 0, NULL},
    {"size", 0, SL_OPTION_CHOICE, "SIZE", "Workload: input size (default: default)", AT(size), 0, 0, size_choices},
    {"seed", 0, SL_OPTION_NUMBER, "N", "Seed of generated inputs and of randomised analyses (default: 1)", AT(seed), 0, 0, NULL},
    {"lanes", 0, SL_OPTION_NUMBER, "N", "Threads per warp, 32 or 64 (default: that of the GPU model, or 32)", AT(lanes), 32, 64, NULL},
    {"max-instructions", 0, SL_OPTION_NUMBER, "N", "Abort a launch with an error after N warp instructions", AT(max_instructions), 1, 0, NULL},
    {"check", 0, SL_OPTION_CHOICE, "WHAT", "Strictness of memory checking: gpu (only what hardware faults on; the default), address (also accesses just outside of allocations), uninit (also reads of uninitialised memory), race (address, and races of warps of a block between barriers)", AT(check), 0, 0, check_choices},
    {"fp-contract", 0, SL_OPTION_CHOICE, "HOW", "Products and sums that become one fma: ptxas (as it does by default), off (only those written as fma)", AT(contract), 0, 0, contract_choices},
    {"isa", 0, SL_OPTION_CHOICE, "NAME", "Host instruction set that the emulator uses (default: best)", AT(isa), 0, 0, isa_choices},
    {"entry", 0, SL_OPTION_STRING, "NAME", "PTX, LLVM IR: kernel to launch (default: the only one)", AT(entry), 0, 0, NULL},
    {"grid", 0, SL_OPTION_DIMS, "X,Y,Z", "PTX, LLVM IR: grid size in blocks", AT(grid), 1, INT32_MAX, NULL},
    {"block", 0, SL_OPTION_DIMS, "X,Y,Z", "PTX, LLVM IR: block size in threads", AT(block), 1, 1024, NULL},
    {"shared", 0, SL_OPTION_BYTES, "BYTES", "PTX, LLVM IR: bytes of dynamic shared memory", AT(shared_bytes), 0, 0, NULL},
    {"arg", 0, SL_OPTION_LIST, "VALUE", "PTX, LLVM IR: a kernel argument (see 'sluice run --help'); give one per parameter, in order", AT(arg), 0, 0, NULL},
    {"cubin", 0, SL_OPTION_STRING, "PATH", "Workload, PTX, LLVM IR: machine code of its kernels, as ptxas makes it, whose facts the trace gets: a cubin, or a folder with a file NAME.cubin for input NAME", AT(cubin), 0, 0, NULL},
    {"workload", 0, SL_OPTION_STRING, "NAME", "LLVM IR: launch its kernels as the host code of this workload does; NAME=VALUE may follow the file", AT(workload), 0, 0, NULL},
    {"llvm", 0, SL_OPTION_STRING, "VERSION", "LLVM IR: LLVM version to use, 14 to 19, or the path of its library (default: the newest installed)", AT(llvm), 0, 0, NULL},
    {"optimise", 0, SL_OPTION_FLAG, NULL, "LLVM IR: optimise it with -O2 first", AT(optimise), 0, 0, NULL},
    {"cudart-static", 0, SL_OPTION_STRING, "FILE", "CUDA program without symbols: the libcudart_static.a it was linked with (default: those of the installed toolkits)", AT(cudart_static), 0, 0, NULL},
    {"compute-capability", 0, SL_OPTION_STRING, "X.Y", "CUDA program: compute capability of the device it sees (default: 9.0); one that CUDA's libraries do not know, such as 13.0, makes them use kernels with PTX", AT(compute_capability), 0, 0, NULL},
    {0},
};
// clang-format on

/* Options that apply to some kinds of input only. */
static const struct {
    size_t offset;
    unsigned kinds;
} belongs[] = {
    {AT(blocks), SL_TAKES_ALL & ~(1u << SL_INPUT_TRACE)},
    {AT(size), 1 << SL_INPUT_WORKLOAD | 1 << SL_INPUT_LLVM},
    {AT(lanes), SL_TAKES_CODE | SL_TAKES_PROGRAMS},
    {AT(max_instructions), SL_TAKES_CODE | SL_TAKES_PROGRAMS},
    {AT(check), SL_TAKES_CODE | SL_TAKES_PROGRAMS},
    {AT(contract), SL_TAKES_CODE | SL_TAKES_PROGRAMS},
    {AT(isa), SL_TAKES_CODE | SL_TAKES_PROGRAMS},
    {AT(entry), 1 << SL_INPUT_PTX | 1 << SL_INPUT_LLVM},
    {AT(grid), 1 << SL_INPUT_PTX | 1 << SL_INPUT_LLVM},
    {AT(block), 1 << SL_INPUT_PTX | 1 << SL_INPUT_LLVM},
    {AT(shared_bytes), 1 << SL_INPUT_PTX | 1 << SL_INPUT_LLVM},
    {AT(arg), 1 << SL_INPUT_PTX | 1 << SL_INPUT_LLVM},
    {AT(cubin), SL_TAKES_CODE},
    {AT(workload), 1 << SL_INPUT_LLVM},
    {AT(llvm), 1 << SL_INPUT_LLVM},
    {AT(optimise), 1 << SL_INPUT_LLVM},
    {AT(cudart_static), SL_TAKES_PROGRAMS},
    {AT(compute_capability), SL_TAKES_PROGRAMS},
};

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
        .optimise = o->optimise,
        .number_loads = number_loads,
        .seed = o->seed,
        .launch = {.entry = o->entry, .shared_bytes = o->shared_bytes, .args = o->arg.count, .arg = o->arg.item}};
    memcpy(spec.launch.grid, o->grid, sizeof spec.launch.grid);
    memcpy(spec.launch.block, o->block, sizeof spec.launch.block);
    return spec;
}

static void fill_record(sl_cli_input *to, const sl_invocation *inv, uint32_t lanes)
{
    const sl_input_options *o = options_of(inv);
    bool plans = to->input.spec.number_loads || sl_was_given(inv, "plan");
    if (plans && to->input.kind == SL_INPUT_PROGRAM)
        snprintf(to->ptx, sizeof to->ptx, "%s/ptx", to->scratch);
    to->record = (sl_record_options){.filter = {.kernel_regex = o->kernel_regex,
                                                .first_launch = o->launch.first,
                                                .last_launch = o->launch.last,
                                                .ranged = o->launch.given,
                                                .blocks = o->blocks},
                                     .lanes = o->lanes ? (uint32_t)o->lanes
                                              : lanes  ? lanes
                                                       : 32,
                                     .threads = (uint32_t)inv->common->threads,
                                     .max_instructions = o->max_instructions,
                                     .check_address = o->check != CHECK_GPU,
                                     .check_uninit = o->check == CHECK_UNINIT,
                                     .check_race = o->check == CHECK_RACE,
                                     .fp_contract_off = o->contract != 0,
                                     .isa = o->isa ? isa_choices[o->isa] : NULL,
                                     .cudart_static = o->cudart_static,
                                     .compute_capability = o->compute_capability,
                                     .output_to_stderr = sl_output_takes_stdout(inv->common),
                                     .producer = inv->line,
                                     .scratch = to->scratch,
                                     .ptx_path = *to->ptx ? to->ptx : NULL,
                                     .spill = sl_temporary_base(),
                                     .start_program = sl_program_start,
                                     .program_context = (void *)(uintptr_t)&inv->common->quiet,
                                     .progress = inv->progress};
}

/* Rejects options that do not apply to this kind of input. */
static int check_options(const sl_invocation *inv, sl_input_kind kind, const char *name)
{
    for (size_t i = 0; i < inv->args.sets; i++)
        for (size_t b = 0; b < sizeof belongs / sizeof *belongs; b++)
            if (inv->args.set[i]->offset == belongs[b].offset && !(belongs[b].kinds & 1u << kind) &&
                inv->args.set[i] >= sl_input_table && inv->args.set[i] < sl_input_table + SL_INPUT_OPTIONS)
                return sl_cli_usage(inv, "--%s does not apply to %s, which is %s", inv->args.set[i]->name, name,
                                    sl_input_kind_name(kind));
    return SL_EXIT_OK;
}

static int check_lanes(const sl_invocation *inv, uint32_t machine)
{
    uint64_t lanes = options_of(inv)->lanes;
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

size_t sl_workload_texts(const sl_workload *w, sl_source_text text[2])
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
        to->texts = sl_workload_texts(input->workload, to->text);
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
    if (sl_input_check(&spec, kind, &error))
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
    if (end->unfinished)
        sl_cli_warn(inv, "the program ended early; %s contains what was recorded until then",
                    trace ? trace : "the recording");
    if (end->signal)
        sl_cli_warn(inv, "the program was killed by signal %d (%s)", end->signal, strsignal(end->signal));
}

int sl_cli_input_take(sl_cli_input *to, const sl_invocation *inv, bool damaged)
{
    sl_error error = {0};
    sl_status status = sl_record(&to->input, &to->record, &to->recording, &error);
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
    return code ? code : sl_cli_input_take(to, inv, damaged);
}

void sl_cli_input_close(sl_cli_input *to)
{
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
