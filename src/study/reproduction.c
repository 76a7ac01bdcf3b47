/* SPDX-License-Identifier: MIT */
#include "study/reproduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

const char *const sl_verdict_names[SL_VERDICTS] = {"",      "agrees", "same direction", "differs", "not resolved",
                                                   "input", "unknown"};

/* ---- values ---- */

static const sl_outcome *best_outcome(const sl_reproduction *r, int program, int config)
{
    const sl_paper_config *c = &r->paper->config[config];
    int first = r->first[(size_t)program * r->paper->configs + (size_t)config];
    const sl_outcome *best = NULL;
    double min = INFINITY;
    for (size_t i = 0; first >= 0 && i < c->variants; i++) {
        const sl_outcome *o = &r->outcome[(size_t)first + i];
        const double *value = c->best ? sl_values_find(&o->values, c->best) : NULL;
        if (o->state == SL_OUTCOME_FAILED || o->state == SL_OUTCOME_NONE || (c->best && !value))
            continue;
        if (!best || (value && *value < min)) {
            best = o;
            min = value ? *value : 0;
        }
    }
    return best;
}

static double value_of(const void *context, int program, int config, const char *counter)
{
    const sl_reproduction *r = context;
    const sl_paper_config *c = &r->paper->config[config];
    for (size_t i = 0; i < c->known; i++)
        if (c->value[i].program == program && !strcmp(c->value[i].counter, counter))
            return c->value[i].number;
    const sl_outcome *outcome = r->outcome ? best_outcome(r, program, config) : NULL;
    const double *value = outcome ? sl_values_find(&outcome->values, counter) : NULL;
    return value ? *value : NAN;
}

static size_t members_of(const void *context, int group, const int **program)
{
    const sl_reproduction *r = context;
    *program = r->group[group].program;
    return r->group[group].count;
}

static sl_expression_source source_of(const sl_reproduction *r)
{
    return (sl_expression_source){value_of, members_of, r};
}

/* ---- planning ---- */

/* A quick run has few programs, and none has those that are not installed. */
static bool is_left_out(const sl_reproduction *r, int program)
{
    return r->missing[program] || (r->quick && !r->paper->program[program].quick);
}

static void note_use(void *context, int program, int config)
{
    sl_reproduction *r = context;
    if (program >= 0 && !is_left_out(r, program))
        r->first[(size_t)program * r->paper->configs + (size_t)config] = 0;
}

static void note_column(sl_reproduction *r, const sl_paper_column *column, int program)
{
    sl_expression_source source = source_of(r);
    sl_expression_uses(column->value, &source, program, note_use, r);
    sl_expression_uses(column->measure.noise, &source, program, note_use, r);
}

static void note_figure(sl_reproduction *r, const sl_paper_figure *figure)
{
    sl_expression_source source = source_of(r);
    for (size_t c = 0; c < figure->columns; c++)
        for (size_t g = 0; g < figure->groups; g++) {
            const sl_paper_group *group = &r->group[figure->group[g]];
            for (size_t i = 0; i < group->count; i++)
                note_column(r, &figure->column[c], group->program[i]);
        }
    for (size_t c = 0; c < figure->claims; c++) {
        sl_expression_uses(figure->claim[c].value, &source, -1, note_use, r);
        sl_expression_uses(figure->claim[c].holds, &source, -1, note_use, r);
        sl_expression_uses(figure->claim[c].direction, &source, -1, note_use, r);
        sl_expression_uses(figure->claim[c].measure.noise, &source, -1, note_use, r);
    }
}

