/* SPDX-License-Identifier: MIT */
/* sluice compare: two reports, inputs, GPUs or policies side by side. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/file.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "study/compare.h"

typedef struct compare_options {
    sl_input_options input;
    sl_option_list gpu, l1, l2, scheduler; /* of A, and of B; one: of both */
    sl_option_list set, change;            /* change: of B alone */
    bool sim;
    const char *sample;
    sl_option_list match; /* "old=new" */
    sl_option_list fail_if;
} compare_options;

/* A or B. */
typedef struct side {
    char *text; /* a JSON report; NULL: an analysis */
    size_t bytes;
    sl_result_set set;
    sl_joined joined; /* what was modeled or simulated with what was counted, stores and the like */
    char label[600];
} side;

/* ---- sides ---- */

static bool is_report(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && !strcmp(path + length - 5, ".json");
}

static const char *pick(const sl_option_list *list, int which)
{
    return !list->count ? NULL : list->item[list->count > 1 ? which : 0];
}

static sl_status choose_machine(const sl_invocation *inv, int which, sl_machine *machine, sl_error *error)
{
    const compare_options *o = inv->values;
    size_t sets = o->set.count + (which ? o->change.count : 0);
    const char **set = calloc(sets + 1, sizeof *set);
    if (!set)
        return sl_fail_memory(error);
    for (size_t i = 0; i < sets; i++)
        set[i] = i < o->set.count ? o->set.item[i] : o->change.item[i - o->set.count];
    const sl_machine_choice choice = {.policies = inv->policies,
                                      .gpu = pick(&o->gpu, which),
                                      .set = set,
                                      .sets = sets,
                                      .l1 = pick(&o->l1, which),
                                      .l2 = pick(&o->l2, which),
                                      .scheduler = pick(&o->scheduler, which)};
    sl_status status = sl_machine_choose(&choice, machine, error);
    free(set);
    return status;
}

/* The model knows no policies that bypass: what it estimates of them is no estimate. */
static bool can_estimate(const sl_machine *machine)
{
    for (uint32_t i = 0; i < machine->levels; i++)
        if (*machine->level[i].bypass)
            return false;
    return true;
}

static sl_status analyze(const sl_invocation *inv, const sl_cli_input *recorded, const sl_machine *machine,
                         const sl_sampling *sampling, side *s, sl_error *error)
{
    const compare_options *o = inv->values;
    const sl_analysis analysis = {.kind = o->sim ? SL_ANALYSIS_SIM : SL_ANALYSIS_MODEL,
                                  .machine = machine,
                                  .sampling = *sampling,
                                  .seed = o->input.seed};
    sl_status status =
        sl_result_set_make(&recorded->recording, &analysis, true, recorded->pool, inv->progress, &s->set, error);
    if (!status)
        status = sl_group_results(inv, &s->set, error);
    const sl_joined_input input = {.counted = s->set.counted.log,
                                   .modeled = s->set.measured.log,
                                   .estimated = can_estimate(machine) ? s->set.classes.log : NULL};
    return status ? status : sl_joined_init(&s->joined, &input, error);
}

static void label_side(const compare_options *o, int which, const char *subject, const sl_machine *machine, side *s)
{
    size_t used = (size_t)snprintf(s->label, sizeof s->label, "%s on %s", subject, machine->name);
    const char *const values[] = {pick(&o->l1, which), pick(&o->l2, which), pick(&o->scheduler, which)};
    static const char *const names[] = {"L1 ", "L2 ", ""};
    for (int i = 0; i < 3 && used < sizeof s->label; i++)
        if (values[i])
            used += (size_t)snprintf(s->label + used, sizeof s->label - used, ", %s%s", names[i], values[i]);
    const sl_option_list *const lists[] = {&o->set, which ? &o->change : NULL};
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; lists[l] && i < lists[l]->count && used < sizeof s->label; i++)
            used += (size_t)snprintf(s->label + used, sizeof s->label - used, ", %s", lists[l]->item[i]);
    if (used < sizeof s->label)
        snprintf(s->label + used, sizeof s->label - used, " (%s)", o->sim ? "simulated" : "modeled");
}

