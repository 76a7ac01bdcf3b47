/* SPDX-License-Identifier: MIT */
/* sluice reproduce: numbers of papers beside ours. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cache_folder.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "report/parts.h"
#include "report/reproduction.h"

typedef struct reproduce_options {
    sl_common common;
    const char *cache, *pages;
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
        status = sl_paper_load(inv->args.operands ? inv->args.operand[0] : sl_paper_name_at(i), paper, error);
        if (!status && paper->alone && !inv->args.operands && !o->list)
            sl_paper_free(paper);
        else
            p->count++;
    }
    return status;
}

static sl_status run_papers(papers *p, const sl_invocation *inv, sl_runner *runner, sl_error *error)
{
    const reproduce_options *o = inv->values;
    const char *figure = inv->args.operands > 1 ? inv->args.operand[1] : NULL;
    sl_status status = SL_OK;
    for (size_t i = 0; i < p->count && !status; i++) {
        status = sl_reproduction_plan(&p->paper[i], figure, o->quick, &p->item[i], error);
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

/* ---- --list ---- */

static sl_status list_text(FILE *file, const void *result, sl_error *error)
{
    const papers *p = result;
    (void)error;
    for (size_t i = 0; i < p->count; i++) {
        fprintf(file, "%s: %s\n", p->paper[i].name, p->paper[i].title);
        for (size_t f = 0; f < p->paper[i].figures; f++)
            fprintf(file, "  %-12s %s\n", p->paper[i].figure[f].id, p->paper[i].figure[f].title);
    }
    return SL_OK;
}

static sl_status list_json(FILE *file, const void *result, sl_error *error)
{
    const papers *p = result;
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_tool_json(&j, "reproduce");
    sl_json_key(&j, "papers"), sl_json_array(&j, true);
    for (size_t i = 0; i < p->count; i++) {
        sl_json_object(&j, true);
        sl_json_key(&j, "name"), sl_json_string(&j, p->paper[i].name);
        sl_json_key(&j, "title"), sl_json_string(&j, p->paper[i].title);
        sl_json_key(&j, "figures"), sl_json_array(&j, true);
        for (size_t f = 0; f < p->paper[i].figures; f++) {
            const sl_paper_figure *figure = &p->paper[i].figure[f];
            sl_json_object(&j, false);
            sl_json_key(&j, "id"), sl_json_string(&j, figure->id);
            sl_json_key(&j, "title"), sl_json_string(&j, figure->title);
            sl_json_key(&j, "where"), sl_json_string(&j, figure->where);
            sl_json_key(&j, "quick"), sl_json_bool(&j, figure->quick);
            sl_json_close(&j, '}');
        }
        sl_json_close(&j, ']');
        sl_json_close(&j, '}');
    }
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

static sl_status list_csv(FILE *file, const void *result, sl_error *error)
{
    const papers *p = result;
    (void)error;
    fputs("paper,figure,title,where,quick\n", file);
    for (size_t i = 0; i < p->count; i++)
        for (size_t f = 0; f < p->paper[i].figures; f++) {
            const sl_paper_figure *figure = &p->paper[i].figure[f];
            const char *fields[] = {p->paper[i].name, figure->id, figure->title, figure->where};
            for (size_t n = 0; n < sizeof fields / sizeof *fields; n++) {
                sl_csv_field(file, fields[n] ? fields[n] : "");
                fputc(',', file);
            }
            fprintf(file, "%d\n", figure->quick);
        }
    return SL_OK;
}

static int list_papers(const sl_invocation *inv)
{
    static const sl_report_forms forms = {.text = list_text, .json = list_json, .csv = list_csv};
    papers p = {0};
    sl_error error;
    int code = load_papers(&p, inv, &error) ? sl_cli_fail(inv, &error) : sl_report_write(inv, &forms, &p, stdout);
    free_papers(&p);
    return code;
}

static int run_reproduce(const sl_invocation *inv)
{
    static const sl_report_forms forms = {
        .text = sl_reproductions_text, .json = sl_reproductions_json, .csv = sl_reproductions_csv};
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
    int code = SL_EXIT_FAILURE;
    if (status) {
        sl_cli_fail(inv, &error);
    } else {
        const sl_reproductions all = {p.count, p.item, sl_terminal_width(stdout), true};
        code = sl_report_write(inv, &forms, &all, stdout);
        for (size_t i = 0; i < p.count; i++)
            if (sl_reproduction_failures(&p.item[i]))
                code = SL_EXIT_FAILURE;
    }
    free_papers(&p);
    return code;
}

#define AT(field) offsetof(reproduce_options, field)
static const sl_option options[] = {
    {"quick", 0, SL_OPTION_FLAG, NULL, "Run fewer programs and figures: minutes instead of most of an hour", AT(quick),
     0, 0, NULL},
    {"pages", 0, SL_OPTION_STRING, "FOLDER", "Write an HTML page per paper into this folder", AT(pages), 0, 0, NULL},
    {"cache", 0, SL_OPTION_STRING, "FOLDER", "Folder in which results and traces are kept (default: ~/.cache/sluice)",
     AT(cache), 0, 0, NULL},
    {"list", 0, SL_OPTION_FLAG, NULL, "List the papers with their tables and figures, and run nothing", AT(list), 0, 0,
     NULL},
    {0},
};

static const sl_example examples[] = {
    {"sluice reproduce --quick --pages pages", "Reproduce every paper on few programs, with a page for each in pages/"},
    {"sluice reproduce decoupled-l1d table1", "Reproduce one table, the paper's numbers beside ours"},
    {"sluice reproduce league --quick --pages pages", "Rank all policies on few programs, with a page"},
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
    .common = SL_COMMON_REPORT | SL_COMMON_JOBS,
    .values_bytes = sizeof(reproduce_options),
    .max_operands = 2,
    .operand = "a paper",
    .examples = examples,
    .run = run_reproduce,
};
