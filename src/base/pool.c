/* SPDX-License-Identifier: MIT */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"

struct sl_pool {
    unsigned threads; /* with the caller's */
    pthread_t *helpers;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    uint64_t round;  /* counts runs: a helper that has not seen the current one joins it */
    unsigned active; /* helpers that have not left the current round */
    bool ending;
    /* The current run. */
    sl_job job;
    void *context;
    size_t count;
    _Atomic size_t next, stop; /* jobs from `stop` on are not started */
    sl_error *error;           /* that of job `stop`; may be NULL */
    sl_status status;
};

typedef struct helper {
    sl_pool *pool;
    unsigned worker;
} helper;

static void note_failure(sl_pool *pool, size_t index, sl_status status, const sl_error *error)
{
    pthread_mutex_lock(&pool->lock);
    if (index < atomic_load(&pool->stop)) {
        atomic_store(&pool->stop, index);
        pool->status = status;
        if (pool->error)
            *pool->error = *error;
    }
    pthread_mutex_unlock(&pool->lock);
}

static void work(sl_pool *pool, unsigned worker)
{
    for (;;) {
        size_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->count || index >= atomic_load(&pool->stop))
            return;
        sl_error error = {0};
        sl_status status = pool->job(pool->context, index, worker, &error);
        if (status)
            note_failure(pool, index, status, &error);
    }
}

static void *help(void *argument)
{
    helper self = *(helper *)argument;
    free(argument);
    sl_pool *pool = self.pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == seen && !pool->ending)
            pthread_cond_wait(&pool->work, &pool->lock);
        if (pool->ending)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        work(pool, self.worker);
        pthread_mutex_lock(&pool->lock);
        if (!--pool->active)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static unsigned usable_cores(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}

sl_status sl_pool_create(unsigned threads, sl_pool **out, sl_error *error)
{
    if (!threads)
        threads = usable_cores();
    sl_pool *pool = calloc(1, sizeof *pool);
    pthread_t *helpers = calloc(threads, sizeof *helpers);
    if (!pool || !helpers) {
        free(pool);
        free(helpers);
        return sl_fail_memory(error);
    }
    pool->helpers = helpers;
    pool->threads = 1;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    while (pool->threads < threads) {
        helper *self = malloc(sizeof *self);
        if (!self)
            break;
        *self = (helper){pool, pool->threads};
        if (pthread_create(&helpers[pool->threads - 1], NULL, help, self)) {
            free(self);
            break;
        }
        pool->threads++;
    }
    *out = pool;
    return SL_OK;
}

uint64_t sl_pool_cpu_ns(const sl_pool *pool)
{
    uint64_t sum = 0;
    for (unsigned i = 1; pool && i < pool->threads; i++) {
        clockid_t clock;
        if (!pthread_getcpuclockid(pool->helpers[i - 1], &clock))
            sum += sl_cpu_ns(clock);
    }
    return sum;
}

void sl_pool_destroy(sl_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i + 1 < pool->threads; i++)
        pthread_join(pool->helpers[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool->helpers);
    free(pool);
}

unsigned sl_pool_threads(const sl_pool *pool)
{
    return pool ? pool->threads : 1;
}

sl_status sl_pool_run(sl_pool *pool, size_t count, sl_job job, void *context, sl_error *error)
{
    if (!pool || pool->threads == 1 || count <= 1) {
        for (size_t i = 0; i < count; i++) {
            sl_status status = job(context, i, 0, error);
            if (status)
                return status;
        }
        return SL_OK;
    }
    pthread_mutex_lock(&pool->lock);
    pool->job = job;
    pool->context = context;
    pool->count = count;
    pool->error = error;
    pool->status = SL_OK;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->stop, SIZE_MAX);
    pool->active = pool->threads - 1;
    pool->round++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    work(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->active)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return pool->status;
}
