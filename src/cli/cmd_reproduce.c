/* SPDX-License-Identifier: MIT */
/* sluice reproduce: papers' numbers compared with ours. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/folders.h"
#include "cli/output.h"
#include "cli/paper_programs.h"
#include "cli/terminal.h"
#include "report/results.h"

typedef struct reproduce_options {
    sl_common common;
    const char *cache, *pages, *figures;
    bool quick, list;
} reproduce_options;

typedef struct papers {
    size_t count;
    sl_paper *paper;
    sl_reproduction *item;
} papers;

static void free_papers(papers *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->item && p->item[i].paper)
            sl_reproduction_free(&p->item[i]);
        sl_paper_free(&p->paper[i]);
    }
    free(p->paper);
    free(p->item);
}

/* The paper of the operand, or all but those that are run only by their name. */
static sl_status load_papers(papers *p, const sl_invocation *inv, sl_error *error)
{
    size_t count = inv->args.operands ? 1 : sl_paper_count();
    p->paper = calloc(count, sizeof *p->paper);
    p->item = calloc(count, sizeof *p->item);
    if (!p->paper || !p->item)
        return sl_fail_memory(error);
    const reproduce_options *o = inv->values;
    sl_status status = SL_OK;
    for (size_t i = 0; i < count && !status; i++) {
        sl_paper *paper = &p->paper[p->count];
        status =
            sl_paper_load(inv->args.operands ? inv->args.operand[0] : sl_paper_name_at(i), inv->custom, paper, error);
        if (!status && paper->alone && !inv->args.operands && !o->list)
            sl_paper_free(paper);
        else
            p->count++;
    }
    return status;
}

static void warn_of_missing(const sl_invocation *inv, const sl_reproduction *r)
{
    for (size_t i = 0; i < r->paper->programs; i++)
        if (r->missing[i])
            sl_cli_warn(inv, "%s, %s: '%s' is not installed, so it is left out", r->paper->name,
                        r->paper->program[i].name, r->paper->program[i].command);
}

static sl_status run_papers(papers *p, const sl_invocation *inv, sl_runner *runner, sl_error *error)
{
    sl_cli_paper_programs found = {inv, runner->traces};
    const sl_paper_programs programs = sl_cli_paper_programs_of(&found);
    const reproduce_options *o = inv->values;
    const char *figure = inv->args.operands > 1 ? inv->args.operand[1] : NULL;
    sl_status status = SL_OK;
    for (size_t i = 0; i < p->count && !status; i++) {
        status = sl_reproduction_plan(&p->paper[i], figure, o->quick, &programs, &p->item[i], error);
        if (!status)
            warn_of_missing(inv, &p->item[i]);
        if (!status)
            status = sl_reproduction_run(&p->item[i], runner, error);
    }
    return status;
}

static sl_status open_and_run(papers *p, const sl_invocation *inv, sl_error *error)
{
    const reproduce_options *o = inv->values;
    sl_cached_runner cached;
    sl_status status = sl_cached_runner_open(&cached, inv, o->cache, NULL, error);
    if (status)
        return status;
    status = run_papers(p, inv, &cached.runner, error);
    sl_cached_runner_close(&cached, inv);
    return status;
}

static sl_status page_form(FILE *file, const void *result, sl_error *error)
{
    return sl_reproduction_page(file, result, error);
}

static sl_status write_pages(const papers *p, const char *folder, sl_error *error)
{
    sl_status status = sl_make_folders(folder, error);
    for (size_t i = 0; i < p->count && !status; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/%s.html", folder, p->paper[i].name);
        status = sl_output_write(page_form, path, &p->item[i], error);
    }
    return status;
}

/* A figure of a paper, as a file. */
typedef struct figure_file {
    const sl_reproduction *item;
    const sl_paper_figure *figure;
} figure_file;

static sl_status chart_form(FILE *file, const void *result, sl_error *error)
{
    const figure_file *f = result;
    bool drawn;
    return sl_reproduction_chart(file, f->item, f->figure, true, &drawn, error);
}

static sl_status figure_csv_form(FILE *file, const void *result, sl_error *error)
{
    const figure_file *f = result;
    return sl_reproduction_csv(file, f->item, f->figure, error);
}

static sl_status write_figure(const figure_file *f, const char *folder, sl_error *error)
{
    char path[1200];
    bool drawn = false;
    sl_status status = sl_reproduction_chart(NULL, f->item, f->figure, true, &drawn, error);
    snprintf(path, sizeof path, "%s/%s-%s.svg", folder, f->item->paper->name, f->figure->id);
    if (!status && drawn)
        status = sl_output_write(chart_form, path, f, error);
    snprintf(path, sizeof path, "%s/%s-%s.csv", folder, f->item->paper->name, f->figure->id);
    return status ? status : sl_output_write(figure_csv_form, path, f, error);
}

static sl_status write_figures(const papers *p, const char *folder, sl_error *error)
{
    sl_status status = sl_make_folders(folder, error);
    for (size_t i = 0; i < p->count; i++)
        for (size_t f = 0; f < p->paper[i].figures && !status; f++)
            if (p->item[i].wanted[f])
                status = write_figure(&(figure_file){&p->item[i], &p->paper[i].figure[f]}, folder, error);
    return status;
}

/* ---- --list ---- */