static sl_status want_figures(sl_reproduction *r, const char *figure, sl_error *error)
{
    const sl_paper *paper = r->paper;
    bool found = !figure;
    for (size_t i = 0; i < paper->figures; i++) {
        r->wanted[i] = figure ? !strcmp(paper->figure[i].id, figure) : !r->quick || paper->figure[i].quick;
        found |= r->wanted[i];
    }
    if (found)
        return SL_OK;
    char all[512] = "";
    for (size_t i = 0; i < paper->figures; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", paper->figure[i].id);
    return sl_fail(error, SL_NOT_FOUND, "%s has no figure '%s'; it has %s", paper->name, figure, all);
}

/* Groups have only the programs of this run. */
static sl_status copy_groups(sl_reproduction *r, sl_error *error)
{
    for (size_t g = 0; g < r->paper->groups; g++) {
        const sl_paper_group *from = &r->paper->group[g];
        r->group[g] = (sl_paper_group){.name = from->name, .program = calloc(from->count + 1, sizeof(int))};
        if (!r->group[g].program)
            return sl_fail_memory(error);
        for (size_t i = 0; i < from->count; i++)
            if (!is_left_out(r, from->program[i]))
                r->group[g].program[r->group[g].count++] = from->program[i];
    }
    return SL_OK;
}

/* A program that is run by itself: its recording on the point's machine. */
static sl_status take_recording(sl_reproduction *r, const sl_paper_program *program, const sl_paper_programs *programs,
                                sl_point *point, sl_error *error)
{
    char path[1200];
    sl_machine machine;
    sl_status status = sl_point_machine(point, &machine, error);
    if (!status)
        status = programs->record(programs->context, program->command, point->machine, machine.lanes, path, sizeof path,
                                  error);
    if (status)
        return status;
    point->input.name = sl_arena_strndup(&r->arena, path, strlen(path));
    point->input.params = "";
    point->input.size = "default";
    return point->input.name ? SL_OK : sl_fail_memory(error);
}

static sl_status make_points(sl_reproduction *r, const sl_paper_programs *programs, sl_error *error)
{
    const sl_paper *paper = r->paper;
    size_t pairs = paper->programs * paper->configs;
    for (size_t i = 0; i < pairs; i++)
        if (r->first[i] >= 0)
            r->points += paper->config[i % paper->configs].variants;
    r->point = calloc(r->points + 1, sizeof *r->point);
    r->outcome = calloc(r->points + 1, sizeof *r->outcome);
    if (!r->point || !r->outcome)
        return sl_fail_memory(error);
    size_t at = 0;
    for (size_t i = 0; i < pairs; i++) {
        const sl_paper_config *config = &paper->config[i % paper->configs];
        const sl_paper_program *program = &paper->program[i / paper->configs];
        if (r->first[i] < 0)
            continue;
        r->first[i] = (int)at;
        for (size_t v = 0; v < config->variants; v++, at++) {
            r->point[at] = config->variant[v];
            r->point[at].input.name = program->workload;
            r->point[at].input.params = r->quick && strcmp(paper->quick_size, "default") ? "" : program->params;
            r->point[at].kernel = program->kernel;
            r->point[at].launch = program->launch;
            r->point[at].input.size = r->quick ? paper->quick_size : "default";
            sl_status status = *program->command ? take_recording(r, program, programs, &r->point[at], error) : SL_OK;
            if (status)
                return status;
        }
    }
    return SL_OK;
}

sl_status sl_reproduction_plan(const sl_paper *paper, const char *figure, bool quick, const sl_paper_programs *programs,
                               sl_reproduction *r, sl_error *error)
{
    size_t pairs = paper->programs * paper->configs;
    *r = (sl_reproduction){.paper = paper, .quick = quick};
    r->wanted = calloc(paper->figures + 1, sizeof *r->wanted);
    r->first = malloc((pairs + 1) * sizeof *r->first);
    r->group = calloc(paper->groups + 1, sizeof *r->group);
    r->missing = calloc(paper->programs + 1, sizeof *r->missing);
    sl_arena_init(&r->arena);
    if (!r->wanted || !r->first || !r->group || !r->missing)
        return sl_fail_memory(error);
    for (size_t i = 0; i < paper->programs; i++) {
        const char *command = paper->program[i].command;
        r->missing[i] = *command && !(programs->is_there && programs->is_there(programs->context, command));
    }
    for (size_t i = 0; i < pairs; i++)
        r->first[i] = -1;
    sl_status status = copy_groups(r, error);
    if (!status)
        status = want_figures(r, figure, error);
    for (size_t i = 0; i < paper->figures && !status; i++)
        if (r->wanted[i])
            note_figure(r, &paper->figure[i]);
    return status ? status : make_points(r, programs, error);
}

typedef struct ranking {
    const sl_reproduction *r;
    int group;
} ranking;

static int by_mean(const void *left, const void *right, void *context)
{
    const ranking *of = context;
    double a = sl_compare_group(of->r, left, of->group).ours, b = sl_compare_group(of->r, right, of->group).ours;
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a < b) - (a > b);
}

sl_status sl_reproduction_run(sl_reproduction *r, const sl_runner *runner, sl_error *error)
{
    sl_status status = sl_runner_run(runner, r->point, r->points, r->outcome, error);
    for (size_t f = 0; !status && f < r->paper->figures; f++) {
        const sl_paper_figure *figure = &r->paper->figure[f];
        if (figure->ranked && r->wanted[f] && figure->groups)
            qsort_r(figure->column, figure->columns, sizeof *figure->column, by_mean, &(ranking){r, figure->group[0]});
    }
    return status;
}

