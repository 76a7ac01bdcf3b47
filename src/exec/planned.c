/* SPDX-License-Identifier: MIT */
#include "exec/planned.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/start.h"
#include "interpose/entries.h"
#include "tune/job.h"
#include "tune/plan.h"

/* What the runs share. */
typedef struct planned_run {
    const sl_planned_program *program;
    sl_app app;
    char archives[4096];
    char *plan; /* absolute */
    sl_planned_runs *runs;
} planned_run;

/* Keeps the shorter time of each kernel. */
static void keep_shortest(sl_program_results *kept, const sl_program_results *again)
{
    for (size_t i = 0; i < kept->kernels.count; i++)
        for (size_t k = 0; k < again->kernels.count; k++)
            if (!strcmp(kept->kernels.items[i].name, again->kernels.items[k].name) &&
                again->kernels.items[k].ns < kept->kernels.items[i].ns)
                kept->kernels.items[i].ns = again->kernels.items[k].ns;
}

static sl_status run_on_gpu(planned_run *run, const sl_gpu_program *program, int which, uint32_t round, sl_error *error)
{
    bool planned = which == SL_RUN_PLANNED;
    sl_gpu_run one = {.plan = planned ? run->plan : NULL,
                      .output = !planned || round || run->program->quiet ? "/dev/null" : NULL};
    sl_status status = sl_gpu_program_run(program, &one, error);
    if (round) {
        keep_shortest(&run->runs->results[which], &one.results);
        if (one.seconds < run->runs->seconds[which])
            run->runs->seconds[which] = one.seconds;
        sl_program_results_fini(&one.results);
        return status;
    }
    run->runs->exit_code[which] = one.end.code;
    run->runs->seconds[which] = one.seconds;
    run->runs->results[which] = one.results;
    return status;
}

/* The output of the first run is discarded. */
static sl_status emulate(planned_run *run, int which, sl_error *error)
{
    char file[900];
    sl_proc_options emulated = {.settings.threads = run->program->threads, .quiet = true};
    snprintf(emulated.static_runtimes, sizeof emulated.static_runtimes, "%s", run->archives);
    snprintf(file, sizeof file, "%s/results-%d", run->program->folder, which);
    snprintf(emulated.plan, sizeof emulated.plan, "%s", which == SL_RUN_PLANNED ? run->plan : "");
    snprintf(emulated.planned, sizeof emulated.planned, "%s", file);
    const sl_app_start start = {
        .emulate = &emulated, .folder = run->program->folder, .output = which == SL_RUN_ORIGINAL ? "/dev/null" : NULL};
    sl_app_end end = {0};
    sl_status status = sl_app_start_and_wait(&run->app, run->program->argv, &start, &end, error);
    run->runs->exit_code[which] = end.code;
    if (!status && sl_program_results_read(file, &run->runs->results[which], NULL))
        status = sl_fail(error, SL_NOT_FOUND, "%s ended with exit code %d and registered no kernels", run->app.path,
                         end.code);
    return status;
}

/* Checks that the plan was applied in the second run, and that both ended alike. */
static sl_status check(const planned_run *run, sl_error *error)
{
    const sl_program_results *b = &run->runs->results[SL_RUN_PLANNED];
    if (b->refused)
        return sl_fail(error, SL_INVALID, "the plan was not applied: %s", b->refused);
    if (!b->applied)
        return sl_fail(error, SL_MISMATCH,
                       "the plan was made for other code: none of the %llu PTX modules of %s matches it",
                       (unsigned long long)b->texts, run->app.path);
    if (run->runs->exit_code[SL_RUN_ORIGINAL] != run->runs->exit_code[SL_RUN_PLANNED])
        return sl_fail(error, SL_MISMATCH, "the program exits with code %d, but with %d when the plan is applied",
                       run->runs->exit_code[SL_RUN_ORIGINAL], run->runs->exit_code[SL_RUN_PLANNED]);
    return SL_OK;
}

static bool differ(const sl_program_results *a, const sl_program_results *b)
{
    return a->copies != b->copies || a->bytes != b->bytes || a->hash != b->hash;
}

/* Where results differ on a GPU, the original is run once more: its own may differ from run to run, as sums by atomics
 * do. */
static sl_status compare_results(planned_run *run, const sl_gpu_program *program, sl_error *error)
{
    const sl_program_results *a = &run->runs->results[SL_RUN_ORIGINAL], *b = &run->runs->results[SL_RUN_PLANNED];
    if (!differ(a, b))
        return SL_OK;
    if (program) {
        sl_gpu_run again = {.output = "/dev/null"};
        sl_status status = sl_gpu_program_run(program, &again, error);
        run->runs->varies = !status && differ(a, &again.results);
        sl_program_results_fini(&again.results);
        if (status || run->runs->varies)
            return status;
    }
    return sl_fail(
        error, SL_MISMATCH,
        "results differ: the original made %llu copies to the host, %llu bytes with hash %016llx; with the plan %llu "
        "copies, %llu bytes with hash %016llx. Either the program is not deterministic, or the rewritten code is "
        "wrong: keep the original",
        (unsigned long long)a->copies, (unsigned long long)a->bytes, (unsigned long long)a->hash,
        (unsigned long long)b->copies, (unsigned long long)b->bytes, (unsigned long long)b->hash);
}

