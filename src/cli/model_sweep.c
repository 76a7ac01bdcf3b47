/* SPDX-License-Identifier: MIT */
#include "cli/model_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/given_options.h"
#include "cli/output.h"
#include "cli/sweep_run.h"
#include "cli/terminal.h"
#include "machine/vary.h"
#include "model/variants.h"
#include "report/sweep.h"

enum { MOST_VALUES = 256, MOST_POINTS = 4096 };

typedef struct sweeper {
    const sl_invocation *inv;
    const sl_sweep_wishes *wishes;
    const sl_machine *machine; /* as it is, with its first level alone unless seeds are asked for */
    const sl_model_options *options;
    const sl_trace_input *input;
    SL_ARRAY(sl_model_variant) variants;
    SL_ARRAY(sl_sweep_point) points;
    sl_counts *counts;  /* [launches][points] */
    uint64_t *l1_bytes; /* [launches][points]: of the first level beside shared memory */
    char note[512];
} sweeper;

bool sl_sweep_wanted(const sl_sweep_wishes *w)
{
    return w->l1_size || w->l1_ways || w->line || w->mshrs || w->figure12 || w->seeds;
}

/* ---- points ---- */

static sl_status add_point(sweeper *s, const sl_first_level *level, const char *varied, const char *factor,
                           uint64_t seed, sl_error *error)
{
    sl_model_variant variant;
    memset(&variant, 0, sizeof variant); /* variants are compared byte by byte */
    memcpy(&variant.machine, s->machine, sizeof variant.machine);
    variant.options = *s->options;
    variant.options.seed = seed;
    sl_status status = level ? sl_machine_vary(&variant.machine, level, error) : SL_OK;
    if (status)
        return status;
    const sl_level *first = &variant.machine.level[0];
    sl_sweep_point point = {.varied = varied,
                            .factor = factor,
                            .ways = first->ways,
                            .line_bytes = first->line_bytes,
                            .mshrs = first->mshrs,
                            .seed = seed};
    if (s->points.count >= MOST_POINTS)
        return sl_fail(error, SL_LIMIT, "more than %d points in one sweep", MOST_POINTS);
    if (!sl_array_push(&s->variants, variant) || !sl_array_push(&s->points, point))
        return sl_fail_memory(error);
    return SL_OK;
}

typedef struct values {
    size_t count; /* at least one */
    uint64_t value[MOST_VALUES];
} values;

/* "4K,8K": numbers in [least, most]. NULL is the one value `absent`. */
static sl_status parse_list(const char *option, const char *text, uint64_t unit, uint64_t least, uint64_t most,
                            uint64_t absent, values *list, sl_error *error)
{
    *list = (values){1, {absent}};
    if (!text)
        return SL_OK;
    for (list->count = 0;; text++) {
        char word[32];
        size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        if (list->count == MOST_VALUES)
            return sl_fail(error, SL_INVALID, "--%s: more than %d values", option, MOST_VALUES);
        uint64_t *value = &list->value[list->count++];
        if (length >= sizeof word || !sl_parse_count(word, unit, value))
            return sl_fail(error, SL_INVALID, "--%s: '%s' is not a number%s", option, word,
                           unit == 1024 ? " of bytes" : "");
        if (*value < least || *value > most)
            return sl_fail(error, SL_INVALID, "--%s: %s is not between %llu and %llu", option, word,
                           (unsigned long long)least, (unsigned long long)most);
        text += length;
        if (!*text)
            return SL_OK;
    }
}

typedef struct lists {
    values size, ways, line, mshrs;
} lists;

static sl_status parse_lists(const sl_sweep_wishes *w, lists *l, sl_error *error)
{
    sl_status status = parse_list("l1-size", w->l1_size, 1024, 1, UINT64_C(1) << 40, 0, &l->size, error);
    if (!status)
        status = parse_list("l1-ways", w->l1_ways, 1000, 1, 1 << 20, 0, &l->ways, error);
    if (!status)
        status = parse_list("line", w->line, 1024, 4, 65536, 0, &l->line, error);
    if (!status)
        status = parse_list("mshrs", w->mshrs, 1000, 0, 1 << 20, SL_MSHRS_AS_THEY_ARE, &l->mshrs, error);
    return status;
}

