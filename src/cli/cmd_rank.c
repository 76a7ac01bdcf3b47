/* SPDX-License-Identifier: MIT */
/* sluice rank: variants of one computation, those with the right results by time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/folders.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "report/results.h"
#include "study/ranking.h"

typedef struct rank_options {
    sl_input_options input;
    const char *gpu;
    sl_option_list set;
    const char *kernels, *reference, *tolerance, *ignore, *sample;
    uint64_t top;
    bool sim;
} rank_options;

enum { MAX_VARIANTS = 64 };

/* A variant that is run: all but kernels of one program. */
typedef struct contender {
    sl_split words;
    char *program[SL_MAX_WORDS + 1];
    char name[320];
    sl_cli_input input;
    bool open;
    char output_path[1100];
    char *output; /* of a program; NULL: it is none, or it failed */
    sl_buffers buffers;
} contender;

typedef struct rank_run {
    const sl_invocation *inv;
    const rank_options *options;
    sl_machine machine;
    sl_sampling sampling;
    sl_result_rules rules;
    regex_t ignore;
    sl_pool *pool;
    contender *of; /* [count], then the reference of --reference */
    size_t count;
    sl_variants ranking;
    char *expected; /* of --reference: what programs should print; NULL: it is no such file */
    bool compares;  /* with of[reference] or `expected` */
    size_t reference;
} rank_run;

/* ---- opening ---- */

/* A program where it is nothing else that a command takes. */
static bool is_program(const char *name)
{
    sl_input_spec spec = SL_INPUT_SPEC_START;
    sl_input_kind kind;
    sl_error error;
    spec.name = name;
    return sl_input_detect(&spec, &kind, &error) && strchr(name, '/') && !access(name, X_OK);
}

/* `entry`: the kernel of a PTX file; NULL: as the options say. Returns the exit code. */
static int open_contender(const rank_run *r, const char *text, const char *entry, contender *c)
{
    sl_invocation one = *r->inv;
    sl_error error;
    if (text && sl_split_words(text, &c->words, &error))
        return sl_cli_usage(r->inv, "%s", error.text);
    if (text && !c->words.count)
        return sl_cli_usage(r->inv, "a variant is empty");
    if (text && is_program(c->words.word[0])) {
        for (size_t i = 0; i < c->words.count; i++)
            c->program[i] = (char *)(uintptr_t)c->words.word[i];
        one.args.program = c->program;
        one.args.operands = 0;
    } else if (text) {
        one.args.operand = c->words.word;
        one.args.operands = c->words.count;
    }
    snprintf(c->name, sizeof c->name, "%s", entry ? entry : text ? text : one.args.program[0]);
    int code = sl_cli_input_open(&c->input, &one, SL_TAKES_ALL, r->machine.lanes, false);
    if (code)
        return code;
    c->open = true;
    c->input.record.check = true;
    if (entry)
        c->input.input.spec.launch.entry = entry;
    c->input.input.spec.launch.after = sl_buffers_fetch;
    c->input.input.spec.launch.after_context = &c->buffers;
    snprintf(c->output_path, sizeof c->output_path, "%s/stdout", c->input.scratch);
    if (c->input.input.kind == SL_INPUT_PROGRAM)
        c->input.program.output = c->output_path;
    return SL_EXIT_OK;
}

static void close_contender(contender *c)
{
    if (c->open)
        sl_cli_input_close(&c->input);
    c->open = false;
    sl_split_free(&c->words);
    sl_buffers_fini(&c->buffers);
    free(c->output);
    c->output = NULL;
}

/* ---- running ---- */

static void blame(sl_ranked *v, sl_ranked_result result, const char *format, ...) SL_PRINTF(3, 4);
static void blame(sl_ranked *v, sl_ranked_result result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    v->result = result;
    vsnprintf(v->reason, sizeof v->reason, format, args);
    va_end(args);
}

