/* SPDX-License-Identifier: MIT */
#include "cli/show_planned.h"

#include <string.h>

#include "cli/output.h"
#include "cli/temporary.h"
#include "cli/terminal.h"
#include "exec/planned.h"
#include "report/table.h"

static const sl_timed_program_kernel *same_kernel(const sl_program_results *results, const char *name)
{
    for (size_t i = 0; i < results->kernels.count; i++)
        if (!strcmp(results->kernels.items[i].name, name))
            return &results->kernels.items[i];
    return NULL;
}

/* Launches that are not in the table. */
static void report_untimed(FILE *file, const sl_program_results *a, const sl_program_results *b)
{
    if (a->untimed || b->untimed)
        fprintf(file,
                "\n%llu launches of the original and %llu with the plan are not timed: graphs, or failed events\n",
                (unsigned long long)a->untimed, (unsigned long long)b->untimed);
    else if (!a->kernels.count)
        fprintf(file, "\nthe program launched no kernel\n");
}

typedef struct shown {
    sl_planned_runs runs;
    bool gpu; /* else the emulator, whose times know no caches */
} shown;

static sl_status show(FILE *file, const void *result, sl_error *error)
{
    const shown *s = result;
    const sl_planned_runs *run = &s->runs;
    static const sl_column columns[] = {{"kernel", false, true},
                                        {"launches", true, false},
                                        {"original", true, false},
                                        {"planned", true, false},
                                        {"speedup", true, false}};
    const sl_program_results *a = &run->results[SL_RUN_ORIGINAL], *b = &run->results[SL_RUN_PLANNED];
    sl_table *table = sl_table_create(columns, s->gpu ? sizeof columns / sizeof *columns : 2);
    if (!table)
        return sl_fail_memory(error);
    for (size_t i = 0; i < a->kernels.count; i++) {
        const sl_timed_program_kernel *before = &a->kernels.items[i], *after = same_kernel(b, before->name);
        double planned = after ? after->ns : 0;
        sl_table_function(table, before->name);
        sl_table_cellf(table, "%llu", (unsigned long long)before->launches);
        if (!s->gpu)
            continue;
        sl_table_cellf(table, "%.2f us", before->ns / 1e3);
        sl_table_cellf(table, "%.2f us", planned / 1e3);
        sl_table_cellf(table, "%.3f", planned > 0 ? before->ns / planned : 1);
    }
    sl_status status = sl_table_print(table, file, sl_terminal_width(stderr), error);
    sl_table_destroy(table);
    report_untimed(file, a, b);
    fprintf(file, "\n%llu accesses and settings are changed; %llu bytes in %llu copies to the host, %s\n",
            (unsigned long long)b->applied, (unsigned long long)b->bytes, (unsigned long long)b->copies,
            sl_planned_same(run));
    return status;
}

int sl_run_planned(const sl_invocation *inv, const char *plan, bool gpu)
{
    char folder[512];
    shown s = {.gpu = gpu};
    sl_error error = {0};
    sl_status status = sl_temporary_folder(folder, sizeof folder, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    const sl_planned_program program = {.argv = inv->args.program,
                                        .plan = plan,
                                        .gpu = gpu,
                                        .threads = (uint32_t)inv->common->threads,
                                        .folder = folder};
    status = sl_planned_run(&program, &s.runs, &error);
    sl_temporary_folder_remove(folder);
    if (!status && !inv->common->quiet)
        status = sl_text_write(stderr, show, false, &s, &error);
    int code = status ? sl_cli_fail(inv, &error) : s.runs.exit_code[SL_RUN_PLANNED];
    sl_planned_runs_fini(&s.runs);
    return code;
}
