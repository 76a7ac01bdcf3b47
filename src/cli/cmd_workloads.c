/* SPDX-License-Identifier: MIT */
/* sluice workloads: the built-in GPU programs. */
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
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

static void describe(sl_document *d, const sl_workload *w)
{
    char insts[SL_HUMAN_BYTES], bytes[SL_HUMAN_BYTES];
    sl_document_line(d, "%s\n    %s\n    class: %s\n    tags: %s\n", w->name, w->summary, w->class, w->tags);
    if (*w->papers)
        sl_document_line(d, "    papers: %s\n", w->papers);
    for (int size = 0; size < SL_SIZES; size++) {
        const sl_workload_facts *f = &w->facts[size];
        sl_document_line(d, "    %-8s %s", sl_size_names[size], w->size[size]);
        if (f->launches)
            sl_document_line(d, " (%llu launch%s, %s warp instructions, %s footprint)", (unsigned long long)f->launches,
                             f->launches == 1 ? "" : "es", sl_human_count(f->warp_insts, insts),
                             sl_human_bytes(f->footprint_bytes, bytes));
        sl_document_line(d, "\n");
    }
}

/* ---- many, a line each ---- */

static void write_sizes(sl_json *j, const void *of)
{
    const sl_workload *w = of;
    sl_json_object(j, false);
    for (int size = 0; size < SL_SIZES; size++) {
        const sl_workload_facts *f = &w->facts[size];
        sl_json_object_member(j, sl_size_names[size], false);
        sl_json_string_member(j, "parameters", w->size[size]);
        if (f->launches) {
            sl_json_u64_member(j, "launches", f->launches);
            sl_json_u64_member(j, "warp_insts", f->warp_insts);
            sl_json_u64_member(j, "thread_insts", f->thread_insts);
            sl_json_u64_member(j, "footprint_bytes", f->footprint_bytes);
        }
        sl_json_close(j, '}');
    }
    sl_json_close(j, '}');
}

#define OF_SIZE(text, name)                                                                                            \
    {                                                                                                                  \
        .title = text, .right = true, .key = name, .forms = SL_FORM_TEXT | SL_FORM_CSV                                 \
    }

static sl_table *make_table(sl_document *d, bool named)
{
    static const sl_column columns[] = {SL_TEXTS_AS("workload", "name"),
                                        SL_TEXTS_AS("class", "class"),
                                        SL_DATA("papers"),
                                        SL_DATA("tags"),
                                        OF_SIZE("launches", "launches"),
                                        OF_SIZE("warp insts", "warp_insts"),
                                        SL_DATA_IN("thread_insts", SL_FORM_CSV),
                                        OF_SIZE("footprint", "footprint_bytes"),
                                        SL_DATA_IN("parameters", SL_FORM_CSV),
                                        SL_DATA("summary"),
                                        SL_DATA_IN("sizes", SL_FORM_JSON),
                                        SL_PROSE("description (papers)")};
    return sl_document_table(d, "workloads", NULL, named ? SL_FORM_DATA : SL_FORM_ALL, columns,
                             sizeof columns / sizeof *columns);
}

static void add_row(sl_table *t, const sl_workload *w)
{
    const sl_workload_facts *f = &w->facts[SL_SIZE_DEFAULT];
    sl_table_cell(t, w->name);
    sl_table_cell(t, w->class);
    sl_table_cell(t, w->papers);
    sl_table_cell(t, w->tags);
    sl_table_exact(t, f->launches);
    sl_table_count(t, f->warp_insts);
    sl_table_exact(t, f->thread_insts);
    sl_table_bytes(t, f->footprint_bytes);
    sl_table_cell(t, w->size[SL_SIZE_DEFAULT]);
    sl_table_cell(t, w->summary);
    sl_table_json_value(t, write_sizes, w);
    sl_table_cellf(t, "%s%s%s%s", w->summary, *w->papers ? " (" : "", w->papers, *w->papers ? ")" : "");
}

static int show(const sl_invocation *inv, size_t count)
{
    static const sl_report_info info = {.command = "workloads"};
    bool named = inv->args.operands;
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    sl_table *t = make_table(d, named);
    for (size_t i = 0; i < sl_workload_count(); i++) {
        const sl_workload *w = sl_workload_at(i);
        if (!chosen(inv, w))
            continue;
        add_row(t, w);
        if (named)
            describe(d, w);
    }
    if (!named)
        sl_document_line(d,
                         "\n%zu of %zu workloads; counts are for the default size. Details: sluice workloads NAME.\n",
                         count, sl_workload_count());
    return sl_document_show(inv, d, NULL, stdout);
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
    const sl_workload *workload;
    sl_error error;
    size_t count = 0;
    for (size_t i = 0; i < inv->args.operands; i++)
        if (sl_workload_find(inv->args.operand[i], &workload, &error))
            return sl_cli_usage(inv, "%s", error.text);
    for (size_t i = 0; i < sl_workload_count(); i++)
        count += chosen(inv, sl_workload_at(i));
    return count ? show(inv, count) : refuse(inv);
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
