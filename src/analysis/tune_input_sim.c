/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/input_plan.h"
#include "analysis/tune_input.h"
#include "sim/series.h"
#include "trace/kernel_filter.h"
#include "tune/plan.h"
#include "tune/program_results.h"
#include "tune/ptx_loads.h" /* sl_trace_loads */

/* One launch of the recording. */
typedef struct recorded {
    uint32_t number, kernel; /* in the trace */
    uint64_t warp_insts;
} recorded;

typedef struct launch_survey {
    const sl_timed_kernels *wanted;
    sl_ptx_module *module; /* of an input with one; NULL: that of each kernel is looked for */
    uint32_t launches;
    recorded *launch;
} launch_survey;

static sl_status list_launches(launch_survey *t, sl_error *error)
{
    const sl_recording *r = t->wanted->recording;
    sl_kernel_filter kernels;
    sl_status status = sl_kernel_filter_init(&kernels, t->wanted->kernel_regex, error);
    if (status)
        return status;
    t->launch = calloc(r->launches + 1u, sizeof *t->launch);
    if (!t->launch)
        status = sl_fail_memory(error);
    for (uint32_t i = 0; i < r->launches && !status; i++) {
        uint32_t index = sl_trace_launch_at(r->trace, r->launch[i])->kernel;
        const sl_trace_kernel *kernel = sl_trace_kernel_at(r->trace, index);
        recorded *one = &t->launch[t->launches];
        if (!sl_kernel_matches(&kernels, kernel->symbol, kernel->name))
            continue;
        sl_counts counts = {0};
        status = sl_recording_count(r, r->launch[i], t->wanted->pool, &counts, error);
        *one = (recorded){r->launch[i], index, counts.value[SL_COUNTER_warp_insts]};
        t->launches++;
    }
    sl_kernel_filter_fini(&kernels);
    return status;
}

/* Warp instructions of all launches of a kernel, or of all kernels (UINT32_MAX). */
static uint64_t insts_of(const launch_survey *t, uint32_t kernel)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->launches; i++)
        if (kernel == UINT32_MAX || t->launch[i].kernel == kernel)
            sum += t->launch[i].warp_insts;
    return sum;
}

/* How many launches of the kernel there are; 0: this is not the largest of them, of equals the first. */
static uint64_t launches_if_largest(const launch_survey *t, uint32_t index)
{
    const recorded *one = &t->launch[index];
    uint64_t count = 0;
    for (uint32_t i = 0; i < t->launches; i++) {
        const recorded *other = &t->launch[i];
        if (other->kernel != one->kernel)
            continue;
        count++;
        if (other->warp_insts > one->warp_insts || (other->warp_insts == one->warp_insts && i < index))
            return 0;
    }
    return count;
}

/* Whether a kernel is among those with most warp instructions. */
static bool is_hot(const launch_survey *t, uint32_t kernel)
{
    uint64_t insts = insts_of(t, kernel), before = 0;
    uint32_t kernels = 0;
    for (uint32_t i = 0; i < t->launches; i++) {
        uint64_t other = launches_if_largest(t, i) ? insts_of(t, t->launch[i].kernel) : 0;
        if (other > insts || (other == insts && t->launch[i].kernel < kernel)) {
            before += other;
            kernels++;
        }
    }
    return !t->wanted->max_kernels ||
           (kernels < t->wanted->max_kernels && (double)before < t->wanted->share * (double)insts_of(t, UINT32_MAX));
}

/* Which load each memory instruction of the recorded kernel belongs to. */
static uint32_t *map_slots(const launch_survey *t, const sl_trace_kernel *kernel, const sl_load_graph *graph,
                           sl_arena *arena)
{
    uint32_t *load_of = sl_arena_array(arena, uint32_t, kernel->mem_slots + 1);
    for (uint32_t slot = 0; load_of && slot < kernel->mem_slots; slot++)
        load_of[slot] = sl_input_load_of(t->wanted->input, graph, &kernel->inst[kernel->mem_inst[slot]]);
    return load_of;
}

