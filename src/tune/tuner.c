/* SPDX-License-Identifier: MIT */
#include "tune/tuner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "tune/plan.h"

/* Copies of the original that are timed like choices: their apparent gain is noise. */
enum { NULL_CHOICES = 4, BATCH = 32, FINAL_ROUNDS = 31 };
#define NULL_TAG "null"

const sl_tuner_options sl_tuner_defaults = {.thresh1 = 1.5, .thresh2 = 1, .weight = 0.1, .sigmas = 3, .search = 256};

static void clear_table(double (*table)[SL_BYPASS_MODES], uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++)
        for (unsigned m = 0; m < SL_BYPASS_MODES; m++)
            table[i][m] = NAN;
}

sl_status sl_tuner_init(sl_tuner *tuner, const sl_load_graph *graph, const sl_timer *timer,
                        const sl_tuner_options *options, sl_error *error)
{
    *tuner = (sl_tuner){
        .graph = graph, .timer = timer, .options = options ? *options : sl_tuner_defaults, .began = sl_now_seconds()};
    sl_arena_init(&tuner->arena);
    size_t row = sizeof *tuner->load;
    tuner->load = sl_arena_alloc_array(&tuner->arena, graph->nodes + 1, row);
    tuner->load_spread = sl_arena_alloc_array(&tuner->arena, graph->nodes + 1, row);
    tuner->group = sl_arena_alloc_array(&tuner->arena, graph->groups + 1, row);
    tuner->group_spread = sl_arena_alloc_array(&tuner->arena, graph->groups + 1, row);
    if (!tuner->load || !tuner->load_spread || !tuner->group || !tuner->group_spread) {
        sl_arena_fini(&tuner->arena);
        return sl_fail_memory(error);
    }
    sl_map_init(&tuner->known);
    clear_table(tuner->load, graph->nodes);
    clear_table(tuner->load_spread, graph->nodes);
    clear_table(tuner->group, graph->groups);
    clear_table(tuner->group_spread, graph->groups);
    return SL_OK;
}

void sl_tuner_fini(sl_tuner *tuner)
{
    sl_map_fini(&tuner->known);
    sl_arena_fini(&tuner->arena);
}

/* Hints of normal priority are tried only when they are asked for: by themselves they say nothing of caches. */
static uint32_t controls_of(const sl_tuner *tuner)
{
    uint32_t controls = tuner->options.controls;
    return tuner->timer->modes & (controls ? controls : ~sl_bypass_neutrals());
}

uint32_t sl_tuner_modes(const sl_tuner *tuner, uint32_t load, uint32_t modes)
{
    return modes & controls_of(tuner) & tuner->graph->load[load].modes & ~1u;
}

bool sl_tuner_significant(const sl_tuner *tuner, double gain, double spread)
{
    double error = tuner->options.sigmas * spread;
    return gain > (tuner->noise > error ? tuner->noise : error);
}

/* ---- timings that are kept ---- */

/* Timer, input, code, choice, tag and rounds: all that a timing depends on. */
static char *key_of(const sl_tuner *tuner, const uint8_t *choice, const char *tag, uint32_t rounds)
{
    char *key, *modes = malloc(tuner->graph->nodes + 1);
    if (!modes)
        return NULL;
    for (uint32_t i = 0; i < tuner->graph->nodes; i++)
        modes[i] = (char)('0' + choice[i]);
    modes[tuner->graph->nodes] = '\0';
    int length = asprintf(&key, "%s|%s|%016" PRIx64 "|%u|%s|%s", tuner->timer->name, tuner->timer->input,
                          tuner->options.code_hash, rounds, tag, modes);
    free(modes);
    return length < 0 ? NULL : key;
}

static sl_status find_timing(const sl_tuner *tuner, const char *key, sl_timing *timing, bool *found, sl_error *error)
{
    const sl_timing_store *store = tuner->options.store;
    const sl_timing *known = sl_map_get(&tuner->known, key, strlen(key));
    *found = known;
    if (known)
        *timing = *known;
    return known || !store ? SL_OK : store->find(store->context, key, timing, found, error);
}

static sl_status keep_timing(sl_tuner *tuner, const char *key, const sl_timing *timing, sl_error *error)
{
    const sl_timing_store *store = tuner->options.store;
    char *copy = sl_arena_strdup(&tuner->arena, key);
    sl_timing *kept = sl_arena_new(&tuner->arena, sl_timing);
    if (!copy || !kept || !sl_map_put(&tuner->known, copy, strlen(copy), kept))
        return sl_fail_memory(error);
    *kept = *timing;
    return store ? store->add(store->context, key, timing, error) : SL_OK;
}

