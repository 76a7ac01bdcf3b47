/* SPDX-License-Identifier: MIT */
#include "tune/job.h"

#include <stdlib.h>
#include <string.h>

#include "tune/line_file.h"

#define VALUE(word, kind, field)                                                                                       \
    {                                                                                                                  \
        word, {{SL_LINE_##kind, offsetof(sl_tune_job, field)}}, 0, 0                                                   \
    }
static const sl_line_format lines[] = {
    VALUE("select", TEXT, select),
    VALUE("thresh1", DOUBLE, options.thresh1),
    VALUE("thresh2", DOUBLE, options.thresh2),
    VALUE("weight", DOUBLE, options.weight),
    VALUE("sigmas", DOUBLE, options.sigmas),
    VALUE("timing-rounds", U32, options.rounds),
    VALUE("search", U64, options.search),
    VALUE("max-timings", U64, options.max),
    VALUE("seconds", DOUBLE, options.seconds),
    VALUE("controls", U32, options.controls),
    VALUE("rank-only", BOOL, options.rank_only),
    VALUE("rounds", U32, rounds),
    VALUE("cold", BOOL, cold),
    VALUE("quiet", BOOL, quiet),
    VALUE("scratch", TEXT, scratch),
    {"launch",
     {{SL_LINE_U64, offsetof(sl_tune_job_launch, number)},
      {SL_LINE_U64, offsetof(sl_tune_job_launch, launches)},
      {SL_LINE_TEXT, offsetof(sl_tune_job_launch, kernel)}},
     sizeof(sl_tune_job_launch),
     offsetof(sl_tune_job, launches)},
    {0},
};
#undef VALUE

bool sl_tune_job_write(const sl_tune_job *job, const char *path)
{
    sl_tune_job named = *job;
    named.select = (char *)(uintptr_t)job->selector->name;
    return sl_lines_write(lines, &named, path);
}

sl_status sl_tune_job_read(const char *path, sl_tune_job *job, sl_error *error)
{
    *job = (sl_tune_job){.options = sl_tuner_defaults, .selector = sl_selectors};
    sl_status status = sl_lines_read(lines, path, true, job, error);
    if (!status && job->select)
        status = sl_selector_find(job->select, &job->selector, error);
    if (status)
        sl_tune_job_fini(job);
    return status;
}

void sl_tune_job_fini(sl_tune_job *job)
{
    sl_lines_free(lines, job);
}

static sl_tuned_kernel kernel_of(const sl_plan *plan, const sl_tune_job_launch *launch, const sl_plan_kernel *k)
{
    sl_tuned_kernel kernel = {.kernel = k->function,
                              .launch = launch->of_program,
                              .launches = launch->launches,
                              .select = plan->select,
                              .base = k->base,
                              .time = k->planned ? k->planned : k->base,
                              .gain = k->gain,
                              .gain_spread = k->gain_spread,
                              .noise = k->noise,
                              .verdict = k->verdict};
    for (uint32_t i = 0; i < plan->loads; i++)
        if (!strcmp(plan->load[i].function, k->function)) {
            kernel.loads += plan->load[i].node == SL_NODE_LOAD;
            kernel.chosen += plan->load[i].mode != 0;
            if (plan->load[i].node == SL_NODE_LOAD && plan->load[i].group >= kernel.groups)
                kernel.groups = plan->load[i].group + 1;
        }
    return kernel;
}

sl_status sl_tune_job_kernels(const sl_tune_job *job, const sl_plan *plan, sl_arena *arena, sl_tuned_kernel **kernels,
                              size_t *count, sl_error *error)
{
    sl_tuned_kernel *list = *kernels = sl_arena_array(arena, sl_tuned_kernel, plan->kernels + 1);
    *count = 0;
    for (size_t l = 0; list && l < job->launches.count; l++)
        for (uint32_t i = 0; i < plan->kernels && *count < plan->kernels; i++)
            if (!strcmp(plan->kernel[i].function, job->launches.items[l].kernel))
                list[(*count)++] = kernel_of(plan, &job->launches.items[l], &plan->kernel[i]);
    return list ? SL_OK : sl_fail_memory(error);
}