static sl_status run_both(planned_run *run, sl_error *error)
{
    sl_plan_list plans;
    sl_gpu_program program;
    bool gpu = run->program->gpu;
    sl_status status = sl_plan_list_read(run->program->plan, &plans, error);
    if (status)
        return status;
    bool changes = sl_plan_list_chosen(&plans) != 0;
    sl_plan_list_fini(&plans);
    if (!changes)
        return sl_fail(error, SL_INVALID, "%s changes nothing: there was nothing to gain", run->program->plan);
    run->plan = realpath(run->program->plan, NULL);
    if (!run->plan)
        return sl_fail_io(error, "read", run->program->plan);
    sl_find_static_runtimes(NULL, run->archives, sizeof run->archives);
    status = gpu ? sl_gpu_program_find(run->program->argv, run->program->folder, &program, error)
                 : sl_app_inspect(run->program->argv[0], run->archives, &run->app, error);
    if (!status && gpu)
        run->app = program.app;
    uint32_t rounds = gpu && run->program->repeats ? run->program->repeats : 1;
    for (uint32_t round = 0; round < rounds && !status; round++)
        for (int which = 0; which < SL_PLANNED_RUNS && !status; which++)
            status = gpu ? run_on_gpu(run, &program, which, round, error) : emulate(run, which, error);
    if (!status)
        status = check(run, error);
    return status ? status : compare_results(run, gpu ? &program : NULL, error);
}

sl_status sl_planned_run(const sl_planned_program *program, sl_planned_runs *runs, sl_error *error)
{
    planned_run run = {.program = program, .runs = runs};
    *runs = (sl_planned_runs){0};
    sl_status status = run_both(&run, error);
    free(run.plan);
    return status;
}

const char *sl_planned_same(const sl_planned_runs *runs)
{
    return runs->varies ? "which differ from run to run of the original, too" : "all identical";
}

void sl_planned_runs_fini(sl_planned_runs *runs)
{
    for (int i = 0; i < SL_PLANNED_RUNS; i++)
        sl_program_results_fini(&runs->results[i]);
}

/* The file that the loader takes for the driver. */
static sl_status find_driver(char *path, size_t size, sl_error *error)
{
    struct link_map *map = NULL;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        return sl_fail(
            error, SL_NOT_FOUND,
            "no GPU to run on: the CUDA driver library libcuda.so.1 cannot be loaded (%s). It comes with the "
            "NVIDIA driver",
            reason ? reason : "no reason given");
    }
    char *real = !dlinfo(library, RTLD_DI_LINKMAP, &map) && map ? realpath(map->l_name, NULL) : NULL;
    snprintf(path, size, "%s", real ? real : "");
    free(real);
    dlclose(library);
    return *path ? SL_OK : sl_fail(error, SL_NOT_FOUND, "the file of libcuda.so.1 is not known");
}

sl_status sl_gpu_program_find(char **argv, const char *folder, sl_gpu_program *program, sl_error *error)
{
    *program = (sl_gpu_program){.argv = argv, .folder = folder};
    sl_status status = sl_app_inspect(argv[0], NULL, &program->app, error);
    return status ? status : find_driver(program->driver, sizeof program->driver, error);
}

sl_status sl_gpu_program_run(const sl_gpu_program *program, sl_gpu_run *run, sl_error *error)
{
    char file[1024], variable[SL_APP_VARIABLES][4200];
    snprintf(file, sizeof file, "%s/results", program->folder);
    unlink(file);
    const struct {
        const char *name, *value;
    } given[SL_APP_VARIABLES] = {{SL_DRIVER_VARIABLE, program->driver},
                                 {SL_GPU_RESULTS_VARIABLE, file},
                                 {SL_GPU_PLAN_VARIABLE, run->plan},
                                 {SL_GPU_JOB_VARIABLE, run->job},
                                 {SL_GPU_PLANS_VARIABLE, run->plans}};
    sl_app_start start = {.folder = program->folder, .preload = "libsluice_gpu.so", .output = run->output};
    for (size_t i = 0; i < SL_APP_VARIABLES; i++) {
        snprintf(variable[i], sizeof variable[i], "%s=%s", given[i].name, given[i].value ? given[i].value : "");
        start.variable[i] = variable[i];
    }
    double begin = sl_now_seconds();
    sl_status status = sl_app_start_and_wait(&program->app, program->argv, &start, &run->end, error);
    run->seconds = sl_now_seconds() - begin;
    if (!status && sl_program_results_read(file, &run->results, NULL))
        status = sl_fail(error, SL_NOT_FOUND, "%s ended with exit code %d and launched no kernel on the GPU",
                         program->app.path, run->end.code);
    return status;
}
