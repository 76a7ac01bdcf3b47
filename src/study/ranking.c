/* SPDX-License-Identifier: MIT */
#include "study/ranking.h"

#include <string.h>

#include "machine/machine.h"

const char *const sl_ranked_result_names[] = {"same", "checked", "not compared", "wrong", "failed"};

/* ---- intervals ---- */

typedef struct known_error {
    double low, high; /* times what was predicted; 0: none is known */
} known_error;

static const known_error of_estimate[SL_TIME_LIMITS] = {
#define SL_KNOWN_ERROR(limit, kernels, low, high) [SL_TIME_##limit] = {low, high},
#define SL_KNOWN_ERROR_OF_SIM(kernels, low, high)
#include "study/known_errors.def"
};
static const known_error of_sim =
#define SL_KNOWN_ERROR(limit, kernels, low, high)
#define SL_KNOWN_ERROR_OF_SIM(kernels, low, high) {low, high};
#include "study/known_errors.def"

    static const known_error * error_of(const sl_counts *counts, bool simulated)
{
    uint64_t limit = counts->value[SL_COUNTER_est_limit];
    if (simulated)
        return &of_sim;
    return &of_estimate[limit < SL_TIME_LIMITS && of_estimate[limit].low > 0 ? limit : SL_TIME_VARIOUS];
}

sl_status sl_errors_are_known(const sl_machine *machine, bool *known, sl_error *error)
{
    sl_machine h200;
    char key[2][SL_KEY_BYTES];
    sl_status status = sl_machine_load("h200", &h200, error);
    if (status)
        return status;
    sl_machine_key(machine, key[0]);
    sl_machine_key(&h200, key[1]);
    *known = !strcmp(key[0], key[1]);
    return SL_OK;
}

/* Half of the 95 % interval of a sampled sum, as a share of it. */
static double sampled_half(const sl_result *result, sl_counter counter)
{
    for (size_t i = 0; i < result->sample.intervals; i++) {
        const sl_sampled_total *of = &result->sample.interval[i];
        if (of->counter == counter && of->total > 0)
            return of->half / of->total;
    }
    return 0;
}

void sl_ranked_time_of(const sl_result *result, const bool *wanted, bool known, sl_ranked *v)
{
    bool simulated = result->kind == SL_ANALYSIS_SIM;
    sl_counter counter = simulated ? SL_COUNTER_cycles : SL_COUNTER_est_cycles;
    sl_ranked_time time = {0};
    sl_counts all = {0};
    v->launches = 0;
    for (uint32_t i = 0; i < result->launches; i++) {
        const sl_counts *counts = &result->launch[i].counts;
        if (wanted && !wanted[i])
            continue;
        v->launches++;
        sl_counts_merge(&all, counts);
        if (!sl_counts_has(counts, counter))
            continue;
        double cycles = (double)counts->value[counter];
        const known_error *error = error_of(counts, simulated);
        time.cycles += cycles;
        time.low += cycles * error->low;
        time.high += cycles * error->high;
    }
    double half = sampled_half(result, counter);
    time.low *= half < 1 ? 1 - half : 0;
    time.high *= 1 + half;
    if (!known)
        time.low = time.high = 0;
    *(simulated ? &v->simulated : &v->estimated) = time;
    if (!simulated && sl_counts_has(&all, SL_COUNTER_est_limit))
        v->limit = (sl_time_limit)all.value[SL_COUNTER_est_limit];
}

void sl_ranked_per_launch(sl_ranked *v)
{
    sl_ranked_time *const times[] = {&v->estimated, &v->simulated};
    for (size_t i = 0; i < 2 && v->launches; i++) {
        times[i]->cycles /= (double)v->launches;
        times[i]->low /= (double)v->launches;
        times[i]->high /= (double)v->launches;
    }
}

/* ---- order ---- */

const sl_ranked_time *sl_ranked_by(const sl_ranked *v)
{
    return v->simulated.cycles > 0 ? &v->simulated : &v->estimated;
}

/* Whether b comes before a, which is to its left. */
static bool comes_before(const sl_ranked *b, const sl_ranked *a)
{
    int group[2] = {0};
    const sl_ranked *const of[] = {a, b};
    for (int i = 0; i < 2; i++)
        group[i] = of[i]->result == SL_RANKED_FAILED  ? 4
                   : of[i]->result == SL_RANKED_WRONG ? 3
                   : of[i]->simulated.cycles > 0      ? 0
                   : of[i]->estimated.cycles > 0      ? 1
                                                      : 2;
    if (group[0] != group[1])
        return group[1] < group[0];
    return group[0] < 2 && sl_ranked_by(b)->cycles < sl_ranked_by(a)->cycles;
}

/* By insertion: there are few, and equal ones keep their order. */
void sl_rank(sl_variants *r)
{
    r->ranked = 0;
    for (size_t i = 0; i < r->variants; i++) {
        sl_ranked moved = r->variant[i];
        size_t at = i;
        for (; at && comes_before(&moved, &r->variant[at - 1]); at--)
            r->variant[at] = r->variant[at - 1];
        r->variant[at] = moved;
        r->ranked += moved.result < SL_RANKED_WRONG;
    }
}

bool sl_ranked_may_be_first(const sl_variants *r, size_t at)
{
    const sl_ranked_time *first = sl_ranked_by(&r->variant[0]), *other = sl_ranked_by(&r->variant[at]);
    return first->high > 0 && other->high > 0 && other->low <= first->high && first->low <= other->high;
}
