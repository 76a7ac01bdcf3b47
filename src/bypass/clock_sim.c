#include "bypass/clock_sim.h"

#include <stdio.h>
#include <stdlib.h>

#include "bypass/plan_sim.h"

struct sl_sim_clock {
    sl_clock face;
    const sl_machine *machine;
    const sl_loaded *loaded;
    const uint32_t *load_of_slot;
    sl_sim_clock_options options;
    uint64_t base; /* cycles of the original; 0: not run yet */
    char name[160];
};

/* A choice as the simulator takes it: for each memory instruction the levels that it goes past. */
static void fill_plan(const sl_sim_clock *c, const uint8_t *choice, uint8_t *plan)
{
    uint32_t slots = sl_loaded_kernel(c->loaded)->mem_slots;
    for (uint32_t i = 0; choice && i < slots; i++) {
        unsigned mode = c->load_of_slot[i] == UINT32_MAX ? SL_BYPASS_NONE : choice[c->load_of_slot[i]];
        plan[i] = sl_bypass_levels(mode, c->machine->levels);
    }
}

sl_status sl_sim_clock_run(const sl_sim_clock *c, const uint8_t *choice, sl_sim_result *result, sl_error *error)
{
    const sl_sim_options options = {.seed = c->options.seed, .cold = c->options.cold};
    sl_sim *sim = NULL;
    *result = (sl_sim_result){0};
    uint8_t *plan = calloc(sl_loaded_kernel(c->loaded)->mem_slots + 1, 1);
    sl_status status = plan ? sl_sim_create(c->machine, &options, &sim, error) : sl_fail_memory(error);
    if (!status)
        fill_plan(c, choice, plan);
    for (int run = c->options.cold; run < 2 && !status; run++) {
        sl_sim_result_fini(result);
        *result = (sl_sim_result){0};
        status = sl_sim_launch(sim, c->loaded, plan, result, error);
    }
    sl_sim_destroy(sim);
    free(plan);
    return status;
}

static sl_status simulate(const sl_sim_clock *c, const uint8_t *choice, uint64_t *cycles, sl_error *error)
{
    sl_sim_result result;
    sl_status status = sl_sim_clock_run(c, choice, &result, error);
    *cycles = result.cycles;
    sl_sim_result_fini(&result);
    return status;
}

typedef struct work {
    const sl_sim_clock *clock;
    const uint8_t *const *choice;
    uint64_t *cycles;
} work;

static sl_status time_one(void *context, size_t index, unsigned worker, sl_error *error)
{
    const work *w = context;
    (void)worker;
    return simulate(w->clock, w->choice[index], &w->cycles[index], error);
}

static sl_status time_choices(void *context, const uint8_t *const *choice, size_t count, uint32_t rounds, bool verify,
                              sl_timing *timing, sl_error *error)
{
    sl_sim_clock *c = context;
    uint64_t *cycles = calloc(count + 1, sizeof *cycles);
    (void)rounds, (void)verify; /* one run says it all, and data is not simulated */
    const work w = {c, choice, cycles};
    sl_status status = cycles ? SL_OK : sl_fail_memory(error);
    if (!status && !c->base)
        status = simulate(c, NULL, &c->base, error);
    if (!status)
        status = sl_pool_run(c->options.pool, count, time_one, (void *)&w, error);
    for (size_t i = 0; i < count && !status; i++)
        timing[i] = (sl_timing){.base = (double)c->base,
                                .time = (double)cycles[i],
                                .gain = 100 * (1 - (double)cycles[i] / (double)c->base),
                                .runs = 1};
    free(cycles);
    return status;
}

sl_status sl_sim_clock_create(const sl_machine *machine, const sl_loaded *loaded, const uint32_t *load_of_slot,
                              const sl_sim_clock_options *options, sl_sim_clock **clock, sl_error *error)
{
    sl_sim_clock *c = calloc(1, sizeof *c);
    if (!c)
        return sl_fail_memory(error);
    *c = (sl_sim_clock){.machine = machine, .loaded = loaded, .load_of_slot = load_of_slot, .options = *options};
    snprintf(c->name, sizeof c->name, "sim %s%s", machine->name, options->cold ? ", cold" : "");
    c->face = (sl_clock){.name = c->name,
                         .unit = "cycles",
                         .input = options->input,
                         .modes = 1u << SL_BYPASS_NONE | 1u << SL_BYPASS_L2,
                         .exact = true,
                         .context = c,
                         .time = time_choices};
    if (machine->levels > 1)
        c->face.modes |= 1u << SL_BYPASS_L1;
    /* On AMD GPUs, whose first levels take it as miss_evict, what asks for that hides what asks L2 for anything. */
    if (machine->levels > 1 && machine->level[0].hint != SL_HINT_MISS_EVICT)
        c->face.modes |= 1u << SL_BYPASS_BOTH;
    *clock = c;
    return SL_OK;
}

const sl_clock *sl_sim_clock_interface(const sl_sim_clock *clock)
{
    return &clock->face;
}

void sl_sim_clock_destroy(sl_sim_clock *clock)
{
    free(clock);
}