/* Records it, and says what went wrong. */
static sl_status record(const rank_run *r, contender *c, sl_ranked *v, sl_error *error)
{
    size_t bytes;
    sl_cli_input *input = &c->input;
    const sl_run_end *end = &input->recording.end;
    sl_status status = sl_record(&input->input, &input->record, &input->recording, error);
    if (status == SL_NO_MEMORY)
        return status;
    if (status)
        blame(v, status == SL_MISMATCH ? SL_RANKED_WRONG : SL_RANKED_FAILED, "%s", error->text);
    else if (input->recording.damage.status)
        blame(v, SL_RANKED_FAILED, "%s", input->recording.damage.text);
    else if (end->signal)
        blame(v, SL_RANKED_FAILED, "killed by signal %d (%s)", end->signal, strsignal(end->signal));
    else if (end->exit_code)
        blame(v, SL_RANKED_FAILED, "it ends with exit code %d", end->exit_code);
    else if (end->failed || end->problems)
        blame(v, SL_RANKED_FAILED, "%s", *end->note ? end->note : "a launch failed");
    if (v->result != SL_RANKED_FAILED && input->input.kind == SL_INPUT_PROGRAM)
        status = sl_file_read(c->output_path, &c->output, &bytes, error);
    else
        status = SL_OK;
    sl_cli_times_note(end, input->input.kind == SL_INPUT_PROGRAM);
    (void)r;
    return status;
}

/* Compares what it did with what is right. */
static void judge(const rank_run *r, const contender *c, sl_ranked *v)
{
    const contender *reference = &r->of[r->reference];
    const char *wanted = r->expected ? r->expected : reference->output;
    char why[sizeof v->reason];
    if (v->result >= SL_RANKED_WRONG)
        return;
    if (c->input.input.workload) {
        v->result = SL_RANKED_CHECKED;
    } else if (c->output && wanted) {
        bool differs = sl_outputs_differ(wanted, c->output, &r->rules, why, sizeof why);
        blame(v, differs ? SL_RANKED_WRONG : SL_RANKED_SAME, "%s", why);
    } else if (c->buffers.count && reference->buffers.count) {
        bool differs = sl_buffers_differ(&reference->buffers, &c->buffers, &r->rules, why, sizeof why);
        blame(v, differs ? SL_RANKED_WRONG : SL_RANKED_SAME, "%s", why);
    } else {
        blame(v, SL_RANKED_UNCOMPARED, "%s",
              c->input.input.kind >= SL_INPUT_TRACE ? "a trace has no results" : "the reference is of another kind");
    }
}

static int run_all(rank_run *r)
{
    const sl_invocation *inv = r->inv;
    bool extra = r->options->reference && !r->expected;
    sl_ranked judged = {0};
    sl_error error = {0};
    for (size_t i = 0; i < r->count + extra; i++) {
        sl_ranked *v = i < r->count ? &r->ranking.variant[i] : &judged;
        v->name = r->of[i].name;
        v->input = i;
        if (record(r, &r->of[i], v, &error))
            return sl_cli_fail(inv, &error);
        if (i == r->reference && !r->expected && v->result >= SL_RANKED_WRONG) {
            sl_fail(&error, SL_INVALID,
                    "%s is what the others are compared with, and %s: %s; name another reference with --reference",
                    v->name, v->result == SL_RANKED_WRONG ? "is wrong" : "failed", v->reason);
            return sl_cli_fail(inv, &error);
        }
    }
    for (size_t i = 0; i < r->count; i++) {
        judge(r, &r->of[i], &r->ranking.variant[i]);
        r->compares |= r->ranking.variant[i].result == SL_RANKED_SAME ||
                       (r->of[i].output && r->ranking.variant[i].result == SL_RANKED_WRONG);
    }
    return SL_EXIT_OK;
}

/* ---- times ---- */

static bool is_kernel(const sl_recording *recording, uint32_t launch, const char *name)
{
    const sl_trace_launch *l = sl_trace_launch_at(recording->trace, recording->launch[launch]);
    const sl_trace_kernel *k = sl_trace_kernel_at(recording->trace, l->kernel);
    return !strcmp(k->symbol, name) || !strcmp(k->name, name);
}