static sl_status time_batch(sl_tuner *tuner, const uint8_t *const *choice, size_t count, uint32_t rounds, bool verify,
                            sl_timing *timing, sl_error *error)
{
    sl_status status = tuner->timer->time(tuner->timer->context, choice, count, rounds, verify, timing, error);
    tuner->timed += count;
    if (!status && count)
        tuner->base = timing[0].base;
    return status;
}

/* From now on, choices are timed until this share of options.seconds has passed, and at least the first few of each
 * call; the gain of the others is NaN. 0: all are timed. */
static void tuner_limit(sl_tuner *tuner, double share)
{
    bool limited = share > 0 && tuner->options.seconds > 0;
    tuner->until = limited ? tuner->began + share * tuner->options.seconds : 0;
}

enum { FIRST_BATCH = 8 };

/* How many choices to time next, when `timed` have taken so many seconds. */
static size_t next_batch(const sl_tuner *tuner, size_t timed, double seconds)
{
    if (!tuner->until)
        return BATCH;
    if (!timed)
        return FIRST_BATCH;
    double fit = (tuner->until - sl_now_seconds()) / (seconds / (double)timed);
    return fit < 1 ? 0 : fit < BATCH ? (size_t)fit : BATCH;
}

/* Those of the choices that have a key are not known yet. */
static sl_status time_missing(sl_tuner *tuner, const uint8_t *const *choice, char *const *key, size_t count,
                              uint32_t rounds, bool verify, sl_timing *timing, sl_error *error)
{
    const uint8_t *wanted[BATCH];
    size_t inst[BATCH], pending = 0, timed = 0, batch = next_batch(tuner, 0, 0);
    double began = sl_now_seconds();
    sl_timing fresh[BATCH];
    sl_status status = SL_OK;
    for (size_t i = 0; i <= count && !status; i++) {
        if (i < count && key[i] && !batch) {
            timing[i] = (sl_timing){.gain = NAN, .spread = NAN};
        } else if (i < count && key[i]) {
            wanted[pending] = choice[i];
            inst[pending++] = i;
        }
        if (!pending || (pending < batch && i < count))
            continue;
        sl_progress_update(tuner->options.progress, "choices", i > pending ? i - pending : 0, count);
        status = time_batch(tuner, wanted, pending, rounds, verify, fresh, error);
        for (size_t k = 0; k < pending && !status; k++) {
            timing[inst[k]] = fresh[k];
            status = keep_timing(tuner, key[inst[k]], &fresh[k], error);
        }
        timed += pending;
        pending = 0;
        batch = next_batch(tuner, timed, sl_now_seconds() - began);
    }
    return status;
}

/* Times choices, or finds them among those timed before. `tag` distinguishes timings of the same choice ("": the usual
 * one); `rounds` and `verify` as in sl_timer. */
static sl_status tuner_time(sl_tuner *tuner, const uint8_t *const *choice, size_t count, const char *tag,
                            uint32_t rounds, bool verify, sl_timing *timing, sl_error *error)
{
    char **key = calloc(count + 1, sizeof *key), numbered[32];
    sl_status status = key ? SL_OK : sl_fail_memory(error);
    rounds = rounds ? rounds : tuner->options.rounds;
    for (size_t i = 0; i < count && !status; i++) {
        /* Copies of the original have different keys, or all would be the first one found. */
        snprintf(numbered, sizeof numbered, "%s%zu", tag, i);
        key[i] = key_of(tuner, choice[i], strcmp(tag, NULL_TAG) ? tag : numbered, rounds);
        bool found = false;
        status = key[i] ? find_timing(tuner, key[i], &timing[i], &found, error) : sl_fail_memory(error);
        if (found) {
            tuner->base = tuner->base ? tuner->base : timing[i].base;
            free(key[i]);
            key[i] = NULL;
        }
    }
    if (!status)
        status = time_missing(tuner, choice, key, count, rounds, verify, timing, error);
    for (size_t i = 0; key && i < count; i++)
        free(key[i]);
    free(key);
    return status;
}