/* What timings depend on in addition to the code: a part of their key. */
static const char *name_launch(const launch_survey *t, const sl_trace_launch *launch, const char *kernel,
                               sl_arena *arena)
{
    char machine[SL_KEY_BYTES], input[512];
    bool whole = launch->blocks_recorded == sl_launch_blocks(launch);
    sl_machine_key(t->wanted->machine, machine);
    return sl_arena_printf(
        arena, "%s %s launch %llu blocks %llu machine %s", sl_input_text(t->wanted->input, input, sizeof input), kernel,
        (unsigned long long)launch->index, whole ? 0ull : (unsigned long long)launch->blocks_recorded, machine);
}

static sl_status visit_launch(const launch_survey *t, const sl_ptx_module *module, const char *code,
                              const recorded *one, uint64_t launches, sl_arena *arena, sl_error *error)
{
    const sl_timed_kernels *w = t->wanted;
    const sl_trace *trace = w->recording->trace;
    const sl_trace_launch *launch = sl_trace_launch_at(trace, one->number);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(trace, one->kernel);
    sl_load_graph graph;
    sl_loaded *loaded = NULL;
    sl_sim_timer *timer = NULL;
    uint32_t *load_of = NULL;
    sl_error why;
    sl_timed_launch visited = {.module = module,
                               .code = code,
                               .kernel = kernel->symbol,
                               .launch = launch->index,
                               .launches = launches,
                               .graph = &graph,
                               .repeats = true};
    const sl_sim_timer_options options = {
        .input = name_launch(t, launch, kernel->symbol, arena), .seed = w->seed, .cold = w->cold, .pool = w->pool};
    const sl_ptx_func *func = module ? sl_ptx_find(module, kernel->symbol) : NULL;
    if (!options.input)
        return sl_fail_memory(error);
    if (!func && strcmp(sl_input_form(w->input), "trace") != 0)
        return sl_fail(error, SL_NOT_FOUND, "the code of %s has no kernel '%s'; choose others with --kernel",
                       w->input->spec.name, kernel->symbol);
    sl_status status = func ? sl_input_loads(w->input, module, func, SL_PTX_L2_SM, arena, &graph, error)
                            : sl_trace_loads(kernel, arena, &graph, error);
    if (!status && !(load_of = map_slots(t, kernel, &graph, arena)))
        status = sl_fail_memory(error);
    if (!status)
        status = sl_loaded_create(trace, one->number, w->pool, &loaded, error);
    if (!status && w->rank &&
        sl_rank_loads(w->machine, loaded, 1, &graph, load_of, w->seed, w->pool, arena, &visited.ranking, &why))
        status = sl_not_ranked(&why, arena, &visited.ranking, error);
    if (!status)
        status = sl_sim_timer_create(w->machine, loaded, &graph, load_of, &options, &timer, error);
    if (!status) {
        visited.timer = sl_sim_timer_interface(timer);
        visited.sim = timer;
        status = w->visit(w->context, &visited, error);
    }
    sl_sim_timer_destroy(timer);
    sl_loaded_destroy(loaded);
    return status;
}

/* With the module of the program that the kernel comes from. */
static sl_status visit_kernel(const launch_survey *t, const recorded *one, uint64_t launches, sl_error *error)
{
    const sl_input *input = t->wanted->input;
    sl_ptx_module *own = NULL;
    const char *code = input->spec.name, *kernel = sl_trace_kernel_at(t->wanted->recording->trace, one->kernel)->symbol;
    const sl_ptx_source *text = sl_ptx_source_of(&input->texts, kernel, &own);
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = visit_launch(t, text ? own : t->module, text ? text->name : code, one, launches, &arena, error);
    sl_arena_fini(&arena);
    sl_ptx_free(own);
    return status;
}

