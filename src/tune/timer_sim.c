/* SPDX-License-Identifier: MIT */
#include "tune/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy/line_counts.h"
#include "sim/series.h"
#include "tune/effects.h"

enum { MAX_ROUNDS = 5, LAST_ROUNDS = 3 };

struct sl_sim_timer {
    sl_timer interface;
    sl_machine machine[MAX_ROUNDS]; /* memory latency of round r is r cycles longer */
    const sl_loaded *loaded;
    const sl_load_graph *graph;
    const uint32_t *load_of_slot;
    sl_sim_timer_options options;
    uint64_t base[MAX_ROUNDS]; /* cycles of the original; 0: not run yet */
    sl_line_counts *counts;    /* of the original, for policies that need them; NULL: none does */
    char name[160];
};

/* A choice as input of the simulator. */
static sl_sim_plan plan_of(const sl_sim_timer *c, const uint8_t *choice, sl_sim_hint *hint)
{
    sl_sim_plan plan = {.hint = hint};
    uint32_t slots = sl_loaded_kernel(c->loaded)->mem_slots;
    for (uint32_t i = 0; choice && i < slots; i++) {
        unsigned mode = c->load_of_slot[i] == UINT32_MAX ? SL_BYPASS_NONE : choice[c->load_of_slot[i]];
        hint[i] = sl_sim_hint_of(mode, &c->machine[0]);
    }
    for (uint32_t i = c->graph->loads; choice && i < c->graph->nodes; i++)
        if (c->graph->load[i].node == SL_NODE_KERNEL)
            sl_sim_set(choice[i], &plan);
    return plan;
}

static sl_status run_round(const sl_sim_timer *c, uint32_t round, const uint8_t *choice, sl_sim_result *result,
                           sl_error *error)
{
    const sl_sim_options options = {.seed = c->options.seed, .cold = c->options.cold};
    sl_sim *sim = NULL;
    *result = (sl_sim_result){0};
    sl_sim_hint *hint = calloc(sl_loaded_kernel(c->loaded)->mem_slots + 1, sizeof *hint);
    sl_status status = hint ? sl_sim_create_with(&c->machine[round], &options, &sim, error) : sl_fail_memory(error);
    const sl_sim_plan plan = status ? (sl_sim_plan){0} : plan_of(c, choice, hint);
    if (!status)
        sl_sim_set_counts(sim, c->counts, NULL);
    for (int run = c->options.cold; run < 2 && !status; run++) {
        sl_sim_result_fini(result);
        *result = (sl_sim_result){0};
        status = sl_sim_launch(sim, c->loaded, &plan, result, error);
    }
    sl_sim_destroy(sim);
    free(hint);
    return status;
}

sl_status sl_sim_timer_run(const sl_sim_timer *c, const uint8_t *choice, sl_sim_result *result, sl_error *error)
{
    return run_round(c, 0, choice, result, error);
}

/* Choices in rounds: cycles[choice * rounds + round]. */
typedef struct work {
    const sl_sim_timer *timer;
    const uint8_t *const *choice;
    uint32_t rounds;
    uint64_t *cycles;
} work;

static sl_status time_one(void *context, size_t index, unsigned worker, sl_error *error)
{
    const work *w = context;
    sl_sim_result result;
    (void)worker;
    sl_status status = run_round(w->timer, (uint32_t)(index % w->rounds), w->choice[index / w->rounds], &result, error);
    w->cycles[index] = result.cycles;
    sl_sim_result_fini(&result);
    return status;
}

static sl_status time_original(sl_sim_timer *c, uint32_t rounds, sl_error *error)
{
    uint32_t known = 0;
    uint64_t cycles[MAX_ROUNDS];
    const uint8_t *const none = NULL;
    const work w = {c, &none, rounds, cycles};
    while (known < rounds && c->base[known])
        known++;
    if (known == rounds)
        return SL_OK;
    sl_status status = sl_pool_run(c->options.pool, rounds, time_one, (void *)&w, error);
    for (uint32_t r = 0; r < rounds && !status; r++)
        c->base[r] = cycles[r];
    return status;
}

