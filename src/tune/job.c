/* SPDX-License-Identifier: MIT */
#include "tune/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/new_file.h"

/* Options by name, all as numbers. */
#define OPTIONS(F)                                                                                                     \
    F(options.thresh1, double)                                                                                         \
    F(options.thresh2, double)                                                                                         \
    F(options.weight, double)                                                                                          \
    F(options.sigmas, double)                                                                                          \
    F(options.rounds, uint32_t)                                                                                        \
    F(options.search, uint64_t)                                                                                        \
    F(options.max, uint64_t)                                                                                           \
    F(options.seconds, double)                                                                                         \
    F(options.controls, uint32_t)                                                                                      \
    F(options.rank_only, bool)                                                                                         \
    F(rounds, uint32_t)                                                                                                \
    F(cold, bool)                                                                                                      \
    F(quiet, bool)

bool sl_tune_job_write(const sl_tune_job *job, const char *path)
{
    sl_new_file made;
    FILE *file;
    if (sl_new_file_print(path, &made, &file, NULL))
        return false;
    fprintf(file, "select %s\n", job->selector->name);
#define WRITE(at, type) fprintf(file, "option %s %a\n", #at, (double)job->at);
    OPTIONS(WRITE)
    if (job->scratch)
        fprintf(file, "scratch %s\n", job->scratch);
    for (size_t i = 0; i < job->launches.count; i++) {
        const sl_tune_job_launch *l = &job->launches.items[i];
        fprintf(file, "launch %" PRIu64 " %" PRIu64 " %s\n", l->number, l->launches, l->kernel);
    }
    return !sl_new_file_finish(&made, file, NULL);
}

static bool set_option(sl_tune_job *job, const char *name, double value)
{
#define SET(at, type)                                                                                                  \
    if (!strcmp(name, #at)) {                                                                                          \
        job->at = (type)value;                                                                                         \
        return true;                                                                                                   \
    }
    OPTIONS(SET)
    return false;
}

static sl_status read_line(sl_tune_job *job, char *line, sl_error *error)
{
    char name[64];
    double value;
    int at = 0;
    sl_tune_job_launch launch = {0};
    if (sscanf(line, "select %63s", name) == 1)
        return sl_selector_find(name, &job->selector, error);
    if (!strncmp(line, "scratch ", 8) && !job->scratch)
        return (job->scratch = strdup(line + 8)) ? SL_OK : sl_fail_memory(error);
    if (sscanf(line, "option %63s %la", name, &value) == 2)
        return set_option(job, name, value) ? SL_OK : sl_fail(error, SL_INVALID, "no option '%s'", name);
    if (sscanf(line, "launch %" SCNu64 " %" SCNu64 " %n", &launch.number, &launch.launches, &at) != 2 || !at)
        return sl_fail(error, SL_INVALID, "not understood: %s", line);
    launch.kernel = strdup(line + at);
    if (launch.kernel && sl_array_push(&job->launches, launch))
        return SL_OK;
    free(launch.kernel);
    return sl_fail_memory(error);
}

sl_status sl_tune_job_read(const char *path, sl_tune_job *job, sl_error *error)
{
    char *text = NULL, *rest = NULL;
    size_t length = 0;
    *job = (sl_tune_job){.options = sl_tuner_defaults, .selector = sl_selectors};
    sl_status status = sl_file_read(path, &text, &length, error);
    for (char *line = status ? NULL : strtok_r(text, "\n", &rest); line && !status; line = strtok_r(NULL, "\n", &rest))
        status = read_line(job, line, error);
    free(text);
    if (status)
        sl_tune_job_fini(job);
    return status;
}

void sl_tune_job_fini(sl_tune_job *job)
{
    for (size_t i = 0; i < job->launches.count; i++)
        free(job->launches.items[i].kernel);
    sl_array_free(&job->launches);
    free(job->scratch);
    job->scratch = NULL;
}
