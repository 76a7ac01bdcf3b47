/* SPDX-License-Identifier: MIT */
#include "cli/sweep_run.h"

#include <pthread.h>
#include <string.h>

typedef struct sweep_run {
    const sl_invocation *inv;
    const sl_trace_input *input;
    const sl_model_variant *variant;
    size_t variants;
    sl_counts *counts;
    uint64_t *l1_bytes;
    pthread_mutex_t lock;
    uint64_t done;
} sweep_run;

static sl_status sweep_launch(sweep_run *s, size_t at, sl_pool *pool, sl_error *error)
{
    sl_loaded *loaded = NULL;
    sl_status status = sl_loaded_create(s->input->trace, s->input->launch[at], pool, &loaded, error);
    if (!status)
        status = sl_model_variants(loaded, s->variant, s->variants, pool, &s->counts[at * s->variants], error);
    for (size_t i = 0; i < s->variants && !status; i++) {
        sl_level level = {0};
        status = sl_model_first_level(&s->variant[i].machine, loaded, &level, NULL, error);
        s->l1_bytes[at * s->variants + i] = level.size_bytes;
    }
    sl_loaded_destroy(loaded);
    pthread_mutex_lock(&s->lock);
    sl_progress_update(s->inv->progress, "launches", ++s->done, s->input->launches);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static sl_status launch_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    return sweep_launch(context, index, NULL, error);
}

sl_status sl_sweep_launches(const sl_invocation *inv, const sl_trace_input *input, const sl_model_variant *variant,
                            size_t variants, sl_counts *counts, uint64_t *l1_bytes, sl_error *error)
{
    sweep_run s = {.inv = inv,
                   .input = input,
                   .variant = variant,
                   .variants = variants,
                   .counts = counts,
                   .l1_bytes = l1_bytes,
                   .lock = PTHREAD_MUTEX_INITIALIZER};
    sl_pool *pool;
    sl_status status = sl_pool_create((unsigned)inv->common->threads, &pool, error);
    if (status)
        return status;
    if (input->launches >= 2 * sl_pool_threads(pool))
        status = sl_pool_run(pool, input->launches, launch_job, &s, error);
    else
        for (size_t i = 0; i < input->launches && !status; i++)
            status = sweep_launch(&s, i, pool, error);
    sl_pool_destroy(pool);
    return status;
}

sl_swept_launch *sl_swept_launches(const sl_trace_input *input, const sl_counts *counts, const uint64_t *l1_bytes,
                                   size_t points, sl_arena *arena)
{
    sl_swept_launch *launches = sl_arena_array(arena, sl_swept_launch, input->launches + 1);
    for (size_t i = 0; launches && i < input->launches; i++) {
        const sl_trace_launch *launch = sl_trace_launch_at(input->trace, input->launch[i]);
        const sl_trace_kernel *kernel = sl_trace_kernel_at(input->trace, launch->kernel);
        launches[i] = (sl_swept_launch){.symbol = kernel->symbol,
                                        .name = kernel->name,
                                        .index = launch->index,
                                        .failed = launch->failed,
                                        .failure = launch->failure};
        memcpy(launches[i].grid, launch->grid, sizeof launch->grid);
        memcpy(launches[i].block, launch->block, sizeof launch->block);
        launches[i].l1_bytes = &l1_bytes[i * points];
        launches[i].counts = &counts[i * points];
    }
    return launches;
}
