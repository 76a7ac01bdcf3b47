/* SPDX-License-Identifier: MIT */
#include "exec/tune_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/planned.h"
#include "trace/kernel_filter.h"
#include "tune/plan.h"
#include "tune/program_results.h"

static int by_time(const void *a, const void *b)
{
    const sl_timed_program_kernel *x = *(const sl_timed_program_kernel *const *)a,
                                  *y = *(const sl_timed_program_kernel *const *)b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

/* The kernels that take most of the time become the launches of the job. */
static sl_status choose(sl_program_tuning *t, const sl_program_results *survey, sl_error *error)
{
    size_t count = survey->kernels.count;
    const sl_timed_program_kernel **order = calloc(count + 1, sizeof *order);
    double all = 0, covered = 0;
    sl_kernel_filter filter;
    sl_status status = sl_kernel_filter_init(&filter, t->kernel_regex, error);
    if (status || !order) {
        free(order);
        return status ? status : sl_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++)
        all += (order[i] = &survey->kernels.items[i])->ns;
    qsort(order, count, sizeof *order, by_time);
    for (size_t i = 0; i < count && !status && t->job.launches.count < t->max_kernels; i++) {
        if (!sl_kernel_matches(&filter, order[i]->name, NULL) || covered >= t->share * all)
            continue;
        covered += order[i]->ns;
        const sl_tune_job_launch one = {strdup(order[i]->name), order[i]->longest, order[i]->launches, order[i]->number,
                                        false};
        if (!one.kernel || !sl_array_push(&t->job.launches, one))
            status = sl_fail_memory(error);
    }
    if (!status && !t->job.launches.count)
        status = sl_fail(error, SL_NOT_FOUND, count ? "no kernel matches '%s'" : "the program launches no kernel%s",
                         count ? t->kernel_regex : "");
    sl_kernel_filter_fini(&filter);
    free(order);
    return status;
}

static sl_status survey(const sl_gpu_program *program, sl_program_tuned *tuned, sl_error *error)
{
    sl_gpu_run run = {0};
    sl_status status = sl_gpu_program_run(program, &run, error);
    tuned->survey = run.results;
    if (!status && run.end.code)
        status = sl_fail(error, SL_INVALID, "%s ends with exit code %d", program->app.path, run.end.code);
    return status;
}

static sl_status tune(const sl_gpu_program *program, const sl_program_tuning *t, sl_program_tuned *tuned, char *plans,
                      size_t size, sl_error *error)
{
    char job[1024];
    snprintf(job, sizeof job, "%s/job", program->folder);
    snprintf(plans, size, "%s/plans", program->folder);
    sl_gpu_run run = {.job = job, .plans = plans, .output = "/dev/null"};
    if (!sl_tune_job_write(&t->job, job))
        return sl_fail_io(error, "write", job);
    sl_status status = sl_gpu_program_run(program, &run, error);
    tuned->tuning = run.results;
    if (!status && run.results.refused)
        status = sl_fail(error, SL_INVALID, "%s", run.results.refused);
    return status ? status : sl_plan_list_read(plans, &tuned->plans, error);
}

/* The program on the GPU, and what it is compared as. */
typedef struct comparison {
    sl_planned_program program;
    sl_planned_runs *runs;
} comparison;

static sl_status run_with_plans(void *context, const sl_plan_list *plans, const sl_program_results **before,
                                const sl_program_results **after, sl_error *error)
{
    const comparison *c = context;
    sl_planned_runs_fini(c->runs);
    sl_status status = sl_plan_list_save(plans, c->program.plan, error);
    if (!status)
        status = sl_planned_run(&c->program, c->runs, error);
    *before = &c->runs->results[SL_RUN_ORIGINAL];
    *after = &c->runs->results[SL_RUN_PLANNED];
    return status;
}

static sl_status compare(const sl_program_tuning *t, const char *plans, sl_program_tuned *tuned, sl_error *error)
{
    enum { REPEATS = 2 };
    comparison c = {
        .program =
            {.argv = t->argv, .plan = plans, .gpu = true, .folder = t->folder, .quiet = true, .repeats = REPEATS},
        .runs = &tuned->runs};
    return sl_plans_keep_faster(&tuned->plans, sl_selector_reverts(t->job.selector), run_with_plans, &c,
                                &tuned->compared, error);
}

sl_status sl_tune_program(sl_program_tuning *t, const sl_progress *progress, sl_program_tuned *tuned, sl_error *error)
{
    sl_gpu_program program;
    char plans[1024];
    *tuned = (sl_program_tuned){0};
    sl_status status = sl_gpu_program_find(t->argv, t->folder, &program, error);
    sl_progress_phase(progress, "looking where time goes");
    if (!status)
        status = survey(&program, tuned, error);
    if (!status)
        status = choose(t, &tuned->survey, error);
    sl_progress_phase(progress, "tuning");
    if (!status)
        status = tune(&program, t, tuned, plans, sizeof plans, error);
    sl_progress_phase(progress, "comparing");
    if (!status)
        status = compare(t, plans, tuned, error);
    sl_progress_update(progress, "phases", 1, 1);
    return status;
}

void sl_program_tuned_fini(sl_program_tuned *tuned)
{
    sl_program_results_fini(&tuned->survey);
    sl_program_results_fini(&tuned->tuning);
    sl_plan_list_fini(&tuned->plans);
    sl_planned_runs_fini(&tuned->runs);
}
