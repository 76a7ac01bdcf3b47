/* SPDX-License-Identifier: MIT */
/* sluice workloads: the built-in GPU programs. */
#include <string.h>

#include "base/split.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "report/parts.h"
#include "report/table.h"
#include "workloads/workload.h"

typedef struct workloads_options {
    sl_common common;
    const char *tag, *paper; /* NULL: any */
} workloads_options;

static const char *const papers[] = {"decoupled-l1d", "pc-bypass", "frc", "mpache", "reuse-distance"};
enum { PAPERS = sizeof papers / sizeof papers[0] };

/* Whether a workload is named (or no name is given) and matches the filters. */
static bool chosen(const sl_invocation *inv, const sl_workload *workload)
{
    const workloads_options *options = inv->values;
    bool named = !inv->args.operands;
    for (size_t i = 0; i < inv->args.operands; i++)
        named = named || !strcmp(inv->args.operand[i], workload->name);
    return named && (!options->tag || sl_workload_has_tag(workload, options->tag)) &&
           (!options->paper || sl_workload_of_paper(workload, options->paper));
}

/* ---- a few, in full ---- */

static void describe(FILE *file, const sl_workload *w)
{
    char insts[SL_HUMAN_BYTES], bytes[SL_HUMAN_BYTES];
    fprintf(file, "%s\n    %s\n    class: %s\n    tags: %s\n", w->name, w->summary, w->class, w->tags);
    if (*w->papers)
        fprintf(file, "    papers: %s\n", w->papers);
    for (int size = 0; size < SL_SIZES; size++) {
        const sl_workload_facts *f = &w->facts[size];
        fprintf(file, "    %-8s %s", sl_size_names[size], w->size[size]);
        if (f->launches)
            fprintf(file, " (%llu launch%s, %s warp instructions, %s footprint)", (unsigned long long)f->launches,
                    f->launches == 1 ? "" : "es", sl_human_count(f->warp_insts, insts),
                    sl_human_bytes(f->footprint_bytes, bytes));
        fprintf(file, "\n");
    }
}

/* ---- many, a line each ---- */

static void add_row(sl_table *t, const sl_workload *w)
{
    const sl_workload_facts *f = &w->facts[SL_SIZE_DEFAULT];
    char text[SL_HUMAN_BYTES];
    sl_table_cell(t, w->name);
    sl_table_cell(t, w->class);
    sl_table_cellf(t, "%llu", (unsigned long long)f->launches);
    sl_table_cell(t, sl_human_count(f->warp_insts, text));
    sl_table_cell(t, sl_human_bytes(f->footprint_bytes, text));
    sl_table_cellf(t, "%s%s%s%s", w->summary, *w->papers ? " (" : "", w->papers, *w->papers ? ")" : "");
}

static sl_status write_table(FILE *file, const sl_invocation *inv, sl_error *error)
{
    static const sl_column columns[] = {SL_TEXTS("workload"),    SL_TEXTS("class"),
                                        SL_NUMBERS("launches"),  SL_NUMBERS("warp insts"),
                                        SL_NUMBERS("footprint"), SL_PROSE("description (papers)")};
    sl_table *t = SL_TABLE(columns);
    size_t count = 0;
    for (size_t i = 0; i < sl_workload_count(); i++)
        if (chosen(inv, sl_workload_at(i))) {
            add_row(t, sl_workload_at(i));
            count++;
        }
    sl_status status = sl_table_finish(t, file, sl_terminal_width(file), error);
    fprintf(file, "\n%zu of %zu; figures are those of the default size. 'sluice workloads NAME' tells more of one.\n",
            count, sl_workload_count());
    return status;
}

static sl_status write_text(FILE *file, const void *result, sl_error *error)
{
    const sl_invocation *inv = result;
    if (!inv->args.operands)
        return write_table(file, inv, error);
    for (size_t i = 0; i < sl_workload_count(); i++)
        if (chosen(inv, sl_workload_at(i)))
            describe(file, sl_workload_at(i));
    return SL_OK;
}

/* ---- for programs ---- */

static void json_workload(sl_json *j, const sl_workload *w)
{
    sl_json_object(j, false);
    sl_json_key(j, "name"), sl_json_string(j, w->name);
    sl_json_key(j, "summary"), sl_json_string(j, w->summary);
    sl_json_key(j, "papers"), sl_json_string(j, w->papers);
    sl_json_key(j, "class"), sl_json_string(j, w->class);
    sl_json_key(j, "tags"), sl_json_string(j, w->tags);
    sl_json_key(j, "sizes"), sl_json_object(j, false);
    for (int size = 0; size < SL_SIZES; size++) {
        const sl_workload_facts *f = &w->facts[size];
        sl_json_key(j, sl_size_names[size]), sl_json_object(j, false);
        sl_json_key(j, "parameters"), sl_json_string(j, w->size[size]);
        if (f->launches) {
            sl_json_key(j, "launches"), sl_json_u64(j, f->launches);
            sl_json_key(j, "warp_insts"), sl_json_u64(j, f->warp_insts);
            sl_json_key(j, "thread_insts"), sl_json_u64(j, f->thread_insts);
            sl_json_key(j, "footprint_bytes"), sl_json_u64(j, f->footprint_bytes);
        }
        sl_json_close(j, '}');
    }
    sl_json_close(j, '}');
    sl_json_close(j, '}');
}