sl_status sl_tuner_fastest(sl_tuner *tuner, const uint8_t *const *plan, size_t count, uint8_t *mode, double *gain,
                           bool *better, sl_error *error)
{
    sl_timing *timing = calloc(count + 1, sizeof *timing);
    if (!timing)
        return sl_fail_memory(error);
    sl_status status = tuner_time(tuner, plan, count, "", 0, false, timing, error);
    size_t best = count;
    for (size_t i = 0; i < count && !status; i++)
        if (sl_tuner_significant(tuner, timing[i].gain - *gain, timing[i].spread) &&
            (best == count || timing[i].gain > timing[best].gain))
            best = i;
    *better = best < count;
    if (*better) {
        *gain = timing[best].gain;
        memcpy(mode, plan[best], tuner->graph->nodes);
    }
    free(timing);
    return status;
}

sl_status sl_tuner_final(sl_tuner *tuner, const uint8_t *mode, sl_timing *timing, sl_error *error)
{
    tuner_limit(tuner, 0);
    uint32_t asked = tuner->timer->last_rounds, rounds = asked ? asked : tuner->timer->exact ? 0 : FINAL_ROUNDS;
    if (tuner->options.rounds > rounds && rounds)
        rounds = tuner->options.rounds;
    return tuner_time(tuner, &mode, 1, "final", rounds, true, timing, error);
}

sl_status sl_tuner_neutral(sl_tuner *tuner, const uint8_t *mode, sl_timing *timing, sl_error *error)
{
    uint32_t nodes = tuner->graph->nodes;
    uint8_t *neutral = sl_arena_array(&tuner->arena, uint8_t, nodes + 1);
    bool any = false;
    *timing = (sl_timing){0};
    if (!neutral)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < nodes; i++) {
        unsigned other = sl_controls[mode[i]].neutral;
        bool replaced = other && tuner->timer->modes & tuner->graph->load[i].modes & 1u << other;
        neutral[i] = replaced ? (uint8_t)other : SL_BYPASS_NONE; /* others change no more than bits of instructions */
        any |= replaced && mode[i] != other;
    }
    return any ? sl_tuner_final(tuner, neutral, timing, error) : SL_OK;
}

/* ---- affinities ---- */

/* A choice that is to be timed for one cell of a table. */
typedef struct request {
    double *gain, *spread;
    uint8_t *choice;
    double predicted; /* by the ranking */
    size_t number;
} request;
typedef SL_ARRAY(request) request_list;

static sl_status request_affinity(sl_tuner *tuner, const uint32_t *load, uint32_t loads, unsigned mode, double *gain,
                                  double *spread, request_list *requests, sl_error *error)
{
    uint8_t *choice = NULL;
    for (uint32_t i = 0; i < loads; i++) {
        if (!(sl_tuner_modes(tuner, load[i], 1u << mode)))
            continue;
        if (!choice && !(choice = sl_arena_array(&tuner->arena, uint8_t, tuner->graph->nodes + 1)))
            return sl_fail_memory(error);
        choice[load[i]] = (uint8_t)mode;
    }
    if (choice && isnan(*gain) && !sl_array_push(requests, (request){gain, spread, choice, 0, requests->count}))
        return sl_fail_memory(error);
    return SL_OK;
}

static bool is_ranked(const sl_tuner *tuner)
{
    return tuner->options.ranking && tuner->options.ranking->predict;
}

static int by_prediction(const void *a, const void *b)
{
    const request *x = a, *y = b;
    return x->predicted != y->predicted ? (x->predicted < y->predicted ? 1 : -1)
                                        : (x->number > y->number) - (x->number < y->number);
}

/* Sorts by expected gain and keeps the first `max`. Without a ranking nothing changes. */
static void rank_requests(const sl_tuner *tuner, request_list *requests, uint64_t max)
{
    const sl_ranking *ranking = tuner->options.ranking;
    if (!is_ranked(tuner) || !requests->count)
        return;
    for (size_t i = 0; i < requests->count; i++)
        requests->items[i].predicted = ranking->predict(ranking, requests->items[i].choice);
    qsort(requests->items, requests->count, sizeof *requests->items, by_prediction);
    if (requests->count > max)
        requests->count = max;
}

/* How many choices a list may have before they are ranked: then all are known. */
static uint64_t list_max(const sl_tuner *tuner, uint64_t max)
{
    return is_ranked(tuner) ? UINT64_MAX : max;
}