/* The first of the intervals is that of cycles; a side that follows the choice of the other one has none. */
static void label_sample(const sl_result *result, side *s)
{
    const sl_result_sample *sample = &result->sample;
    size_t used = strlen(s->label);
    if (!sample->stand_in)
        return;
    used += (size_t)snprintf(s->label + used, sizeof s->label - used, ", %u of %u launches", sample->analyzed,
                             result->launches);
    if (sample->intervals && sample->interval->total > 0 && used < sizeof s->label)
        snprintf(s->label + used, sizeof s->label - used, ", %s +/- %.2g%%",
                 sl_counter_infos[sample->interval->counter].name,
                 100 * sample->interval->half / sample->interval->total);
}

/* Of two sides of one input, B has the launches that were chosen for A: their difference is surer than they are. */
static sl_sampling sampling_of(const sl_sampling *asked, const side *a)
{
    const uint32_t *stand_in = a ? a->set.measured.sample.stand_in : NULL;
    if (!a)
        return *asked;
    return (sl_sampling){
        .when = stand_in ? asked->when : SL_SAMPLE_NEVER, .target = asked->target, .stand_in = stand_in};
}

/* One input, for both sides or one of them. */
static int analyze_input(const sl_invocation *inv, const sl_invocation *one, bool of[2], side sides[2])
{
    const compare_options *o = inv->values;
    sl_machine machine[2];
    sl_cli_input input;
    sl_sampling asked;
    sl_error error;
    if (sl_sampling_of(o->sample, &asked, &error))
        return sl_cli_usage(inv, "%s", error.text);
    for (int i = 0; i < 2; i++)
        if (of[i] && choose_machine(inv, i, &machine[i], &error))
            return sl_cli_fail(inv, &error);
    if (of[0] && of[1] && machine[0].lanes != machine[1].lanes)
        return sl_cli_usage(inv, "warps of %s and %s differ in width: record a trace for each", machine[0].name,
                            machine[1].name);
    if (of[0] && of[1] && machine[0].level[0].sector_bytes != machine[1].level[0].sector_bytes)
        sl_cli_warn(inv, "sectors of %s have %u bytes and those of %s %u: compare bytes, not counts of sectors",
                    machine[0].name, machine[0].level[0].sector_bytes, machine[1].name,
                    machine[1].level[0].sector_bytes);
    int code = sl_cli_input_record(&input, one, SL_TAKES_ALL, machine[of[0] ? 0 : 1].lanes, false);
    if (code)
        return code;
    for (int i = 0; i < 2 && !code; i++) {
        if (!of[i])
            continue;
        label_side(o, i, input.subject, &machine[i], &sides[i]);
        const sl_sampling sampling = sampling_of(&asked, of[0] && i ? &sides[0] : NULL);
        if (analyze(inv, &input, &machine[i], &sampling, &sides[i], &error))
            code = sl_cli_fail(inv, &error);
        else
            label_sample(&sides[i].set.measured, &sides[i]);
    }
    code = sl_cli_input_code(&input, code);
    sl_cli_input_close(&input);
    return code;
}

static int open_side(const sl_invocation *inv, int which, side sides[2])
{
    const char *path = inv->args.operand[which];
    sl_error error;
    if (is_report(path)) {
        snprintf(sides[which].label, sizeof sides[which].label, "%s", path);
        sl_status status = sl_file_read(path, &sides[which].text, &sides[which].bytes, &error);
        return status ? sl_cli_fail(inv, &error) : SL_EXIT_OK;
    }
    sl_invocation one = *inv;
    one.args.operands = 1;
    one.args.operand = &inv->args.operand[which];
    return analyze_input(inv, &one, (bool[2]){which == 0, which == 1}, sides);
}

/* ---- the command ---- */

static sl_status write_page(FILE *file, const void *comparison, sl_error *error)
{
    return sl_comparison_page(file, comparison, error);
}

