/* SPDX-License-Identifier: MIT */
#include "sim/series.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct searcher {
    sl_sim_search *search;
    const sl_sim_series *series;
    const sl_machine *machine; /* as it was given */
    sl_sim_options options;
    const sl_progress *progress;
    pthread_mutex_t lock;
    size_t done;
} searcher;

/* ---- what is searched for ---- */

static sl_status list_role(sl_sim_search *search, const sl_machine *machine, uint32_t level, bool bypass,
                           sl_error *error)
{
    const char *text = bypass ? machine->level[level].bypass : machine->level[level].replacement;
    sl_policy_choice choice;
    sl_status status = *text ? sl_policy_parse_among(machine->policies, text, &choice, error) : SL_OK;
    if (!*text || status)
        return status;
    for (uint32_t i = 0; i < SL_MAX_POLICY_PARAMS; i++) {
        if (!(choice.best >> i & 1))
            continue;
        if (search->params == SL_MAX_SEARCHED)
            return sl_fail(error, SL_LIMIT, "more than %d parameters are 'best'", SL_MAX_SEARCHED);
        search->param[search->params++] = (sl_sim_searched){level, bypass, choice.ops, i};
    }
    return SL_OK;
}

static size_t values_of(const sl_sim_searched *p)
{
    const uint64_t *tried = p->ops->params[p->param].search_values;
    size_t count = 1; /* the first may be 0 */
    while (tried[count])
        count++;
    return count;
}

/* All combinations, the last parameter fastest. */
static sl_status list_tries(sl_sim_search *search, sl_error *error)
{
    search->tries = 1;
    for (uint32_t i = 0; i < search->params; i++) {
        search->tries *= values_of(&search->param[i]);
        if (search->tries > SL_MAX_TRIES)
            return sl_fail(error, SL_LIMIT, "more than %d combinations of 'best' parameters", SL_MAX_TRIES);
    }
    search->tried = calloc(search->tries, sizeof *search->tried);
    if (!search->tried)
        return sl_fail_memory(error);
    for (size_t t = 0; t < search->tries; t++) {
        size_t rest = t;
        for (uint32_t i = search->params; i-- > 0;) {
            const sl_sim_searched *p = &search->param[i];
            size_t count = values_of(p);
            search->tried[t].value[i] = p->ops->params[p->param].search_values[rest % count];
            rest /= count;
        }
    }
    return SL_OK;
}

/* ---- a try ---- */

/* Sets the parameters of a policy of a level to the values of a try. */
static sl_status set_role(const sl_sim_search *search, const sl_sim_try *try, uint32_t level, bool bypass,
                          sl_machine *machine, sl_error *error)
{
    char *text = bypass ? machine->level[level].bypass : machine->level[level].replacement;
    sl_policy_choice choice;
    sl_status status = *text ? sl_policy_parse_among(machine->policies, text, &choice, error) : SL_OK;
    if (!*text || status || !choice.best)
        return status;
    for (uint32_t i = 0; i < search->params; i++)
        if (search->param[i].level == level && search->param[i].bypass == bypass)
            choice.value[search->param[i].param] = try->value[i];
    return sl_policy_text(&choice, choice.best, text, SL_MACHINE_POLICY, error);
}

static sl_status set_values(const sl_sim_search *search, const sl_sim_try *try, sl_machine *machine, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t level = 0; level < machine->levels && !status; level++) {
        status = set_role(search, try, level, false, machine, error);
        if (!status)
            status = set_role(search, try, level, true, machine, error);
    }
    return status;
}

static sl_status add_cycles(void *to, const sl_sim *sim, uint32_t n, const sl_loaded *loaded,
                            const sl_sim_result *result, sl_error *error)
{
    (void)sim, (void)n, (void)loaded, (void)error;
    *(uint64_t *)to += result->cycles;
    return SL_OK;
}

static sl_status try_values(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    searcher *s = context;
    sl_sim_try *try = &s->search->tried[index];
    sl_machine machine = *s->machine;
    sl_status status = set_values(s->search, try, &machine, error);
    if (!status)
        status = sl_sim_series_run(s->series, &machine, &s->options, NULL, add_cycles, &try->cycles, NULL, error);
    pthread_mutex_lock(&s->lock);
    sl_progress_update(s->progress, "tries", ++s->done, s->search->tries);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static sl_status run_tries(searcher *s, sl_pool *pool, sl_error *error)
{
    sl_sim_search *search = s->search;
    sl_sim_series series = *s->series;
    sl_line_counts **counts = NULL;
    sl_machine first = *s->machine;
    bool needed;
    sl_status status = set_values(search, &search->tried[0], &first, error);
    if (!status)
        status = sl_sim_needs_counts(&first, &needed, error);
    if (!status && needed && !series.counts) {
        status = sl_sim_series_count(&series, &first, &s->options, pool, &counts, NULL, error);
        series.counts = counts;
    }
    s->series = &series;
    sl_progress_phase(s->progress, "looking for the best parameters");
    if (!status)
        status = sl_pool_run(pool, search->tries, try_values, s, error);
    sl_sim_series_free_counts(&series, counts);
    for (size_t t = 1; t < search->tries && !status; t++)
        if (search->tried[t].cycles < search->tried[search->chosen].cycles)
            search->chosen = t;
    return status;
}

sl_status sl_sim_search_run(const sl_sim_series *series, sl_machine *machine, const sl_sim_options *options,
                            sl_pool *pool, sl_sim_search *search, sl_error *error)
{
    *search = (sl_sim_search){0};
    sl_status status = SL_OK;
    for (uint32_t level = 0; level < machine->levels && !status; level++) {
        status = list_role(search, machine, level, false, error);
        if (!status)
            status = list_role(search, machine, level, true, error);
    }
    if (status || !search->params)
        return status;
    searcher s = {.search = search,
                  .series = series,
                  .machine = machine,
                  .options = *options,
                  .progress = options->progress,
                  .lock = PTHREAD_MUTEX_INITIALIZER};
    s.options.progress = NULL;
    s.options.observer = NULL;
    s.options.record_requests = NULL;
    status = list_tries(search, error);
    if (!status)
        status = run_tries(&s, pool, error);
    return status ? status : set_values(search, &search->tried[search->chosen], machine, error);
}

void sl_sim_search_fini(sl_sim_search *search)
{
    free(search->tried);
    *search = (sl_sim_search){0};
}