static sl_status list_requests(sl_tuner *tuner, uint32_t modes, request_list *requests, sl_error *error)
{
    const sl_load_graph *graph = tuner->graph;
    sl_status status = SL_OK;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++) {
        if (!(modes >> m & 1))
            continue;
        for (uint32_t i = 0; i < graph->nodes && !status; i++)
            status = request_affinity(tuner, &i, 1, m, &tuner->load[i][m], &tuner->load_spread[i][m], requests, error);
        for (uint32_t g = 0; g < graph->groups && !status; g++)
            if (graph->group[g].loads > 1)
                status = request_affinity(tuner, graph->group[g].load, graph->group[g].loads, m, &tuner->group[g][m],
                                          &tuner->group_spread[g][m], requests, error);
    }
    return status;
}

/* A group of one is its load. */
static void copy_singles(sl_tuner *tuner)
{
    for (uint32_t g = 0; g < tuner->graph->groups; g++) {
        const sl_load_group *group = &tuner->graph->group[g];
        if (group->loads != 1)
            continue;
        memcpy(tuner->group[g], tuner->load[group->load[0]], sizeof *tuner->group);
        memcpy(tuner->group_spread[g], tuner->load_spread[group->load[0]], sizeof *tuner->group);
    }
}

/* Noise from the apparent gains of copies of the original, and from the spread of their timings. */
static sl_status time_copies(sl_tuner *tuner, const uint8_t *nothing, sl_error *error)
{
    const uint8_t *choice[NULL_CHOICES];
    sl_timing timing[NULL_CHOICES];
    double squares = 0, spreads = 0;
    for (int i = 0; i < NULL_CHOICES; i++)
        choice[i] = nothing;
    sl_status status = tuner_time(tuner, choice, NULL_CHOICES, NULL_TAG, 0, false, timing, error);
    for (int i = 0; i < NULL_CHOICES && !status; i++) {
        squares += timing[i].gain * timing[i].gain;
        spreads += timing[i].spread * timing[i].spread;
    }
    tuner->deviation = sqrt((squares > spreads ? squares : spreads) / NULL_CHOICES);
    return status;
}

/* The timer's own estimate; kept like a timing. */
static sl_status ask_timer(sl_tuner *tuner, const uint8_t *nothing, sl_error *error)
{
    char *key = key_of(tuner, nothing, "deviation", 0);
    sl_timing timing = {0};
    bool found = false;
    sl_status status = key ? find_timing(tuner, key, &timing, &found, error) : sl_fail_memory(error);
    if (!status && !found) {
        status = tuner->timer->deviation(tuner->timer->context, &timing.spread, error);
        if (!status)
            status = keep_timing(tuner, key, &timing, error);
    }
    tuner->deviation = timing.spread;
    free(key);
    return status;
}

static sl_status measure_noise(sl_tuner *tuner, sl_error *error)
{
    uint8_t *nothing = sl_arena_array(&tuner->arena, uint8_t, tuner->graph->nodes + 1);
    if (!nothing)
        return sl_fail_memory(error);
    if (tuner->noise > 0 || (tuner->timer->exact && !tuner->timer->deviation))
        return SL_OK;
    sl_status status = tuner->timer->deviation ? ask_timer(tuner, nothing, error) : time_copies(tuner, nothing, error);
    tuner->noise = tuner->options.sigmas * tuner->deviation;
    if (tuner->timer->deviation && tuner->options.rounds > 1)
        tuner->noise /= sqrt(tuner->options.rounds);
    return status;
}

/* Times the requests, at most `max` where they are ranked. */
static sl_status measure_requests(sl_tuner *tuner, request_list *requests, uint64_t max, sl_error *error)
{
    rank_requests(tuner, requests, max);
    const uint8_t **choice = calloc(requests->count + 1, sizeof *choice);
    sl_timing *timing = calloc(requests->count + 1, sizeof *timing);
    sl_status status = choice && timing ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < requests->count && !status; i++)
        choice[i] = requests->items[i].choice;
    if (!status)
        status = tuner_time(tuner, choice, requests->count, "", 0, false, timing, error);
    for (size_t i = 0; i < requests->count && !status; i++) {
        *requests->items[i].gain = timing[i].gain;
        *requests->items[i].spread = timing[i].spread;
    }
    tuner->measured += requests->count;
    copy_singles(tuner);
    sl_array_free(requests);
    free(choice);
    free(timing);
    return status;
}

/* ---- groups first ---- */