/* Times of all variants that an input has, among the first `count`. */
static sl_status time_input(rank_run *r, size_t input, sl_analysis_kind kind, size_t count, sl_error *error)
{
    const sl_recording *recording = &r->of[input].input.recording;
    const sl_analysis analysis = {
        .kind = kind, .machine = &r->machine, .sampling = r->sampling, .seed = r->options->input.seed};
    sl_result result = {0};
    bool *wanted = calloc(recording->launches + 1u, sizeof *wanted);
    sl_status status =
        wanted ? sl_analyze(recording, &analysis, r->pool, r->inv->progress, &result, error) : sl_fail_memory(error);
    for (size_t i = 0; i < count && !status; i++) {
        sl_ranked *v = &r->ranking.variant[i];
        if (v->input != input || v->result >= SL_RANKED_WRONG)
            continue;
        for (uint32_t l = 0; l < recording->launches; l++)
            wanted[l] = !r->ranking.per_launch || is_kernel(recording, l, v->name);
        sl_ranked_time_of(&result, wanted, r->ranking.intervals, v);
        if (r->ranking.per_launch)
            sl_ranked_per_launch(v);
    }
    sl_result_fini(&result);
    free(wanted);
    return status;
}

/* Of every input once. */
static sl_status time_variants(rank_run *r, sl_analysis_kind kind, size_t count, sl_error *error)
{
    sl_status status = SL_OK;
    sl_progress_phase(r->inv->progress, kind == SL_ANALYSIS_SIM ? "simulating" : "modeling");
    for (size_t i = 0; i < r->count && !status; i++) {
        bool has = false;
        for (size_t k = 0; k < count; k++)
            has |= r->ranking.variant[k].input == i && r->ranking.variant[k].result < SL_RANKED_WRONG;
        if (has)
            status = time_input(r, i, kind, count, error);
    }
    return status;
}

static int show(rank_run *r)
{
    const sl_invocation *inv = r->inv;
    char subject[64];
    sl_arena arena;
    sl_error error;
    sl_report_info info = {.command = "rank", .machine = r->machine.name, .seed = &r->options->input.seed};
    sl_arena_init(&arena);
    snprintf(subject, sizeof subject, "%zu variant%s", r->ranking.variants, r->ranking.variants == 1 ? "" : "s");
    int code = sl_given_options(inv, NULL, 0, subject, r->machine.name, &arena, &info, &error)
                   ? sl_cli_fail(inv, &error)
                   : SL_EXIT_OK;
    if (!code) {
        sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
        sl_document_ranking(d, &r->ranking);
        code = sl_document_show(inv, d, NULL, stdout);
    }
    sl_arena_fini(&arena);
    return code ? code : r->ranking.ranked ? SL_EXIT_OK : SL_EXIT_FAILURE;
}

static int rank(rank_run *r)
{
    const rank_options *o = r->options;
    sl_error error;
    sl_status status = sl_pool_create((unsigned)r->inv->common->threads, &r->pool, &error);
    if (!status)
        status = time_variants(r, SL_ANALYSIS_MODEL, r->ranking.variants, &error);
    if (!status) {
        sl_rank(&r->ranking);
        bool none = r->ranking.ranked && !(r->ranking.variant[0].estimated.cycles > 0);
        if (none && !o->sim)
            status = sl_fail(&error, SL_UNSUPPORTED, "times on %s cannot be estimated: simulate them (--sim)",
                             r->machine.name);
    }
    if (!status && o->sim) {
        size_t top = o->top && o->top < r->ranking.ranked ? o->top : r->ranking.ranked;
        status = time_variants(r, SL_ANALYSIS_SIM, top, &error);
        sl_rank(&r->ranking);
    }
    return status ? sl_cli_fail(r->inv, &error) : show(r);
}