/* All combinations, the last list fastest. */
static sl_status add_product(sweeper *s, const lists *l, sl_error *error)
{
    size_t points = l->size.count * l->ways.count * l->line.count * l->mshrs.count;
    sl_status status = SL_OK;
    for (size_t i = 0; i < points && !status; i++) {
        size_t rest = i;
        sl_first_level level;
        level.mshrs = (uint32_t)l->mshrs.value[rest % l->mshrs.count];
        rest /= l->mshrs.count;
        level.line_bytes = (uint32_t)l->line.value[rest % l->line.count];
        rest /= l->line.count;
        level.ways = (uint32_t)l->ways.value[rest % l->ways.count];
        rest /= l->ways.count;
        level.size_bytes = l->size.value[rest];
        status = add_point(s, &level, NULL, NULL, s->options->seed, error);
    }
    return status;
}

/* ---- figure 12 ---- */

typedef enum parameter { WAYS, SIZE, LINE, MSHRS, PARAMETERS } parameter;

static uint64_t own_value(const sl_level *level, parameter p)
{
    return p == WAYS ? level->ways : p == SIZE ? level->size_bytes : p == LINE ? level->line_bytes : level->mshrs;
}

static sl_first_level wish_of(parameter p, uint64_t value)
{
    return (sl_first_level){
        .ways = p == WAYS ? (uint32_t)value : 0,
        .size_bytes = p == SIZE ? value : 0,
        .line_bytes = p == LINE ? (uint32_t)value : 0,
        .mshrs = p == MSHRS ? (uint32_t)value : SL_MSHRS_AS_THEY_ARE,
    };
}

/* Each of four parameters alone. What cannot be is left out, and the first of it said. */
static sl_status add_figure12(sweeper *s, sl_error *error)
{
    static const char *const names[PARAMETERS] = {"ways", "size", "line", "MSHRs"};
    static const char *const factors[] = {"0.25x", "0.5x", "1x", "2x", "4x"};
    for (int p = 0; p < PARAMETERS; p++)
        for (int f = 0; f < 5; f++) {
            uint64_t own = own_value(&s->machine->level[0], (parameter)p), value = (own << f) / 4;
            sl_first_level wish = wish_of((parameter)p, value);
            sl_error reason;
            sl_status status = value ? SL_OK : sl_fail(&reason, SL_INVALID, "there are %u", (unsigned)own);
            if (!status)
                status = add_point(s, f == 2 ? NULL : &wish, names[p], factors[f], s->options->seed, &reason);
            if (status == SL_NO_MEMORY)
                return sl_fail_memory(error);
            if (status && !*s->note)
                snprintf(s->note, sizeof s->note, "left out, with what else cannot be: %s %s (%s)", names[p],
                         factors[f], reason.text);
        }
    return SL_OK;
}

static sl_status add_points(sweeper *s, const lists *l, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint64_t i = 0; i < s->wishes->seeds && !status; i++)
        status = add_point(s, NULL, NULL, NULL, s->options->seed + i, error);
    if (status || s->wishes->seeds)
        return status;
    return s->wishes->figure12 ? add_figure12(s, error) : add_product(s, l, error);
}

/* ---- the report ---- */

static sl_status sweep_text(FILE *file, const void *result, sl_error *error)
{
    return sl_sweep_text(file, result, sl_terminal_width(file), error);
}

static sl_status sweep_json(FILE *file, const void *result, sl_error *error)
{
    return sl_sweep_json(file, result, error);
}

static sl_status sweep_csv(FILE *file, const void *result, sl_error *error)
{
    return sl_sweep_csv(file, result, error);
}

static sl_status seeds_text(FILE *file, const void *result, sl_error *error)
{
    return sl_seeds_text(file, result, sl_terminal_width(file), error);
}