/* Gains of the rounds, each against the original of its round. */
static void summarize(const sl_sim_timer *c, const uint64_t *cycles, uint32_t rounds, sl_timing *timing)
{
    double base = 0, time = 0, squares = 0;
    for (uint32_t r = 0; r < rounds; r++) {
        base += (double)c->base[r] / rounds;
        time += (double)cycles[r] / rounds;
    }
    *timing = (sl_timing){.base = base, .time = time, .gain = 100 * (1 - time / base), .runs = rounds};
    for (uint32_t r = 0; r < rounds; r++) {
        double off = 100 * (1 - (double)cycles[r] / (double)c->base[r]) - timing->gain;
        squares += off * off;
    }
    timing->spread = rounds > 1 ? sqrt(squares / (rounds - 1) / rounds) : 0;
}

static sl_status time_choices(void *context, const uint8_t *const *choice, size_t count, uint32_t rounds, bool verify,
                              sl_timing *timing, sl_error *error)
{
    sl_sim_timer *c = context;
    (void)verify; /* data is not simulated */
    rounds = !rounds ? 1 : rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS;
    uint64_t *cycles = calloc(count * rounds + 1, sizeof *cycles);
    const work w = {c, choice, rounds, cycles};
    sl_status status = cycles ? time_original(c, rounds, error) : sl_fail_memory(error);
    if (!status)
        status = sl_pool_run(c->options.pool, count * rounds, time_one, (void *)&w, error);
    for (size_t i = 0; i < count && !status; i++)
        summarize(c, cycles + i * rounds, rounds, &timing[i]);
    free(cycles);
    return status;
}

/* One cycle of memory latency changes the order of requests, and nothing else. */
static sl_status deviation(void *context, double *percent, sl_error *error)
{
    sl_sim_timer *c = context;
    double mean = 0, squares = 0;
    sl_status status = time_original(c, MAX_ROUNDS, error);
    for (int r = 0; r < MAX_ROUNDS && !status; r++)
        mean += (double)c->base[r] / MAX_ROUNDS;
    for (int r = 0; r < MAX_ROUNDS && !status; r++)
        squares += ((double)c->base[r] - mean) * ((double)c->base[r] - mean);
    *percent = mean > 0 ? 100 * sqrt(2 * squares / (MAX_ROUNDS - 1)) / mean : 0; /* of a difference of two */
    return status;
}

/* The profiling run of policies that need one. */
static sl_status count_lines(sl_sim_timer *c, sl_error *error)
{
    bool needed;
    sl_status status = sl_sim_needs_counts(&c->machine[0], &needed, error);
    if (status || !needed)
        return status;
    sl_machine plain = c->machine[0];
    sl_sim *sim = NULL;
    sl_sim_result result = {0};
    plain.level[0].bypass[0] = 0;
    c->counts = sl_line_counts_create(plain.cores / plain.level[0].cores_per_instance);
    const sl_sim_options options = {.seed = c->options.seed, .cold = c->options.cold};
    status = c->counts ? sl_sim_create_with(&plain, &options, &sim, error) : sl_fail_memory(error);
    if (!status) {
        sl_sim_set_counts(sim, NULL, c->counts);
        status = sl_sim_launch(sim, c->loaded, NULL, &result, error);
    }
    sl_sim_result_fini(&result);
    sl_sim_destroy(sim);
    return status;
}

sl_status sl_sim_timer_create(const sl_machine *machine, const sl_loaded *loaded, const sl_load_graph *graph,
                              const uint32_t *load_of_slot, const sl_sim_timer_options *options, sl_sim_timer **timer,
                              sl_error *error)
{
    sl_sim_timer *c = calloc(1, sizeof *c);
    if (!c)
        return sl_fail_memory(error);
    *c = (sl_sim_timer){.loaded = loaded, .graph = graph, .load_of_slot = load_of_slot, .options = *options};
    for (uint32_t r = 0; r < MAX_ROUNDS; r++) {
        c->machine[r] = *machine;
        c->machine[r].memory.latency_cycles += r;
    }
    snprintf(c->name, sizeof c->name, "sim %s%s", machine->name, options->cold ? ", cold" : "");
    c->interface = (sl_timer){.name = c->name,
                              .unit = "cycles",
                              .input = options->input,
                              .modes = sl_sim_modes(machine),
                              .exact = true,
                              .context = c,
                              .time = time_choices,
                              .deviation = deviation,
                              .last_rounds = LAST_ROUNDS};
    sl_status status = count_lines(c, error);
    if (status)
        sl_sim_timer_destroy(c);
    else
        *timer = c;
    return status;
}

const sl_timer *sl_sim_timer_interface(const sl_sim_timer *timer)
{
    return &timer->interface;
}

void sl_sim_timer_destroy(sl_sim_timer *timer)
{
    if (timer)
        sl_line_counts_destroy(timer->counts);
    free(timer);
}