/* ---- variants ---- */

/* Splits at commas that are in no brackets: names of kernels may have template arguments. Returns how many there are;
 * 0: too many, or an empty one. */
static size_t split_kernels(char *text, const char *name[MAX_VARIANTS])
{
    size_t count = 0;
    int depth = 0;
    for (char *at = text, *start = text;; at++) {
        depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
        if (*at && (*at != ',' || depth > 0))
            continue;
        bool last = !*at;
        *at = 0;
        if (!*start || count == MAX_VARIANTS)
            return 0;
        name[count++] = start;
        start = at + 1;
        if (last)
            return count;
    }
}

/* "^(a|b)$", without what is special in names. */
static void kernel_regex(const char *const *name, size_t count, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "^(");
    for (size_t i = 0; i < count; i++) {
        for (const char *c = name[i]; *c && used + 4 < size; c++) {
            if (strchr("^$.[]|()*+?{}\\", *c))
                text[used++] = '\\';
            text[used++] = *c;
        }
        used += (size_t)snprintf(text + used, size - used, i + 1 < count ? "|" : ")$");
    }
}

/* Kernels of one program, workload or trace: they run together. */
static int rank_together(rank_run *r, const char *const *name, size_t count)
{
    contender *c = &r->of[0];
    char regex[8192];
    sl_error error = {0};
    sl_ranked whole = {0};
    size_t bytes = 8;
    for (size_t i = 0; i < count; i++)
        bytes += 2 * strlen(name[i]) + 1;
    if (r->options->reference)
        return sl_cli_usage(r->inv, "--reference is for variants that run on their own");
    if (r->options->input.kernel_regex || bytes > sizeof regex)
        return sl_cli_usage(r->inv, "%s",
                            bytes > sizeof regex ? "--kernels: the names are too long"
                                                 : "--kernel and --kernels exclude each other");
    kernel_regex(name, count, regex, sizeof regex);
    c->input.record.filter.kernel_regex = regex;
    if (record(r, c, &whole, &error))
        return sl_cli_fail(r->inv, &error);
    if (whole.result >= SL_RANKED_WRONG) {
        sl_fail(&error, SL_FAULT, "%s: %s", c->name, whole.reason);
        return sl_cli_fail(r->inv, &error);
    }
    for (size_t i = 0; i < count; i++) {
        sl_ranked *v = &r->ranking.variant[i];
        bool there = false;
        *v = (sl_ranked){.name = name[i], .result = SL_RANKED_CHECKED};
        for (uint32_t l = 0; l < c->input.recording.launches; l++)
            there |= is_kernel(&c->input.recording, l, name[i]);
        if (!there)
            return sl_cli_usage(r->inv, "--kernels: %s launches no kernel %s; 'sluice run' lists them", c->name,
                                name[i]);
        if (!c->input.input.workload)
            blame(v, SL_RANKED_UNCOMPARED, c->output ? "the program ended without an error" : "a trace has no results");
    }
    r->ranking.per_launch = true;
    r->ranking.variants = count;
    r->count = 1;
    return rank(r);
}

static int open_reference(rank_run *r)
{
    const char *text = r->options->reference;
    size_t bytes;
    sl_input_spec spec = SL_INPUT_SPEC_START;
    sl_input_kind kind;
    sl_error error;
    spec.name = text;
    /* A file that is nothing else has what programs should print. */
    if (!access(text, R_OK) && access(text, X_OK) && sl_input_detect(&spec, &kind, &error))
        return sl_file_read(text, &r->expected, &bytes, &error) ? sl_cli_fail(r->inv, &error) : SL_EXIT_OK;
    r->reference = r->count;
    return open_contender(r, text, NULL, &r->of[r->count]);
}

/* Variants that run on their own: inputs, or kernels of a PTX file. */
static int rank_apart(rank_run *r)
{
    int code = r->options->reference ? open_reference(r) : SL_EXIT_OK;
    r->ranking.variants = r->count;
    if (!code)
        code = run_all(r);
    if (!code && r->compares)
        r->ranking.reference = r->expected ? r->options->reference : r->of[r->reference].name;
    return code ? code : rank(r);
}

