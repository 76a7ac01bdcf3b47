/* SPDX-License-Identifier: MIT */
#include "exec/on_gpu.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "interpose/entries.h"
#include "tune/job.h"

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