static int check_gates(const sl_invocation *inv, const sl_comparison *comparison)
{
    const compare_options *o = inv->values;
    int code = SL_EXIT_OK;
    for (size_t i = 0; i < o->fail_if.count; i++) {
        sl_gate gate;
        sl_error error;
        sl_status status = sl_gate_parse(o->fail_if.item[i], &gate, &error);
        if (!status)
            status = sl_gate_check(&gate, comparison, &error);
        if (status)
            code = sl_cli_fail(inv, &error);
    }
    return code;
}

static int show(const sl_invocation *inv, side sides[2])
{
    const compare_options *o = inv->values;
    sl_comparison comparison;
    sl_error error;
    sl_compared_side compared[2];
    for (int i = 0; i < 2; i++)
        compared[i] =
            (sl_compared_side){sides[i].label, sides[i].text ? NULL : &sides[i].joined, sides[i].text, sides[i].bytes};
    sl_status status = sl_compare(compared, inv->common->by ? sl_label_names[inv->common->by - 1] : NULL, o->match.item,
                                  o->match.count, &comparison, &error);
    const sl_report_info info = {.command = "compare"};
    int code = SL_EXIT_OK;
    if (!status) {
        sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
        sl_document_comparison(d, &comparison);
        code = sl_document_show(inv, d, NULL, stdout);
    }
    if (!status && !code && inv->common->html)
        status = sl_output_write(write_page, inv->common->html, &comparison, &error);
    if (status)
        code = sl_cli_fail(inv, &error);
    if (!code)
        code = check_gates(inv, &comparison);
    sl_comparison_fini(&comparison);
    return code;
}

static int check_usage(const sl_invocation *inv)
{
    const compare_options *o = inv->values;
    bool one = inv->args.program || inv->args.operands == 1;
    const sl_option_list *const lists[] = {&o->gpu, &o->l1, &o->l2, &o->scheduler};
    static const char *const names[] = {"gpu", "l1", "l2", "scheduler"};
    bool two_sides = o->change.count > 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (lists[i]->count > 2)
            return sl_cli_usage(inv, "--%s is given %zu times: once for A and B, or once for each", names[i],
                                lists[i]->count);
        two_sides |= lists[i]->count == 2;
    }
    if (one && !inv->args.program && is_report(inv->args.operand[0]))
        return sl_cli_usage(inv, "a second report is missing");
    if (one && !two_sides)
        return sl_cli_usage(inv, "give two inputs or reports, or one input and two GPUs or policies (--gpu or --l1 "
                                 "twice, --change KEY=VALUE)");
    for (size_t i = 0; i < o->fail_if.count; i++) {
        sl_gate gate;
        sl_error error;
        if (sl_gate_parse(o->fail_if.item[i], &gate, &error))
            return sl_cli_usage(inv, "--fail-if: %s", error.text);
    }
    return SL_EXIT_OK;
}

static int run(const sl_invocation *inv)
{
    side sides[2] = {0};
    int code = check_usage(inv);
    if (!code && (inv->args.program || inv->args.operands == 1))
        code = analyze_input(inv, inv, (bool[2]){true, true}, sides);
    else if (!code) {
        code = open_side(inv, 0, sides);
        if (!code)
            code = open_side(inv, 1, sides);
    }
    if (!code)
        code = show(inv, sides);
    for (int i = 0; i < 2; i++) {
        free(sides[i].text);
        sl_joined_fini(&sides[i].joined);
        sl_result_set_fini(&sides[i].set);
    }
    return code;
}