static int rank_kernels(rank_run *r)
{
    const sl_args *args = &r->inv->args;
    const char *name[MAX_VARIANTS], *operand = args->program ? NULL : args->operand[0];
    if (args->operands > 1)
        return sl_cli_usage(r->inv, "--kernels takes one input, which has them");
    char *text = strdup(r->options->kernels);
    size_t count = text ? split_kernels(text, name) : 0;
    if (!count) {
        free(text);
        return sl_cli_usage(r->inv, "--kernels takes up to %d names, separated by commas", MAX_VARIANTS);
    }
    int code = open_contender(r, operand, NULL, &r->of[0]);
    bool together = !code && (r->of[0].input.input.kind > SL_INPUT_LLVM || r->of[0].input.input.workload);
    if (!code && together) {
        code = rank_together(r, name, count);
    } else if (!code) {
        close_contender(&r->of[0]);
        for (r->count = 0; r->count < count && !code; r->count++)
            code = open_contender(r, operand, name[r->count], &r->of[r->count]);
        code = code ? code : rank_apart(r);
    }
    free(text);
    return code;
}

static int rank_inputs(rank_run *r)
{
    const sl_args *args = &r->inv->args;
    int code = SL_EXIT_OK;
    if (args->program || args->operands < 2)
        return sl_cli_usage(r->inv, "give two variants or more (programs in quotes), or --kernels");
    for (; r->count < args->operands && !code; r->count++)
        code = open_contender(r, args->operand[r->count], NULL, &r->of[r->count]);
    return code ? code : rank_apart(r);
}

static int check_rules(rank_run *r)
{
    const rank_options *o = r->options;
    char *end = NULL;
    if (o->tolerance) {
        r->rules.tolerance = strtod(o->tolerance, &end);
        if (end == o->tolerance || *end || !(r->rules.tolerance >= 0 && r->rules.tolerance < 1))
            return sl_cli_usage(r->inv, "--tolerance: '%s' is not a number from 0 to below 1", o->tolerance);
    }
    if (!o->ignore)
        return SL_EXIT_OK;
    int wrong = regcomp(&r->ignore, o->ignore, REG_EXTENDED);
    if (wrong) {
        char why[200];
        regerror(wrong, &r->ignore, why, sizeof why);
        return sl_cli_usage(r->inv, "--ignore: %s", why);
    }
    r->rules.ignore = &r->ignore;
    return SL_EXIT_OK;
}

static int run(const sl_invocation *inv)
{
    const rank_options *o = inv->values;
    rank_run *r = calloc(1, sizeof *r);
    contender *of = calloc(MAX_VARIANTS + 1, sizeof *of);
    sl_ranked *variant = calloc(MAX_VARIANTS, sizeof *variant);
    sl_error error = {0};
    int code = SL_EXIT_OK;
    if (!r || !of || !variant) {
        sl_fail_memory(&error);
        code = sl_cli_fail(inv, &error);
    } else {
        r->inv = inv;
        r->options = o;
        r->of = of;
        r->ranking.variant = variant;
        if (sl_sampling_of(o->sample, &r->sampling, &error))
            code = sl_cli_usage(inv, "%s", error.text);
        if (!code)
            code = check_rules(r);
        if (!code && (sl_machine_load_with(o->gpu, o->set.item, o->set.count, &r->machine, &error) ||
                      sl_errors_are_known(&r->machine, &r->ranking.intervals, &error)))
            code = sl_cli_fail(inv, &error);
        r->ranking.machine = r->machine.name;
        r->ranking.clock_mhz = r->machine.clock_mhz;
        if (!code)
            code = o->kernels ? rank_kernels(r) : rank_inputs(r);
        for (size_t i = 0; i <= MAX_VARIANTS; i++)
            close_contender(&of[i]);
        sl_pool_destroy(r->pool);
        free(r->expected);
        if (r->rules.ignore)
            regfree(&r->ignore);
    }
    free(variant);
    free(of);
    free(r);
    return code;
}

