/* SPDX-License-Identifier: MIT */
#include "launch/tune_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/on_gpu.h"
#include "trace/kernel_filter.h"

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
        const sl_tune_job_launch one = {strdup(order[i]->name), order[i]->longest, order[i]->launches, false};
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

static bool chooses(const sl_plan_list *plans)
{
    uint64_t chosen = 0;
    for (uint32_t p = 0; p < plans->count; p++)
        chosen += sl_plan_chosen(&plans->plan[p]);
    return chosen != 0;
}

static double time_of(const sl_program_results *results, const char *kernel)
{
    for (size_t i = 0; i < results->kernels.count; i++)
        if (!strcmp(results->kernels.items[i].name, kernel))
            return results->kernels.items[i].ns;
    return 0;
}

static double time_of_all(const sl_program_results *results)
{
    double ns = 0;
    for (size_t i = 0; i < results->kernels.count; i++)
        ns += results->kernels.items[i].ns;
    return ns;
}

/* Gives up what plans change in a kernel. False: nothing. */
static bool give_up(sl_plan *plan, sl_plan_kernel *kernel, const char *verdict)
{
    bool any = false;
    for (uint32_t i = 0; i < plan->loads; i++)
        if (!strcmp(plan->load[i].function, kernel->function)) {
            any |= plan->load[i].mode != 0;
            plan->load[i].mode = 0;
            plan->load[i].why = NULL;
        }
    if (any) {
        kernel->verdict = verdict;
        kernel->planned = kernel->gain = kernel->gain_spread = 0;
    }
    return any;
}

/* Kernels that are not faster inside of the whole program keep their original: caches come to them with what others
 * left there. All do where the program as a whole is not faster. True: something was given up. */
static bool give_up_slower(sl_program_tuned *tuned)
{
    const sl_program_results *before = &tuned->runs.results[SL_RUN_ORIGINAL],
                             *after = &tuned->runs.results[SL_RUN_PLANNED];
    bool any = false, slower = time_of_all(after) > time_of_all(before);
    for (int all = 0; all < 2 && !any && (!all || slower); all++)
        for (uint32_t p = 0; p < tuned->plans.count; p++)
            for (uint32_t k = 0; k < tuned->plans.plan[p].kernels; k++) {
                sl_plan_kernel *kernel = &tuned->plans.plan[p].kernel[k];
                if (all || time_of(after, kernel->function) > time_of(before, kernel->function))
                    any |= give_up(&tuned->plans.plan[p], kernel, "not faster in the program: the original is kept");
            }
    return any;
}

static sl_status write_plans(const sl_plan_list *plans, const char *path, sl_error *error)
{
    FILE *file = fopen(path, "w");
    sl_status status = file ? sl_plan_list_write(plans, file, error) : sl_fail_io(error, "write", path);
    if (file && fclose(file) && !status)
        status = sl_fail_io(error, "write", path);
    return status;
}

/* Runs the program with and without the plans until nothing is left to give up. */
static sl_status compare(const sl_program_tuning *t, const char *plans, sl_program_tuned *tuned, sl_error *error)
{
    enum { REPEATS = 2 };
    const sl_planned_program planned = {
        .argv = t->argv, .plan = plans, .gpu = true, .folder = t->folder, .quiet = true, .repeats = REPEATS};
    sl_status status = SL_OK;
    while (!status && (tuned->compared = chooses(&tuned->plans))) {
        sl_planned_runs_fini(&tuned->runs);
        status = sl_planned_run(&planned, &tuned->runs, error);
        if (status || !give_up_slower(tuned))
            break;
        status = write_plans(&tuned->plans, plans, error);
    }
    return status;
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