#define AT(field) offsetof(compare_options, field)
// clang-format off
static const sl_option options[] = {
    {"gpu", 'g', SL_OPTION_LIST, "GPU", "GPU model: a name from 'sluice machines' or a YAML file (default: " SL_DEFAULT_GPU "); given twice, of A and of B", AT(gpu), 0, 0, NULL},
    {"set", 0, SL_OPTION_LIST, "KEY=VALUE", "Change a key of both GPU models, e.g. L1.ways=8; may be repeated", AT(set), 0, 0, NULL},
    {"change", 0, SL_OPTION_LIST, "KEY=VALUE", "Change a key of the GPU model of B alone; may be repeated", AT(change), 0, 0, NULL},
    {"l1", 0, SL_OPTION_LIST, "POLICY", "L1 policies; given twice, of A and of B", AT(l1), 0, 0, NULL},
    {"l2", 0, SL_OPTION_LIST, "POLICY", "L2 policies, likewise", AT(l2), 0, 0, NULL},
    {"scheduler", 0, SL_OPTION_LIST, "NAME", "Warp scheduler, likewise", AT(scheduler), 0, 0, NULL},
    {"sim", 0, SL_OPTION_FLAG, NULL, "Simulate cycle by cycle (default: model)", AT(sim), 0, 0, NULL},
    SL_SAMPLE_OPTION(AT(sample)),
    {"match", 0, SL_OPTION_LIST, "OLD=NEW", "Compare kernel OLD of A with kernel NEW of B, by symbol or name (default: equal symbols, then kernels whose memory instructions are alike); may be repeated", AT(match), 0, 0, NULL},
    {"fail-if", 0, SL_OPTION_LIST, "CONDITION", "Exit with 1 if CONDITION holds for all launches together: COUNTER > +5% (a change), COUNTER > +1000, or COUNTER < 80 (the value of B); may be repeated", AT(fail_if), 0, 0, NULL},
    {0},
};
// clang-format on

static const compare_options defaults = {.input = SL_INPUT_DEFAULTS};

static const sl_example examples[] = {
    {"sluice compare before.slt after.slt", "Compare two traces on the default GPU"},
    {"sluice compare before.json after.json --fail-if 'ld_sector_misses > +5%'",
     "Compare two reports (--json of run, model, sim or report), as a gate of CI"},
    {"sluice compare slow.slt fast.slt --sim --match transpose=transpose_tiled",
     "Say how much faster the kernel is that replaces another one"},
    {"sluice compare app.slt --gpu h200 --gpu fermi-gtx480", "Compare two GPUs"},
    {"sluice compare spmv --gpu fermi-gtx480 --l1 lru --l1 decoupled --sim", "Compare two policies in the simulator"},
    {"sluice compare app.slt --change L2.size=30M --html compare.html", "Compare with half of the L2, as a page"},
    {0},
};

const sl_command sl_cmd_compare = {
    .name = "compare",
    .summary = "show what differs between two runs, GPUs or policies; a gate for CI",
    .usage = "[options] (A B | INPUT | -- PROGRAM [ARG...])",
    .description =
        "Compare two sides, A and B: first which one is faster and the memory instruction whose change explains most "
        "of "
        "it, then what differs per kernel and memory instruction, the largest change first. Simulate both sides for a "
        "time: --sim, or reports of 'sluice sim'.\n\nA and B are JSON "
        "reports (*.json) of 'sluice run', 'model', 'sim', 'info' or 'report', or inputs of any kind: traces, "
        "workloads, PTX files, which are modeled or simulated here. With one input, the sides are two GPUs or "
        "policies: give --gpu, --l1, --l2 or --scheduler twice, or --change.\n\nKernels are matched by symbol, renamed "
        "ones by --match or "
        "because their instructions are alike, memory "
        "instructions by source line, opcode and array; where lines have moved, by opcode and array in order, or by "
        "array alone. "
        "--fail-if takes the names of counters and other metrics that 'sluice explain' explains; the exit code is 1 if "
        "one of the conditions holds.",
    .options = options,
    .more_options = sl_input_table,
    .often = "gpu change l1 sim match fail-if kernel launch html json",
    .common = SL_COMMON_BY | SL_COMMON_PLUGINS | SL_COMMON_REPORT | SL_COMMON_LOADS | SL_COMMON_HTML | SL_COMMON_JOBS,
    .values_bytes = sizeof(compare_options),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = 2,
    .operand = "an input or a report",
    .takes_program = true,
    .examples = examples,
    .run = run,
};