static sl_status write_json(FILE *file, const void *result, sl_error *error)
{
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_tool_json(&j, "workloads");
    sl_json_key(&j, "workloads"), sl_json_array(&j, true);
    for (size_t i = 0; i < sl_workload_count(); i++)
        if (chosen(result, sl_workload_at(i)))
            json_workload(&j, sl_workload_at(i));
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

static sl_status write_csv(FILE *file, const void *result, sl_error *error)
{
    (void)error;
    fprintf(file, "name,class,papers,tags,launches,warp_insts,thread_insts,footprint_bytes,parameters,summary\n");
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *w = sl_workload_at(i);
        const sl_workload_facts *f = &w->facts[SL_SIZE_DEFAULT];
        if (!chosen(result, w))
            continue;
        fprintf(file, "%s,%s,%s,%s,%llu,%llu,%llu,%llu,", w->name, w->class, w->papers, w->tags,
                (unsigned long long)f->launches, (unsigned long long)f->warp_insts, (unsigned long long)f->thread_insts,
                (unsigned long long)f->footprint_bytes);
        sl_csv_field(file, w->size[SL_SIZE_DEFAULT]);
        fputc(',', file);
        sl_csv_field(file, w->summary);
        fputc('\n', file);
    }
    return SL_OK;
}

/* ---- the command ---- */

static int refuse_tag(const sl_invocation *inv, const char *tag)
{
    char hint[128] = "";
    for (size_t i = 0; i < sl_workload_count() && !*hint; i++) {
        sl_split tags;
        const char *class = sl_workload_at(i)->class;
        sl_did_you_mean(tag, &class, 1, "", hint, sizeof hint);
        if (*hint || sl_split_words(sl_workload_at(i)->tags, &tags, NULL))
            continue;
        sl_did_you_mean(tag, tags.word, tags.count, "", hint, sizeof hint);
        sl_split_free(&tags);
    }
    return sl_cli_usage(inv, "no workload has the tag '%s'%s", tag, hint);
}

/* Explains why no workload matches. */
static int refuse(const sl_invocation *inv)
{
    const workloads_options *options = inv->values;
    const char *paper = options->paper;
    bool known = !paper;
    for (size_t i = 0; i < PAPERS && !known; i++)
        known = !strcmp(paper, papers[i]);
    char hint[128];
    if (!known)
        return sl_cli_usage(inv, "unknown paper '%s'%s", paper,
                            sl_did_you_mean(paper, papers, PAPERS, "", hint, sizeof hint));
    if (options->tag && !paper && !inv->args.operands)
        return refuse_tag(inv, options->tag);
    return sl_cli_usage(inv, "no workload matches all of these filters");
}

static int run_workloads(const sl_invocation *inv)
{
    static const sl_report_forms forms = {.text = write_text, .json = write_json, .csv = write_csv};
    const sl_workload *workload;
    sl_error error;
    size_t count = 0;
    for (size_t i = 0; i < inv->args.operands; i++)
        if (sl_workload_find(inv->args.operand[i], &workload, &error))
            return sl_cli_usage(inv, "%s", error.text);
    for (size_t i = 0; i < sl_workload_count(); i++)
        count += chosen(inv, sl_workload_at(i));
    return count ? sl_report_write(inv, &forms, inv, stdout) : refuse(inv);
}

static const sl_option options[] = {
    {"tag", 't', SL_OPTION_STRING, "WORD", "List only workloads with this tag or of this class",
     offsetof(workloads_options, tag), 0, 0, NULL},
    {"paper", 'p', SL_OPTION_STRING, "PAPER",
     "List only workloads of this paper: decoupled-l1d, pc-bypass, frc, mpache, reuse-distance",
     offsetof(workloads_options, paper), 0, 0, NULL},
    {0},
};

static const sl_example examples[] = {
    {"sluice workloads", "List the workloads, a line each"},
    {"sluice workloads --paper frc", "List the workloads of one paper"},
    {"sluice workloads spmv lbm", "Show tags, sizes and parameters of two workloads"},
    {"sluice workloads --tag irregular --json", "List some of them as JSON"},
    {0},
};

const sl_command sl_cmd_workloads = {
    .name = "workloads",
    .summary = "list the built-in GPU programs",
    .usage = "[options] [NAME...]",
    .description = "List the built-in GPU programs with the papers that use them and how much they execute and access "
                   "at their default size. With names, show the parameters of their three sizes.\n\nA workload "
                   "generates its input from a seed and checks its result against the CPU. 'sluice run NAME' runs it; "
                   "--size selects a size, and NAME=VALUE after the name changes a parameter.",
    .options = options,
    .common = SL_COMMON_REPORT,
    .values_bytes = sizeof(workloads_options),
    .max_operands = 1000,
    .operand = "a workload",
    .examples = examples,
    .run = run_workloads,
};