/* Requests timings of a group as a whole, or of its loads one by one. */
static sl_status request_group(sl_tuner *tuner, uint32_t g, bool loads, uint32_t modes, request_list *requests,
                               sl_error *error)
{
    const sl_load_group *group = &tuner->graph->group[g];
    sl_status status = SL_OK;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++) {
        if (!(modes >> m & 1))
            continue;
        for (uint32_t i = 0; loads && i < group->loads && !status; i++) {
            uint32_t v = group->load[i];
            status = request_affinity(tuner, &v, 1, m, &tuner->load[v][m], &tuner->load_spread[v][m], requests, error);
        }
        if (!loads && !status)
            status = request_affinity(tuner, group->load, group->loads, m, &tuner->group[g][m],
                                      &tuner->group_spread[g][m], requests, error);
    }
    return status;
}

/* The greatest difference that a group makes, in percent; 0: none that is more than noise. */
static double difference(const sl_tuner *tuner, uint32_t g)
{
    double max = 0;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++) {
        double size = fabs(tuner->group[g][m]); /* NaN is never greater */
        if (size > max && sl_tuner_significant(tuner, size, tuner->group_spread[g][m]))
            max = size;
    }
    return max;
}

/* Of groups that have not been `opened`, the one that makes the greatest difference; the number of groups: none. */
static uint32_t next_group(const sl_tuner *tuner, const bool *opened)
{
    uint32_t best = tuner->graph->groups;
    for (uint32_t g = 0; g < tuner->graph->groups; g++)
        if (!opened[g] && tuner->graph->group[g].loads > 1 && difference(tuner, g) > 0 &&
            (best == tuner->graph->groups || difference(tuner, g) > difference(tuner, best)))
            best = g;
    return best;
}

static sl_status groups_first(sl_tuner *tuner, uint32_t modes, sl_error *error)
{
    request_list requests = {0};
    sl_status status = SL_OK;
    uint64_t max = tuner->measured < tuner->options.max ? tuner->options.max - tuner->measured : 0;
    bool *opened = sl_arena_array(&tuner->arena, bool, tuner->graph->groups + 1);
    if (!opened)
        return sl_fail_memory(error);
    for (uint32_t g = 0; g < tuner->graph->groups && !status; g++)
        status = request_group(tuner, g, tuner->graph->group[g].loads == 1, modes, &requests, error);
    if (!status)
        status = measure_requests(tuner, &requests, max, error);
    requests = (request_list){0};
    uint32_t of_load = (uint32_t)__builtin_popcount(modes & ~1u);
    for (uint32_t g; !status && (g = next_group(tuner, opened)) < tuner->graph->groups;) {
        opened[g] = true;
        uint64_t more = (uint64_t)tuner->graph->group[g].loads * of_load;
        if (tuner->measured + requests.count + more <= tuner->options.max) /* else a smaller one may fit */
            status = request_group(tuner, g, true, modes, &requests, error);
    }
    return status ? status : measure_requests(tuner, &requests, UINT64_MAX, error);
}

/* ---- modes that are not by level ---- */

enum { OTHER_MAX = 96 }; /* timings, where no limit is given */

typedef struct ranked {
    double effect; /* of modes by level on the group */
    uint32_t group;
} ranked;

static int by_effect(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->effect != y->effect ? (x->effect < y->effect ? 1 : -1) : (x->group > y->group) - (x->group < y->group);
}

/* Groups in the order in which they are tried, unless there is a ranking: those that caches matter to first, then as in
 * the code. */
static ranked *rank_groups(sl_tuner *tuner)
{
    ranked *order = sl_arena_array(&tuner->arena, ranked, tuner->graph->groups + 1);
    for (uint32_t g = 0; order && g < tuner->graph->groups; g++)
        order[g] = (ranked){difference(tuner, g), g};
    if (order)
        qsort(order, tuner->graph->groups, sizeof *order, by_effect);
    return order;
}

static sl_status list_others(sl_tuner *tuner, uint32_t modes, uint64_t max, request_list *requests, sl_error *error)
{
    const ranked *order = rank_groups(tuner);
    sl_status status = order ? SL_OK : sl_fail_memory(error);
    for (uint32_t k = 0; k < tuner->graph->groups && !status && requests->count < list_max(tuner, max); k++) {
        const sl_load_group *group = &tuner->graph->group[order[k].group];
        status = request_group(tuner, order[k].group, group->loads == 1, modes, requests, error);
    }
    return status;
}

/* Single loads, in the modes by which their groups gain, as far as they fit. */
static sl_status open_groups(sl_tuner *tuner, uint32_t modes, uint64_t max, request_list *requests, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t g = 0; g < tuner->graph->groups && !status; g++)
        for (unsigned m = SL_BYPASS_BY_LEVEL; m < SL_BYPASS_MODES && !status; m++)
            if (modes >> m & 1 && tuner->graph->group[g].loads > 1 &&
                requests->count + tuner->graph->group[g].loads <= list_max(tuner, max) &&
                sl_tuner_significant(tuner, tuner->group[g][m], tuner->group_spread[g][m]))
                status = request_group(tuner, g, true, 1u << m, requests, error);
    return status;
}