#define AT(field) offsetof(rank_options, field)
// clang-format off
static const sl_option options[] = {
    SL_GPU_OPTIONS(AT(gpu), AT(set)),
    {"kernels", 0, SL_OPTION_STRING, "A,B,C", "Rank these kernels of one input, by symbol or name: each is launched as the options say (PTX), or as the program does", AT(kernels), 0, 0, NULL},
    {"reference", 0, SL_OPTION_STRING, "INPUT", "What has the right results: another variant, which is not ranked, or a file with the output of programs (default: the first variant)", AT(reference), 0, 0, NULL},
    {"tolerance", 0, SL_OPTION_STRING, "SHARE", "Numbers may differ by this share of the larger one, such as 1e-5 (default: 0)", AT(tolerance), 0, 0, NULL},
    {"ignore", 0, SL_OPTION_STRING, "REGEX", "Programs: do not compare lines of output that match, such as times", AT(ignore), 0, 0, NULL},
    {"sim", 0, SL_OPTION_FLAG, NULL, "Simulate the fastest ones cycle by cycle, too, and rank them by that", AT(sim), 0, 0, NULL},
    {"top", 0, SL_OPTION_NUMBER, "N", "With --sim: how many, by estimated time (default: 3; 0: all)", AT(top), 0, 0, NULL},
    SL_SAMPLE_OPTION(AT(sample)),
    {0},
};
// clang-format on

static const rank_options defaults = {.input = SL_INPUT_DEFAULTS, .gpu = SL_DEFAULT_GPU, .top = 3};

static const sl_example examples[] = {
    {"sluice rank './app 1024' './app-tiled 1024' --tolerance 1e-5 --ignore time",
     "Rank two programs; lines with times are not compared"},
    {"sluice rank matmul matmul_tiled --sim", "Rank two workloads, which check their own results"},
    {"sluice rank a.ptx b.ptx c.ptx --grid 64 --block 256 --arg 'f32[16K]:random' --arg u32:16384",
     "Launch kernels of three PTX files on the same data, compare what they leave in their buffers, and rank them"},
    {"sluice rank --kernels naive,tiled,swizzled -- ./transpose", "Rank kernels of one program, per launch"},
    {0},
};

const sl_command sl_cmd_rank = {
    .name = "rank",
    .summary = "rank variants of a computation: those with the right results, by time",
    .usage = "[options] (VARIANT VARIANT... | --kernels A,B,C (INPUT | -- PROGRAM [ARG...]))",
    .description =
        "Run variants of one computation, compare their results, and rank those that are right by estimated time; with "
        "--sim the fastest ones also by simulated time. Those that fail or have other results come last, with the "
        "reason. The exit code is 1 if none is right.\n\nA variant is a program with its arguments in quotes (words "
        "end "
        "at spaces), a workload with its parameters, a PTX file or LLVM IR (options say how to launch them all), or a "
        "trace. "
        "Programs must print what the first one prints, and kernels of PTX files leave the same in their buffers; "
        "workloads are checked against the CPU; traces have no results. --kernels ranks kernels of one input, by the "
        "mean time of a launch.\n\nIntervals are known "
        "for the H200 alone: eight of ten kernels that were measured are within (docs/rank.md).",
    .options = options,
    .more_options = sl_input_table,
    .often = "gpu kernels reference tolerance ignore sim top sample markdown json",
    .common = SL_COMMON_REPORT | SL_COMMON_JOBS | SL_COMMON_TIMES,
    .values_bytes = sizeof(rank_options),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = MAX_VARIANTS,
    .operand = "a variant (a program in quotes, a workload, a PTX file, LLVM IR or a trace)",
    .takes_program = true,
    .examples = examples,
    .run = run,
};