static sl_status seeds_json(FILE *file, const void *result, sl_error *error)
{
    return sl_seeds_json(file, result, error);
}

static sl_status seeds_csv(FILE *file, const void *result, sl_error *error)
{
    return sl_seeds_csv(file, result, error);
}

static sl_status sweep_page(const void *result, sl_page_input *input, sl_error *error)
{
    (void)error;
    const sl_sweep *s = result;
    const char *subject = s->info.trace ? s->info.trace->path : s->info.option[0].value; /* the workload */
    *input = (sl_page_input){.subject = subject, .info = s->info, .sizes = s};
    return SL_OK;
}

static int report(const sweeper *s)
{
    static const sl_report_forms sweep_forms = {sweep_text, sweep_json, sweep_csv};
    static const sl_report_forms seeds_forms = {seeds_text, seeds_json, seeds_csv};
    sl_error error;
    sl_arena arena;
    sl_arena_init(&arena);
    const sl_report_option workload = {"workload", s->input->workload};
    bool named = *s->input->workload;
    sl_sweep sweep = {
        .points = s->points.count,
        .point = s->points.items,
        .launches = s->input->launches,
        .launch = sl_swept_launches(s->input, s->counts, s->l1_bytes, s->points.count, &arena),
        .passes = sl_model_variants_passes(s->variants.items, s->variants.count),
        .note = *s->note ? s->note : NULL,
        .info = {.command = "model",
                 .machine = s->machine->name,
                 .seed = &s->options->seed,
                 .trace = named ? NULL : &s->input->about},
    };
    sweep.info.option = sl_given_options(s->inv, &workload, named, &arena, &sweep.info.options);
    int code;
    if (sweep.info.option && sweep.launch) {
        code = s->wishes->seeds ? sl_report_write(s->inv, &seeds_forms, &sweep, stdout)
                                : sl_report_write_page(s->inv, &sweep_forms, sweep_page, &sweep, stdout);
    } else {
        sl_fail_memory(&error);
        code = sl_cli_fail(s->inv, &error);
    }
    sl_arena_fini(&arena);
    return code;
}

sl_status sl_sweep_check(const sl_sweep_wishes *w, sl_error *error)
{
    lists l;
    bool listed = w->l1_size || w->l1_ways || w->line || w->mshrs;
    if (w->figure12 + listed + (w->seeds != 0) > 1)
        return sl_fail(error, SL_INVALID, "lists of L1's parameters, --figure12 and --seeds do not go together");
    return parse_lists(w, &l, error);
}

int sl_run_sweep(const sl_invocation *inv, const sl_sweep_wishes *wishes, const sl_machine *machine,
                 const sl_model_options *options, const sl_trace_input *input)
{
    sl_machine base;
    memcpy(&base, machine, sizeof base);
    if (!wishes->seeds)
        base.levels = 1;
    if (inv->common->callgrind || (wishes->seeds && inv->common->html))
        return sl_cli_usage(inv, "--%s does not go with %s", inv->common->callgrind ? "callgrind" : "html",
                            wishes->seeds ? "--seeds" : "many first levels");
    sweeper s = {.inv = inv, .wishes = wishes, .machine = &base, .options = options, .input = input};
    sl_error error;
    lists l;
    sl_status status = parse_lists(wishes, &l, &error);
    if (!status)
        status = add_points(&s, &l, &error);
    s.counts = calloc((size_t)input->launches * s.points.count + 1, sizeof *s.counts);
    s.l1_bytes = calloc((size_t)input->launches * s.points.count + 1, sizeof *s.l1_bytes);
    if (!status && (!s.counts || !s.l1_bytes))
        status = sl_fail_memory(&error);
    if (!status)
        status = sl_sweep_launches(inv, input, s.variants.items, s.variants.count, s.counts, s.l1_bytes, &error);
    int code = status ? sl_cli_fail(inv, &error) : report(&s);
    free(s.counts);
    free(s.l1_bytes);
    sl_array_free(&s.variants);
    sl_array_free(&s.points);
    return code;
}