static sl_status measure_others(sl_tuner *tuner, uint32_t modes, sl_error *error)
{
    request_list requests = {0};
    uint64_t max = tuner->options.max ? tuner->options.max : OTHER_MAX;
    if (tuner->options.max) /* what is left, but no less than half */
        max = tuner->measured < max / 2 ? max - tuner->measured : max / 2;
    modes &= ~((1u << SL_BYPASS_BY_LEVEL) - 1);
    if (!modes)
        return SL_OK;
    sl_status status = list_others(tuner, modes, max, &requests, error);
    if (!status)
        status = measure_requests(tuner, &requests, max, error);
    else
        sl_array_free(&requests);
    requests = (request_list){0};
    if (!status)
        status = open_groups(tuner, modes, max, &requests, error);
    return status ? status : measure_requests(tuner, &requests, max, error);
}

/* ---- all ---- */

/* Of the time for a kernel, when affinities by level have been timed, and all others; the rest is for combinations. */
static const double LEVELS_SHARE = 0.4, OTHERS_SHARE = 0.7;

static sl_status measure_by_level(sl_tuner *tuner, uint32_t modes, sl_error *error)
{
    request_list requests = {0};
    sl_status status = list_requests(tuner, modes, &requests, error);
    if (!status && (!tuner->options.max || tuner->measured + requests.count <= tuner->options.max))
        return measure_requests(tuner, &requests, UINT64_MAX, error);
    sl_array_free(&requests);
    return status ? status : groups_first(tuner, modes, error);
}

sl_status sl_tuner_affinities(sl_tuner *tuner, uint32_t modes, sl_error *error)
{
    modes &= controls_of(tuner);
    sl_status status = measure_noise(tuner, error);
    tuner_limit(tuner, LEVELS_SHARE);
    if (!status)
        status = measure_by_level(tuner, modes & ((1u << SL_BYPASS_BY_LEVEL) - 1), error);
    tuner_limit(tuner, OTHERS_SHARE);
    if (!status)
        status = measure_others(tuner, modes, error);
    tuner_limit(tuner, 1);
    return status;
}

/* ---- replay ---- */

/* Whether the effect of a mode in the plan exceeds noise. */
static bool is_certain(const sl_plan *plan, const sl_plan_load *load, unsigned mode, double sigmas)
{
    double size = fabs(load->affinity[mode]); /* NaN is never greater */
    for (uint32_t i = 0; i < plan->kernels; i++)
        if (!strcmp(plan->kernel[i].function, load->function) && !(size > plan->kernel[i].noise))
            return false;
    return size > sigmas * load->spread[mode];
}

/* The same of a neutral mode: of one that it stands for. */
static bool is_replayed(const sl_plan *plan, const sl_plan_load *load, unsigned mode, double sigmas)
{
    bool asked = is_certain(plan, load, mode, sigmas);
    for (unsigned m = 1; m < SL_BYPASS_MODES && !asked; m++)
        asked = sl_controls[m].neutral == mode && is_certain(plan, load, m, sigmas);
    return asked;
}

sl_status sl_tuner_replay(sl_tuner *tuner, sl_error *error)
{
    const sl_plan *plan = tuner->options.replay;
    request_list requests = {0};
    sl_status status =
        tuner->timer->deviation ? SL_OK : measure_noise(tuner, error); /* the simulator takes long for it */
    for (uint32_t i = 0; i < tuner->graph->nodes && !status; i++)
        for (uint32_t k = 0; k < plan->loads && !status; k++) {
            const sl_plan_load *load = &plan->load[k];
            if (load->inst != tuner->graph->load[i].inst || strcmp(load->function, tuner->graph->load[i].function))
                continue;
            for (unsigned m = 1; m < SL_BYPASS_MODES && !status; m++)
                if (controls_of(tuner) >> m & 1 && is_replayed(plan, load, m, tuner->options.sigmas))
                    status = request_affinity(tuner, &i, 1, m, &tuner->load[i][m], &tuner->load_spread[i][m], &requests,
                                              error);
        }
    if (!status)
        return measure_requests(tuner, &requests, UINT64_MAX, error);
    sl_array_free(&requests);
    return status;
}
