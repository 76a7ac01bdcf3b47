/* SPDX-License-Identifier: MIT */
#include "cli/run_planned.h"

#include <stdlib.h>
#include <string.h>

#include "bypass/plan.h"
#include "cli/launch_app.h"
#include "cli/temporary.h"
#include "cli/terminal.h"
#include "report/table.h"
#include "swap/results.h"

enum { ORIGINAL, PLANNED, RUNS };

typedef struct planned_run {
    const sl_invocation *inv;
    const char *planned; /* file of the plan */
    bool gpu;
    sl_app app;
    char *plan; /* absolute */
    char folder[512];
    sl_app_end end[RUNS];
    sl_swap_results results[RUNS];
} planned_run;

/* The first run prints to nowhere, the second one for the user. */
static sl_status run_once(planned_run *run, int which, sl_error *error)
{
    char plan[4200], results[1024], file[900];
    const sl_cudart_options emulated = {.threads = (uint32_t)run->inv->common->threads, .quiet = true};
    snprintf(file, sizeof file, "%s/results-%d", run->folder, which);
    snprintf(plan, sizeof plan, SL_SWAP_PLAN_VARIABLE "=%s", which == PLANNED ? run->plan : "");
    snprintf(results, sizeof results, SL_SWAP_RESULTS_VARIABLE "=%s", file);
    const sl_app_start start = {.emulate = !run->gpu ? &emulated : NULL,
                                .folder = run->folder,
                                .preload = "libsluice_swap.so",
                                .variable = {plan, results},
                                .output = which == ORIGINAL ? "/dev/null" : NULL};
    sl_status status = sl_app_start_and_wait(&run->app, run->inv->args.program, &start, &run->end[which], error);
    if (!status && sl_swap_results_read(file, &run->results[which], NULL))
        status = sl_fail(error, SL_NOT_FOUND,
                         "%s ended with exit code %d and registered no kernels; it must be linked with -cudart shared",
                         run->app.path, run->end[which].code);
    return status;
}

/* Whether the second run did what it should: the plan is in it, and it gave what the first one gave. */
static sl_status check(const planned_run *run, sl_error *error)
{
    const sl_swap_results *a = &run->results[ORIGINAL], *b = &run->results[PLANNED];
    if (b->refused)
        return sl_fail(error, SL_INVALID, "the plan was not applied: %s", b->refused);
    if (!b->applied)
        return sl_fail(
            error, SL_MISMATCH,
            "the plan belongs to other code: none of the %llu PTX texts of %s has its hash, or it chooses no "
            "load",
            (unsigned long long)b->texts, run->app.path);
    if (run->end[ORIGINAL].code != run->end[PLANNED].code)
        return sl_fail(error, SL_MISMATCH, "the program ends with exit code %d, but with the plan with %d",
                       run->end[ORIGINAL].code, run->end[PLANNED].code);
    if (a->copies != b->copies || a->bytes != b->bytes || a->hash != b->hash)
        return sl_fail(
            error, SL_MISMATCH,
            "results differ: the original copied %llu times, %llu bytes with hash %016llx to the host; with "
            "the plan it was %llu times, %llu bytes with hash %016llx. The program races or prints times, or "
            "the rewriting is wrong: keep the original",
            (unsigned long long)a->copies, (unsigned long long)a->bytes, (unsigned long long)a->hash,
            (unsigned long long)b->copies, (unsigned long long)b->bytes, (unsigned long long)b->hash);
    return SL_OK;
}

static const sl_swap_kernel *same_kernel(const sl_swap_results *results, const char *name)
{
    for (size_t i = 0; i < results->kernels.count; i++)
        if (!strcmp(results->kernels.items[i].name, name))
            return &results->kernels.items[i];
    return NULL;
}

/* Launches that the table does not have. */
static void tell_untimed(const sl_swap_results *a, const sl_swap_results *b)
{
    if (a->untimed || b->untimed)
        fprintf(stderr,
                "\n%llu launches of the original and %llu with the plan are not timed: graphs, or failed events\n",
                (unsigned long long)a->untimed, (unsigned long long)b->untimed);
    else if (!a->kernels.count)
        fprintf(stderr, "\nno launches were seen\n");
}

static sl_status show(const planned_run *run, sl_error *error)
{
    static const sl_column columns[] = {{"kernel", false, true},
                                        {"launches", true, false},
                                        {"original", true, false},
                                        {"planned", true, false},
                                        {"speedup", true, false}};
    const sl_swap_results *a = &run->results[ORIGINAL], *b = &run->results[PLANNED];
    sl_table *table = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!table)
        return sl_fail_memory(error);
    for (size_t i = 0; i < a->kernels.count; i++) {
        const sl_swap_kernel *before = &a->kernels.items[i], *after = same_kernel(b, before->name);
        double planned = after ? after->ns : 0;
        sl_table_cell(table, before->name);
        sl_table_cellf(table, "%llu", (unsigned long long)before->launches);
        sl_table_cellf(table, "%.2f us", before->ns / 1e3);
        sl_table_cellf(table, "%.2f us", planned / 1e3);
        sl_table_cellf(table, "%.3f", planned > 0 ? before->ns / planned : 1);
    }
    sl_status status = sl_table_print(table, stderr, sl_terminal_width(stderr), error);
    sl_table_destroy(table);
    tell_untimed(a, b);
    fprintf(stderr, "\n%llu loads bypass; %llu bytes in %llu copies to the host, all the same\n",
            (unsigned long long)b->applied, (unsigned long long)b->bytes, (unsigned long long)b->copies);
    return status;
}

static sl_status run_both(planned_run *run, sl_error *error)
{
    sl_plan plan;
    sl_status status = sl_plan_read(run->planned, &plan, error);
    if (status)
        return status;
    sl_plan_fini(&plan);
    run->plan = realpath(run->planned, NULL);
    if (!run->plan)
        return sl_fail_io(error, "read", run->planned);
    status = sl_app_inspect(run->inv->args.program[0], &run->app, error);
    for (int which = 0; which < RUNS && !status; which++)
        status = run_once(run, which, error);
    if (!status)
        status = check(run, error);
    if (!status && !run->inv->common->quiet)
        status = show(run, error);
    return status;
}

int sl_run_planned(const sl_invocation *inv, const char *plan, bool gpu)
{
    planned_run run = {.inv = inv, .planned = plan, .gpu = gpu};
    sl_error error = {0};
    sl_status status = sl_temporary_folder(run.folder, sizeof run.folder, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    status = run_both(&run, &error);
    sl_temporary_folder_remove(run.folder);
    free(run.plan);
    for (int i = 0; i < RUNS; i++)
        sl_swap_results_fini(&run.results[i]);
    return status ? sl_cli_fail(inv, &error) : run.end[PLANNED].code;
}