void sl_reproduction_free(sl_reproduction *r)
{
    sl_outcomes_free(r->outcome, r->points);
    for (size_t g = 0; r->group && g < r->paper->groups; g++)
        free(r->group[g].program);
    free(r->group);
    free(r->outcome);
    free(r->point);
    free(r->first);
    free(r->wanted);
    free(r->missing);
    sl_arena_fini(&r->arena);
    *r = (sl_reproduction){0};
}

/* ---- comparing ---- */

static int side(const sl_paper_measure *m, double value)
{
    double distance = value - m->neutral;
    return fabs(distance) <= m->still ? 0 : distance > 0 ? 1 : -1;
}

static bool is_noise(const sl_paper_measure *m, double value, double noise)
{
    return noise > 0 && fabs(value - m->neutral) <= noise;
}

static sl_verdict judge(const sl_paper_measure *m, double ours, double noise, double paper)
{
    if (isnan(paper))
        return SL_VERDICT_NONE;
    if (isnan(ours))
        return SL_VERDICT_HOLE;
    if (m->input)
        return SL_VERDICT_INPUT;
    if (is_noise(m, ours, noise))
        return side(m, paper) == 0 ? SL_VERDICT_AGREES : SL_VERDICT_UNRESOLVED;
    if (fabs(ours - paper) <= m->within + 1e-9)
        return SL_VERDICT_AGREES;
    return !isnan(m->neutral) && side(m, ours) == side(m, paper) ? SL_VERDICT_DIRECTION : SL_VERDICT_DIFFERS;
}

/* A claim with a condition. */
static sl_verdict judge_condition(const sl_reproduction *r, const sl_paper_claim *claim, sl_compared *c)
{
    sl_expression_source source = source_of(r);
    if (claim->measure.input)
        return SL_VERDICT_INPUT;
    double holds = sl_expression_value(claim->holds, &source, -1, &c->holes);
    if (isnan(holds))
        return SL_VERDICT_HOLE;
    if (is_noise(&claim->measure, c->ours, c->noise))
        return SL_VERDICT_UNRESOLVED;
    if (holds != 0)
        return SL_VERDICT_AGREES;
    bool direction = claim->direction && sl_expression_value(claim->direction, &source, -1, &c->holes) > 0;
    return direction ? SL_VERDICT_DIRECTION : SL_VERDICT_DIFFERS;
}

static double stated(const sl_paper_column *column, int program, int group)
{
    for (size_t i = 0; i < column->numbers; i++)
        if (program >= 0 ? column->number[i].program == program : column->number[i].group == group)
            return column->number[i].number;
    return NAN;
}

static const char *reason(const sl_paper_column *column, int program, int group)
{
    for (size_t i = 0; i < column->reasons; i++)
        if (program >= 0 ? column->reason[i].program == program : column->reason[i].group == group)
            return column->reason[i].text;
    return NULL;
}

static sl_compared compared(const sl_reproduction *r, const sl_paper_measure *measure, int program, double ours,
                            double paper, const char *why)
{
    sl_expression_source source = source_of(r);
    double noise = measure->noise ? sl_expression_value(measure->noise, &source, program, NULL) : 0;
    sl_compared c = {.ours = ours, .paper = paper, .noise = noise, .verdict = judge(measure, ours, noise, paper)};
    c.why = c.verdict > SL_VERDICT_AGREES ? why : NULL;
    return c;
}

/* ---- what a quick run may judge ---- */

static size_t all_members_of(const void *context, int group, const int **program)
{
    const sl_reproduction *r = context;
    *program = r->paper->group[group].program;
    return r->paper->group[group].count;
}

typedef struct missing_programs {
    const sl_reproduction *of;
    bool any;
} missing_programs;

static void note_missing(void *context, int program, int config)
{
    missing_programs *m = context;
    (void)config;
    m->any |= program >= 0 && is_left_out(m->of, program);
}

/* A run says nothing of a statement about programs that it leaves out, or runs with other inputs: what holds for some
 * of them need not hold for all. */
static bool is_judged(const sl_reproduction *r, const sl_expression *value)
{
    const sl_expression_source all = {value_of, all_members_of, r};
    missing_programs missing = {.of = r};
    if (!value)
        return true;
    sl_expression_uses(value, &all, -1, note_missing, &missing);
    return !missing.any && (!r->quick || !strcmp(r->paper->quick_size, "default"));
}

static void withhold(sl_compared *c, bool judged)
{
    if (judged)
        return;
    c->verdict = SL_VERDICT_NONE;
    c->why = NULL;
}