static int list_papers(const sl_invocation *inv)
{
    static const sl_column papers_of[] = {SL_DATA("name"), SL_DATA("title")};
    static const sl_column figures_of[] = {SL_DATA("id"), SL_DATA("title"), SL_DATA("where"), SL_DATA("quick")};
    static const sl_column rows[] = {SL_DATA("paper"), SL_DATA("figure"), SL_DATA("title"), SL_DATA("where"),
                                     SL_DATA("quick")};
    const sl_report_info info = {.command = "reproduce"};
    papers p = {0};
    sl_error error;
    if (load_papers(&p, inv, &error)) {
        free_papers(&p);
        return sl_cli_fail(inv, &error);
    }
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    sl_table *json = sl_document_table(d, "papers", NULL, SL_FORM_JSON, papers_of, 2);
    sl_table *figures = sl_table_child(json, "figures", SL_FORM_JSON | SL_FORM_EMPTY, figures_of, 4);
    sl_table *csv = sl_document_table(d, NULL, NULL, SL_FORM_CSV, rows, 5);
    for (size_t i = 0; i < p.count; i++) {
        sl_table_cell(json, p.paper[i].name);
        sl_table_cell(json, p.paper[i].title);
        sl_document_line(d, "%s: %s\n", p.paper[i].name, p.paper[i].title);
        for (size_t f = 0; f < p.paper[i].figures; f++) {
            const sl_paper_figure *figure = &p.paper[i].figure[f];
            sl_document_line(d, "  %-12s %s\n", figure->id, figure->title);
            sl_table_cell(csv, p.paper[i].name);
            for (int form = 0; form < 2; form++) {
                sl_table *t = form ? csv : figures;
                sl_table_cell(t, figure->id);
                sl_table_cell(t, figure->title);
                sl_table_cell(t, figure->where);
                sl_table_bool(t, figure->quick);
            }
        }
    }
    free_papers(&p);
    return sl_document_show(inv, d, NULL, stdout);
}

static int run_reproduce(const sl_invocation *inv)
{
    const reproduce_options *o = inv->values;
    papers p = {0};
    sl_error error;
    if (o->list)
        return list_papers(inv);
    sl_status status = load_papers(&p, inv, &error);
    if (!status)
        status = open_and_run(&p, inv, &error);
    if (!status && o->pages)
        status = write_pages(&p, o->pages, &error);
    if (!status && o->figures)
        status = write_figures(&p, o->figures, &error);
    int code = SL_EXIT_FAILURE;
    if (status) {
        sl_cli_fail(inv, &error);
    } else {
        const sl_report_info info = {.command = "reproduce"};
        sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
        sl_document_reproductions(d, p.item, p.count);
        code = sl_document_show(inv, d, NULL, stdout);
        for (size_t i = 0; i < p.count; i++)
            if (sl_reproduction_failures(&p.item[i]))
                code = SL_EXIT_FAILURE;
    }
    free_papers(&p);
    return code;
}

#define AT(field) offsetof(reproduce_options, field)
static const sl_option options[] = {
    {"quick", 0, SL_OPTION_FLAG, NULL, "Run fewer programs and figures: minutes instead of almost an hour", AT(quick),
     0, 0, NULL},
    {"pages", 0, SL_OPTION_STRING, "FOLDER", "Write an HTML page per paper into this folder", AT(pages), 0, 0, NULL},
    {"figures", 0, SL_OPTION_STRING, "FOLDER", "Write each figure as SVG, for print, and as CSV into this folder",
     AT(figures), 0, 0, NULL},
    {"cache", 0, SL_OPTION_STRING, "FOLDER", "Folder in which results and traces are kept (default: ~/.cache/sluice)",
     AT(cache), 0, 0, NULL},
    {"list", 0, SL_OPTION_FLAG, NULL, "List the papers with their tables and figures, and run nothing", AT(list), 0, 0,
     NULL},
    {0},
};

static const sl_example examples[] = {
    {"sluice reproduce --quick --pages pages", "Reproduce every paper on few programs, with a page for each in pages/"},
    {"sluice reproduce decoupled-l1d table1", "Reproduce one table, the paper's numbers next to ours"},
    {"sluice reproduce league --quick --pages pages", "Rank all policies on few programs, with a page"},
    {"sluice reproduce league --quick --policy-plugin ./mru.so", "Rank a custom policy among all others"},
    {"sluice reproduce --list", "List papers, tables and figures"},
    {0},
};

const sl_command sl_cmd_reproduce = {
    .name = "reproduce",
    .summary = "rerun the experiments of papers and compare the numbers",
    .usage = "[options] [PAPER [FIGURE]]",
    .description =
        "Run the experiments behind the tables and figures of a paper on the built-in workloads and compare: whether "
        "each number agrees, has the same direction, or differs, and why if that is known. PAPER is a name listed by "
        "--list or a YAML file; without one, all papers are run, but not 'league', which ranks all "
        "policies.\n\nResults are cached under a hash of everything they "
        "depend on and not computed again, so that an interrupted run resumes where it stopped. A point that fails is "
        "shown with its error, the others are still run, and the exit code is 1.",
    .options = options,
    .common = SL_COMMON_PLUGINS | SL_COMMON_REPORT | SL_COMMON_JOBS,
    .values_bytes = sizeof(reproduce_options),
    .max_operands = 2,
    .operand = "a paper",
    .examples = examples,
    .run = run_reproduce,
};
