/* SPDX-License-Identifier: MIT */
#include "cli/show_planned.h"

#include <string.h>

#include "cli/output.h"
#include "cli/temporary.h"
#include "exec/planned.h"

static const sl_timed_program_kernel *same_kernel(const sl_program_results *results, const char *name)
{
    for (size_t i = 0; i < results->kernels.count; i++)
        if (!strcmp(results->kernels.items[i].name, name))
            return &results->kernels.items[i];
    return NULL;
}

/* Times of kernels where a GPU took them: those of the emulator know no caches. */
static sl_status show(const sl_planned_runs *run, bool gpu, sl_error *error)
{
    static const sl_column columns[] = {SL_NAMES("kernel"), SL_NUMBERS("launches"), SL_NUMBERS("original"),
                                        SL_NUMBERS("planned"), SL_NUMBERS("speedup")};
    const sl_program_results *a = &run->results[SL_RUN_ORIGINAL], *b = &run->results[SL_RUN_PLANNED];
    sl_document *d = sl_document_create(&(sl_report_info){.command = "run"}, SL_FORM_TEXT);
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, gpu ? sizeof columns / sizeof *columns : 2);
    for (size_t i = 0; i < a->kernels.count; i++) {
        const sl_timed_program_kernel *before = &a->kernels.items[i], *after = same_kernel(b, before->name);
        double planned = after ? after->ns : 0;
        sl_table_function(t, before->name);
        sl_table_exact(t, before->launches);
        if (!gpu)
            continue;
        sl_table_number(t, before->ns / 1e3, 2, " us");
        sl_table_number(t, planned / 1e3, 2, " us");
        sl_table_number(t, planned > 0 ? before->ns / planned : 1, 3, "");
    }
    if (a->untimed || b->untimed) /* launches that are not in the table */
        sl_document_line(
            d, "\n%llu launches of the original and %llu with the plan are not timed: graphs, or failed events\n",
            (unsigned long long)a->untimed, (unsigned long long)b->untimed);
    else if (!a->kernels.count)
        sl_document_line(d, "\nthe program launched no kernel\n");
    sl_document_line(d, "\n%llu accesses and settings are changed; %llu bytes in %llu copies to the host, %s\n",
                     (unsigned long long)b->applied, (unsigned long long)b->bytes, (unsigned long long)b->copies,
                     sl_planned_same(run));
    sl_status status = sl_document_print(d, stderr, error);
    sl_document_destroy(d);
    return status;
}

int sl_run_planned(const sl_invocation *inv, const char *plan, bool gpu)
{
    char folder[512];
    sl_planned_runs runs = {0};
    sl_error error = {0};
    sl_status status = sl_temporary_folder(folder, sizeof folder, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    const sl_planned_program program = {.argv = inv->args.program,
                                        .plan = plan,
                                        .gpu = gpu,
                                        .threads = (uint32_t)inv->common->threads,
                                        .folder = folder};
    status = sl_planned_run(&program, &runs, &error);
    sl_temporary_folder_remove(folder);
    if (!status && !inv->common->quiet)
        status = show(&runs, gpu, &error);
    int code = status ? sl_cli_fail(inv, &error) : runs.exit_code[SL_RUN_PLANNED];
    sl_planned_runs_fini(&runs);
    return code;
}