sl_compared sl_compare_program(const sl_reproduction *r, const sl_paper_column *column, int program)
{
    sl_expression_source source = source_of(r);
    double ours = sl_expression_value(column->value, &source, program, NULL);
    if (is_left_out(r, program))
        return (sl_compared){.ours = NAN, .paper = NAN};
    sl_compared c =
        compared(r, &column->measure, program, ours, stated(column, program, -1), reason(column, program, -1));
    withhold(&c, is_judged(r, column->value));
    return c;
}

sl_compared sl_compare_group(const sl_reproduction *r, const sl_paper_column *column, int group)
{
    sl_expression_source source = source_of(r);
    double sum = 0;
    size_t count = 0;
    bool holes = false;
    for (size_t i = 0; i < r->group[group].count; i++) {
        double value = sl_expression_value(column->value, &source, r->group[group].program[i], NULL);
        holes |= isnan(value);
        if (isnan(value))
            continue;
        sum += column->mean == SL_MEAN_GEOMETRIC ? log(value) : value;
        count++;
    }
    double mean = count ? sum / (double)count : NAN;
    sl_compared c = compared(r, &column->measure, -1, column->mean == SL_MEAN_GEOMETRIC ? exp(mean) : mean,
                             stated(column, -1, group), reason(column, -1, group));
    c.holes = holes;
    withhold(&c, r->group[group].count == r->paper->group[group].count && is_judged(r, column->value));
    return c;
}

sl_compared sl_compare_claim(const sl_reproduction *r, const sl_paper_claim *claim)
{
    sl_expression_source source = source_of(r);
    bool holes = false;
    double ours = claim->value ? sl_expression_value(claim->value, &source, -1, &holes) : NAN;
    sl_compared c = compared(r, &claim->measure, -1, ours, claim->number, NULL);
    c.holes = holes;
    if (claim->holds)
        c.verdict = judge_condition(r, claim, &c);
    c.why = c.verdict > SL_VERDICT_AGREES ? claim->why : NULL;
    withhold(&c, is_judged(r, claim->holds) && is_judged(r, claim->direction) && is_judged(r, claim->value));
    return c;
}

/* ---- over all of it ---- */

static void each_row(const sl_reproduction *r, const sl_paper_figure *figure, int group,
                     void (*take)(void *, const sl_compared_item *), void *context)
{
    const sl_paper_group *g = &r->group[group];
    for (size_t i = 0; i < g->count; i++)
        for (size_t c = 0; c < figure->columns; c++)
            take(context, &(sl_compared_item){.figure = figure,
                                              .column = &figure->column[c],
                                              .row = r->paper->program[g->program[i]].name,
                                              .within = g->name,
                                              .compared = sl_compare_program(r, &figure->column[c], g->program[i])});
    for (size_t c = 0; c < figure->columns && g->count; c++)
        if (figure->column[c].mean != SL_MEAN_NONE)
            take(context, &(sl_compared_item){.figure = figure,
                                              .column = &figure->column[c],
                                              .row = g->name,
                                              .within = g->name,
                                              .mean = true,
                                              .compared = sl_compare_group(r, &figure->column[c], group)});
}

void sl_reproduction_each(const sl_reproduction *r, void (*take)(void *context, const sl_compared_item *item),
                          void *context)
{
    for (size_t f = 0; f < r->paper->figures; f++) {
        const sl_paper_figure *figure = &r->paper->figure[f];
        if (!r->wanted[f])
            continue;
        for (size_t g = 0; g < figure->groups; g++)
            each_row(r, figure, figure->group[g], take, context);
        for (size_t c = 0; c < figure->claims; c++)
            take(context, &(sl_compared_item){.figure = figure,
                                              .claim = &figure->claim[c],
                                              .row = "",
                                              .within = "",
                                              .compared = sl_compare_claim(r, &figure->claim[c])});
    }
}

static void count_verdict(void *context, const sl_compared_item *item)
{
    ((size_t *)context)[item->compared.verdict]++;
}

bool sl_reproduction_tally(const sl_reproduction *r, size_t tally[SL_VERDICTS])
{
    size_t said = 0;
    memset(tally, 0, SL_VERDICTS * sizeof *tally);
    sl_reproduction_each(r, count_verdict, tally);
    for (size_t f = 0; f < r->paper->figures; f++) {
        said += r->paper->figure[f].claims;
        for (size_t c = 0; c < r->paper->figure[f].columns; c++)
            said += r->paper->figure[f].column[c].numbers;
    }
    return said;
}

size_t sl_reproduction_failures(const sl_reproduction *r)
{
    size_t failures = 0;
    for (size_t i = 0; i < r->points; i++)
        failures += r->outcome[i].state == SL_OUTCOME_FAILED;
    return failures;
}