sl_status sl_time_on_sim(const sl_timed_kernels *wanted, sl_error *error)
{
    launch_survey t = {.wanted = wanted};
    const sl_input *input = wanted->input;
    bool named = wanted->kernel_regex && *wanted->kernel_regex;
    sl_status status =
        input->ptx ? sl_ptx_parse(input->ptx, input->ptx_length, input->spec.name, &t.module, error) : SL_OK;
    if (!status)
        status = list_launches(&t, error);
    if (!status && !t.launches)
        status = sl_fail(error, SL_NOT_FOUND, named ? "no kernel of %s matches '%s'" : "%s launches no kernel%s",
                         input->spec.name, named ? wanted->kernel_regex : "");
    for (uint32_t i = 0; i < t.launches && !status; i++) {
        uint64_t launches = launches_if_largest(&t, i);
        if (launches && is_hot(&t, t.launch[i].kernel))
            status = visit_kernel(&t, &t.launch[i], launches, error);
    }
    free(t.launch);
    sl_ptx_free(t.module);
    return status;
}

/* ---- whole programs ---- */

static sl_status add_cycles(void *to, const sl_sim *sim, uint32_t n, const sl_loaded *loaded,
                            const sl_sim_result *result, sl_error *error)
{
    (void)sim, (void)n;
    return sl_program_results_launch(to, sl_loaded_kernel(loaded)->symbol, (double)result->cycles)
               ? SL_OK
               : sl_fail_memory(error);
}

/* Cycles of all launches with a plan (NULL: without). */
static sl_status simulate(const sl_timed_kernels *kernels, const sl_plan *plan, sl_program_results *results,
                          sl_error *error)
{
    const sl_recording *r = kernels->recording;
    const sl_sim_options options = {.seed = kernels->seed, .cold = kernels->cold};
    sl_sim_series series = {.trace = r->trace, .launch = r->launch, .launches = r->launches};
    sl_arena arena;
    sl_arena_init(&arena);
    sl_program_results_fini(results);
    sl_status status = plan ? sl_plan_launches(plan, r, kernels->machine, &arena, &series.plan, error) : SL_OK;
    if (!status)
        status =
            sl_sim_series_run(&series, kernels->machine, &options, kernels->pool, add_cycles, results, NULL, error);
    sl_arena_fini(&arena);
    return status;
}

typedef struct comparison {
    const sl_timed_kernels *kernels;
    sl_program_results before, after;
    bool known; /* `before` was simulated */
} comparison;

static sl_status run_with_plans(void *context, const sl_plan_list *plans, const sl_program_results **before,
                                const sl_program_results **after, sl_error *error)
{
    comparison *c = context;
    sl_plan joined;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = c->known ? SL_OK : simulate(c->kernels, NULL, &c->before, error);
    c->known = !status;
    if (!status)
        status = sl_plan_list_join(plans, &arena, &joined, error);
    if (!status)
        status = simulate(c->kernels, &joined, &c->after, error);
    sl_arena_fini(&arena);
    *before = &c->before;
    *after = &c->after;
    return status;
}

/* Rows of the first strategy whose kernels were reverted. */
static void revert_rows(sl_tuning_result *result, size_t selectors, const sl_plan *plan)
{
    for (size_t i = 0; i < result->kernels.count; i += selectors)
        for (uint32_t k = 0; k < plan->kernels; k++) {
            sl_tuned_kernel *row = &result->kernels.items[i];
            if (!row->chosen || plan->kernel[k].planned > 0 || strcmp(plan->kernel[k].function, row->kernel) != 0)
                continue;
            row->chosen = 0;
            row->time = row->base;
            row->gain = row->gain_spread = 0;
            row->verdict = plan->kernel[k].verdict;
        }
}

sl_status sl_compare_on_sim(const sl_timed_kernels *kernels, const sl_selector *const *selector, size_t selectors,
                            sl_tuning_result *result, sl_error *error)
{
    comparison c = {.kernels = kernels};
    bool compared;
    sl_status status =
        sl_plans_keep_faster(&result->plans, sl_selector_reverts(selector[0]), run_with_plans, &c, &compared, error);
    for (uint32_t i = 0; i < result->plans.count && !status; i++)
        revert_rows(result, selectors, &result->plans.plan[i]);
    if (!status)
        sl_plans_note_program(&result->plans, &c.before, compared ? &c.after : &c.before, 1);
    sl_program_results_fini(&c.before);
    sl_program_results_fini(&c.after);
    return status;
}
